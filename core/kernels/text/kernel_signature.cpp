// core/kernels/text/kernel_signature.cpp -- see kernel_signature.h.
#include "core/kernels/text/kernel_signature.h"

#include <algorithm>
#include <cctype>

#include "core/array/array.h"
#include "core/array/dtype.h"
#include "core/base/error.h"
#include "core/kernels/text/kernel_words.h"

namespace gpuopt {
namespace {

// Returns the dtype for a letter and size of plugins/shared/user/signature.h, 0 if there is none.
gpuopt_dtype dtype_of(char letter, uint32_t bytes) {
  if (letter == 'g') return GPUOPT_BFLOAT16;
  const char kind = letter == 'b' ? '?' : letter;
  for (gpuopt_dtype d = 1; d < GPUOPT_DTYPE_COUNT; ++d) {
    if (dtype_kind(d) == kind && dtype_size(d) == static_cast<int>(bytes) && d != GPUOPT_BFLOAT16) return d;
  }
  return 0;
}

ParameterType read_word(uint32_t word) {
  ParameterType type;
  type.dtype = dtype_of(static_cast<char>(word & 255), word >> 16);
  type.pointer = word >> 8 & 1;
  type.constant = word >> 9 & 1;
  type.lanes = static_cast<int>(word >> 10 & 15);
  type.bytes = word >> 16;
  return type;
}

// Returns the name of a type as CUDA C++ spells it.
const char *c_name(gpuopt_dtype d) {
  switch (d) {
    case GPUOPT_INT8:
      return "signed char";
    case GPUOPT_INT16:
      return "short";
    case GPUOPT_INT32:
      return "int";
    case GPUOPT_INT64:
      return "long long";
    case GPUOPT_UINT8:
      return "unsigned char";
    case GPUOPT_UINT16:
      return "unsigned short";
    case GPUOPT_UINT32:
      return "unsigned int";
    case GPUOPT_UINT64:
      return "unsigned long long";
    default:
      return cpp_type(d);
  }
}

// Returns the name of a vector type without its number of lanes: "uint" for uint4.
const char *vector_name(gpuopt_dtype d) {
  return d == GPUOPT_INT64 ? "longlong" : d == GPUOPT_UINT32 ? "uint" : c_name(d);
}

bool is_integer(gpuopt_dtype d) { return dtype_kind(d) == 'i' || dtype_kind(d) == 'u'; }

// Returns whether a parameter of this type takes an array of `dtype`: the numbers may be grouped into vectors such as
// float2, and a complex number may be read as two lanes.
bool array_fits(const ParameterType &type, gpuopt_dtype dtype) {
  if (!type.pointer) return type.dtype == 0;  // a struct may hold the address
  if (type.dtype == 0 || type.dtype == dtype) return true;
  return type.lanes > 1 && type.lanes % 2 == 0 && dtype_kind(dtype) == 'c' && real_component(dtype) == type.dtype;
}

// Returns whether a parameter of this type takes a value of `dtype`. Values are passed as bytes, so signed and unsigned
// integers of one size are interchangeable, and a 64-bit integer may be an address.
bool value_fits(const ParameterType &type, gpuopt_dtype dtype) {
  if (type.pointer) return is_integer(dtype) && dtype_size(dtype) == 8;
  if (type.dtype == 0 || type.dtype == dtype) return true;
  return type.lanes == 1 && is_integer(type.dtype) && is_integer(dtype) && dtype_size(type.dtype) == dtype_size(dtype);
}

// Returns the size of the parameter in bytes.
uint64_t size_of(const ParameterType &type) {
  if (type.pointer) return sizeof(void *);
  return type.dtype ? static_cast<uint64_t>(dtype_size(type.dtype)) * static_cast<uint64_t>(type.lanes) : type.bytes;
}

// Returns the text with blanks in place of comments and of strings in double quotes. All positions stay the same.
std::string without_comments(const std::string &text) {
  std::string out = text;
  const auto blank = [&](size_t begin, const char *end, size_t extra) {
    const size_t found = text.find(end, begin + extra);
    const size_t stop = found == std::string::npos ? text.size() : found + std::string(end).size();
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(begin), out.begin() + static_cast<std::ptrdiff_t>(stop), ' ');
    return stop;
  };
  for (size_t k = 0; k < text.size();) {
    if (text.compare(k, 2, "//") == 0) {
      k = blank(k, "\n", 2);
    } else if (text.compare(k, 2, "/*") == 0) {
      k = blank(k, "*/", 2);
    } else if (text[k] == '"') {
      k = blank(k, "\"", 1);
    } else {
      ++k;
    }
  }
  return out;
}

// Returns the last word of each item of a parameter list: its name. The list begins at `begin`, after its opening
// parenthesis; commas inside of brackets do not separate items. Sets `end` to the position after the closing one.
std::vector<std::string> last_words(const std::string &text, size_t begin, size_t &end) {
  std::vector<std::string> words;
  std::string word;
  int depth = 1;
  bool any = false;
  size_t k = begin;
  for (; k < text.size() && depth > 0; ++k) {
    const char c = text[k];
    depth += c == '(' || c == '<' || c == '[' ? 1 : c == ')' || c == '>' || c == ']' ? -1 : 0;
    if (depth == 0 || (depth == 1 && c == ',')) {
      if (any) words.push_back(word);
      any = false;
      word.clear();
    } else if (depth == 1 && is_word_character(c)) {
      word = (any && k > begin && is_word_character(text[k - 1]) ? word : "") + c;
      any = true;
    }
  }
  end = k;
  return words;
}

}  // namespace

KernelSignature read_signature(std::span<const uint32_t> words) {
  KernelSignature signature;
  for (const uint32_t word : words) signature.push_back(read_word(word));
  return signature;
}

std::string type_name(const ParameterType &type) {
  if (type.dtype == 0 && !type.pointer) return "a struct of " + std::to_string(type.bytes) + " bytes";
  std::string name = type.dtype == 0   ? "void"
                     : type.lanes == 1 ? c_name(type.dtype)
                                       : vector_name(type.dtype) + std::to_string(type.lanes);
  if (type.constant) name = "const " + name;
  return type.pointer ? name + " *" : name;
}

std::vector<std::string> parameter_names(const std::string &text, const std::string &kernel, size_t count) {
  const size_t arguments = kernel.find('<'), inner = kernel.rfind("::", arguments);
  const std::string name = kernel.substr(
      inner == std::string::npos ? 0 : inner + 2,
      arguments == std::string::npos ? arguments : arguments - (inner == std::string::npos ? 0 : inner + 2));
  const std::string code = without_comments(text);
  for (size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + 1)) {
    size_t k = at + name.size();
    if ((at > 0 && is_word_character(code[at - 1])) || (k < code.size() && is_word_character(code[k]))) continue;
    while (k < code.size() && std::isspace(static_cast<unsigned char>(code[k]))) ++k;
    if (k == code.size() || code[k] != '(') continue;
    size_t end = 0;
    std::vector<std::string> words = last_words(code, k + 1, end);
    while (end < code.size() && std::isspace(static_cast<unsigned char>(code[end]))) ++end;
    if (words.size() == count && end < code.size() && code[end] == '{') return words;
  }
  return {};
}

void check_types(const UserKernel &kernel, const KernelSignature &signature,
                 std::span<const gpuopt_raw_argument> arguments, const gpuopt_dtype *dtypes) {
  if (signature.size() != arguments.size()) return;
  for (size_t k = 0; k < arguments.size(); ++k) {
    const gpuopt_array array = arguments[k].array;
    if (!array && arguments[k].bytes != size_of(signature[k])) return;  // reported by the backend
    gpuopt_dtype dtype = dtypes ? dtypes[k] : 0;
    if (dtype == 0 && array) dtype = array->dtype;
    if (dtype == 0 || dtype == GPUOPT_RAW_ANY) continue;
    if (!valid_dtype(dtype))
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %d, given for argument %zu, is not a dtype", kernel.name.c_str(), dtype,
           k);
    if (array ? array_fits(signature[k], dtype) : value_fits(signature[k], dtype)) continue;
    const std::vector<std::string> names = parameter_names(kernel.operation, kernel.name, signature.size());
    const std::string name = names.empty() ? "" : " (" + names[k] + ")";
    fail(GPUOPT_ERR_TYPE,
         "%s: parameter %zu%s is %s, and its argument is %s %s; launch with GPUOPT_RAW_REINTERPRET if that is meant",
         kernel.name.c_str(), k, name.c_str(), type_name(signature[k]).c_str(), array ? "an array of" : "a value of",
         dtype_name(dtype));
  }
}

}  // namespace gpuopt
