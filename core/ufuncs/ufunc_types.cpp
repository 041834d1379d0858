// core/ufuncs/ufunc_types.cpp -- see ufunc_types.h.
#include "core/ufuncs/ufunc_types.h"

#include <algorithm>
#include <cctype>

#include "core/kernels/text/kernel_params.h"

namespace gpuopt {
namespace {

std::string without_spaces(const char *text) {
  std::string kept;
  for (const char *c = text ? text : ""; *c; ++c)
    if (!std::isspace(static_cast<unsigned char>(*c))) kept += *c;
  return kept;
}

std::vector<std::string> split(const std::string &text, char at) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<gpuopt_dtype> parse_dtypes(const std::string &ufunc, const std::string &list) {
  std::vector<gpuopt_dtype> dtypes;
  for (const std::string &name : split(list, ',')) dtypes.push_back(dtype_named(ufunc, name));
  return dtypes;
}

TypeSignature parse_signature(const std::string &ufunc, const std::string &text) {
  const size_t arrow = text.find("->");
  if (arrow == std::string::npos)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Syntax error: types \"%s\" are not INPUTS->OUTPUTS", ufunc.c_str(),
         text.c_str());
  return {parse_dtypes(ufunc, text.substr(0, arrow)), parse_dtypes(ufunc, text.substr(arrow + 2))};
}

// Returns whether x can be cast to `wanted` safely; a weak scalar, whether it adopts that dtype (NEP 50).
bool accepts(gpuopt_dtype wanted, const gpuopt_array_s &x) {
  return x.weak ? promote_weak(wanted, x.scalar.kind) == wanted : can_cast(x.dtype, wanted, 0);
}

bool accepts(const TypeSignature &signature, std::span<const gpuopt_array> inputs) {
  for (size_t k = 0; k < inputs.size(); ++k)
    if (!accepts(signature.inputs[k], *inputs[k])) return false;
  return true;
}

const char *type_text(const gpuopt_array_s &x) { return x.weak ? "a number" : dtype_name(x.dtype); }

}  // namespace

std::vector<TypeSignature> parse_types(const std::string &ufunc, const char *types) {
  std::vector<TypeSignature> signatures;
  for (const std::string &text : split(without_spaces(types), ';')) {
    if (text.empty()) continue;
    signatures.push_back(parse_signature(ufunc, text));
    if (signatures.back().inputs.size() != signatures.front().inputs.size() ||
        signatures.back().outputs.size() != signatures.front().outputs.size())
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: types \"%s\" have another number of inputs or outputs than the first",
           ufunc.c_str(), text.c_str());
  }
  if (signatures.empty()) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: no types are given", ufunc.c_str());
  return signatures;
}

size_t resolved_types(const std::string &ufunc, const std::vector<TypeSignature> &signatures,
                      std::span<const gpuopt_array> inputs) {
  for (size_t k = 0; k < signatures.size(); ++k)
    if (accepts(signatures[k], inputs)) return k;
  std::string have;
  for (const gpuopt_array x : inputs) have += (have.empty() ? "" : ", ") + std::string(type_text(*x));
  fail(GPUOPT_ERR_TYPE, "%s: no types match (%s): a ufunc casts its inputs safely, or not at all", ufunc.c_str(),
       have.c_str());
}

CoreSignature::CoreSignature(const std::string &ufunc, const char *signature)
    : ufunc_(ufunc), text_(without_spaces(signature)) {
  const size_t arrow = text_.find("->");
  if (arrow == std::string::npos)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Syntax error: signature \"%s\" is not (...)->(...)", ufunc_.c_str(),
         text_.c_str());
  inputs_ = parse_side(text_.substr(0, arrow), false);
  outputs_ = parse_side(text_.substr(arrow + 2), true);
}

// Parses one side of the arrow, "(m,n),(n,p)". Returns the core dimensions of each operand as indices into names_.
std::vector<std::vector<size_t>> CoreSignature::parse_side(const std::string &side, bool output) {
  std::vector<std::vector<size_t>> operands;
  for (size_t at = 0; at < side.size();) {
    const size_t close = side.find(')', at);
    const bool more = close != std::string::npos && close + 1 < side.size();
    if (side[at] != '(' || close == std::string::npos || (more && (side[close + 1] != ',' || close + 2 == side.size())))
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Syntax error: in signature \"%s\", at \"%s\"", ufunc_.c_str(),
           text_.c_str(), side.substr(at).c_str());
    std::vector<std::string> names = split(side.substr(at + 1, close - at - 1), ',');
    if (names.back().empty()) names.pop_back();  // "()", or a comma after the last name
    std::vector<size_t> &operand = operands.emplace_back();
    for (const std::string &name : names) operand.push_back(dimension_named(name, output));
    at = close + 2;
  }
  if (operands.empty())
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Syntax error: signature \"%s\" has no %s", ufunc_.c_str(), text_.c_str(),
         output ? "output" : "input");
  return operands;
}

// Returns the index of a core dimension in names_, adding it if it is new.
size_t CoreSignature::dimension_named(const std::string &name, bool output) {
  const bool number =
      !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  const bool word = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
                    std::all_of(name.begin(), name.end(),
                                [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
  if ((!number && !word) || name.size() > 18)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Syntax error: \"%s\" in signature \"%s\" is not a dimension", ufunc_.c_str(),
         name.c_str(), text_.c_str());
  const auto known = std::find(names_.begin(), names_.end(), name);
  if (known != names_.end()) return static_cast<size_t>(known - names_.begin());
  if (output && !number)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: bad token in signature \"%s\": no input has the dimension %s",
         ufunc_.c_str(), text_.c_str(), name.c_str());
  names_.push_back(name);
  fixed_.push_back(number ? std::stoll(name) : -1);
  return names_.size() - 1;
}

Dims CoreSignature::sizes(std::span<const gpuopt_array> operands) const {
  Dims sizes = fixed_;
  for (size_t k = 0; k < operands.size(); ++k)
    if (operands[k]) bind(k, *operands[k], sizes);
  return sizes;
}

// Sets the sizes of operand k's core dimensions from x, or checks them if they are known (not -1).
void CoreSignature::bind(size_t k, const gpuopt_array_s &x, Dims &sizes) const {
  const bool input = k < nin();
  const char *const what = input ? "Input" : "Output";
  const size_t number = input ? k : k - nin();
  const std::vector<size_t> &core = dimensions(k);
  if (static_cast<size_t>(x.ndim) < core.size())
    fail(GPUOPT_ERR_SHAPE,
         "%s: %s operand %zu does not have enough dimensions (has %d, gufunc core with signature %s requires %zu)",
         ufunc_.c_str(), what, number, x.ndim, text_.c_str(), core.size());
  for (size_t d = 0; d < core.size(); ++d) {
    const int64_t have = x.shape[static_cast<size_t>(x.ndim) - core.size() + d];
    int64_t &size = sizes[core[d]];
    if (size < 0) size = have;
    if (size != have)
      fail(GPUOPT_ERR_SHAPE,
           "%s: %s operand %zu has a mismatch in its core dimension %zu, with gufunc signature %s (size %lld is "
           "different from %lld)",
           ufunc_.c_str(), what, number, d, text_.c_str(), static_cast<long long>(have), static_cast<long long>(size));
  }
}

Dims CoreSignature::shape(size_t k, const Dims &sizes) const {
  Dims shape;
  for (const size_t d : dimensions(k)) shape.push_back(sizes[d]);
  return shape;
}

}  // namespace gpuopt
