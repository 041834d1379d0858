// plugins/jit/lower/launches.h -- kernels that launch kernels.
//
// A launch is recorded, and the backend runs it once the grid that made it has ended (plugins/cpu/kernel/grid_run.h).
// The object file of a kernel therefore has, besides its own functions, those of all kernels that may be launched below
// it, its children: gpuopt_run_block_0 or gpuopt_run_thread_0, gpuopt_shared_bytes_0, and so on, where 0 is the number
// of the child, of which there are gpuopt_children(). gpuopt_name_0 is the child's name, and gpuopt_offsets_0 are the
// number of its arguments and the offset of each in the memory that gpuopt_launch() is given.
#pragma once

#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <vector>

namespace gpuopt::jit {

// The annotation of __global__ functions in texts that launch kernels.
constexpr const char *kGlobal = "gpuopt_global";

// Replaces each launch of the module by a call of gpuopt_launch(i32 child, ptr arguments, i64 bytes) of the backend.
// Returns the names of the kernels that are launched, whose places in the list are their numbers. If something else
// than a kernel is launched, `problem` says so (plugins/jit/lower/problems.h).
std::vector<std::string> record_launches(llvm::Module &module, std::string &problem);

// Returns a copy of the module, before it is lowered, whose kernel is this child.
std::unique_ptr<llvm::Module> module_of_child(const llvm::Module &module, const std::string &kernel);

// Forgets what the module says of other kernels than the one that the host launches (their __launch_bounds__), when the
// modules of the children are made.
void leave_children(llvm::Module &module);

// Adds a child's module to the one of the kernel; both are lowered and optimized.
void add_child(llvm::Module &module, std::unique_ptr<llvm::Module> child, size_t number);

// Defines gpuopt_children(), in a module that has any.
void define_children(llvm::Module &module, size_t count);

}  // namespace gpuopt::jit
