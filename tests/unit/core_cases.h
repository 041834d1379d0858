// tests/unit/core_cases.h -- reads the cases that scripts with NumPy write, and makes operands of several layouts.
#pragma once
#include <sstream>
#include <string>
#include <vector>

#include "tests/unit/core_array_support.h"

namespace support {

inline std::vector<std::string> pieces(const std::string &text, const std::string &between) {
  std::vector<std::string> list;
  size_t start = 0;
  for (size_t end; (end = text.find(between, start)) != std::string::npos; start = end + between.size()) {
    list.push_back(text.substr(start, end - start));
  }
  list.push_back(text.substr(start));
  return list;
}

inline std::vector<int64_t> numbers_of(std::istream &in) {
  std::vector<int64_t> list;
  for (int64_t n; in >> n;) list.push_back(n);
  return list;
}

inline std::vector<int64_t> numbers_of(const std::string &text) {
  std::istringstream in(text);
  return numbers_of(in);
}

inline gpuopt_dtype read_dtype(std::istream &in) {
  std::string name;
  in >> name;
  gpuopt_dtype dtype = 0;
  EXPECT_EQ(gpuopt_dtype_from_name(name.c_str(), &dtype, nullptr), GPUOPT_OK) << name;
  return dtype;
}

inline bool is_blank(const std::string &text) { return text.find_first_not_of(' ') == std::string::npos; }

inline Array cast(const Array &x, gpuopt_dtype dtype) {
  Result r;
  return r.take(gpuopt_astype(x.get(), dtype, GPUOPT_COPY_IF_NEEDED, &r.array, &r.error));
}

// Returns an array of these elements whose memory has the axes in reverse order (1), whose first axis has every second
// element of a larger one (2), or which is an operation that is recorded and has not run (3).
inline Array laid_out(const Array &plain, int layout) {
  Result r;
  if (layout == 1) {
    const Array reversed = transposed(plain);
    return transposed(Array(r.take(gpuopt_copy_array(reversed.get(), &r.array, &r.error))));
  }
  if (layout == 3 && gpuopt_array_dtype(plain.get()) != GPUOPT_BOOL)  // of all elements - 0 has the bits, also of -0
    return r.take(gpuopt_subtract(plain.get(), weak(gpuopt_scalar_int(0)).get(), &r.array, &r.error));
  if (layout == 0 || layout == 3 || gpuopt_array_ndim(plain.get()) == 0) return transposed(transposed(plain));
  Shape shape = shape_of(plain);
  shape[0] *= 2;
  const Array larger = r.take(gpuopt_zeros(cpu(), gpuopt_array_dtype(plain.get()), static_cast<int32_t>(shape.size()),
                                           shape.data(), &r.array, &r.error));
  Array part = sliced(larger, GPUOPT_SLICE_ALL, GPUOPT_SLICE_ALL, -2);
  EXPECT_EQ(gpuopt_assign(part.get(), plain.get(), &r.error), GPUOPT_OK) << r.error.message;
  return part;
}

}  // namespace support
