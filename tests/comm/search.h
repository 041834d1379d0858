// tests/comm/search.h -- what the parts of search.cpp have in common: arrays that are made of, and compared with, those
// of serial.h; and the calls of a job in which a rank may fail.
#pragma once
#include <functional>
#include <stdexcept>

#include "tests/comm/rank.h"
#include "tests/comm/serial.h"

namespace search {

using rank_test::Array;
using rank_test::Shard;
using serial::Random;
using serial::Shape;
using serial::Whole;

inline bool may_fail = false;              // whether one of the ranks is to fail
inline thread_local std::string position;  // which call of which program runs: the beginning of each message

// Another rank has failed, as one was to.
struct JobFailed {
  std::string message;
};

[[noreturn]] inline void fail(int line, const std::string &what) {
  rank_test::die("tests/comm/search", line, position + ": " + what);
}

inline void check_status(int line, const char *name, gpuopt_status status, const gpuopt_error &error) {
  if (status == GPUOPT_OK) return;
  if (may_fail && status == GPUOPT_ERR_COMM) throw JobFailed{error.message};
  fail(line, name + (std::string(" gave ") + gpuopt_status_name(status)) + ": " + error.message);
}

// Calls a function of the C ABI that has to succeed, unless another rank fails.
#define CALL(function, ...)                              \
  do {                                                   \
    gpuopt_error e_ = GPUOPT_ERROR_INIT;                 \
    const gpuopt_status s_ = function(__VA_ARGS__, &e_); \
    search::check_status(__LINE__, #function, s_, e_);   \
  } while (0)
#define EXPECT(condition)                                            \
  do {                                                               \
    if (!(condition)) search::fail(__LINE__, "not so: " #condition); \
  } while (0)

// A group of ranks, as one of them sees it.
struct Group {
  gpuopt_comm comm = nullptr;
  std::vector<int> members;  // ranks of the world, in the order of their ranks in the group
  int size() const { return static_cast<int>(members.size()); }
  int me() const { return gpuopt_comm_rank(comm); }
};

// One call of a random program. `plan` gives the same numbers on all ranks, `own` others on each.
struct Step {
  const Group &group;
  uint64_t seed, number;
  Random plan, own;
  Random of_rank(int r) const {
    return Random(seed, number, 1000 + static_cast<uint64_t>(group.members[static_cast<size_t>(r)]));
  }
  void says(const std::string &what) const {
    position = "seed " + std::to_string(seed) + ", step " + std::to_string(number) + ", rank " +
               std::to_string(group.me()) + " of a group of " + std::to_string(group.size()) + ": " + what;
  }
};

// ---- Arrays

inline Array array_of(const Whole &x) {
  Array made;
  const char none = 0;
  DONE(gpuopt_array_from, rank_test::device, x.bytes.empty() ? &none : x.bytes.data(), x.dtype,
       static_cast<int32_t>(x.shape.size()), x.shape.data(), made.out());
  return made;
}

inline Whole whole_of(const Array &x) {
  EXPECT(x.get() != nullptr);
  Whole read(gpuopt_array_dtype(x.get()), rank_test::shape_of(x));
  Array dense;
  DONE(gpuopt_astype, x.get(), read.dtype, GPUOPT_COPY_ALWAYS, dense.out());
  char none = 0;
  DONE(gpuopt_to_host, dense.get(), read.bytes.empty() ? &none : read.bytes.data(), read.bytes.size());
  return read;
}

// An array, or a view of one, with the elements of x: its own memory, every other row of another array, turned round,
// transposed, or a value that is only recorded.
Array any_array(const Whole &x, Random &own);

inline void check_same(int line, const Array &got, const Whole &expected, bool numbers = false) {
  const Whole read = whole_of(got);
  const int64_t at = serial::first_difference(read, expected, numbers);
  if (at == -1) return;
  fail(line, "got " + serial::described(read) + " for " + serial::described(expected) + ", which differ from element " +
                 std::to_string(at) + " on");
}
#define SAME(...) search::check_same(__LINE__, __VA_ARGS__)

// A call that gives an array out.
using Giving = std::function<gpuopt_status(gpuopt_array out, gpuopt_array *result, gpuopt_error *error)>;
// Runs it, with a new result, one in an array that is there, in a view, or in `x` where that fits, and checks what it
// gives. `expected` NULL: a rank that gets none.
void check_given(const char *name, Step &step, const Array &x, const Whole *expected, const Giving &call,
                 bool numbers = false);

// ---- What steps there are (search_shards.cpp; the others are in search.cpp)

void shard_step(Step &step, const std::string &folder);
Shape random_shape(Random &plan, int least_dimensions, int ranks);

}  // namespace search
