// plugins/cuda/library/fast_linalg.cpp -- decompositions by cuSOLVER; see fast_linalg.h.
//
// cuSOLVER is column-major, as LAPACK: each matrix is copied to memory in that order first, whatever its strides, and
// results are copied to where they go. Nothing waits for the device but a copy of what there is to be said of the
// matrices, once for each call; those of which eigenvalues or singular values are wanted are looked at one by one
// before, since an iteration over infinities or NaN might not end.
#include "plugins/cuda/library/fast_linalg.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "plugins/cuda/vendor/cusolver.h"

namespace gpuopt::cuda {
namespace {

// fast_* and linalg_threads of text/fast_linalg.h and text/linalg.h.
constexpr uint64_t kClearBelow = 1, kClearAbove = 2, kMirrorLower = 4, kMirrorUpper = 8, kNoteZero = 16,
                   kNoteNotPositive = 32;
constexpr int64_t kNoteWords = 3, kNoteBytes = kNoteWords * 8;
constexpr uint32_t kFastThreads = 256;

constexpr const char *kFastHeader = "fast_linalg.h";
constexpr int64_t kLeastSpectral = 64;  // rows and columns, from which on cuSOLVER finds eigenvalues

// A matrix, vector (one column) or number in device memory; strides in bytes.
struct Area {
  CUdeviceptr address;
  int64_t row, column;
};

// A call, and what its matrices have in common.
class FastCall {
 public:
  FastCall(const Work &on, const gpuopt_call &of)
      : work(on),
        call(of),
        solver(*on.device.solver, on.stream),
        a(of.tensors[0]),
        stack(a.ndim - 2),
        m(a.shape[stack]),
        n(a.shape[stack + 1]),
        k(std::min(m, n)),
        count(product(stack, a.shape)),
        element(element_size(a.dtype)) {}

  const Work &work;
  const gpuopt_call &call;
  const Cusolver::Use solver;
  const gpuopt_tensor &a;
  const int32_t stack;
  const int64_t m, n, k, count, element;

  bool is_complex() const noexcept { return dtype_kind(a.dtype) == 'c'; }
  bool is_wide() const noexcept { return a.dtype == GPUOPT_FLOAT64 || a.dtype == GPUOPT_COMPLEX128; }
  int64_t real_size() const noexcept { return is_wide() ? 8 : 4; }
  cudaDataType real_type() const noexcept { return is_wide() ? CUDA_R_64F : CUDA_R_32F; }
  cudaDataType type() const noexcept {
    if (!is_complex()) return real_type();
    return is_wide() ? CUDA_C_64F : CUDA_C_32F;
  }

  // The last axis but `back` of tensor t.
  int64_t last(int32_t t, int32_t back = 0) const noexcept {
    const gpuopt_tensor &x = call.tensors[t];
    return x.shape[x.ndim - 1 - back];
  }

  // The number of a matrix says which part of the tensor is its.
  void load(int32_t t, int64_t number, int64_t rows, int64_t columns, const Area &to) const {
    copy(t, rows, columns, to, place(t, number));
  }
  void store(int32_t t, int64_t number, int64_t rows, int64_t columns, const Area &from) const {
    copy(t, rows, columns, place(t, number), from);
  }

  // Launches a kernel for each of `positions` (fast_linalg.h), an instance for a type if one is given.
  void launch_for(const char *kernel, const char *type_name, const KernelWords &words, int64_t positions) const {
    launch_moves(work, kFastHeader, type_name ? instance(kernel, {type_name}) : std::string("gpo::") + kernel, words,
                 positions);
  }
  const char *type_name() const noexcept { return element_type(a.dtype); }

 private:
  Area place(int32_t t, int64_t number) const {
    const gpuopt_tensor &x = call.tensors[t];
    const int32_t own = x.ndim - stack;
    Area area = {address_of(x), own > 0 ? x.strides[stack] : 0, own > 1 ? x.strides[stack + 1] : 0};
    for (int32_t axis = stack - 1; axis >= 0; axis--) {
      area.address += static_cast<uint64_t>(number % x.shape[axis] * x.strides[axis]);
      number /= x.shape[axis];
    }
    return area;
  }
  void copy(int32_t t, int64_t rows, int64_t columns, const Area &to, const Area &from) const {
    const int64_t shape[] = {rows, columns};
    const int64_t to_strides[] = {to.row, to.column}, from_strides[] = {from.row, from.column};
    const auto tensor = [&](const Area &area, const int64_t *strides) {
      return gpuopt_tensor{reinterpret_cast<void *>(area.address), call.tensors[t].dtype, 2, shape, strides};
    };
    copy_elements(work, 2, shape, tensor(to, to_strides), tensor(from, from_strides));
  }
};

// A column-major matrix in scratch memory; a vector is one column.
class Columns {
 public:
  Columns(const FastCall &x, int64_t rows, int64_t columns, int64_t element)
      : rows_(rows),
        columns_(columns),
        element_(element),
        memory_(x.work.device, x.work.stream, static_cast<uint64_t>(rows * columns * element)) {}

  CUdeviceptr address() const noexcept { return memory_.address(); }
  void *data() const noexcept { return reinterpret_cast<void *>(memory_.address()); }
  int64_t rows() const noexcept { return rows_; }
  int64_t size() const noexcept { return rows_ * columns_; }
  Area area() const noexcept { return {address(), element_, rows_ * element_}; }
  Area transposed() const noexcept { return {address(), rows_ * element_, element_}; }

 private:
  const int64_t rows_, columns_, element_;
  const Scratch memory_;
};

int *info_at(CUdeviceptr note, uint64_t which) noexcept { return reinterpret_cast<int *>(note + 4 * which); }
int64_t *integers(const Columns &x) noexcept { return static_cast<int64_t *>(x.data()); }

// A function of cuSOLVER's, and the memory it works in, on the device and on the host.
class SolverFunction {
 public:
  SolverFunction(const FastCall &x, const char *name) : x_(x), name_(name) {}
  ~SolverFunction() {
    if (in_use_) driver().cuStreamSynchronize(x_.work.stream.handle);
  }
  SolverFunction(const SolverFunction &) = delete;
  SolverFunction &operator=(const SolverFunction &) = delete;

  // Asks how much memory it wants.
  template <class Ask, class... Given>
  void make_room(Ask ask, Given... given) {
    size_t device_bytes = 0, host_bytes = 0;
    check(ask(x_.solver.handle(), x_.solver.params(), given..., &device_bytes, &host_bytes));
    device_ = std::make_unique<Scratch>(x_.work.device, x_.work.stream, device_bytes);
    device_bytes_ = device_bytes;
    host_ = std::make_unique<char[]>(host_bytes);
    host_bytes_ = host_bytes;
  }
  // The memory on the host is in use until the device has gone through what was launched.
  template <class Function, class... Given>
  void run(Function function, int *info, Given... given) {
    if (in_use_)
      check_stream(x_.work.device, x_.work.stream, driver().cuStreamSynchronize(x_.work.stream.handle), "linalg");
    in_use_ = host_bytes_ != 0;
    check(function(x_.solver.handle(), x_.solver.params(), given..., reinterpret_cast<void *>(device_->address()),
                   device_bytes_, host_.get(), host_bytes_, info));
  }
  void check(cusolverStatus_t status) const { x_.solver.check(status, name_); }

 private:
  const FastCall &x_;
  const char *const name_;
  std::unique_ptr<Scratch> device_;
  std::unique_ptr<char[]> host_;
  size_t device_bytes_ = 0, host_bytes_ = 0;
  bool in_use_ = false;  // the memory on the host, maybe
};

// What is done with each matrix of a call.
class FastJob {
 public:
  explicit FastJob(const FastCall &of) : x(of), table(of.solver.table()) {}
  virtual ~FastJob() = default;
  // Computes the matrix of this number. What there is to be said of it goes to its note.
  virtual void run(int64_t number, CUdeviceptr note) = 0;
  virtual bool may_fail() const noexcept { return true; }

 protected:
  void do_triangles(const Columns &a, uint64_t todo, CUdeviceptr note) const {
    x.launch_for("fast_triangles", x.type_name(),
                 {static_cast<uint64_t>(a.size()), a.address(), static_cast<uint64_t>(a.rows()), todo, note}, a.size());
  }
  // Returns whether all components are finite. Waits for the device.
  bool is_finite(const Columns &a, CUdeviceptr note) const {
    const int64_t components = a.size() * (x.is_complex() ? 2 : 1);
    x.launch_for("fast_finite", x.is_wide() ? "double" : "float",
                 {static_cast<uint64_t>(components), a.address(), note}, components);
    uint64_t wrong = 0;
    read_words(x.work, note + 8, &wrong, 1);
    return wrong == 0;
  }

  const FastCall &x;
  const CusolverTable &table;
};

// ---- Cholesky and QR

class CholeskyOf : public FastJob {
 public:
  explicit CholeskyOf(const FastCall &of)
      : FastJob(of),
        upper_(of.call.ints[1] != 0),
        triangle_(upper_ ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER),
        a_(of, of.n, of.n, of.element),
        potrf_(of, "cusolverDnXpotrf") {
    potrf_.make_room(table.cusolverDnXpotrf_bufferSize, triangle_, x.n, x.type(), a_.data(), x.n, x.type());
  }

  void run(int64_t number, CUdeviceptr note) override {
    x.load(0, number, x.n, x.n, a_.area());
    do_triangles(a_, upper_ ? kMirrorUpper : kMirrorLower, note);
    potrf_.run(table.cusolverDnXpotrf, info_at(note, 0), triangle_, x.n, x.type(), a_.data(), x.n, x.type());
    // A diagonal with an infinity has a root, too.
    do_triangles(a_, (upper_ ? kClearBelow : kClearAbove) | kNoteNotPositive, note);
    x.store(1, number, x.n, x.n, a_.area());
  }

 private:
  const bool upper_;
  const cublasFillMode_t triangle_;
  const Columns a_;
  SolverFunction potrf_;
};

// Calls use(T{}, ...) with the two functions that form q of the dtype's elements: the one that says how many elements
// of T it works in, and itself.
template <class Use>
void with_form_q(const FastCall &x, Use &&use) {
  const CusolverTable &t = x.solver.table();
  if (!x.is_complex() && !x.is_wide())
    return use(static_cast<float *>(nullptr), t.cusolverDnSorgqr_bufferSize, t.cusolverDnSorgqr);
  if (!x.is_complex()) return use(static_cast<double *>(nullptr), t.cusolverDnDorgqr_bufferSize, t.cusolverDnDorgqr);
  if (!x.is_wide()) return use(static_cast<cuComplex *>(nullptr), t.cusolverDnCungqr_bufferSize, t.cusolverDnCungqr);
  use(static_cast<cuDoubleComplex *>(nullptr), t.cusolverDnZungqr_bufferSize, t.cusolverDnZungqr);
}

class QrOf : public FastJob {
 public:
  explicit QrOf(const FastCall &of)
      : FastJob(of),
        columns_(of.call.ntensors == 3 ? of.last(1) : 0),
        a_(of, of.m, of.n, of.element),
        tau_(of, of.k, 1, of.element),
        q_(of, of.m, columns_, of.element),
        geqrf_(of, "cusolverDnXgeqrf") {
    geqrf_.make_room(table.cusolverDnXgeqrf_bufferSize, x.m, x.n, x.type(), a_.data(), x.m, x.type(), tau_.data(),
                     x.type());
    if (columns_) make_room_for_q();
  }
  bool may_fail() const noexcept override { return false; }

  void run(int64_t number, CUdeviceptr note) override {
    x.load(0, number, x.m, x.n, a_.area());
    geqrf_.run(table.cusolverDnXgeqrf, info_at(note, 0), x.m, x.n, x.type(), a_.data(), x.m, x.type(), tau_.data(),
               x.type());
    if (columns_) {
      form_q(note);
      x.store(1, number, x.m, columns_, q_.area());
    }
    do_triangles(a_, kClearBelow, note);
    x.store(x.call.ntensors - 1, number, columns_ > x.k ? x.m : x.k, x.n, a_.area());
  }

 private:
  int narrow(int64_t size) const {
    if (size > std::numeric_limits<int>::max())
      fail(GPUOPT_ERR_UNSUPPORTED, "linalg: cuSOLVER forms no q of %lld rows", static_cast<long long>(x.m));
    return static_cast<int>(size);
  }
  void make_room_for_q() {
    with_form_q(x, [&](auto *type, auto ask, auto) {
      using T = std::remove_pointer_t<decltype(type)>;
      const int rows = narrow(x.m);
      x.solver.check(ask(x.solver.handle(), rows, narrow(columns_), narrow(x.k), static_cast<const T *>(q_.data()),
                         rows, static_cast<const T *>(tau_.data()), &elements_),
                     "cusolverDnXorgqr_bufferSize");
    });
    work_ = std::make_unique<Columns>(x, std::max(elements_, 1), 1, x.element);
  }
  void form_q(CUdeviceptr note) const {
    const auto bytes = static_cast<uint64_t>(x.m * x.k * x.element);
    check_stream(x.work.device, x.work.stream,
                 driver().cuMemcpyDtoDAsync(q_.address(), a_.address(), bytes, x.work.stream.handle), "linalg");
    with_form_q(x, [&](auto *type, auto, auto form) {
      using T = std::remove_pointer_t<decltype(type)>;
      const int rows = narrow(x.m);
      x.solver.check(
          form(x.solver.handle(), rows, narrow(columns_), narrow(x.k), static_cast<T *>(q_.data()), rows,
               static_cast<const T *>(tau_.data()), static_cast<T *>(work_->data()), elements_, info_at(note, 1)),
          "cusolverDnXorgqr");
    });
  }

  const int64_t columns_;  // of q; 0: r alone
  const Columns a_, tau_, q_;
  SolverFunction geqrf_;
  int elements_ = 0;
  std::unique_ptr<Columns> work_;
};

// ---- Gaussian elimination

class WithLu : public FastJob {
 protected:
  explicit WithLu(const FastCall &of)
      : FastJob(of), a_(of, of.m, of.n, of.element), pivots_(of, of.k, 1, 8), getrf_(of, "cusolverDnXgetrf") {
    getrf_.make_room(table.cusolverDnXgetrf_bufferSize, x.m, x.n, x.type(), a_.data(), x.m, x.type());
  }

  // The factors of the matrix, and pivots that count from 1.
  void factorize(int64_t number, CUdeviceptr note) {
    x.load(0, number, x.m, x.n, a_.area());
    getrf_.run(table.cusolverDnXgetrf, info_at(note, 0), x.m, x.n, x.type(), a_.data(), x.m, integers(pivots_),
               x.type());
  }
  // Pivots count from 0 then. `order` may be missing.
  void make_order(const Columns *order) const {
    launch_library(
        x.work, kFastHeader, "gpo::fast_order",
        {static_cast<uint64_t>(x.k), pivots_.address(), static_cast<uint64_t>(x.m), order ? order->address() : 0}, 1,
        kFastThreads);
  }

  const Columns a_, pivots_;
  SolverFunction getrf_;
};

class LuOf : public WithLu {
 public:
  explicit LuOf(const FastCall &of) : WithLu(of), order_(of, of.m, 1, 8) {}
  bool may_fail() const noexcept override { return false; }

  void run(int64_t number, CUdeviceptr note) override {
    factorize(number, note);
    make_order(&order_);
    x.store(1, number, x.m, x.n, a_.area());
    x.store(2, number, x.k, 1, pivots_.area());
    x.store(3, number, x.m, 1, order_.area());
  }

 private:
  const Columns order_;
};

class DeterminantOf : public WithLu {
 public:
  explicit DeterminantOf(const FastCall &of) : WithLu(of), number_(of, 1, 1, of.element) {}
  bool may_fail() const noexcept override { return false; }

  void run(int64_t number, CUdeviceptr note) override {
    factorize(number, note);
    make_order(nullptr);
    launch_library(x.work, kFastHeader, instance("fast_determinant", {x.type_name()}),
                   {static_cast<uint64_t>(x.n), a_.address(), pivots_.address(), number_.address()}, 1, kFastThreads);
    x.store(1, number, 1, 1, number_.area());
  }

 private:
  const Columns number_;
};

// Replaces the columns of b by solutions; `a` has factors, and pivots count from 1.
void solve_sides(const FastCall &x, cublasOperation_t op, const Columns &a, const Columns &pivots, const Columns &b,
                 CUdeviceptr note) {
  x.solver.check(
      x.solver.table().cusolverDnXgetrs(x.solver.handle(), x.solver.params(), op, x.n, b.size() / x.n, x.type(),
                                        a.data(), x.n, integers(pivots), x.type(), b.data(), x.n, info_at(note, 1)),
      "cusolverDnXgetrs");
}

class SolutionOf : public WithLu {
 public:
  explicit SolutionOf(const FastCall &of) : WithLu(of), p_(of.last(1)), b_(of, of.n, p_, of.element) {}

  void run(int64_t number, CUdeviceptr note) override {
    factorize(number, note);
    x.load(1, number, x.n, p_, b_.area());
    solve_sides(x, CUBLAS_OP_N, a_, pivots_, b_, note);
    x.store(2, number, x.n, p_, b_.area());
  }

 private:
  const int64_t p_;
  const Columns b_;
};

class SolutionByLu : public FastJob {
 public:
  explicit SolutionByLu(const FastCall &of)
      : FastJob(of),
        p_(of.last(2)),
        a_(of, of.n, of.n, of.element),
        pivots_(of, of.n, 1, 8),
        b_(of, of.n, p_, of.element),
        op_(of.call.ints[1] == 0                      ? CUBLAS_OP_N
            : of.call.ints[1] == 2 && of.is_complex() ? CUBLAS_OP_C
                                                      : CUBLAS_OP_T) {}

  void run(int64_t number, CUdeviceptr note) override {
    x.load(0, number, x.n, x.n, a_.area());
    do_triangles(a_, kNoteZero, note);
    x.load(1, number, x.n, 1, pivots_.area());
    const auto n = static_cast<uint64_t>(x.n);
    x.launch_for("fast_pivots", nullptr, {n, pivots_.address(), static_cast<uint64_t>(number) * n, note}, x.n);
    x.load(2, number, x.n, p_, b_.area());
    solve_sides(x, op_, a_, pivots_, b_, note);
    x.store(3, number, x.n, p_, b_.area());
  }

 private:
  const int64_t p_;
  const Columns a_, pivots_, b_;
  const cublasOperation_t op_;
};

// ---- Eigenvalues and singular values

class EigenvaluesOf : public FastJob {
 public:
  explicit EigenvaluesOf(const FastCall &of)
      : FastJob(of),
        vectors_(of.call.ntensors == 3),
        mode_(vectors_ ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR),
        a_(of, of.n, of.n, of.element),
        w_(of, of.n, 1, of.real_size()),
        syevd_(of, "cusolverDnXsyevd") {
    syevd_.make_room(table.cusolverDnXsyevd_bufferSize, mode_, CUBLAS_FILL_MODE_LOWER, x.n, x.type(), a_.data(), x.n,
                     x.real_type(), w_.data(), x.type());
  }

  void run(int64_t number, CUdeviceptr note) override {
    x.load(0, number, x.n, x.n, a_.area());
    do_triangles(a_, x.call.ints[1] ? kMirrorUpper : kMirrorLower, note);
    if (!is_finite(a_, note)) return;
    syevd_.run(table.cusolverDnXsyevd, info_at(note, 0), mode_, CUBLAS_FILL_MODE_LOWER, x.n, x.type(), a_.data(), x.n,
               x.real_type(), w_.data(), x.type());
    x.store(1, number, x.n, 1, w_.area());
    if (!vectors_) return;
    launch_library(x.work, kFastHeader, instance("fast_turn", {x.type_name()}),
                   {static_cast<uint64_t>(x.n), a_.address()}, x.n, kFastThreads);
    x.store(2, number, x.n, x.n, a_.area());
  }

 private:
  const bool vectors_;
  const cusolverEigMode_t mode_;
  const Columns a_, w_;
  SolverFunction syevd_;
};

// cuSOLVER takes no matrix with fewer rows than columns. Such a one is given as its transpose, a^T = y s z, of which
// a = z^T s y^T.
class SingularValuesOf : public FastJob {
 public:
  explicit SingularValuesOf(const FastCall &of)
      : FastJob(of),
        vectors_(of.call.ntensors == 4),
        wide_(of.m < of.n),
        rows_(std::max(of.m, of.n)),
        // As many columns as u has, or as vh has rows.
        left_(!vectors_ ? 0
              : wide_   ? of.last(3, 1)
                        : of.last(2)),
        job_(static_cast<signed char>(!vectors_       ? 'N'
                                      : left_ == of.k ? 'S'
                                                      : 'A')),
        a_(of, rows_, of.k, of.element),
        s_(of, of.k, 1, of.real_size()),
        y_(of, rows_, left_, of.element),
        z_(of, of.k, vectors_ ? of.k : 0, of.element),
        gesvd_(of, "cusolverDnXgesvd") {
    gesvd_.make_room(table.cusolverDnXgesvd_bufferSize, job_, job_, rows_, x.k, x.type(), a_.data(), rows_,
                     x.real_type(), s_.data(), x.type(), y_.data(), rows_, x.type(), z_.data(), x.k, x.type());
  }

  void run(int64_t number, CUdeviceptr note) override {
    x.load(0, number, x.m, x.n, wide_ ? a_.transposed() : a_.area());
    if (!is_finite(a_, note)) return;
    gesvd_.run(table.cusolverDnXgesvd, info_at(note, 0), job_, job_, rows_, x.k, x.type(), a_.data(), rows_,
               x.real_type(), s_.data(), x.type(), y_.data(), rows_, x.type(), z_.data(), x.k, x.type());
    x.store(1, number, x.k, 1, s_.area());
    if (!vectors_) return;
    if (wide_) {
      x.store(2, number, x.k, x.k, z_.transposed());
      x.store(3, number, left_, x.n, y_.transposed());
    } else {
      x.store(2, number, x.m, left_, y_.area());
      x.store(3, number, x.k, x.k, z_.area());
    }
  }

 private:
  const bool vectors_, wide_;
  const int64_t rows_, left_;
  const signed char job_;
  const Columns a_, s_, y_, z_;
  SolverFunction gesvd_;
};

std::unique_ptr<FastJob> make_job(const FastCall &x) {
  switch (x.call.kind) {
    case GPUOPT_CALL_CHOLESKY:
      return std::make_unique<CholeskyOf>(x);
    case GPUOPT_CALL_QR:
      return std::make_unique<QrOf>(x);
    case GPUOPT_CALL_LU:
      return std::make_unique<LuOf>(x);
    case GPUOPT_CALL_DET:
      return std::make_unique<DeterminantOf>(x);
    case GPUOPT_CALL_SOLVE:
      return std::make_unique<SolutionOf>(x);
    case GPUOPT_CALL_SOLVE_LU:
      return std::make_unique<SolutionByLu>(x);
    case GPUOPT_CALL_EIGH:
      return std::make_unique<EigenvaluesOf>(x);
    default:
      return std::make_unique<SingularValuesOf>(x);
  }
}

// ---- What was noted

// Throws ERR_INDEX for the pivot of this number among those of the call.
[[noreturn]] void fail_wrong_pivot(const FastCall &x, int64_t number) {
  const Columns pivot(x, x.n, 1, 8);
  x.load(1, number / x.n, x.n, 1, pivot.area());
  uint64_t value = 0;
  read_words(x.work, pivot.address() + static_cast<uint64_t>(8 * (number % x.n)), &value, 1);
  fail(GPUOPT_ERR_INDEX, "pivot %lld is out of bounds for %lld rows", static_cast<long long>(value),
       static_cast<long long>(x.n));
}

// Returns the number of the first matrix without an answer, or -1. A pivot that is out of bounds comes first.
int64_t read_notes(const FastCall &x, CUdeviceptr notes) {
  std::vector<uint64_t> words(static_cast<size_t>(x.count * kNoteWords));
  read_words(x.work, notes, words.data(), x.count * kNoteWords);
  int64_t first = -1;
  for (int64_t number = x.count; number-- > 0;) {
    const uint64_t *const note = &words[static_cast<size_t>(number * kNoteWords)];
    const auto info = static_cast<int32_t>(note[0]), other = static_cast<int32_t>(note[0] >> 32);
    if (std::min(info, other) < 0)
      fail(GPUOPT_ERR_INTERNAL, "cuda:%d: linalg: cuSOLVER refuses argument %d", x.work.device.index,
           -std::min(info, other));
    if (info > 0 || note[1]) first = number;
  }
  for (int64_t number = 0; number < x.count; number++) {
    const uint64_t pivot = words[static_cast<size_t>(number * kNoteWords + 2)];
    if (pivot) fail_wrong_pivot(x, static_cast<int64_t>(~pivot));
  }
  return first;
}

}  // namespace

bool is_for_cusolver(const gpuopt_call &call) noexcept {
  const gpuopt_tensor &a = call.tensors[0];
  const char kind = dtype_kind(a.dtype);
  if (a.ndim < 2 || element_size(a.dtype) < 4 || (kind != 'f' && kind != 'c')) return false;
  const int64_t least = std::min(a.shape[a.ndim - 2], a.shape[a.ndim - 1]);
  switch (call.kind) {
    case GPUOPT_CALL_CHOLESKY:
    case GPUOPT_CALL_QR:
    case GPUOPT_CALL_LU:
    case GPUOPT_CALL_DET:
    case GPUOPT_CALL_SOLVE:
    case GPUOPT_CALL_SOLVE_LU:
      return least > 0;
    case GPUOPT_CALL_EIGH:
    case GPUOPT_CALL_SVD:
      return least >= kLeastSpectral;
    default:
      return false;
  }
}

void run_fast_linalg(const Work &work, const gpuopt_call &call) {
  const FastCall x(work, call);
  const Scratch notes(work.device, work.stream, static_cast<uint64_t>(x.count * kNoteBytes));
  fill_bytes(work, notes.address(), 0, static_cast<uint64_t>(x.count * kNoteBytes));
  const std::unique_ptr<FastJob> job = make_job(x);
  for (int64_t number = 0; number < x.count; number++)
    job->run(number, notes.address() + static_cast<uint64_t>(number * kNoteBytes));
  call.ints[0] = job->may_fail() ? read_notes(x, notes.address()) : -1;
}

}  // namespace gpuopt::cuda
