// core/device/request.cpp -- see request.h.
#include "core/device/request.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/os.h"
#include "core/device/registry.h"

namespace gpuopt {
namespace {

constexpr size_t kLongestName = 32, kMostDigits = 6;

bool name_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

int32_t parse_index(const Request &request, const std::string &item, const std::string &digits) {
  if (digits.empty() || digits.size() > kMostDigits || !std::all_of(digits.begin(), digits.end(), digit)) {
    refuse_item(request, item, "needs a device number after the colon");
  }
  return std::stoi(digits);
}

Choice parse_item(const Request &request, const std::string &item) {
  Choice choice;
  std::string rest = item;
  choice.required = !rest.empty() && rest.back() == '!';
  if (choice.required) rest.pop_back();
  const size_t colon = rest.find(':');
  if (colon != std::string::npos) {
    choice.index = parse_index(request, item, rest.substr(colon + 1));
    rest.resize(colon);
  }
  if (rest.empty()) refuse_item(request, item, "names no backend");
  if (rest == "auto") refuse_item(request, item, "takes no number, \"!\" or list: \"auto\" stands alone");
  if (rest.size() > kLongestName || !std::all_of(rest.begin(), rest.end(), name_character))
    refuse_item(request, item, "is not a backend's name");
  choice.name = canonical_name(rest);
  return choice;
}

// Returns a request with only its text and source set.
Request source_request(const char *text) {
  Request request;
  for (const Setting variable : {Setting::GPUOPT_BACKEND, Setting::ARRAY_MODULE}) {
    if (!text && (text = environment(variable)) != nullptr) request.source = name_of(variable);
  }
  request.text = text ? text : "cpu";
  return request;
}

}  // namespace

std::string described(const Request &request) {
  return request.source ? std::string(request.source) + "=\"" + request.text + "\""
                        : "device_open(\"" + request.text + "\")";
}

void refuse_item(const Request &request, const std::string &item, const char *why) {
  fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: \"%s\" %s", described(request).c_str(), item.c_str(), why);
}

std::string canonical_name(const std::string &name) { return name == "numpy" ? "cpu" : name == "cupy" ? "cuda" : name; }

bool disabled(const std::string &name) {
  const char *list = environment(Setting::GPUOPT_DISABLE);
  if (!list) return false;
  const std::vector<std::string> items = split_list(list);
  return std::any_of(items.begin(), items.end(), [&](const std::string &item) { return canonical_name(item) == name; });
}

Request parse_request(const char *text) {
  Request request = source_request(text);
  if (request.text.empty()) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the request is empty", described(request).c_str());
  request.automatic = request.text == "auto";
  if (request.automatic) {
    for (const KnownBackend &known : known_backends()) request.choices.push_back({known.name});
    return request;
  }
  for (const std::string &item : split_list(request.text)) request.choices.push_back(parse_item(request, item));
  const bool ends = std::any_of(request.choices.begin(), request.choices.end(), [](const Choice &choice) {
    return choice.required || (choice.name == "cpu" && choice.index == 0);
  });
  if (!ends) request.choices.push_back({"cpu"});
  return request;
}

}  // namespace gpuopt
