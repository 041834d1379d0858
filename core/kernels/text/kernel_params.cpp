// core/kernels/text/kernel_params.cpp -- see kernel_params.h.
#include "core/kernels/text/kernel_params.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace gpuopt {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }

bool is_identifier(const std::string &name) {
  return !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), [](char c) {
    return is_letter(c) || std::isdigit(static_cast<unsigned char>(c));
  });
}

// Returns whether the generated text around a kernel uses this name, so that no parameter may have it.
bool is_reserved(const std::string &name) {
  return name == "i" || name.compare(0, 1, "_") == 0 || name.compare(0, 7, "gpuopt_") == 0;
}

// Parses "[raw] [_non_const] TYPE NAME".
KernelParameter parse_parameter(const std::string &kernel, const std::string &text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  if (words.size() < 2)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Syntax error: \"%s\" is not [raw] TYPE NAME", kernel.c_str(), text.c_str());
  KernelParameter parameter;
  parameter.name = words.back();
  const std::string &type = words[words.size() - 2];
  if (!is_identifier(parameter.name))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Syntax error: \"%s\" in \"%s\" is not a name", kernel.c_str(),
         parameter.name.c_str(), text.c_str());
  if (is_reserved(parameter.name))
    fail(GPUOPT_ERR_INVALID_ARGUMENT,
         "%s: Can not use \"%s\" as a parameter name: i and what begins with _ or gpuopt_ are the loop's own",
         kernel.c_str(), parameter.name.c_str());
  if (type.size() == 1 && std::isalpha(static_cast<unsigned char>(type[0]))) {
    parameter.letter = type[0];
  } else {
    parameter.dtype = dtype_named(kernel, type);
  }
  for (size_t k = 0; k + 2 < words.size(); ++k) {
    if (words[k] == "raw") {
      parameter.raw = true;
    } else if (words[k] == "_non_const") {
      parameter.written = true;
    } else {
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Unknown keyword \"%s\" in \"%s\"", kernel.c_str(), words[k].c_str(),
           text.c_str());
    }
  }
  return parameter;
}

}  // namespace

gpuopt_dtype dtype_named(const std::string &kernel, const std::string &type) {
  for (gpuopt_dtype d = 1; d < GPUOPT_DTYPE_COUNT; ++d)
    if (type == dtype_name(d)) return d;
  std::string names;
  for (gpuopt_dtype d = 1; d < GPUOPT_DTYPE_COUNT; ++d) names += (d > 1 ? ", " : "") + std::string(dtype_name(d));
  fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Wrong type %s: a type is one letter (generic) or one of %s", kernel.c_str(),
       type.c_str(), names.c_str());
}

void check_kernel_name(const std::string &name) {
  if (!is_identifier(name))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "kernel: \"%s\" is not a name: letters, digits and _, no digit first",
         name.c_str());
}

std::vector<KernelParameter> parse_parameters(const std::string &kernel, const char *list) {
  std::vector<KernelParameter> parameters;
  const std::string text = list ? list : "";
  if (text.find_first_not_of(" \t\n\r") == std::string::npos) return parameters;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    parameters.push_back(parse_parameter(kernel, text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parameters;
}

KernelParameters parse_parameters(const std::string &kernel, const char *inputs, const char *outputs) {
  KernelParameters parameters{parse_parameters(kernel, inputs), parse_parameters(kernel, outputs)};
  for (KernelParameter &output : parameters.outputs) output.written = true;
  for (size_t k = 0; k < parameters.count(); ++k)
    for (size_t j = 0; j < k; ++j)
      if (parameters.at(j).name == parameters.at(k).name)
        fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: two parameters are named \"%s\"", kernel.c_str(),
             parameters.at(k).name.c_str());
  return parameters;
}

BoundTypes::BoundTypes(const std::string &kernel, const KernelParameters &parameters,
                       const std::vector<gpuopt_dtype> &arguments) {
  const size_t ninputs = parameters.inputs.size();
  for (size_t k = ninputs; k < parameters.count(); ++k) bind(kernel, parameters.at(k), arguments[k]);
  for (size_t k = 0; k < ninputs; ++k) bind(kernel, parameters.at(k), arguments[k]);
  for (size_t k = 0; k < parameters.count(); ++k) {
    const KernelParameter &p = parameters.at(k);
    if (!of(p))
      fail(GPUOPT_ERR_TYPE, "%s: type %c of %s is undecided: no array argument has it, and numbers decide nothing",
           kernel.c_str(), p.letter, p.name.c_str());
  }
}

void BoundTypes::bind(const std::string &kernel, const KernelParameter &parameter, gpuopt_dtype argument) {
  if (!argument) return;
  gpuopt_dtype &letter = letters_[static_cast<unsigned char>(parameter.letter)];
  if (parameter.letter && !letter) letter = argument;
  const gpuopt_dtype wanted = of(parameter);
  if (wanted != argument)
    fail(GPUOPT_ERR_TYPE, "%s: Type is mismatched. %s is %s, but %s is wanted%s", kernel.c_str(),
         parameter.name.c_str(), dtype_name(argument), dtype_name(wanted),
         parameter.letter ? (std::string(" for ") + parameter.letter).c_str() : "");
}

std::vector<std::pair<char, gpuopt_dtype>> BoundTypes::all() const {
  std::vector<std::pair<char, gpuopt_dtype>> bound;
  for (size_t letter = 1; letter < letters_.size(); ++letter)
    if (letters_[letter]) bound.emplace_back(static_cast<char>(letter), letters_[letter]);
  return bound;
}

}  // namespace gpuopt
