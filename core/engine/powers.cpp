// core/engine/powers.cpp -- see powers.h.
#include "core/engine/powers.h"

#include <limits>

namespace gpuopt {
namespace {

// Records the operations that take the place of one power. All have its shape.
class PowerWriter {
 public:
  PowerWriter(Recorder &recorder, gpuopt_dtype dtype, const Shape &shape)
      : recorder_(recorder), dtype_(dtype), shape_(shape) {}

  template <class... Sources>
  NodeRef operation(gpuopt_op op, Sources... sources) {
    NodeRef node = new_node(recorder_.engine(), recorder_.stream(), NodeKind::Elementwise,
                            loop_dtypes(op, dtype_).result, shape_.ndim, shape_.sizes);
    node->index = static_cast<uint16_t>(op);
    node->loop_dtype = static_cast<uint8_t>(dtype_);
    (add_source(*node.get(), std::move(sources)), ...);
    return node;
  }
  NodeRef number(double value) { return recorder_.constant(gpuopt_scalar_real(value), dtype_); }

  NodeRef cube(NodeRef x) {
    NodeRef square = operation(GPUOPT_OP_square, share(x));
    return operation(GPUOPT_OP_multiply, std::move(square), std::move(x));
  }
  // The square root but for -0 and -inf, of which it is +0 and +inf.
  NodeRef root(NodeRef x) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    NodeRef root = operation(GPUOPT_OP_sqrt, operation(GPUOPT_OP_add, share(x), number(0)));
    NodeRef infinite = operation(GPUOPT_OP_equal, std::move(x), number(-inf));
    return operation(GPUOPT_OP_where, std::move(infinite), number(inf), std::move(root));
  }

 private:
  static NodeRef share(const NodeRef &x) { return NodeRef::share(x.get()); }

  Recorder &recorder_;
  const gpuopt_dtype dtype_;
  const Shape &shape_;
};

double real_value(const gpuopt_scalar &number) {
  if (number.kind == 'f') return number.value.f;
  return number.kind == 'i' ? static_cast<double>(number.value.i) : static_cast<double>(number.value.u);
}

}  // namespace

NodeRef simple_power(Recorder &recorder, NodeRef &x, const NodeRef &exponent, const Shape &shape) {
  const gpuopt_dtype dtype = exponent->dtype;
  const char kind = dtype_kind(dtype);
  if (exponent->kind != NodeKind::Constant || exponent->size == 0 || kind == 'c') return {};
  const double y = real_value(load_scalar(dtype, exponent->constant));
  PowerWriter writer(recorder, dtype, shape);
  if (y == 1) return writer.operation(GPUOPT_OP_positive, std::move(x));
  if (y == 2) return writer.operation(GPUOPT_OP_square, std::move(x));
  if (y == 3) return writer.cube(std::move(x));
  if (kind != 'f') return {};
  if (y == -1) return writer.operation(GPUOPT_OP_reciprocal, std::move(x));
  if (y == 0.5) return writer.root(std::move(x));
  return {};
}

}  // namespace gpuopt
