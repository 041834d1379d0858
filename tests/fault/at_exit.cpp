// tests/fault/at_exit.cpp -- a program that uses arrays while it ends. Usage: at_exit CASE DEVICE [LIBRARY]
//
// CASE says who does the work after main: see `cases`. Each piece of work that came out right prints a line; what comes
// out wrong prints "wrong" and ends the process with status 3.
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "tests/fault/work.h"

namespace {

std::string request = "cpu";
std::atomic<int> work_of_thread{0};

void says(const char *line) {
  const std::string text = std::string(line) + "\n";
  if (write(1, text.data(), text.size()) < 0) _exit(4);
}

void works(const char *who) {
  gpuopt_device device = nullptr;
  const bool right =
      gpuopt_device_open(request.c_str(), nullptr, &device, nullptr) == GPUOPT_OK && work::everything(device);
  says(right ? who : "wrong");
  if (!right) _exit(3);
}

void at_exit() { works("handler of exit"); }

struct Object {
  const char *who;
  ~Object() { works(who); }
};

// ---- The cases; each is called by main, once before anything else has used the library, and once after.

using Case = void (*)(bool first);

void handler_before(bool first) {
  if (first) std::atexit(at_exit);
}
void handler_after(bool first) {
  if (!first) std::atexit(at_exit);
}
void object_before(bool first) {
  if (first) static const Object object{"static object"};
}
void object_after(bool first) {
  if (!first) static const Object object{"static object"};
}

// A library whose static object calls back when it is destroyed.
const char *library = "";
void load() {
  void *const loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  auto *const call = loaded ? reinterpret_cast<void (**)(const char *)>(dlsym(loaded, "gpuopt_test_at_exit")) : nullptr;
  if (!call) _exit(5);
  *call = works;
}
void library_before(bool first) {
  if (first) load();
}
void library_after(bool first) {
  if (!first) load();
}

void in_a_thread_local_before(bool first) {
  if (first) return;
  std::thread([] {
    static thread_local const Object object{"thread_local object"};
    (void)&object;
    works("thread");
  }).join();
}
void in_a_thread_local_after(bool first) {
  if (first) return;
  std::thread([] {
    works("thread");
    static thread_local const Object object{"thread_local object"};
    (void)&object;
  }).join();
}
void in_a_thread_local_of_main(bool first) {
  static thread_local const Object object{"thread_local object"};
  (void)first, (void)&object;
}

// Destructors of POSIX's keys run after those of thread_local objects, in rounds: each round's work needs a new round.
pthread_key_t key;
int rounds = 0;
void in_a_key(bool first) {
  if (first) return;
  pthread_key_create(&key, [](void *value) {
    works("key");
    if (++rounds < 3) pthread_setspecific(key, value);
  });
  std::thread([] {
    pthread_setspecific(key, &rounds);
    works("thread");
  }).join();
}

// Two threads at it, while handlers run and objects are destroyed. The last to run waits until each has done some work
// since.
void besides() {
  for (;;) {
    gpuopt_device device = nullptr;
    const bool right =
        gpuopt_device_open(request.c_str(), nullptr, &device, nullptr) == GPUOPT_OK && work::everything(device);
    if (!right) {
      says("wrong");
      _exit(3);
    }
    work_of_thread++;
  }
}
struct Waits {
  ~Waits() {
    const int before = work_of_thread;
    while (work_of_thread < before + 20) usleep(1000);
    says("threads went on");
  }
};
void threads_that_go_on(bool first) {
  static const Waits waits;  // destroyed after what follows
  (void)&waits;
  if (first) return;
  std::thread(besides).detach();
  std::thread(besides).detach();
  std::atexit(at_exit);
}

// The main thread ends first, and another one ends the process.
void main_thread_ends(bool first) {
  if (first) return;
  std::atexit(at_exit);
  std::thread([] {
    usleep(50000);
    works("thread");
    std::exit(0);
  }).detach();
  pthread_exit(nullptr);
}

// A kernel that nobody has compiled before.
void kernel_in_a_handler(bool first) {
  if (!first) return;
  std::atexit([] {
    gpuopt_device device = nullptr;
    bool available = false;
    const int factor = static_cast<int>(getpid());
    const bool right = gpuopt_device_open(request.c_str(), nullptr, &device, nullptr) == GPUOPT_OK &&
                       work::multiplies_in_a_kernel(device, factor, available);
    says(right ? "kernel" : "wrong");
    if (!right) _exit(3);
  });
}

// Arrays that are freed when everything else is over.
void arrays_are_released(bool) {
  struct Keeper {
    gpuopt_array x = nullptr;
    ~Keeper() {
      gpuopt_array_release(x);
      says("released");
    }
  };
  static Keeper keeper;
  gpuopt_device device = nullptr;
  if (gpuopt_device_open(request.c_str(), nullptr, &device, nullptr) != GPUOPT_OK) _exit(3);
  work::Array x;
  if (!keeper.x && work::counting(device, 300000, 1, 1, x)) keeper.x = gpuopt_array_retain(x);
}

constexpr std::pair<const char *, Case> cases[] = {
    {"handler_before", handler_before},
    {"handler_after", handler_after},
    {"object_before", object_before},
    {"object_after", object_after},
    {"library_before", library_before},
    {"library_after", library_after},
    {"thread_local_before", in_a_thread_local_before},
    {"thread_local_after", in_a_thread_local_after},
    {"thread_local_of_main", in_a_thread_local_of_main},
    {"key", in_a_key},
    {"threads_that_go_on", threads_that_go_on},
    {"main_thread_ends", main_thread_ends},
    {"kernel_in_a_handler", kernel_in_a_handler},
    {"arrays_are_released", arrays_are_released},
};

}  // namespace

int main(int argc, char **argv) {
  if (argc == 2 && std::strcmp(argv[1], "list") == 0) {
    for (const auto &[name, body] : cases) says(name);
    return 0;
  }
  if (argc < 3) return 2;
  request = argv[2];
  if (argc > 3) library = argv[3];
  alarm(120);
  for (const auto &[name, body] : cases) {
    if (std::strcmp(name, argv[1]) != 0) continue;
    body(true);
    works("main");
    body(false);
    return 0;
  }
  return 2;
}
