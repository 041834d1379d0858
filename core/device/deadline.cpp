// core/device/deadline.cpp -- see deadline.h.
#include "core/device/deadline.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/setting_values.h"
#include "core/base/signals_blocked.h"

namespace gpuopt {
namespace {

// What the two threads share; the last of them destroys it. After a timeout it leaks instead, since destroying `body`
// and what it has made, such as a device, would call the plugin on a thread that nobody waits for.
struct Work {
  std::function<void()> body;
  std::mutex mutex;                       // guards the members below
  std::condition_variable changed;        // notified when `ended` is set
  bool ended = false, abandoned = false;  // `body` has returned or thrown; the caller has stopped waiting
  std::exception_ptr thrown;
};

void run(const std::shared_ptr<Work> &work) {
  std::exception_ptr thrown;
  try {
    work->body();
  } catch (...) {
    thrown = std::current_exception();
  }
  const std::lock_guard lock(work->mutex);
  work->ended = true;
  work->thrown = std::move(thrown);  // moved, so that only the waiting thread owns the exception
  if (work->abandoned) new std::shared_ptr<Work>(work);
  work->changed.notify_one();
}

bool start_thread(const std::shared_ptr<Work> &work) {
  [[maybe_unused]] const SignalsBlocked blocked;
  try {
    std::thread([work] { run(work); }).detach();
    return true;
  } catch (const std::system_error &) {
    return false;
  }
}

}  // namespace

uint32_t open_timeout() { return static_cast<uint32_t>(*setting_number(Setting::GPUOPT_OPEN_TIMEOUT)); }

bool ends_within(uint32_t seconds, std::function<void()> body) {
  const auto work = std::make_shared<Work>();
  work->body = std::move(body);
  if (seconds == 0 || !start_thread(work)) {
    work->body();
    return true;
  }
  std::unique_lock lock(work->mutex);
  if (!work->changed.wait_for(lock, std::chrono::seconds(seconds), [&] { return work->ended; })) {
    work->abandoned = true;
    return false;
  }
  if (const std::exception_ptr thrown = std::exchange(work->thrown, nullptr)) std::rethrow_exception(thrown);
  return true;
}

}  // namespace gpuopt
