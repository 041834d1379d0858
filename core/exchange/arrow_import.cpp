// core/exchange/arrow_import.cpp -- imports arrays by Arrow's C data interface.
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "core/array/dtype.h"
#include "core/engine/engine.h"
#include "core/exchange/arrow.h"
#include "core/exchange/host.h"

namespace gpuopt {
namespace {

[[noreturn]] void malformed(const char *what) { fail(GPUOPT_ERR_FORMAT, "from_arrow: %s", what); }

// One level of lists, or the elements: which of its entries belong to the array, and where those are marked as nulls.
struct ArrowLevel {
  const uint8_t *validity;  // NULL: there are no nulls
  int64_t first, count;     // entries, counted from the beginning of the buffers
};

// What the structs say, checked.
struct ArrowContent {
  gpuopt_dtype dtype = 0;
  Dims shape;
  std::vector<ArrowLevel> levels;  // one per axis, the outermost first
  const char *data = nullptr;      // the buffer of elements
  int64_t first = 0, size = 0;     // the first element in the buffer, and how many there are
};

bool bit_at(const uint8_t *bits, int64_t i) { return bits[i / 8] >> (i % 8) & 1; }

gpuopt_dtype dtype_of_format(const char *format) {
  if (format[0] && !format[1])
    for (const arrow::Format &known : arrow::kFormats)
      if (known.letter == format[0]) return known.dtype;
  fail(GPUOPT_ERR_TYPE,
       "from_arrow: the Arrow type \"%.60s\" is not supported: bool, integers, floats and fixed-size lists of them are",
       format);
}

// Returns N of "+w:N", or -1 for another format.
int64_t list_size_of(const char *format) {
  if (std::strncmp(format, "+w:", 3) != 0) return -1;
  int64_t size = 0;
  const char *digit = format + 3;
  if (!*digit) malformed("a fixed-size list without a size");
  for (; *digit; ++digit)
    if (*digit < '0' || *digit > '9' || __builtin_mul_overflow(size, 10, &size) ||
        __builtin_add_overflow(size, *digit - '0', &size))
      malformed("the size of a fixed-size list is no number");
  return size;
}

// Checks one level's structs and returns its level, with `first` counted in the entries of the buffers.
ArrowLevel checked_level(const ArrowSchema &type, const ArrowArray &values, int64_t first, int64_t count, bool list) {
  if (!type.format) malformed("format is NULL");
  if (type.dictionary || values.dictionary)
    fail(GPUOPT_ERR_TYPE, "from_arrow: dictionary-encoded arrays are not supported; decode it first");
  if (values.length < 0 || values.offset < 0) malformed("a negative length or offset");
  if (values.n_buffers != (list ? 1 : 2) || !values.buffers) malformed("the number of buffers is not that of the type");
  if (type.n_children != list || values.n_children != list) malformed("the number of children is not that of the type");
  if (list && (!type.children || !values.children || !type.children[0] || !values.children[0]))
    malformed("a list without its child");
  int64_t end;
  if (__builtin_add_overflow(first, count, &end) || end > values.length) malformed("a child is shorter than its lists");
  if (__builtin_add_overflow(first, values.offset, &first) || __builtin_add_overflow(first, count, &end))
    malformed("an offset does not fit 64 bits");
  if (values.null_count > 0 && count && !values.buffers[0]) malformed("nulls without a validity bitmap");
  return {values.null_count ? static_cast<const uint8_t *>(values.buffers[0]) : nullptr, first, count};
}

// Reads the structs. Throws ERR_TYPE for types that no dtype has, ERR_FORMAT for what contradicts the specification.
ArrowContent read_structs(const ArrowSchema &schema, const ArrowArray &array) {
  ArrowContent content;
  const ArrowSchema *type = &schema;
  const ArrowArray *values = &array;
  content.shape.push_back(array.length);
  int64_t first = 0, count = array.length;
  for (;;) {
    if (!type->format) malformed("format is NULL");
    const int64_t list = list_size_of(type->format);
    if (list < 0) content.dtype = dtype_of_format(type->format);  // before its structure, which is the type's
    content.levels.push_back(checked_level(*type, *values, first, count, list >= 0));
    if (list < 0) break;
    if (content.shape.size() == GPUOPT_MAX_NDIM)
      fail(GPUOPT_ERR_SHAPE, "from_arrow: the lists have more than %d levels", GPUOPT_MAX_NDIM);
    content.shape.push_back(list);
    if (__builtin_mul_overflow(content.levels.back().first, list, &first) ||
        __builtin_mul_overflow(count, list, &count))
      malformed("the elements of the lists do not fit 64 bits");
    type = type->children[0];
    values = values->children[0];
  }
  content.first = content.levels.back().first;
  content.size = checked_size(static_cast<int>(content.shape.size()), content.shape.data(), dtype_size(content.dtype));
  content.data = static_cast<const char *>(values->buffers[1]);
  if (content.size && !content.data) malformed("the buffer of the elements is NULL");
  return content;
}

bool has_nulls(const ArrowLevel &level) {
  if (!level.validity) return false;
  for (int64_t i = 0; i < level.count; ++i)
    if (!bit_at(level.validity, level.first + i)) return true;
  return false;
}

// Returns a new bool array of the content's shape from one byte per element.
ArrayRef bool_array(gpuopt_device device, const ArrowContent &content, char *bytes) {
  const int ndim = static_cast<int>(content.shape.size());
  Dims strides(content.shape.size());
  contiguous_strides(ndim, content.shape.data(), 1, strides.data());
  return copy_host_memory(device, {bytes, GPUOPT_BOOL, ndim, content.shape.data(), strides.data(), content.size});
}

// Returns which elements are valid, which a null list makes none of its own; an empty reference if there are no nulls.
ArrayRef validity_of(gpuopt_device device, const ArrowContent &content, bool wanted) {
  bool any = false;
  for (const ArrowLevel &level : content.levels) any = any || has_nulls(level);
  if (!any) return {};
  if (!wanted)
    fail(GPUOPT_ERR_INVALID_ARGUMENT,
         "from_arrow: the array has nulls; ask for the mask of valid elements, or fill them");
  std::vector<char> valid(static_cast<size_t>(content.size), 1);
  for (const ArrowLevel &level : content.levels) {
    if (!level.validity || !content.size) continue;
    const int64_t below = content.size / level.count;  // elements of one entry
    for (int64_t i = 0; i < level.count; ++i)
      if (!bit_at(level.validity, level.first + i)) std::fill_n(valid.begin() + i * below, below, char{0});
  }
  return bool_array(device, content, valid.data());
}

ArrayRef unpacked_bools(gpuopt_device device, const ArrowContent &content) {
  const auto *bits = reinterpret_cast<const uint8_t *>(content.data);
  std::vector<char> bytes(static_cast<size_t>(content.size));
  for (int64_t i = 0; i < content.size; ++i) bytes[static_cast<size_t>(i)] = bit_at(bits, content.first + i);
  return bool_array(device, content, bytes.data());
}

void release_moved(void *context) {
  const std::unique_ptr<ArrowArray> array(static_cast<ArrowArray *>(context));
  if (array->release) array->release(array.get());
}

// Returns why the memory cannot be used in place, as text for a message, or NULL if it can.
const char *import_obstacle(gpuopt_device device, const ForeignMemory &memory) {
  if (memory.dtype == GPUOPT_BOOL) return "Arrow packs bool into bits";
  if (!device->host_memory()) return "the device cannot use host memory";
  return memory.is_aligned() ? nullptr : "the data is not aligned to its dtype";
}

// Returns an array over the memory, into which the struct is moved.
ArrayRef wrap_arrow(gpuopt_device device, const ForeignMemory &memory, ArrowArray *array) {
  auto moved = std::make_unique<ArrowArray>(*array);
  ArrayRef x = wrap_memory(device, memory, true, release_moved, moved.get());
  (void)moved.release();
  array->release = nullptr;
  return x;
}

ArrayRef import_arrow(gpuopt_device device, ArrowArray *array, const ArrowContent &content, gpuopt_copy copy) {
  const int ndim = static_cast<int>(content.shape.size());
  const int item = dtype_size(content.dtype);
  Dims strides(content.shape.size());
  contiguous_strides(ndim, content.shape.data(), item, strides.data());
  int64_t skipped = 0;
  if (content.size && content.dtype != GPUOPT_BOOL && __builtin_mul_overflow(content.first, int64_t{item}, &skipped))
    malformed("an offset does not fit 64 bits in bytes");
  char *const first = content.size ? const_cast<char *>(content.data) + skipped : nullptr;
  const ForeignMemory memory{first, content.dtype, ndim, content.shape.data(), strides.data(), content.size};
  const char *reason = content.size ? import_obstacle(device, memory) : nullptr;
  if (reason && copy == GPUOPT_COPY_NEVER)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "from_arrow: a copy is needed: %s", reason);
  if (content.size && content.dtype == GPUOPT_BOOL) return unpacked_bools(device, content);
  if (reason || copy == GPUOPT_COPY_ALWAYS || !content.size) return copy_host_memory(device, memory);
  return wrap_arrow(device, memory, array);
}

void check_pair(gpuopt_device device, const ArrowSchema *schema, const ArrowArray *array, gpuopt_copy copy) {
  if (!device) fail(GPUOPT_ERR_INVALID_ARGUMENT, "from_arrow: device is NULL");
  if (!schema || !array) fail(GPUOPT_ERR_INVALID_ARGUMENT, "from_arrow: schema or array is NULL");
  if (!schema->release || !array->release)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "from_arrow: schema or array has been released, or moved");
  if (copy < GPUOPT_COPY_IF_NEEDED || copy > GPUOPT_COPY_NEVER)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "from_arrow: copy is %d", copy);
}

// Ends what is left of the two structs, whose content has been taken.
void release_taken(ArrowSchema *schema, ArrowArray *array) {
  schema->release(schema);
  schema->release = nullptr;  // as the producer has set it; for one that did not
  if (!array->release) return;
  array->release(array);
  array->release = nullptr;
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_from_arrow(gpuopt_device device, ArrowSchema *schema, ArrowArray *array, gpuopt_copy copy,
                                gpuopt_array *result, gpuopt_array *valid, gpuopt_error *error) {
  if (valid) *valid = nullptr;
  return giving(result, error, [&] {
    check_pair(device, schema, array, copy);
    const ArrowContent content = read_structs(*schema, *array);
    ArrayRef mask = validity_of(device, content, valid != nullptr);
    ArrayRef x = import_arrow(device, array, content, copy);
    release_taken(schema, array);
    if (valid) *valid = mask.leave();
    return x;
  });
}

}  // extern "C"
