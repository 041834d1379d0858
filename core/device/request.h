// core/device/request.h -- what a request for a device says: its grammar, and what the environment asks for.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

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

// "device_open("cuda")" or "GPUOPT_BACKEND="cuda"": the request as messages name it.
std::string described(const Request &request);
// Throws ERR_INVALID_ARGUMENT: the item of the request, and what is wrong with it.
[[noreturn]] void refuse_item(const Request &request, const std::string &item, const char *why);

}  // namespace gpuopt
