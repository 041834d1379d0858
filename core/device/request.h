// core/policy.h -- which device a request stands for: its grammar, the order of tries, what is said about each.
#pragma once
#include <string>
#include <vector>

#include "registry.h"

namespace gpuopt {

// One item of a request: "cuda", "cuda:1", "cuda!".
struct Choice {
  std::string name;  // canonical: numpy is cpu, cupy is cuda
  int32_t index = 0;
  bool required = false;  // nothing after it is tried
};

struct Request {
  std::string text;              // as asked for
  const char *source = nullptr;  // the environment variable it came from, NULL if from the program
  bool automatic = false;
  std::vector<Choice> choices;  // in order; the CPU is the last unless something is required
};

// Reads a request (NULL: the environment's, else "cpu"). Throws ERR_INVALID_ARGUMENT for what is not of the grammar
//   request = "auto" | item {"," item}      item = name [":" digits] ["!"]      name = lower-case letters, digits and
//   "_"
Request parse_request(const char *request);

// numpy -> cpu, cupy -> cuda; others themselves.
std::string canonical_name(const std::string &name);

// Whether GPUOPT_DISABLE lists the backend.
bool disabled(const std::string &name);

// What a person does about an attempt's reason: status.def's cure with the backend's name put in.
std::string hint_text(const Attempt &attempt);

}  // namespace gpuopt
