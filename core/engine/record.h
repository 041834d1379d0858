// core/engine/record.h -- building expressions: what the recording functions of engine.h and the composite operations
// share.
//
// A Recorder lives for the duration of one recording call and holds the device's lock.
#pragma once
#include "core/array/view.h"
#include "core/engine/engine.h"
#include "core/engine/node.h"

namespace gpuopt {

enum class ResultRule : uint8_t { SAME, BOOL, REAL, LOGICAL, SELECT, SUM, INDEX };

struct RowInfo {
  const char *name;
  int nin;
  const char *kinds;
  ResultRule result;
};
enum class OpFamily : uint8_t {
#define GPUOPT_OP_FAMILY(name, doc) name,
#include <gpuopt/ops.def>
};
const RowInfo &op_info(gpuopt_op op);                       // throws ERR_INVALID_ARGUMENT for other numbers
OpFamily op_family(gpuopt_op op);                           // likewise
const RowInfo &reduction_info(gpuopt_reduction reduction);  // likewise
const RowInfo &scan_info(gpuopt_scan scan);                 // likewise

class Recorder {
 public:
  // For an operation on `inputs`, which may be weak but not all; `out` counts too. `name` opens the error messages.
  Recorder(const char *name, std::span<const gpuopt_array> inputs, gpuopt_array out = nullptr);
  Recorder(const char *name, gpuopt_stream stream);

  // The value of x in dtype; of a weak scalar: a constant.
  NodeRef value(gpuopt_array x, gpuopt_dtype dtype);
  NodeRef constant(const gpuopt_scalar &value, gpuopt_dtype dtype, bool cast = false);
  NodeRef cast(NodeRef source, gpuopt_dtype dtype) {
    return source->dtype == dtype ? std::move(source) : converted(std::move(source), dtype);
  }

  // A fresh array that will hold the node's value.
  ArrayRef publish(NodeRef node);
  // out[...] = node, of out's shape or broadcast to it.
  void store(gpuopt_array out, NodeRef node);

  gpuopt_stream stream() const { return stream_; }
  Engine &engine() const { return engine_; }

 private:
  NodeRef read(gpuopt_array_s &x);
  NodeRef converted(NodeRef source, gpuopt_dtype dtype);
  NodeRef own_node(NodeRef node, int ndim, const int64_t *shape);
  void make_room();

  const char *name_;
  gpuopt_stream stream_;  // kept by an operand or the caller
  Engine &engine_;
  EngineLock lock_;
  bool run_now_;
};

}  // namespace gpuopt
