// plugins/cpu/code/jit_helper.h -- processes that compile for this one (plugins/jit/helper), so that a crash of the
// compiler does not end this process.
#pragma once

#include <stdexcept>
#include <string>

#include "plugins/cpu/code/jit_watch.h"
#include "plugins/jit/api/jit.h"

namespace gpuopt::cpu {

// No helper can be started; what() says why.
struct NoHelper : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The helpers of this process, one for each thread that compiles at the same time. Safe from any threads. A child of
// fork() starts helpers of its own. An object of this class is never destroyed.
class JitHelpers {
 public:
  // Starts one helper. `program` is its path, `library` that of the libgpuopt_jit it opens. Throws NoHelper, and
  // plugin::Failure, ERR_JIT_UNAVAILABLE, if the helper cannot use the library.
  JitHelpers(std::string program, std::string library);
  const std::string &compiler() const { return compiler_; }  // the compiler's name

  // Compiles a source and returns the object file. `watch` says when to give up. `seconds` is the time after which a
  // helper that does not read the text is given up, 0 for no limit. Throws plugin::Failure: ERR_COMPILE with the
  // messages of the compiler, or if it crashed; ERR_JIT_UNAVAILABLE if no helper can be started any more.
  std::string compile(const gpuopt_jit_source &source, uint32_t seconds, JitWatch &watch, Urgency urgency) const;

 private:
  int start(std::string *compiler) const;
  int start_again() const;

  const std::string program_, library_;
  std::string compiler_;
};

}  // namespace gpuopt::cpu
