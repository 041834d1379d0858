// core/engine/round_trip.cpp -- computes on the CPU device with copies of the operands; see round_trip.h.
#include "core/engine/round_trip.h"

#include <algorithm>

#include "core/array/dtype.h"
#include "core/base/log.h"
#include "core/base/os.h"
#include "core/device/policy.h"

namespace gpuopt {
namespace {

// ---- The CPU device, and the warning

gpuopt_device open_cpu(gpuopt_device device) {
  // The directory of the backend's own file is searched, too, since the program may have named it in its own options.
  const std::string beside = parent_directory(device->backend->path);
  const char *const directory = beside.c_str();
  gpuopt_device_options options = GPUOPT_DEVICE_OPTIONS_INIT;
  if (is_absolute(beside)) {
    options.plugin_path = &directory;
    options.plugin_path_count = 1;
  }
  return open_device("cpu", &options, nullptr);
}

// Returns the CPU device, and logs the warning if it is the first for this backend and operation. Throws where the CPU
// may not compute instead.
gpuopt_device substitute(gpuopt_device device, const char *operation, const std::string &dtypes,
                         const Failure &refusal) {
  const std::string what = device->name + " does not offer " + operation + " of " + dtypes;
  if (device->backend->name == "cpu") throw refusal;
  if (device->required)
    throw Failure{GPUOPT_ERR_UNSUPPORTED, refusal.reason, refusal.backend_code,
                  what + ", and it was required, so the CPU is not used: " + refusal.message};
  if (first_time("backend.cpu_round_trip", GPUOPT_REASON_NONE, device->backend->name + " " + operation)) {
    LogRecord record{GPUOPT_LOG_WARN, "backend.cpu_round_trip", refusal.reason};
    record.requested = device->backend->name;
    record.used = "cpu";
    record.detail = what + "; the CPU does it, with copies there and back: " + refusal.message;
    record.hint = gpuopt_reason_hint(refusal.reason);
    log(record);
  }
  return open_cpu(device);
}

// ---- Memory

// The range of bytes that an operand lies in, whether the range is copied from the device (`read`) and back to it
// (`written`), and the operand's pointer to element [0,...,0], which with_copies() replaces.
struct CopiedRange {
  char *begin, *end;
  void **data;
  bool read, written;
};

// `partly`: the operation writes some of the elements only.
CopiedRange range_of(void *&data, int dtype, int ndim, const int64_t *shape, const int64_t *strides, bool written,
                     bool partly) {
  char *begin = static_cast<char *>(data), *end = begin + dtype_size(dtype);
  int64_t bytes = dtype_size(dtype);
  for (int i = 0; i < ndim; ++i) {
    if (strides[i] == 0) continue;
    if (shape[i] == 0) return {begin, begin, &data, false, false};
    const int64_t reach = strides[i] * (shape[i] - 1);
    (reach < 0 ? begin : end) += reach;
    bytes *= shape[i];
  }
  // The range is copied back whole, so if it has bytes that are not written these have to be copied here first.
  return {begin, end, &data, !written || partly || end - begin != bytes, written};
}

// A copy, in memory of the CPU device, of the union of ranges of device memory that overlap. Addresses are the same as
// the originals modulo kAlignment.
class Block {
 public:
  Block(gpuopt_device cpu, const CopiedRange &range) : cpu_(cpu), range_(range) {}
  Block(Block &&other) noexcept
      : cpu_(other.cpu_), range_(other.range_), memory_(std::exchange(other.memory_, nullptr)) {}
  ~Block() {
    if (memory_) free_memory(cpu_->default_stream, memory_, allocated());
  }
  bool overlaps(const CopiedRange &range) const { return range.begin < range_.end; }
  void extend(const CopiedRange &range) {
    range_.end = std::max(range_.end, range.end);
    range_.read |= range.read;
    range_.written |= range.written;
  }
  void fetch(gpuopt_stream stream, const char *operation) {
    memory_ = allocate_memory(cpu_->default_stream, operation, allocated());
    if (!range_.read) return;
    call_stream(stream, operation, stream->device->api().copy_to_host, static_cast<void *>(address(range_.begin)),
                static_cast<const void *>(range_.begin), bytes());
  }
  void give_back(gpuopt_stream stream, const char *operation) {
    if (!range_.written) return;
    call_stream(stream, operation, stream->device->api().copy_from_host, static_cast<void *>(range_.begin),
                static_cast<const void *>(address(range_.begin)), bytes());
  }
  char *address(const void *there) const {
    return static_cast<char *>(memory_) + misalignment() + (static_cast<const char *>(there) - range_.begin);
  }

 private:
  static constexpr uint64_t kAlignment = 64;
  uint64_t misalignment() const { return reinterpret_cast<uintptr_t>(range_.begin) % kAlignment; }
  uint64_t bytes() const { return static_cast<uint64_t>(range_.end - range_.begin); }
  uint64_t allocated() const { return bytes() + misalignment(); }

  gpuopt_device cpu_;
  CopiedRange range_;
  void *memory_ = nullptr;
};

// Copies the ranges to the CPU device, makes the operands' pointers point to the copies, calls `compute` with the CPU
// device's stream, waits for it, and copies what was written back.
template <class Compute>
void with_copies(gpuopt_stream stream, gpuopt_device cpu, const char *operation, std::vector<CopiedRange> ranges,
                 Compute compute) {
  std::erase_if(ranges, [](const CopiedRange &range) { return range.begin == range.end; });
  std::sort(ranges.begin(), ranges.end(), [](const CopiedRange &a, const CopiedRange &b) { return a.begin < b.begin; });
  std::vector<Block> blocks;
  std::vector<size_t> block_of;
  for (const CopiedRange &range : ranges) {
    if (blocks.empty() || !blocks.back().overlaps(range)) blocks.emplace_back(cpu, range);
    blocks.back().extend(range);
    block_of.push_back(blocks.size() - 1);
  }
  for (Block &block : blocks) block.fetch(stream, operation);
  wait_for(stream, operation);
  for (size_t i = 0; i < ranges.size(); ++i) *ranges[i].data = blocks[block_of[i]].address(*ranges[i].data);
  compute(cpu->default_stream);
  wait_for(cpu->default_stream, operation);
  for (Block &block : blocks) block.give_back(stream, operation);
}

// ---- Programs

// Returns the names of the dtypes of the operation's sources, or of the output if it has none, with commas between.
std::string dtypes_of(const gpuopt_program &program) {
  std::string text;
  for (int i = 0; i < program.nsteps; ++i) {
    const gpuopt_step &step = program.steps[i];
    if (step.kind == GPUOPT_STEP_INPUT || step.kind == GPUOPT_STEP_CONSTANT || step.kind == GPUOPT_STEP_OUTPUT)
      continue;
    for (int k = 0; k < step.nsrc; ++k)
      text += (text.empty() ? "" : ", ") + std::string(dtype_name(program.steps[step.src[k]].dtype));
  }
  return text.empty() ? dtype_name(program.outputs[0].dtype) : text;
}

void run_there(gpuopt_stream stream, gpuopt_device cpu, const char *operation, const gpuopt_program &program) {
  std::vector<gpuopt_operand> inputs(program.inputs, program.inputs + program.ninputs),
      outputs(program.outputs, program.outputs + program.noutputs);
  std::vector<CopiedRange> ranges;
  for (gpuopt_operand &in : inputs)
    ranges.push_back(range_of(in.data, in.dtype, program.ndim, program.shape, in.strides, false, false));
  for (gpuopt_operand &out : outputs)
    ranges.push_back(range_of(out.data, out.dtype, program.ndim, program.shape, out.strides, true, false));
  gpuopt_program there = program;
  there.inputs = inputs.data();
  there.outputs = outputs.data();
  with_copies(stream, cpu, operation, std::move(ranges), [&](gpuopt_stream on) {
    call_stream(on, "on the CPU", on->device->api().program_run, static_cast<const gpuopt_program *>(&there));
  });
}

// ---- Library calls

// Whether the call draws from a generator that is a single sequence. Other devices cannot draw from it faster than the
// CPU, so the CPU does it for every device, and no warning is logged.
bool drawn_on_cpu(const gpuopt_call &call) {
  return call.kind == GPUOPT_CALL_RANDOM_MT19937 || call.kind == GPUOPT_CALL_RANDOM_PCG64;
}

// Returns the names of the dtypes of the tensors that the call reads, or of the first if it reads none.
std::string dtypes_of(const gpuopt_call &call, const std::vector<bool> &written) {
  std::string text;
  for (int i = 0; i < call.ntensors; ++i) {
    if (!written[static_cast<size_t>(i)])
      text += (text.empty() ? "" : ", ") + std::string(dtype_name(call.tensors[i].dtype));
  }
  return text.empty() ? dtype_name(call.tensors[0].dtype) : text;
}

void call_there(gpuopt_stream stream, gpuopt_device cpu, const char *operation, CallSlot gpuopt_plugin_api::*slot,
                const gpuopt_call &call, const std::vector<bool> &written) {
  const bool scatters =
      call.kind == GPUOPT_CALL_MASK_ASSIGN || call.kind == GPUOPT_CALL_PUT || call.kind == GPUOPT_CALL_ACCUMULATE;
  std::vector<gpuopt_tensor> tensors(call.tensors, call.tensors + call.ntensors);
  std::vector<CopiedRange> ranges;
  for (size_t i = 0; i < tensors.size(); ++i) {
    gpuopt_tensor &t = tensors[i];
    ranges.push_back(range_of(t.data, t.dtype, t.ndim, t.shape, t.strides, written[i], scatters));
  }
  gpuopt_call there = call;
  there.tensors = tensors.data();
  with_copies(stream, cpu, operation, std::move(ranges), [&](gpuopt_stream on) {
    call_stream(on, "on the CPU", on->device->api().*slot, static_cast<const gpuopt_call *>(&there));
  });
}

}  // namespace

void run_program_on_cpu(gpuopt_stream stream, const char *operation, const gpuopt_program &program,
                        const Failure &refusal) {
  run_there(stream, substitute(stream->device, operation, dtypes_of(program), refusal), operation, program);
}

void run_call_on_cpu(gpuopt_stream stream, const char *operation, CallSlot gpuopt_plugin_api::*slot,
                     const gpuopt_call &call, const std::vector<bool> &written, const Failure &refusal) {
  const gpuopt_device device = stream->device;
  const bool always = drawn_on_cpu(call) && device->backend->name != "cpu";
  const gpuopt_device cpu =
      always ? open_cpu(device) : substitute(device, operation, dtypes_of(call, written), refusal);
  call_there(stream, cpu, operation, slot, call, written);
}

}  // namespace gpuopt
