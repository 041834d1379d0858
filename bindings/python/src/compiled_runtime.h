// bindings/python/src/compiled_runtime.h -- what functions compiled from Python call while they run: threads for their
// parallel loops, print(), the state of their random numbers, functions of the package.
#pragma once
#include <cstdint>

namespace gpuopt_python {

// Runs `chunk(state, k)` for each k below `chunks`, on all processors; the status of the first k that has one other
// than 0. Which thread runs which chunk makes no difference to what is computed. Any thread may call it, also from
// inside a chunk: chunks that no other thread is free for run on the calling thread.
int32_t run_chunks(int32_t (*chunk)(void *, int64_t), void *state, int64_t chunks);

// The arguments of one print(), one by one, then print_line(). kind: 'b', 'i', 'u', 'f', 'c', 'n' (None) as elsewhere;
// '(' and ')' stand around the parts of a formatted text, '%' before a text that is the format of the next part.
void print_number(char kind, int64_t integer, double real, double imaginary);
void print_text(const char *text);
void print_line();

// The Mersenne twister of this thread: uint32 index, uint32 seeded, uint32 has_normal, uint32 unused, double normal,
// uint32 words[624]. A thread that has not seeded it gets words from the system.
void *random_state();

// gpuopt.compiled.host_calls.run(name, bytes of `count` words): 0, or 1 if it raised.
int32_t host_call(const char *name, const int64_t *words, int64_t count);

}  // namespace gpuopt_python
