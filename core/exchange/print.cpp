// core/exchange/print.cpp -- gpuopt_array_to_string, with the layout of numpy.array2string, str() and repr().
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "core/array/dtype.h"
#include "core/array/view.h"
#include "core/device/report.h"
#include "core/engine/engine.h"
#include "core/engine/transfer.h"
#include "core/exchange/print_format.h"

namespace gpuopt {
namespace {

// The caller's options, with defaults in place of zeros (gpuopt_print_options).
struct PrintOptions {
  int precision, threshold, edgeitems, linewidth, repr;
};

PrintOptions print_options(const gpuopt_print_options *given) {
  const auto o = options_or_default(given, "gpuopt_print_options");
  if (o.precision < 0 || o.threshold < 0 || o.edgeitems < 0 || o.linewidth < 0 || o.repr < 0 || o.repr > 2)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "array_to_string: an option is negative, or repr (%d) is not 0, 1 or 2", o.repr);
  return {o.precision ? o.precision : 8, o.threshold ? o.threshold : 1000, o.edgeitems ? o.edgeitems : 3,
          o.linewidth ? o.linewidth : 75, o.repr};
}

// An axis of the printed array. All of its `size` positions are printed, or, if it is `cut`, shown / 2 at each end.
struct Axis {
  int64_t size;
  int64_t shown;
  bool cut;
};

// The elements that are printed, in C order of the shape axes[...].shown.
struct Shown {
  gpuopt_dtype dtype;
  std::vector<Axis> axes;
  std::vector<gpuopt_scalar> elements;
  bool summarised = false;
};

std::vector<gpuopt_scalar> read_elements(gpuopt_array x) {
  const size_t item = static_cast<size_t>(dtype_size(x->dtype)), count = static_cast<size_t>(x->size);
  std::vector<unsigned char> bytes(count * item);
  copy_to_host(x, bytes.data());
  std::vector<gpuopt_scalar> elements(count);
  for (size_t k = 0; k < count; ++k) elements[k] = load_scalar(x->dtype, bytes.data() + k * item);
  return elements;
}

// Copies one corner block of x to its positions in shown.elements. Along a cut axis k the block is at the end of x if
// bit k of `ends` is set, else at the start; along other axes it is all of x.
void read_block(gpuopt_array x, uint64_t ends, Shown &shown) {
  Dims shape(x->shape, x->shape + x->ndim);
  int64_t offset = x->offset;
  for (int k = 0; k < x->ndim; ++k) {
    if (!shown.axes[k].cut) continue;
    shape[k] = shown.axes[k].shown / 2;
    if (ends >> k & 1) offset += (x->shape[k] - shape[k]) * x->strides[k];
  }
  const ArrayRef block =
      make_view(x->storage.get(), x->stream, x->dtype, x->ndim, shape.data(), x->strides, offset, true);
  const std::vector<gpuopt_scalar> elements = read_elements(block.get());
  Dims index(static_cast<size_t>(x->ndim), 0);
  for (const gpuopt_scalar &element : elements) {
    int64_t place = 0;
    for (int k = 0; k < x->ndim; ++k) place = place * shown.axes[k].shown + index[k] + (ends >> k & 1 ? shape[k] : 0);
    shown.elements[static_cast<size_t>(place)] = element;
    for (int k = x->ndim - 1; k >= 0 && ++index[k] == shape[k]; --k) index[k] = 0;
  }
}

// Evaluates x and reads the elements that are printed; the others are not copied to the host.
Shown read_shown(gpuopt_array x, const PrintOptions &options) {
  Shown shown{x->dtype, {}, {}, x->size > options.threshold};
  uint64_t cut = 0;
  std::vector<int64_t> shape;
  for (int k = 0; k < x->ndim; ++k) {
    const bool is_cut =
        shown.summarised && x->shape[k] / 2 >= options.edgeitems && x->shape[k] != 2 * int64_t{options.edgeitems};
    shown.axes.push_back({x->shape[k], is_cut ? 2 * int64_t{options.edgeitems} : x->shape[k], is_cut});
    shape.push_back(shown.axes.back().shown);
    cut |= uint64_t{is_cut} << k;
  }
  evaluate(x);
  if (!cut) {
    shown.elements = read_elements(x);
    return shown;
  }
  shown.elements.resize(static_cast<size_t>(checked_size(x->ndim, shape.data(), sizeof(gpuopt_scalar))));
  uint64_t ends = 0;
  do {
    read_block(x, ends, shown);
    ends = (ends - cut) & cut;  // enumerates all subsets of the bits of `cut`
  } while (ends);
  return shown;
}

// Arranges the elements with brackets, separators and line breaks. `indent` is the number of characters in front of the
// first bracket and `suffix` the number reserved after the last one.
class Layout {
 public:
  Layout(const Shown &shown, const PrintOptions &options, const std::string &separator, int indent, int suffix)
      : shown_(shown),
        format_(element_format(shown.dtype, shown.elements, options.precision, shown.axes.empty())),
        separator_(separator),
        bare_separator_(separator.substr(0, separator.find_last_not_of(' ') + 1)),
        indent_(indent + 1),
        width_(options.linewidth - suffix) {}

  std::string text() { return block(0, std::string(static_cast<size_t>(indent_), ' '), width_); }

 private:
  // Appends `word` to `line`; if it would exceed `width`, first moves the line to `done` and starts a new one.
  static void extend(std::string &done, std::string &line, const std::string &word, int width,
                     const std::string &indent) {
    const bool wraps = static_cast<int>(line.size() + word.size()) > width && line.size() > indent.size();
    if (wraps) {
      done += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
      line = indent;
    }
    line += word;
  }

  // Returns the elements along the last axis.
  std::string row(size_t axis, const std::string &indent, int width) {
    const Axis &a = shown_.axes[axis];
    const int element_width = width - std::max(static_cast<int>(bare_separator_.size()), 1);
    std::string done, line = indent;
    for (int64_t k = 0; k < a.shown; ++k) {
      if (a.cut && k == a.shown / 2) {
        extend(done, line, "...", element_width, indent);
        line += separator_;
      }
      extend(done, line, format_(shown_.elements[next_++]), element_width, indent);
      if (k + 1 < a.shown) line += separator_;
    }
    return done + line;
  }

  // Returns the blocks along another axis.
  std::string rows(size_t axis, const std::string &indent, int width) {
    const Axis &a = shown_.axes[axis];
    const std::string line_end = bare_separator_ + std::string(shown_.axes.size() - axis - 1, '\n');
    std::string text;
    for (int64_t k = 0; k < a.shown; ++k) {
      if (a.cut && k == a.shown / 2) text += indent + "..." + line_end;
      text += indent + block(axis + 1, indent + ' ', width - 1);
      if (k + 1 < a.shown) text += line_end;
    }
    return text;
  }

  // Returns the next block of axes `axis` and up in brackets, without the indentation of its first line. `indent` is
  // what precedes the contents of the brackets on each line.
  std::string block(size_t axis, const std::string &indent, int width) {
    if (axis == shown_.axes.size()) return format_(shown_.elements[next_++]);
    const bool last = axis + 1 == shown_.axes.size();
    std::string inside = last ? row(axis, indent, width) : rows(axis, indent, width);
    return inside.replace(0, indent.size(), 1, '[') + ']';
  }

  const Shown &shown_;
  ElementFormat format_;
  const std::string separator_, bare_separator_;
  const int indent_, width_;
  size_t next_ = 0;
};

std::string elements_text(gpuopt_array x, const PrintOptions &options, const std::string &separator, int indent,
                          int suffix) {
  if (x->size == 0) return "[]";
  const Shown shown = read_shown(x, options);
  return Layout(shown, options, separator, indent, suffix).text();
}

// Returns whether NumPy's repr() omits the dtype because the printed elements imply it.
bool implied(gpuopt_dtype dtype) {
  return dtype == GPUOPT_BOOL || dtype == GPUOPT_INT64 || dtype == GPUOPT_FLOAT64 || dtype == GPUOPT_COMPLEX128;
}

// Returns what repr() prints after the elements: shape, dtype and device, each only if it is needed.
std::string extras_text(gpuopt_array x, const PrintOptions &options) {
  std::string extras;
  const auto add = [&](const std::string &extra) { extras += (extras.empty() ? "" : ", ") + extra; };
  const bool plain_empty = x->ndim == 1 && x->size == 0;
  if ((x->size == 0 && !plain_empty) || x->size > options.threshold) add("shape=" + shape_text(x->ndim, x->shape));
  if (!implied(x->dtype) || x->size == 0) add(std::string("dtype=") + dtype_name(x->dtype));
  if (options.repr == 2) add("device='" + x->device()->name + "'");
  return extras;
}

std::string repr_text(gpuopt_array x, const PrintOptions &options) {
  const std::string prefix = "array(";
  const int indent = static_cast<int>(prefix.size());
  std::string text = prefix + elements_text(x, options, ", ", indent, 1);
  const std::string extras = extras_text(x, options);
  if (extras.empty()) return text + ")";
  text += ",";
  const size_t last_line = text.size() - (text.rfind('\n') + 1);
  const bool wraps = last_line + extras.size() + 2 > static_cast<size_t>(options.linewidth);
  text += wraps ? '\n' : ' ';
  if (wraps) text.append(prefix.size(), ' ');
  return text + extras + ")";
}

std::string str_text(gpuopt_array x, const PrintOptions &options) {
  if (x->ndim == 0) return scalar_text(x->dtype, read_elements(x)[0]);
  return elements_text(x, options, " ", 0, 0);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" gpuopt_status gpuopt_array_to_string(gpuopt_array x, const gpuopt_print_options *options, char **string,
                                                gpuopt_error *error) {
  if (string) *string = nullptr;
  return guarded(error, [&] {
    const gpuopt_array_s &array = deref(x, "x");
    if (!string) fail(GPUOPT_ERR_INVALID_ARGUMENT, "array_to_string: string is NULL");
    const PrintOptions o = print_options(options);
    if (array.weak)
      *string = new_string(scalar_text(array.dtype, array.scalar));
    else
      *string = new_string(o.repr ? repr_text(x, o) : str_text(x, o));
  });
}
