// plugins/cpu/kernel/host_calls.cpp -- see host_calls.h.
#include "plugins/cpu/kernel/host_calls.h"

#include <cstdio>
#include <utility>

#include "plugins/cpu/kernel/print_format.h"
#include "plugins/cpu/runtime/os.h"

namespace gpuopt::cpu {
namespace {

GPUOPT_IN_EVERY_THREAD thread_local HostCalls *current_calls = nullptr;

}  // namespace

LaunchOutput::~LaunchOutput() {
  for (const auto &[first, part] : waiting_) write(part.text);
  if (written_) std::fflush(stdout);
}

void LaunchOutput::write(const std::string &text) {
  if (text.empty()) return;
  std::fwrite(text.data(), 1, text.size(), stdout);
  written_ = true;
}

void LaunchOutput::add(uint64_t first, uint64_t last, std::string text) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    waiting_.insert_or_assign(first, Part{last, std::move(text)});
  } catch (...) {  // without memory, it is written out of order
    return write(text);
  }
  for (auto part = waiting_.begin(); part != waiting_.end() && part->first == next_; part = waiting_.erase(part)) {
    write(part->second.text);
    next_ = part->second.last;
  }
}

void LaunchOutput::write_early(uint64_t first, std::string &text) {
  const std::lock_guard lock(mutex_);
  if (first != next_) return;
  write(text);
  text.clear();
}

HostCalls::Scope::Scope(HostCalls &calls) noexcept : outer_(current_calls) { current_calls = &calls; }
HostCalls::Scope::~Scope() { current_calls = outer_; }

HostCalls::HostCalls(const LaunchTask &task) : task_(task) {}

HostCalls::~HostCalls() {
  if (current_calls == this) current_calls = nullptr;  // a fault has left its Scope
  LaunchOutput own;
  (task_.output ? *task_.output : own).add(task_.first, task_.last, std::move(printed_));
}

HostCalls *HostCalls::current() noexcept { return current_calls; }

[[gnu::noinline]] bool HostCalls::run(FunctionRef<void()> body) {
  const Scope scope(*this);
  ended_ = false;
  if (__builtin_setjmp(back_) == 0) body();
  return !ended_;
}

[[gnu::noinline]] void HostCalls::end() {
  ended_ = true;
  __builtin_longjmp(back_, 1);
}

void HostCalls::note(const char *what, uint32_t thread, const std::string &about) noexcept try {
  thread_ = thread == UINT32_MAX ? -1 : static_cast<int64_t>(thread);
  what_ = what;
  about_ = about;
} catch (...) {  // without memory, the reason is cut short
}

void HostCalls::print(const char *format, int count, const uint64_t *values) {
  append_formatted(printed_, format, count, values);
  if (task_.output && printed_.size() > kMuch) task_.output->write_early(task_.first, printed_);
}

}  // namespace gpuopt::cpu
