// plugins/cpu/kernel/print_format.cpp -- see print_format.h.
#include "plugins/cpu/kernel/print_format.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "plugins/cpu/code/leaf_scope.h"

namespace gpuopt::cpu {
namespace {

// One conversion: %[flags][width][.precision][size]type.
struct Conversion {
  std::string flags;
  long width = -1, precision = -1;  // -1 if there is none
  bool star_width = false, star_precision = false;
  std::string size;
  char type = 0;
  size_t length = 0;  // of its text
};

constexpr long kMost = 0x7fffffff;

size_t length_of(const char *text, size_t most) {
  const LeafScope scope;
  return strnlen(text, most);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

long number_at(const char *&at) {
  long number = 0;
  for (; is_digit(*at); at++) number = std::min(number * 10 + (*at - '0'), kMost);
  return number;
}

bool is_one_of(char c, const char *all) { return c != 0 && std::strchr(all, c) != nullptr; }

// The conversion that begins at a '%'. Its type is 0 if it is none.
Conversion conversion_at(const char *begin) {
  Conversion made;
  const char *at = begin + 1;
  for (; is_one_of(*at, "-+ #0"); at++) {
    if (made.flags.find(*at) == std::string::npos) made.flags += *at;
  }
  if (*at == '*') {
    made.star_width = true;
    at++;
  } else if (is_digit(*at)) {
    made.width = number_at(at);
  }
  if (*at == '.') {
    at++;
    made.star_precision = *at == '*';
    made.star_precision ? void(at++) : void(made.precision = number_at(at));
  }
  for (; is_one_of(*at, "hlLjzt"); at++) made.size += *at;
  if (is_one_of(*at, "cdiouxXpeEfFgGaAs%")) made.type = *at++;
  made.length = static_cast<size_t>(at - begin);
  return made;
}

// The arguments that are left.
class Arguments {
 public:
  Arguments(int count, const uint64_t *values) : left_(count), values_(values) {}
  int left() const { return left_; }
  uint64_t next() {
    left_--;
    return *values_++;
  }

 private:
  int left_;
  const uint64_t *values_;
};

// Takes the widths and precisions that are arguments. A negative width means the flag -, a negative precision none.
void take_stars(Conversion &conversion, Arguments &arguments) {
  if (conversion.star_width) {
    const long width = static_cast<int32_t>(arguments.next());
    if (width < 0) conversion.flags += '-';
    conversion.width = std::min(width < 0 ? -width : width, kMost);
  }
  if (conversion.star_precision) conversion.precision = std::max<long>(static_cast<int32_t>(arguments.next()), -1);
}

std::string text_of(const Conversion &conversion, const char *size) {
  std::string text = "%" + conversion.flags;
  if (conversion.width >= 0) text += std::to_string(conversion.width);
  if (conversion.precision >= 0) text += "." + std::to_string(conversion.precision);
  return text + size + conversion.type;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
template <class T>
void append_value(std::string &out, const std::string &conversion, T value) {
  char few[128];
  const int length = std::snprintf(few, sizeof few, conversion.c_str(), value);
  if (length < 0) return;
  const auto bytes = static_cast<size_t>(length), before = out.size();
  if (bytes < sizeof few) {
    out.append(few, bytes);
    return;
  }
  out.resize(before + bytes + 1);
  std::snprintf(&out[before], bytes + 1, conversion.c_str(), value);
  out.resize(before + bytes);
}
#pragma GCC diagnostic pop

void append_text(std::string &out, const Conversion &conversion, const char *text) {
  if (!text) text = "(null)";
  const size_t most = conversion.precision >= 0 ? static_cast<size_t>(conversion.precision) : size_t{kMost};
  const size_t length = length_of(text, most), width = conversion.width > 0 ? static_cast<size_t>(conversion.width) : 0;
  const size_t blanks = width > length ? width - length : 0;
  const bool left = conversion.flags.find('-') != std::string::npos;
  if (!left) out.append(blanks, ' ');
  out.append(text, length);
  if (left) out.append(blanks, ' ');
}

bool is_wide(const std::string &size) { return size.find_first_of("lLjzt") != std::string::npos; }

void append_integer(std::string &out, const Conversion &conversion, uint64_t bits) {
  const bool is_signed = conversion.type == 'd' || conversion.type == 'i';
  if (is_wide(conversion.size)) return append_value(out, text_of(conversion, "ll"), static_cast<long long>(bits));
  const char *const size = conversion.size == "hh" ? "hh" : conversion.size == "h" ? "h" : "";
  if (is_signed) return append_value(out, text_of(conversion, size), static_cast<int>(bits));
  append_value(out, text_of(conversion, size), static_cast<unsigned>(bits));
}

void append_converted(std::string &out, const Conversion &conversion, uint64_t bits) {
  switch (conversion.type) {
    case 's':
      return append_text(out, conversion, reinterpret_cast<const char *>(bits));
    case 'c':
      return append_value(out, text_of(conversion, ""), static_cast<int>(bits));
    case 'p':
      return append_value(out, text_of(conversion, ""), reinterpret_cast<const void *>(bits));
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      return append_integer(out, conversion, bits);
    default:
      double number;
      std::memcpy(&number, &bits, sizeof number);
      append_value(out, text_of(conversion, ""), number);
  }
}

}  // namespace

void append_formatted(std::string &out, const char *format, int count, const uint64_t *values) {
  length_of(format, size_t{kMost});  // a bad address faults here
  Arguments arguments(count, values);
  for (const char *at = format; *at;) {
    const char *const percent = std::strchr(at, '%');
    out.append(at, percent ? static_cast<size_t>(percent - at) : std::strlen(at));
    if (!percent) return;
    Conversion conversion = conversion_at(percent);
    at = percent + conversion.length;
    const int needed = 1 + conversion.star_width + conversion.star_precision;
    if (conversion.type == '%') {
      out += '%';
    } else if (conversion.type == 0 || arguments.left() < needed) {
      out.append(percent, conversion.length);
    } else {
      take_stars(conversion, arguments);
      append_converted(out, conversion, arguments.next());
    }
  }
}

}  // namespace gpuopt::cpu
