// plugins/cuda/library/fft.cpp -- the slot fft: transforms of complex numbers, of real numbers, and to real numbers,
// by our own kernels or, if GPUOPT_FFT is fast, by cuFFT (fast_fft.h).
#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <optional>
#include <utility>

#include "plugins/cuda/library/fast_fft.h"
#include "plugins/cuda/library/library.h"
#include "plugins/cuda/plugin/slots.h"
#include "plugins/shared/fft/bluestein.h"
#include "plugins/shared/fft/factors.h"

namespace gpuopt::cuda {
namespace {

using gpo::fft::Radices;

// fft_threads, the sizes of the table's odd roots, and what short_size has in bytes, of text/fft.h.
constexpr uint32_t kFftThreads = 256;
constexpr int64_t kOddRow = 16, kOddEntries = 16 * 32, kShortBytes = 16384;
constexpr int64_t kRowBytes = int64_t{1} << 28;   // that the rows of long lines take at once, if one is not longer
constexpr int64_t kMostChirp = int64_t{1} << 32;  // the square of an index fits into 64 bits
constexpr int kRadixWords = 5, kRadicesInWord = 8;

// The number of threads that `count` items take one by one, in blocks.
int64_t blocks_of(int64_t count) noexcept { return (count - 1) / kFftThreads + 1; }

// What the lines of a call have in common.
class FftLines {
 public:
  explicit FftLines(const gpuopt_call &call)
      : x(call.tensors[0]),
        out(call.tensors[1]),
        axis(call.ints[0]),
        real_n(call.kind == GPUOPT_CALL_IRFFT ? out.shape[axis] : x.shape[axis]),
        n(call.kind != GPUOPT_CALL_FFT && real_n % 2 == 0 ? real_n / 2 : real_n),
        inverse(call.kind == GPUOPT_CALL_IRFFT || (call.kind == GPUOPT_CALL_FFT && call.ints[1] != 0)),
        single(element_size(x.dtype) == (call.kind == GPUOPT_CALL_RFFT ? 4 : 8)),
        scale(call.floats[0]),
        walk(axes().walk()),
        kind_(call.kind),
        staged_(gpo::fft::factorize(n, radices_)) {}

  const gpuopt_tensor &x, &out;
  const int64_t axis, real_n;
  const int64_t n;  // complex elements that are transformed
  const bool inverse, single;
  const double scale;
  const Walk<2> walk;  // of (x, out), over the lines

  int64_t count() const noexcept { return size_of(x) / x.shape[axis]; }
  int64_t complex_bytes() const noexcept { return single ? 8 : 16; }
  std::string type() const { return single ? "float" : "double"; }
  std::string rank() const { return std::to_string(walk.ndim()); }
  bool is_halved() const noexcept { return n != real_n; }
  // The numbers, or pairs of them, that are written of a line.
  int64_t written() const noexcept { return kind_ == GPUOPT_CALL_RFFT ? real_n / 2 + 1 : n; }
  const char *kind() const noexcept {
    if (kind_ == GPUOPT_CALL_FFT) return "gpo::fft_complex";
    if (kind_ == GPUOPT_CALL_RFFT) return is_halved() ? "gpo::fft_from_pairs" : "gpo::fft_from_reals";
    return is_halved() ? "gpo::fft_to_pairs" : "gpo::fft_to_reals";
  }
  // Whether the stages are those of n, not of a convolution.
  bool staged() const noexcept { return staged_; }
  bool is_short() const noexcept { return staged_ && n * complex_bytes() <= kShortBytes; }
  const Radices &radices() const noexcept { return radices_; }

  // Whether elements of different lines are nearer to each other than those of one.
  bool across() const noexcept {
    return std::abs(walk.stride(walk.ndim() - 1, 0)) < std::abs(x.strides[axis]) && walk.size(walk.ndim() - 1) > 1;
  }

 private:
  Axes<2> axes() const {
    Axes<2> all;
    for (int32_t k = 0; k < x.ndim; k++) {
      if (k != axis) all.append(x.shape[k], {x.strides[k], out.strides[k]});
    }
    return all;
  }

  int32_t kind_;
  Radices radices_{};
  bool staged_;
};

// The table of text/fft.h, in device memory, for transforms of `size` elements.
class FftTable {
 public:
  FftTable(const Work &work, const FftLines &lines, int64_t size, const Radices &radices)
      : complex_(lines.complex_bytes()),
        real_(size - 1 + kOddEntries),
        chirp_(real_ + (lines.is_halved() ? lines.n : 0)),
        end_(chirp_ + (lines.staged() ? 0 : lines.n)),
        size_(size),
        memory_(work.device, work.stream, static_cast<uint64_t>(end_ * complex_)) {
    KernelWords words{static_cast<uint64_t>(end_), memory_.address(), static_cast<uint64_t>(size)};
    words.add(chirp_ - real_).add(end_ - chirp_);
    for (const uint64_t word : packed(radices)) words.add(static_cast<int64_t>(word));
    launch_library(work, "fft.h", instance("fft_table", {lines.type()}), words, blocks_of(end_), kFftThreads);
  }

  // The radices, one in a byte.
  static std::array<uint64_t, kRadixWords> packed(const Radices &radices) {
    static_assert(kRadixWords * kRadicesInWord >= gpo::fft::most_stages);
    std::array<uint64_t, kRadixWords> words{};
    for (int i = 0; i < radices.count; i++) {
      words[static_cast<size_t>(i / kRadicesInWord)] |= static_cast<uint64_t>(radices.radix[i])
                                                        << (8 * (i % kRadicesInWord));
    }
    return words;
  }

  uint64_t factors(int64_t before) const noexcept { return at(before - 1); }
  uint64_t odd(int64_t radix) const noexcept { return at(size_ - 1 + radix * kOddRow); }
  uint64_t real_roots() const noexcept { return at(real_); }
  uint64_t chirp() const noexcept { return chirp_ == end_ ? 0 : at(chirp_); }

 private:
  uint64_t at(int64_t entry) const noexcept { return memory_.address() + static_cast<uint64_t>(entry * complex_); }

  const int64_t complex_, real_, chirp_, end_, size_;
  const Scratch memory_;
};

// Words 0 to 10 of the kernels that read or write arrays.
KernelWords words_of(const FftLines &lines, int64_t elements, const FftTable &table) {
  return {static_cast<uint64_t>(elements),
          address_of(lines.x),
          address_of(lines.out),
          static_cast<uint64_t>(lines.x.strides[lines.axis]),
          static_cast<uint64_t>(lines.out.strides[lines.axis]),
          static_cast<uint64_t>(lines.n),
          static_cast<uint64_t>(lines.written()),
          table.real_roots(),
          std::bit_cast<uint64_t>(lines.scale),
          lines.inverse,
          lines.across()};
}

// As many lines in a block as fill its memory, unless there are too few of them to keep all processors busy.
void transform_short(const Work &work, const FftLines &lines) {
  const int64_t room = kShortBytes / lines.complex_bytes() / lines.n, count = lines.count();
  const int64_t spread = count / (2 * std::max(work.device.processors, 1)) + 1;
  const int64_t of_block = std::min(room, spread);
  const FftTable table(work, lines, lines.n, lines.radices());
  KernelWords words = words_of(lines, 0, table);
  words.add(count).add(0).add(of_block).add(static_cast<int64_t>(table.factors(1)));
  words.add(static_cast<int64_t>(FftTable::packed(lines.radices())[0])).add(lines.walk);
  launch_library(work, "fft.h",
                 instance("fft_short", {lines.type(), lines.kind(), count_type(count + of_block), lines.rank()}), words,
                 (count - 1) / of_block + 1, kFftThreads);
}

// Rows of complex numbers in device memory, with as much memory to transform them to.
class FftRows {
 public:
  // Throws ERR_OUT_OF_MEMORY.
  FftRows(const Work &work, const FftLines &lines, int64_t rows, int64_t size)
      : work_(work),
        size_(size),
        type_(lines.type()),
        first_(work.device, work.stream, static_cast<uint64_t>(rows * size * lines.complex_bytes())),
        second_(work.device, work.stream, static_cast<uint64_t>(rows * size * lines.complex_bytes())),
        from_(first_.address()),
        to_(second_.address()) {}

  uint64_t address() const noexcept { return from_; }
  int64_t size() const noexcept { return size_; }

  // Carries out all stages on the first rows.
  void transform(int64_t rows, const Radices &radices, const FftTable &table) {
    int64_t before = 1;
    for (int i = 0; i < radices.count; i++) {
      stage(rows, before, radices.radix[i], table);
      before *= radices.radix[i];
      std::swap(from_, to_);
    }
  }

  // A step between stages (FftConvolution of text/fft.h).
  void convolve(const char *step, int64_t rows, const FftTable &table, int64_t chirp, uint64_t spectrum) {
    const int64_t elements = rows * size_;
    launch_moves(work_, "fft.h", instance("fft_convolve", {type_, step, count_type(elements)}),
                 {static_cast<uint64_t>(elements), from_, table.chirp(), static_cast<uint64_t>(chirp),
                  static_cast<uint64_t>(size_), spectrum},
                 elements);
  }

 private:
  void stage(int64_t rows, int64_t before, int radix, const FftTable &table) {
    const bool odd = radix % 2 != 0;
    const int64_t items = rows * (size_ / radix) * (odd ? radix / 2 + 1 : 1);
    const KernelWords words{static_cast<uint64_t>(items),
                            from_,
                            to_,
                            table.factors(before),
                            before == 1,
                            static_cast<uint64_t>(size_ / radix / before),
                            static_cast<uint64_t>(size_),
                            static_cast<uint64_t>(radix),
                            table.odd(radix)};
    launch_library(work_, "fft.h",
                   instance("fft_stage", {type_, odd ? "0" : std::to_string(radix), count_type(rows * size_)}), words,
                   blocks_of(items), kFftThreads);
  }

  const Work &work_;
  const int64_t size_;
  const std::string type_;
  const Scratch first_, second_;
  uint64_t from_, to_;
};

// Long lines: some at a time go through rows.
class LongLines {
 public:
  LongLines(const Work &work, const FftLines &lines)
      : work_(work),
        lines_(lines),
        size_(lines.staged() ? lines.n : gpo::fft::convolution_size(lines.n)),
        radices_(radices_of(size_)),
        at_once_(std::clamp<int64_t>(kRowBytes / (size_ * lines.complex_bytes()), 1, lines.count())),
        table_(work, lines, size_, radices_) {}

  void run() {
    std::optional<FftRows> spectrum;
    if (!lines_.staged()) add_spectrum(spectrum);
    FftRows rows(work_, lines_, at_once_, size_);
    for (int64_t first = 0; first < lines_.count(); first += at_once_) {
      const int64_t count = std::min(at_once_, lines_.count() - first);
      move("fft_load", rows, first, count, size_);
      rows.transform(count, radices_, table_);
      if (spectrum) {
        rows.convolve("gpo::fft_multiply", count, table_, lines_.n, spectrum->address());
        rows.transform(count, radices_, table_);
      }
      move("fft_store", rows, first, count, lines_.written());
    }
  }

 private:
  static Radices radices_of(int64_t size) {
    Radices radices{};
    gpo::fft::factorize(size, radices);
    return radices;
  }

  void add_spectrum(std::optional<FftRows> &spectrum) {
    spectrum.emplace(work_, lines_, 1, size_);
    spectrum->convolve("gpo::fft_lay_out", 1, table_, lines_.n, 0);
    spectrum->transform(1, radices_, table_);
    spectrum->convolve("gpo::fft_divide", 1, table_, lines_.n, 0);
  }

  // From the array into rows, or back: `elements` of each line.
  void move(const char *kernel, const FftRows &rows, int64_t first, int64_t count, int64_t elements) {
    KernelWords words = words_of(lines_, count * elements, table_);
    words.add(count).add(first).add(static_cast<int64_t>(rows.address())).add(size_);
    words.add(static_cast<int64_t>(table_.chirp())).add(lines_.walk);
    const int64_t most = std::max(count * (size_ + 1), lines_.count());
    launch_moves(work_, "fft.h", instance(kernel, {lines_.type(), lines_.kind(), count_type(most), lines_.rank()}),
                 words, count * elements);
  }

  const Work &work_;
  const FftLines &lines_;
  const int64_t size_;
  const Radices radices_;
  const int64_t at_once_;
  const FftTable table_;
};

}  // namespace

gpuopt_status slots::fft(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, const gpuopt_call *call,
                         gpuopt_error *) {
  const ContextScope context(*device);
  if (call->kind != GPUOPT_CALL_FFT && call->kind != GPUOPT_CALL_RFFT && call->kind != GPUOPT_CALL_IRFFT)
    fail(GPUOPT_ERR_UNSUPPORTED, "the cuda backend knows no transform %d", static_cast<int>(call->kind));
  const Work work{*device, *stream, "fft"};  // one name, as kernels of all kinds are the same ones
  const FftLines lines(*call);
  if (!lines.count() || run_fast_fft(work, *call)) return GPUOPT_OK;
  if (!lines.staged() && lines.n >= kMostChirp)
    fail(GPUOPT_ERR_UNSUPPORTED, "%s: %lld elements with a large prime factor are too many", work.operation,
         static_cast<long long>(lines.n));
  lines.is_short() ? transform_short(work, lines) : LongLines(work, lines).run();
  return GPUOPT_OK;
}

}  // namespace gpuopt::cuda
