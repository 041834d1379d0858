// plugins/jit/helper/main.cpp -- gpuopt-jit-helper: libgpuopt_jit in a process of its own, so that a crash of the
// compiler is an error of the program it compiles for, and not its end.
//
// It is nobody's child, for programs may wait for theirs, and leaves nothing of the program's open. protocol.h says
// what is spoken.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "plugins/jit/helper/protocol.h"
#include "plugins/jit/jit.h"
#include "plugins/jit/jit_build.h"

namespace {

using gpuopt::helper::Head;
using gpuopt::helper::Request;
using gpuopt::helper::Word;

constexpr int kSocket = 0;

void close_all_but_standard() {
#if defined(SYS_close_range)
  if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0) return;
#endif
  const long most = sysconf(_SC_OPEN_MAX);
  for (int fd = 3; fd < most; fd++) close(fd);
}

// Where memory is short, this process goes before the program it serves.
void go_first_without_memory() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t written = write(file, "500", 3);
  close(file);
}

// A text may make the compiler want all the memory there is: beyond this, which is many times what others take, it gets
// none. Sanitizers reserve more from the beginning.
void limit_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  rlimit limit;
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, rlim_t{4} << 30);
  setrlimit(RLIMIT_DATA, &limit);
#endif
}

// A session of its own: what a terminal sends to the program is not for the helper. False in the process that was
// started, which has done its part.
bool leave_the_program() {
  if (const pid_t other = fork(); other != 0) return false;
  setsid();
  [[maybe_unused]] const int moved = chdir("/");
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  limit_memory();
  go_first_without_memory();
  return true;
}

// The last word; of functions that may be called from handlers of signals.
[[noreturn]] void end_by(int signal) {
  const Head head{Word::crash, signal, 0};
  gpuopt::helper::send_all(kSocket, &head, sizeof head);
  _exit(1);
}

void tell_of_crashes() {
  static char stack[1 << 16];  // the other may be what overflows
  const stack_t other{stack, 0, sizeof stack};
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_handler = end_by;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS})
    sigaction(signal, &action, nullptr);
}

// While it is `on`, the end of the program, or of its patience, is this process's too, whatever the compiler is doing:
// SIGIO.
void end_with_the_program(bool on) {
  fcntl(kSocket, F_SETOWN, getpid());
  fcntl(kSocket, F_SETFL, on ? O_ASYNC : 0);
  pollfd end{kSocket, 0, 0};
  if (on && poll(&end, 1, 0) == 1) _exit(0);  // it was before
}

// The table, or NULL and why.
const gpuopt_jit_api *open_compiler(const char *file, const char *build, std::string *problem) {
  void *const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    *problem = std::string(file) + " cannot be loaded: " + dlerror();
    return nullptr;
  }
  const auto query = reinterpret_cast<const gpuopt_jit_api *(*)(const char *)>(dlsym(library, "gpuopt_jit_query"));
  const bool same = std::strcmp(build, gpuopt::jit_build()) == 0;
  const gpuopt_jit_api *const api = query && same ? query(build) : nullptr;
  if (!api) *problem = std::string(file) + " is of another build than this CPU backend";
  return api;
}

gpuopt_jit_result *compile(const gpuopt_jit_api &api, const std::string &text) {
  Request request;
  std::memcpy(&request, text.data(), sizeof request);
  const char *const name = text.data() + sizeof request, *const processor = name + std::strlen(name) + 1;
  const gpuopt_jit_source source{request.flags, name, processor + std::strlen(processor) + 1, processor,
                                 request.vector_bits};
  end_with_the_program(true);
  gpuopt_jit_result *const result = api.compile(&source);
  end_with_the_program(false);
  return result;
}

// Until there is no more, or the compiler cannot go on.
void serve(const gpuopt_jit_api &api) {
  Head head;
  std::string text;
  while (gpuopt::helper::hear(kSocket, &head, &text) && head.word == Word::compile &&
         gpuopt::helper::say(kSocket, Word::begun)) {
    gpuopt_jit_result *const result = compile(api, text);
    if (!result) {
      gpuopt::helper::say(kSocket, Word::no_memory);
      return;
    }
    const bool made = result->object_bytes > 0, broken = result->broken;
    gpuopt::helper::say(kSocket, made ? Word::object : Word::refused, made ? result->object : result->log,
                        made ? result->object_bytes : std::strlen(result->log));
    if (broken) return;
    api.release(result);
  }
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fputs("gpuopt-jit-helper: gpuopt's CPU backend starts it, to compile kernels\n", stderr);
    return 2;
  }
  close_all_but_standard();
  if (!leave_the_program()) _exit(0);
  tell_of_crashes();
  std::string problem;
  const gpuopt_jit_api *const api = open_compiler(argv[1], argv[2], &problem);
  const std::string word = api ? api->compiler : problem;
  gpuopt::helper::say(kSocket, api ? Word::ready : Word::unfit, word.data(), word.size());
  if (api) serve(*api);
  _exit(0);  // not through what LLVM would still put in order
}
