// bindings/go/internal/foreign/foreign.go -- another library's tensors and columns, for the tests of the exchange.

// Package foreign makes tensors of DLPack and columns of Arrow without package gpuopt, by structs of its own that are
// written from the specifications, and counts how many of them have been given back. Tests alone use it: Go's test
// files have no C of their own.
package foreign

/*
#include <stdint.h>
#include <stdlib.h>

typedef struct { int32_t type, id; } device_of;
typedef struct { uint8_t code, bits; uint16_t lanes; } dtype_of;
typedef struct {
  void *data; device_of device; int32_t ndim; dtype_of dtype; int64_t *shape, *strides; uint64_t byte_offset;
} tensor_of;
typedef struct managed {
  uint32_t major, minor; void *context; void (*deleter)(struct managed *); uint64_t flags; tensor_of tensor;
} managed;

static int deleted;
static void delete_tensor(managed *m) { deleted++; free(m->context); free(m); }
static void call_deleter(managed *m) { m->deleter(m); }
static int deletions(void) { return __atomic_load_n(&deleted, __ATOMIC_SEQ_CST); }

// Float64 numbers 0, 1, ... in `rows` rows of `columns`, transposed: the strides are not those of C order.
static managed *make_tensor(int64_t rows, int64_t columns, uint32_t major, uint64_t flags, uint8_t code) {
  managed *m = calloc(1, sizeof *m);
  int64_t *space = malloc(4 * sizeof(int64_t) + (size_t)(rows * columns) * sizeof(double));
  double *numbers = (double *)(space + 4);
  for (int64_t i = 0; i < rows * columns; i++) numbers[i] = (double)i;
  space[0] = columns; space[1] = rows; space[2] = 1; space[3] = columns;
  m->major = major; m->context = space; m->deleter = delete_tensor; m->flags = flags;
  m->tensor = (tensor_of){numbers, {1, 0}, 2, {code, 64, 1}, space, space + 2, 0};
  return m;
}
static double element(managed *m, int64_t i, int64_t j) {
  const tensor_of *t = &m->tensor;
  return *(double *)((char *)t->data + t->byte_offset + 8 * (i * t->strides[0] + j * t->strides[1]));
}
static int64_t size_of(managed *m, int axis) { return m->tensor.shape[axis]; }
static int code_of(managed *m) { return m->tensor.dtype.code * 1000 + m->tensor.dtype.bits; }

struct schema {
  const char *format, *name, *metadata; int64_t flags, n_children; struct schema **children, *dictionary;
  void (*release)(struct schema *); void *private_data;
};
struct column {
  int64_t length, null_count, offset, n_buffers, n_children; const void **buffers; struct column **children,
  *dictionary; void (*release)(struct column *); void *private_data;
};

static int released;
static void release_schema(struct schema *s) { released++; s->release = NULL; }
static void release_column(struct column *c) { released++; free(c->private_data); c->release = NULL; }
static int releases(void) { return __atomic_load_n(&released, __ATOMIC_SEQ_CST); }

// Int32 numbers 10, 11, ... behind an offset of one; the second one is null if `nulls`.
static void fill(void *schema, void *array, int text, int64_t length, int nulls) {
  const char *const format = text ? "u" : "i";
  struct { const void *buffers[2]; uint64_t valid; int32_t numbers[]; } *space;
  space = malloc(sizeof *space + (size_t)(length + 1) * sizeof(int32_t));
  space->valid = ~(uint64_t)4;
  space->buffers[0] = nulls ? &space->valid : NULL;
  space->buffers[1] = space->numbers;
  for (int64_t i = 0; i <= length; i++) space->numbers[i] = (int32_t)(9 + i);
  *(struct schema *)schema = (struct schema){format, "", NULL, nulls ? 2 : 0, 0, NULL, NULL, release_schema, NULL};
  *(struct column *)array =
      (struct column){length, nulls, 1, 2, 0, space->buffers, NULL, NULL, release_column, space};
}
static const char *format_of(void *schema) { return ((struct schema *)schema)->format; }
static int64_t length_of(void *array) { return ((struct column *)array)->length; }
static double number_of(void *array, int64_t i) {
  const struct column *c = array;
  return ((const double *)c->buffers[1])[c->offset + i];
}
*/
import "C"

import "unsafe"

// Deleted says how many tensors have had their deleters called.
func Deleted() int { return int(C.deletions()) }

// Tensor makes a tensor of the numbers 0, 1, ... in rows, transposed. major is DLPack's version, and code that of the
// dtype: 2 for floats, of 64 bits.
func Tensor(rows, columns, major int, readOnly bool, code int) unsafe.Pointer {
	flags := C.uint64_t(0)
	if readOnly {
		flags = 1
	}
	return unsafe.Pointer(C.make_tensor(C.int64_t(rows), C.int64_t(columns), C.uint32_t(major), flags, C.uint8_t(code)))
}

// Element reads a float64 of a tensor of two dimensions.
func Element(tensor unsafe.Pointer, i, j int) float64 {
	return float64(C.element((*C.managed)(tensor), C.int64_t(i), C.int64_t(j)))
}

// Shape gives the sizes of a tensor of two dimensions.
func Shape(tensor unsafe.Pointer) [2]int {
	m := (*C.managed)(tensor)
	return [2]int{int(C.size_of(m, 0)), int(C.size_of(m, 1))}
}

// DType gives 1000 times the code of a tensor's dtype, plus its bits.
func DType(tensor unsafe.Pointer) int { return int(C.code_of((*C.managed)(tensor))) }

// ReadOnly says whether a tensor must not be written to.
func ReadOnly(tensor unsafe.Pointer) bool { return (*C.managed)(tensor).flags&1 != 0 }

// Delete calls a tensor's deleter, as a consumer does.
func Delete(tensor unsafe.Pointer) { C.call_deleter((*C.managed)(tensor)) }

// Released says how many structs of Arrow have been released, schemas and arrays.
func Released() int { return int(C.releases()) }

// Fill makes a column of the int32 numbers 10, 11, ... in the two structs; with nulls the second one is null.
func Fill(schema, array unsafe.Pointer, length int, nulls bool) {
	C.fill(schema, array, 0, C.int64_t(length), C.int(flag(nulls)))
}

// FillText makes a column that says it has texts.
func FillText(schema, array unsafe.Pointer) { C.fill(schema, array, 1, 1, 0) }

// Format gives the format of a schema.
func Format(schema unsafe.Pointer) string { return C.GoString(C.format_of(schema)) }

// Length gives the length of an array.
func Length(array unsafe.Pointer) int { return int(C.length_of(array)) }

// Number reads a float64 of a primitive array.
func Number(array unsafe.Pointer, i int) float64 { return float64(C.number_of(array, C.int64_t(i))) }

func flag(value bool) int {
	if value {
		return 1
	}
	return 0
}
