// bindings/python/src/device.cpp -- devices as Python has them, the current one, and the library's log in Python's.
#include <mutex>
#include <string>
#include <vector>

#include "core.h"
#include "wrap.h"

namespace gpuopt_python {
namespace {

// ---- Devices -------------------------------------------------------------------------------------------------------

// A device of this process is the same handle as long as the process lives: so is its Python object.
struct Known {
  gpuopt_device handle;
  PyObject *object;
};
std::mutex known_mutex;
std::vector<Known> known_devices;

// The object of a device, a new reference; where there is none yet, `made` becomes it, unless that is NULL.
PyObject *known_device(gpuopt_device handle, PyObject *made) {
  const std::lock_guard<std::mutex> lock(known_mutex);
  for (const Known &known : known_devices) {
    if (known.handle == handle) return Py_NewRef(known.object);
  }
  if (made) known_devices.push_back({handle, Py_NewRef(made)});
  return made ? Py_NewRef(made) : nullptr;
}

PyObject *device_object(gpuopt_device handle) {
  if (PyObject *known = known_device(handle, nullptr)) return known;
  static PyObject *maker;
  if (!import_from("gpuopt._device", "Device", maker)) return nullptr;
  PyObject *handle_object = capsule(gpuopt_device_retain(handle));
  PyObject *object = handle_object ? PyObject_CallMethod(maker, "_of", "Oss", handle_object, gpuopt_device_name(handle),
                                                         gpuopt_device_backend(handle))
                                   : nullptr;
  Py_XDECREF(handle_object);
  PyObject *const first = object ? known_device(handle, object) : nullptr;
  Py_XDECREF(object);
  return first;
}

// open(request) -> (device, reason): the reason's number is 0 where the request got what it asked for first.
PyObject *open_device(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
  Argument<const char *> request;
  if (!takes(given, 1) || !request.read(arguments[0])) return nullptr;
  gpuopt_device device = nullptr;
  gpuopt_reason reason = 0;
  const auto call = [&](gpuopt_error *error) {
    return gpuopt_device_open_report(request.get(), nullptr, &device, &reason, error);
  };
  if (!run(call)) return nullptr;
  PyObject *object = device_object(device);
  gpuopt_device_release(device);
  return object ? Py_BuildValue("Ni", object, static_cast<int>(reason)) : nullptr;
}

PyObject *device_info(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
  Argument<gpuopt_device> device;
  if (!takes(given, 1) || !device.read(arguments[0])) return nullptr;
  gpuopt_device_info info = {};
  info.struct_size = sizeof info;
  if (!run([&](gpuopt_error *error) { return gpuopt_device_get_info(device.get(), &info, error); })) return nullptr;
  return Py_BuildValue("{s:i,s:s,s:s,s:s,s:s,s:K,s:i,s:O}", "index", static_cast<int>(info.index), "name", info.name,
                       "detail", info.detail, "plugin", info.plugin, "plugin_version", info.plugin_version,
                       "memory_bytes", static_cast<unsigned long long>(info.memory_bytes), "processors",
                       static_cast<int>(info.processors), "host_memory", info.host_memory ? Py_True : Py_False);
}

PyObject *memory_stats(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
  Argument<gpuopt_device> device;
  if (!takes(given, 1) || !device.read(arguments[0])) return nullptr;
  gpuopt_memory_stats stats = {};
  stats.struct_size = sizeof stats;
  if (!run([&](gpuopt_error *error) { return gpuopt_memory_get_stats(device.get(), &stats, error); })) return nullptr;
  return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K,s:K}", "in_use", stats.in_use, "cached", stats.cached, "peak_in_use",
                       stats.peak_in_use, "limit", stats.limit, "allocations", stats.allocations, "cache_hits",
                       stats.cache_hits);
}

PyObject *engine_stats(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
  Argument<gpuopt_device> device;
  if (!takes(given, 1) || !device.read(arguments[0])) return nullptr;
  gpuopt_engine_stats stats = {};
  stats.struct_size = sizeof stats;
  if (!run([&](gpuopt_error *error) { return gpuopt_engine_get_stats(device.get(), &stats, error); })) return nullptr;
  return Py_BuildValue("{s:K,s:K,s:K,s:K}", "operations", stats.operations, "programs", stats.programs, "steps",
                       stats.steps, "pending", stats.pending);
}

PyObject *discovery_report(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
  Argument<int32_t> format;
  if (!takes(given, 1) || !format.read(arguments[0])) return nullptr;
  char *report = nullptr;
  const auto call = [&](gpuopt_error *error) { return gpuopt_discovery_report(nullptr, format.get(), &report, error); };
  return run(call) ? result_object(report) : nullptr;
}

// ---- The log -------------------------------------------------------------------------------------------------------

// Records come from any thread, also while another that waits for it holds the interpreter's lock. They are kept until
// a thread with the lock hands them on.
struct Record {
  int level;
  std::string event, line;
};
std::mutex records_mutex;
std::vector<Record> records;

int hand_on_records(void *) {
  std::vector<Record> taken;
  {
    const std::lock_guard<std::mutex> lock(records_mutex);
    taken.swap(records);
  }
  static PyObject *logger;
  for (const Record &record : taken) {
    PyObject *done = import_from("gpuopt._log", "record", logger)
                         ? PyObject_CallFunction(logger, "iss", record.level, record.event.c_str(), record.line.c_str())
                         : nullptr;
    if (!done) return -1;
    Py_DECREF(done);
  }
  return 0;
}

void keep_record(const gpuopt_log_record *record, void *) {
  bool first = false;
  {
    const std::lock_guard<std::mutex> lock(records_mutex);
    first = records.empty();
    records.push_back({record->level, record->event, record->line});
  }
  if (first) Py_AddPendingCall(hand_on_records, nullptr);  // may wait for other threads of Python's
}

PyObject *log_to_python(PyObject *, PyObject *) {
  gpuopt_log_set_callback(keep_record, nullptr);
  return Py_NewRef(Py_None);
}

// For the end of the process, after that of the interpreter.
PyObject *log_to_stderr(PyObject *, PyObject *) {
  gpuopt_log_set_callback(nullptr, nullptr);
  return hand_on_records(nullptr) == 0 ? Py_NewRef(Py_None) : nullptr;
}

PyObject *flush_log(PyObject *, PyObject *) { return hand_on_records(nullptr) == 0 ? Py_NewRef(Py_None) : nullptr; }

}  // namespace

PyObject *device_of(gpuopt_array x) {
  const gpuopt_device device = gpuopt_array_device(x);
  return device ? device_object(device) : Py_NewRef(Py_None);
}

bool read_device(PyObject *object, gpuopt_device &device) {
  static PyObject *resolver;
  if (!import_from("gpuopt._device", "handle", resolver)) return false;
  PyObject *handle = PyObject_CallFunctionObjArgs(resolver, object, nullptr);
  device = handle ? static_cast<gpuopt_device>(PyCapsule_GetPointer(handle, Kind<gpuopt_device>::name)) : nullptr;
  Py_XDECREF(handle);  // its Device holds it, for the life of the process
  return device != nullptr;
}

PyMethodDef device_functions[] = {
    {"device_open", method(open_device), METH_FASTCALL, nullptr},
    {"device_info", method(device_info), METH_FASTCALL, nullptr},
    {"memory_stats", method(memory_stats), METH_FASTCALL, nullptr},
    {"engine_stats", method(engine_stats), METH_FASTCALL, nullptr},
    {"discovery_report", method(discovery_report), METH_FASTCALL, nullptr},
    {"log_to_python", log_to_python, METH_NOARGS, nullptr},
    {"log_to_stderr", log_to_stderr, METH_NOARGS, nullptr},
    {"flush_log", flush_log, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace gpuopt_python
