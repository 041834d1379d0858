// tests/fake_cuda/block_runner.cpp -- fibers, the points where they meet, and the way out of a kernel that faults.
#include "tests/fake_cuda/block_runner.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <vector>

#include "plugins/cpu/kernel/grid_wait.h"
#include "plugins/shared/host/barrier.h"
#include "tests/fake_cuda/sector_cache.h"

namespace fake_cuda {
namespace {

constexpr size_t kStack = size_t(256) << 10;
constexpr int kWarp = 32;
constexpr unsigned long kMostLooks = 1ul << 22;  // of threads, while nothing else happens

// __builtin_setjmp's buffer. Unlike sigsetjmp these are known to no sanitizer and cost nanoseconds.
using Jump = void *[5];

enum class Step { kReady, kWaiting, kEnded };

struct Fiber {
  Jump at;
  char *stack = nullptr;
  bool started = false;
  Step step = Step::kReady;
  int kind = 0;
  unsigned mask = 0;
  unsigned long word = 0;
  unsigned long lanes[kWarp];  // what the lanes of its warp brought
  const unsigned long *met = nullptr;
};

// The one kernel that runs; the driver's mutex is held.
struct Runner {
  const Run *run = nullptr;
  const Memory *memory = nullptr;
  std::vector<Fiber *> fibers;
  unsigned threads = 0;
  unsigned current = 0;
  unsigned long block_words[2][1024];
  int block_round = 0;
  Jump scheduler, way_out;
  Outcome outcome;
  int next_window = 0;
  SectorCache cache;
  unsigned long reads = 0;                            // that the cache has seen
  unsigned long looks = 0;                            // of threads that wait for others, since something happened
  gpuopt_kernel_launch launch;                        // of a user's kernel,
  std::unique_ptr<gpuopt::cpu::LaunchOutput> output;  // what it prints
  std::unique_ptr<gpuopt::cpu::BlockRun> users;       // whose threads these are,
  std::unique_ptr<gpuopt::cpu::GridWait> waiting;     // and the blocks that wait for each other
  volatile bool running = false;
  pthread_t thread;
  alignas(16) char rescue_stack[16384];
};
Runner &runner = *new Runner;  // never destroyed: the fibers are

[[noreturn, gnu::noinline]] void jump(Jump &to) { __builtin_longjmp(to, 1); }

// Leaves the calling fiber or scheduler for another one.
[[gnu::noinline]] void change(Jump &from, Jump &to) {
  if (__builtin_setjmp(from) == 0) jump(to);
}

[[noreturn, gnu::format(printf, 2, 3)]] void leave(CUresult code, const char *format, ...) {
  runner.outcome.code = code;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(runner.outcome.message, sizeof runner.outcome.message, format, arguments);
  va_end(arguments);
  jump(runner.way_out);
}

void set_thread(unsigned number) {
  const Run &run = *runner.run;
  runner.current = number;
  if (number < run.block[0]) {  // most blocks are a line; divisions take long
    run.indices->thread[0] = number;
    run.indices->thread[1] = run.indices->thread[2] = 0;
    return;
  }
  run.indices->thread[0] = number % run.block[0];
  run.indices->thread[1] = number / run.block[0] % run.block[1];
  run.indices->thread[2] = number / (run.block[0] * run.block[1]);
}

void outside(unsigned long address, unsigned long bytes) {
  const Window window = runner.memory->find(address, bytes);
  if (window.size == 0)
    leave(CUDA_ERROR_ILLEGAL_ADDRESS, "%lu bytes at 0x%lx, thread %u of block %u", bytes, address, runner.current,
          runner.run->indices->block[0]);
  KernelTable &table = kernel_table();
  if (!runner.cache) {
    table.windows[runner.next_window++ % KernelTable::kWindows] = window;
  } else if (table.reads != runner.reads) {  // no window is open: all loads and stores come here
    runner.reads = table.reads;
    runner.outcome.bytes_fetched += runner.cache.load(address, bytes);
  }
}

void misaligned(unsigned long address, unsigned long bytes) {
  leave(CUDA_ERROR_MISALIGNED_ADDRESS, "%lu bytes at 0x%lx, thread %u of block %u", bytes, address, runner.current,
        runner.run->indices->block[0]);
}

void beside_shared(unsigned long bytes, unsigned long distance, unsigned long size) {
  leave(CUDA_ERROR_ILLEGAL_ADDRESS, "%lu bytes at byte %lu of a __shared__ array of %lu bytes, thread %u of block %u",
        bytes, distance, size, runner.current, runner.run->indices->block[0]);
}

const unsigned long *meet(int kind, unsigned mask, unsigned long word) {
  Fiber &fiber = *runner.fibers[runner.current];
  fiber.kind = kind;
  fiber.mask = mask;
  fiber.word = word;
  fiber.step = Step::kWaiting;
  change(fiber.at, runner.scheduler);
  return fiber.met;
}

// A fiber serves one thread of one block after the other. Nothing lives across a change of stacks but `runner`.
void fiber_main() {
  for (;;) {
    runner.run->entry->call(runner.run->arguments);
    Fiber &fiber = *runner.fibers[runner.current];
    fiber.step = Step::kEnded;
    change(fiber.at, runner.scheduler);
  }
}

// The first time a fiber is entered. (The context it came from is never returned to.)
[[noreturn]] void enter(Fiber &fiber) {
  fiber.started = true;
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = fiber.stack;
  context.uc_stack.ss_size = kStack;
  context.uc_link = nullptr;
  makecontext(&context, fiber_main, 0);
  setcontext(&context);
  __builtin_unreachable();
}

[[gnu::noinline]] void resume(unsigned number) {
  Fiber &fiber = *runner.fibers[number];
  set_thread(number);
  kernel_table().stack = reinterpret_cast<unsigned long>(fiber.stack);
  kernel_table().stack_size = kStack;
  fiber.step = Step::kReady;
  if (__builtin_setjmp(runner.scheduler) != 0) return;
  if (!fiber.started) enter(fiber);
  jump(fiber.at);
}

void make_fibers(unsigned count) {
  while (runner.fibers.size() < count) {
    void *memory = mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) leave(CUDA_ERROR_OUT_OF_MEMORY, "no stacks for %u threads", count);
    mprotect(memory, 4096, PROT_NONE);
    runner.fibers.push_back(new Fiber);
    runner.fibers.back()->stack = static_cast<char *>(memory);
  }
}

bool waits(unsigned thread, int kind, unsigned mask) {
  const Fiber &fiber = *runner.fibers[thread];
  return fiber.step == Step::kWaiting && fiber.kind == kind && fiber.mask == mask;
}

void let_go(Fiber &fiber, const unsigned long *words) {
  fiber.met = words;
  fiber.step = Step::kReady;
}

// Lets the lanes go that wait for the same as lane `thread`, if all of its mask do.
bool resolve_warp(unsigned thread) {
  const unsigned first = thread / kWarp * kWarp;
  const Fiber &fiber = *runner.fibers[thread];
  const int kind = fiber.kind;
  const unsigned mask = fiber.mask;
  if (!(mask >> (thread - first) & 1)) leave(CUDA_ERROR_LAUNCH_FAILED, "thread %u is not of its own mask", thread);
  unsigned long words[kWarp] = {};
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    if (!(mask >> lane & 1)) continue;
    if (first + lane >= runner.threads || !waits(first + lane, kind, mask)) return false;
    words[lane] = runner.fibers[first + lane]->word;
  }
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    if (!(mask >> lane & 1)) continue;
    Fiber &other = *runner.fibers[first + lane];
    std::memcpy(other.lanes, words, sizeof words);
    let_go(other, other.lanes);
  }
  return true;
}

bool resolve_block() {
  for (unsigned t = 0; t < runner.threads; ++t)
    if (!waits(t, kBlockBarrier, 0)) return false;
  unsigned long *words = runner.block_words[runner.block_round++ & 1];
  for (unsigned t = 0; t < runner.threads; ++t) words[t] = runner.fibers[t]->word;
  for (unsigned t = 0; t < runner.threads; ++t) let_go(*runner.fibers[t], words);
  return true;
}

const char *doing(const Fiber &fiber) {
  static const char *const names[] = {"", "__syncthreads", "__syncwarp", "a shuffle", "a vote"};
  return fiber.step == Step::kEnded ? "has ended" : names[fiber.kind];
}

// Nobody can go on: two threads that are not at the same point tell of it.
[[noreturn]] void report_divergence() {
  unsigned waiting = 0, other = 0;
  while (runner.fibers[waiting]->step != Step::kWaiting) ++waiting;
  const Fiber &fiber = *runner.fibers[waiting];
  const bool block = fiber.kind == kBlockBarrier;
  const unsigned first = block ? 0 : waiting / kWarp * kWarp;
  const unsigned last = block ? runner.threads : first + kWarp;
  for (unsigned t = first; t < last; ++t)
    if ((block || fiber.mask >> (t - first) & 1) && (t >= runner.threads || !waits(t, fiber.kind, fiber.mask)))
      other = t;
  leave(CUDA_ERROR_LAUNCH_FAILED, "divergence: thread %u waits at %s, mask %08x, where thread %u %s%s", waiting,
        doing(fiber), fiber.mask, other, other < runner.threads ? "is not: " : "does not exist",
        other < runner.threads ? doing(*runner.fibers[other]) : "");
}

// One turn of every thread that can run; the order changes from turn to turn, so that none is relied on.
unsigned run_ready(int turn) {
  unsigned ended = 0;
  for (unsigned i = 0; i < runner.threads; ++i) {
    const unsigned t = turn & 1 ? runner.threads - 1 - i : i;
    if (runner.fibers[t]->step == Step::kReady) resume(t);
    ended += runner.fibers[t]->step == Step::kEnded;
  }
  return ended;
}

// Who waits for itself alone lets others run, and looks again whether they have come (plugins/shared/words/async.h).
bool looks_again(const Fiber &fiber) {
  return fiber.step == Step::kWaiting && fiber.kind == kWarpBarrier && (fiber.mask & (fiber.mask - 1)) == 0;
}

// Whether some thread did more in this turn than to look again.
bool let_warps_go() {
  bool more = false;
  for (unsigned t = 0; t < runner.threads; ++t) {
    const Fiber &fiber = *runner.fibers[t];
    if (looks_again(fiber)) {
      ++runner.looks;
      resolve_warp(t);
      continue;
    }
    if (fiber.step == Step::kWaiting && fiber.kind != kBlockBarrier) more |= resolve_warp(t);
    more |= fiber.step == Step::kReady;
  }
  return more;
}

void run_block_of_fibers() {
  for (unsigned t = 0; t < runner.threads; ++t) runner.fibers[t]->step = Step::kReady;
  unsigned ended = 0;
  runner.looks = 0;
  for (int turn = int(runner.run->indices->block[0]);; ++turn) {
    const unsigned ended_now = run_ready(turn);
    if (ended_now == runner.threads) return;
    const unsigned long looks = runner.looks;
    const bool opened = resolve_block(), more = let_warps_go();
    if (opened || more || ended_now != ended) {
      runner.looks = 0;
    } else if (runner.looks == looks) {
      report_divergence();
    } else if (runner.looks > kMostLooks) {
      leave(CUDA_ERROR_LAUNCH_FAILED, "deadlock: threads look without end whether others have come");
    }
    ended = ended_now;
  }
}

void run_block_in_turn() {
  for (unsigned t = 0; t < runner.threads; ++t) {
    set_thread(t);
    runner.run->entry->call(runner.run->arguments);
  }
}

// Says what a device-side assertion is about, as the driver does.
void report_assertion(const std::string &text) {
  runner.outcome.code = CUDA_ERROR_ASSERT;
  std::fprintf(stderr, "%s\n", text.c_str());
}

// Runs all blocks, one after the other, each to its end or until it waits for the grid. A fault leaves this by a jump:
// what it holds is the runner's.
void run_users_blocks(unsigned long blocks) {
  const Run &run = *runner.run;
  runner.users.reset();
  runner.output = std::make_unique<gpuopt::cpu::LaunchOutput>();
  runner.waiting = std::make_unique<gpuopt::cpu::GridWait>(runner.launch);
  for (unsigned long number = 0; number < blocks; ++number) {
    if (!runner.users)
      runner.users =
          std::make_unique<gpuopt::cpu::BlockRun>(*run.raw, runner.launch, run.arguments, nullptr,
                                                  gpuopt::cpu::LaunchTask{runner.output.get(), number, blocks});
    if (runner.users->run(number)) continue;
    runner.users->calls().end_at(number + 1);
    runner.waiting->add(std::move(runner.users));
  }
  while (const unsigned long count = runner.waiting->begin_round())
    for (unsigned long k = 0; k < count; ++k)
      if (runner.waiting->block(k).go_on()) runner.waiting->end(k);
}

// False with the reason in the outcome.
bool run_users_blocks() {
  const Run &run = *runner.run;
  gpuopt_kernel_launch &launch = runner.launch = {};
  std::memcpy(launch.grid, run.grid, sizeof launch.grid);
  std::memcpy(launch.block, run.block, sizeof launch.block);
  launch.shared_bytes = run.shared_bytes;
  const unsigned long blocks = (unsigned long)(run.grid[0]) * run.grid[1] * run.grid[2];
  try {
    run_users_blocks(blocks);
    return true;
  } catch (const gpuopt::plugin::Failure &e) {
    if (e.message.rfind("assertion failed", 0) == 0) report_assertion(e.message);
    std::snprintf(runner.outcome.message, sizeof runner.outcome.message, "%s", e.message.c_str());
  } catch (const std::exception &e) {
    std::snprintf(runner.outcome.message, sizeof runner.outcome.message, "%s", e.what());
  }
  return false;
}

void run_blocks() {
  const Run &run = *runner.run;
  if (run.raw) {
    if (!run_users_blocks() && runner.outcome.code == CUDA_SUCCESS) runner.outcome.code = CUDA_ERROR_LAUNCH_FAILED;
    return;
  }
  if (run.meets) make_fibers(runner.threads);
  unsigned *at = run.indices->block;
  for (at[2] = 0; at[2] < run.grid[2]; ++at[2])
    for (at[1] = 0; at[1] < run.grid[1]; ++at[1])
      for (at[0] = 0; at[0] < run.grid[0]; ++at[0]) {
        run.library->poison();
        run.meets ? run_block_of_fibers() : run_block_in_turn();
      }
}

void after_signal() { jump(runner.way_out); }

struct sigaction old_actions[65];
const int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

// Makes the interrupted kernel go on in after_signal, on a stack of its own.
void redirect(ucontext_t *context) {
  const auto stack = reinterpret_cast<unsigned long>(runner.rescue_stack + sizeof runner.rescue_stack);
#if defined(__x86_64__)
  context->uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(stack - 8);
  context->uc_mcontext.gregs[REG_RIP] = reinterpret_cast<greg_t>(&after_signal);
#elif defined(__aarch64__)
  context->uc_mcontext.sp = stack;
  context->uc_mcontext.pc = reinterpret_cast<unsigned long>(&after_signal);
#else
#error "the fake driver does not know this processor's registers"
#endif
}

void on_signal(int number, siginfo_t *info, void *context) {
  if (!runner.running || !pthread_equal(runner.thread, pthread_self())) {
    sigaction(number, &old_actions[number], nullptr);  // happens again, for whoever was there before
    return;
  }
  const auto address = reinterpret_cast<unsigned long>(info->si_addr);
  if (number == SIGSEGV) {
    const Window window = runner.memory->find(address, 1);
    if (window.size != 0) return;  // an access without a hook: it is open now
  }
  runner.outcome.code = number == SIGSEGV || number == SIGBUS ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_ERROR_LAUNCH_FAILED;
  std::snprintf(runner.outcome.message, sizeof runner.outcome.message, "signal %d at 0x%lx, thread %u of block %u",
                number, address, runner.current, runner.run->indices->block[0]);
  redirect(static_cast<ucontext_t *>(context));
}

void catch_signals() {
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int number : kSignals) {
    struct sigaction now;
    sigaction(number, nullptr, &now);
    if (now.sa_sigaction == on_signal) continue;
    sigaction(number, &action, &old_actions[number]);
  }
}

// A stack that ran over leaves no room for the handler.
void need_signal_stack() {
  static thread_local char *memory = nullptr;
  stack_t now;
  if (memory || (sigaltstack(nullptr, &now) == 0 && !(now.ss_flags & SS_DISABLE))) return;
  memory = new char[65536];
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = 65536;
  sigaltstack(&stack, nullptr);
}

// Found once per thread: the system reads a list of all mappings to tell, of which there are thousands here.
void own_stack() {
  static thread_local void *low = nullptr;
  static thread_local size_t bytes = 0;
  pthread_attr_t attributes;
  if (!low && pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
  }
  kernel_table().stack = reinterpret_cast<unsigned long>(low);
  kernel_table().stack_size = bytes;
}

[[gnu::noinline]] void guarded() {
  if (__builtin_setjmp(runner.way_out) != 0) {
    for (Fiber *fiber : runner.fibers) fiber->started = false;  // they stand inside the kernel that failed
    return;
  }
  runner.running = true;
  run_blocks();
}

void begin(const Run &run, const Memory &memory) {
  KernelTable &table = kernel_table();
  table = {};
  table.outside = outside;
  table.misaligned = misaligned;
  table.beside_shared = beside_shared;
  table.meet = meet;
  runner.run = &run;
  runner.memory = &memory;
  runner.threads = run.block[0] * run.block[1] * run.block[2];
  runner.outcome = {};
  runner.cache.reset(run.cache_bytes);
  runner.reads = 0;
  runner.thread = pthread_self();
  for (int d = 0; d < 3; ++d) {
    run.indices->block_dim[d] = run.block[d];
    run.indices->grid_dim[d] = run.grid[d];
  }
  own_stack();
}

}  // namespace

KernelTable &kernel_table() {
  static KernelTable table;
  return table;
}

Outcome run_kernel(const Run &run, const Memory &memory) {
  begin(run, memory);
  need_signal_stack();
  catch_signals();
  guarded();
  runner.running = false;
  runner.users.reset();
  runner.output.reset();
  return runner.outcome;
}

}  // namespace fake_cuda
