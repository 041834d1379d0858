// plugins/cuda/compile/device_runtime.cpp -- see device_runtime.h.
#include "plugins/cuda/compile/device_runtime.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "plugins/cuda/driver/os.h"

namespace gpuopt::cuda {
namespace {

// ---- nvJitLink (the library's documentation): what is called of it ----

using LinkHandle = struct nvJitLink *;
constexpr int kLinkSuccess = 0, kLinkCubin = 1, kLinkLibrary = 6;  // of nvJitLinkResult and nvJitLinkInputType

struct Linker {
  explicit Linker(void *library) {
    find(library, create, "nvJitLinkCreate");
    find(library, destroy, "nvJitLinkDestroy");
    find(library, add_data, "nvJitLinkAddData");
    find(library, add_file, "nvJitLinkAddFile");
    find(library, complete, "nvJitLinkComplete");
    find(library, cubin_size, "nvJitLinkGetLinkedCubinSize");
    find(library, cubin, "nvJitLinkGetLinkedCubin");
    find(library, log_size, "nvJitLinkGetErrorLogSize");
    find(library, log, "nvJitLinkGetErrorLog");
  }
  bool is_whole() const { return whole_; }

  int (*create)(LinkHandle *, uint32_t, const char **) = nullptr;
  int (*destroy)(LinkHandle *) = nullptr;
  int (*add_data)(LinkHandle, int, const void *, size_t, const char *) = nullptr;
  int (*add_file)(LinkHandle, int, const char *) = nullptr;
  int (*complete)(LinkHandle) = nullptr;
  int (*cubin_size)(LinkHandle, size_t *) = nullptr;
  int (*cubin)(LinkHandle, void *) = nullptr;
  int (*log_size)(LinkHandle, size_t *) = nullptr;
  int (*log)(LinkHandle, char *) = nullptr;

 private:
  template <typename Function>
  void find(void *library, Function &function, const char *name) {
    function = reinterpret_cast<Function>(find_symbol(library, name));
    whole_ &= function != nullptr;
  }
  bool whole_ = true;
};

// A linking, ended with this object.
class Linking {
 public:
  Linking(const Linker &linker, const Target &target) : linker_(linker) {
    const std::string arch = target.option();
    const char *options[] = {arch.c_str()};
    right_ = linker_.create(&handle_, 1, options) == kLinkSuccess;
  }
  ~Linking() {
    if (handle_) linker_.destroy(&handle_);
  }
  Linking(const Linking &) = delete;
  Linking &operator=(const Linking &) = delete;

  std::string linked(const std::string &cubin, const char *name, const std::string &library) {
    right_ = right_ && linker_.add_data(handle_, kLinkCubin, cubin.data(), cubin.size(), name) == kLinkSuccess &&
             linker_.add_file(handle_, kLinkLibrary, library.c_str()) == kLinkSuccess &&
             linker_.complete(handle_) == kLinkSuccess;
    return right_ ? taken(linker_.cubin_size, linker_.cubin) : "";
  }
  std::string log() { return handle_ ? taken(linker_.log_size, linker_.log) : ""; }

 private:
  template <typename Byte>
  std::string taken(int (*size_of)(LinkHandle, size_t *), int (*get)(LinkHandle, Byte *)) {
    size_t bytes = 0;
    if (size_of(handle_, &bytes) != kLinkSuccess || bytes == 0) return "";
    std::string out(bytes, '\0');
    return get(handle_, out.data()) == kLinkSuccess ? out : "";
  }

  const Linker &linker_;
  LinkHandle handle_ = nullptr;
  bool right_ = false;
};

#if defined(_WIN32)
constexpr const char *kRuntime = "cudadevrt.lib";
std::string linker_name(int major) { return "nvJitLink_" + std::to_string(major * 10) + "_0.dll"; }
#else
constexpr const char *kRuntime = "libcudadevrt.a";
std::string linker_name(int major) { return "libnvJitLink.so." + std::to_string(major); }
#endif

std::string directory_of(const std::string &file) {
  const size_t slash = file.find_last_of("/\\");
  return slash == std::string::npos ? "" : file.substr(0, slash);
}

// The first of the directories that has the file, with the file's name; "" if none does.
std::string found_in(const std::vector<std::string> &directories, const std::string &file) {
  for (const std::string &directory : directories)
    if (file_exists(directory + "/" + file)) return directory + "/" + file;
  return "";
}

}  // namespace

std::string DeviceRuntime::link(const std::string &cubin, const char *name, const Target &target,
                                std::string &log) const {
  const Linker calls(linker);
  Linking linking(calls, target);
  std::string out = linking.linked(cubin, name, library);
  if (out.empty()) log = std::string(name) + ": error: it cannot be linked with " + library + ": " + linking.log();
  return out;
}

DeviceRuntime device_runtime(const std::string &nvrtc, int version, const Target &target) {
  const std::string own = directory_of(nvrtc), packages = directory_of(directory_of(own));
  const std::string wanted = linker_name(version / 1000);
  DeviceRuntime out;
  out.library = found_in({own, packages + "/cuda_runtime/lib"}, kRuntime);
  const std::string linker = found_in({own, packages + "/nvjitlink/lib"}, wanted);
  const std::string missing = out.library.empty() ? kRuntime : linker.empty() ? wanted : "";
  if (!missing.empty()) {
    out.problem = "the kernel launches kernels (<<<>>>), which takes CUDA's device runtime: " + missing +
                  " is not beside NVRTC, in " + own + ". It is part of the CUDA toolkit, as " + kRuntime + " and " +
                  wanted;
  } else if (target.ptx) {
    out.problem = "the kernel launches kernels (<<<>>>), which takes an NVRTC that makes code for this GPU, and not " +
                  target.name();
  } else {
    out.linker = open_library(linker, &out.problem);
    if (out.linker && !Linker(out.linker).is_whole()) out.problem = linker + " lacks functions";
  }
  return out;
}

}  // namespace gpuopt::cuda
