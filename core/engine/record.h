// core/engine/record.h -- records operations; the rows of ops.def, and the Recorder, which creates the nodes of one
// call.
#pragma once
#include "core/array/view.h"
#include "core/engine/access.h"
#include "core/engine/engine.h"
#include "core/engine/node.h"

namespace gpuopt {

// Records an elementwise operation and returns the array of its result. Shape, dtype and device errors are thrown here.
// If `out` is given, the result is stored into it and it is returned: the result must broadcast to its shape, and the
// cast to its dtype must be of the same kind (NumPy's casting="same_kind"). `name` opens the error messages; NULL
// stands for the name of the operation.
//
// All record_* functions run the operation at once under GPUOPT_EAGER=1, or if an operand is memory that others use,
// too (Storage::is_volatile).
ArrayRef record_op(gpuopt_op op, std::span<const gpuopt_array> inputs, gpuopt_array out = nullptr,
                   const char *name = nullptr);
inline ArrayRef record_op(gpuopt_op op, std::initializer_list<gpuopt_array> inputs) {
  return record_op(op, std::span(inputs.begin(), inputs.size()));
}
// Evaluates x, and returns its elements, in C order, with another shape of the same size: a view if possible, else a
// copy.
ArrayRef reshaped(gpuopt_array x, const Dims &shape);
// Returns a new array, also if x has the dtype.
ArrayRef record_cast(gpuopt_array x, gpuopt_dtype dtype);
// Returns x itself if it has the dtype, else record_cast().
ArrayRef in_dtype(gpuopt_array x, gpuopt_dtype dtype);
// Returns a new C-contiguous array with the elements of x.
ArrayRef record_copy(gpuopt_array x);
// Returns a new array all of whose elements are `element`, a value of `dtype`.
ArrayRef record_constant(gpuopt_stream stream, gpuopt_dtype dtype, int ndim, const int64_t *shape, const void *element);
// Reduces x over the axes in the bit mask `axes`; none of them means that each element is reduced by itself. `dtype` is
// that of the accumulation and of the result. 0 stands for what ops.def says, and is the only choice for reductions
// other than sum and prod.
ArrayRef record_reduction(gpuopt_reduction reduction, gpuopt_array x, uint64_t axes, bool keepdims, gpuopt_dtype dtype);
// Scans x along `axis`, which is in range. `dtype` is as above; all scans accept one.
ArrayRef record_scan(gpuopt_scan scan, gpuopt_array x, int axis, gpuopt_dtype dtype);
// Records x[...] = value. The value is broadcast to x's shape, and any cast to x's dtype is allowed. Of weak scalars,
// however, an integer must fit x's dtype (ERR_OVERFLOW), and a complex number needs a complex one (ERR_TYPE).
void record_assign(gpuopt_array x, gpuopt_array value);
// Records part[...] = value for a part, which nothing has been assigned to yet, of a new array. The value has the
// part's shape. One that is still recorded, and has the part's dtype, is computed there: its own array gets no memory,
// unless it is read later.
void record_part(gpuopt_array part, gpuopt_array value);

// How the dtype of a result follows from that of the loop. The head of ops.def explains each.
enum class ResultRule : uint8_t { SAME, BOOL, REAL, LOGICAL, SELECT, SUM, INDEX };

// A row of ops.def.
struct RowInfo {
  const char *name;
  int nin;            // the number of inputs
  const char *kinds;  // the dtype kinds that have a loop
  ResultRule result;
};
enum class OpFamily : uint8_t {
#define GPUOPT_OP_FAMILY(name, doc) name,
#include <gpuopt/ops.def>
};
// Return a row, or its family. Throw ERR_INVALID_ARGUMENT if there is no row of this number.
const RowInfo &op_info(gpuopt_op op);
OpFamily op_family(gpuopt_op op);
// The dtypes of an operation whose operands promote to `promoted`: of the loop; in which the loop computes, which for
// most operations on 16-bit floats is float32; and of the result. All 0 if there is no loop.
struct LoopDtypes {
  gpuopt_dtype loop = 0, compute = 0, result = 0;
};
LoopDtypes loop_dtypes(gpuopt_op op, gpuopt_dtype promoted);
const RowInfo &reduction_info(gpuopt_reduction reduction);
const RowInfo &scan_info(gpuopt_scan scan);
// Does the same for a reduction of elements of dtype `x`, without the cast of its result: `result` is what the loop
// gives. `asked` is the dtype that the caller wants, or 0; throws ERR_INVALID_ARGUMENT if it cannot be chosen, ERR_TYPE
// if there is no loop.
LoopDtypes reduction_dtypes(gpuopt_reduction reduction, gpuopt_dtype x, gpuopt_dtype asked);

// Used by the record_* functions, and by others that record. It holds the recorder's lock as long as it lives. The
// constructors throw if the device is lost or forked. If too many operations are recorded already, or they keep too
// much memory alive, these run first.
class Recorder {
 public:
  // Records on the stream of `out` or, if that is NULL, of the first input that is not a weak scalar; there has to be
  // one, and all have to be on one device. `name` opens the error messages.
  Recorder(const char *name, std::span<const gpuopt_array> inputs, gpuopt_array out = nullptr);
  // Records on `stream`; the other arguments are as above.
  Recorder(const char *name, gpuopt_stream stream, std::span<const gpuopt_array> inputs, gpuopt_array out = nullptr);

  // Returns a node for the elements of x, cast to dtype. For a weak scalar it is a constant of shape ().
  NodeRef value(gpuopt_array x, gpuopt_dtype dtype);
  // Returns a constant of shape (). Throws as store_scalar(), where `cast` allows any cast.
  NodeRef constant(const gpuopt_scalar &value, gpuopt_dtype dtype, bool cast = false);
  // Returns the node itself if it has the dtype, else a cast of it.
  NodeRef cast(NodeRef source, gpuopt_dtype dtype) {
    return source->dtype == dtype ? std::move(source) : converted(std::move(source), dtype);
  }

  // Returns a new C-contiguous array that will hold the node's value. Runs the node at once if run_now_ is set.
  ArrayRef publish(NodeRef node);
  // Records out[...] = node. The node has out's dtype, and its shape can be broadcast to out's. Throws ERR_READ_ONLY.
  // If it runs at once and fails, `out` is as before.
  void store(gpuopt_array out, NodeRef node);
  // Lets the value that is pending for x, and has the dtype and the shape of `out`, be computed in `out` instead of in
  // x, for which a copy of it becomes pending. `out` is a view of a new array. Returns false if there is no such value,
  // or another one is computed from it.
  bool move_pending(gpuopt_array x, gpuopt_array out);

  gpuopt_stream stream() const { return stream_; }
  Engine &engine() const { return access_.engine(); }

 private:
  NodeRef read(gpuopt_array_s &x);
  NodeRef converted(NodeRef source, gpuopt_dtype dtype);
  NodeRef own_node(NodeRef node, int ndim, const int64_t *shape);
  void make_room();

  const char *name_;
  gpuopt_stream stream_;  // not owned; an operand or the caller does
  Access access_;
  bool run_now_;  // GPUOPT_EAGER=1, or an operand is in memory that others use (Storage::is_volatile)
};

}  // namespace gpuopt
