// tests/fake_cuda/compiler.cpp -- folders, the precompiled header, one run of the compiler per kernel.
#include "tests/fake_cuda/compiler.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

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
#include <sstream>
#include <stdexcept>

extern char **environ;

namespace fake_cuda {
namespace {

namespace fs = std::filesystem;

const char *const kOwnHeaders[] = {"tests/fake_cuda/kernel_table.h", "tests/fake_cuda/text/shim.h"};
const char *const kHooks = "tests/fake_cuda/text/hooks.cpp";
const char *const kPrefix = "prefix.h";
constexpr auto kKept = std::chrono::hours(6);  // what nobody used for so long goes when something new comes

// As NVRTC: C++17, no header of the system. -fsanitize=thread is for its calls before loads and stores
// (text/hooks.cpp).
std::vector<std::string> flags_of(const Source &source) {
  std::vector<std::string> flags = {"-std=c++17",
                                    "-O1",
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
                                    "-fsanitize=thread",
                                    "--param=tsan-instrument-func-entry-exit=0"};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    flags.push_back("-mavx2");
    flags.push_back("-mfma");
  }
#endif
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

std::string own_text(const char *name) { return read_file(fs::path(FAKE_CUDA_SOURCE) / name); }

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

fs::path base_directory() {
  const char *given = std::getenv("FAKE_CUDA_DIR");
  return given && *given ? given : FAKE_CUDA_DEFAULT_DIR;
}

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
  for (auto &entry : fs::directory_iterator(base, error))
    if (entry.is_directory(error) && fs::last_write_time(entry, error) < fs::file_time_type::clock::now() - kKept)
      fs::remove_all(entry, error);
}

// The prefix of all kernels, compiled before: the shim and every header there is. Headers protect themselves from being
// included twice. A set that does not compile as a whole is left to the kernels that include some of it.
void precompile(const fs::path &folder, const Source &source) {
  const std::string shim = "#include \"tests/fake_cuda/text/shim.h\"\n";
  std::string all = shim, log;
  for (auto &[name, text] : source.headers) all += "#include \"" + name + "\"\n";
  std::vector<std::string> arguments = flags_of(source);
  for (const std::string &more : {"-I" + folder.string(), std::string("-x"), std::string("c++-header")})
    arguments.push_back(more);

  arguments.push_back((folder / kPrefix).string());
  arguments.push_back("-o");
  arguments.push_back((folder / kPrefix).string() + ".gch");
  write_file(folder / kPrefix, all);
  if (run_compiler(arguments, log, folder / "prefix.log")) return;
  std::fprintf(stderr, "fake_cuda: the headers do not compile together:\n%s\n", log.c_str());
  write_file(folder / kPrefix, shim);
  fs::remove(folder / (std::string(kPrefix) + ".gch"));
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
  precompile(folder, source);
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

// What the kernels' text is followed by: the list of its kernels, found by their words.
std::string library_text(const Source &source) {
  static const std::regex kernel(
      R"((template\s*<[^{};]*>\s*)?(?:extern\s+"C"\s+)?(?:static\s+)?__global__\s+(?:__launch_bounds__\s*(\([^)]*\))\s*)?void\s+(?:__launch_bounds__\s*(\([^)]*\))\s*)?(\w+)\s*\()");
  std::string out = "\nFAKE_CUDA_LIBRARY(\n";
  for (std::sregex_iterator at(source.text.begin(), source.text.end(), kernel), end; at != end; ++at) {
    const std::smatch &found = *at;
    if (found[1].matched) continue;  // a template: its instances are named by expressions
    const std::string limit = found[2].matched ? found[2].str() : found[3].matched ? found[3].str() : "()";
    out += "FAKE_CUDA_KERNEL(\"" + found[4].str() + "\", " + limit + ", " + found[4].str() + ")\n";
  }
  for (const std::string &expression : source.expressions)
    out += "FAKE_CUDA_KERNEL(\"" + lowered_name(expression) + "\", (), " + expression + ")\n";
  return out + ")\n";
}

bool compile_text(const fs::path &folder, const Source &source, const std::string &text, const fs::path &library,
                  std::string &log) {
  const std::string unique = library.string() + unique_suffix();
  write_file(unique + ".cpp", "#line 1 \"" + source.name + "\"\n" + text);
  std::vector<std::string> arguments = flags_of(source);
  for (const std::string &more :
       {"-I" + folder.string(), std::string("-include"), (folder / kPrefix).string(), std::string("-pipe"),
        std::string("-shared"), std::string("-nostdlib"), std::string("-Wl,-z,now"), unique + ".cpp",
        (folder / "hooks.o").string(), std::string("-lm"), std::string("-lc"), std::string("-o"), unique})
    arguments.push_back(more);
  const bool done = run_compiler(arguments, log, unique + ".log");
  fs::remove(unique + ".cpp");
  if (done) fs::rename(unique, library);
  return done;
}

}  // namespace

std::string lowered_name(const std::string &expression) {
  Hash hash;
  hash.add(expression);
  return "instance_" + hash.text();
}

Compiled compile(const Source &source) {
  const fs::path folder = folder_of(source);
  const std::string text = source.text + library_text(source);
  Hash hash;
  hash.add(text);
  hash.add(source.name);
  Compiled out;
  const fs::path library = folder / (hash.text() + ".so");
  if (fs::exists(library) || compile_text(folder, source, text, library, out.log)) out.path = library.string();
  return out;
}

}  // namespace fake_cuda
