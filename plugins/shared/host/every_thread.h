// plugins/shared/host/every_thread.h -- small variables that every thread has from its start.
#pragma once

// Marks thread_local variables that are small and have no destructor: their memory is part of what the system allocates
// for a thread when it starts (static TLS), at a fixed distance from the thread's own pointer (the initial-exec model
// of the ELF ABI for thread-local storage). To read one takes two instructions instead of a call of __tls_get_addr. The
// memory of other thread_local variables is allocated at the first use, and the C library ends the process if there is
// none.
//
// A library that is loaded after the process has started takes the memory from what the C library has set aside: in
// glibc 2.36 about 1600 bytes for all such libraries together (the tunable glibc.rtld.optional_static_tls adds to it).
// So the thread_local variables of a library that has such ones must take no more than a few hundred bytes, all of them
// together, which tests/abi/check_symbols.sh checks.
#if defined(__ELF__)
#define GPUOPT_IN_EVERY_THREAD __attribute__((tls_model("initial-exec")))
#else
#define GPUOPT_IN_EVERY_THREAD
#endif
