// plugins/cpu/object_code.h -- machine code from a relocatable ELF object, in memory and ready to be called.
//
// Only what compiled kernels consist of: code, constants, data; no threads' storage, no exceptions, no start-up code.
// Layout and relocations as the ELF supplements of the System V psABI for x86-64 and AArch64 have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gpuopt::cpu {

// The system lets no code run that was made at run time (SELinux's execmem, seccomp).
struct NoNewCode : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A variable that code may write.
struct Variable {
  void *address = nullptr;
  uint64_t bytes = 0;
};
using Variables = std::map<std::string, Variable>;

class ObjectCode {
 public:
  // The address of what the object names and does not define; NULL if there is none.
  using Resolver = std::function<void *(const std::string &name)>;

  // Variables with external linkage that `variables` has are those; others are the object's own, and put there. Throws
  // std::runtime_error saying what is wrong with the object or what it wants that is not there; NoNewCode;
  // std::bad_alloc.
  ObjectCode(std::string_view object, const Resolver &resolve, Variables *variables = nullptr);
  ~ObjectCode();
  ObjectCode(const ObjectCode &) = delete;
  ObjectCode &operator=(const ObjectCode &) = delete;

  // A global symbol; NULL if there is none.
  void *find(const std::string &name) const;

 private:
  friend class ObjectLinker;
  char *memory_ = nullptr;
  size_t bytes_ = 0;
  std::map<std::string, void *> symbols_;
};

}  // namespace gpuopt::cpu
