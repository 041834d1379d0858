// tests/fault/broad_program.cpp -- a program that uses most of the library under odd conditions, and says whether its
// numbers are right. Usage: broad_program [DIRECTORY [CONDITION]]
//
// It ends with 0 and prints "right", or with 1 and prints "refused: STATUS: message" where a call failed. With 3 a
// result was wrong.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/fault/broad.h"

namespace {

std::atomic<bool> no_threads{false};
std::atomic<long> signals_handled{0};

int run(const std::string &directory) {
  broad::Problem problem;
  const bool right = broad::everything(directory, problem);
  const bool refused = !right && problem.error.code != GPUOPT_OK;
  if (right) {
    std::puts("right");
  } else if (refused) {
    std::printf("refused: %s: %s\n", gpuopt_status_name(problem.error.code), problem.error.message);
  } else {
    std::printf("wrong: %s\n", problem.what);
  }
  std::fflush(stdout);  // which may be closed: the status says the same
  return right ? 0 : refused ? 1 : 3;
}

// Signals without end, by a handler after which system calls are not begun again.
void interrupt() {
  struct sigaction action = {};
  action.sa_handler = [](int) { signals_handled++; };
  sigaction(SIGALRM, &action, nullptr);
  const itimerval often{{0, 500}, {0, 500}};
  setitimer(ITIMER_REAL, &often, nullptr);
}

struct Small {
  std::string directory;
  int status = 9;
};

// In a thread whose stack is as small as some systems' default.
int run_on_small_stack(const std::string &directory) {
  Small small{directory};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, size_t{128} << 10);
  pthread_t thread;
  const auto body = [](void *raw) -> void * {
    auto *const given = static_cast<Small *>(raw);
    given->status = run(given->directory);
    return nullptr;
  };
  if (pthread_create(&thread, &attributes, body, &small) != 0) return 8;
  pthread_join(thread, nullptr);
  return small.status;
}

// Files that are gone: those of the system, /proc and the plugins, of which one is open.
int run_in_new_root(const std::string &directory) {
  gpuopt_device device = nullptr;
  if (gpuopt_device_open("cpu", nullptr, &device, nullptr) != GPUOPT_OK) return 8;
  if (chroot(directory.c_str()) != 0 || chdir("/") != 0) return 77;  // not permitted
  return run("/");
}

}  // namespace

// Every thread that anybody asks for goes through here.
extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                                     const pthread_attr_t *attributes,
                                                                     void *(*body)(void *), void *argument) {
  if (no_threads) return EAGAIN;
  static const auto next = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return next(thread, attributes, body, argument);
}

int main(int argc, char **argv) {
  const std::string directory = argc > 1 ? argv[1] : ".", condition = argc > 2 ? argv[2] : "";
  if (condition == "no_threads") no_threads = true;
  if (condition == "signals") interrupt();
  if (condition == "small_stack") return run_on_small_stack(directory);
  if (condition == "new_root") return run_in_new_root(directory);
  const int status = run(directory);
  return condition == "signals" && signals_handled < 5 ? 7 : status;
}
