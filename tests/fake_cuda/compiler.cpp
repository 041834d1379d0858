// tests/fake_cuda/compiler.cpp -- folders, the precompiled header, runs of the compiler: one per kernel, or one for
// many.
#include "tests/fake_cuda/compiler.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "tests/fake_cuda/image.h"
#include "tests/fake_cuda/jit.h"
#include "tests/fake_cuda/jit_file.h"
#include "tests/fake_cuda/red_zones.h"

extern char **environ;

namespace fake_cuda {
namespace {

namespace fs = std::filesystem;

const char *const kOwnHeaders[] = {"tests/fake_cuda/kernel_table.h", "tests/fake_cuda/text/shim.h"};
const char *const kHooks = "tests/fake_cuda/text/hooks.cpp";
// What nobody used for so long goes when something new comes, but for the last few that were used.
constexpr auto kKept = std::chrono::hours(6);
constexpr size_t kKeptFolders = 60;

// As NVRTC: C++17, no header of the system. -fsanitize=thread is for its calls before loads and stores
// (text/hooks.cpp).
std::vector<std::string> flags_of(const Source &source) {
  std::vector<std::string> flags = {
    "-std=c++17",
    source.contract ? "-O1" : "-Og",
    "-w",
    "-fPIC",
    "-fvisibility=hidden",
    "-nostdinc",
    "-fno-gnu-unique",
    "-fno-math-errno",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-fno-threadsafe-statics",
    "-fno-tree-sra",
#if defined(__aarch64__)
    "-fno-section-anchors",  // variables are moved apart (red_zones.h)
#endif
    "-fsanitize=thread",
    "--param=tsan-instrument-func-entry-exit=0"
  };
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    flags.push_back("-mavx2");
    flags.push_back("-mfma");
  }
#endif
  // GCC makes multiply-adds among the expensive optimizations only, and never with -Og.
  if (source.contract) flags.push_back("-fexpensive-optimizations");
  flags.push_back(source.contract ? "-ffp-contract=fast" : "-ffp-contract=off");
  return flags;
}

// Two FNV-1a hashes with different starts: nobody makes collisions on purpose here.
class Hash {
 public:
  void add(const std::string &text) {
    add_bytes(std::to_string(text.size()) + ":");
    add_bytes(text);
  }
  std::string text() const {
    char out[40];
    std::snprintf(out, sizeof out, "%016llx%016llx", static_cast<unsigned long long>(a_),
                  static_cast<unsigned long long>(b_));
    return out;
  }

 private:
  void add_bytes(const std::string &bytes) {
    for (unsigned char byte : bytes) {
      a_ = (a_ ^ byte) * 1099511628211u;
      b_ = (b_ ^ byte ^ 0x5a) * 1099511628211u + 7;
    }
  }
  uint64_t a_ = 14695981039346656037u, b_ = 0x9e3779b97f4a7c15u;
};

std::string read_file(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

const std::string &own_text(const std::string &name) {
  static std::mutex mutex;
  static std::map<std::string, std::string> texts;
  const std::lock_guard lock(mutex);
  std::string &text = texts[name];
  if (text.empty()) text = read_file(fs::path(FAKE_CUDA_SOURCE) / name);
  return text;
}

void write_file(const fs::path &path, const std::string &text) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  if (!(file << text) || !file.flush()) throw std::runtime_error("cannot write " + path.string());
}

std::string unique_suffix() {
  static std::atomic<int> count{0};
  return "." + std::to_string(getpid()) + "." + std::to_string(++count);
}

// Runs the compiler; its words go to `log`.
bool run_compiler(std::vector<std::string> arguments, std::string &log, const fs::path &log_file) {
  arguments.insert(arguments.begin(), FAKE_CUDA_COMPILER);
  std::vector<char *> pointers;
  for (auto &argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  int status = -1;
  const int error = posix_spawn(&child, FAKE_CUDA_COMPILER, &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  while (error == 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  log = read_file(log_file);
  fs::remove(log_file);
  return error == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

fs::path directory_or(const char *otherwise) {
  const char *given = std::getenv("FAKE_CUDA_DIR");
  return given && *given ? given : otherwise;
}

// Of what the system's compiler makes: it depends on that compiler and on texts that are in the hashes, so that all
// clones of this project may share it.
fs::path base_directory() { return directory_or(FAKE_CUDA_DEFAULT_DIR); }

// Of what libgpuopt_jit makes, which is itself tested: the build's own.
fs::path users_directory() { return directory_or(FAKE_CUDA_USERS_DIR) / "users"; }

// Held while a folder is being made, by one process of all.
class FolderLock {
 public:
  explicit FolderLock(const fs::path &file) : file_(open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {
    while (flock(file_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FolderLock() { close(file_); }
  FolderLock(const FolderLock &) = delete;

 private:
  int file_;
};

void remove_unused(const fs::path &base) {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> folders;
  for (auto &entry : fs::directory_iterator(base, error))
    if (entry.is_directory(error)) folders.emplace_back(fs::last_write_time(entry, error), entry.path());
  std::sort(folders.rbegin(), folders.rend());  // the last used ones first
  for (size_t i = kKeptFolders; i < folders.size(); ++i)
    if (folders[i].first < fs::file_time_type::clock::now() - kKept) fs::remove_all(folders[i].second, error);
}

// The names of what a text includes, in its order. The pattern is never destroyed: kernels are also compiled when the
// process ends (Ahead).
std::vector<std::string> included(const std::string &text) {
  static const std::regex &include = *new std::regex(R"re(#\s*include\s*[<"]([^>"]+)[>"])re");
  std::vector<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), include), end; at != end; ++at)
    names.push_back((*at)[1].str());
  return names;
}

// Precompiles the shim and the first header that a text includes, and returns the path without ".gch". A compiler takes
// one precompiled header, before anything else; the text's other headers are compiled with it. No header is included
// that the text does not name: NVRTC would not find its words either. The caller has locked the folder. The precompiled
// header remembers where it lies, so that it is made in place, and the file ".ready" says that this came to its end.
fs::path make_prefix(const fs::path &folder, const std::vector<std::string> &flags, const std::string &first) {
  const fs::path prefix = folder / "prefix" / (first.empty() ? "shim.h" : first);
  if (fs::exists(prefix.string() + ".ready")) return prefix;
  const std::string shim = "#include \"tests/fake_cuda/text/shim.h\"\n", compiled = prefix.string() + ".gch";
  std::vector<std::string> arguments = flags;
  for (const std::string &more : {"-I" + folder.string(), std::string("-x"), std::string("c++-header"), prefix.string(),
                                  std::string("-o"), compiled})
    arguments.push_back(more);
  write_file(prefix, first.empty() ? shim : shim + "#include \"" + first + "\"\n");
  std::string log;
  if (!run_compiler(arguments, log, prefix.string() + ".log")) {
    // A header that does not compile is left to the kernels that include it, and to their messages.
    write_file(prefix, shim);
    fs::remove(compiled);
  }
  write_file(prefix.string() + ".ready", "");
  return prefix;
}

void fill(const fs::path &folder, const Source &source) {
  for (auto &[name, text] : source.headers) write_file(folder / name, text);
  for (const char *name : kOwnHeaders) write_file(folder / name, own_text(name));
  write_file(folder / kHooks, own_text(kHooks));
  std::string log;
  const std::vector<std::string> hooks = {"-std=c++17",
                                          "-O2",
                                          "-fPIC",
                                          "-fvisibility=hidden",
                                          "-fno-stack-protector",
                                          "-nostdinc",
                                          "-I" + folder.string(),
                                          "-c",
                                          (folder / kHooks).string(),
                                          "-o",
                                          (folder / "hooks.o").string()};
  if (!run_compiler(hooks, log, folder / "hooks.log")) throw std::runtime_error(log);
}

// The folder of everything compiled with these headers and flags. The precompiled header remembers where it lies, so
// that the folder is filled in place; the file "ready" says that this came to its end.
fs::path make_folder(const Source &source, const std::string &hash) {
  const fs::path base = base_directory(), folder = base / hash;
  fs::create_directories(base);
  const FolderLock lock(base / "lock");
  if (fs::exists(folder / "ready")) {
    fs::last_write_time(folder, fs::file_time_type::clock::now());
    return folder;
  }
  remove_unused(base);
  fs::remove_all(folder);
  fill(folder, source);
  write_file(folder / "ready", "");
  return folder;
}

fs::path folder_of(const Source &source) {
  static std::mutex mutex;
  static std::map<std::string, fs::path> known;
  Hash hash;
  hash.add(FAKE_CUDA_COMPILER_ID);
  hash.add(FAKE_CUDA_OWN_ID);
  for (const std::string &flag : flags_of(source)) hash.add(flag);
  for (const char *name : kOwnHeaders) hash.add(own_text(name));
  hash.add(own_text(kHooks));
  for (auto &[name, text] : source.headers) {
    hash.add(name);
    hash.add(text);
  }
  std::lock_guard lock(mutex);
  fs::path &folder = known[base_directory().string() + hash.text()];
  if (folder.empty()) folder = make_folder(source, hash.text());
  return folder;
}

// The prefix for a text: made once by one process of all, and known from then on.
fs::path prefix_of(const fs::path &folder, const std::vector<std::string> &flags, const std::string &text) {
  static std::mutex mutex;
  static auto &known = *new std::map<std::pair<fs::path, std::string>, fs::path>;  // used when the process ends, too
  const std::vector<std::string> names = included(text);
  const std::string first = names.empty() || !fs::exists(folder / names.front()) ? "" : names.front();
  const std::lock_guard lock(mutex);
  fs::path &prefix = known[{folder, first}];
  if (prefix.empty()) {
    const FolderLock folder_lock(folder.parent_path() / "lock");
    prefix = make_prefix(folder, flags, first);
  }
  return prefix;
}

struct Kernel {
  std::string name, limit;  // "(256)", the arguments of its __launch_bounds__
};

// The kernels of a text, found by their words; templates apart, whose instances are named by expressions.
std::vector<Kernel> kernels_of(const std::string &text) {
  static const std::regex kernel(
      R"((template\s*<[^{};]*>\s*)?(?:extern\s+"C"\s+)?(?:static\s+)?__global__\s+)"
      R"((?:__launch_bounds__\s*(\([^)]*\))\s*)?void\s+(?:__launch_bounds__\s*(\([^)]*\))\s*)?(\w+)\s*\()");
  std::vector<Kernel> kernels;
  for (std::sregex_iterator at(text.begin(), text.end(), kernel), end; at != end; ++at) {
    const std::smatch &found = *at;
    if (found[1].matched) continue;
    kernels.push_back({found[4].str(), found[2].matched ? found[2].str() : found[3].matched ? found[3].str() : "()"});
  }
  return kernels;
}

std::string entry_text(const std::string &name, const std::string &limit, const std::string &function) {
  return "FAKE_CUDA_KERNEL(\"" + name + "\", " + limit + ", " + function + ")\n";
}
std::string library_text(const std::string &entries) { return "\nFAKE_CUDA_LIBRARY(\n" + entries + ")\n"; }

// A text followed by the list of its kernels.
std::string whole_text(const Source &source) {
  std::string entries;
  for (const Kernel &k : kernels_of(source.text)) entries += entry_text(k.name, k.limit, k.name);
  for (const std::string &e : source.expressions) entries += entry_text(lowered_name(e), "()", e);
  return "#line 1 \"" + source.name + "\"\n" + source.text + library_text(entries);
}

// To assembly, in which __shared__ arrays are moved apart.
bool assembly_of(const fs::path &folder, const std::vector<std::string> &flags, const std::string &text,
                 const std::string &unique, std::string &log) {
  const fs::path prefix = prefix_of(folder, flags, text);
  write_file(unique + ".cpp", text);
  std::vector<std::string> arguments = flags;
  for (const std::string &more : {"-I" + folder.string(), std::string("-include"), prefix.string(), std::string("-S"),
                                  unique + ".cpp", std::string("-o"), unique + ".s"})
    arguments.push_back(more);
  const bool done = run_compiler(arguments, log, unique + ".log");
  if (done) write_file(unique + ".s", with_red_zones(read_file(unique + ".s")));
  fs::remove(unique + ".cpp");
  return done;
}

// The linker looks into no library: what kernels call of the C library is in every process.
bool compile_text(const fs::path &folder, const std::vector<std::string> &flags, const std::string &text,
                  const fs::path &library, std::string &log) {
  const std::string unique = library.string() + unique_suffix();
  const bool done =
      assembly_of(folder, flags, text, unique, log) &&
      run_compiler({"-shared", "-nostdlib", "-Wl,-z,now", unique + ".s", (folder / "hooks.o").string(), "-o", unique},
                   log, unique + ".log");
  fs::remove(unique + ".s");
  if (done) fs::rename(unique, library);
  return done;
}

// One kernel that waits to be compiled with others.
struct Waiting {
  fs::path library;  // to be
  Kernel kernel;
  std::string name, text;
};

// In a namespace of its own, and under a name of its own, for names of C are those of all namespaces. What its text
// includes was included before.
std::string text_among_others(const Waiting &w, const std::string &id) {
  const std::string renamed = w.kernel.name + "_" + id;
  return "namespace kernel_" + id + " {\n#define " + w.kernel.name + " " + renamed + "\n#line 1 \"" + w.name + "\"\n" +
         w.text + "\n#undef " + w.kernel.name + "\n}\n";
}

// A library of many kernels, which bears the name of each; in it a kernel is called "<its library>/<its name>". All
// include the same headers.
void compile_together(const fs::path &folder, const std::vector<std::string> &flags,
                      const std::vector<Waiting> &kernels) {
  std::string text, entries, log;
  for (const std::string &name : included(kernels.front().text)) text += "#include \"" + name + "\"\n";
  Hash hash;
  for (const Waiting &w : kernels) {
    const std::string id = w.library.stem().string();
    text += text_among_others(w, id);
    entries += entry_text(id + "/" + w.kernel.name, w.kernel.limit, "kernel_" + id + "::" + w.kernel.name + "_" + id);
    hash.add(id);
  }
  const fs::path library = folder / ("many_" + hash.text() + ".so");
  if (!compile_text(folder, flags, text + library_text(entries), library, log)) {
    std::fprintf(stderr, "fake_cuda: %zu kernels do not compile together:\n%s\n", kernels.size(), log.c_str());
    return;
  }
  for (const Waiting &w : kernels) {
    const std::string unique = w.library.string() + unique_suffix();
    fs::create_symlink(library.filename(), unique);
    fs::rename(unique, w.library);
  }
}

// FAKE_CUDA_AHEAD: kernels that are not there yet do nothing, and are compiled when the process ends, many at a time.
class Ahead {
 public:
  static Ahead *of_process() {
    static Ahead ahead;
    const char *set = std::getenv("FAKE_CUDA_AHEAD");
    return set && *set && *set != '0' ? &ahead : nullptr;
  }

  // What stands for the kernel until then; empty if it must be there now. That is so of the first one, by which a
  // device is tested when it is opened, and of texts that are not of the plugin's form.
  std::string path_for(const fs::path &folder, const Source &source, const fs::path &library) {
    static const std::regex form(R"(__global__[^;{]*\(const gpo::Words<(\d+)> p\))");
    std::smatch words;
    const std::vector<Kernel> kernels = kernels_of(source.text);
    if (!std::regex_search(source.text, words, form) || kernels.size() != 1 || !source.expressions.empty()) return "";
    std::lock_guard lock(mutex_);
    if (!begun_) {
      begun_ = true;
      return "";
    }
    waiting_[{folder, flags_of(source), included(source.text)}].insert_or_assign(
        library, Waiting{library, kernels.front(), source.name, source.text});
    return kNothing + std::to_string(8 * std::stoi(words[1]));
  }

  ~Ahead() {
    if (getpid() != process_) return;
    try {
      for (auto &[key, kernels] : waiting_) compile_all(std::get<0>(key), std::get<1>(key), kernels);
    } catch (const std::exception &e) {
      std::fprintf(stderr, "fake_cuda: %s\n", e.what());
    }
  }

 private:
  static constexpr size_t kTogether = 48;

  static void compile_all(const fs::path &folder, const std::vector<std::string> &flags,
                          const std::map<fs::path, Waiting> &kernels) {
    std::vector<Waiting> some;
    for (auto &[library, kernel] : kernels) {
      if (!fs::exists(library)) some.push_back(kernel);
      if (some.size() < kTogether) continue;
      compile_together(folder, flags, some);
      some.clear();
    }
    if (!some.empty()) compile_together(folder, flags, some);
  }

  std::mutex mutex_;
  bool begun_ = false;
  const pid_t process_ = getpid();
  // By what they include: only kernels with the same headers are compiled together.
  using Alike = std::tuple<fs::path, std::vector<std::string>, std::vector<std::string>>;
  std::map<Alike, std::map<fs::path, Waiting>> waiting_;
};

// The texts of users' kernels begin with headers of their own (core/kernels/text/kernel_text.cpp).
bool is_users(const Source &source) { return source.text.find("#include \"plugins/shared/user/") != std::string::npos; }

// The kernels that were asked for, or all there are.
bool compile_each(const Source &source, std::vector<JitKernel> &kernels, std::string &log) {
  const auto add = [&](const std::string &name, const std::string &function) {
    kernels.push_back({name, jit_object(source.text, function, log)});
    return !kernels.back().object.empty();
  };
  for (const std::string &e : source.expressions)
    if (!add(lowered_name(e), e)) return false;
  if (!source.expressions.empty()) return true;
  std::set<std::string> names;  // some may be declared before they are defined
  for (const Kernel &k : kernels_of(source.text)) names.insert(k.name);
  for (const std::string &name : names)
    if (!add(name, name)) return false;
  return true;
}

Compiled compile_users(const Source &source) {
  if (source.contract) throw std::runtime_error("users' kernels are compiled with -fmad=false");
  Hash hash;
  hash.add(jit_id());
  hash.add(source.text);
  for (const std::string &expression : source.expressions) hash.add(expression);
  const fs::path file = users_directory() / (hash.text() + kJitFile);
  Compiled out;
  if (!fs::exists(file)) {
    std::vector<JitKernel> kernels;
    if (!compile_each(source, kernels, out.log)) return out;
    const std::string unique = file.string() + unique_suffix();
    write_file(unique, write_kernels(kernels));
    fs::rename(unique, file);
  }
  out.path = file.string();
  return out;
}

Compiled compile_by_system(const Source &source) {
  const fs::path folder = folder_of(source);
  Hash hash;
  hash.add(source.text);
  hash.add(source.name);
  for (const std::string &expression : source.expressions) hash.add(expression);
  Compiled out;
  const fs::path library = folder / (hash.text() + ".so");
  if (!fs::exists(library)) {
    Ahead *ahead = Ahead::of_process();
    out.path = ahead ? ahead->path_for(folder, source, library) : "";
    if (!out.path.empty() || !compile_text(folder, flags_of(source), whole_text(source), library, out.log)) return out;
  }
  out.path = library.string();
  return out;
}

}  // namespace

std::string lowered_name(const std::string &expression) {
  Hash hash;
  hash.add(expression);
  return "instance_" + hash.text();
}

Compiled compile(const Source &source) {
  if (has_jit() && is_users(source)) return compile_users(source);
  return compile_by_system(source);
}

}  // namespace fake_cuda
