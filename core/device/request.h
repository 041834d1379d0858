// core/device/request.h -- parses requests for devices, and reads them from the environment.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gpuopt {

// One item of a request: "cuda", "cuda:1", "cuda!".
struct Choice {
  std::string name;  // of the backend: "cpu" for numpy, "cuda" for cupy
  int32_t index = 0;
  bool required = false;  // "!": no later choice is tried
};

struct Request {
  std::string text;              // the request as written
  const char *source = nullptr;  // the environment variable it came from; NULL: the program's, or the default
  bool automatic = false;        // the request is "auto"
  std::vector<Choice> choices;   // in the order in which they are tried
};

// Parses a request. NULL stands for the value of GPUOPT_BACKEND, or if that is unset of ARRAY_MODULE, or "cpu". "auto"
// stands for the default list of backends. "cpu" is added at the end, unless device 0 of it is in the request or an
// item has "!". Throws ERR_INVALID_ARGUMENT unless the request follows this grammar (blanks around items are allowed; a
// name has at most 32 characters, a number 6 digits):
//   request = "auto" | item {"," item}
//   item    = name [":" digits] ["!"]
//   name    = lower-case letters, digits and "_"
Request parse_request(const char *request);

// Returns "cpu" for "numpy", "cuda" for "cupy", and other names unchanged.
std::string canonical_name(const std::string &name);

// Returns whether GPUOPT_DISABLE, as it is set now, lists the backend, under any of its names.
bool disabled(const std::string &name);

// Returns the request as messages name it: device_open("cuda") or GPUOPT_BACKEND="cuda".
std::string described(const Request &request);
// Throws ERR_INVALID_ARGUMENT, "<request>: "<item>" <why>".
[[noreturn]] void refuse_item(const Request &request, const std::string &item, const char *why);

}  // namespace gpuopt
