// core/exchange/arrow_export.cpp -- exports arrays by Arrow's C data interface.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/array/dtype.h"
#include "core/engine/access.h"
#include "core/engine/engine.h"
#include "core/engine/record.h"
#include "core/exchange/arrow.h"
#include "core/exchange/host.h"

namespace gpuopt {
namespace {

char arrow_letter(gpuopt_dtype dtype) {
  for (const arrow::Format &format : arrow::kFormats)
    if (format.dtype == dtype) return format.letter;
  fail(GPUOPT_ERR_TYPE, "to_arrow: Arrow has no type for %s; export its parts, or cast it", dtype_name(dtype));
}

// The type of the axes from one on, with all that its schema points to. A child that a consumer has moved out of the
// schema lives on by itself.
struct ArrowType {
  std::string format;
  ArrowSchema child{};
  ArrowSchema *child_address = &child;

  static void release(ArrowSchema *schema) {
    const std::unique_ptr<ArrowType> own(static_cast<ArrowType *>(schema->private_data));
    if (own->child.release) own->child.release(&own->child);
    schema->release = nullptr;
  }
};

// Fills `schema` with a type, which its release deletes.
void give_type(std::unique_ptr<ArrowType> type, const char *name, ArrowSchema &schema) {
  const bool list = type->child.release;
  schema = {};
  schema.format = type->format.c_str();
  schema.name = name;
  schema.n_children = list;
  schema.children = list ? &type->child_address : nullptr;
  schema.release = ArrowType::release;
  schema.private_data = type.release();
}

// Elements in the host's memory that exported structs share: an array's, or a copy.
struct ArrowElements {
  ArrayRef array;  // whose memory it is, unless it is that of `copied`
  std::unique_ptr<char[]> copied;
  const void *address = nullptr;
};

// The values of the axes from one on, with all that their struct points to.
struct ArrowValues {
  std::shared_ptr<const ArrowElements> elements;
  const void *buffers[2] = {nullptr, nullptr};  // validity, which nothing has; elements, which lists have not
  ArrowArray child{};
  ArrowArray *child_address = &child;

  static void release(ArrowArray *array) {
    const std::unique_ptr<ArrowValues> own(static_cast<ArrowValues *>(array->private_data));
    if (own->child.release) own->child.release(&own->child);
    array->release = nullptr;
  }
};

// Fills `array` with `length` values, which its release deletes.
void give_values(std::unique_ptr<ArrowValues> values, int64_t length, ArrowArray &array) {
  const bool list = values->child.release;
  array = {};
  array.length = length;
  array.n_buffers = list ? 1 : 2;
  array.n_children = list;
  array.buffers = values->buffers;
  array.children = list ? &values->child_address : nullptr;
  array.release = ArrowValues::release;
  array.private_data = values.release();
}

// Releases a struct that has been filled, if an exception ends its scope.
template <class Struct>
struct ArrowOwner {
  Struct value{};
  ~ArrowOwner() {
    if (value.release) value.release(&value);
  }
  Struct leave() { return std::exchange(value, Struct{}); }
};

void build_schema(const gpuopt_array_s &x, ArrowOwner<ArrowSchema> &built) {
  auto leaf = std::make_unique<ArrowType>();
  leaf->format = std::string(1, arrow_letter(x.dtype));
  give_type(std::move(leaf), x.ndim > 1 ? "item" : "", built.value);
  for (int axis = x.ndim - 1; axis > 0; --axis) {
    auto list = std::make_unique<ArrowType>();
    list->format = "+w:" + std::to_string(x.shape[axis]);
    list->child = built.leave();
    give_type(std::move(list), axis > 1 ? "item" : "", built.value);
  }
}

// Returns how many lists along `axis` x has. The number may be large in an array without elements.
int64_t lists_of_axis(const gpuopt_array_s &x, int axis) {
  int64_t lists = 1;
  for (int k = 0; k < axis; ++k)
    if (__builtin_mul_overflow(lists, x.shape[k], &lists))
      fail(GPUOPT_ERR_SHAPE, "to_arrow: the number of lists along axis %d does not fit 64 bits", axis);
  return lists;
}

void build_array(const gpuopt_array_s &x, std::shared_ptr<const ArrowElements> elements,
                 ArrowOwner<ArrowArray> &built) {
  auto leaf = std::make_unique<ArrowValues>();
  leaf->buffers[1] = elements->address;
  leaf->elements = std::move(elements);
  give_values(std::move(leaf), x.size, built.value);
  for (int axis = x.ndim - 1; axis > 0; --axis) {
    auto list = std::make_unique<ArrowValues>();
    list->child = built.leave();
    give_values(std::move(list), lists_of_axis(x, axis), built.value);
  }
}

// Packs elements of bool, one byte each, into bits from the lowest one of each byte on.
void pack_bits(const char *bools, size_t count, size_t first_bit, char *bits) {
  for (size_t i = 0; i < count; ++i)
    if (bools[i]) bits[(first_bit + i) / 8] = static_cast<char>(bits[(first_bit + i) / 8] | 1 << (first_bit + i) % 8);
}

// Returns a copy of x's elements in the host's memory.
std::shared_ptr<const ArrowElements> copied_elements(gpuopt_array x) {
  auto made = std::make_shared<ArrowElements>();
  const bool bits = x->dtype == GPUOPT_BOOL;
  const int64_t bytes = bits ? (x->size + 7) / 8 : x->bytes();
  made->copied = std::make_unique<char[]>(static_cast<size_t>(std::max<int64_t>(bytes, 1)));
  made->address = made->copied.get();
  size_t at = 0;
  consume_elements(x, [&](const char *piece, size_t size) {
    if (bits)
      pack_bits(piece, size, at, made->copied.get());
    else
      std::copy_n(piece, size, made->copied.get() + at);
    at += size;
  });
  return made;
}

// Returns x's own elements. Its storage is marked as exported, so that later writes to it are not left recorded.
std::shared_ptr<const ArrowElements> shared_elements(gpuopt_array x) {
  auto made = std::make_shared<ArrowElements>();
  made->array = ArrayRef::share(x);
  check_usable(*x->device(), "to_arrow");
  {
    Access access(x->device(), {}, x);
    access.prepare_write();
    x->storage->exported = true;
  }
  wait_for_device(*x->device(), "to_arrow");
  static const char nothing[8] = {};
  made->address = x->size ? static_cast<const void *>(address(*x)) : nothing;
  return made;
}

// Returns why the elements cannot be shared, as text for a message, or NULL if they can.
const char *sharing_obstacle(const gpuopt_array_s &x) {
  if (x.dtype == GPUOPT_BOOL) return "Arrow packs bool into bits";
  if (!x.device()->host_memory()) return "the elements are not in the host's memory";
  return x.contiguous ? nullptr : "the array is not C-contiguous";
}

void export_arrow(gpuopt_array x, gpuopt_copy copy, ArrowSchema *schema, ArrowArray *array) {
  const gpuopt_array_s &from = deref_strong(x, "to_arrow");
  if (copy < GPUOPT_COPY_IF_NEEDED || copy > GPUOPT_COPY_NEVER)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "to_arrow: copy is %d", copy);
  if (!from.ndim) fail(GPUOPT_ERR_SHAPE, "to_arrow: the array has no dimensions; reshape it to (1,)");
  ArrowOwner<ArrowSchema> type;
  build_schema(from, type);
  const char *reason = sharing_obstacle(from);
  if (reason && copy == GPUOPT_COPY_NEVER) fail(GPUOPT_ERR_INVALID_ARGUMENT, "to_arrow: a copy is needed: %s", reason);
  ArrowOwner<ArrowArray> values;
  build_array(from, reason || copy == GPUOPT_COPY_ALWAYS ? copied_elements(x) : shared_elements(x), values);
  *schema = type.leave();
  *array = values.leave();
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_to_arrow(gpuopt_array x, gpuopt_copy copy, ArrowSchema *schema, ArrowArray *array,
                              gpuopt_error *error) {
  if (schema) *schema = {};
  if (array) *array = {};
  return guarded(error, [&] {
    if (!schema || !array) fail(GPUOPT_ERR_INVALID_ARGUMENT, "to_arrow: schema or array is NULL");
    export_arrow(x, copy, schema, array);
  });
}

}  // extern "C"
