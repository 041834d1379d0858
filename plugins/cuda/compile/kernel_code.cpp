// plugins/cuda/compile/kernel_code.cpp -- keys of kernels, and the order in which their code is looked for.
#include "plugins/cuda/compile/kernel_code.h"

#include <gpuopt/gpuopt.h>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "plugins/cuda/compile/embedded.h"
#include "plugins/cuda/compile/kernel_store.h"
#include "plugins/cuda/driver/host.h"

namespace gpuopt::cuda {
namespace {

namespace fs = std::filesystem;
using plugin::DiskCache;
using plugin::Sha256;

// Versions of formats, which are part of keys: raised when the contents of an entry, or what its key is computed from,
// change.
constexpr char kKernelFormat[] = "gpuopt cuda kernel 2";
constexpr char kDictionaryFormat[] = "gpuopt cuda seed dictionary 2";
constexpr char kMemoryFormat[] = "gpuopt cuda compiler 2";
constexpr int kOldestSeed = 12;  // the oldest major version of CUDA of which seeds are looked for

#define GPUOPT_TEXT_OF(token) #token
#define GPUOPT_TEXT(macro) GPUOPT_TEXT_OF(macro)
constexpr char kVersion[] =
    GPUOPT_TEXT(GPUOPT_VERSION_MAJOR) "." GPUOPT_TEXT(GPUOPT_VERSION_MINOR) "." GPUOPT_TEXT(GPUOPT_VERSION_PATCH);

// The payload of a cache entry: one letter for the kind, then the image. A deflated cubin has its inflated size as
// eight bytes, then zlib's stream.
constexpr char kCubin = 'C', kPtx = 'P', kDeflated = 'D';
constexpr char kSymbols = 'S';  // symbols, each with a line feed, and a NUL; then one of the above

using FindDictionary = std::function<std::string(uint32_t number)>;

Bytef *bytes_of(const std::string_view text) { return reinterpret_cast<Bytef *>(const_cast<char *>(text.data())); }

// zlib's streams, which are also released when an exception is thrown.
struct Inflating : z_stream {
  Inflating() : z_stream{}, ready(inflateInit(this) == Z_OK) {}
  ~Inflating() {
    if (ready) inflateEnd(this);
  }
  Inflating(const Inflating &) = delete;
  const bool ready;
};
struct Deflating : z_stream {
  Deflating() : z_stream{}, ready(deflateInit(this, Z_BEST_COMPRESSION) == Z_OK) {}
  ~Deflating() {
    if (ready) deflateEnd(this);
  }
  Deflating(const Deflating &) = delete;
  const bool ready;
};

// Inflates what seed_payload() deflated (without its letter). `dictionary` is called with a dictionary's number if one
// was used. Returns nothing if the data is damaged, or would be larger than 64 MiB.
std::optional<std::string> inflated(std::string_view packed, const FindDictionary &dictionary) {
  constexpr uint64_t kMostBytes = 64 << 20;
  uint64_t bytes = 0;
  if (packed.size() < sizeof bytes) return std::nullopt;
  std::memcpy(&bytes, packed.data(), sizeof bytes);
  packed.remove_prefix(sizeof bytes);
  if (bytes > kMostBytes) return std::nullopt;
  std::string image(bytes, '\0');
  Inflating stream;
  if (!stream.ready) return std::nullopt;
  stream.next_in = bytes_of(packed);
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = bytes_of(image);
  stream.avail_out = static_cast<uInt>(bytes);
  int status = inflate(&stream, Z_FINISH);
  if (status == Z_NEED_DICT) {
    const std::string with = dictionary(static_cast<uint32_t>(stream.adler));
    status = inflateSetDictionary(&stream, bytes_of(with), static_cast<uInt>(with.size()));
    if (status == Z_OK) status = inflate(&stream, Z_FINISH);
  }
  if (status != Z_STREAM_END || stream.total_out != bytes) return std::nullopt;
  return image;
}

// Returns the code in a payload of a cache entry; nothing if there is no payload, or it is damaged.
std::optional<KernelCode> code_of(
    std::optional<std::string> payload, const FindDictionary &dictionary = [](uint32_t) { return std::string(); }) {
  if (!payload || payload->empty()) return std::nullopt;
  if (payload->front() == kSymbols) {
    const size_t end = payload->find('\0');
    if (end == std::string::npos) return std::nullopt;
    std::istringstream lines(payload->substr(1, end - 1));
    std::optional<KernelCode> code = code_of(payload->substr(end + 1), dictionary);
    for (std::string symbol; code && std::getline(lines, symbol);) code->symbols.push_back(symbol);
    return code;
  }
  if (payload->front() == kDeflated) {
    std::optional<std::string> image = inflated(std::string_view(*payload).substr(1), dictionary);
    if (!image) return std::nullopt;
    return KernelCode{std::move(*image)};
  }
  const bool ptx = payload->front() == kPtx;
  payload->erase(0, 1);
  return KernelCode{std::move(*payload), ptx};
}

// Returns the size and modification time of a file, which show without reading it whether it has changed; "" if it does
// not exist.
std::string stamp_of(const std::string &path) {
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  if (error) return "";
  const auto time = fs::last_write_time(path, error);
  return error ? "" : std::to_string(bytes) + " " + std::to_string(time.time_since_epoch().count());
}

// Returns the file name by which the compiler's messages refer to the kernel's text.
std::string message_file(const KernelSource &source) { return source.entry + ".cu"; }

// Returns "13.0 (/usr/local/cuda/lib64/libnvrtc.so.13)" for a Compiler::build, which begins with the version and a
// comma.
std::string describe(const std::string &build, const std::string &path) {
  return build.substr(0, build.find(',')) + " (" + path + ")";
}

// PTX in a bundle: the format of its target, with the architecture and the version of the NVRTC that compiled it, and
// the `build` in its key.
constexpr char kPtxTarget[] = "compute_%d CUDA %d.%d";
std::string ptx_build(int nvrtc_version) { return "ptx " + version_text(nvrtc_version); }

std::optional<KernelCode> bundle_kernel(const KernelSource &source, const Target &target, const std::string &build) {
  const auto found = bundles().find(kernel_key(source, target, build));
  return found ? code_of(std::string(*found)) : std::nullopt;
}

// Returns which libraries were found and why they are not suitable, or, if none was found, which were looked for.
std::string problem_of(const Compiler &compiler) {
  const std::string nvrtc = compiler.tried.empty() ? library_names(Library::nvrtc) : compiler.tried;
  return compiler.why_not_clang.empty() ? nvrtc : nvrtc + "; Clang: " + compiler.why_not_clang;
}

// Returns why Clang compiles instead of NVRTC; "" if NVRTC does.
std::string why(const Compiler &compiler) {
  return compiler.clang ? ", as no NVRTC will do: " + problem_of(compiler) : "";
}

// Whether the user names an NVRTC that will not do, and Clang compiles: that deserves a warning.
bool insists_in_vain(const Compiler &compiler, const SearchInput &input) {
  return compiler.clang && !input.setting(name_of(Setting::GPUOPT_NVRTC)).empty() &&
         input.setting(name_of(Setting::GPUOPT_CUDA_COMPILER)) != "clang";
}

}  // namespace

DiskCache::Key kernel_key(const KernelSource &source, const Target &target, const std::string &build) {
  Sha256 hash;
  for (const std::string &field : {std::string(kKernelFormat), std::string(kVersion), std::string(embedded_hash()),
                                   source.entry, source.text, target.name(), build}) {
    hash.field(field);
  }
  for (const std::string &option : compile_options(target)) hash.field(option);
  for (const std::string &function : source.functions) hash.field("function " + function);
  return hash.finish();
}

std::string kernel_payload(const KernelCode &code) {
  std::string out;
  for (const std::string &symbol : code.symbols) out += symbol + "\n";
  if (!out.empty()) out = kSymbols + out + '\0';
  return out + (code.ptx ? kPtx : kCubin) + code.image;
}

std::string seed_payload(const std::string &cubin, const std::string &dictionary) {
  const uint64_t bytes = cubin.size();
  Deflating stream;
  if (!stream.ready) fail(GPUOPT_ERR_OUT_OF_MEMORY, "zlib has no memory");
  if (!dictionary.empty()) deflateSetDictionary(&stream, bytes_of(dictionary), static_cast<uInt>(dictionary.size()));
  const size_t head = 1 + sizeof bytes;
  std::string out(head + deflateBound(&stream, static_cast<uLong>(bytes)), kDeflated);
  std::memcpy(&out[1], &bytes, sizeof bytes);
  stream.next_in = bytes_of(cubin);
  stream.avail_in = static_cast<uInt>(bytes);
  stream.next_out = bytes_of(out) + head;
  stream.avail_out = static_cast<uInt>(out.size() - head);
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
    fail(GPUOPT_ERR_INTERNAL, "zlib does not deflate %zu bytes", cubin.size());
  out.resize(head + stream.total_out);
  return out;
}

uint32_t dictionary_number(const std::string &dictionary) {
  const uLong of_nothing = adler32(0, nullptr, 0);
  return static_cast<uint32_t>(adler32(of_nothing, bytes_of(dictionary), static_cast<uInt>(dictionary.size())));
}

DiskCache::Key dictionary_key(const Target &target, const std::string &build, uint32_t number) {
  Sha256 hash;
  for (const std::string &field :
       {std::string(kDictionaryFormat), std::string(kVersion), target.name(), build, std::to_string(number)})
    hash.field(field);
  return hash.finish();
}

std::optional<KernelCode> seed_kernel(DiskCache &seed, const KernelSource &source, const Target &target,
                                      const std::string &build) {
  const auto dictionary = [&](uint32_t number) {
    return seed.load(dictionary_key(target, build, number)).value_or("");
  };
  return code_of(seed.load(kernel_key(source, target, build)), dictionary);
}

std::string seed_build(int nvrtc_version) { return "seed " + std::to_string(nvrtc_version / 1000); }

plugin::Bundles &bundles() {
  static auto *const kept = new plugin::Bundles("cuda", std::string(kVersion) + " " + embedded_hash());
  return *kept;
}

namespace {

// Returns the compiler for bundles: the first NVRTC that works, whatever the driver and the devices here. Throws
// ERR_JIT_UNAVAILABLE if there is none.
const Nvrtc &any_nvrtc() {
  constexpr int kAnyDriver = 99000, kAnyDevice = 999;
  static const auto *const kept = new Compiler(choose_compiler(process_search(), kAnyDriver, kAnyDevice));
  const Compiler &found = *kept;
  if (!found.nvrtc)
    fail(GPUOPT_ERR_JIT_UNAVAILABLE, GPUOPT_REASON_COMPILER_MISSING, 0, "no NVRTC will do (%s)",
         problem_of(found).c_str());
  return *found.nvrtc;
}

}  // namespace

void build_bundle(const KernelSource &source, const plugin::BundleSink &sink) {
  sink(plugin::source_piece(source.entry, source.text));
  const Nvrtc &nvrtc = any_nvrtc();
  std::vector<Target> targets;
  for (const int arch : fewest_archs(nvrtc.archs())) targets.push_back({arch, false, ""});
  targets.push_back({*std::max_element(nvrtc.archs().begin(), nvrtc.archs().end()), true, ""});
  std::string problem;
  bool compiled = false;
  for (const Target &target : targets) {
    Compilation made = nvrtc.compile(source.text, message_file(source).c_str(), target, source.functions);
    if (made.status != NVRTC_SUCCESS) {
      log(GPUOPT_LOG_INFO, "cuda.compile", (source.operation + " for " + target.name() + ": " + made.log).c_str());
      problem = made.log;
      continue;
    }
    compiled = true;
    const int version = nvrtc.version();
    const KernelCode code{std::move(target.ptx ? made.ptx : made.cubin), target.ptx, true, std::move(made.symbols)};
    const auto key = kernel_key(source, target, target.ptx ? ptx_build(version) : seed_build(version));
    sink(bundles().piece(target.name() + " CUDA " + version_text(version), source.entry, key, kernel_payload(code)));
  }
  if (!compiled) fail(GPUOPT_ERR_COMPILE, "%s", problem.c_str());
}

KernelCodeInput process_kernel_code_input(int driver_version, int capability) {
  KernelCodeInput input{driver_version,
                        capability,
                        process_search(),
                        plugin::cache_directory(),
                        plugin::cache_max_bytes(),
                        plugin::cache_seed_directories()};
  const std::string &own = input.search.plugin_directory;
  if (!own.empty()) input.seeds.insert(input.seeds.begin(), own + "/seed");
  return input;
}

KernelCodes::KernelCodes(KernelCodeInput input)
    : input_(std::move(input)), cache_(input_.cache_directory, DiskCache::Use::own, input_.cache_bytes) {
  for (const std::string &directory : input_.seeds) {
    seeds_.push_back(std::make_unique<DiskCache>(directory, DiskCache::Use::seed, ~uint64_t{0}));
  }
}

KernelCodes::~KernelCodes() = default;

KernelCode KernelCodes::get(const KernelSource &source) {
  if (auto found = bundled(source)) return std::move(*found);
  const std::optional<Identity> identity = known_identity();
  if (identity) {
    if (auto found = cached(source, *identity)) return std::move(*found);
  }
  if (auto found = seeded(source)) return std::move(*found);
  std::optional<Compilation> made;
  const Compiler &with = compiler(source, made);
  // If this is the compiler that was expected, the cache has been searched for its code already.
  if (!made && (!identity || identity->build != with.build || identity->target.name() != with.target.name())) {
    if (auto found = cached(source, {with.target, with.build, ""})) return std::move(*found);
  }
  return finish(source, with, std::move(made));
}

KernelCode KernelCodes::compile(const KernelSource &source) {
  std::optional<Compilation> made;
  const Compiler &with = compiler(source, made);
  return finish(source, with, std::move(made));
}

KernelCode KernelCodes::finish(const KernelSource &source, const Compiler &with, std::optional<Compilation> was_made) {
  const DiskCache::Key key = kernel_key(source, with.target, with.build);
  cache_.remove(key);
  Compilation made =
      was_made ? std::move(*was_made) : with.compile(source.text, message_file(source).c_str(), source.functions);
  if (made.status == NVRTC_ERROR_OUT_OF_MEMORY)
    fail(GPUOPT_ERR_OUT_OF_MEMORY, "%s: %s", with.name().c_str(), made.log.c_str());
  if (made.status == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE) {  // removed since this compiler was tried
    fail(GPUOPT_ERR_UNSUPPORTED, GPUOPT_REASON_COMPILER_MISSING, 0, "%s: %s lacks its builtins library: %s",
         source.operation.c_str(), with.path().c_str(), made.log.c_str());
  }
  if (made.status != NVRTC_SUCCESS) {
    log(GPUOPT_LOG_INFO, "cuda.compile", (source.operation + ": " + made.log).c_str());  // whole, not cut off
    if (source.user) fail(GPUOPT_ERR_COMPILE, "%s", made.log.c_str());
    fail(GPUOPT_ERR_INTERNAL, "%s: its kernel does not compile with %s (%s): %s", source.operation.c_str(),
         with.name().c_str(), made.options.c_str(), made.log.c_str());
  }
  KernelCode code{std::move(with.target.ptx ? made.ptx : made.cubin), with.target.ptx, true, std::move(made.symbols)};
  cache_.store(key, kernel_payload(code));
  return code;
}

std::optional<KernelCode> KernelCodes::cached(const KernelSource &source, const Identity &identity) {
  return code_of(cache_.load(kernel_key(source, identity.target, identity.build)));
}

// Tries toolkits from the driver's major version down and, for each, architectures from the device's down to its major
// version's first.
template <class Find>
std::optional<KernelCode> KernelCodes::nearest(Find find) const {
  for (int major = input_.driver_version / 1000; major >= kOldestSeed; --major) {
    for (int arch = input_.capability; arch >= input_.capability / 10 * 10; --arch) {
      const Target target = choose_target(input_.driver_version, major * 1000, {&arch, 1}, input_.capability);
      if (target.ptx || !target.problem.empty()) continue;
      if (std::optional<KernelCode> found = find(target, major)) return found;
    }
  }
  return std::nullopt;
}

std::optional<KernelCode> KernelCodes::seeded(const KernelSource &source) {
  for (const auto &seed : seeds_) {
    auto found = nearest(
        [&](const Target &target, int major) { return seed_kernel(*seed, source, target, seed_build(major * 1000)); });
    if (found) return found;
  }
  return std::nullopt;
}

std::optional<KernelCode> KernelCodes::bundled(const KernelSource &source) {
  const std::vector<std::string> targets = bundles().targets();
  if (targets.empty()) return std::nullopt;
  if (auto found = nearest(
          [&](const Target &target, int major) { return bundle_kernel(source, target, seed_build(major * 1000)); }))
    return found;
  for (const std::string &name : targets) {
    Target target;
    target.ptx = true;
    int major = 0, minor = 0;
    if (std::sscanf(name.c_str(), kPtxTarget, &target.arch, &major, &minor) != 3) continue;
    const int version = major * 1000 + minor * 10;
    if (target.arch > input_.capability || version > input_.driver_version) continue;
    if (auto found = bundle_kernel(source, target, ptx_build(version))) return found;
  }
  return std::nullopt;
}

const Compiler &KernelCodes::compiler(const KernelSource &source, std::optional<Compilation> &made) {
  const std::lock_guard lock(mutex_);
  if (!compiler_) {
    const auto known = [&](const Nvrtc &nvrtc, const Target &target) -> std::string {
      const bool same = identity_ && identity_->path == nvrtc.path() && identity_->target.name() == target.name();
      return same ? identity_->build : "";
    };
    const std::string file = message_file(source);
    compiler_ = choose_compiler(input_.search, input_.driver_version, input_.capability,
                                {source.text.c_str(), file.c_str(), source.functions}, known);
    made.swap(compiler_->made);
    if (compiler_->found()) {
      identity_ = Identity{compiler_->target, compiler_->build, compiler_->path()};
      remember(*compiler_);
    }
    const std::string said = !compiler_->found() ? "no NVRTC will do: " + problem_of(*compiler_)
                                                 : describe(compiler_->build, compiler_->path()) + why(*compiler_);
    log(insists_in_vain(*compiler_, input_.search) ? GPUOPT_LOG_WARN : GPUOPT_LOG_INFO, "cuda.nvrtc", said.c_str());
  }
  if (!compiler_->found()) {
    fail(GPUOPT_ERR_UNSUPPORTED, GPUOPT_REASON_COMPILER_MISSING, 0,
         "%s: its kernel is in no cache, and no run-time compiler will do (%s)", source.operation.c_str(),
         problem_of(*compiler_).c_str());
  }
  return *compiler_;
}

std::optional<KernelCodes::Identity> KernelCodes::known_identity() {
  const std::lock_guard lock(mutex_);
  if (!identity_ && !asked_memory_) {
    asked_memory_ = true;
    identity_ = remembered_identity();
    if (identity_) log(GPUOPT_LOG_INFO, "cuda.nvrtc", describe(identity_->build, identity_->path).c_str());
  }
  return identity_;
}

// Returns the key of the cache entry that remembers the compiler's identity: a hash of everything that decides which
// compiler is found, and for what it compiles.
DiskCache::Key KernelCodes::place_of_memory() const {
  Sha256 hash;
  hash.field(kMemoryFormat);
  hash.field(kVersion);
  hash.field(std::to_string(input_.driver_version) + " " + std::to_string(input_.capability));
  hash.field(input_.search.setting(name_of(Setting::LD_LIBRARY_PATH)));
  for (const Place &place : library_places(Library::nvrtc, input_.search)) hash.field(place.file);
  hash.field(input_.search.setting(name_of(Setting::GPUOPT_CUDA_COMPILER)));
  hash.field(clang_file(input_.search));
  return hash.finish();
}

void KernelCodes::remember(const Compiler &compiler) {
  const std::string stamp = stamp_of(compiler.path());
  if (stamp.empty()) return;
  std::ostringstream text;
  text << compiler.target.arch << ' ' << compiler.target.ptx << '\n'
       << compiler.path() << '\n'
       << stamp << '\n'
       << compiler.build;
  cache_.store(place_of_memory(), text.str());
}

std::optional<KernelCodes::Identity> KernelCodes::remembered_identity() {
  const std::optional<std::string> text = cache_.load(place_of_memory());
  if (!text) return std::nullopt;
  std::istringstream in(*text);
  Identity identity;
  std::string stamp;
  if (!(in >> identity.target.arch >> identity.target.ptx) || !in.ignore() || !std::getline(in, identity.path) ||
      !std::getline(in, stamp) || !std::getline(in, identity.build) || stamp != stamp_of(identity.path)) {
    return std::nullopt;
  }
  return identity;
}

}  // namespace gpuopt::cuda
