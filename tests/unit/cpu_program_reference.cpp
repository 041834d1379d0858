// tests/unit/cpu_program_reference.cpp -- see cpu_program_reference.h.
#include "tests/unit/cpu_program_reference.h"

#include <cstring>

#include "plugins/shared/casts.h"
#include "plugins/shared/ops/reduce_ops.h"
#include "plugins/shared/ops/scalar_ops.h"

namespace gpuopt::test {
namespace {

constexpr bool lists(const char *kinds, char kind) {
  while (*kinds && *kinds != kind) kinds++;
  return *kinds != 0;
}
template <class T>
constexpr char type_kind() {
  if (gpo::is_bool<T>) return '?';
  if (gpo::is_signed_int<T>) return 'i';
  if (gpo::is_unsigned_int<T>) return 'u';
  if (gpo::is_float<T>) return 'f';
  if (gpo::is_complex<T>) return 'c';
  return 'h';
}

template <class Op, int kArity, class T>
ScalarOp make_scalar_op() {
  if constexpr (std::is_same_v<Op, gpo::ops::where>) {
    return {[](void *out, const void *a, const void *b, const void *c) {
              *static_cast<T *>(out) =
                  Op::apply(*static_cast<const bool *>(a), *static_cast<const T *>(b), *static_cast<const T *>(c));
            },
            dtype_number<T>()};
  } else if constexpr (kArity == 1) {
    using R = decltype(Op::apply(T()));
    return {[](void *out, const void *a, const void *, const void *) {
              *static_cast<R *>(out) = Op::apply(*static_cast<const T *>(a));
            },
            dtype_number<R>()};
  } else if constexpr (kArity == 2) {
    using R = decltype(Op::apply(T(), T()));
    return {[](void *out, const void *a, const void *b, const void *) {
              *static_cast<R *>(out) = Op::apply(*static_cast<const T *>(a), *static_cast<const T *>(b));
            },
            dtype_number<R>()};
  } else {
    return {[](void *out, const void *a, const void *b, const void *c) {
              *static_cast<T *>(out) =
                  Op::apply(*static_cast<const T *>(a), *static_cast<const T *>(b), *static_cast<const T *>(c));
            },
            dtype_number<T>()};
  }
}

template <class Op, class T>
void reduce_sequence(void *out, const void *memory, int64_t n) {
  using A = typename Op::template accumulator<T>;
  const T *x = static_cast<const T *>(memory);
  std::vector<A> p;
  for (int64_t chunk = 0; chunk < n; chunk += GPUOPT_CHUNK) {
    A lane[GPUOPT_LANES];
    bool present[GPUOPT_LANES] = {};
    for (int64_t i = chunk; i < n && i < chunk + GPUOPT_CHUNK; i++) {
      const int64_t l = (i - chunk) % GPUOPT_LANES;
      const A element = Op::template lift<A>(x[i], i);
      lane[l] = present[l] ? Op::combine(lane[l], element) : element;
      present[l] = true;
    }
    for (int s = GPUOPT_LANES / 2; s > 0; s /= 2) {
      for (int l = 0; l < s; l++) {
        if (present[l + s]) lane[l] = Op::combine(lane[l], lane[l + s]);
      }
    }
    p.push_back(lane[0]);
  }
  while (p.size() > 1) {
    std::vector<A> next;
    for (size_t j = 0; j < p.size(); j += 2) next.push_back(j + 1 < p.size() ? Op::combine(p[j], p[j + 1]) : p[j]);
    p = next;
  }
  *static_cast<decltype(Op::finish(A())) *>(out) = Op::finish(p.empty() ? Op::template identity<A>() : A(p[0]));
}

template <class Op, class T>
void scan_sequence(void *out, const void *memory, int64_t n) {
  using A = typename Op::template accumulator<T>;
  const T *x = static_cast<const T *>(memory);
  A *y = static_cast<A *>(out);
  A c = A();
  for (int64_t chunk = 0; chunk < n; chunk += GPUOPT_CHUNK) {
    A b = A(), last = A();
    for (int64_t block = chunk; block < n && block < chunk + GPUOPT_CHUNK; block += GPUOPT_LANES) {
      A s = A();
      for (int64_t i = block; i < n && i < block + GPUOPT_LANES; i++) {
        const A element = Op::template lift<A>(x[i], i);
        s = i == block ? element : Op::combine(s, element);
        last = block == chunk ? s : Op::combine(b, s);
        y[i] = chunk == 0 ? last : Op::combine(c, last);
      }
      b = block == chunk ? s : Op::combine(b, s);
    }
    c = chunk == 0 ? last : Op::combine(c, last);
  }
}

}  // namespace

ScalarOp scalar_op(int op, int loop_dtype) {
  ScalarOp found;
  with_type(loop_dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    (void)tag;
#define GPUOPT_OP(name, nin, kinds, result, doc)                                                                \
  if constexpr (lists(kinds, type_kind<T>()) || (gpo::is_half<T> && GPUOPT_OP_##name == GPUOPT_OP_nextafter)) { \
    if (op == GPUOPT_OP_##name) found = make_scalar_op<gpo::ops::name, nin, T>();                               \
  }
#include <gpuopt/ops.def>
  });
  return found;
}

SequenceOp reduction_op(int reduction, int loop_dtype) {
  SequenceOp found;
  with_type(loop_dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    (void)tag;
#define GPUOPT_REDUCTION(name, kinds, result, doc)                                                                \
  if constexpr (lists(kinds, type_kind<T>())) {                                                                   \
    using A = typename gpo::reduce::name::accumulator<T>;                                                         \
    using R = decltype(gpo::reduce::name::finish(A()));                                                           \
    if (reduction == GPUOPT_REDUCTION_##name) found = {reduce_sequence<gpo::reduce::name, T>, dtype_number<R>()}; \
  }
#include <gpuopt/ops.def>
  });
  return found;
}

SequenceOp scan_op(int scan, int loop_dtype) {
  SequenceOp found;
  with_type(loop_dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    (void)tag;
#define GPUOPT_SCAN(name, kinds, result, doc)                                                         \
  if constexpr (lists(kinds, type_kind<T>())) {                                                       \
    using A = typename gpo::reduce::name::accumulator<T>;                                             \
    if (scan == GPUOPT_SCAN_##name) found = {scan_sequence<gpo::reduce::name, T>, dtype_number<A>()}; \
  }
#include <gpuopt/ops.def>
  });
  return found;
}

void cast_element(void *out, int to, const void *in, int from) {
  with_type(to, [&](auto to_tag) {
    using To = typename decltype(to_tag)::type;
    with_type(from, [&](auto from_tag) {
      using From = typename decltype(from_tag)::type;
      *static_cast<To *>(out) = gpo::cast<To>(*static_cast<const From *>(in));
    });
  });
}

ReferenceExecutor::ReferenceExecutor(const gpuopt_program &program) : p_(program) {
  for (int d = 0; d < p_.ndim; d++) {
    total_ *= p_.shape[d];
    (p_.reduced_axes >> d & 1 ? sequence_ : kept_) *= p_.shape[d];
  }
  list_indices();
}

void ReferenceExecutor::run() {
  values_.resize(static_cast<size_t>(p_.nsteps));
  for (int v = 0; v < p_.nsteps; v++) evaluate(v);
  for (int v = 0; v < p_.nsteps; v++) {
    if (p_.steps[v].kind == GPUOPT_STEP_OUTPUT) store(v);
  }
}

// For every index of the whole space in C order: its number among the kept ones and its place in the sequence.
void ReferenceExecutor::list_indices() {
  std::vector<int64_t> index(static_cast<size_t>(p_.ndim));
  for (int64_t flat = 0; flat < total_; flat++) {
    int64_t rest = flat, k = 0, s = 0;
    for (int d = p_.ndim - 1; d >= 0; d--) {
      index[static_cast<size_t>(d)] = rest % p_.shape[d];
      rest /= p_.shape[d];
    }
    for (int d = 0; d < p_.ndim; d++) {
      int64_t &number = p_.reduced_axes >> d & 1 ? s : k;
      number = number * p_.shape[d] + index[static_cast<size_t>(d)];
    }
    kept_of_.push_back(k);
    sequence_of_.push_back(s);
  }
}

unsigned char *ReferenceExecutor::at(int v, int64_t i) {
  return values_[static_cast<size_t>(v)].data() + i * size_of(p_.steps[v].dtype);
}

// The value of source v for element i of a value that is full or not.
unsigned char *ReferenceExecutor::source(int v, int64_t i, bool of_full) {
  return at(v, of_full && !full(v) ? kept_of_[static_cast<size_t>(i)] : i);
}

char *ReferenceExecutor::element(const gpuopt_operand &operand, int64_t i, bool of_full) const {
  int64_t offset = 0;
  for (int d = p_.ndim - 1; d >= 0; d--) {
    if (!of_full && (p_.reduced_axes >> d & 1)) continue;
    offset += i % p_.shape[d] * operand.strides[d];
    i /= p_.shape[d];
  }
  return static_cast<char *>(operand.data) + offset;
}

void ReferenceExecutor::evaluate(int v) {
  const gpuopt_step &s = p_.steps[v];
  const int size = size_of(s.dtype);
  values_[static_cast<size_t>(v)].resize(static_cast<size_t>(count(v) * size) + 16);
  if (s.kind == GPUOPT_STEP_REDUCE || s.kind == GPUOPT_STEP_SCAN) return along_sequences(v);
  const ScalarOp op = s.kind == GPUOPT_STEP_ELEMENTWISE ? scalar_op(s.index, s.loop_dtype) : ScalarOp();
  for (int64_t i = 0; i < count(v); i++) {
    const unsigned char *src[3] = {};
    for (int k = 0; k < s.nsrc; k++) src[k] = source(s.src[k], i, full(v));
    switch (s.kind) {
      case GPUOPT_STEP_INPUT:
        std::memcpy(at(v, i), element(p_.inputs[s.index], i, full(v)), static_cast<size_t>(size));
        break;
      case GPUOPT_STEP_CONSTANT:
        std::memcpy(at(v, i), p_.constants[s.index].bytes, static_cast<size_t>(size));
        break;
      case GPUOPT_STEP_ELEMENTWISE:
        op.call(at(v, i), src[0], src[1], src[2]);
        break;
      case GPUOPT_STEP_CAST:
        cast_element(at(v, i), s.dtype, src[0], s.loop_dtype);
        break;
      case GPUOPT_STEP_OUTPUT:
        std::memcpy(at(v, i), src[0], static_cast<size_t>(size));
        break;
      default:
        throw std::logic_error("no such step");
    }
  }
}

void ReferenceExecutor::along_sequences(int v) {
  const gpuopt_step &s = p_.steps[v];
  const bool scans = s.kind == GPUOPT_STEP_SCAN;
  const SequenceOp op = scans ? scan_op(s.index, s.loop_dtype) : reduction_op(s.index, s.loop_dtype);
  const int64_t in_size = size_of(s.loop_dtype), out_size = size_of(s.dtype);
  std::vector<Bytes> sequences(static_cast<size_t>(kept_), Bytes(static_cast<size_t>(sequence_ * in_size) + 16));
  for (int64_t i = 0; i < total_; i++) {
    std::memcpy(sequences[static_cast<size_t>(kept_of_[static_cast<size_t>(i)])].data() +
                    sequence_of_[static_cast<size_t>(i)] * in_size,
                source(s.src[0], i, true), static_cast<size_t>(in_size));
  }
  for (int64_t k = 0; k < kept_; k++) {
    Bytes out(static_cast<size_t>((scans ? sequence_ : 1) * out_size) + 16);
    op.reduce(out.data(), sequences[static_cast<size_t>(k)].data(), sequence_);
    sequences[static_cast<size_t>(k)] = out;
    if (!scans) std::memcpy(at(v, k), out.data(), static_cast<size_t>(out_size));
  }
  for (int64_t i = 0; i < total_ && scans; i++) {
    std::memcpy(at(v, i),
                sequences[static_cast<size_t>(kept_of_[static_cast<size_t>(i)])].data() +
                    sequence_of_[static_cast<size_t>(i)] * out_size,
                static_cast<size_t>(out_size));
  }
}

void ReferenceExecutor::store(int v) {
  const gpuopt_step &s = p_.steps[v];
  for (int64_t i = 0; i < count(v); i++) {
    std::memcpy(element(p_.outputs[s.index], i, full(v)), at(v, i), static_cast<size_t>(size_of(s.dtype)));
  }
}

bool same_value(const void *a, const void *b, int dtype) {
  bool same = std::memcmp(a, b, static_cast<size_t>(size_of(dtype))) == 0;
  with_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto both_nan = [](auto x, auto y) { return x != x && y != y; };
    const auto equal = [&](auto x, auto y) { return std::memcmp(&x, &y, sizeof(x)) == 0 || both_nan(x, y); };
    const T &x = *static_cast<const T *>(a), &y = *static_cast<const T *>(b);
    if constexpr (gpo::is_half<T>) {
      same = same || both_nan(gpo::to_float(x), gpo::to_float(y));
    } else if constexpr (gpo::is_complex<T>) {
      same = equal(x.re, y.re) && equal(x.im, y.im);
    } else if constexpr (gpo::is_float<T>) {
      same = equal(x, y);
    }
  });
  return same;
}

}  // namespace gpuopt::test
