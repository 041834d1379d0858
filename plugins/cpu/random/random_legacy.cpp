// plugins/cpu/random/random_legacy.cpp -- RandomState: one sequence of words, generated serially and mapped to
// elements in parallel.
//
// A large call takes its words in batches, untempered. Advancing the generator is a small part of the work: one thread
// does it for the next batch while the others map this one to elements. A batch is generated only if it gives no more
// elements than are wanted even if none of its candidates is rejected, so that no word is drawn beyond the end of the
// call. The remaining elements, and small calls, use the serial loop.
#include "plugins/shared/random/random_legacy.h"

#include <cstring>

#include "plugins/cpu/random/random.h"
#include "plugins/cpu/runtime/memory.h"
#include "plugins/cpu/runtime/pool.h"

namespace gpuopt::cpu {
namespace {

constexpr int64_t kTileWords = gpo::legacy_tile, kPieceWords = 4 * kTileWords, kPieces = 32;
constexpr int64_t kBatchWords = kPieceWords * kPieces;

bool draws_integers(const RandomJob &job) {
  return job.distribution == GPUOPT_RANDOM_INTEGERS || job.distribution == GPUOPT_RANDOM_CHOICE;
}

// Returns how many elements `nwords` words give if none is rejected.
int64_t most_elements(const RandomJob &job, int64_t nwords) {
  if (job.distribution == GPUOPT_RANDOM_CHOICE) return nwords;
  if (job.distribution != GPUOPT_RANDOM_INTEGERS || job.draw.span > 0xffffffffu) return nwords / 2;
  return job.dtype == GPUOPT_BOOL ? nwords * 32 : nwords * std::max<int64_t>(4 / job.element, 1);
}

class Batches {
 public:
  Batches(const RandomJob &job, gpo::RandomState &state)
      : job_(job),
        state_(state),
        map_(job.loops.legacy[job.distribution][job.dtype].map),
        refuses_(draws_integers(job) ? (job.draw.span & (job.draw.span + 1)) != 0
                                     : job.distribution == GPUOPT_RANDOM_NORMAL) {}

  // Returns whether the call is large enough for batches, and its distribution has a loop for them.
  bool pay() const {
    const uint64_t most = job_.distribution == GPUOPT_RANDOM_CHOICE ? 0x7fffffffu : ~uint64_t{0};
    const bool suits = map_ && !(draws_integers(job_) && (job_.draw.span == 0 || job_.draw.span > most));
    return suits && job_.n > 2 * most_elements(job_, kBatchWords);
  }

  int64_t bytes() const { return 2 * kWordBytes + (refuses_ ? kPieces * piece_bytes() : 0); }

  // Draws elements from number `done` on, as long as whole batches are wanted. Returns the number of the first element
  // that has not been drawn. `memory` has bytes().
  int64_t run(int64_t done, void *memory) {
    auto *const words = static_cast<uint32_t *>(memory);
    kept_ = static_cast<char *>(memory) + 2 * kWordBytes;
    const int64_t most = most_elements(job_, kBatchWords);
    bool drawn = false;
    for (int now = 0; drawn || job_.n - done >= most; now ^= 1) {
      uint32_t *const batch = words + now * kBatchWords, *const other = words + (now ^ 1) * kBatchWords;
      if (!drawn) draw(batch);
      drawn = job_.n - done >= 2 * most;
      done += refuses_ ? map_and_join(batch, drawn ? other : nullptr, done) : map(batch, drawn ? other : nullptr, done);
    }
    return done;
  }

 private:
  static constexpr int64_t kWordBytes = kBatchWords * int64_t{sizeof(uint32_t)};

  int64_t piece_bytes() const { return most_elements(job_, kPieceWords) * job_.element; }

  void draw(uint32_t *batch) { job_.loops.untempered(state_.mt, kBatchWords, batch); }

  // Runs body(piece) for each piece of a batch in parallel, and at the same time generates the next batch into `next`,
  // unless that is NULL.
  template <typename Body>
  void for_pieces(uint32_t *next, Body &&body) {
    const int64_t extra = next ? 1 : 0;
    parallel_for(kPieces + extra, [&](int64_t task, int) {
      if (task < extra) return draw(next);
      body(task - extra);
    });
  }

  // Maps a batch for a distribution that rejects no candidates: each piece knows where its elements go.
  int64_t map(const uint32_t *words, uint32_t *next, int64_t done) {
    const int64_t piece_elements = most_elements(job_, kPieceWords), tile_elements = most_elements(job_, kTileWords);
    for_pieces(next, [&](int64_t piece) {
      const int64_t begin = done + piece * piece_elements;
      job_.write(begin, begin + piece_elements, [&](int64_t first, int64_t count, char *to) {
        const int64_t tile = (first - begin) / tile_elements;
        map_(job_.draw, words + piece * kPieceWords + tile * kTileWords, count / tile_elements * kTileWords, to);
      });
    });
    return kPieces * piece_elements;
  }

  // Maps a batch with rejections: each piece goes to a buffer first, until the numbers of elements of all pieces are
  // known.
  int64_t map_and_join(const uint32_t *words, uint32_t *next, int64_t done) {
    int64_t counts[kPieces], starts[kPieces], total = 0;
    for_pieces(next, [&](int64_t piece) {
      counts[piece] = map_(job_.draw, words + piece * kPieceWords, kPieceWords, kept_ + piece * piece_bytes());
    });
    for (int64_t piece = 0; piece < kPieces; piece++) {
      starts[piece] = done + total;
      total += counts[piece];
    }
    parallel_for(kPieces, [&](int64_t piece, int) {
      const int64_t bytes = counts[piece] * job_.element;
      const char *const from = kept_ + piece * piece_bytes();
      if (job_.is_streamed()) return stream_bytes(job_.at(starts[piece]), from, bytes);
      std::memcpy(job_.at(starts[piece]), from, static_cast<size_t>(bytes));
    });
    return total;
  }

  const RandomJob &job_;
  gpo::RandomState &state_;
  int64_t (*const map_)(const RandomDraw &, const uint32_t *, int64_t, void *);
  const bool refuses_;
  char *kept_ = nullptr;
};

}  // namespace

void draw_legacy(const RandomJob &job, gpuopt_mt19937_state &state) {
  static_assert(sizeof(gpo::RandomState) == sizeof(gpuopt_mt19937_state));
  const auto fill = job.loops.legacy[job.distribution][job.dtype].fill;
  gpo::RandomState local;
  std::memcpy(&local, &state, sizeof(local));
  int64_t done = 0;
  Batches batches(job, local);
  if (batches.pay()) {
    const auto bytes = static_cast<uint64_t>(batches.bytes());
    const Scratch memory(bytes);
    if (!memory) fail_out_of_memory(bytes);
    const bool waits = job.distribution == GPUOPT_RANDOM_NORMAL && local.has_gauss;
    if (waits) fill(job.draw, local, done = 1, job.out);
    done = batches.run(done, memory.as<void>());
  }
  fill(job.draw, local, job.n - done, job.at(done));
  std::memcpy(&state, &local, sizeof(local));
}

}  // namespace gpuopt::cpu
