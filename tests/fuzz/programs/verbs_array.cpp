// tests/fuzz/programs/verbs_array.cpp -- the verbs that make, look at, view and write arrays, each one call of the C
// ABI.
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

#include "tests/fuzz/programs/session.h"

namespace fuzz {
namespace {

gpuopt_array *out(Call &c) { return &c.outcome.result; }
gpuopt_array written(Call &c, size_t i) { return c.outcome.written = c.array(i); }
int32_t length(const std::vector<int64_t> &list) { return static_cast<int32_t>(list.size()); }
const int64_t *numbers_or_null(const std::vector<int64_t> &list) { return list.empty() ? nullptr : list.data(); }

size_t bytes_of(gpuopt_dtype dtype, const std::vector<int64_t> &shape) {
  size_t bytes = gpuopt_dtype_size(dtype);
  for (int64_t n : shape) bytes *= static_cast<size_t>(n);
  return bytes;
}

// data DTYPE SHAPE PALETTE
gpuopt_status data(Call &c) {
  const auto shape = c.list(1);
  const auto bytes = c.bytes(2, bytes_of(c.dtype(0), shape));
  return gpuopt_array_from(c.session.device, bytes.data(), c.dtype(0), length(shape), shape.data(), out(c), &c.error);
}

// host DTYPE SHAPE STRIDES OFFSET BYTES PALETTE: memory of the program's own, which the array may use in place.
gpuopt_status host(Call &c) {
  const auto shape = c.list(1), strides = c.list(2);
  auto *memory = new std::vector<unsigned char>(c.bytes(5, static_cast<size_t>(c.integer(4))));
  const gpuopt_status status = gpuopt_from_host(
      c.session.device, memory->data() + c.integer(3), c.dtype(0), length(shape), shape.data(), strides.data(),
      GPUOPT_COPY_IF_NEEDED, [](void *p) { delete static_cast<std::vector<unsigned char> *>(p); }, memory, out(c),
      &c.error);
  if (status != GPUOPT_OK) delete memory;
  return status;
}

using Maker = gpuopt_status (*)(gpuopt_device, gpuopt_dtype, int32_t, const int64_t *, gpuopt_array *, gpuopt_error *);
template <Maker maker>
gpuopt_status make(Call &c) {  // DTYPE SHAPE
  const auto shape = c.list(1);
  return maker(c.session.device, c.dtype(0), length(shape), shape.data(), out(c), &c.error);
}

// The elements of gpuopt_empty are anything: they are filled before anybody looks at them.
gpuopt_status filled(Call &c, gpuopt_status made) {
  return made == GPUOPT_OK ? gpuopt_fill(c.outcome.result, c.scalar(2), &c.error) : made;
}
gpuopt_status empty(Call &c) {  // DTYPE SHAPE NUMBER
  const auto shape = c.list(1);
  return filled(c, gpuopt_empty(c.session.device, c.dtype(0), length(shape), shape.data(), out(c), &c.error));
}
gpuopt_status empty_like(Call &c) {  // X DTYPE NUMBER
  return filled(c, gpuopt_empty_like(c.array(0), c.dtype(1), out(c), &c.error));
}
gpuopt_status full(Call &c) {  // DTYPE SHAPE NUMBER
  const auto shape = c.list(1);
  return gpuopt_full(c.session.device, c.dtype(0), length(shape), shape.data(), c.scalar(2), out(c), &c.error);
}
gpuopt_status arange(Call &c) {  // DTYPE START STOP STEP
  return gpuopt_arange(c.session.device, c.dtype(0), c.scalar(1), c.scalar(2), c.scalar(3), out(c), &c.error);
}
gpuopt_status linspace(Call &c) {  // DTYPE START STOP NUMBER ENDPOINT
  return gpuopt_linspace(c.session.device, c.dtype(0), c.real(1), c.real(2), c.integer(3), int32_t(c.integer(4)),
                         out(c), &c.error);
}

using Diagonal = gpuopt_status (*)(gpuopt_device, gpuopt_dtype, int64_t, int64_t, int64_t, gpuopt_array *,
                                   gpuopt_error *);
template <Diagonal diagonal>
gpuopt_status make_diagonal(Call &c) {  // DTYPE ROWS COLUMNS K
  return diagonal(c.session.device, c.dtype(0), c.integer(1), c.integer(2), c.integer(3), out(c), &c.error);
}
using Triangle = gpuopt_status (*)(gpuopt_array, int64_t, gpuopt_array *, gpuopt_error *);
template <Triangle triangle>
gpuopt_status with_number(Call &c) {  // X K
  return triangle(c.array(0), c.integer(1), out(c), &c.error);
}
using Like = gpuopt_status (*)(gpuopt_array, gpuopt_dtype, gpuopt_array *, gpuopt_error *);
template <Like like>
gpuopt_status make_like(Call &c) {  // X DTYPE
  return like(c.array(0), c.dtype(1), out(c), &c.error);
}
gpuopt_status full_like(Call &c) {  // X DTYPE NUMBER
  return gpuopt_full_like(c.array(0), c.dtype(1), c.scalar(2), out(c), &c.error);
}
gpuopt_status weak(Call &c) { return gpuopt_weak(c.scalar(0), out(c), &c.error); }

// "5", "1:7:2" (bounds may be left out), "n" for a new axis, "e" for the ellipsis
gpuopt_index index_item(const std::string &text) {
  gpuopt_index item = {GPUOPT_INDEX_INTEGER, 0, 0, GPUOPT_SLICE_ALL, 1};
  if (text == "n") item.kind = GPUOPT_INDEX_NEWAXIS;
  if (text == "e") item.kind = GPUOPT_INDEX_ELLIPSIS;
  if (text == "n" || text == "e") return item;
  if (text.find(':') == std::string::npos) return item.start = std::stoll(text), item;
  item.kind = GPUOPT_INDEX_SLICE;
  std::istringstream parts(text + ":");
  int64_t *const places[3] = {&item.start, &item.stop, &item.step};
  for (int64_t *place : places) {
    std::string part;
    std::getline(parts, part, ':');
    *place = part.empty() ? (place == &item.step ? 1 : GPUOPT_SLICE_ALL) : std::stoll(part);
  }
  return item;
}
gpuopt_status slice(Call &c) {  // X ITEM...
  std::vector<gpuopt_index> items;
  for (size_t i = 1; i < c.count(); ++i) items.push_back(index_item(c.word(i)));
  return gpuopt_slice(c.array(0), static_cast<int32_t>(items.size()), items.data(), out(c), &c.error);
}

using Unary = gpuopt_status (*)(gpuopt_array, gpuopt_array *, gpuopt_error *);
template <Unary unary>
gpuopt_status of_one(Call &c) {  // X
  return unary(c.array(0), out(c), &c.error);
}
gpuopt_status permute(Call &c) {  // X AXES, "-" for reversed
  const auto axes = c.list(1);
  return gpuopt_permute_dims(c.array(0), numbers_or_null(axes), out(c), &c.error);
}
gpuopt_status reshape(Call &c) {  // X SHAPE COPY
  const auto shape = c.list(1);
  return gpuopt_reshape(c.array(0), length(shape), shape.data(), gpuopt_copy(c.integer(2)), out(c), &c.error);
}
gpuopt_status broadcast(Call &c) {  // X SHAPE
  const auto shape = c.list(1);
  return gpuopt_broadcast_to(c.array(0), length(shape), shape.data(), out(c), &c.error);
}
using Axes = gpuopt_status (*)(gpuopt_array, int32_t, const int64_t *, gpuopt_array *, gpuopt_error *);
template <Axes view>
gpuopt_status of_axes(Call &c) {  // X AXES, "-" for all
  const auto axes = c.list(1);
  return view(c.array(0), length(axes), numbers_or_null(axes), out(c), &c.error);
}
gpuopt_status astype(Call &c) {  // X DTYPE COPY
  return gpuopt_astype(c.array(0), c.dtype(1), gpuopt_copy(c.integer(2)), out(c), &c.error);
}
gpuopt_status to_device(Call &c) {  // X COPY: to the device where it is
  return gpuopt_to_device(c.array(0), c.session.device, gpuopt_copy(c.integer(1)), out(c), &c.error);
}
gpuopt_status stream(Call &c) {  // X STREAM
  return gpuopt_array_on_stream(c.array(0), c.session.stream(c.word(1)), out(c), &c.error);
}

gpuopt_status assign(Call &c) { return gpuopt_assign(written(c, 0), c.array(1), &c.error); }
gpuopt_status fill(Call &c) { return gpuopt_fill(written(c, 0), c.scalar(1), &c.error); }
gpuopt_status mask_select(Call &c) { return gpuopt_mask_select(c.array(0), c.array(1), out(c), &c.error); }
gpuopt_status mask_assign(Call &c) {  // X MASK VALUE
  return gpuopt_mask_assign(written(c, 0), c.array(1), c.array(2), &c.error);
}
gpuopt_status take(Call &c) {  // X INDICES AXIS
  return gpuopt_take(c.array(0), c.array(1), c.integer(2), out(c), &c.error);
}
gpuopt_status put(Call &c) {  // X INDICES AXIS VALUES
  return gpuopt_put(written(c, 0), c.array(1), c.integer(2), c.array(3), &c.error);
}

void give(Call &c, const void *bytes, size_t size) {
  c.outcome.payload.resize(size);
  if (size) std::memcpy(c.outcome.payload.data(), bytes, size);
}
void give(Call &c, const std::string &text) { give(c, text.data(), text.size()); }

// X: what the array is, "float32 f 4 contiguous 1 read_only 0"
gpuopt_status describe(Call &c) {
  const gpuopt_array x = c.array(0);
  const gpuopt_dtype dtype = gpuopt_array_dtype(x);
  std::ostringstream text;
  text << gpuopt_dtype_name(dtype) << ' ' << gpuopt_dtype_kind(dtype) << ' ' << gpuopt_dtype_size(dtype)
       << " contiguous " << gpuopt_array_is_contiguous(x) << " read_only " << gpuopt_array_is_read_only(x);
  give(c, text.str());
  return gpuopt_array_device(x) == c.session.device ? GPUOPT_OK : GPUOPT_ERR_INTERNAL;
}

// The results that are no arrays: a dtype's name, a truth value, a shape as int64.
gpuopt_status give_dtype(Call &c, gpuopt_status status, const gpuopt_dtype &dtype) {
  if (status == GPUOPT_OK) give(c, gpuopt_dtype_name(dtype));
  return status;
}
gpuopt_status result_type(Call &c) {  // X...
  std::vector<gpuopt_array> arrays;
  for (size_t i = 0; i < c.count(); ++i) arrays.push_back(c.array(i));
  gpuopt_dtype dtype = 0;
  return give_dtype(c, gpuopt_result_type(static_cast<int32_t>(arrays.size()), arrays.data(), &dtype, &c.error), dtype);
}
gpuopt_status promote_types(Call &c) {  // DTYPE DTYPE
  gpuopt_dtype dtype = 0;
  return give_dtype(c, gpuopt_promote_types(c.dtype(0), c.dtype(1), &dtype, &c.error), dtype);
}
gpuopt_status can_cast(Call &c) {  // DTYPE DTYPE RULE
  int32_t allowed = -1;
  const gpuopt_status status = gpuopt_can_cast(c.dtype(0), c.dtype(1), int32_t(c.integer(2)), &allowed, &c.error);
  if (status == GPUOPT_OK) give(c, std::to_string(allowed));
  return status;
}
gpuopt_status broadcast_shapes(Call &c) {  // SHAPE...
  std::vector<std::vector<int64_t>> shapes;
  for (size_t i = 0; i < c.count(); ++i) shapes.push_back(c.list(i));
  std::vector<int32_t> ndims;
  std::vector<const int64_t *> pointers;
  for (const auto &shape : shapes) ndims.push_back(length(shape)), pointers.push_back(shape.data());
  int32_t ndim = 0;
  int64_t shape[GPUOPT_MAX_NDIM] = {};
  const gpuopt_status status = gpuopt_broadcast_shapes(static_cast<int32_t>(shapes.size()), ndims.data(),
                                                       pointers.data(), &ndim, shape, &c.error);
  if (status == GPUOPT_OK) give(c, shape, sizeof *shape * static_cast<size_t>(ndim));
  return status;
}

// X INDEX: the kind, the value and the imaginary part of the number, 24 bytes.
gpuopt_status item(Call &c) {
  const auto index = c.list(1);
  gpuopt_scalar value = {};
  const gpuopt_status status = gpuopt_array_item(c.array(0), index.data(), &value, &c.error);
  if (status != GPUOPT_OK) return status;
  for (double *part : {&value.value.f, &value.imag})  // a NaN's sign and payload are free
    if ((value.kind == 'f' || value.kind == 'c') && std::isnan(*part)) *part = std::numeric_limits<double>::quiet_NaN();
  give(c, &value, sizeof value);
  return status;
}
gpuopt_status set_item(Call &c) {  // X INDEX NUMBER
  const auto index = c.list(1);
  return gpuopt_array_set_item(written(c, 0), index.data(), c.scalar(2), &c.error);
}
gpuopt_status print(Call &c) {  // X
  char *text = nullptr;
  const gpuopt_status status = gpuopt_array_to_string(c.array(0), nullptr, &text, &c.error);
  if (status == GPUOPT_OK) give(c, text, std::strlen(text));
  gpuopt_string_free(text);
  return status;
}
gpuopt_status read(Call &c) {  // X
  const gpuopt_array x = c.array(0);
  c.outcome.payload.resize(static_cast<size_t>(gpuopt_array_nbytes(x)));
  return gpuopt_to_host(x, c.outcome.payload.data(), c.outcome.payload.size(), &c.error);
}
gpuopt_status eval(Call &c) {  // X...
  std::vector<gpuopt_array> arrays;
  for (size_t i = 0; i < c.count(); ++i) arrays.push_back(c.array(i));
  return gpuopt_eval(static_cast<int32_t>(arrays.size()), arrays.data(), &c.error);
}
gpuopt_status drop(Call &c) {  // X
  c.array(0);
  c.session.arrays.erase(c.word(0));
  return GPUOPT_OK;
}
gpuopt_status synchronize(Call &c) { return gpuopt_device_synchronize(c.session.device, &c.error); }

}  // namespace

const std::map<std::string, Verb> &array_verbs() {
  static const std::map<std::string, Verb> verbs = {
      {"data", data},
      {"host", host},
      {"zeros", make<gpuopt_zeros>},
      {"ones", make<gpuopt_ones>},
      {"empty", empty},
      {"empty_like", empty_like},
      {"full", full},
      {"arange", arange},
      {"linspace", linspace},
      {"eye", make_diagonal<gpuopt_eye>},
      {"tri", make_diagonal<gpuopt_tri>},
      {"tril", with_number<gpuopt_tril>},
      {"triu", with_number<gpuopt_triu>},
      {"zeros_like", make_like<gpuopt_zeros_like>},
      {"ones_like", make_like<gpuopt_ones_like>},
      {"full_like", full_like},
      {"weak", weak},
      {"slice", slice},
      {"permute", permute},
      {"transpose", of_one<gpuopt_matrix_transpose>},
      {"reshape", reshape},
      {"broadcast", broadcast},
      {"expand", with_number<gpuopt_expand_dims>},
      {"squeeze", of_axes<gpuopt_squeeze>},
      {"flip", of_axes<gpuopt_flip>},
      {"copy", of_one<gpuopt_copy_array>},
      {"astype", astype},
      {"to_device", to_device},
      {"stream", stream},
      {"assign", assign},
      {"fill", fill},
      {"mask_select", mask_select},
      {"mask_assign", mask_assign},
      {"take", take},
      {"put", put},
      {"argwhere", of_one<gpuopt_argwhere>},
      {"describe", describe},
      {"result_type", result_type},
      {"promote_types", promote_types},
      {"can_cast", can_cast},
      {"broadcast_shapes", broadcast_shapes},
      {"item", item},
      {"set_item", set_item},
      {"print", print},
      {"read", read},
      {"eval", eval},
      {"drop", drop},
      {"synchronize", synchronize},
  };
  return verbs;
}

}  // namespace fuzz
