// core/exchange/npy_header.cpp -- parses and writes the header of .npy files, a Python dict literal. Nothing in it is
// trusted.
#include <algorithm>
#include <cstring>
#include <limits>

#include "core/array/dtype.h"
#include "core/exchange/npy.h"

namespace gpuopt {
namespace {

constexpr size_t kMaxHeader = 65535;  // 64 dimensions take less than 2000 bytes; only records need more

// A recursive-descent parser for the few forms of header that NumPy writes. All errors are ERR_FORMAT with the
// position.
class DictParser {
 public:
  DictParser(const std::string &text, const std::string &where) : text_(text), where_(where) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      entry();
      if (accept(',')) continue;
      expect('}');
      break;
    }
    skip_space();
    if (at_ != text_.size()) reject("something follows the dict");
    if (!has_descr_ || !has_order_ || !has_shape_)
      reject("a key is missing (descr, fortran_order and shape are needed)");
    return header_;
  }

 private:
  [[noreturn]] void reject(const std::string &what) const {
    fail(GPUOPT_ERR_FORMAT, "%s: bad .npy header at character %zu: %s", where_.c_str(), at_, what.c_str());
  }

  void skip_space() {
    while (at_ < text_.size() && std::strchr(" \t\r\n\f\v", text_[at_]) && text_[at_]) ++at_;
  }

  bool accept(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) reject(std::string("'") + c + "' expected");
  }

  bool accept_word(const char *word) {
    skip_space();
    const size_t length = std::strlen(word);
    if (text_.compare(at_, length, word) != 0) return false;
    at_ += length;
    return true;
  }

  std::string string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') reject("a string expected");
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string::npos) reject("a string does not end");
    std::string value = text_.substr(at_ + 1, end - at_ - 1);
    if (value.find_first_of("\\\n\r") != std::string::npos) reject("escapes are not accepted in a string");
    at_ = end + 1;
    return value;
  }

  // Marks a key as seen; rejects a key that occurs twice.
  void once(bool &seen, const char *key) {
    if (seen) reject(std::string("the key '") + key + "' comes twice");
    seen = true;
  }

  void entry() {
    const std::string key = string();
    expect(':');
    if (key == "descr") {
      once(has_descr_, "descr");
      descr();
    } else if (key == "fortran_order") {
      once(has_order_, "fortran_order");
      header_.fortran = accept_word("True");
      if (!header_.fortran && !accept_word("False")) reject("fortran_order must be True or False");
    } else if (key == "shape") {
      once(has_shape_, "shape");
      shape();
    } else {
      reject("unknown key '" + key.substr(0, 40) + "'");
    }
  }

  // Parses a dtype such as '<f8': byte order, kind, size in bytes.
  void descr() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '[') reject("records (structured dtypes) are not supported");
    const std::string type = string();
    const bool has_order = !type.empty() && std::strchr("<>|=", type[0]);
    const std::string code = type.substr(has_order);
    header_.dtype = dtype_of_code(code);
    if (!header_.dtype) reject("dtype '" + type.substr(0, 40) + "' is not supported" + explain(code));
    header_.swapped = type[0] == '>' && dtype_size(header_.dtype) > 1;
  }

  static gpuopt_dtype dtype_of_code(const std::string &code) {
#define GPUOPT_DTYPE(NAME, name, kind, size, npy, dlpack_code, dlpack_bits) \
  if (code == &(npy)[1]) return GPUOPT_##NAME;
#include <gpuopt/dtypes.def>
    return 0;
  }

  // Returns what an unsupported dtype is, for the message.
  static const char *explain(const std::string &code) {
    switch (code.empty() ? '\0' : code[0]) {
      case 'O':
        return " (Python objects)";
      case 'U':
      case 'S':
      case 'a':
        return " (strings)";
      case 'M':
      case 'm':
        return " (dates and times)";
      case 'V':
        return " (raw bytes; two of them are read as bfloat16)";
      default:
        return "";
    }
  }

  int64_t size_of_axis() {
    skip_space();
    const size_t start = at_;
    int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      const int digit = text_[at_] - '0';
      if (value > (std::numeric_limits<int64_t>::max() - digit) / 10) reject("a size does not fit 64 bits");
      value = value * 10 + digit;
    }
    if (at_ == start) reject("a size (a number without sign) expected");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote long integers with this suffix
    return value;
  }

  void shape() {
    expect('(');
    bool comma = true;
    while (!accept(')')) {
      if (!comma) reject("',' expected");
      if (header_.shape.size() == GPUOPT_MAX_NDIM) reject("more than 64 dimensions");
      header_.shape.push_back(size_of_axis());
      comma = accept(',');
    }
    if (header_.shape.size() == 1 && !comma) reject("the shape is a number, not a tuple");
  }

  const std::string &text_, &where_;
  size_t at_ = 0;
  NpyHeader header_;
  bool has_descr_ = false, has_order_ = false, has_shape_ = false;
};

void read_exactly(Source &source, void *to, size_t bytes, const std::string &where) {
  if (source.read(to, bytes) != bytes) fail(GPUOPT_ERR_FORMAT, "%s: the .npy header is cut short", where.c_str());
}

size_t read_little_endian(Source &source, size_t bytes, const std::string &where) {
  unsigned char b[4] = {};
  read_exactly(source, b, bytes, where);
  return b[0] | size_t{b[1]} << 8 | size_t{b[2]} << 16 | size_t{b[3]} << 24;
}

}  // namespace

NpyHeader parse_npy_dict(const std::string &text, const std::string &where) { return DictParser(text, where).parse(); }

NpyHeader read_npy_header(Source &source, const std::string &where) {
  unsigned char start[8];
  const size_t got = source.read(start, sizeof start);
  if (got < 6 || std::memcmp(start, "\x93NUMPY", 6) != 0)
    fail(GPUOPT_ERR_FORMAT, "%s: not a .npy file (it does not begin with \\x93NUMPY)", where.c_str());
  if (got < sizeof start) fail(GPUOPT_ERR_FORMAT, "%s: the .npy header is cut short", where.c_str());
  const int major = start[6], minor = start[7];
  if (major < 1 || major > 3 || minor != 0)
    fail(GPUOPT_ERR_FORMAT, "%s: .npy format version %d.%d is not known (1.0, 2.0 and 3.0 are)", where.c_str(), major,
         minor);
  const size_t length = read_little_endian(source, major == 1 ? 2 : 4, where);
  if (length > kMaxHeader)
    fail(GPUOPT_ERR_FORMAT, "%s: a .npy header of %zu bytes is too long (at most %zu)", where.c_str(), length,
         kMaxHeader);
  std::string text(length, '\0');
  read_exactly(source, text.data(), length, where);
  return parse_npy_dict(text, where);
}

std::string npy_header_text(const NpyHeader &header) {
  static const char *const codes[] = {
#define GPUOPT_DTYPE(NAME, name, kind, size, npy, dlpack_code, dlpack_bits) npy,
#include <gpuopt/dtypes.def>
  };
  std::string shape = "(";
  for (size_t k = 0; k < header.shape.size(); ++k) shape += (k ? ", " : "") + std::to_string(header.shape[k]);
  shape += header.shape.size() == 1 ? ",)" : ")";
  std::string dict = std::string("{'descr': '") + codes[header.dtype - 1] +
                     "', 'fortran_order': " + (header.fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
  // As NumPy does: leaves room for the size of the axis that grows when data is appended to have 21 digits, and then
  // pads with at least one space so that the data begins at a multiple of 64 bytes.
  if (!header.shape.empty())
    dict.append(21 - std::to_string(header.fortran ? header.shape.back() : header.shape.front()).size(), ' ');
  dict.append(64 - (10 + dict.size() + 1) % 64, ' ');
  dict += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(dict.size() & 255);
  text += static_cast<char>(dict.size() >> 8);
  return text + dict;
}

}  // namespace gpuopt
