// plugins/cpu/jit_helper.h -- processes that compile for this one (plugins/jit/helper): what the compiler does to
// itself stays there.
#pragma once

#include <stdexcept>
#include <string>

#include "plugins/jit/jit.h"

namespace gpuopt::cpu {

// Why there are none.
struct NoHelper : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// As many as threads compile at once. Safe from any threads; a child of fork() starts its own. Lives for ever.
class JitHelpers {
 public:
  // Starts one. `program` is the helper, `library` the libgpuopt_jit it opens. Throws NoHelper; and plugin::Failure,
  // ERR_JIT_UNAVAILABLE, where it says that the library will not do.
  JitHelpers(std::string program, std::string library);
  const std::string &compiler() const { return compiler_; }  // its name

  // The object file. Throws plugin::Failure: ERR_COMPILE with what the compiler said, or what became of it; and
  // ERR_JIT_UNAVAILABLE where no helper can be started any more. `seconds`: the longest time, 0 for any.
  std::string compile(const gpuopt_jit_source &source, uint32_t seconds) const;

 private:
  int start(std::string *compiler) const;
  int start_again() const;

  const std::string program_, library_;
  std::string compiler_;
};

}  // namespace gpuopt::cpu
