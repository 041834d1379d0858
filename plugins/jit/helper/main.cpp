// plugins/jit/helper/main.cpp -- gpuopt-jit-helper: runs libgpuopt_jit in a process of its own, so that a crash of the
// compiler is an error in the program that it compiles for, and does not end that program.
//
// The helper is a daemon: it is no child of the program, since the program may wait for all of its children, and it
// keeps none of the program's files open. The protocol is in protocol.h.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>

#include "plugins/jit/api/jit.h"
#include "plugins/jit/api/jit_build.h"
#include "plugins/jit/helper/protocol.h"

namespace {

using gpuopt::helper::Header;
using gpuopt::helper::Message;
using gpuopt::helper::Priority;
using gpuopt::helper::Request;

constexpr int kSocket = 0;

void close_all_but_standard() {
#if defined(SYS_close_range)
  if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0) return;
#endif
  const long most = sysconf(_SC_OPEN_MAX);
  for (int fd = 3; fd < most; fd++) close(fd);
}

// Lets the system kill this process before the program that it serves when memory is short.
void prefer_as_oom_victim() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t written = write(file, "500", 3);
  close(file);
}

// Some texts would make the compiler take all memory that there is. The limit is many times what other texts take.
// There is none with sanitizers, which reserve more from the start.
void limit_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  rlimit limit;
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, rlim_t{4} << 30);
  setrlimit(RLIMIT_DATA, &limit);
#endif
}

// Moves to a process group of its own, so that signals from the program's terminal do not reach it. It stays in the
// program's session: Linux gives each session an equal share of the processors, whatever the priorities of its threads
// are ("autogroup", sched(7)). Returns false in the process that the program started, which is to end.
bool daemonize() {
  if (const pid_t other = fork(); other != 0) return false;
  setpgid(0, 0);
  [[maybe_unused]] const int moved = chdir("/");
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  limit_memory();
  prefer_as_oom_victim();
  return true;
}

// Handles signals of crashes. It calls only functions that are safe in signal handlers.
[[noreturn]] void report_crash(int signal) {
  const Header header{Message::crash, signal, 0};
  gpuopt::helper::send_all(kSocket, &header, sizeof header);
  _exit(1);
}

// Gives the calling thread a stack for signal handlers, since a crash may be an overflow of the other one.
void use_signal_stack(char *stack, size_t bytes) {
  const stack_t other{stack, 0, bytes};
  sigaltstack(&other, nullptr);
}

constexpr size_t kSignalStack = 1 << 16;

void catch_crashes() {
  static char stack[kSignalStack];
  use_signal_stack(stack, sizeof stack);
  struct sigaction action {};
  action.sa_handler = report_crash;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS})
    sigaction(signal, &action, nullptr);
}

// Ends the process if the program has closed the socket. It calls only functions that are safe in signal handlers.
void end_if_closed(int) {
  const int error = errno;
  pollfd end{kSocket, 0, 0};
  if (poll(&end, 1, 0) == 1) _exit(0);
  errno = error;
}

// SIGIO does not only tell that the socket was closed: Linux also sends it when the program has read a message and the
// socket, which was once full, has room again.
void catch_closing() {
  struct sigaction action {};
  action.sa_handler = end_if_closed;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(SIGIO, &action, nullptr);
}

// While this is `on`, the process ends by SIGIO when the program closes the socket, because it ended or cancelled the
// compilation, whatever the compiler is doing.
void end_with_socket(bool on) {
  fcntl(kSocket, F_SETOWN, getpid());
  fcntl(kSocket, F_SETFL, on ? O_ASYNC : 0);
  if (on) end_if_closed(SIGIO);  // it may have been closed before SIGIO was on
}

struct Work {
  Priority priority;
  std::function<void()> body;
};

// Both ways change the calling thread alone, on Linux. Elsewhere the priority stays as it is.
void lower_priority([[maybe_unused]] Priority to) {
#if defined(SCHED_IDLE)
  const sched_param none{};
  if (to == Priority::idle && sched_setscheduler(0, SCHED_IDLE, &none) == 0) return;
  [[maybe_unused]] const int now = nice(10);
#endif
}

void *work_at_priority(void *given) {
  static char stack[kSignalStack];  // one such thread runs at a time
  use_signal_stack(stack, sizeof stack);
  const Work &work = *static_cast<const Work *>(given);
  lower_priority(work.priority);
  work.body();
  return nullptr;
}

// Does the work and returns. A thread cannot get its priority back, so that work of another one has its own thread.
void do_work(Work work) {
  constexpr size_t kStack = 8 << 20;  // as that of the main thread, usually
  pthread_attr_t attributes;
  pthread_t thread;
  bool started = false;
  if (work.priority != Priority::normal && pthread_attr_init(&attributes) == 0) {
    pthread_attr_setstacksize(&attributes, kStack);
    started = pthread_create(&thread, &attributes, work_at_priority, &work) == 0;
    pthread_attr_destroy(&attributes);
  }
  started ? void(pthread_join(thread, nullptr)) : work.body();
}

// The table of libgpuopt_jit, or NULL and an error message.
const gpuopt_jit_api *open_compiler(const char *file, const char *build, std::string *problem) {
  void *const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    *problem = std::string(file) + " cannot be loaded: " + dlerror();
    return nullptr;
  }
  const auto query = reinterpret_cast<const gpuopt_jit_api *(*)(const char *)>(dlsym(library, "gpuopt_jit_query"));
  const bool same = std::strcmp(build, gpuopt::jit_build()) == 0;
  const gpuopt_jit_api *const api = query && same ? query(build) : nullptr;
  if (!api)
    *problem = std::string(file) + " is of another build than this CPU backend; install both from the same release";
  return api;
}

gpuopt_jit_result *compile(const gpuopt_jit_api &api, const std::string &text) {
  Request request;
  std::memcpy(&request, text.data(), sizeof request);
  const char *const name = text.data() + sizeof request, *const processor = name + std::strlen(name) + 1;
  const gpuopt_jit_source source{request.flags, name, processor + std::strlen(processor) + 1, processor,
                                 request.vector_bits};
  gpuopt_jit_result *result = nullptr;
  end_with_socket(true);
  do_work({request.priority, [&] { result = api.compile(&source, nullptr); }});  // closing the socket cancels it
  end_with_socket(false);
  return result;
}

// Compiles until the program closes the socket or the compiler cannot continue.
void serve(const gpuopt_jit_api &api) {
  Header header;
  std::string text;
  while (gpuopt::helper::receive_message(kSocket, &header, &text) && header.message == Message::compile &&
         gpuopt::helper::send_message(kSocket, Message::started)) {
    gpuopt_jit_result *const result = compile(api, text);
    if (!result) {
      gpuopt::helper::send_message(kSocket, Message::no_memory);
      return;
    }
    const bool made = result->object_bytes > 0, broken = result->broken;
    gpuopt::helper::send_message(kSocket, made ? Message::object : Message::refused,
                                 made ? result->object : result->log,
                                 made ? result->object_bytes : std::strlen(result->log));
    if (broken) return;
    api.release(result);
  }
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fputs("gpuopt-jit-helper: this program is started by gpuopt's CPU backend, to compile kernels\n", stderr);
    return 2;
  }
  close_all_but_standard();
  if (!daemonize()) _exit(0);
  catch_crashes();
  catch_closing();
  std::string problem;
  const gpuopt_jit_api *const api = open_compiler(argv[1], argv[2], &problem);
  const std::string text = api ? api->compiler : problem;
  gpuopt::helper::send_message(kSocket, api ? Message::ready : Message::unfit, text.data(), text.size());
  if (api) serve(*api);
  _exit(0);  // without LLVM's static destructors
}
