// tests/fake_cuda/nvrtc.cpp -- the fake libnvrtc: NVRTC's functions over the system's compiler.
//
// FAKE_NVRTC_VERSION is what nvrtcVersion says (1300 is 13.0).
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <string>

#include "plugins/cuda/compile/nvrtc_types.h"
#include "tests/fake_cuda/compiler.h"
#include "tests/fake_cuda/image.h"

#define EXPORTED __attribute__((visibility("default")))
extern "C" {
#define GPUOPT_NVRTC_SYMBOL(result, name, args) EXPORTED result name args;
#include "plugins/cuda/compile/nvrtc_symbols.def"
}

struct _nvrtcProgram {
  fake_cuda::Source source;
  std::string log, cubin, ptx;
  std::map<std::string, std::string> lowered;
};

namespace {

constexpr nvrtcResult kCreationFailure = nvrtcResult(2), kInvalidInput = nvrtcResult(3),
                      kInvalidProgram = nvrtcResult(4), kNotValidName = nvrtcResult(10);
const int kArchs[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

int version() {
  const char *text = std::getenv("FAKE_NVRTC_VERSION");
  return text && *text ? std::atoi(text) : 1300;
}

// What an option means; false if the fake (or NVRTC) does not know it.
bool take_option(_nvrtcProgram &program, const std::string &option, fake_cuda::Image &image) {
  const std::string arch = "-arch=", long_arch = "--gpu-architecture=";
  for (const std::string &start : {arch, long_arch}) {
    if (option.compare(0, start.size(), start) != 0) continue;
    const std::string value = option.substr(start.size());
    image.ptx = value.compare(0, 8, "compute_") == 0;
    if (!image.ptx && value.compare(0, 3, "sm_") != 0) return false;
    image.arch = std::atoi(value.c_str() + (image.ptx ? 8 : 3));
    for (int known : kArchs)
      if (known == image.arch) return true;
    return false;
  }
  if (option == "-fmad=false" || option == "--fmad=false") {
    program.source.contract = false;
    return true;
  }
  return option == "--minimal" || option == "-std=c++17" || option == "-std=c++20" || option == "--std=c++17" ||
         option == "-default-device" || option == "-fmad=true";
}

nvrtcResult copy_out(const std::string &text, char *out) {
  if (!out) return kInvalidInput;
  std::memcpy(out, text.data(), text.size() + 1);
  return NVRTC_SUCCESS;
}

// Sizes count the NUL at the end, which also ends a cubin here.
nvrtcResult size_out(const std::string &text, size_t *bytes, size_t empty) {
  if (!bytes) return kInvalidInput;
  *bytes = text.empty() ? empty : text.size() + 1;
  return NVRTC_SUCCESS;
}

nvrtcResult compile(_nvrtcProgram &program, fake_cuda::Image image) {
  const fake_cuda::Compiled compiled = fake_cuda::compile(program.source);
  program.log = compiled.log;
  if (compiled.path.empty()) return NVRTC_ERROR_COMPILATION;
  for (const std::string &expression : program.source.expressions)
    program.lowered[expression] = fake_cuda::lowered_name(expression);
  image.toolkit = version();
  image.path = compiled.path;
  if (!image.ptx) program.cubin = write_image(image);
  image.ptx = true;
  program.ptx = write_image(image);
  return NVRTC_SUCCESS;
}

}  // namespace

const char *nvrtcGetErrorString(nvrtcResult code) {
  return code == NVRTC_SUCCESS             ? "NVRTC_SUCCESS"
         : code == NVRTC_ERROR_COMPILATION ? "NVRTC_ERROR_COMPILATION"
                                           : "NVRTC_ERROR";
}

nvrtcResult nvrtcVersion(int *major, int *minor) {
  *major = version() / 100;
  *minor = version() % 100 / 10;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count) {
  *count = int(std::size(kArchs));
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *archs) {
  std::memcpy(archs, kArchs, sizeof kArchs);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *text, const char *name, int headers,
                               const char *const *header_texts, const char *const *header_names) {
  if (!program || !text || headers < 0) return kInvalidInput;
  auto *made = new (std::nothrow) _nvrtcProgram;
  if (!made) return kCreationFailure;
  made->source.text = text;
  made->source.name = name ? name : "default_program";
  for (int i = 0; i < headers; ++i) made->source.headers[header_names[i]] = header_texts[i];
  *program = made;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program) {
  if (!program || !*program) return kInvalidProgram;
  delete *program;
  *program = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options) {
  if (!program) return kInvalidProgram;
  fake_cuda::Image image;
  image.arch = 75;
  image.ptx = true;
  for (int i = 0; i < count; ++i) {
    if (take_option(*program, options[i], image)) continue;
    program->log = std::string("nvrtc: error: invalid value for ") + options[i];
    return NVRTC_ERROR_INVALID_OPTION;
  }
  try {
    return compile(*program, image);
  } catch (const std::exception &e) {
    program->log = e.what();
    return nvrtcResult(11);  // NVRTC_ERROR_INTERNAL_ERROR
  }
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes) { return size_out(program->ptx, bytes, 0); }
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx) { return copy_out(program->ptx, ptx); }
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes) { return size_out(program->cubin, bytes, 0); }
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin) { return copy_out(program->cubin, cubin); }
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes) { return size_out(program->log, bytes, 1); }
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log) { return copy_out(program->log, log); }

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression) {
  if (!program || !expression) return kInvalidInput;
  program->source.expressions.push_back(expression);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **name) {
  const auto found = program->lowered.find(expression);
  if (found == program->lowered.end()) return kNotValidName;
  *name = found->second.c_str();
  return NVRTC_SUCCESS;
}
