// tests/unit/cpu_program_reference.h -- programs executed literally as gpuopt_plugin.h words them: one value at a time,
// reductions by chunk, lane and pair, everything read before anything is stored.
//
// It shares the scalar definitions with the backend (their own tests hold them to other oracles) and nothing else. They
// are compiled once, in cpu_program_reference.cpp: tests that use this link the library gpuopt_test_reference.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "plugins/shared/prelude.h"

namespace gpuopt::test {

template <class T>
struct TypeTag {
  using type = T;
};

// Calls f with a TypeTag of the dtype's type.
template <class F>
void with_type(int dtype, F f) {
  switch (dtype) {
    case GPUOPT_BOOL:
      return f(TypeTag<bool>());
    case GPUOPT_INT8:
      return f(TypeTag<gpo::i8>());
    case GPUOPT_INT16:
      return f(TypeTag<gpo::i16>());
    case GPUOPT_INT32:
      return f(TypeTag<gpo::i32>());
    case GPUOPT_INT64:
      return f(TypeTag<gpo::i64>());
    case GPUOPT_UINT8:
      return f(TypeTag<gpo::u8>());
    case GPUOPT_UINT16:
      return f(TypeTag<gpo::u16>());
    case GPUOPT_UINT32:
      return f(TypeTag<gpo::u32>());
    case GPUOPT_UINT64:
      return f(TypeTag<gpo::u64>());
    case GPUOPT_FLOAT16:
      return f(TypeTag<gpo::float16>());
    case GPUOPT_BFLOAT16:
      return f(TypeTag<gpo::bfloat16>());
    case GPUOPT_FLOAT32:
      return f(TypeTag<float>());
    case GPUOPT_FLOAT64:
      return f(TypeTag<double>());
    case GPUOPT_COMPLEX64:
      return f(TypeTag<gpo::c64>());
    case GPUOPT_COMPLEX128:
      return f(TypeTag<gpo::c128>());
    default:
      throw std::logic_error("no such dtype");
  }
}

inline int size_of(int dtype) {
  int size = 0;
  with_type(dtype, [&](auto tag) { size = sizeof(typename decltype(tag)::type); });
  return size;
}
inline char kind_of(int dtype) {
  static const char kinds[] = {
      0,
#define GPUOPT_DTYPE(NAME, name, kind, size, npy, dlpack_code, dlpack_bits) kind,
#include <gpuopt/dtypes.def>
  };
  return kinds[dtype];
}
template <class T>
constexpr int dtype_number() {
  if (std::is_same_v<T, bool>) return GPUOPT_BOOL;
  if (std::is_same_v<T, gpo::i8>) return GPUOPT_INT8;
  if (std::is_same_v<T, gpo::i16>) return GPUOPT_INT16;
  if (std::is_same_v<T, gpo::i32>) return GPUOPT_INT32;
  if (std::is_same_v<T, gpo::i64>) return GPUOPT_INT64;
  if (std::is_same_v<T, gpo::u8>) return GPUOPT_UINT8;
  if (std::is_same_v<T, gpo::u16>) return GPUOPT_UINT16;
  if (std::is_same_v<T, gpo::u32>) return GPUOPT_UINT32;
  if (std::is_same_v<T, gpo::u64>) return GPUOPT_UINT64;
  if (std::is_same_v<T, gpo::float16>) return GPUOPT_FLOAT16;
  if (std::is_same_v<T, gpo::bfloat16>) return GPUOPT_BFLOAT16;
  if (std::is_same_v<T, float>) return GPUOPT_FLOAT32;
  if (std::is_same_v<T, double>) return GPUOPT_FLOAT64;
  if (std::is_same_v<T, gpo::c64>) return GPUOPT_COMPLEX64;
  return GPUOPT_COMPLEX128;
}

// One operation on one element; NULL where there is none.
struct ScalarOp {
  void (*call)(void *out, const void *a, const void *b, const void *c) = nullptr;
  int result_dtype = 0;
};
ScalarOp scalar_op(int op, int loop_dtype);

// Reduces or scans one sequence of n elements; NULL where there is none.
struct SequenceOp {
  void (*reduce)(void *out, const void *x, int64_t n) = nullptr;
  int result_dtype = 0;
};
SequenceOp reduction_op(int reduction, int loop_dtype);
SequenceOp scan_op(int scan, int loop_dtype);

// Converts the element at `in`, of dtype `from`, to dtype `to`.
void cast_element(void *out, int to, const void *in, int from);

// Executes a program. Values are held one per index of the whole space, or of the kept one, both in C order.
class ReferenceExecutor {
 public:
  // `program` must outlive the executor.
  explicit ReferenceExecutor(const gpuopt_program &program);
  void run();

 private:
  using Bytes = std::vector<unsigned char>;

  void list_indices();
  bool full(int v) const { return p_.steps[v].level == GPUOPT_LEVEL_FULL; }
  int64_t count(int v) const { return full(v) ? total_ : kept_; }
  unsigned char *at(int v, int64_t i);
  unsigned char *source(int v, int64_t i, bool of_full);
  char *element(const gpuopt_operand &operand, int64_t i, bool of_full) const;
  void evaluate(int v);
  void along_sequences(int v);
  void store(int v);

  const gpuopt_program &p_;
  int64_t total_ = 1, kept_ = 1, sequence_ = 1;
  std::vector<int64_t> kept_of_, sequence_of_;  // of each index of the whole space, in C order
  std::vector<Bytes> values_;
};

// Whether two elements have equal bits, or are both NaN, component by component.
bool same_value(const void *a, const void *b, int dtype);

}  // namespace gpuopt::test
