// plugins/cpu/program/tier_up.cpp -- see tier_up.h.
//
// One background thread compiles, and ends when the queue is empty. fork() waits for the compilation in progress, so
// that the child does not inherit a compiler that has stopped halfway, and cancels it if it takes long, as the compiler
// gets only the time that the program leaves. The child starts a thread of its own when it has something to compile.
// The host lets no slot of this backend run while the process is copied (gpuopt_plugin.h). The fork handlers here run
// before the host waits for those slots, and do not lock `mutex`: a slot that needs it could not end, and the host
// would wait in vain.
#include "plugins/cpu/program/tier_up.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "plugins/cpu/code/jit.h"
#include "plugins/cpu/code/jit_compiler.h"
#include "plugins/cpu/program/program_plan.h"
#include "plugins/cpu/program/tier_text.h"
#include "plugins/cpu/runtime/fpu.h"
#include "plugins/cpu/runtime/host.h"
#include "plugins/cpu/runtime/os.h"
#include "plugins/shared/host/barrier.h"
#include "plugins/shared/host/setting_values.h"

namespace gpuopt::cpu {
namespace {

// Estimated nanoseconds of work on one thread after which it pays to look in the disk cache (about 0.1 ms), and to
// compile (some tens of milliseconds).
constexpr double kLookUpWork = 1e6, kCompileWork = 20e6;
constexpr size_t kMostTiers = 512, kMostWaiting = 32;

enum class Wish { kOn, kNow, kOff };  // in the order of the setting's words

bool policy_is(const char *word) { return plugin::setting_is(Setting::GPUOPT_JIT_POLICY, word); }

Wish wish() {
  if (policy_is("off")) return Wish::kOff;
  return static_cast<Wish>(plugin::setting_word(Setting::GPUOPT_CPU_TIER_UP).value_or(0));
}

// Set once there is no compiler, or the system does not allow new code to run. The compiler is not asked again.
std::atomic<bool> g_no_compiler{false};

double work_of(const Plan &plan, int64_t elements) {
  double cost = 0;
  for (const Pass &pass : plan.full_passes) cost += pass.cost;
  return cost * static_cast<double>(elements);
}

struct Job {
  std::shared_ptr<Tier> tier;
  std::string text;
  int level = 0;
};

// The state that all threads share.
struct Shared {
  std::mutex working;                // held while a job is taken from the queue and compiled
  std::atomic<bool> cancels{false};  // a fork does not wait for the compilation any longer
  std::mutex mutex;                  // protects the members below; locked after `working`
  std::deque<Job> waiting;
  bool thread_runs = false;
  std::map<std::string, std::shared_ptr<Tier>> tiers;  // by identity_of() their plans
};

void before_fork();
void parent_after_fork();
void child_after_fork();

// Never destroyed, since the thread may outlive main.
Shared &shared() {
  static Shared *const kept = [] {
    auto *const made = new Shared;
    on_fork(before_fork, parent_after_fork, child_after_fork);
    return made;
  }();
  return *kept;
}

// After the first of these times a fork cancels the compilation, after the second it no longer waits for its end.
constexpr std::chrono::milliseconds kPatience{200};
constexpr std::chrono::seconds kLongestWait{30};
// Whether this thread holds `working` while it forks. Each thread has its own, since several may fork at the same time.
GPUOPT_IN_EVERY_THREAD constinit thread_local bool nobody_works = false;

void before_fork() {
  Shared &all = shared();
  const auto begin = std::chrono::steady_clock::now();
  while (!(nobody_works = all.working.try_lock())) {
    const auto waited = std::chrono::steady_clock::now() - begin;
    if (waited > kLongestWait) break;
    if (waited > kPatience) all.cancels.store(true);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}
void parent_after_fork() {
  if (nobody_works) shared().working.unlock();
}
void child_after_fork() {
  Shared &all = shared();
  for (const Job &job : all.waiting) job.tier->ask_again_later();
  all.waiting.clear();
  all.thread_runs = false;
  all.cancels.store(false);
  if (nobody_works) return all.working.unlock();
  new (&all.working) std::mutex;  // the old one is held by the parent's thread
  abandon_compiler();
}

// A compilation that has not ended after so long may have got no time at all. It is begun again at a low priority, by
// which it gets some beside threads that never rest.
constexpr std::chrono::seconds kIdlePatience{5};

void compile_unawaited(const Job &job) {
  const auto forks = [] { return shared().cancels.load(); };
  const auto end = std::chrono::steady_clock::now() + kIdlePatience;
  const auto is_late = [&] { return forks() || std::chrono::steady_clock::now() > end; };
  if (job.tier->compile(job.text, job.level, is_late, Urgency::kIdle)) return;
  if (forks() || !job.tier->compile(job.text, job.level, forks, Urgency::kLow)) job.tier->ask_again_later();
}

// Compiles the first job of the queue. Returns false if there was none; the thread must end then.
bool compile_next() {
  Shared &all = shared();
  const std::lock_guard working(all.working);
  Job job;
  {
    const std::lock_guard lock(all.mutex);
    if (all.waiting.empty()) {
      all.thread_runs = false;
      return false;
    }
    job = std::move(all.waiting.front());
    all.waiting.pop_front();
  }
  all.cancels.store(false);  // a fork that still waits says so again
  if (!g_no_compiler.load()) compile_unawaited(job);
  return true;
}

void compile_all(void *) {
  const FpuScope fpu;  // a new thread inherits the control word of the thread that started it
  while (compile_next()) {
  }
}

// Queues a job and makes sure that the thread runs. Returns false if the queue is full or no thread can be started.
bool enqueue(Job job) {
  Shared &all = shared();
  const std::lock_guard lock(all.mutex);
  if (all.waiting.size() >= kMostWaiting) return false;
  all.waiting.push_back(std::move(job));
  if (!all.thread_runs) all.thread_runs = start_thread(compile_all, nullptr);
  if (!all.thread_runs) all.waiting.pop_back();
  return all.thread_runs;
}

// Returns what distinguishes programs: their steps, and how they are compiled.
std::string identity_of(const Plan &plan, bool at_once, bool compiles) {
  const int32_t numbers[] = {plan.level, plan.ninputs, plan.noutputs, plan.nconstants, at_once, compiles};
  std::string bytes(reinterpret_cast<const char *>(numbers), sizeof numbers);
  return bytes.append(reinterpret_cast<const char *>(plan.steps.data()), plan.steps.size() * sizeof(gpuopt_step));
}

void stays_interpreted(const char *why, gpuopt_reason reason = GPUOPT_REASON_NONE) noexcept try {
  warn_once("cpu.tier_up", kTierKernel, (std::string("a program stays interpreted: ") + why).c_str(), reason);
} catch (const std::bad_alloc &) {
  warn_once("cpu.tier_up", kTierKernel, "a program stays interpreted, and there is no memory to say why", reason);
}

// Logged at level INFO and not as a warning, since the compiler is optional.
void all_stay_interpreted(const char *why) noexcept try {
  if (!g_no_compiler.exchange(true))
    log(GPUOPT_LOG_INFO, "cpu.tier_up", (std::string("programs stay interpreted: ") + why).c_str());
} catch (const std::bad_alloc &) {
  log(GPUOPT_LOG_INFO, "cpu.tier_up", "programs stay interpreted");
}

void tell_what_is_kept(TierChoice &choice, int64_t elements) noexcept {
  const bool interpreted = choice.kept(elements) == TierChoice::Kept::kInterpreted;
  char line[160];
  std::snprintf(line, sizeof line, "%s is kept: %.3g ns an element instead of %.3g, of about %lld",
                interpreted ? "the interpreter" : "a program's code", choice.best(!interpreted, elements),
                choice.best(interpreted, elements), static_cast<long long>(elements));
  log(GPUOPT_LOG_DEBUG, "cpu.tier_up", line);
}

}  // namespace

TierCode::TierCode(std::unique_ptr<ObjectCode> code)
    : code_(std::move(code)), run_(reinterpret_cast<decltype(run_)>(code_->find("gpuopt_entry"))) {
  if (!run_) throw std::runtime_error("its code has no gpuopt_entry");
}

void Tier::set(std::unique_ptr<ObjectCode> code) {
  auto made = std::make_unique<const TierCode>(std::move(code));
  const TierCode *none = nullptr;
  if (code_.compare_exchange_strong(none, made.get(), std::memory_order_acq_rel)) (void)made.release();
}

void Tier::look_up(const Plan &plan) {
  std::unique_ptr<ObjectCode> found = cached_kernel(kTierKernel, tier_text(plan), plan.level);
  if (!found) return;
  set(std::move(found));
  log(GPUOPT_LOG_DEBUG, "cpu.tier_up", "a program's code is from the cache");
}

bool Tier::compile(const std::string &text, int level, const Stopped &stopped, Urgency urgency) noexcept try {
  const auto start = std::chrono::steady_clock::now();
  set(compile_program(kTierKernel, text, level, stopped, urgency));
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  log(GPUOPT_LOG_DEBUG, "cpu.tier_up", ("a program is compiled, in " + std::to_string(took.count()) + " ms").c_str());
  return true;
} catch (const plugin::Failure &failure) {
  if (failure.code == GPUOPT_ERR_CANCELLED) return false;
  const char *const why = failure.message.c_str();
  failure.code == GPUOPT_ERR_JIT_UNAVAILABLE ? all_stay_interpreted(why) : stays_interpreted(why, failure.reason);
  return true;
} catch (const std::exception &failure) {
  stays_interpreted(failure.what());
  return true;
}

void Tier::ask_compiler(const Plan &plan) {
  if (at_once_) {
    compile(tier_text(plan), plan.level, {}, Urgency::kAwaited);
  } else if (!enqueue({plan.tier, tier_text(plan), plan.level})) {
    ask_again_later();
  }
}

const TierCode *Tier::code_for(const Plan &plan, int64_t elements) noexcept try {
  if (const TierCode *const ready = code_.load(std::memory_order_acquire)) return ready;
  if (state_.load(std::memory_order_relaxed) == kAsked) return nullptr;
  const double more = work_of(plan, elements);
  const double work = work_.fetch_add(more, std::memory_order_relaxed) + more;
  if ((work >= kLookUpWork || at_once_) && advance(kCold, kLookedUp)) look_up(plan);
  const bool hot = (work >= kCompileWork || at_once_) && !code_.load() && advance(kLookedUp, kAsked);
  if (hot && compiles_ && !g_no_compiler.load(std::memory_order_relaxed)) ask_compiler(plan);
  return code_.load(std::memory_order_acquire);
} catch (const std::bad_alloc &) {  // a later run tries again
  state_.store(kCold);
  return nullptr;
} catch (const std::exception &failure) {  // the cache entry cannot be used
  state_.store(kAsked);
  stays_interpreted(failure.what());
  return nullptr;
}

TierChoice::Trial Tier::trial(int64_t elements) noexcept {
  GPUOPT_IN_EVERY_THREAD static constinit thread_local uint32_t runs = 0;
  if (at_once_) return {true, false};
  if (++runs >= TierChoice::kRunsBetween) {
    runs = 0;
    choice_.ask_again(elements);
  }
  return choice_.next(elements);
}

void Tier::took(TierChoice::Trial trial, int64_t elements, int64_t nanoseconds) noexcept {
  if (choice_.took(trial, elements, nanoseconds)) tell_what_is_kept(choice_, elements);
}

TierRun::TierRun(const Plan &plan, int64_t elements) noexcept : tier_(plan.tier.get()), elements_(elements) {
  const TierCode *const ready = tier_ ? tier_->code_for(plan, elements) : nullptr;
  if (!ready) return;
  trial_ = tier_->trial(elements);
  if (trial_.compiled) code_ = ready;
  if (trial_.timed) begin_ = std::chrono::steady_clock::now();
}

void TierRun::ends() noexcept {
  if (!trial_.timed) return;
  const auto took = std::chrono::steady_clock::now() - begin_;
  tier_->took(trial_, elements_, std::chrono::duration_cast<std::chrono::nanoseconds>(took).count());
}

std::shared_ptr<Tier> tier_of(const Plan &plan) {
  if (plan.nentries == 0) return nullptr;
  const Wish wanted = wish();
  if (wanted == Wish::kOff) return nullptr;
  const bool at_once = wanted == Wish::kNow, compiles = !policy_is("cache_only");
  Shared &all = shared();
  const std::lock_guard lock(all.mutex);
  if (all.tiers.size() >= kMostTiers) all.tiers.clear();  // plans keep their tiers alive
  std::shared_ptr<Tier> &tier = all.tiers[identity_of(plan, at_once, compiles)];
  if (!tier) tier = std::make_shared<Tier>(at_once, compiles);
  return tier;
}

}  // namespace gpuopt::cpu
