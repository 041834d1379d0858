// plugins/cuda/program/program.cpp -- the slot program_run: finds or makes the kernels of a program and launches them.
#include <algorithm>
#include <array>
#include <limits>

#include "plugins/cuda/compile/launch.h"
#include "plugins/cuda/plugin/slots.h"
#include "plugins/cuda/program/program_cache.h"

namespace gpuopt::cuda {
namespace {

constexpr int64_t kAlignment = 256;    // of each part of the scratch memory
constexpr int64_t kPartialBytes = 16;  // the most of a partial result of one reduction or scan
constexpr int64_t kLanes = GPUOPT_LANES;

int64_t round_up(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }
int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// One run of a prepared program.
class ProgramLaunch {
 public:
  ProgramLaunch(Device &device, Stream &stream, const gpuopt_program &program, PreparedProgram &prepared,
                const plugin::ProgramSize &size)
      : device_(device), stream_(stream), p_(program), prepared_(prepared), size_(size) {}

  // Prepares all passes before it launches the first, so that a program without code for all its kernels stores
  // nothing.
  void run() {
    place_kept();
    const size_t passes = prepared_.lowered().passes.size();
    layouts_.resize(passes);
    variants_.resize(passes);
    for (size_t i = 0; i < passes; i++) prepare(i);
    const Scratch scratch(device_, stream_, static_cast<uint64_t>(kept_bytes_ + partial_bytes_));
    for (size_t i = 0; i < passes; i++) {
      if (variants_[i]) launch_pass(i, scratch.address());
    }
  }

 private:
  const Pass &pass(size_t i) const { return prepared_.lowered().passes[i]; }

  // Places the kept values in the scratch memory: contiguous in C order of the axes that are not reduced.
  void place_kept() {
    for (const auto &[step, dtype] : prepared_.lowered().kept) {
      kept_offset_.push_back(kept_bytes_);
      kept_bytes_ += round_up(size_.kept * plugin::dtype_size(dtype));
      int64_t stride = plugin::dtype_size(dtype);
      const size_t first = kept_strides_.size();
      kept_strides_.resize(first + static_cast<size_t>(p_.ndim));
      for (int d = p_.ndim - 1; d >= 0; d--) {
        if (p_.reduced_axes >> d & 1) continue;
        kept_strides_[first + static_cast<size_t>(d)] = stride;
        stride *= p_.shape[d];
      }
    }
  }

  // Fills memory_ with where the pass's operands are; `scratch` is the address of the scratch memory.
  void find_memory(const Pass &pass, uint64_t scratch) {
    memory_.clear();
    for (const PassOperand &operand : pass.operands) {
      if (operand.kind == OperandKind::kKept) {
        memory_.push_back({scratch + static_cast<uint64_t>(kept_offset_[operand.index]),
                           kept_strides_.data() + operand.index * static_cast<size_t>(p_.ndim)});
      } else {
        const gpuopt_operand &o = (operand.kind == OperandKind::kInput ? p_.inputs : p_.outputs)[operand.index];
        memory_.push_back({reinterpret_cast<uint64_t>(o.data), o.strides});
      }
    }
  }

  // Finds the layout, the kernels and the partial results of a pass. A Map without elements gets no kernels.
  void prepare(size_t i) {
    variants_[i] = nullptr;
    const bool is_map = pass(i).kind == PassKind::kMap;
    if (is_map && (pass(i).full ? size_.elements : size_.kept) == 0) return;
    find_memory(pass(i), 0);  // address 0 stands for scratch memory, which is aligned for everything
    find_layout(p_, pass(i), memory_, layouts_[i]);
    variants_[i] = &prepared_.variant(device_, i, layouts_[i].shape);
    const Layout &layout = layouts_[i];
    if (!layout.shape.split) return;
    const bool scans = pass(i).kind == PassKind::kScan;
    const int64_t values = scans ? layout.chunks : layout.groups * static_cast<int64_t>(pass(i).reductions.size());
    partial_bytes_ = std::max(partial_bytes_, layout.rows * values * kPartialBytes);
  }

  // Returns how many blocks share a row in kMapRows.
  int64_t blocks_of_row(size_t i) const {
    const int64_t of_block =
        block_threads(KernelKind::kMapRows, 0) * layouts_[i].shape.vector * reads_ahead(pass(i), layouts_[i].shape);
    return divide_up(layouts_[i].length, of_block);
  }

  // Fills words_ with the parameters of the kernels of a pass.
  void fill_words(size_t i, uint64_t scratch) {
    const Layout &layout = layouts_[i];
    const PassWords &parameters = variants_[i]->parameters;
    const KernelKind kind = layout.shape.kind;
    const auto set = [&](int word, int64_t value) { words_[static_cast<size_t>(word)] = static_cast<uint64_t>(value); };
    set(kRowsWord, layout.rows);
    set(kLengthWord, layout.length);
    set(kCutWord, kind == KernelKind::kMapRows      ? blocks_of_row(i)
                  : pass(i).kind == PassKind::kScan ? layout.chunks
                                                    : layout.chunks_of_group);
    set(kGroupsWord, layout.groups);
    words_[kScratchWord] = scratch + static_cast<uint64_t>(kept_bytes_);
    for (int d = 0; d < layout.outer.rank(); d++)
      set(parameters.outer_sizes + d, layout.outer.sizes[static_cast<size_t>(d)]);
    for (int d = 0; d < layout.inner.rank(); d++)
      set(parameters.inner_sizes + d, layout.inner.sizes[static_cast<size_t>(d)]);
    find_memory(pass(i), scratch);
    for (size_t o = 0; o < memory_.size(); o++) {
      words_[static_cast<size_t>(parameters.address[o])] = memory_[o].address;
      if (parameters.outer_strides[o] != PassWords::kNone) {
        for (int d = 0; d < layout.outer.rank(); d++) set(parameters.outer_strides[o] + d, layout.stride(false, d, o));
      }
      if (parameters.inner_strides[o] != PassWords::kNone) {
        for (int d = 0; d < layout.inner.rank(); d++) set(parameters.inner_strides[o] + d, layout.stride(true, d, o));
      }
    }
    for (const auto &[step, word] : parameters.constants) {
      const gpuopt_constant &constant = p_.constants[prepared_.steps()[step].index];
      std::copy_n(constant.words, 2, words_.begin() + word);
    }
  }

  // Returns the number of blocks of the grid for kernel number `kernel` of a pass.
  int64_t blocks_of(size_t i, size_t kernel) const {
    const Layout &layout = layouts_[i];
    const int64_t threads = block_threads(layout.shape.kind, kernel);
    switch (layout.shape.kind) {
      case KernelKind::kMapRows:
        return layout.rows * blocks_of_row(i);
      case KernelKind::kMapPoints:
        return divide_up(layout.rows, threads * reads_ahead(pass(i), layout.shape));
      case KernelKind::kReduceRows:
        return kernel == 1 ? layout.rows : divide_up(layout.rows * layout.groups, threads / kLanes);
      case KernelKind::kReduceColumns:
        return kernel == 1 ? layout.rows : divide_up(layout.rows, kLanes) * layout.groups;
      case KernelKind::kScanRows:
        return kernel == 1 ? layout.rows : divide_up(layout.rows * layout.chunks, threads / kLanes);
      default:
        return kernel == 1 ? layout.rows : divide_up(layout.rows * layout.chunks, threads);
    }
  }

  void launch_pass(size_t i, uint64_t scratch) {
    fill_words(i, scratch);
    for (size_t k = 0; k < variants_[i]->kernels.size(); k++) {
      const int64_t blocks = blocks_of(i, k);
      if (blocks > std::numeric_limits<int32_t>::max())
        fail(GPUOPT_ERR_UNSUPPORTED, "a program has more elements than a grid has blocks for");
      Grid grid;
      grid.x = static_cast<uint32_t>(blocks);
      launch(device_, stream_, *variants_[i]->kernels[k], grid, words_.data());
    }
  }

  Device &device_;
  Stream &stream_;
  const gpuopt_program &p_;
  PreparedProgram &prepared_;
  const plugin::ProgramSize size_;
  std::vector<int64_t> kept_offset_, kept_strides_;
  int64_t kept_bytes_ = 0, partial_bytes_ = 0;
  std::vector<OperandMemory> memory_;
  std::vector<Layout> layouts_;
  std::vector<const Variant *> variants_;
  std::array<uint64_t, 512> words_;
};

// Returns whether a REDUCED output is also an input of the program.
bool overwrites_input(const gpuopt_program &p) {
  for (int v = p.nsteps - 1; v >= 0 && p.steps[v].kind == GPUOPT_STEP_OUTPUT; v--) {
    const gpuopt_step &s = p.steps[v];
    if (s.level != GPUOPT_LEVEL_REDUCED || s.index >= p.noutputs) continue;
    for (int i = 0; i < p.ninputs; i++) {
      if (p.inputs[i].data == p.outputs[s.index].data) return true;
    }
  }
  return false;
}

void require_well_formed(const char *bad) {
  if (bad) fail(GPUOPT_ERR_INTERNAL, "malformed program: %s", bad);
}

}  // namespace

gpuopt_status slots::program_run(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream,
                                 const gpuopt_program *program, gpuopt_error *) {
  if (!program) fail(GPUOPT_ERR_INTERNAL, "no program");
  const ContextScope scope(*device);
  require_well_formed(plugin::find_bad_header(*program));
  const auto prepared = device->programs->find(*program, overwrites_input(*program));
  plugin::ProgramSize size;
  require_well_formed(plugin::find_bad_shape(*program, size));
  const uint64_t axes = program->reduced_axes;
  if (prepared->lowered().scans && (axes == 0 || (axes & (axes - 1)) != 0))
    require_well_formed("a SCAN runs along one axis");
  if (size.elements == 0 && (!prepared->lowered().reduces || size.kept == 0)) return GPUOPT_OK;
  require_well_formed(plugin::find_bad_operands(*program, prepared->use()));
  ProgramLaunch(*device, *stream, *program, *prepared, size).run();
  return GPUOPT_OK;
}

}  // namespace gpuopt::cuda
