// plugins/cpu/code/fault_guard_posix.cpp -- see fault_guard.h.
//
// The handler may run in any thread of the program, so that it cannot use thread-local variables, whose memory is
// allocated at their first use. It looks for its thread in a list that only grows, whose entries are reused by later
// threads.
#if !defined(_WIN32)
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <cstring>
#include <iterator>
#include <new>

#include "plugins/cpu/code/fault_guard.h"
#include "plugins/cpu/runtime/host.h"
#include "plugins/cpu/runtime/os.h"
#include "plugins/shared/host/setting_values.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define GPUOPT_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GPUOPT_SANITIZED 1
#endif
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__)) && !defined(GPUOPT_SANITIZED)
#define GPUOPT_CATCHES_FAULTS 1
#include <ucontext.h>
#endif

namespace gpuopt::cpu {

#if defined(GPUOPT_CATCHES_FAULTS)
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE};
constexpr size_t kStackBytes = 4 * kLargestPage;  // of the handler
constexpr size_t kNearStack = size_t{1} << 20;    // a fault so near to the stack pointer is a stack overflow

// One call of run_watched().
struct Watch {
  std::span<const char> code;
  bool leaf = false;
  Watch *outer = nullptr;
  sigset_t mask;  // the signal mask of the thread at the fault
  Fault fault;
  sigjmp_buf back;
};

struct Entry {
  std::atomic<bool> taken{true};
  std::atomic<pthread_t> thread{};
  std::atomic<Watch *> watch{nullptr};
  Entry *next = nullptr;
};
std::atomic<Entry *> entries{nullptr};

struct sigaction previous[std::size(kSignals)];

// The state of the processor at the fault.
struct Machine {
  uintptr_t pc, sp;
  Fault::Access access;
};

#if defined(__x86_64__)
Machine machine_of(const ucontext_t &context) {
  constexpr greg_t kWritesBit = 2;  // of a page fault's error code
  const greg_t *const registers = context.uc_mcontext.gregs;
  return {static_cast<uintptr_t>(registers[REG_RIP]), static_cast<uintptr_t>(registers[REG_RSP]),
          registers[REG_ERR] & kWritesBit ? Fault::kWrite : Fault::kRead};
}

// The return address of a function of which no instruction has run yet: a call has pushed it.
uintptr_t return_address(const ucontext_t &context) {
  return *reinterpret_cast<const uintptr_t *>(context.uc_mcontext.gregs[REG_RSP]);
}
#else
// The exception syndrome is one of the records behind the registers (struct esr_context of Linux).
Fault::Access access_of(const unsigned char *records, size_t bytes) {
  constexpr uint32_t kSyndrome = 0x45535201;
  constexpr uint64_t kWritesBit = uint64_t{1} << 6;
  for (size_t at = 0; at + 16 <= bytes;) {
    uint32_t head[2];
    std::memcpy(head, records + at, sizeof head);
    if (head[0] == kSyndrome) {
      uint64_t syndrome;
      std::memcpy(&syndrome, records + at + sizeof head, sizeof syndrome);
      return syndrome & kWritesBit ? Fault::kWrite : Fault::kRead;
    }
    if (head[1] == 0) break;
    at += head[1];
  }
  return Fault::kUnknown;
}

Machine machine_of(const ucontext_t &context) {
  const mcontext_t &m = context.uc_mcontext;
  return {m.pc, m.sp, access_of(m.__reserved, sizeof m.__reserved)};
}

// The return address of a function of which no instruction has run yet: it is in the link register.
uintptr_t return_address(const ucontext_t &context) { return context.uc_mcontext.regs[30]; }
#endif

// Whether the processor could not fetch an instruction. Then it has just jumped to that address, and the stack pointer
// is one that could be used.
bool is_fetch(int signal, const siginfo_t &info, const Machine &machine) {
  return (signal == SIGSEGV || signal == SIGBUS) && info.si_code != SI_KERNEL &&
         reinterpret_cast<uintptr_t>(info.si_addr) == machine.pc;
}

Fault fault_of(int signal, const siginfo_t &info, const Machine &machine) {
  if (signal == SIGFPE) return {Fault::kArithmetic};
  if (signal == SIGILL || signal == SIGTRAP) return {Fault::kTrap};
  if (info.si_code == SI_KERNEL) return {Fault::kAnyAddress};
  const auto address = reinterpret_cast<uintptr_t>(info.si_addr);
  const uintptr_t distance = std::max(address, machine.sp) - std::min(address, machine.sp);
  if (distance < kNearStack) return {Fault::kStack};
  return {Fault::kAddress, machine.access, address};
}

Entry *entry_of(pthread_t thread) {
  for (Entry *entry = entries.load(std::memory_order_acquire); entry; entry = entry->next) {
    if (entry->taken.load(std::memory_order_acquire) && pthread_equal(entry->thread.load(), thread)) return entry;
  }
  return nullptr;
}

bool is_within(std::span<const char> code, uintptr_t address) {
  const auto begin = reinterpret_cast<uintptr_t>(code.data());
  return address >= begin && address - begin < code.size();
}

// Handles a signal as it would have been without our handler.
void hand_on(int signal, siginfo_t *info, void *context) {
  const auto number = std::find(std::begin(kSignals), std::end(kSignals), signal) - std::begin(kSignals);
  const struct sigaction &before = previous[number];
  const bool simple = !(before.sa_flags & SA_SIGINFO);
  const bool sent = info->si_code <= 0;  // by kill(), so that it is not raised again when the handler returns
  if (simple && before.sa_handler == SIG_IGN && sent) return;
  if (simple && (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN)) {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    sigaction(signal, &standard, nullptr);
    if (sent) raise(signal);
    return;
  }
  sigset_t mask = before.sa_mask;
  pthread_sigmask(SIG_BLOCK, &mask, nullptr);
  if (before.sa_flags & SA_NODEFER) {
    sigemptyset(&mask);
    sigaddset(&mask, signal);
    pthread_sigmask(SIG_UNBLOCK, &mask, nullptr);
  }
  simple ? before.sa_handler(signal) : before.sa_sigaction(signal, info, context);
}

// The fault, if it is one of the code that is watched; kNone if it is not.
Fault own_fault(const Watch &watch, int signal, const siginfo_t &info, const ucontext_t &context) {
  const Machine machine = machine_of(context);
  if (watch.leaf || is_within(watch.code, machine.pc)) return fault_of(signal, info, machine);
  if (is_fetch(signal, info, machine) && is_within(watch.code, return_address(context)))
    return {Fault::kCall, Fault::kUnknown, machine.pc};
  return {};
}

void on_signal(int signal, siginfo_t *info, void *context) {
  Entry *const entry = entry_of(pthread_self());
  Watch *const watch = entry ? entry->watch.load() : nullptr;
  const auto &interrupted = *static_cast<const ucontext_t *>(context);
  const bool sent = info->si_code <= 0;
  const Fault fault = watch && !sent ? own_fault(*watch, signal, *info, interrupted) : Fault{};
  if (fault.kind == Fault::kNone) return hand_on(signal, info, context);
  watch->fault = fault;
  watch->mask = interrupted.uc_sigmask;
  siglongjmp(watch->back, 1);
}

bool install() {
  if (plugin::setting_is(Setting::GPUOPT_CPU_FAULTS, "off")) return false;
  struct sigaction ours {};
  ours.sa_sigaction = on_signal;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  for (size_t k = 0; k < std::size(kSignals); k++) {
    sigaction(kSignals[k], nullptr, &previous[k]);  // to be known before our handler can run
    sigaction(kSignals[k], &ours, &previous[k]);
  }
  return true;
}

// There is no lock, which a child of fork() might find held. A thread that calls this while another one installs the
// handler is not watched yet.
enum State : int { kFresh, kInstalling, kCatches, kDoesNot };
State state() {
  static std::atomic<State> known{kFresh};
  State now = known.load(std::memory_order_acquire);
  if (now == kFresh && known.compare_exchange_strong(now, kInstalling)) {
    now = install() ? kCatches : kDoesNot;
    known.store(now, std::memory_order_release);
  }
  return now;
}

// A stack for the handler, as the thread's own may have overflowed. If the program has given this thread one, that is
// used.
class SignalStack {
 public:
  SignalStack() noexcept {
    stack_t now{};
    if (sigaltstack(nullptr, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;
    memory_ = map_pages(kStackBytes, kLargestPage);
    stack_t ours{};
    ours.ss_sp = memory_;
    ours.ss_size = kStackBytes;
    if (memory_) sigaltstack(&ours, nullptr);
  }
  ~SignalStack() {
    if (!memory_) return;
    stack_t now{};
    if (sigaltstack(nullptr, &now) == 0 && now.ss_sp == memory_) {
      stack_t none{};
      none.ss_flags = SS_DISABLE;
      sigaltstack(&none, nullptr);
    }
    unmap_pages(memory_, kStackBytes);
  }
  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;

 private:
  void *memory_ = nullptr;
};

// The entry by which the handler finds this thread.
class ThreadEntry {
 public:
  ThreadEntry() noexcept : entry_(claimed()) {
    if (!entry_) return;
    entry_->watch = nullptr;
    entry_->thread = pthread_self();
  }
  ~ThreadEntry() {
    if (entry_) entry_->taken.store(false, std::memory_order_release);
  }
  ThreadEntry(const ThreadEntry &) = delete;
  ThreadEntry &operator=(const ThreadEntry &) = delete;
  Entry *get() const { return entry_; }

 private:
  // Takes an entry of a thread that has ended, or makes a new one.
  static Entry *claimed() noexcept {
    for (Entry *entry = entries.load(std::memory_order_acquire); entry; entry = entry->next) {
      bool taken = false;
      if (entry->taken.compare_exchange_strong(taken, true)) return entry;
    }
    auto *const made = new (std::nothrow) Entry;
    if (!made) return nullptr;
    made->next = entries.load();
    while (!entries.compare_exchange_weak(made->next, made)) {
    }
    return made;
  }

  const SignalStack stack_;
  Entry *const entry_;
};

// A pointer has no destructor, which might run before those of other objects that still launch kernels (thread_kept.h).
GPUOPT_IN_EVERY_THREAD constinit thread_local ThreadEntry *t_own = nullptr;

// Runs when the thread ends, after the destructors of its thread_local objects.
void leave(void *entry) noexcept {
  t_own = nullptr;
  delete static_cast<ThreadEntry *>(entry);
}

// The key whose value is this thread's entry. If there are no more keys, the entry is never released.
struct Key {
  Key() noexcept : made(pthread_key_create(&key, leave) == 0) {}
  pthread_key_t key = 0;
  const bool made;
};

Entry *own_entry() {
  static const Key key;
  if (!t_own) {
    t_own = new (std::nothrow) ThreadEntry;
    if (t_own && key.made) pthread_setspecific(key.key, t_own);
  }
  return t_own ? t_own->get() : nullptr;
}

}  // namespace

bool catches_faults() { return state() == kCatches; }

Fault run_watched(std::span<const char> code, FunctionRef<void()> body) {
  Entry *const entry = catches_faults() ? own_entry() : nullptr;
  if (!entry) return body(), Fault{};
  Watch watch;
  watch.code = code;
  watch.outer = entry->watch.load(std::memory_order_relaxed);
  if (sigsetjmp(watch.back, 0) == 0) {
    entry->watch.store(&watch);
    set_leaf_flag(&watch.leaf);
    body();
  } else {
    pthread_sigmask(SIG_SETMASK, &watch.mask, nullptr);
  }
  set_leaf_flag(watch.outer ? &watch.outer->leaf : nullptr);
  entry->watch.store(watch.outer);
  return watch.fault;
}

#else

bool catches_faults() { return false; }

Fault run_watched(std::span<const char>, FunctionRef<void()> body) {
  body();
  return {};
}

#endif

}  // namespace gpuopt::cpu

#endif
