// core/registry.cpp -- the loaded backends and opened devices of the process.
#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "device.h"
#include "engine.h"

namespace gpuopt {
namespace {

int generation = 0;

gpuopt_status host_fail(gpuopt_error *error, gpuopt_status code, gpuopt_reason reason, int32_t backend_code,
                        const char *format, ...) {
  char text[sizeof error->message];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return report(error, {code, reason, backend_code, text});
}
void host_log(int32_t, const char *, gpuopt_reason, const char *) {}
void host_warn_once(const char *, gpuopt_reason, const char *, const char *) {}
void *host_allocate(uint64_t bytes) { return std::aligned_alloc(64, (bytes + 63) / 64 * 64); }
void host_deallocate(void *memory) { std::free(memory); }
const char *host_setting(const char *name) { return secure_getenv(name); }

const gpuopt_host_api kHost = {
    {sizeof(gpuopt_host_api), GPUOPT_PLUGIN_ABI_MAJOR, GPUOPT_PLUGIN_ABI_MINOR, 0, 0, nullptr},
    host_fail,
    host_log,
    host_warn_once,
    host_allocate,
    host_deallocate,
    host_setting};

std::string plugin_directory() {
  if (const char *path = secure_getenv("GPUOPT_PLUGIN_PATH")) return path;
  Dl_info info;
  dladdr(reinterpret_cast<void *>(&plugin_directory), &info);
  std::unique_ptr<char, void (*)(void *)> real(realpath(info.dli_fname, nullptr), std::free);
  const std::string file = real ? real.get() : info.dli_fname;
  return file.substr(0, file.rfind('/')) + "/" GPUOPT_PLUGIN_SUBDIR;
}

Backend *load_backend(const std::string &name) {
  auto backend = std::make_unique<Backend>();
  backend->name = name;
  backend->path = plugin_directory() + "/libgpuopt_" + name + ".so";
  void *library = dlopen(backend->path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw Failure{GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_LOAD_FAILED, 0, dlerror()};
  auto query = reinterpret_cast<gpuopt_plugin_query_fn>(dlsym(library, GPUOPT_PLUGIN_ENTRY));
  if (!query) throw Failure{GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_NO_ENTRY, 0, backend->path};
  gpuopt_plugin_desc desc{};
  desc.header = {sizeof desc, GPUOPT_PLUGIN_ABI_MAJOR, GPUOPT_PLUGIN_ABI_MINOR, 0, 0, nullptr};
  if (query(&kHost, &desc) != GPUOPT_OK || !desc.api) {
    throw Failure{GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_ABI_MISMATCH, 0, backend->path};
  }
  std::memcpy(&backend->api, desc.api, std::min<size_t>(desc.api->header.struct_size, sizeof backend->api));
  backend->version = desc.version ? desc.version : "";
  backend->op_count = desc.op_count;
  backend->reduction_count = desc.reduction_count;
  backend->scan_count = desc.scan_count;
  return backend.release();
}

gpuopt_device open_first(Backend *backend) {
  auto device = std::make_unique<gpuopt_device_s>();
  gpuopt_error error = GPUOPT_ERROR_INIT;
  device->backend = backend;
  device->name = backend->name + ":0";
  device->info.struct_size = sizeof device->info;
  check_slot(backend->api.device_open(0, &device->handle, &error), error, "device_open");
  check_slot(backend->api.device_info(device->handle, &device->info, &error), error, "device_open");
  device->default_stream = make_stream(device.get()).leave();
  device->engine = make_engine(device.get());
  return device.release();
}

}  // namespace

int fork_generation() { return generation; }

gpuopt_device open_device(const char *request, const gpuopt_device_options *, gpuopt_reason *) {
  static std::mutex *const mutex = new std::mutex;
  static auto *const devices = new std::map<std::string, gpuopt_device>;
  std::lock_guard lock(*mutex);
  const std::string name = request && std::strcmp(request, "numpy") != 0 ? request : "cpu";
  gpuopt_device &device = (*devices)[name];
  if (!device) device = open_first(load_backend(name));
  return device;
}

}  // namespace gpuopt
