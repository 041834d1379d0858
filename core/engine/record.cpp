// core/engine/record.cpp -- turns operands into nodes and results into pending storages; see record.h.
#include "core/engine/record.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/engine/plan.h"
#include "core/engine/powers.h"
#include "core/engine/run.h"

namespace gpuopt {
namespace {

// If so many operations are recorded and have not run, they run before the next one is recorded.
constexpr uint64_t kMaxLiveNodes = 4096;

#define GPUOPT_OP(name, nin, kinds, result, doc) {#name, nin, kinds, ResultRule::result},
constexpr RowInfo kOps[] = {
#include <gpuopt/ops.def>
};
#define GPUOPT_OP_ROW(name, nin, kinds, result, family, cost, doc) OpFamily::family,
constexpr OpFamily kFamilies[] = {
#include <gpuopt/ops.def>
};
#define GPUOPT_REDUCTION(name, kinds, result, doc) {#name, 1, kinds, ResultRule::result},
constexpr RowInfo kReductions[] = {
#include <gpuopt/ops.def>
};
#define GPUOPT_SCAN(name, kinds, result, doc) {#name, 1, kinds, ResultRule::result},
constexpr RowInfo kScans[] = {
#include <gpuopt/ops.def>
};

// Returns the stream of `out` or, if that is NULL, of the first array that is not weak. Throws ERR_DEVICE_MISMATCH
// unless all are on its device.
gpuopt_stream find_stream(const char *name, std::span<const gpuopt_array> inputs, gpuopt_array out) {
  gpuopt_stream stream = out ? deref_strong(out, name).stream.get() : nullptr;
  for (gpuopt_array x : inputs) {
    if (deref(x, name).weak) continue;
    if (!stream) stream = x->stream.get();
    if (stream->device == x->device()) continue;
    fail(GPUOPT_ERR_DEVICE_MISMATCH, "%s: the arrays are on %s and %s; move one with gpuopt_to_device", name,
         deref(stream->device, name).name.c_str(), deref(x->device(), name).name.c_str());
  }
  if (!stream) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: weak scalars alone have no device to run on", name);
  return stream;
}

constexpr bool lists(const char *kinds, char kind) {
  for (; *kinds; ++kinds) {
    if (*kinds == kind) return true;
  }
  return false;
}

// Returns the dtype of the loop in which a row computes operands of the dtype `promoted`, or 0 if there is none.
constexpr gpuopt_dtype find_loop(const RowInfo &row, gpuopt_dtype promoted) {
  const char kind = dtype_kind(promoted);
  if (lists(row.kinds, kind)) return promoted;
  const bool integral = kind == '?' || kind == 'i' || kind == 'u';
  return integral && lists(row.kinds, 'f') ? gpuopt_dtype{GPUOPT_FLOAT64} : 0;
}

using LoopTable = std::array<std::array<uint8_t, GPUOPT_DTYPE_COUNT>, GPUOPT_OP_COUNT>;
constexpr LoopTable kOpLoops = [] {
  LoopTable table{};
  for (int op = 0; op < GPUOPT_OP_COUNT; ++op) {
    for (int d = 1; d < GPUOPT_DTYPE_COUNT; ++d) table[op][d] = static_cast<uint8_t>(find_loop(kOps[op], d));
  }
  return table;
}();

[[noreturn]] void fail_dtype(const RowInfo &row, gpuopt_dtype promoted) {
  // Operations with loops for bool and real, but not for complex numbers, depend on the order of numbers.
  const bool orders = dtype_kind(promoted) == 'c' && lists(row.kinds, '?') && lists(row.kinds, 'f');
  fail(GPUOPT_ERR_TYPE, "%s: dtype %s is not supported%s", row.name, dtype_name(promoted),
       orders ? ": complex numbers have no order; use their real, imag or abs" : "");
}

gpuopt_dtype loop_dtype(const RowInfo &row, gpuopt_dtype promoted) {
  const gpuopt_dtype loop = find_loop(row, promoted);
  if (!loop) fail_dtype(row, promoted);
  return loop;
}

// The 16-bit floats have no loops but that of nextafter: they are cast to float32, and each result is rounded back.
gpuopt_dtype compute_dtype(gpuopt_dtype loop) { return is_half(loop) ? GPUOPT_FLOAT32 : loop; }

gpuopt_dtype sum_dtype(gpuopt_dtype loop) {
  const char kind = dtype_kind(loop);
  return kind == '?' || kind == 'i' ? GPUOPT_INT64 : kind == 'u' ? GPUOPT_UINT64 : loop;
}

gpuopt_dtype result_dtype(ResultRule rule, gpuopt_dtype loop) {
  switch (rule) {
    case ResultRule::BOOL:
    case ResultRule::LOGICAL:
      return GPUOPT_BOOL;
    case ResultRule::REAL:
      return real_component(loop);
    case ResultRule::SUM:
      return sum_dtype(loop);
    case ResultRule::INDEX:
      return GPUOPT_INT64;
    default:
      return loop;
  }
}

// Whether elements of a shape can be broadcast to `out`, whose own shape stays.
bool broadcasts_to(const Shape &shape, const gpuopt_array_s &out) {
  if (shape.ndim > out.ndim) return false;
  const int64_t *const last = out.shape + out.ndim - shape.ndim;
  for (int i = 0; i < shape.ndim; ++i) {
    if (shape.sizes[i] != last[i] && shape.sizes[i] != 1) return false;
  }
  return true;
}

void check_out(const char *name, const gpuopt_array_s &out, const Shape &shape, gpuopt_dtype dtype) {
  if (!broadcasts_to(shape, out)) {
    fail(GPUOPT_ERR_SHAPE, "%s: non-broadcastable output operand with shape %s doesn't match the broadcast shape %s",
         name, shape_text(out.ndim, out.shape).c_str(), shape_text(shape.ndim, shape.sizes).c_str());
  }
  if (!can_cast(dtype, out.dtype, 1)) {
    fail(GPUOPT_ERR_TYPE, "%s: the result of dtype %s cannot be cast to %s within its kind", name, dtype_name(dtype),
         dtype_name(out.dtype));
  }
}

}  // namespace

const RowInfo &op_info(gpuopt_op op) {
  if (op < 0 || op >= GPUOPT_OP_COUNT) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%d is not an operation", op);
  return kOps[op];
}
OpFamily op_family(gpuopt_op op) {
  op_info(op);
  return kFamilies[op];
}
LoopDtypes loop_dtypes(gpuopt_op op, gpuopt_dtype promoted) {
  const gpuopt_dtype loop = kOpLoops[op][promoted];
  if (!loop) return {};
  return {loop, op == GPUOPT_OP_nextafter ? loop : compute_dtype(loop), result_dtype(op_info(op).result, loop)};
}
const RowInfo &reduction_info(gpuopt_reduction reduction) {
  if (reduction < 0 || reduction >= GPUOPT_REDUCTION_COUNT) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%d is not a reduction", reduction);
  }
  return kReductions[reduction];
}
const RowInfo &scan_info(gpuopt_scan scan) {
  if (scan < 0 || scan >= GPUOPT_SCAN_COUNT) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%d is not a scan", scan);
  return kScans[scan];
}

Recorder::Recorder(const char *name, std::span<const gpuopt_array> inputs, gpuopt_array out)
    : Recorder(name, find_stream(name, inputs, out), inputs, out) {}

Recorder::Recorder(const char *name, gpuopt_stream stream, std::span<const gpuopt_array> inputs, gpuopt_array out)
    : name_(name),
      stream_(stream),
      access_((check_usable(*stream->device, name), stream->device), inputs, out),
      run_now_(engine().eager) {
  make_room();
}

void Recorder::make_room() {
  if (engine().live >= kMaxLiveNodes || too_much_pinned(engine())) run_pending(engine());
}

NodeRef Recorder::constant(const gpuopt_scalar &value, gpuopt_dtype dtype, bool cast) {
  unsigned char element[16];
  store_scalar(value, dtype, element, cast);
  return new_constant(engine(), stream_, dtype, 0, nullptr, element);
}

// Returns a node for the elements of x: the one that is pending for them, or a leaf. If the pending node is for another
// view of the storage it runs first.
NodeRef Recorder::read(gpuopt_array_s &x) {
  Storage &storage = *x.storage;
  run_now_ |= storage.is_volatile();
  if (x.size == 0) {
    const unsigned char nothing[16] = {};
    return new_constant(engine(), stream_, x.dtype, x.ndim, x.shape, nothing);
  }
  if (Node *pending = storage.pending) {
    if (same_elements(*pending, x)) {
      NodeRef node = NodeRef::share(pending);
      const bool same = node->ndim == x.ndim && same_sizes(x.ndim, x.shape, node->shape());
      return same ? std::move(node) : new_alias(std::move(node), x.ndim, x.shape);
    }
    run_nodes(engine(), {&pending, 1});
  }
  Node *leaf = x.leaf.load(std::memory_order_acquire);
  if (leaf && leaf->engine == &engine()) return NodeRef::share(leaf);
  NodeRef made = new_leaf(engine(), x);
  if (!leaf && x.leaf.compare_exchange_strong(leaf, made.get(), std::memory_order_acq_rel)) ++made->refs;  // x's own
  return made;
}

NodeRef Recorder::converted(NodeRef source, gpuopt_dtype dtype) {
  if (source->kind == NodeKind::Constant) {
    unsigned char element[16];
    store_scalar(load_scalar(source->dtype, source->constant), dtype, element, true);
    return new_constant(engine(), stream_, dtype, source->ndim, source->shape(), element);
  }
  NodeRef node = new_node(engine(), stream_, NodeKind::Cast, dtype, source->ndim, source->shape());
  node->loop_dtype = source->dtype;
  add_source(*node.get(), std::move(source));
  return node;
}

NodeRef Recorder::value(gpuopt_array x, gpuopt_dtype dtype) {
  if (x->weak) return constant(x->scalar, dtype, dtype == GPUOPT_BOOL);
  return cast(read(*x), dtype);
}

// Returns a node of this value and shape that can be given a target: the node itself if nobody else refers to it and it
// is no leaf, else an alias of it.
NodeRef Recorder::own_node(NodeRef node, int ndim, const int64_t *shape) {
  const bool same = node->ndim == ndim && same_sizes(ndim, shape, node->shape());
  if (same && node->refs == 1 && !node->target && node->kind != NodeKind::Leaf) return node;
  if (node->kind == NodeKind::Constant) {
    return new_constant(engine(), stream_, node->dtype, ndim, shape, node->constant);
  }
  return new_alias(std::move(node), ndim, shape);
}

ArrayRef Recorder::publish(NodeRef source) {
  Node &value = *source.get();
  NodeRef node = own_node(std::move(source), value.ndim, value.shape());
  ArrayRef result = make_unwritten(stream_, node->dtype, node->ndim, node->shape(), node->size);
  if (result->size == 0) return result;
  std::copy_n(result->strides, result->ndim, node->strides());
  Node *pending = node.get();
  set_pending(*result->storage, std::move(node));
  if (run_now_) run_nodes(engine(), {&pending, 1});
  return result;
}

void Recorder::store(gpuopt_array out, NodeRef source) {
  if (out->read_only) fail(GPUOPT_ERR_READ_ONLY, "%s: the array written to is read-only", name_);
  if (out->size == 0) return;
  Storage &storage = *out->storage;
  const bool same_storage = source->storage.get() == &storage || source.get() == storage.pending;
  if (same_storage && same_elements(*source.get(), *out)) return;
  run_now_ |= storage.is_volatile();
  NodeRef node = own_node(std::move(source), out->ndim, out->shape);
  std::copy_n(out->strides, out->ndim, node->strides());
  node->offset = out->offset;
  NodeRef superseded;
  if (Node *old = storage.pending) {
    if (!same_elements(*old, *out)) {
      run_nodes(engine(), {&old, 1});
    } else {
      superseded = take_pending(*old);
    }
  }
  Node *pending = node.get();
  set_pending(storage, std::move(node));
  if (!run_now_) return;
  try {
    run_nodes(engine(), {&pending, 1});
  } catch (...) {
    // The call fails, so that it must not change `out`: what was pending is pending again.
    if (Node *failed = storage.pending) take_pending(*failed);
    if (superseded.get()) set_pending(storage, std::move(superseded));
    throw;
  }
}

bool Recorder::move_pending(gpuopt_array x, gpuopt_array out) {
  Storage &from = *x->storage, &to = *out->storage;
  Node *const node = from.pending;
  if (!node || !node->computed() || node->dtype != out->dtype || node->stream.get() != stream_) return false;
  if (x->size == 0 || from.is_volatile() || !same_elements(*node, *x)) return false;
  if (!std::ranges::equal(std::span(node->shape(), static_cast<size_t>(node->ndim)), out->sizes())) return false;
  if (Node *old = to.pending) run_nodes(engine(), {&old, 1});
  if (from.pending != node || !node->computed()) return false;  // the other parts have needed it
  if (node->refs > 1) return false;  // what reads it does not know of `to`, and would not run before that is written
  NodeRef copy = new_alias(NodeRef::share(node), node->ndim, node->shape());
  std::copy_n(node->strides(), node->ndim, copy->strides());
  copy->offset = node->offset;
  copy->bloom |= bloom_bit(&to);
  NodeRef moved = take_pending(*node);
  set_pending(from, std::move(copy));
  std::copy_n(out->strides, out->ndim, moved->strides());
  moved->offset = out->offset;
  set_pending(to, std::move(moved));
  return true;
}

namespace {

// Whether the inputs are arrays of one dtype and shape, as those of most calls are, so that nothing is promoted or
// broadcast. Not if a result of larger elements could be too large.
bool are_uniform(std::span<const gpuopt_array> inputs) {
  const gpuopt_array_s &first = *inputs[0];
  if (first.weak || first.size == 0 || first.size > INT64_MAX / dtype_size(GPUOPT_COMPLEX128)) return false;
  for (const gpuopt_array x : inputs.subspan(1)) {
    if (x->weak || x->dtype != first.dtype || !same_shape(*x, first)) return false;
  }
  return true;
}

void copy_shape(const gpuopt_array_s &x, Shape &shape) {
  shape.ndim = x.ndim;
  for (int i = 0; i < x.ndim; ++i) shape.sizes[i] = x.shape[i];
}

// Sets `shape` to the one that the inputs broadcast to. Throws if they do not, or if a result could be too large.
void common_shape(std::span<const gpuopt_array> inputs, Shape &shape, const char *name) {
  std::span<const int64_t> shapes[3];
  for (size_t i = 0; i < inputs.size(); ++i) shapes[i] = inputs[i]->sizes();
  broadcast_shape({shapes, inputs.size()}, shape, name);
  checked_size(shape.ndim, shape.sizes, dtype_size(GPUOPT_COMPLEX128));
}

}  // namespace

ArrayRef record_op(gpuopt_op op, std::span<const gpuopt_array> inputs, gpuopt_array out, const char *name) {
  const RowInfo &info = op_info(op);
  if (!name) name = info.name;
  if (static_cast<int>(inputs.size()) != info.nin) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %zu inputs are given, %d are needed", name, inputs.size(), info.nin);
  }
  const gpuopt_stream stream = find_stream(name, inputs, out);
  const bool selects = info.result == ResultRule::SELECT, uniform = are_uniform(inputs);
  const gpuopt_dtype promoted = info.result == ResultRule::LOGICAL ? GPUOPT_BOOL
                                : uniform                          ? inputs[0]->dtype
                                                                   : common_dtype(inputs.subspan(selects ? 1 : 0));
  const auto [loop, compute, result] = loop_dtypes(op, promoted);
  if (!loop) fail_dtype(info, promoted);
  Shape shape;
  uniform ? copy_shape(*inputs[0], shape) : common_shape(inputs, shape, name);
  if (out) check_out(name, *out, shape, result);

  Recorder recorder(name, stream, inputs, out);
  NodeRef sources[3];
  for (size_t i = 0; i < inputs.size(); ++i) {
    const gpuopt_dtype wanted = selects && i == 0 ? GPUOPT_BOOL : loop;
    sources[i] = recorder.value(inputs[i], wanted);
    if (wanted == loop) sources[i] = recorder.cast(std::move(sources[i]), compute);
  }
  NodeRef node;
  if (op == GPUOPT_OP_pow) node = simple_power(recorder, sources[0], sources[1], shape);
  if (!node.get()) {
    node = new_node(recorder.engine(), stream, NodeKind::Elementwise, result_dtype(info.result, compute), shape.ndim,
                    shape.sizes);
    node->index = static_cast<uint16_t>(op);
    node->loop_dtype = static_cast<uint8_t>(compute);
    for (size_t i = 0; i < inputs.size(); ++i) add_source(*node.get(), std::move(sources[i]));
  }
  node = recorder.cast(std::move(node), result);
  if (!out) return recorder.publish(std::move(node));
  recorder.store(out, recorder.cast(std::move(node), out->dtype));
  return ArrayRef::share(out);
}

ArrayRef reshaped(gpuopt_array x, const Dims &shape) {
  evaluate(x);
  ArrayRef view = reshaped_view(x, shape);
  return view ? view : reshaped_view(contiguous(x).get(), shape);
}

ArrayRef record_cast(gpuopt_array x, gpuopt_dtype dtype) {
  Recorder recorder("astype", std::span(&x, 1));
  return recorder.publish(recorder.value(x, dtype));
}

ArrayRef in_dtype(gpuopt_array x, gpuopt_dtype dtype) {
  return x->dtype == dtype ? ArrayRef::share(x) : record_cast(x, dtype);
}

ArrayRef record_copy(gpuopt_array x) { return record_cast(x, deref(x, "copy").dtype); }

ArrayRef record_constant(gpuopt_stream stream, gpuopt_dtype dtype, int ndim, const int64_t *shape,
                         const void *element) {
  checked_size(ndim, shape, dtype_size(dtype));
  Recorder recorder("full", stream, {});
  return recorder.publish(new_constant(recorder.engine(), stream, dtype, ndim, shape, element));
}

namespace {

// The shape of a reduction's result, and the number of elements that are reduced to each of its elements.
struct Reduced {
  Shape shape;
  int64_t count = 1;
};

Reduced reduced_shape(const gpuopt_array_s &x, uint64_t axes, bool keepdims) {
  Reduced r;
  for (int i = 0; i < x.ndim; ++i) {
    const bool reduced = axes >> i & 1;
    if (reduced) r.count *= x.shape[i];
    if (!reduced || keepdims) r.shape.sizes[r.shape.ndim++] = reduced ? 1 : x.shape[i];
  }
  return r;
}

// Returns the dtype of the loop in which a reduction or scan computes elements of dtype `x`. `asked` is the dtype that
// the caller wants, or 0; throws ERR_INVALID_ARGUMENT if it cannot be chosen.
gpuopt_dtype accumulation_dtype(const RowInfo &info, gpuopt_dtype x, gpuopt_dtype asked) {
  if (asked && info.result != ResultRule::SUM) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: a dtype cannot be chosen", info.name);
  }
  if (!std::strcmp(info.kinds, "?")) return GPUOPT_BOOL;
  return loop_dtype(info, dtype_or(asked, x, info.name));
}

}  // namespace

LoopDtypes reduction_dtypes(gpuopt_reduction reduction, gpuopt_dtype x, gpuopt_dtype asked) {
  const RowInfo &info = reduction_info(reduction);
  const gpuopt_dtype loop = accumulation_dtype(info, x, asked), compute = compute_dtype(loop);
  return {loop, compute, result_dtype(info.result, compute)};
}

namespace {

// A reduction over no axes, which reduces each element by itself: a cast or, for argmin and argmax, zeros.
ArrayRef reduce_nothing(Recorder &recorder, gpuopt_reduction reduction, gpuopt_array x, gpuopt_dtype loop,
                        gpuopt_dtype result) {
  if (reduction != GPUOPT_REDUCTION_argmin && reduction != GPUOPT_REDUCTION_argmax) {
    return recorder.publish(recorder.cast(recorder.value(x, loop), result));
  }
  const unsigned char zero[16] = {};
  return recorder.publish(new_constant(recorder.engine(), recorder.stream(), result, x->ndim, x->shape, zero));
}

// Returns a constant for a reduction of an array without elements: the identity. Throws ERR_INVALID_ARGUMENT if there
// is none, and each element of the result would be reduced from no elements (r.count is 0).
NodeRef identity(Recorder &recorder, const RowInfo &info, gpuopt_reduction reduction, gpuopt_dtype dtype,
                 const Reduced &r) {
  const bool one = reduction == GPUOPT_REDUCTION_prod || reduction == GPUOPT_REDUCTION_all;
  const bool zero = reduction == GPUOPT_REDUCTION_sum || reduction == GPUOPT_REDUCTION_any ||
                    reduction == GPUOPT_REDUCTION_count_nonzero;
  if (!one && !zero && r.count == 0) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: a zero-size array has no identity for this reduction", info.name);
  }
  unsigned char element[16];
  store_scalar(gpuopt_scalar_bool(one), dtype, element);
  return new_constant(recorder.engine(), recorder.stream(), dtype, r.shape.ndim, r.shape.sizes, element);
}

}  // namespace

ArrayRef record_reduction(gpuopt_reduction reduction, gpuopt_array x, uint64_t axes, bool keepdims,
                          gpuopt_dtype dtype) {
  const RowInfo &info = reduction_info(reduction);
  deref_strong(x, info.name);
  const auto [loop, compute, reduced] = reduction_dtypes(reduction, x->dtype, dtype);
  const gpuopt_dtype result = dtype ? dtype : result_dtype(info.result, loop);
  axes &= x->ndim == 64 ? ~uint64_t{0} : (uint64_t{1} << x->ndim) - 1;
  const Reduced r = reduced_shape(*x, axes, keepdims);
  Recorder recorder(info.name, std::span(&x, 1));
  if (axes == 0) return reduce_nothing(recorder, reduction, x, loop, result);
  if (x->size == 0) return recorder.publish(identity(recorder, info, reduction, result, r));
  NodeRef source = recorder.cast(recorder.value(x, loop), compute);
  NodeRef node = new_node(recorder.engine(), x->stream.get(), NodeKind::Reduce, reduced, r.shape.ndim, r.shape.sizes);
  node->index = static_cast<uint16_t>(reduction);
  node->loop_dtype = static_cast<uint8_t>(compute);
  node->axes = axes;
  add_source(*node.get(), std::move(source));
  return recorder.publish(recorder.cast(std::move(node), result));
}

ArrayRef record_scan(gpuopt_scan scan, gpuopt_array x, int axis, gpuopt_dtype dtype) {
  const RowInfo &info = scan_info(scan);
  deref_strong(x, info.name);
  const gpuopt_dtype loop = accumulation_dtype(info, x->dtype, dtype), compute = compute_dtype(loop);
  const gpuopt_dtype result = dtype ? dtype : result_dtype(info.result, loop);
  Recorder recorder(info.name, std::span(&x, 1));
  NodeRef source = recorder.cast(recorder.value(x, loop), compute);
  NodeRef node = new_node(recorder.engine(), x->stream.get(), NodeKind::Scan, result_dtype(info.result, compute),
                          x->ndim, x->shape);
  node->index = static_cast<uint16_t>(scan);
  node->loop_dtype = static_cast<uint8_t>(compute);
  node->axes = uint64_t{1} << axis;
  add_source(*node.get(), std::move(source));
  return recorder.publish(recorder.cast(std::move(node), result));
}

namespace {

// Whether `value` can be broadcast to the shape of `x`. As in NumPy's assignment it may have more axes than x if these
// come first and have size 1.
bool fits_into(const gpuopt_array_s &value, const gpuopt_array_s &x) {
  for (int i = value.ndim - 1, k = x.ndim - 1; i >= 0; --i, --k) {
    if (value.shape[i] != 1 && (k < 0 || value.shape[i] != x.shape[k])) return false;
  }
  return true;
}

}  // namespace

void record_assign(gpuopt_array x, gpuopt_array value) {
  deref_strong(x, "assign");
  if (!fits_into(deref(value, "assign"), *x)) {
    fail(GPUOPT_ERR_SHAPE, "assign: shape %s cannot be broadcast into %s",
         shape_text(value->ndim, value->shape).c_str(), shape_text(x->ndim, x->shape).c_str());
  }
  Recorder recorder("assign", std::span(&value, 1), x);
  if (x->read_only) fail(GPUOPT_ERR_READ_ONLY, "assign: the array written to is read-only");
  NodeRef node = value->weak ? recorder.constant(value->scalar, x->dtype, value->scalar.kind == 'f')
                             : recorder.value(value, x->dtype);
  recorder.store(x, std::move(node));
}

void record_part(gpuopt_array part, gpuopt_array value) {
  if (value->weak) return record_assign(part, value);
  Recorder recorder("assign", std::span(&value, 1), part);
  if (!recorder.move_pending(value, part)) recorder.store(part, recorder.value(value, part->dtype));
}

}  // namespace gpuopt
