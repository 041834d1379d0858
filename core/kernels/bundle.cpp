// core/kernels/bundle.cpp -- see bundle.h.
#include "core/kernels/bundle.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/os.h"
#include "core/device/discovery.h"
#include "core/device/policy.h"
#include "core/device/registry.h"
#include "core/kernels/bundle_format.h"
#include "core/kernels/cancel.h"
#include "plugins/shared/host/trusted_file.h"

namespace gpuopt {
namespace {

// Logs a warning. If memory has run out, writes a fixed text to standard error instead.
void warn(const char *event, std::string_view detail) noexcept try {
  LogRecord record{GPUOPT_LOG_WARN, event};
  record.detail = detail;
  log(record);
} catch (...) {
  if (log_enabled(GPUOPT_LOG_WARN))
    write_standard_error("gpuopt[W] bundle.refused detail=\"there is no memory to say more\"\n");
}

// ---- Parts, each with its size in front (uint64_t)

void put(std::string &out, std::string_view part) {
  const uint64_t size = part.size();
  out.append(reinterpret_cast<const char *>(&size), sizeof size).append(part);
}

// Removes the first part from `rest` and returns it. Throws ERR_FORMAT, naming `file`, if `rest` has no complete part.
std::string_view take(std::string_view &rest, const std::string &file) {
  uint64_t size = 0;
  if (rest.size() >= sizeof size) std::memcpy(&size, rest.data(), sizeof size);
  if (rest.size() < sizeof size || rest.size() - sizeof size < size)
    fail(GPUOPT_ERR_FORMAT, "%s: it ends in the middle of something", file.c_str());
  const std::string_view part = rest.substr(sizeof size, size);
  rest.remove_prefix(sizeof size + size);
  return part;
}

std::string contents_of(const std::string &path) {
  File file = File::open_to_read(path);
  if (file.remaining() == UINT64_MAX)  // a device or a pipe, which may never end
    fail(GPUOPT_ERR_IO, "cannot read '%s': it is not a regular file", path.c_str());
  std::string bytes;
  char piece[65536];
  for (size_t got; (got = file.read(piece, sizeof piece)) > 0;) bytes.append(piece, got);
  return bytes;
}

// ---- Sources

// Returns a source as the parts flags, name, code and names.
std::string written(const gpuopt_kernel_source &source) {
  std::string out;
  for (const std::string &part : {std::to_string(source.flags), std::string(source.name), std::string(source.code)})
    put(out, part);
  for (int32_t k = 0; k < source.nnames; ++k) put(out, source.names[k]);
  return out;
}

// A source parsed from the text that written() returned, with the strings that it points to.
class ReadSource {
 public:
  ReadSource(std::string_view text, const std::string &file) {
    while (!text.empty()) parts_.emplace_back(take(text, file));
    if (parts_.size() < kParts) fail(GPUOPT_ERR_FORMAT, "%s: it is not a record of kernels", file.c_str());
    for (size_t k = kParts; k < parts_.size(); ++k) names_.push_back(parts_[k].c_str());
    source_.struct_size = sizeof source_;
    source_.flags = static_cast<uint32_t>(std::strtoul(parts_[0].c_str(), nullptr, 10));
    source_.name = parts_[1].c_str();
    source_.code = parts_[2].c_str();
    source_.names = names_.data();
    source_.nnames = static_cast<int32_t>(names_.size());
  }
  ReadSource(const ReadSource &) = delete;
  const gpuopt_kernel_source &source() const { return source_; }

 private:
  static constexpr size_t kParts = 3;
  std::vector<std::string> parts_;
  std::vector<const char *> names_;
  gpuopt_kernel_source source_{};
};

void append(const std::string &path, const std::string &bytes) {
  const std::string problem = append_to_file(path, bytes);
  if (!problem.empty()) warn("bundle.record", path + ": kernels cannot be recorded there: " + problem);
}

// ---- Building

// Loads the backends of the default search list and returns all that are loaded. A backend is loaded even if it has no
// device here, and compilers need none.
std::vector<const Backend *> backends_here() {
  const gpuopt_device_options options{};
  Search search(options);
  for (const KnownBackend &known : known_backends()) (void)attempt_device(known.name, 0, search);
  return loaded_backends();
}

// Collects the pieces of a bundle in order, without duplicates.
class Pieces {
 public:
  // Adds a piece. Backends call this, so it must not throw; bytes() throws std::bad_alloc if a piece was lost.
  static void collect(void *pieces, const void *piece, uint64_t size) noexcept {
    auto *const self = static_cast<Pieces *>(pieces);
    try {
      self->add({static_cast<const char *>(piece), size});
    } catch (...) {
      self->complete_ = false;
    }
  }
  const std::string &bytes() const {
    if (!complete_) throw std::bad_alloc();
    return bytes_;
  }

 private:
  void add(std::string_view piece) {
    if (known_.emplace(piece).second) put(bytes_, piece);
  }

  bool complete_ = true;
  std::set<std::string, std::less<>> known_;
  std::string bytes_;
};

// Compiles sources with all backends.
class Builder {
 public:
  // Compiles one source. Throws the last backend's failure if none could compile it.
  void build(const gpuopt_kernel_source &source) {
    Failure failure{GPUOPT_ERR_JIT_UNAVAILABLE, GPUOPT_REASON_NONE, 0, "no backend here has a compiler"};
    bool compiled = false;
    for (const Backend *backend : backends_) compiled |= build(source, *backend, failure);
    if (!compiled) throw Failure{failure.code, failure.reason, 0, std::string(source.name) + ": " + failure.message};
  }
  const std::string &pieces() const { return pieces_.bytes(); }

 private:
  // Compiles a source with one backend. If the backend has no compiler or rejects the source, logs a warning, sets
  // `failure` and returns false; throws other failures.
  bool build(gpuopt_kernel_source source, const Backend &backend, Failure &failure) {
    SlotError error;
    const gpuopt_kernel_stop stop = cancellation_.link();
    source.next = &stop;
    const gpuopt_status status =
        call_plugin(source.name, backend.api.bundle_build, static_cast<const gpuopt_kernel_source *>(&source),
                    Pieces::collect, &pieces_, static_cast<gpuopt_error *>(&error));
    if (status == GPUOPT_OK) return true;
    if (status == GPUOPT_ERR_UNSUPPORTED) return false;  // this backend cannot build bundles
    if (status != GPUOPT_ERR_COMPILE && status != GPUOPT_ERR_JIT_UNAVAILABLE) check_slot(status, error, source.name);
    failure = {status, GPUOPT_REASON_NONE, 0, std::string(error.message, strnlen(error.message, sizeof error.message))};
    const bool compiler = status == GPUOPT_ERR_COMPILE;
    if (compiler || without_.insert(&backend).second)
      warn("bundle.left_out",
           (compiler ? std::string(source.name) + " for " : "") + backend.name + ": " + failure.message);
    return false;
  }

  const std::vector<const Backend *> backends_ = backends_here();
  const Cancellation cancellation_;
  std::set<const Backend *> without_;  // backends without a compiler, which were warned about
  Pieces pieces_;
};

void build_bundle(const std::string &recorded, const std::string &path) {
  const std::string record = contents_of(recorded);
  if (record.empty()) fail(GPUOPT_ERR_FORMAT, "%s: no kernel was recorded", recorded.c_str());
  std::set<std::string_view> built;
  Builder builder;
  for (std::string_view rest = record; !rest.empty();) {
    const std::string_view text = take(rest, recorded);
    if (built.insert(text).second) builder.build(ReadSource(text, recorded).source());
  }
  save_atomically(path, [&](File &file) {
    const std::string &pieces = builder.pieces(), head = bundle_head(pieces.size());
    file.write(head.data(), head.size());
    file.write(pieces.data(), pieces.size());
  });
}

// ---- Loading

// All bundles that were loaded. They are never freed, because backends refer to them. While the mutex is held, nothing
// may be called that loads a backend, since that calls give_bundles(), which locks it.
struct Loaded {
  std::mutex mutex;
  bool environment_read = false;
  std::vector<const std::string *> bundles;
};

Loaded &loaded() {
  static auto *const kept = new Loaded;
  return *kept;
}

// Returns the pieces, a view of `bundle`. Throws ERR_FORMAT.
std::string_view pieces_of(const std::string &bundle) {
  const auto pieces = bundle_pieces(bundle);
  if (!pieces) fail(GPUOPT_ERR_FORMAT, "it is not a bundle of kernels, or not all of one");
  return *pieces;
}

// Adds a bundle that a backend already refers to. It is released from its owner first, so that it is not freed if the
// list runs out of memory.
const std::string &keep(std::unique_ptr<const std::string> bundle) {
  const std::string &kept = *bundle.release();
  const std::lock_guard lock(loaded().mutex);
  loaded().bundles.emplace_back(&kept);
  return kept;
}

// Passes a bundle to a backend, which then refers to it. Throws ERR_FORMAT if the backend rejects it.
void give(const std::string &bundle, const Backend &backend) {
  const std::string_view pieces = pieces_of(bundle);
  SlotError error;
  const gpuopt_status status = call_plugin("bundle_load", backend.api.bundle_load, pieces.data(), pieces.size(),
                                           static_cast<gpuopt_error *>(&error));
  if (status == GPUOPT_ERR_UNSUPPORTED) return;  // it has no kernels, or no bundles because it is older
  check_slot(status, error, "bundle_load");
}

// Passes a bundle to a backend that may reject it: that is logged as a warning, and the backend compiles kernels
// itself.
void offer(const std::string &bundle, const Backend &backend) try { give(bundle, backend); } catch (const Failure &f) {
  warn("bundle.refused", backend.name + ": " + f.message);
}

// What is wrong with the file, naming it once: some problems begin with the path already.
std::string told_of(const std::string &path, const std::string &problem) {
  return problem.starts_with(path) ? problem : path + ": " + problem;
}

// Reads a file whose code this process is going to run. Throws ERR_IO, with the reason UNTRUSTED_PATH if another user
// could change the file.
std::unique_ptr<const std::string> trusted_contents(const std::string &path) {
  const trusted::File file(path, trusted::Check::kAll);
  if (!file.opened()) {
    const bool distrusted = file.outcome == trusted::Outcome::kUntrusted;
    throw Failure{GPUOPT_ERR_IO, distrusted ? GPUOPT_REASON_UNTRUSTED_PATH : GPUOPT_REASON_NONE, 0,
                  told_of(path, file.problem)};
  }
  auto bytes = std::make_unique<std::string>();
  if (!file.read_all(bytes.get())) fail(GPUOPT_ERR_IO, "%s: %s", path.c_str(), std::strerror(errno));
  return bytes;
}

// Reads the bundles of GPUOPT_BUNDLES at the first call; one that cannot be used is logged as a warning. to.mutex must
// be held.
void read_environment(Loaded &to) {
  if (to.environment_read) return;
  to.environment_read = true;
  const char *const value = environment(Setting::GPUOPT_BUNDLES);
  for (const std::string &path : split_list(value ? value : "", kPathListSeparator)) try {
      if (path.empty()) continue;
      if (!is_absolute(path)) fail(GPUOPT_ERR_IO, "%s is not an absolute path", path.c_str());
      auto bundle = trusted_contents(path);
      (void)pieces_of(*bundle);
      to.bundles.push_back(bundle.get());
      (void)bundle.release();
    } catch (const Failure &failure) {
      warn("bundle.refused", std::string(name_of(Setting::GPUOPT_BUNDLES)) + ": " + told_of(path, failure.message));
    }
}

// Loads a bundle for all backends, also those that are loaded later. `name` identifies it in messages. The CPU backend,
// which checks every piece, decides whether the bundle is accepted: this throws its ERR_FORMAT. Other backends may
// reject their own pieces, with a warning.
void load_bundle(std::unique_ptr<const std::string> bundle, const std::string &name) try {
  const Backend *const cpu = open_device("cpu", nullptr, nullptr)->backend;
  give(*bundle, *cpu);
  const std::string &kept = keep(std::move(bundle));
  for (const Backend *backend : loaded_backends())
    if (backend != cpu) offer(kept, *backend);
} catch (Failure &failure) {
  failure.message = name + ": " + failure.message;
  throw;
}

}  // namespace

void record_source(const gpuopt_kernel_source &source) noexcept try {
  const char *const path = environment(Setting::GPUOPT_RECORD_KERNELS);
  if (!path || !*path) return;
  std::string bytes;
  put(bytes, written(source));
  append(path, bytes);
} catch (...) {
  warn("bundle.record", "no memory to record a kernel with");
}

namespace {

// Passes the bundles of GPUOPT_BUNDLES and those loaded so far to a backend that was just loaded. One that the backend
// rejects is logged as a warning.
void give_bundles(const Backend &backend) noexcept try {
  std::vector<const std::string *> bundles;
  {
    const std::lock_guard lock(loaded().mutex);
    read_environment(loaded());
    bundles = loaded().bundles;  // copied, so that no plugin is called with the mutex held: it might not return
  }
  for (const std::string *bundle : bundles) offer(*bundle, backend);
} catch (...) {
  warn("bundle.refused", "no memory to load bundles with");
}

[[maybe_unused]] const bool kTold = [] { return on_backend_loaded(give_bundles), true; }();

}  // namespace

}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_bundle_build(const char *recorded, const char *path, gpuopt_error *error) {
  return guarded(error, [&] {
    if (!recorded || !path) fail(GPUOPT_ERR_INVALID_ARGUMENT, "bundle_build: a path is NULL");
    build_bundle(recorded, path);
  });
}

gpuopt_status gpuopt_bundle_load(const char *path, gpuopt_error *error) {
  return guarded(error, [&] {
    if (!path) fail(GPUOPT_ERR_INVALID_ARGUMENT, "bundle_load: the path is NULL");
    load_bundle(trusted_contents(path), path);
  });
}

gpuopt_status gpuopt_bundle_load_memory(const void *bytes, uint64_t size, gpuopt_error *error) {
  return guarded(error, [&] {
    if (!bytes) fail(GPUOPT_ERR_INVALID_ARGUMENT, "bundle_load_memory: the bytes are NULL");
    if (size > PTRDIFF_MAX)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "bundle_load_memory: no memory has %llu bytes", (unsigned long long)size);
    load_bundle(std::make_unique<const std::string>(static_cast<const char *>(bytes), size), "a bundle in memory");
  });
}

}  // extern "C"
