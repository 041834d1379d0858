// core/ops/einsum.cpp -- gpuopt_einsum: reads the subscripts, and contracts the operands from left to right by products
// of matrices, recorded products and sums.
#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "core/array/dtype.h"
#include "core/array/view.h"
#include "core/engine/library_call.h"
#include "core/engine/record.h"
#include "core/ops/matmul.h"

namespace gpuopt {
namespace {

// The label of an axis: a letter; or a number below 0 for an axis of an ellipsis, -1 for the last one.
using Label = int;
using Labels = std::vector<Label>;

bool has(const Labels &labels, Label label) { return std::find(labels.begin(), labels.end(), label) != labels.end(); }

std::string text_of(Label label) { return label < 0 ? "..." : std::string(1, static_cast<char>(label)); }

// ---- Subscripts

[[noreturn]] void refuse(const std::string &why) { fail(GPUOPT_ERR_INVALID_ARGUMENT, "einsum: %s", why.c_str()); }

// The subscripts of one operand, or of the result.
struct Term {
  Labels before, behind;  // the letters in front of the ellipsis, and behind it; without one, all are `before`
  bool ellipsis = false;

  explicit Term(const std::string &text) {
    for (size_t at = 0; at < text.size(); ++at) {
      if (std::isalpha(static_cast<unsigned char>(text[at]))) {
        (ellipsis ? behind : before).push_back(text[at]);
      } else if (text.compare(at, 3, "...") == 0 && !ellipsis) {
        ellipsis = true;
        at += 2;
      } else {
        refuse("'" + text.substr(at, 1) + "' is neither a letter nor the only ellipsis of \"" + text + "\"");
      }
    }
  }
  int letters() const { return static_cast<int>(before.size() + behind.size()); }
  // The labels of all axes, with `axes` of the ellipsis.
  Labels labels(int axes) const {
    Labels all = before;
    for (int axis = -axes; axis < 0 && ellipsis; ++axis) all.push_back(axis);
    all.insert(all.end(), behind.begin(), behind.end());
    return all;
  }
};

struct Subscripts {
  std::vector<Term> inputs;
  std::optional<Term> output;

  explicit Subscripts(const char *given) {
    std::string text;
    for (const char *c = given; *c; ++c) {
      if (*c != ' ') text += *c;
    }
    const size_t arrow = text.find("->");
    if (arrow != std::string::npos) output.emplace(text.substr(arrow + 2));
    text.resize(std::min(arrow, text.size()));
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find(',', begin), text.size());
      inputs.emplace_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
};

// How many axes the ellipsis of an operand stands for.
int ellipsis_axes(const Term &term, const gpuopt_array_s &x, size_t index) {
  const int axes = x.ndim - term.letters();
  if (axes < 0 || (axes > 0 && !term.ellipsis)) {
    fail(GPUOPT_ERR_SHAPE, "einsum: operand %zu has shape %s, and %d subscripts%s", index,
         shape_text(x.ndim, x.shape).c_str(), term.letters(), term.ellipsis ? " besides the ellipsis" : "");
  }
  return axes;
}

// The labels of the result: those given, or the ellipsis and each letter that occurs once, in alphabetical order.
Labels output_labels(const Subscripts &subscripts, const std::vector<Labels> &inputs, int axes) {
  std::map<Label, int> times;
  for (const Labels &labels : inputs) {
    for (const Label label : labels) ++times[label];
  }
  Labels result;
  if (!subscripts.output) {
    for (const auto &[label, count] : times) {
      if (label < 0 || count == 1) result.push_back(label);
    }
    return result;
  }
  result = subscripts.output->labels(axes);
  if (axes > 0 && !subscripts.output->ellipsis) refuse("the result needs an ellipsis, because an operand has one");
  for (size_t k = 0; k < result.size(); ++k) {
    if (!times.count(result[k])) refuse("the result has the subscript '" + text_of(result[k]) + "', and no operand");
    if (has(Labels(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(k)), result[k]))
      refuse("the result has the subscript '" + text_of(result[k]) + "' twice");
  }
  return result;
}

// Throws ERR_SHAPE unless the sizes of each label are equal, but for those that are 1.
void check_sizes(const std::vector<Labels> &inputs, std::span<const gpuopt_array> arrays) {
  std::map<Label, int64_t> sizes;
  for (size_t k = 0; k < inputs.size(); ++k) {
    for (size_t axis = 0; axis < inputs[k].size(); ++axis) {
      const int64_t size = arrays[k]->shape[axis];
      int64_t &known = sizes.try_emplace(inputs[k][axis], size).first->second;
      if (known == 1) known = size;
      if (size != known && size != 1) {
        fail(GPUOPT_ERR_SHAPE, "einsum: subscript '%s' has size %lld and, in operand %zu, %lld",
             text_of(inputs[k][axis]).c_str(), static_cast<long long>(known), k, static_cast<long long>(size));
      }
    }
  }
}

// ---- Operands

// An array and the labels of its axes, each once.
struct Operand {
  ArrayRef x;
  Labels labels;

  size_t place(Label label) const {
    return static_cast<size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
  }
  int64_t size(Label label) const { return x->shape[place(label)]; }
};

// Takes the diagonal of axes that have one label.
Operand diagonal_of(gpuopt_array x, const Labels &labels, size_t index) {
  Operand operand{ArrayRef::share(x), {}};
  Dims shape, strides;
  for (size_t axis = 0; axis < labels.size(); ++axis) {
    const size_t place = operand.place(labels[axis]);
    if (place == operand.labels.size()) {
      operand.labels.push_back(labels[axis]);
      shape.push_back(x->shape[axis]);
      strides.push_back(x->strides[axis]);
    } else if (shape[place] != x->shape[axis]) {
      fail(GPUOPT_ERR_SHAPE, "einsum: subscript '%s' of operand %zu stands for axes of sizes %lld and %lld",
           text_of(labels[axis]).c_str(), index, static_cast<long long>(shape[place]),
           static_cast<long long>(x->shape[axis]));
    } else {
      strides[place] += x->strides[axis];
    }
  }
  if (operand.labels.size() < labels.size()) operand.x = restrided(x, shape, strides, x->offset, true);
  return operand;
}

// Returns the operand with its axes in the order of these labels, all of which it has.
Operand ordered(const Operand &operand, const Labels &labels) {
  if (labels == operand.labels) return operand;
  Dims axes;
  for (const Label label : labels) axes.push_back(static_cast<int64_t>(operand.place(label)));
  return {permuted_view(operand.x.get(), axes.data()), labels};
}

// Removes the axes of size 1 whose label `other` has with another size: they are broadcast.
void drop_broadcast_axes(Operand &operand, const Operand &other) {
  Dims axes;
  Labels left;
  for (const Label label : operand.labels) {
    const bool broadcast = operand.size(label) == 1 && has(other.labels, label) && other.size(label) != 1;
    if (broadcast)
      axes.push_back(static_cast<int64_t>(operand.place(label)));
    else
      left.push_back(label);
  }
  if (axes.empty()) return;
  operand = {squeezed_view(operand.x.get(), static_cast<int>(axes.size()), axes.data()), left};
}

// Sums over all axes whose labels are not in `kept`. 16-bit floats are summed in float32; of bools it is the logical
// or.
Operand summed(const Operand &operand, const Labels &kept) {
  uint64_t mask = 0;
  Labels left;
  for (size_t axis = 0; axis < operand.labels.size(); ++axis) {
    if (has(kept, operand.labels[axis]))
      left.push_back(operand.labels[axis]);
    else
      mask |= uint64_t{1} << axis;
  }
  if (!mask) return operand;
  const gpuopt_dtype dtype = operand.x->dtype;
  if (dtype == GPUOPT_BOOL) return {record_reduction(GPUOPT_REDUCTION_any, operand.x.get(), mask, false, 0), left};
  const gpuopt_dtype wide = is_half(dtype) ? GPUOPT_FLOAT32 : dtype;
  const ArrayRef sum = record_reduction(GPUOPT_REDUCTION_sum, operand.x.get(), mask, false, wide);
  return {in_dtype(sum.get(), dtype), left};
}

// ---- Products of two operands

// How the labels of two operands are divided.
struct Pair {
  Labels both, summed, left, right;  // kept in both, summed over in both, of the first alone, of the second alone

  Pair(const Operand &a, const Operand &b, const Labels &needed) {
    for (const Label label : a.labels) {
      const bool common = has(b.labels, label);
      (common && has(needed, label) ? both : common ? summed : left).push_back(label);
    }
    for (const Label label : b.labels) {
      if (!has(a.labels, label)) right.push_back(label);
    }
  }
  Labels result() const { return joined({&both, &left, &right}); }
  static Labels joined(std::initializer_list<const Labels *> parts) {
    Labels all;
    for (const Labels *part : parts) all.insert(all.end(), part->begin(), part->end());
    return all;
  }
};

Dims sizes_of(const Operand &operand, const Labels &labels) {
  Dims sizes;
  for (const Label label : labels) sizes.push_back(operand.size(label));
  return sizes;
}

int64_t count_of(const Operand &operand, const Labels &labels) {
  int64_t count = 1;
  for (const Label label : labels) count *= operand.size(label);
  return count;
}

// The elementwise product over the axes both, left, right and summed, in this order.
Operand multiplied(const Operand &a, const Operand &b, const Pair &pair) {
  const Labels all = Pair::joined({&pair.both, &pair.left, &pair.right, &pair.summed});
  const auto spread = [&](const Operand &operand) {
    Dims shape;
    Labels own;
    for (const Label label : all) {
      const bool present = has(operand.labels, label);
      shape.push_back(present ? operand.size(label) : 1);
      if (present) own.push_back(label);
    }
    const Operand in_order = ordered(operand, own);
    return own.size() == all.size() ? in_order.x : reshaped(in_order.x.get(), shape);
  };
  return {record_op(GPUOPT_OP_multiply, {spread(a).get(), spread(b).get()}), all};
}

// Products and sums of 16-bit floats are computed in float32, and rounded once.
Operand inner_products(const Operand &a, const Operand &b, const Pair &pair) {
  const gpuopt_dtype dtype = a.x->dtype, wide = is_half(dtype) ? GPUOPT_FLOAT32 : dtype;
  const Operand left{in_dtype(a.x.get(), wide), a.labels}, right{in_dtype(b.x.get(), wide), b.labels};
  const Operand sums = summed(multiplied(left, right, pair), pair.both);
  return {in_dtype(sums.x.get(), dtype), sums.labels};
}

// By matmul: a stack over `both` of matrices of left x summed and summed x right.
Operand matrix_products(const Operand &a, const Operand &b, const Pair &pair) {
  Dims shape = sizes_of(a, pair.both);
  const auto matrices = [&](const Operand &operand, const Labels &rows, const Labels &columns) {
    Dims sizes = shape;
    sizes.push_back(count_of(operand, rows));
    sizes.push_back(count_of(operand, columns));
    return reshaped(ordered(operand, Pair::joined({&pair.both, &rows, &columns})).x.get(), sizes);
  };
  const ArrayRef left = matrices(a, pair.left, pair.summed), right = matrices(b, pair.summed, pair.right);
  const ArrayRef product = matmul(left.get(), right.get(), "einsum");
  for (const int64_t size : sizes_of(a, pair.left)) shape.push_back(size);
  for (const int64_t size : sizes_of(b, pair.right)) shape.push_back(size);
  return {reshaped(product.get(), shape), pair.result()};
}

Operand contracted(Operand a, Operand b, const Labels &needed) {
  drop_broadcast_axes(a, b);
  drop_broadcast_axes(b, a);
  a = summed(a, Pair::joined({&needed, &b.labels}));
  b = summed(b, Pair::joined({&needed, &a.labels}));
  const Pair pair(a, b, needed);
  if (pair.summed.empty()) return multiplied(a, b, pair);
  if (!pair.both.empty() && pair.left.empty() && pair.right.empty()) return inner_products(a, b, pair);
  return matrix_products(a, b, pair);
}

// ---- All of it

// The labels that the result or an operand after number k has.
Labels needed_after(size_t k, const std::vector<Labels> &inputs, const Labels &output) {
  Labels needed = output;
  for (size_t later = k + 1; later < inputs.size(); ++later)
    needed.insert(needed.end(), inputs[later].begin(), inputs[later].end());
  return needed;
}

std::span<const gpuopt_array> checked_operands(int32_t count, const gpuopt_array *arrays, size_t terms) {
  if (count < 1 || !arrays) refuse("need at least one operand");
  if (static_cast<size_t>(count) != terms)
    refuse(std::to_string(terms) + " operands have subscripts, and there are " + std::to_string(count));
  for (int32_t k = 0; k < count; ++k) {
    deref_strong(arrays[k], "einsum");
    check_same_device("einsum", {arrays[0], arrays[k]});
  }
  return {arrays, static_cast<size_t>(count)};
}

ArrayRef einsum(const char *text, int32_t count, const gpuopt_array *list) {
  if (!text) refuse("the subscripts are NULL");
  const Subscripts subscripts(text);
  const std::span<const gpuopt_array> arrays = checked_operands(count, list, subscripts.inputs.size());
  int axes = 0;
  std::vector<Labels> inputs;
  for (size_t k = 0; k < arrays.size(); ++k) {
    const int own = ellipsis_axes(subscripts.inputs[k], *arrays[k], k);
    inputs.push_back(subscripts.inputs[k].labels(own));
    axes = std::max(axes, own);
  }
  check_sizes(inputs, arrays);
  const Labels output = output_labels(subscripts, inputs, axes);
  const gpuopt_dtype dtype = common_dtype(arrays);
  const auto operand = [&](size_t k) { return diagonal_of(in_dtype(arrays[k], dtype).get(), inputs[k], k); };
  Operand result = operand(0);
  for (size_t k = 1; k < arrays.size(); ++k) result = contracted(result, operand(k), needed_after(k, inputs, output));
  result = ordered(summed(result, output), output);
  const bool is_view = std::any_of(arrays.begin(), arrays.end(), [&](gpuopt_array x) {
    return x->storage.get() == result.x->storage.get() || x == result.x.get();
  });
  return is_view ? record_copy(result.x.get()) : result.x;
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" gpuopt_status gpuopt_einsum(const char *subscripts, int32_t count, const gpuopt_array *arrays,
                                       gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return einsum(subscripts, count, arrays); });
}
