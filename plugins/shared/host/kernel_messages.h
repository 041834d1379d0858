// plugins/shared/host/kernel_messages.h -- what the compilers of kernels for all backends have in common: messages, and
// the texts of headers that kernels include.
#pragma once

#include <string_view>

namespace gpuopt {

// Follows the compiler's own message about a line "#include" that names no header of the library's.
#define GPO_KNOWN_HEADER(name) " " name
#define GPO_KNOWN_PART(name)
constexpr const char *kNoHeaders =
    "kernels can include these headers alone, whose words are also available without:"
#include "plugins/shared/words/known_headers.h"
    ". Remove this line";
#undef GPO_KNOWN_HEADER

// The macros of <stdint.h> that give a number its type.
#define GPO_TYPED_NUMBERS                                                                              \
  "#ifndef INT64_C\n#define INT8_C(x) x\n#define INT16_C(x) x\n#define INT32_C(x) x\n"                 \
  "#define INT64_C(x) x##ll\n#define INTMAX_C(x) x##ll\n#define UINT8_C(x) x\n#define UINT16_C(x) x\n" \
  "#define UINT32_C(x) x##u\n#define UINT64_C(x) x##ull\n#define UINTMAX_C(x) x##ull\n#endif\n"
constexpr const char *kTypedNumbers = GPO_TYPED_NUMBERS;
// The conversions of <inttypes.h>, which are macros: int64_t is a long long, or as long as one.
#define GPO_FORMATS_OF(bits, size)                                                                       \
  "#define PRId" bits " \"" size "d\"\n#define PRIi" bits " \"" size "i\"\n#define PRIu" bits " \"" size \
  "u\"\n#define PRIo" bits " \"" size "o\"\n#define PRIx" bits " \"" size "x\"\n#define PRIX" bits " \"" size "X\"\n"
constexpr const char *kFormats = "#ifndef PRId64\n" GPO_FORMATS_OF("8", "hh") GPO_FORMATS_OF("16", "h") GPO_FORMATS_OF(
    "32", "") GPO_FORMATS_OF("64", "ll") GPO_FORMATS_OF("MAX", "ll") GPO_FORMATS_OF("PTR", "ll") "#endif\n";
#undef GPO_FORMATS_OF
#undef GPO_TYPED_NUMBERS

// The text of a header of plugins/shared/words/known_headers.h. <assert.h> may be included several times, and heeds
// NDEBUG each time, as in C.
inline const char *known_header_text(std::string_view name) {
  if (name == "inttypes.h" || name == "cinttypes") return kFormats;
  if (name == "stdint.h" || name == "cstdint") return kTypedNumbers;
  if (name != "assert.h" && name != "cassert") return "";
  return "#if defined(NDEBUG)\n#undef assert\n#define assert(...) ((void)0)\n#elif defined(GPO_ASSERT)\n#undef assert\n"
         "#define assert(...) GPO_ASSERT((__VA_ARGS__), #__VA_ARGS__)\n#endif\n";
}

}  // namespace gpuopt
