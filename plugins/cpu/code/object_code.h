// plugins/cpu/code/object_code.h -- loads a relocatable ELF object into memory, so that its code can be called.
//
// It supports what compiled kernels consist of: code, constants and data, but no thread-local storage, exceptions or
// start-up code. Layout and relocations follow the System V psABI for x86-64 and AArch64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gpuopt::cpu {

// The system does not allow code that was made at run time to run (SELinux's execmem, seccomp).
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
  // Returns the address of a symbol that the object uses but does not define; NULL if there is none.
  using Resolver = std::function<void *(const std::string &name)>;

  // A variable with external linkage that `variables` contains is taken from there; others are the object's own, and
  // are added to it. Throws std::runtime_error if the object is wrong or needs a symbol that does not exist; NoNewCode;
  // std::bad_alloc.
  ObjectCode(std::string_view object, const Resolver &resolve, Variables *variables = nullptr);
  ~ObjectCode();
  ObjectCode(const ObjectCode &) = delete;
  ObjectCode &operator=(const ObjectCode &) = delete;

  // Returns the address of a global symbol; NULL if there is none.
  void *find(const std::string &name) const;
  // All memory of the object: code, constants and variables.
  std::span<const char> memory() const { return {memory_, bytes_}; }

 private:
  friend class ObjectLinker;
  char *memory_ = nullptr;
  size_t bytes_ = 0;
  std::map<std::string, void *> symbols_;
};

}  // namespace gpuopt::cpu
