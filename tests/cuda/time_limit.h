// tests/cuda/time_limit.h -- compiles that are given up after a while. NVRTC cannot be interrupted, so each one runs in
// a process of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <string>
#include <thread>

#include "tests/cuda/real_nvrtc.h"

namespace gpuopt::test {

enum class Ended { kCompiled, kRefused, kEndless };

// Returns the processor time that a process has used, in seconds.
inline time_t seconds_used(pid_t process) {
  clockid_t clock{};
  timespec used{};
  return clock_getcpuclockid(process, &clock) == 0 && clock_gettime(clock, &used) == 0 ? used.tv_sec : 0;
}

// Compiles a text and says how that ended. The limit counts the compile's processor time, so that a machine which has
// much else to do does not exceed it.
inline Ended compile_within(time_t seconds, const cuda::Nvrtc &nvrtc, const std::string &text,
                            const cuda::Target &target) {
  const pid_t child = fork();
  if (child == 0) _exit(nvrtc.compile(text, "limited.cu", target).status == NVRTC_SUCCESS ? 0 : 1);
  if (child < 0) return Ended::kRefused;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (seconds_used(child) >= seconds) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return Ended::kEndless;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? Ended::kCompiled : Ended::kRefused;
}

}  // namespace gpuopt::test
