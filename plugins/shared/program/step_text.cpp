// plugins/shared/program/step_text.cpp -- see step_text.h.
#include "plugins/shared/program/step_text.h"

namespace gpuopt::plugin {

const char *type_text(int dtype) noexcept {
  static const char *const types[GPUOPT_DTYPE_COUNT] = {
      "",         "bool",     "gpo::i8",      "gpo::i16",      "gpo::i32", "gpo::i64", "gpo::u8",  "gpo::u16",
      "gpo::u32", "gpo::u64", "gpo::float16", "gpo::bfloat16", "float",    "double",   "gpo::c64", "gpo::c128"};
  return types[dtype];
}

OpText op_text(int op) noexcept {
  static constexpr OpText kTexts[] = {
#define GPO_OP_HEADER(row, header) {#row, header},
#include "plugins/shared/ops/op_headers.def"
  };
  return kTexts[op];
}

std::string value_text(int step) { return "v" + std::to_string(step); }

}  // namespace gpuopt::plugin
