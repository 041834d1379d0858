// plugins/cpu/code/leaf_scope.cpp -- see leaf_scope.h.
#include "plugins/cpu/code/leaf_scope.h"

namespace gpuopt::cpu {
namespace {

thread_local bool *current_flag = nullptr;

}  // namespace

void set_leaf_flag(bool *flag) noexcept { current_flag = flag; }

LeafScope::LeafScope() noexcept : flag_(current_flag) {
  if (flag_) *flag_ = true;
}
LeafScope::~LeafScope() {
  if (flag_) *flag_ = false;
}

}  // namespace gpuopt::cpu
