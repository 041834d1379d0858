// core/engine/record.h -- the rows of ops.def, and the Recorder, which creates the nodes of one recording call.
#pragma once
#include "core/array/view.h"
#include "core/engine/access.h"
#include "core/engine/engine.h"
#include "core/engine/node.h"

namespace gpuopt {

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

// Used by the record_* functions (engine.h). It holds the recorder's lock as long as it lives. The constructors throw
// if the device is lost or forked. If too many operations are recorded already, or they keep too much memory alive,
// these run first.
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
