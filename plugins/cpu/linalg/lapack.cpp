// plugins/cpu/linalg/lapack.cpp -- see lapack.h.
//
// LAPACK's interface is Fortran's: everything by address, and the lengths of character arguments at the end. Integers
// are passed as 64 bits, whose low half a library with 32-bit integers reads (blas.h); those that come back are read as
// wide as the library's are.
#include "plugins/cpu/linalg/lapack.h"

#include <gpuopt/dlopen_note.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <type_traits>

#include "plugins/cpu/products/blas.h"
#include "plugins/cpu/runtime/host.h"
#include "plugins/cpu/runtime/memory.h"
#include "plugins/cpu/runtime/os.h"
#include "plugins/shared/host/setting_values.h"
#include "plugins/shared/linalg/reflections.h"

namespace gpuopt::cpu {
namespace {

#if defined(_WIN32)
constexpr const char *kLapack = "liblapack.dll";
#else
constexpr const char *kLapack = "liblapack.so.3";
#endif
GPUOPT_DLOPEN_NOTE(lapack, "lapack", "Fast decompositions", "suggested", "\"liblapack.so.3\"");

template <class T>
constexpr char kLetter = std::is_same_v<T, float>      ? 's'
                         : std::is_same_v<T, double>   ? 'd'
                         : std::is_same_v<T, gpo::c64> ? 'c'
                                                       : 'z';

// Calls the function of a name without its letter. Integers are `const int64_t *`, and the lengths follow.
template <class T, class... Arguments>
void call(const Lapack &library, const char *real_name, const char *complex_name, Arguments... arguments) noexcept {
  const char *const name = gpo::is_complex<T> ? complex_name : real_name;
  const std::string symbol = std::string(1, kLetter<T>) + name + "_";
  reinterpret_cast<void (*)(Arguments...)>(find_symbol(library.library, symbol.c_str()))(arguments...);
}

bool has_functions(void *library) noexcept {
  for (const char letter : {'s', 'd', 'c', 'z'}) {
    const bool is_complex = letter == 'c' || letter == 'z';
    for (const char *name : {"potrf", "geqrf", is_complex ? "ungqr" : "orgqr", "getrf", "getrs",
                             is_complex ? "heevd" : "syevd", "gesdd", "geev"}) {
      if (!find_symbol(library, (std::string(1, letter) + name + "_").c_str())) return false;
    }
  }
  return true;
}

// Finds out how wide the library's integers are, by factorizing a matrix whose two pivots are both row 2. Returns
// whether it did.
bool try_out(Lapack &found) noexcept {
  double a[] = {0, 2, 1, 0};
  const int64_t two = 2;
  int64_t pivots[2] = {}, info = 0;
  call<double>(found, "getrf", "getrf", &two, &two, a, &two, pivots, &info);
  int32_t narrow[2];
  std::memcpy(narrow, pivots, sizeof narrow);
  found.wide = pivots[0] == 2 && pivots[1] == 2;
  const bool right = found.wide || (narrow[0] == 2 && narrow[1] == 2);
  return right && a[0] == 2 && a[1] == 0 && a[2] == 0 && a[3] == 1;
}

std::unique_ptr<Lapack> find() {
  const Blas *const products = blas();
  if (!products) return nullptr;
  auto found = std::make_unique<Lapack>(Lapack{products->library, false, products->name});
  if (!has_functions(found->library)) {
    found->library = open_library(kLapack);
    found->name = kLapack;
    if (!found->library || !is_tuned_blas(found->library) || !has_functions(found->library)) return nullptr;
  }
  if (!try_out(*found)) return nullptr;
  return found;
}

const Lapack *find_and_log() {
  const Lapack *const found = find().release();  // never freed, like the library
  log(GPUOPT_LOG_INFO, "cpu.lapack",
      found ? ("decompositions by " + found->name + (found->wide ? ", 64-bit integers" : "")).c_str()
            : "no LAPACK library found: decompositions by own algorithms");
  return found;
}

// An integer that came back.
int64_t value_of(const Lapack &library, int64_t integer) noexcept {
  int32_t low;
  std::memcpy(&low, &integer, sizeof low);
  return library.wide ? integer : low;
}
Outcome outcome_of(const Lapack &library, int64_t info) noexcept {
  return value_of(library, info) == 0 ? Outcome::kDone : Outcome::kNoAnswer;
}
}  // namespace

// Whether the library's integers hold such sizes.
static bool fits(const Lapack &library, std::initializer_list<int64_t> sizes) noexcept {
  const int64_t most = library.wide ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int32_t>::max();
  return std::all_of(sizes.begin(), sizes.end(), [=](int64_t size) { return size <= most; });
}

// The elements of work that a function wants. It says so in a number of its type, which may have been rounded down.
template <class T>
static int64_t wanted_size(T wanted) noexcept {
  const double number = static_cast<double>(gpo::linalg::re(wanted));
  return static_cast<int64_t>(number + number / (1 << 22)) + 1;
}

// Memory for a function's work.
template <class T>
class LapackWork {
 public:
  explicit LapackWork(int64_t size) noexcept
      : size_(std::max<int64_t>(size, 1)), memory_(static_cast<uint64_t>(size_) * sizeof(T)) {}

  bool is_usable(const Lapack &library) const noexcept { return memory_ && fits(library, {size_}); }
  T *data() const noexcept { return memory_.template as<T>(); }
  const int64_t *size() const noexcept { return &size_; }

 private:
  const int64_t size_;
  const Scratch memory_;
};

namespace {

constexpr int64_t kQuery = -1;

template <class T>
bool is_finite(int64_t count, const T *a) noexcept {
  using gpo::linalg::components, gpo::linalg::parts;
  return !gpo::isinf(gpo::linalg::largest_component(count * components<T>, parts(a)));
}

}  // namespace

const Lapack *lapack() {
  static const Lapack *const found = plugin::setting_is(Setting::GPUOPT_LINALG, "fast") ? find_and_log() : nullptr;
  return found;
}

template <class T>
Outcome lapack_cholesky(const Lapack &library, int64_t n, T *a) noexcept {
  if (!fits(library, {n})) return Outcome::kRefused;
  int64_t info = 0;
  call<T>(library, "potrf", "potrf", "L", &n, a, &n, &info, size_t{1});
  for (int64_t j = 1; j < n; j++) std::fill(a + j * n, a + j * n + j, T{});
  // A diagonal with an infinity has a root, too.
  for (int64_t j = 0; j < n; j++) {
    if (!gpo::isfinite(gpo::linalg::re(a[j + j * n]))) return Outcome::kNoAnswer;
  }
  return outcome_of(library, info);
}

template <class T>
Outcome lapack_qr(const Lapack &library, int64_t m, int64_t n, T *a, T *tau) noexcept {
  if (!fits(library, {m, n})) return Outcome::kRefused;
  int64_t info = 0;
  T wanted{};
  call<T>(library, "geqrf", "geqrf", &m, &n, a, &m, tau, &wanted, &kQuery, &info);
  const LapackWork<T> work(wanted_size(wanted));
  if (!work.is_usable(library)) return Outcome::kRefused;
  call<T>(library, "geqrf", "geqrf", &m, &n, a, &m, tau, work.data(), work.size(), &info);
  return outcome_of(library, info);
}

template <class T>
Outcome lapack_form_q(const Lapack &library, int64_t m, int64_t columns, int64_t count, T *q, const T *tau) noexcept {
  int64_t info = 0;
  T wanted{};
  call<T>(library, "orgqr", "ungqr", &m, &columns, &count, q, &m, tau, &wanted, &kQuery, &info);
  const LapackWork<T> work(wanted_size(wanted));
  if (!work.is_usable(library)) return Outcome::kRefused;
  call<T>(library, "orgqr", "ungqr", &m, &columns, &count, q, &m, tau, work.data(), work.size(), &info);
  return outcome_of(library, info);
}

template <class T>
Outcome lapack_lu(const Lapack &library, int64_t m, int64_t n, T *a, int64_t *pivots) noexcept {
  if (!fits(library, {m, n})) return Outcome::kRefused;
  int64_t info = 0;
  call<T>(library, "getrf", "getrf", &m, &n, a, &m, pivots, &info);
  for (int64_t k = std::min(m, n); k-- > 0;) {  // narrow ones lie side by side, in front of where they go
    int32_t narrow;
    std::memcpy(&narrow, reinterpret_cast<const char *>(pivots) + k * int64_t{sizeof narrow}, sizeof narrow);
    pivots[k] = (library.wide ? pivots[k] : narrow) - 1;
  }
  return Outcome::kDone;  // info says where u has a zero
}

template <class T>
Outcome lapack_solve(const Lapack &library, int64_t n, T *a, int64_t columns, T *b) noexcept {
  const LapackWork<int64_t> pivots(n);
  if (!fits(library, {n, columns}) || !pivots.is_usable(library)) return Outcome::kRefused;
  int64_t info = 0;
  call<T>(library, "getrf", "getrf", &n, &n, a, &n, pivots.data(), &info);
  if (outcome_of(library, info) != Outcome::kDone) return Outcome::kNoAnswer;
  call<T>(library, "getrs", "getrs", "N", &n, &columns, a, &n, pivots.data(), b, &n, &info, size_t{1});
  return outcome_of(library, info);
}

template <class T, class R>
Outcome lapack_eigh(const Lapack &library, int64_t n, T *a, R *w, bool vectors) noexcept {
  if (!fits(library, {n})) return Outcome::kRefused;
  if (!is_finite(n * n, a)) return Outcome::kNoAnswer;
  const char *const job = vectors ? "V" : "N";
  int64_t info = 0, integers = 0;
  T wanted{};
  R reals{};
  const auto run = [&](T *work, const int64_t *size, R *real, const int64_t *real_size, int64_t *integer,
                       const int64_t *integer_size) {
    if constexpr (gpo::is_complex<T>) {
      call<T>(library, "", "heevd", job, "L", &n, a, &n, w, work, size, real, real_size, integer, integer_size, &info,
              size_t{1}, size_t{1});
    } else {
      call<T>(library, "syevd", "", job, "L", &n, a, &n, w, work, size, integer, integer_size, &info, size_t{1},
              size_t{1});
    }
  };
  run(&wanted, &kQuery, &reals, &kQuery, &integers, &kQuery);
  const LapackWork<T> work(wanted_size(wanted));
  const LapackWork<R> real(wanted_size(reals));
  const LapackWork<int64_t> integer(value_of(library, integers));
  if (!work.is_usable(library) || !real.is_usable(library) || !integer.is_usable(library)) return Outcome::kRefused;
  run(work.data(), work.size(), real.data(), real.size(), integer.data(), integer.size());
  for (int64_t k = 0; vectors && k < n; k++) gpo::linalg::turn(n, a + k * n, true);
  return outcome_of(library, info);
}

template <class T, class R>
Outcome lapack_svd(const Lapack &library, int64_t m, int64_t n, T *a, R *s, T *u, T *vh, bool full) noexcept {
  const int64_t least = std::min(m, n), most = std::max(m, n), rows = full ? n : least;  // of vh
  if (!fits(library, {m, n})) return Outcome::kRefused;
  if (!is_finite(m * n, a)) return Outcome::kNoAnswer;
  const char *const job = !u ? "N" : full ? "A" : "S";
  int64_t info = 0;
  T wanted{}, unused{};
  // What complex functions need beside, by their specification.
  const LapackWork<R> real(gpo::is_complex<T> ? least * std::max(5 * least + 7, 2 * most + 2 * least + 1) : 1);
  const LapackWork<int64_t> integer(8 * least);
  if (!real.is_usable(library) || !integer.is_usable(library)) return Outcome::kRefused;
  const auto run = [&](T *work, const int64_t *size) {
    if constexpr (gpo::is_complex<T>) {
      call<T>(library, "", "gesdd", job, &m, &n, a, &m, s, u ? u : &unused, &m, vh ? vh : &unused, &rows, work, size,
              real.data(), integer.data(), &info, size_t{1});
    } else {
      call<T>(library, "gesdd", "", job, &m, &n, a, &m, s, u ? u : &unused, &m, vh ? vh : &unused, &rows, work, size,
              integer.data(), &info, size_t{1});
    }
  };
  run(&wanted, &kQuery);
  const LapackWork<T> work(wanted_size(wanted));
  if (!work.is_usable(library)) return Outcome::kRefused;
  run(work.data(), work.size());
  return outcome_of(library, info);
}

namespace {

// Makes complex vectors of what geev says of a real matrix: a conjugate pair has the real parts in its first column,
// and the imaginary parts in the second.
template <class R>
void widen_vectors(int64_t n, const R *imaginary, const R *columns, R *v) noexcept {
  for (int64_t k = 0; k < n;) {
    const bool pair = imaginary[k] != 0 && k + 1 < n;
    for (int64_t i = 0; i < n; i++) {
      const R re = columns[i + k * n], im = pair ? columns[i + (k + 1) * n] : R(0);
      R *const to = v + 2 * (i + k * n);
      to[0] = re, to[1] = im;
      if (pair) to[2 * n] = re, to[2 * n + 1] = -im;
    }
    k += pair ? 2 : 1;
  }
}

template <class R>
Outcome eig_of_real(const Lapack &library, int64_t n, R *a, R *w, R *v) noexcept {
  const LapackWork<R> parts(2 * n), columns(v ? n * n : 1);
  if (!parts.is_usable(library) || !columns.is_usable(library)) return Outcome::kRefused;
  R *const re = parts.data(), *const im = re + n;
  int64_t info = 0;
  R wanted{}, unused{};
  const auto run = [&](R *work, const int64_t *size) {
    call<R>(library, "geev", "", "N", v ? "V" : "N", &n, a, &n, re, im, &unused, &n, columns.data(), &n, work, size,
            &info, size_t{1}, size_t{1});
  };
  run(&wanted, &kQuery);
  const LapackWork<R> work(wanted_size(wanted));
  if (!work.is_usable(library)) return Outcome::kRefused;
  run(work.data(), work.size());
  for (int64_t k = 0; k < n; k++) w[2 * k] = re[k], w[2 * k + 1] = im[k];
  if (v) widen_vectors(n, im, columns.data(), v);
  return outcome_of(library, info);
}

template <class T, class R>
Outcome eig_of_complex(const Lapack &library, int64_t n, T *a, R *w, R *v) noexcept {
  const LapackWork<R> real(2 * n);
  if (!real.is_usable(library)) return Outcome::kRefused;
  int64_t info = 0;
  T wanted{}, unused{};
  const auto run = [&](T *work, const int64_t *size) {
    call<T>(library, "", "geev", "N", v ? "V" : "N", &n, a, &n, w, &unused, &n,
            v ? static_cast<void *>(v) : static_cast<void *>(&unused), &n, work, size, real.data(), &info, size_t{1},
            size_t{1});
  };
  run(&wanted, &kQuery);
  const LapackWork<T> work(wanted_size(wanted));
  if (!work.is_usable(library)) return Outcome::kRefused;
  run(work.data(), work.size());
  return outcome_of(library, info);
}

}  // namespace

template <class T, class R>
Outcome lapack_eig(const Lapack &library, int64_t n, T *a, R *w, R *v) noexcept {
  if (!fits(library, {n})) return Outcome::kRefused;
  if (!is_finite(n * n, a)) return Outcome::kNoAnswer;
  if constexpr (gpo::is_complex<T>) {
    return eig_of_complex(library, n, a, w, v);
  } else {
    return eig_of_real(library, n, a, w, v);
  }
}

#define GPUOPT_LAPACK_OF(T, R)                                                                        \
  template Outcome lapack_cholesky(const Lapack &, int64_t, T *) noexcept;                            \
  template Outcome lapack_qr(const Lapack &, int64_t, int64_t, T *, T *) noexcept;                    \
  template Outcome lapack_form_q(const Lapack &, int64_t, int64_t, int64_t, T *, const T *) noexcept; \
  template Outcome lapack_lu(const Lapack &, int64_t, int64_t, T *, int64_t *) noexcept;              \
  template Outcome lapack_solve(const Lapack &, int64_t, T *, int64_t, T *) noexcept;                 \
  template Outcome lapack_eigh(const Lapack &, int64_t, T *, R *, bool) noexcept;                     \
  template Outcome lapack_svd(const Lapack &, int64_t, int64_t, T *, R *, T *, T *, bool) noexcept;   \
  template Outcome lapack_eig(const Lapack &, int64_t, T *, R *, R *) noexcept;
GPUOPT_LAPACK_OF(float, float)
GPUOPT_LAPACK_OF(double, double)
GPUOPT_LAPACK_OF(gpo::c64, float)
GPUOPT_LAPACK_OF(gpo::c128, double)

}  // namespace gpuopt::cpu
