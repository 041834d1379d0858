// tests/fake_cuda/ptx/library.cpp -- see library.h.
#include "tests/fake_cuda/ptx/library.h"

#include <cstring>

namespace fake_cuda {
namespace {

struct PtxLibrary : Library {
  explicit PtxLibrary(const char *image) {
    const std::shared_ptr<ptx::Module> module = ptx::load_module(image);
    for (const ptx::FunctionText &function : module->text.functions)
      if (function.entry && function.defined) add(function);
    // NVRTC marks none as visible, and drivers find them all.
    for (const ptx::Variable &variable : module->text.variables)
      if (variable.space != ptx::Space::kShared) add(*module, variable);
    for (size_t k = 0; k < entries.size(); ++k) entries[k].sizes = sizes[k].data();
    listed = {entries.data(), int(entries.size()), nullptr, nullptr, nullptr};
    table = &listed;
    indices = {words[0], words[1], words[2], words[3]};
    ptx = module;
  }

  void add(const ptx::FunctionText &function) {
    std::vector<unsigned long> &own = sizes.emplace_back();
    for (const ptx::Variable &parameter : function.parameters) own.push_back(parameter.bytes);
    entries.push_back({function.name.c_str(), nullptr, nullptr, int(own.size()), function.most_threads});
  }

  void add(const ptx::Module &module, const ptx::Variable &variable) {
    const uint64_t address = module.addresses.at(&variable);
    variables[variable.name] = {reinterpret_cast<char *>(address), size_t(variable.bytes)};
  }

  std::deque<std::vector<unsigned long>> sizes;  // of the parameters
  std::vector<KernelEntry> entries;
  KernelLibrary listed = {};
  unsigned words[4][3] = {};
};

}  // namespace

bool is_ptx(const char *image) {
  return !std::strstr(image, "// fake_cuda ") && std::strstr(image, ".version ") && std::strstr(image, ".target ");
}

std::shared_ptr<Library> open_ptx(const char *image) { return std::make_shared<PtxLibrary>(image); }

int toolkit_of(const ptx::Module &module) {
  return (module.text.version / 10 + 4) * 100 + module.text.version % 10 * 10;
}

ptx::Launch ptx_launch(const Library &library, const KernelEntry &entry, void *const *arguments) {
  ptx::Launch launch;
  launch.module = library.ptx.get();
  launch.entry = launch.module->by_name.at(entry.name);
  const auto &parameters = launch.entry->text->parameters;
  launch.parameters.resize(launch.entry->parameter_bytes);
  for (size_t k = 0; k < parameters.size(); ++k)
    std::memcpy(launch.parameters.data() + launch.entry->places.at(&parameters[k]), arguments[k], parameters[k].bytes);
  return launch;
}

}  // namespace fake_cuda
