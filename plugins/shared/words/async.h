// plugins/shared/words/async.h -- cuda::barrier, cuda::latch, cuda::counting_semaphore, cuda::pipeline and
// cuda::memcpy_async for kernels, std's names of the first three, and the functions __pipeline_* of cuda_pipeline.h
//
// Copies are done when the function that asks for them returns, and what waits for them orders memory alone. Barriers
// are counters in the memory of their object, and a thread that waits lets the others run: between two looks at the
// counter it waits for its own lane, which on the CPU ends the thread's turn.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_ASYNC_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_ASYNC_H_

#include "plugins/shared/words/atomic.h"
#include "plugins/shared/words/bits.h"
#include "plugins/shared/words/words.h"

namespace gpo {
namespace words {

GPO_WORD_FN void let_others_run() {
#if defined(GPO_HOST_KERNELS)
  const unsigned number = gpuopt_thread()->number;
  gpuopt_thread()->polls = 1;  // by which the backend sees that all threads of a block do nothing else
#else
  const unsigned number = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
#endif
  __syncwarp(1u << number % 32);
}
GPO_WORD_FN unsigned current(const unsigned &x) { return *const_cast<const volatile unsigned *>(&x); }

// Words of 16 or 4 bytes where addresses and size allow it. Each of `threads` threads copies a part.
template <class Word>
GPO_WORD_FN void copy_words(void *to, const void *from, size_t bytes, size_t rank, size_t threads) {
  Word *const out = static_cast<Word *>(to);
  const Word *const in = static_cast<const Word *>(from);
  for (size_t k = rank; k < bytes / sizeof(Word); k += threads) out[k] = in[k];
}
GPO_WORD_FN void copy_part(void *to, const void *from, size_t bytes, size_t rank, size_t threads) {
  const size_t all = reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from) | bytes;
  if (all % 16 == 0) {
    copy_words<uint4>(to, from, bytes, rank, threads);
  } else if (all % 4 == 0) {
    copy_words<unsigned>(to, from, bytes, rank, threads);
  } else {
    copy_words<char>(to, from, bytes, rank, threads);
  }
}

struct NoCompletion {
  GPO_WORD_FN void operator()() const {}
};

}  // namespace words
}  // namespace gpo

namespace cuda {

template <size_t alignment>
struct aligned_size_t {
  static constexpr size_t align = alignment;
  size_t value;
  GPO_WORD_FN explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
  GPO_WORD_FN constexpr operator size_t() const { return value; }
};

// ---- barrier, latch, counting_semaphore ----

// A phase ends when `expected` arrivals were counted. The last thread to arrive calls the completion function, and
// begins the next phase.
template <thread_scope scope = thread_scope_system, class Completion = gpo::words::NoCompletion>
class barrier {
 public:
  struct arrival_token {
    unsigned phase;
  };

  barrier() = default;
  barrier(const barrier &) = delete;
  barrier &operator=(const barrier &) = delete;
  GPO_WORD_FN explicit barrier(ptrdiff_t expected, Completion completion = Completion())
      : pending_(unsigned(expected)), expected_(unsigned(expected)), phase_(0), completion_(completion) {}
  GPO_WORD_FN friend void init(barrier *place, ptrdiff_t expected, Completion completion = Completion()) {
    place->pending_ = place->expected_ = unsigned(expected);
    place->phase_ = 0;
    place->completion_ = completion;
  }
  static GPO_WORD_FN constexpr ptrdiff_t max() { return (1 << 20) - 1; }

  GPO_WORD_FN arrival_token arrive(ptrdiff_t update = 1) {
    const arrival_token token = {gpo::words::current(phase_)};
    gpo::words::fence(memory_order_release);
    if (atomicSub(&pending_, unsigned(update)) == unsigned(update)) begin_phase();
    return token;
  }
  GPO_WORD_FN void wait(arrival_token token) const {
    while (gpo::words::current(phase_) == token.phase) gpo::words::let_others_run();
    gpo::words::fence(memory_order_acquire);
  }
  GPO_WORD_FN void arrive_and_wait() { wait(arrive()); }
  GPO_WORD_FN void arrive_and_drop() {
    atomicSub(&expected_, 1u);
    (void)arrive();
  }
  // Waits for a short time: until the others have had their turn.
  GPO_WORD_FN bool try_wait(arrival_token token) const {
    if (gpo::words::current(phase_) == token.phase) gpo::words::let_others_run();
    gpo::words::fence(memory_order_acquire);
    return gpo::words::current(phase_) != token.phase;
  }
  // For the end of the current phase, or the one before it, whose number has this parity.
  GPO_WORD_FN void wait_parity(bool parity) const {
    while ((gpo::words::current(phase_) & 1) == unsigned(parity)) gpo::words::let_others_run();
    gpo::words::fence(memory_order_acquire);
  }
  GPO_WORD_FN bool try_wait_parity(bool parity) const {
    if ((gpo::words::current(phase_) & 1) == unsigned(parity)) gpo::words::let_others_run();
    gpo::words::fence(memory_order_acquire);
    return (gpo::words::current(phase_) & 1) != unsigned(parity);
  }

 private:
  GPO_WORD_FN void begin_phase() {
    gpo::words::fence(memory_order_acq_rel);
    completion_();
    atomicExch(&pending_, gpo::words::current(expected_));
    gpo::words::fence(memory_order_release);
    atomicAdd(&phase_, 1u);
  }

  unsigned pending_, expected_, phase_;
  Completion completion_;
};

// Opens once its count is 0, for good.
template <thread_scope scope = thread_scope_system>
class latch {
 public:
  latch() = default;
  latch(const latch &) = delete;
  GPO_WORD_FN explicit latch(ptrdiff_t expected) : left_(unsigned(expected)) {}
  GPO_WORD_FN void count_down(ptrdiff_t update = 1) {
    gpo::words::fence(memory_order_release);
    atomicSub(&left_, unsigned(update));
  }
  GPO_WORD_FN bool try_wait() const {
    const bool is_open = gpo::words::current(left_) == 0;
    if (!is_open) gpo::words::let_others_run();
    gpo::words::fence(memory_order_acquire);
    return is_open;
  }
  GPO_WORD_FN void wait() const {
    while (!try_wait()) {
    }
  }
  GPO_WORD_FN void arrive_and_wait(ptrdiff_t update = 1) {
    count_down(update);
    wait();
  }

 private:
  unsigned left_;
};

template <thread_scope scope = thread_scope_system, ptrdiff_t least_max = 0x7fffffff>
class counting_semaphore {
 public:
  counting_semaphore() = default;
  counting_semaphore(const counting_semaphore &) = delete;
  GPO_WORD_FN explicit counting_semaphore(ptrdiff_t count) : count_(unsigned(count)) {}
  static GPO_WORD_FN constexpr ptrdiff_t max() { return least_max; }
  GPO_WORD_FN void release(ptrdiff_t update = 1) {
    gpo::words::fence(memory_order_release);
    atomicAdd(&count_, unsigned(update));
  }
  GPO_WORD_FN bool try_acquire() {
    unsigned seen = gpo::words::current(count_);
    while (seen != 0) {
      const unsigned old = atomicCAS(&count_, seen, seen - 1);
      if (old == seen) {
        gpo::words::fence(memory_order_acquire);
        return true;
      }
      seen = old;
    }
    return false;
  }
  GPO_WORD_FN void acquire() {
    while (!try_acquire()) gpo::words::let_others_run();
  }

 private:
  unsigned count_;
};
template <thread_scope scope = thread_scope_system>
using binary_semaphore = counting_semaphore<scope, 1>;

// ---- pipeline ----

enum class pipeline_role { producer, consumer };

// Each stage has a barrier that its producers have committed, and one that its consumers have released.
template <thread_scope scope, unsigned char stages_count>
struct pipeline_shared_state {
  barrier<scope> gpo_produced[stages_count], gpo_consumed[stages_count];
  unsigned gpo_producers;
  pipeline_shared_state() = default;
  pipeline_shared_state(const pipeline_shared_state &) = delete;
};

template <thread_scope scope>
class pipeline {
 public:
  GPO_WORD_FN pipeline(barrier<scope> *produced, barrier<scope> *consumed, unsigned stages, bool produces,
                       bool consumes)
      : produced_(produced), consumed_(consumed), stages_(stages), produces_(produces), consumes_(consumes) {}
  // Stages come in a circle. The first round of producers needs not wait for consumers.
  GPO_WORD_FN void producer_acquire() { consumed_[head_].wait_parity(!head_parity_); }
  GPO_WORD_FN void producer_commit() {
    (void)produced_[head_].arrive();
    step(head_, head_parity_);
  }
  GPO_WORD_FN void consumer_wait() { produced_[tail_].wait_parity(tail_parity_); }
  GPO_WORD_FN void consumer_release() {
    (void)consumed_[tail_].arrive();
    step(tail_, tail_parity_);
  }
  // The other threads' stages no longer count this one.
  GPO_WORD_FN bool quit() {
    for (unsigned k = 0; k < stages_; k++) {
      if (produces_) produced_[k].arrive_and_drop();
      if (consumes_) consumed_[k].arrive_and_drop();
    }
    return true;
  }

 private:
  GPO_WORD_FN void step(unsigned &stage, bool &parity) {
    stage++;
    if (stage < stages_) return;
    stage = 0;
    parity = !parity;
  }

  barrier<scope> *produced_, *consumed_;
  unsigned stages_, head_ = 0, tail_ = 0;
  bool head_parity_ = false, tail_parity_ = false, produces_, consumes_;
};
// The pipeline of one thread, whose copies are done when it has asked for them.
template <>
class pipeline<thread_scope_thread> {
 public:
  GPO_WORD_FN void producer_acquire() {}
  GPO_WORD_FN void producer_commit() {}
  GPO_WORD_FN void consumer_wait() {}
  GPO_WORD_FN void consumer_release() {}
  GPO_WORD_FN bool quit() { return true; }
};
GPO_WORD_FN pipeline<thread_scope_thread> make_pipeline() { return {}; }
}  // namespace cuda

namespace gpo {
namespace words {
template <class Group, cuda::thread_scope scope, unsigned char stages>
GPO_WORD_FN cuda::pipeline<scope> pipeline_of(const Group &group, cuda::pipeline_shared_state<scope, stages> *state,
                                              unsigned producers, unsigned consumers, bool produces, bool consumes) {
  if (group.thread_rank() == 0) {
    for (unsigned k = 0; k < stages; k++) {
      init(&state->gpo_produced[k], producers);
      init(&state->gpo_consumed[k], consumers);
    }
  }
  group.sync();
  return {state->gpo_produced, state->gpo_consumed, stages, produces, consumes};
}
}  // namespace words
}  // namespace gpo

namespace cuda {
// All threads of the group call it. They are producers and consumers, unless a number of producers, which are the
// first of the group, or each thread's role is given.
template <class Group, thread_scope scope, unsigned char stages>
GPO_WORD_FN pipeline<scope> make_pipeline(const Group &group, pipeline_shared_state<scope, stages> *state) {
  const unsigned all = unsigned(group.num_threads());
  return gpo::words::pipeline_of(group, state, all, all, true, true);
}
template <class Group, thread_scope scope, unsigned char stages>
GPO_WORD_FN pipeline<scope> make_pipeline(const Group &group, pipeline_shared_state<scope, stages> *state,
                                          size_t producers) {
  const bool produces = group.thread_rank() < producers;
  return gpo::words::pipeline_of(group, state, unsigned(producers), unsigned(group.num_threads() - producers), produces,
                                 !produces);
}
template <class Group, thread_scope scope, unsigned char stages>
GPO_WORD_FN pipeline<scope> make_pipeline(const Group &group, pipeline_shared_state<scope, stages> *state,
                                          pipeline_role role) {
  const bool produces = role == pipeline_role::producer;
  if (group.thread_rank() == 0) state->gpo_producers = 0;
  group.sync();
  if (produces) atomicAdd(&state->gpo_producers, 1u);
  group.sync();
  const unsigned producers = gpo::words::current(state->gpo_producers);
  return gpo::words::pipeline_of(group, state, producers, unsigned(group.num_threads()) - producers, produces,
                                 !produces);
}
template <unsigned char prior>
GPO_WORD_FN void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &) {}
template <thread_scope scope>
GPO_WORD_FN void pipeline_producer_commit(pipeline<thread_scope_thread> &, barrier<scope> &) {}

// ---- memcpy_async ----

// Bytes, copied by the thread, or by all threads of a group, each of which copies some.
template <class To, class From, class Size, thread_scope scope, class Completion>
GPO_WORD_FN void memcpy_async(To *to, const From *from, Size bytes, barrier<scope, Completion> &) {
  gpo::words::copy_part(to, from, size_t(bytes), 0, 1);
}
template <class To, class From, class Size, thread_scope scope>
GPO_WORD_FN void memcpy_async(To *to, const From *from, Size bytes, pipeline<scope> &) {
  gpo::words::copy_part(to, from, size_t(bytes), 0, 1);
}
template <class Group, class To, class From, class Size, thread_scope scope, class Completion>
GPO_WORD_FN void memcpy_async(const Group &group, To *to, const From *from, Size bytes, barrier<scope, Completion> &) {
  gpo::words::copy_part(to, from, size_t(bytes), group.thread_rank(), group.num_threads());
}
template <class Group, class To, class From, class Size, thread_scope scope>
GPO_WORD_FN void memcpy_async(const Group &group, To *to, const From *from, Size bytes, pipeline<scope> &) {
  gpo::words::copy_part(to, from, size_t(bytes), group.thread_rank(), group.num_threads());
}
}  // namespace cuda

namespace std {
template <class Completion = gpo::words::NoCompletion>
using barrier = cuda::barrier<cuda::thread_scope_system, Completion>;
using latch = cuda::latch<>;
template <ptrdiff_t least_max = 0x7fffffff>
using counting_semaphore = cuda::counting_semaphore<cuda::thread_scope_system, least_max>;
using binary_semaphore = counting_semaphore<1>;
}  // namespace std

// ---- cuda_pipeline.h ----

// The last `zeros` of the bytes are set to 0 instead.
GPO_WORD_FN void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0) {
  gpo::words::copy_part(to, from, bytes - zeros, 0, 1);
  for (size_t k = bytes - zeros; k < bytes; k++) static_cast<char *>(to)[k] = 0;
}
GPO_WORD_FN void __pipeline_commit() {}
GPO_WORD_FN void __pipeline_wait_prior(size_t) {}

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_ASYNC_H_
