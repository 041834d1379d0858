// tests/loader/bad_plugin.cpp -- a small working backend, and by the macro BAD_PLUGIN every way a plugin can be wrong.
//
// It calls itself "cuda" and has two devices of host memory whose only program is the addition of the host's self-test.
#include <gpuopt/gpuopt_plugin.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "tests/float_mode.h"

#ifndef BAD_PLUGIN_NAME
#define BAD_PLUGIN_NAME "cuda"
#endif
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

namespace {

constexpr bool is(const char *name) {
  const char *mine = TEXT(BAD_PLUGIN);
  while (*mine && *mine == *name) ++mine, ++name;
  return *mine == *name;
}

// The file that GPUOPT_TEST_MARKER names, to write at its end.
FILE *open_marker() {
#if defined(_WIN32)
  const wchar_t *const marker = _wgetenv(L"GPUOPT_TEST_MARKER");
  return marker ? _wfopen(marker, L"ab") : nullptr;
#else
  const char *const marker = std::getenv("GPUOPT_TEST_MARKER");
  return marker ? std::fopen(marker, "a") : nullptr;
#endif
}

// Tells the test that this file was opened, and leaves flush-to-zero set as a library built with -ffast-math does.
struct SideEffects {
  SideEffects() {
    if (FILE *file = open_marker()) {
      std::fputs(TEXT(BAD_PLUGIN) " " BAD_PLUGIN_NAME "\n", file);
      std::fclose(file);
    }
#if defined(GPUOPT_HAS_FLOAT_MODE)
    if (is("changes_float_mode")) float_mode::flush_denormals();
#endif
  }
} const side_effects;

const gpuopt_host_api *host = nullptr;
gpuopt_plugin_api table{};
struct {
  gpuopt_plugin_api known;
  void *newer[4];
} longer_table{};

gpuopt_plugin_device *const kDevice = reinterpret_cast<gpuopt_plugin_device *>(&table);
gpuopt_plugin_stream *const kStream = reinterpret_cast<gpuopt_plugin_stream *>(&host);

// What probe answers under the case "probe_refuses": any status and reason, given by the test.
gpuopt_status refuse(gpuopt_error *error) {
  const char *reason = host->setting("GPUOPT_TEST_REASON"), *status = host->setting("GPUOPT_TEST_STATUS");
  return host->fail(error, status ? std::atoi(status) : GPUOPT_ERR_UNAVAILABLE, reason ? std::atoi(reason) : 0, 100,
                    "refused as the test asked, code %d", 100);
}

gpuopt_status probe(gpuopt_plugin_probe *out, gpuopt_error *error) {
  if (is("throws_in_probe")) throw std::runtime_error("probe");
  const char *hardware = host->setting("GPUOPT_TEST_HARDWARE");
  out->hardware_present = hardware ? std::atoi(hardware) : 1;
  std::snprintf(out->driver, sizeof out->driver, "test driver");
  out->device_count = is("zero_devices") ? 0 : is("negative_devices") ? -5 : 2;
  if (is("warns_in_probe")) {
    for (int i = 0; i < 3; ++i) host->warn_once("test.once", GPUOPT_REASON_DRIVER_TOO_OLD, "key", "said once");
    host->log(GPUOPT_LOG_DEBUG, "test.debug", GPUOPT_REASON_NONE, "not shown by default");
  }
  return is("probe_refuses") ? refuse(error) : GPUOPT_OK;
}

gpuopt_status device_open(int32_t, gpuopt_plugin_device **device, gpuopt_error *error) {
  if (is("throws_in_open")) throw 17;
  if (is("open_fails"))
    return host->fail(error, GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_NO_PERMISSION, 13,
                      "the device file cannot be opened");
  if (is("open_no_memory")) return host->fail(error, GPUOPT_ERR_OUT_OF_MEMORY, GPUOPT_REASON_NONE, 2, "context");
  if (is("open_unknown_status")) return 12345;
  *device = kDevice;
  return GPUOPT_OK;
}

void device_close(gpuopt_plugin_device *) {}

gpuopt_status device_info(gpuopt_plugin_device *, gpuopt_plugin_device_info *info, gpuopt_error *) {
  if (is("throws_in_info")) throw std::runtime_error("info");
  info->flags = GPUOPT_DEVICE_HOST_MEMORY | (is("lost_in_fork") ? GPUOPT_DEVICE_LOST_IN_FORK : 0);
  std::memset(info->name, 'n', sizeof info->name);  // without an end, as a careless plugin leaves it
  info->processors = 1;
  return GPUOPT_OK;
}

gpuopt_status memory_allocate(gpuopt_plugin_device *, gpuopt_plugin_stream *, uint64_t bytes, void **memory,
                              gpuopt_error *error) {
  if (is("no_memory"))
    return host->fail(error, GPUOPT_ERR_OUT_OF_MEMORY, GPUOPT_REASON_NONE, 2, "%d bytes", static_cast<int>(bytes));
  *memory = host->allocate(bytes);
  return *memory && reinterpret_cast<uintptr_t>(*memory) % 64 == 0
             ? GPUOPT_OK
             : host->fail(error, GPUOPT_ERR_INTERNAL, 0, 0, "host->allocate is wrong");
}

void memory_free(gpuopt_plugin_device *, gpuopt_plugin_stream *, void *memory, uint64_t) { host->deallocate(memory); }

gpuopt_status stream_create(gpuopt_plugin_device *, uint32_t, gpuopt_plugin_stream **stream, gpuopt_error *) {
  *stream = kStream;
  return GPUOPT_OK;
}

void stream_destroy(gpuopt_plugin_device *, gpuopt_plugin_stream *) {}
gpuopt_status stream_synchronize(gpuopt_plugin_device *, gpuopt_plugin_stream *, gpuopt_error *) { return GPUOPT_OK; }

gpuopt_status copy(void *to, const void *from, uint64_t bytes) {
  std::memcpy(to, from, bytes);
  return GPUOPT_OK;
}
gpuopt_status copy_to_host(gpuopt_plugin_device *, gpuopt_plugin_stream *, void *to, const void *from, uint64_t bytes,
                           gpuopt_error *) {
  return copy(to, from, bytes);
}
gpuopt_status copy_from_host(gpuopt_plugin_device *, gpuopt_plugin_stream *, void *to, const void *from, uint64_t bytes,
                             gpuopt_error *) {
  return copy(to, from, bytes);
}

gpuopt_status program_run(gpuopt_plugin_device *, gpuopt_plugin_stream *, const gpuopt_program *program,
                          gpuopt_error *error) {
  if (is("compiler_missing"))
    return host->fail(error, GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_COMPILER_MISSING, 0, "libnvrtc.so is not there");
  if (is("throws_in_program")) throw std::bad_alloc();
  static int programs = 0;  // the first of each device is the host's self-test
  if (is("lost_in_program") && ++programs > 1)
    return host->fail(error, GPUOPT_ERR_DEVICE_LOST, GPUOPT_REASON_NONE, 719, "the kernel add faulted");
  if (program->ninputs != 2 || program->inputs[0].dtype != GPUOPT_FLOAT32)
    return host->fail(error, GPUOPT_ERR_UNSUPPORTED, GPUOPT_REASON_NONE, 0, "it adds two float32 vectors, and no more");
  const float *x = static_cast<const float *>(program->inputs[0].data),
              *y = static_cast<const float *>(program->inputs[1].data);
  float *sum = static_cast<float *>(program->outputs[0].data);
  for (int64_t i = 0; i < program->shape[0]; ++i) sum[i] = x[i] + y[i];
  if (is("wrong_result")) std::memset(&sum[2], 0, sizeof(float));  // a flushed denormal
  return GPUOPT_OK;
}

void fill_table() {
  table.header = {sizeof table, GPUOPT_PLUGIN_ABI_MAJOR, 0, 0, 0, nullptr};
#define HAVE(slot) table.slot = slot
  HAVE(probe);
  HAVE(device_open);
  HAVE(device_close);
  HAVE(device_info);
  HAVE(memory_allocate);
  HAVE(memory_free);
  HAVE(stream_create);
  HAVE(stream_destroy);
  HAVE(stream_synchronize);
  HAVE(copy_to_host);
  HAVE(copy_from_host);
  table.copy_on_device = copy_to_host;
  HAVE(program_run);
#undef HAVE
  if (is("no_probe")) table.probe = nullptr;
  if (is("no_program_run")) table.program_run = nullptr;
  if (is("no_several")) table.memory_free = nullptr, table.copy_to_host = nullptr;
  if (is("short_table")) table.header.struct_size = offsetof(gpuopt_plugin_api, matmul);
  if (is("table_of_1_0")) table.header.struct_size = offsetof(gpuopt_plugin_api, device_synchronize);
  if (is("too_short_table")) table.header.struct_size = offsetof(gpuopt_plugin_api, program_run);
  if (is("header_only")) table.header.struct_size = sizeof(gpuopt_table_header);
  if (is("size_zero")) table.header.struct_size = 0;
  if (is("size_odd")) table.header.struct_size = sizeof table - 3;
  if (is("size_huge")) table.header.struct_size = 0xFFFFFFF8u;
  if (is("other_major_table")) table.header.abi_major = 2;
  longer_table.known = table;
  longer_table.known.header.struct_size = sizeof longer_table;
  for (void *&slot : longer_table.newer) slot = reinterpret_cast<void *>(0xDEAD);
}

gpuopt_status describe(gpuopt_plugin_desc *desc) {
  desc->minor_min = desc->minor_max = 0;
  if (is("newer_range")) desc->minor_max = 9;
  if (is("new_abi")) desc->minor_min = 7, desc->minor_max = 9;
  if (is("backward_range")) desc->minor_min = 1, desc->minor_max = 0;
  desc->op_count = is("negative_ops") ? -1 : is("many_ops") ? 1 << 30 : GPUOPT_OP_COUNT;
  desc->reduction_count = GPUOPT_REDUCTION_COUNT;
  desc->scan_count = GPUOPT_SCAN_COUNT;
  desc->name = is("wrong_name") ? "rocm" : is("no_name") ? nullptr : BAD_PLUGIN_NAME;
  desc->version = is("no_version") ? nullptr : "0.1";
  desc->build_id = is("no_version") ? nullptr : "test";
  desc->toolkit = is("no_version") ? nullptr : "";
  desc->api = is("null_api") ? nullptr : is("long_table") ? &longer_table.known : &table;
  return is("new_abi") || is("old_abi") ? GPUOPT_ERR_UNSUPPORTED : is("query_fails") ? GPUOPT_ERR_INTERNAL : GPUOPT_OK;
}

}  // namespace

#if defined(BAD_PLUGIN_UNDEFINED_SYMBOL)
extern "C" void gpuopt_test_symbol_that_nobody_defines(void);
#endif

#if defined(BAD_PLUGIN_NEEDS_LIBRARY)
#if defined(_WIN32)
extern "C" __declspec(dllimport) int gpuopt_needed(void);
#else
extern "C" int gpuopt_needed(void);
#endif
#endif

#if defined(BAD_PLUGIN_NO_ENTRY)
#define ENTRY gpuopt_plugin_query_v0
#else
#define ENTRY gpuopt_plugin_query_v1
#endif
extern "C" GPUOPT_PLUGIN_EXPORT gpuopt_status ENTRY(const gpuopt_host_api *api, gpuopt_plugin_desc *desc) {
#if defined(BAD_PLUGIN_UNDEFINED_SYMBOL)
  gpuopt_test_symbol_that_nobody_defines();
#endif
#if defined(BAD_PLUGIN_NEEDS_LIBRARY)
  if (gpuopt_needed() != 17) return GPUOPT_ERR_INTERNAL;
#endif
  host = api;
  if (is("throws_in_query")) throw std::runtime_error("query");
  if (is("writes_nothing")) return GPUOPT_OK;
  fill_table();
  return describe(desc);
}
