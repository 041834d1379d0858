// tests/unit/watchdog.h -- ends a test program that hangs, and says in which case.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

// While one exists, the program must reach its next case within a minute, which is some ten thousand times what a case
// takes. Otherwise the case is printed and the program ends with a failure: a loop that never ends cannot be left in
// any other way.
class Watchdog {
 public:
  Watchdog() : thread_([this] { watch(); }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Watchdog(const Watchdog &) = delete;
  Watchdog &operator=(const Watchdog &) = delete;

  // The case that begins now.
  void begin(const std::string &name) {
    const std::lock_guard lock(mutex_);
    name_ = name;
    number_++;
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!over_) {
      const long seen = number_;
      changed_.wait_for(lock, std::chrono::seconds(60));
      if (over_ || number_ != seen) continue;
      std::fprintf(stderr, "hangs: %s\n", name_.c_str());
      std::fflush(stderr);
      std::_Exit(1);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string name_ = "the first case";
  long number_ = 0;
  bool over_ = false;
  std::thread thread_;
};
