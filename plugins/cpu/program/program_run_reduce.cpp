// plugins/cpu/program/program_run_reduce.cpp -- the driver of programs that reduce.
//
// A task is a block of kept indices that goes through all passes while its inputs are in the cache. If there are too
// few blocks to keep all threads busy, a task is a group of chunks of a block instead, and each pass ends for all kept
// indices before the next one begins. Both have the same results (sequence_cut.h).
#include <algorithm>
#include <bit>
#include <new>

#include "plugins/cpu/program/program_run.h"
#include "plugins/cpu/program/reduce_fold.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/cpu/runtime/pool.h"

namespace gpuopt::cpu {
namespace {

constexpr int64_t kManyTasks = 64;       // enough for all threads; beyond that tasks grow, since larger ones run faster
constexpr int64_t kTileElements = 2048;  // at most, of sequences side by side: a tile has several rows of a wide block

// Returns the bytes of FULL inputs that the full passes read per index of the iteration space; at least 1.
int64_t bytes_read(const Plan &plan) {
  int64_t bytes = 0;
  for (int i = 0; i < plan.ninputs; i++) {
    if (plan.use.input_dtype[i] && plan.use.input_full[i]) bytes += dtype_size(plan.use.input_dtype[i]);
  }
  return std::max<int64_t>(bytes, 1);
}

class ReductionRun {
 public:
  ReductionRun(Run &run, const gpuopt_host_api *host) : run_(run), plan_(*run.plan), host_(host) {
    run.space.arrange_reduction(*run.program, plan_);
    choose_cut();
  }

  // Returns false if there is no scratch memory; nothing has been written then.
  bool go() noexcept {
    const int64_t blocks = divide_up(cut_.kept, cut_.block);
    const int threads = cost() > kParallelCost ? pool_size() : 1;
    const bool by_chunks =
        threads > 1 && cut_.chunks > 1 && (blocks < threads || (blocks < 4 * threads && !blocks_fit_));
    return by_chunks ? run_by_chunks(threads) : run_by_blocks(blocks, blocks > 1 ? threads : 1);
  }

 private:
  double cost() const {
    double per_element = 0;
    for (const Pass &pass : plan_.full_passes) per_element += pass.cost;
    return per_element * static_cast<double>(cut_.kept) * static_cast<double>(cut_.sequence);
  }

  // Returns the bytes of accumulators that one sequence needs where sequences lie side by side: those of all lanes that
  // have elements.
  int64_t lane_bytes() const {
    int64_t most = 0;
    for (const Pass &pass : plan_.full_passes) {
      int64_t bytes = 0;
      for (const Reduction &r : pass.reductions)
        bytes += filled_lanes(*r.loops, run_.space.sequence()) * r.loops->accumulator_size;
      most = std::max(most, bytes);
    }
    return most;
  }

  // Chooses the cut. If several passes read the same data, the inputs of a block should stay in the cache between them:
  // they may take half of the second-level cache.
  void choose_cut() {
    const int64_t sequence_bytes = std::max<int64_t>(run_.space.sequence(), 1) * bytes_read(plan_);
    const int64_t fitting = cache_sizes().l2 / 2 / sequence_bytes;
    const bool several_passes = plan_.full_passes.size() > 1 && !plan_.full_passes[1].empty();
    blocks_fit_ = !several_passes || fitting > 0;
    CutWishes wishes;
    wishes.tile_elements = kTileElements;
    wishes.state_bytes = lane_bytes();
    for (const Pass &pass : plan_.full_passes)
      wishes.tile_elements = std::min(wishes.tile_elements, tile_elements(pass));
    if (several_passes && fitting > 0) wishes.most_kept = fitting;
    cut_ = cut_sequences(run_.space, wishes);
  }

  // ---- memory

  // Return the bytes of all kept values, and of the accumulators of any one pass, for n kept indices.
  int64_t kept_bytes(int64_t n) const {
    int64_t bytes = 0;
    for (const KeptValue &value : plan_.kept) bytes += aligned(n * value.size);
    return bytes;
  }
  int64_t partial_bytes(int64_t n) const {
    int64_t most = 0;
    for (const Pass &pass : plan_.full_passes) {
      int64_t bytes = 0;
      for (const Reduction &r : pass.reductions) bytes += aligned(n * r.loops->accumulator_size);
      most = std::max(most, bytes);
    }
    return most;
  }

  // Sets kept[i] to the address of kept value i for kept index 0. `memory` begins with the values for kept index
  // `first`, so the addresses set may lie before it.
  void place_kept(char *memory, int64_t first, int64_t n, char **kept) const {
    for (size_t i = 0; i < plan_.kept.size(); i++) {
      kept[i] = memory - first * plan_.kept[i].size;
      memory += aligned(n * plan_.kept[i].size);
    }
  }
  void place_partials(const Pass &pass, char *memory, int64_t n, char **partials) const {
    for (size_t i = 0; i < pass.reductions.size(); i++) {
      partials[i] = memory;
      memory += aligned(n * pass.reductions[i].loops->accumulator_size);
    }
  }

  // ---- passes

  // Runs a kept pass for the kept indices of `range`, in tiles. Does nothing if the program has no such pass.
  void run_kept_pass(size_t stage, Worker &worker, Range range, char *const *kept) const {
    if (stage >= plan_.kept_passes.size() || plan_.kept_passes[stage].empty()) return;
    const int64_t most = cut_.capacity;
    worker.bind(run_, plan_.kept_passes[stage], cut_.rows ? TileShape{most, 1, true} : TileShape{1, most, false}, kept);
    constexpr Range kOne = {0, 1};
    for (const Range part : parts_of(range, most)) {
      worker.evaluate(cut_.rows ? run_.space.tile(part, kOne) : run_.space.tile(kOne, part));
    }
  }

  // Joins the accumulators of `groups` groups of chunks, each with n kept indices, and stores the results as kept
  // values of the kept indices from `first` on.
  void finish_reductions(const Pass &pass, char *const *partials, int64_t groups, int64_t first, int64_t n,
                         char *const *kept) const {
    for (size_t i = 0; i < pass.reductions.size(); i++) {
      const ReductionLoops &loops = *pass.reductions[i].loops;
      loops.join(partials[i], groups, n);
      const int kept_index = pass.reductions[i].kept;
      char *const result = kept[kept_index] + first * plan_.kept[static_cast<size_t>(kept_index)].size;
      if (loops.finish) {
        loops.finish(result, partials[i], n);
      } else if (result != partials[i]) {
        std::copy(partials[i], partials[i] + n * loops.accumulator_size, result);
      }
    }
  }

  // Makes the accumulators of kept indices from `first` on the kept values that they become, where they are these.
  void reduce_into_kept(const Pass &pass, int64_t first, char *const *kept, char **partials) const {
    for (size_t i = 0; i < pass.reductions.size(); i++) {
      const int index = pass.reductions[i].kept;
      if (pass.reductions[i].loops->finish) continue;
      partials[i] = kept[index] + first * plan_.kept[static_cast<size_t>(index)].size;
    }
  }

  // Sets the accumulators to the results for sequences of no elements.
  void reduce_nothing(const Pass &pass, char *const *partials, int64_t n) const {
    for (size_t i = 0; i < pass.reductions.size(); i++) pass.reductions[i].loops->identity(partials[i], n);
  }

  size_t stages() const { return std::max(plan_.full_passes.size(), plan_.kept_passes.size()); }
  const Pass *full_pass(size_t stage) const {
    return stage < plan_.full_passes.size() && !plan_.full_passes[stage].empty() ? &plan_.full_passes[stage] : nullptr;
  }

  // ---- Tasks are blocks of kept indices, each of which goes through all passes

  struct BlockMemory {
    char *folder, *kept, *partials;
  };

  // Returns false if there is no scratch memory. Each thread has a Folder, kept values and accumulators for one block.
  bool run_by_blocks(int64_t blocks, int threads) {
    const int64_t folder = aligned(sizeof(Folder)), work = aligned(Folder::bytes_needed(plan_, cut_));
    const int64_t kept = kept_bytes(cut_.block), partials = partial_bytes(cut_.block);
    const int64_t bytes = folder + work + kept + partials;
    char *const memory = ThreadScratch::reserve(host_, bytes * threads);
    if (!memory) return false;
    for (int t = 0; t < threads; t++) new (memory + t * bytes) Folder(memory + t * bytes + folder, run_, cut_);
    const auto run_one = [&](int64_t block, int thread) {
      char *const own = memory + thread * bytes;
      const Range range = {block * cut_.block, std::min((block + 1) * cut_.block, cut_.kept)};
      run_block(*reinterpret_cast<Folder *>(own), range, own + folder + work, own + folder + work + kept);
    };
    if (threads > 1) {
      parallel_for(blocks, run_one);
    } else {
      for (int64_t block = 0; block < blocks; block++) run_one(block, 0);
    }
    return true;
  }

  void run_block(Folder &folder, Range range, char *kept_memory, char *partial_memory) const {
    char *kept[GPUOPT_PROGRAM_MAX_STEPS], *partials[GPUOPT_PROGRAM_MAX_STEPS];
    place_kept(kept_memory, range.first, cut_.block, kept);
    for (size_t stage = 0; stage < stages(); stage++) {
      run_kept_pass(stage, folder.worker(), range, kept);
      const Pass *const pass = full_pass(stage);
      if (!pass) continue;
      place_partials(*pass, partial_memory, range.count(), partials);
      reduce_into_kept(*pass, range.first, kept, partials);
      if (cut_.sequence == 0) {
        reduce_nothing(*pass, partials, range.count());
      } else {
        folder.bind(*pass, kept);
        folder.run(range, {0, cut_.chunks}, partials);
      }
      finish_reductions(*pass, partials, 1, range.first, range.count(), kept);
    }
  }

  // ---- Tasks are groups of chunks; each pass ends for all kept indices before the next one begins

  // Returns false if there is no scratch memory. Kept values and accumulators are shared by all threads. A group has at
  // least the work of a quarter of kTaskCost, and more if there would be more than kManyTasks groups.
  bool run_by_chunks(int threads) {
    const double chunk_cost = cost() / static_cast<double>(cut_.chunks * divide_up(cut_.kept, cut_.block));
    const auto worth_a_task = static_cast<uint64_t>(std::max(1.0, kTaskCost / 4 / chunk_cost));
    const auto of_many_tasks = static_cast<uint64_t>(std::clamp<int64_t>(cut_.chunks / kManyTasks, 1, kWideChunks));
    cut_.group = static_cast<int64_t>(std::max(std::bit_ceil(worth_a_task), std::bit_floor(of_many_tasks)));
    const int64_t groups = divide_up(cut_.chunks, cut_.group);
    const int64_t folder = aligned(sizeof(Folder)), work = aligned(Folder::bytes_needed(plan_, cut_));
    const int64_t kept = kept_bytes(cut_.kept), partials = partial_bytes(groups * cut_.kept);
    char *const memory = ThreadScratch::reserve(host_, kept + partials + (folder + work) * threads);
    if (!memory) return false;
    char *const folders = memory + kept + partials;
    for (int t = 0; t < threads; t++) {
      char *const own = folders + t * (folder + work);
      new (own) Folder(own + folder, run_, cut_);
    }
    const auto folder_of = [&](int thread) -> Folder & {
      return *reinterpret_cast<Folder *>(folders + thread * (folder + work));
    };
    run_passes_by_chunks(folder_of, groups, memory, memory + kept);
    return true;
  }

  template <class FolderOf>
  void run_passes_by_chunks(FolderOf folder_of, int64_t groups, char *kept_memory, char *partial_memory) const {
    char *kept[GPUOPT_PROGRAM_MAX_STEPS], *partials[GPUOPT_PROGRAM_MAX_STEPS];
    place_kept(kept_memory, 0, cut_.kept, kept);
    const int64_t blocks = divide_up(cut_.kept, cut_.block);
    for (size_t stage = 0; stage < stages(); stage++) {
      run_kept_pass(stage, folder_of(0).worker(), {0, cut_.kept}, kept);
      const Pass *const pass = full_pass(stage);
      if (!pass) continue;
      place_partials(*pass, partial_memory, groups * cut_.kept, partials);
      parallel_for(groups * blocks, [&](int64_t task, int thread) {
        const int64_t group = task / blocks, block = task % blocks;
        const Range range = {block * cut_.block, std::min((block + 1) * cut_.block, cut_.kept)};
        const Range chunks = {group * cut_.group, std::min((group + 1) * cut_.group, cut_.chunks)};
        char *results[GPUOPT_PROGRAM_MAX_STEPS];
        for (size_t i = 0; i < pass->reductions.size(); i++) {
          results[i] = partials[i] + (group * cut_.kept + range.first) * pass->reductions[i].loops->accumulator_size;
        }
        Folder &folder = folder_of(thread);
        if (!folder.is_bound_to(*pass)) folder.bind(*pass, kept);
        folder.run(range, chunks, results);
      });
      finish_reductions(*pass, partials, groups, 0, cut_.kept, kept);
    }
  }

  Run &run_;
  const Plan &plan_;
  const gpuopt_host_api *const host_;
  SequenceCut cut_;
  bool blocks_fit_ = true;
};

}  // namespace

bool run_reduction(Run &run, const gpuopt_host_api *host) noexcept { return ReductionRun(run, host).go(); }

}  // namespace gpuopt::cpu
