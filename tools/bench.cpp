// tools/bench.cpp -- gpuopt bench: measures from which array size on a device is faster than the CPU, and how fast
// copies are.
#include <algorithm>
#include <optional>

#include "tools/command.h"
#include "tools/devices.h"
#include "tools/measure.h"
#include "tools/output.h"

namespace gpuopt::tools {
namespace {

constexpr int64_t kSmallest = 100, kLargest = 100000000;  // elements of an array
constexpr uint64_t kItem = sizeof(float);
constexpr uint64_t kShare = 16;  // an array takes at most 1/16 of a device's memory, as several exist at a time

// An operation that is timed. Operands are in memory before, and the result is after.
struct Work {
  const char *name, *what;
  array (*run)(const array &x, const array &y);
};
const Work kWorks[] = {
    {"add", "x + y", [](const array &x, const array &y) { return x + y; }},
    {"fused", "exp(-x * x) * sin(y) + sqrt(x)",
     [](const array &x, const array &y) { return exp(-x * x) * sin(y) + sqrt(x); }},
    {"sum", "sum(x)", [](const array &x, const array &) { return sum(x); }},
};

// The time of one operation for one size on one device, which is an index into Results::devices.
struct Cell {
  int64_t elements;
  size_t device;
  std::optional<double> seconds;  // per call; nothing if the memory did not suffice
};
struct Curve {
  const Work *work;
  std::vector<Cell> cells;  // ordered by size, then by device
};
struct Copy {
  const char *kind;
  size_t device;
  uint64_t bytes;
  std::optional<double> seconds;
};
struct Results {
  std::vector<device> devices;
  std::vector<Outcome> missing;  // devices that were asked for but cannot be opened
  std::vector<int64_t> sizes;
  std::vector<Curve> curves;
  std::vector<Copy> copies;
};

// ---- Measuring

// Returns measure(), or nothing if memory did not suffice. Other failures are thrown.
template <class Measure>
std::optional<double> unless_out_of_memory(Measure measure) try {
  return measure();
} catch (const error &failure) {
  if (failure.code() != GPUOPT_ERR_OUT_OF_MEMORY) throw;
  return std::nullopt;
}

std::optional<double> time_work(const Work &work, int64_t elements, const device &where, const Effort &effort) {
  return unless_out_of_memory([&] {
    const array x = linspace(0.0, 1.0, elements, true, float32, where),
                y = linspace(1.0, 2.0, elements, true, float32, where);
    eval(x, y);
    return median_seconds(where, effort, [&] { work.run(x, y).eval(); });
  });
}

// A kind of copy between `host` and x, which have the same size. make() returns the work to be timed; it refers to its
// arguments.
struct CopyKind {
  const char *name;
  std::function<void()> (*make)(const device &, std::vector<float> &host, const array &x);
};
const CopyKind kCopies[] = {
    {"host to device",
     [](const device &where, std::vector<float> &host, const array &) {
       return std::function<void()>([&] { array(host.data(), dims(host.size()), where).eval(); });
     }},
    {"device to host",
     [](const device &, std::vector<float> &host, const array &x) {
       return std::function<void()>([&] { detail::call(gpuopt_to_host, x.get(), host.data(), host.size() * kItem); });
     }},
    {"on the device", [](const device &, std::vector<float> &,
                         const array &x) { return std::function<void()>([&] { x.copy().eval(); }); }},
};

std::optional<double> time_copy(const CopyKind &kind, uint64_t bytes, const device &where, const Effort &effort) {
  return unless_out_of_memory([&] {
    std::vector<float> host(bytes / kItem, 1.0f);
    const array x(host.data(), dims(host.size()), where);
    return median_seconds(where, effort, kind.make(where, host, x));
  });
}

// Returns the largest number of elements to measure: --max or its default, limited by the memory of the devices.
int64_t largest_size(const std::vector<device> &devices, const Arguments &arguments) {
  uint64_t largest = arguments.count("--max", arguments.has("--quick") ? 1000000 : kLargest);
  for (const device &one : devices) {
    if (const uint64_t memory = one.info().memory_bytes) largest = std::min(largest, memory / kItem / kShare);
  }
  if (largest < kSmallest) throw UsageError("--max: the smallest size is " + std::to_string(kSmallest) + " elements");
  return static_cast<int64_t>(largest);
}

std::vector<int64_t> sizes_up_to(int64_t largest) {
  std::vector<int64_t> sizes;
  for (int64_t size = kSmallest; size <= largest; size *= 10) sizes.push_back(size);
  return sizes;
}

// Returns the sizes of copies in bytes: those that do not exceed `largest` elements, but at least one.
std::vector<uint64_t> copy_sizes(int64_t largest) {
  std::vector<uint64_t> sizes;
  for (const uint64_t bytes : {uint64_t{64} << 10, uint64_t{4} << 20, uint64_t{256} << 20}) {
    if (bytes <= static_cast<uint64_t>(largest) * kItem || sizes.empty()) sizes.push_back(bytes);
  }
  return sizes;
}

// Returns why devices are missing: "cuda (DISABLED: GPUOPT_DISABLE lists cuda), cuda:7 (...)".
std::string reasons_text(const std::vector<Outcome> &missing) {
  std::string text;
  for (const Outcome &outcome : missing)
    text += (text.empty() ? "" : ", ") + outcome.request + " (" + gpuopt_reason_name(outcome.reason) + ": " +
            outcome.message + ")";
  return text;
}

Results measure(const Arguments &arguments) {
  const bool quick = arguments.has("--quick");
  const Effort effort = quick ? Effort{3, 0.001} : Effort{7, 0.01};
  Results results;
  results.devices = open_devices(arguments.text("--devices", kUsualDevices), &results.missing);
  if (results.devices.empty()) throw Failed("none of the devices works: " + reasons_text(results.missing));
  const int64_t largest = largest_size(results.devices, arguments);
  results.sizes = sizes_up_to(largest);
  const std::vector<uint64_t> copies = copy_sizes(largest);
  Progress progress(results.devices.size() *
                    (results.sizes.size() * std::size(kWorks) + copies.size() * std::size(kCopies)));
  for (const Work &work : kWorks) {
    Curve curve{&work, {}};
    for (const int64_t size : results.sizes) {
      for (size_t d = 0; d < results.devices.size(); ++d) {
        progress.step(std::string(work.what) + ", " + std::to_string(size) + " elements on " +
                      results.devices[d].name());
        curve.cells.push_back({size, d, time_work(work, size, results.devices[d], effort)});
      }
    }
    results.curves.push_back(std::move(curve));
  }
  for (size_t d = 0; d < results.devices.size(); ++d) {
    for (const CopyKind &kind : kCopies) {
      for (const uint64_t bytes : copies) {
        progress.step(std::string(kind.name) + ", " + bytes_text(bytes) + ", " + results.devices[d].name());
        results.copies.push_back({kind.name, d, bytes, time_copy(kind, bytes, results.devices[d], effort)});
      }
    }
  }
  return results;
}

// ---- Results

// Returns the cell of the size and the device with these indices.
const Cell &cell(const Results &results, const Curve &curve, size_t size, size_t device) {
  return curve.cells[size * results.devices.size() + device];
}

// Returns the least size from which on `device` is faster than device 0 at every size that was measured; nothing if it
// is not faster at the largest one.
std::optional<int64_t> crossover(const Results &results, const Curve &curve, size_t device) {
  std::optional<int64_t> from;
  for (size_t i = results.sizes.size(); i-- > 0;) {
    const auto &first = cell(results, curve, i, 0).seconds, &other = cell(results, curve, i, device).seconds;
    if (!first || !other || *other >= *first) break;
    from = results.sizes[i];
  }
  return from;
}

std::string size_text(int64_t elements) {
  const std::string digits = std::to_string(elements);
  return digits[0] + std::string("e") + std::to_string(digits.size() - 1);
}

std::string curve_text(const Results &results, const Curve &curve) {
  std::vector<std::vector<std::string>> rows = {{"elements"}};
  for (const device &one : results.devices) rows[0].push_back(one.name());
  for (size_t i = 0; i < results.sizes.size(); ++i) {
    rows.push_back({size_text(results.sizes[i])});
    for (size_t d = 0; d < results.devices.size(); ++d) {
      const auto &seconds = cell(results, curve, i, d).seconds;
      rows.back().push_back(seconds ? time_text(*seconds) : "no memory");
    }
  }
  std::string text = strong(curve.work->what) + ", float32, time of one call (median)\n" + table(rows);
  for (size_t d = 1; d < results.devices.size(); ++d) {
    const auto from = crossover(results, curve, d);
    text += results.devices[d].name() +
            (from ? " is faster than " + results.devices[0].name() + " from " + size_text(*from) + " elements on\n"
                  : " is not faster than " + results.devices[0].name() + " at the sizes measured\n");
  }
  return text + "\n";
}

std::string copies_text(const Results &results) {
  std::vector<std::vector<std::string>> rows = {{"copy", "bytes"}};
  for (const device &one : results.devices) rows[0].push_back(one.name());
  const size_t each = results.copies.size() / results.devices.size();
  for (size_t i = 0; i < each; ++i) {
    const Copy &first = results.copies[i];
    rows.push_back({first.kind, bytes_text(first.bytes)});
    for (size_t d = 0; d < results.devices.size(); ++d) {
      const Copy &copy = results.copies[d * each + i];
      rows.back().push_back(copy.seconds ? rate_text(static_cast<double>(copy.bytes) / *copy.seconds) : "no memory");
    }
  }
  return strong("copies") + ", bytes copied per second (median); for the CPU, host and device memory are one\n" +
         table(rows);
}

std::string text_of(const Results &results) {
  std::string text;
  for (const device &one : results.devices) {
    const gpuopt_device_info info = one.info();
    text += one.name() + ": " + info.name + (info.detail[0] ? std::string(" (") + info.detail + ")" : "") + "\n";
  }
  text += "\n";
  for (const Curve &curve : results.curves) text += curve_text(results, curve);
  text += copies_text(results);
  if (!results.missing.empty()) text += "\nNot measured: " + reasons_text(results.missing) + "\n";
  if (results.devices.size() == 1)
    text +=
        "\nOnly " + results.devices[0].name() + " works here; nothing else was measured. `gpuopt doctor` says why.\n";
  return text;
}

std::string seconds_json(const std::optional<double> &seconds) { return seconds ? json_real(*seconds) : "null"; }

std::string curve_json(const Results &results, const Curve &curve) {
  std::vector<std::string> cells, crossovers;
  for (const Cell &one : curve.cells)
    cells.push_back(json::object({{"elements", json::number(one.elements)},
                                  {"device", json::string(results.devices[one.device].name())},
                                  {"seconds", seconds_json(one.seconds)}}));
  for (size_t d = 1; d < results.devices.size(); ++d) {
    const auto from = crossover(results, curve, d);
    crossovers.push_back(json::object(
        {{"device", json::string(results.devices[d].name())}, {"elements", from ? json::number(*from) : "null"}}));
  }
  return json::object({{"name", json::string(curve.work->name)},
                       {"expression", json::string(curve.work->what)},
                       {"dtype", json::string("float32")},
                       {"times", json::array(cells)},
                       {"crossover", json::array(crossovers)}});
}

std::string json_of(const Results &results) {
  std::vector<std::string> devices, missing, curves, copies;
  for (const device &one : results.devices) {
    const gpuopt_device_info info = one.info();
    devices.push_back(json::object({{"name", json::string(one.name())},
                                    {"processor", json::string(info.name)},
                                    {"detail", json::string(info.detail)}}));
  }
  for (const Outcome &outcome : results.missing)
    missing.push_back(json::object({{"request", json::string(outcome.request)},
                                    {"reason", json::string(gpuopt_reason_name(outcome.reason))},
                                    {"detail", json::string(outcome.message)}}));
  for (const Curve &curve : results.curves) curves.push_back(curve_json(results, curve));
  for (const Copy &copy : results.copies)
    copies.push_back(json::object(
        {{"kind", json::string(copy.kind)},
         {"device", json::string(results.devices[copy.device].name())},
         {"bytes", json_count(copy.bytes)},
         {"seconds", seconds_json(copy.seconds)},
         {"bytes_per_second", copy.seconds ? json_real(static_cast<double>(copy.bytes) / *copy.seconds) : "null"}}));
  return json::object({{"devices", json::array(devices)},
                       {"missing", json::array(missing)},
                       {"work", json::array(curves)},
                       {"copies", json::array(copies)}}) +
         "\n";
}

int bench(const Arguments &arguments) {
  keep_log_quiet();
  const Results results = measure(arguments);
  print(arguments.json() ? json_of(results) : text_of(results));
  return kFine;
}

}  // namespace

const Command kBench = {
    "bench",
    "",
    0,
    0,
    "from which size on a device is faster than the CPU, and how fast copies are",
    "Times are medians, taken when the device is idle; sizes go up to 1e8 elements, or what memory allows.\n"
    "JSON keys: devices [{name, processor, detail}], missing [{request, reason, detail}],\n"
    "work [{name, expression, dtype, times [{elements, device, "
    "seconds}],\n"
    "crossover [{device, elements}]}], copies [{kind, device, bytes, seconds, bytes_per_second}].\n"
    "A time is null where memory did not suffice, a crossover where the device is not faster.\n",
    {kJson,
     {"--quick", nullptr, "fewer and shorter samples, up to 1e6 elements"},
     {"--max", "N", "the most elements, such as 1e7"},
     {"--devices", "LIST", "the devices, the first being what others are compared with; default cpu,cuda"}},
    bench};

}  // namespace gpuopt::tools
