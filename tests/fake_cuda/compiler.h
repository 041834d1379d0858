// tests/fake_cuda/compiler.h -- CUDA C++ to a shared library of the host, by the system's compiler, once per text.
//
// FAKE_CUDA_DIR names the folder of what was compiled; the builds of a source tree share it, as the libraries do not
// depend on how the rest is built. With FAKE_CUDA_AHEAD=1 a process compiles nothing until it ends, and then many
// kernels at a time, which takes a sixth of the time; until then kernels that were not there do nothing, so that what
// such a process computes is rubbish. It is run before the same program is run in earnest (ahead.cmake).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace fake_cuda {

using Headers = std::map<std::string, std::string>;  // text by name

struct Source {
  std::string text;
  std::string name;  // in messages
  Headers headers;
  std::vector<std::string> expressions;  // names of instances of templates, "kernel<float>"
  bool contract = true;                  // a * b + c may round once
};

struct Compiled {
  std::string path;  // empty if it did not compile; image.h says what else it may be
  std::string log;
};

Compiled compile(const Source &source);

// By which an instance is found in the library.
std::string lowered_name(const std::string &expression);

}  // namespace fake_cuda
