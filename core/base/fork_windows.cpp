// core/base/fork_windows.cpp -- Windows has no fork, so threads inside the library are not counted.
#if defined(_WIN32)
#include "core/base/fork.h"

namespace gpuopt {

constinit thread_local int InLibrary::depth = 0;
constinit std::atomic<bool> InLibrary::is_unusable{false};  // for ever

void InLibrary::enter() noexcept {}
void InLibrary::leave() noexcept {}
void InLibrary::check() const {}

int fork_generation() { return 0; }

}  // namespace gpuopt
#endif
