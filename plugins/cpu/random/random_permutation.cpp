// plugins/cpu/random/random_permutation.cpp -- Philox permutations: 0 .. n-1 sorted by n random words.
//
// A bucket sort in parallel. The words are evenly distributed, so their top bits divide them into buckets of nearly
// equal size, which fit into a cache, and the next 12 bits almost sort each bucket.
#include <algorithm>
#include <bit>
#include <utility>

#include "plugins/cpu/random/random.h"
#include "plugins/cpu/runtime/memory.h"
#include "plugins/cpu/runtime/pool.h"

namespace gpuopt::cpu {
namespace {

struct Ranked {
  uint64_t word;
  int64_t index;
};

class Permutation {
 public:
  Permutation(const RandomJob &job, const gpuopt_philox_state &state)
      : job_(job),
        state_(state),
        bits_(std::clamp(static_cast<int>(std::bit_width(static_cast<uint64_t>(job.n))) - 12, 0, 12)),
        buckets_(int64_t{1} << bits_),
        piece_(std::max<int64_t>(kTile * 32, (job.n / 64 + kTile) / kTile * kTile)),
        pieces_((job.n + piece_ - 1) / piece_) {}

  int64_t bytes() const { return job_.n * int64_t{sizeof(Ranked)} + places() * int64_t{sizeof(int64_t)}; }

  void run(void *memory) {
    ranked_ = static_cast<Ranked *>(memory);
    starts_ = reinterpret_cast<int64_t *>(ranked_ + job_.n);
    std::fill(starts_, starts_ + places(), 0);
    parallel_for(pieces_,
                 [&](int64_t piece, int) { for_words(piece, [&](int64_t &count, uint64_t, int64_t) { count++; }); });
    find_starts();
    parallel_for(pieces_, [&](int64_t piece, int) {
      for_words(piece, [&](int64_t &next, uint64_t word, int64_t index) { ranked_[next++] = {word, index}; });
    });
    parallel_for(buckets_, [&](int64_t bucket, int) { sort(bucket); });
  }

 private:
  static constexpr int64_t kTile = 1024;
  static constexpr int kSlotBits = 12;  // bits of a word, after those of its bucket, by which a bucket is sorted first

  int64_t places() const { return buckets_ * pieces_; }

  // Calls visit(start, word, index) for each word of a piece, where `start` is the entry of starts_ for the word's
  // bucket and this piece.
  template <typename Visit>
  void for_words(int64_t piece, Visit visit) {
    uint64_t words[kTile];
    const int64_t end = std::min((piece + 1) * piece_, job_.n);
    for (int64_t first = piece * piece_; first < end; first += kTile) {
      const int64_t count = std::min(kTile, end - first);
      job_.loops.philox_words(job_.draw, state_, first, count, words);
      for (int64_t i = 0; i < count; i++) {
        const auto bucket = static_cast<int64_t>(words[i] >> 1 >> (63 - bits_));
        visit(starts_[bucket * pieces_ + piece], words[i], first + i);
      }
    }
  }

  // Turns counts into start positions: for each bucket, where the words of each piece go.
  void find_starts() {
    int64_t sum = 0;
    for (int64_t i = 0; i < places(); i++) sum += std::exchange(starts_[i], sum);
  }

  // Sorts a bucket and writes its part of the output. Writing the words has advanced each start to the end of its
  // words.
  void sort(int64_t bucket) const {
    const auto end_of = [&](int64_t b) { return b < 0 ? 0 : starts_[b * pieces_ + pieces_ - 1]; };
    const int64_t begin = end_of(bucket - 1), n = end_of(bucket) - begin;
    const Ranked *const from = ranked_ + begin;
    int64_t *const order = reinterpret_cast<int64_t *>(job_.out) + begin;
    put_into_slots(from, n, order);
    finish(from, n, order);
    for (int64_t i = 0; i < n; i++) order[i] = from[order[i]].index;
  }

  // Stores the positions in `from`, sorted by the words' slots; equal slots keep their order.
  void put_into_slots(const Ranked *from, int64_t n, int64_t *order) const {
    int64_t next[1 << kSlotBits] = {}, sum = 0;
    const auto slot = [&](int64_t i) { return from[i].word << bits_ >> (64 - kSlotBits); };
    for (int64_t i = 0; i < n; i++) next[slot(i)]++;
    for (int64_t &start : next) sum += std::exchange(start, sum);
    for (int64_t i = 0; i < n; i++) order[next[slot(i)]++] = i;
  }

  // Insertion sort, which has little left to move. Equal words keep the order of their indices.
  static void finish(const Ranked *from, int64_t n, int64_t *order) {
    for (int64_t i = 1; i < n; i++) {
      const int64_t position = order[i];
      const uint64_t word = from[position].word;
      int64_t j = i;
      for (; j > 0 && from[order[j - 1]].word > word; j--) order[j] = order[j - 1];
      order[j] = position;
    }
  }

  const RandomJob &job_;
  const gpuopt_philox_state &state_;
  const int bits_;  // top bits of a word that are the number of its bucket
  const int64_t buckets_, piece_, pieces_;
  Ranked *ranked_ = nullptr;
  int64_t *starts_ = nullptr;
};

}  // namespace

void permute_philox(const RandomJob &job, const gpuopt_philox_state &state) {
  Permutation permutation(job, state);
  const auto bytes = static_cast<uint64_t>(permutation.bytes());
  const Scratch memory(bytes);
  if (!memory) fail_out_of_memory(bytes);
  permutation.run(memory.as<void>());
}

}  // namespace gpuopt::cpu
