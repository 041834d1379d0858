// plugins/cpu/fft/fft.cpp -- transforms of complex numbers, of real numbers, and to real numbers, along an axis.
//
// The lines of the axis are taken in groups of as many as a block has lanes. A group of real lines is transformed as
// complex ones in scratch memory.
#include "plugins/cpu/fft/fft.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "plugins/cpu/fft/fft_mkl.h"
#include "plugins/cpu/fft/fft_rows.h"
#include "plugins/cpu/runtime/memory.h"
#include "plugins/cpu/runtime/pool.h"
#include "plugins/cpu/runtime/range.h"
#include "plugins/cpu/runtime/tensor.h"
#include "plugins/shared/host/walk.h"

namespace gpuopt::cpu {
using plugin::Walk;
namespace {

// Some neighbouring lines.
struct Lines {
  char *from, *to;
  int64_t from_next, to_next;  // bytes between the lines
  int64_t count;
};

// What the lines of a call have in common.
class LineTransform {
 public:
  LineTransform(const gpuopt_call &call, int level)
      : level_(level),
        kind_(call.kind),
        inverse_(call.kind == GPUOPT_CALL_IRFFT || (call.kind == GPUOPT_CALL_FFT && call.ints[1] != 0)),
        scale_(call.floats[0]),
        n_(call.tensors[call.kind == GPUOPT_CALL_IRFFT].shape[call.ints[0]]),
        from_step_(call.tensors[0].strides[call.ints[0]]),
        to_step_(call.tensors[1].strides[call.ints[0]]),
        dtype_(part_dtype(call.tensors[0].dtype)),
        real_(fft_real(dtype_)) {}

  static int32_t part_dtype(int32_t dtype) noexcept {
    return dtype == GPUOPT_COMPLEX64 || dtype == GPUOPT_FLOAT32 ? GPUOPT_FLOAT32 : GPUOPT_FLOAT64;
  }

  int64_t n() const noexcept { return n_; }
  int64_t bytes_of_number() const noexcept { return 2 * real_; }
  int64_t lanes() const noexcept { return fft_lanes(dtype_); }
  bool is_cut() const noexcept { return plan_->columns > 1 || plan_->convolution; }
  // Returns how many lines are transformed side by side.
  int64_t group() const noexcept { return is_cut() ? 1 : lanes(); }

  // Finds the plan for groups of `lines` neighbours, `next` bytes from one to the next.
  void find_plan(int64_t lines, int64_t next) {
    const bool side_by_side = kind_ == GPUOPT_CALL_FFT && next == 2 * real_ && from_step_ != next;
    const bool cut = is_better_cut(dtype_, length(), std::min(lines, lanes()), side_by_side);
    plan_ = fft_plan(dtype_, length(), cut, level_);
    if (is_halved()) roots_ = fft_roots(dtype_, n_, level_);
  }

  // Returns the bytes of scratch memory for a group: the complex numbers of real lines, and the transform's.
  int64_t scratch(int64_t workers) const noexcept { return numbers() + fft_scratch(*plan_, workers); }

  // `far` says that the lines are likely to be in no cache.
  void run(const Lines &lines, char *scratch, int64_t workers, bool far) const noexcept {
    const FftPlaces from = {lines.from, from_step_, lines.from_next, lines.count},
                    to = {lines.to, to_step_, lines.to_next, lines.count};
    if (kind_ == GPUOPT_CALL_FFT) return transform_fft(*plan_, {from, to, scale_, inverse_, far}, scratch, workers);
    dtype_ == GPUOPT_FLOAT32 ? run_real<float>(from, to, scratch, workers)
                             : run_real<double>(from, to, scratch, workers);
  }

 private:
  bool is_halved() const noexcept { return kind_ != GPUOPT_CALL_FFT && n_ % 2 == 0; }
  int64_t length() const noexcept { return is_halved() ? n_ / 2 : n_; }
  int64_t numbers() const noexcept {
    const int64_t bytes = kind_ == GPUOPT_CALL_FFT ? 0 : group() * length() * 2 * real_;
    return (bytes + kFftRow - 1) / kFftRow * kFftRow;
  }

  template <typename T>
  void run_real(const FftPlaces &from, const FftPlaces &to, char *scratch, int64_t workers) const noexcept {
    const FftPlaces numbers = {scratch, 2 * real_, length() * 2 * real_, from.lanes};
    char *const rest = scratch + this->numbers();
    if (kind_ == GPUOPT_CALL_RFFT) return run_to_complex<T>(from, to, numbers, rest, workers);
    run_to_real<T>(from, to, numbers, rest, workers);
  }

  template <typename T>
  void run_to_complex(FftPlaces from, const FftPlaces &to, const FftPlaces &numbers, char *rest,
                      int64_t workers) const noexcept {
    const bool in_pairs = is_halved() && from_step_ == real_;
    if (in_pairs) from.step *= 2;
    for (int64_t i = 0; i < from.lanes && !in_pairs; i++) pack<T>(line(numbers, i), line(from, i));
    transform_fft(*plan_, {in_pairs ? from : numbers, numbers, is_halved() ? 1 : scale_, false}, rest, workers);
    for (int64_t i = 0; i < from.lanes; i++) {
      if (is_halved()) {
        plan_->loops->real_out(line(to, i), to.step, line(numbers, i), roots_->at(0), n_ / 2, scale_);
      } else {
        for (int64_t k = 0; k <= n_ / 2; k++)
          copy<2 * sizeof(T)>(line(to, i) + k * to.step, line(numbers, i) + k * 2 * real_);
      }
    }
  }

  template <typename T>
  void run_to_real(const FftPlaces &from, FftPlaces to, const FftPlaces &numbers, char *rest,
                   int64_t workers) const noexcept {
    const bool in_pairs = is_halved() && to_step_ == real_;
    if (in_pairs) to.step *= 2;
    for (int64_t i = 0; i < from.lanes; i++) {
      if (is_halved()) {
        plan_->loops->real_in(line(numbers, i), line(from, i), from.step, roots_->at(0), n_ / 2);
      } else {
        mirror<T>(line(numbers, i), line(from, i));
      }
    }
    transform_fft(*plan_, {numbers, in_pairs ? to : numbers, scale_, true}, rest, workers);
    for (int64_t i = 0; i < from.lanes && !in_pairs; i++) unpack<T>(line(to, i), line(numbers, i));
  }

  static char *line(const FftPlaces &places, int64_t i) noexcept { return places.data + i * places.next; }

  template <size_t bytes>
  static void copy(char *to, const char *from) noexcept {
    std::memcpy(to, from, bytes);
  }

  // Real numbers to complex ones: in pairs, or with imaginary parts of 0.
  template <typename T>
  void pack(char *to, const char *from) const noexcept {
    const int64_t step = is_halved() ? real_ : 2 * real_;
    if (!is_halved()) std::memset(to, 0, static_cast<size_t>(n_ * 2 * real_));
    for (int64_t j = 0; j < n_; j++) copy<sizeof(T)>(to + j * step, from + j * from_step_);
  }
  template <typename T>
  void unpack(char *to, const char *from) const noexcept {
    const int64_t step = is_halved() ? real_ : 2 * real_;
    for (int64_t j = 0; j < n_; j++) copy<sizeof(T)>(to + j * to_step_, from + j * step);
  }

  // All of the n elements of an odd number, of which the first half is given: element n - k is the conjugate of
  // element k. The imaginary part of element 0 does not count.
  template <typename T>
  void mirror(char *to, const char *from) const noexcept {
    T *const z = reinterpret_cast<T *>(to);
    for (int64_t k = 0; k <= n_ / 2; k++) {
      copy<2 * sizeof(T)>(to + k * 2 * real_, from + k * from_step_);
      if (k == 0) z[1] = 0;
      if (k > 0) z[2 * (n_ - k)] = z[2 * k], z[2 * (n_ - k) + 1] = -z[2 * k + 1];
    }
  }

  int level_;
  int32_t kind_;
  bool inverse_;
  double scale_;
  int64_t n_, from_step_, to_step_;
  int32_t dtype_;
  int64_t real_;
  std::shared_ptr<const FftPlan> plan_;
  std::shared_ptr<const FftMemory> roots_;
};

// The axes of a tensor without one of them.
struct OtherAxes {
  std::vector<int64_t> shape, from, to;
  explicit OtherAxes(const gpuopt_call &call) {
    for (int32_t i = 0; i < call.tensors[0].ndim; i++) {
      if (i == call.ints[0]) continue;
      shape.push_back(call.tensors[0].shape[i]);
      from.push_back(call.tensors[0].strides[i]);
      to.push_back(call.tensors[1].strides[i]);
    }
  }
  int32_t ndim() const noexcept { return static_cast<int32_t>(shape.size()); }
};

void check_fft(const gpuopt_call &call) {
  if (call.kind != GPUOPT_CALL_FFT && call.kind != GPUOPT_CALL_RFFT && call.kind != GPUOPT_CALL_IRFFT)
    fail(GPUOPT_ERR_UNSUPPORTED, "the cpu backend knows no transform %d", call.kind);
  const gpuopt_tensor &real = call.tensors[call.kind == GPUOPT_CALL_IRFFT],
                      &complex = call.tensors[call.kind != GPUOPT_CALL_IRFFT];
  const bool single = complex.dtype == GPUOPT_COMPLEX64;
  const int32_t wanted = call.kind == GPUOPT_CALL_FFT ? complex.dtype : single ? GPUOPT_FLOAT32 : GPUOPT_FLOAT64;
  if ((!single && complex.dtype != GPUOPT_COMPLEX128) || real.dtype != wanted)
    fail(GPUOPT_ERR_TYPE, "there is no transform from %s to %s", dtype_name(call.tensors[0].dtype),
         dtype_name(call.tensors[1].dtype));
  const int64_t n = real.shape[call.ints[0]], there = complex.shape[call.ints[0]];
  if (n < 1 || there != (call.kind == GPUOPT_CALL_FFT ? n : n / 2 + 1))
    fail(GPUOPT_ERR_SHAPE, "a transform of %lld elements does not go with %lld", static_cast<long long>(n),
         static_cast<long long>(there));
}

void run_lines(const gpuopt_call &call, const Walk<2> &walk, LineTransform &transform) {
  constexpr int64_t kTask = 1 << 15;    // elements
  constexpr int64_t kCaches = 1 << 24;  // bytes that one core's share of the caches is likely to hold
  const int64_t lines = walk.size(), workers = pool_size();
  const int64_t size = lines * transform.n();
  const bool far = 2 * size * transform.bytes_of_number() > kCaches;          // what is read, and what is written
  const bool alone = lines < workers && transform.is_cut() && size >= kTask;  // each line is parallel by itself
  const int64_t beside = transform.group();
  const int64_t group = alone ? lines : std::max<int64_t>(kTask / transform.n() / beside, 1) * beside;
  const int64_t at_once = alone ? 1 : workers, each = transform.scratch(alone ? workers : 1);
  const Scratch memory(static_cast<uint64_t>(at_once * each));
  if (!memory) fail_out_of_memory(static_cast<uint64_t>(at_once * each));
  const auto run = [&](int64_t task, int worker) {
    char *const scratch = memory.as<char>() + worker * each;
    walk.runs(task * group, std::min(lines, (task + 1) * group), [&](int64_t, const auto &offsets, int64_t count) {
      for (const Range part : parts_of({0, count}, transform.group())) {
        const int64_t from_next = walk.inner_stride(0), to_next = walk.inner_stride(1);
        transform.run({bytes_of(call.tensors[0]) + offsets[0] + part.first * from_next,
                       bytes_of(call.tensors[1]) + offsets[1] + part.first * to_next, from_next, to_next, part.count()},
                      scratch, alone ? workers : 1, far);
      }
    });
  };
  if (alone) return run(0, 0);
  parallel_for((lines + group - 1) / group, run);
}

}  // namespace

void run_fft(const gpuopt_call &call, int level) {
  check_fft(call);
  const OtherAxes axes(call);
  const Walk<2> walk(axes.ndim(), axes.shape.data(), {axes.from.data(), axes.to.data()});
  if (walk.size() == 0 || run_mkl_fft(call, walk)) return;
  LineTransform transform(call, level);
  transform.find_plan(walk.inner_size(), walk.inner_stride(0));
  run_lines(call, walk, transform);
}

}  // namespace gpuopt::cpu
