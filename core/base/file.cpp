// core/base/file.cpp -- stdio with the two things it lacks: 64-bit positions and UTF-8 paths everywhere.
#include "core/base/file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#ifndef _WIN32
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "core/base/error.h"

namespace gpuopt {
namespace {

namespace fs = std::filesystem;

fs::path to_path(const std::string &utf8) { return fs::path(std::u8string(utf8.begin(), utf8.end())); }

#ifdef _WIN32

std::FILE *open_file(const std::string &path, const char *mode) {
  return _wfopen(to_path(path).c_str(), std::wstring(mode, mode + std::strlen(mode)).c_str());
}

#else

// Returns why something of this mode can be neither read nor appended to as a file; "" for a regular file.
std::string kind_problem(mode_t mode) {
  if (S_ISREG(mode)) return {};
  return S_ISDIR(mode)    ? "it is a directory"
         : S_ISFIFO(mode) ? "it is a FIFO or a pipe, not a file; write what comes through it to a file first"
         : S_ISSOCK(mode) ? "it is a socket, not a file"
                          : "it is a device, not a file";
}

int flags_of(const char *mode) {
  const int exclusive = std::strchr(mode, 'x') ? O_EXCL : O_TRUNC;
  if (std::strchr(mode, '+')) return O_RDWR;
  return mode[0] == 'r' ? O_RDONLY : mode[0] == 'a' ? O_WRONLY | O_CREAT | O_APPEND : O_WRONLY | O_CREAT | exclusive;
}

// Does what fopen does, but never blocks until the other end of a FIFO is opened. Returns NULL and sets errno on
// failure.
std::FILE *open_file(const std::string &path, const char *mode) {
  const int descriptor = open(path.c_str(), flags_of(mode) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
  if (descriptor < 0) return nullptr;
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  std::FILE *const file = fdopen(descriptor, mode[0] == 'r'   ? (mode[1] == '+' ? "r+b" : "rb")
                                             : mode[0] == 'a' ? "ab"
                                                              : "wb");
  if (!file) close(descriptor);
  return file;
}

#endif

// Returns why an open file can be neither read nor appended to; "" if it can, and always on Windows.
std::string kind_problem([[maybe_unused]] std::FILE *file) {
#ifdef _WIN32
  return {};
#else
  struct stat facts {};
  return fstat(fileno(file), &facts) == 0 ? kind_problem(facts.st_mode) : std::strerror(errno);
#endif
}

int seek_file(std::FILE *file, uint64_t position) {
#ifdef _WIN32
  return _fseeki64(file, static_cast<int64_t>(position), SEEK_SET);
#else
  return fseeko(file, static_cast<off_t>(position), SEEK_SET);
#endif
}

uint64_t size_of(const fs::path &path) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return UINT64_MAX;
  const uintmax_t size = fs::file_size(path, failed);
  return failed ? UINT64_MAX : size;
}

// Returns a new name in the directory of `path`: unique within the process by its lower half, a counter, and among
// processes by its upper half, a random number.
std::string temporary_name(const std::string &path) {
  static std::atomic<uint32_t> counter{0};
  const uint64_t number = uint64_t{std::random_device{}()} << 32 | counter.fetch_add(1);
  char suffix[32];
  std::snprintf(suffix, sizeof suffix, ".%016llx.tmp", static_cast<unsigned long long>(number));
  return path + suffix;
}

// Returns the file that a chain of symbolic links leads to, so that saving replaces that file and not the link; `path`
// itself if it is no link, or a dangling one.
std::string resolve_links(const std::string &path) {
  std::error_code failed;
  if (!fs::is_symlink(to_path(path), failed)) return path;
  const fs::path target = fs::canonical(to_path(path), failed);
  if (failed) return path;
  const std::u8string name = target.u8string();
  return std::string(name.begin(), name.end());
}

void rename_over(const std::string &from, const std::string &to) {
  std::error_code failed;
  const fs::file_status old = fs::status(to_path(to), failed);
  if (fs::exists(old)) fs::permissions(to_path(from), old.permissions(), failed);
  fs::rename(to_path(from), to_path(to), failed);
  if (failed) fail(GPUOPT_ERR_IO, "cannot rename the finished file to '%s': %s", to.c_str(), failed.message().c_str());
}

}  // namespace

File::File(const std::string &path, const char *mode, const char *verb, std::string said)
    : path_(std::move(said)), name_(path) {
  file_ = open_file(path, mode);
  if (!file_) fail_io(verb);
  std::setvbuf(file_, nullptr, _IOFBF, 1 << 16);
}

File::File(File &&o) noexcept
    : path_(std::move(o.path_)),
      name_(std::move(o.name_)),
      file_(std::exchange(o.file_, nullptr)),
      position_(o.position_),
      size_(o.size_) {}

File::~File() {
  if (file_) std::fclose(file_);
}

File File::open_to_read(const std::string &path) {
  std::error_code failed;
  if (fs::is_directory(to_path(path), failed)) fail(GPUOPT_ERR_IO, "cannot read '%s': it is a directory", path.c_str());
  File file(path, "rb", "open", path);
  if (const std::string problem = kind_problem(file.file_); !problem.empty())
    fail(GPUOPT_ERR_IO, "cannot read '%s': %s", path.c_str(), problem.c_str());
  file.size_ = size_of(to_path(path));
  return file;
}

File File::open_to_write_into(const std::string &path, const std::string &said) { return {path, "r+b", "open", said}; }

void File::fail_io(const char *verb) const {
  const int code = errno;
  fail(GPUOPT_ERR_IO, "cannot %s '%s': %s", verb, path_.c_str(), std::generic_category().message(code).c_str());
}

size_t File::read(void *to, size_t bytes) {
  const size_t got = std::fread(to, 1, bytes, file_);
  if (got < bytes && std::ferror(file_)) fail_io("read");
  position_ += got;
  return got;
}

uint64_t File::remaining() { return size_ == UINT64_MAX ? UINT64_MAX : size_ - std::min(size_, position_); }

void File::write(const void *from, size_t bytes) {
  if (std::fwrite(from, 1, bytes, file_) != bytes) fail_io("write");
  position_ += bytes;
}

void File::seek(uint64_t position) {
  if (position > INT64_MAX) errno = EOVERFLOW;
  if (position > INT64_MAX || seek_file(file_, position) != 0) fail_io("seek in");
  position_ = position;
}

void File::flush() {
  if (std::fflush(file_) != 0) fail_io("write");
}

void File::close() {
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail_io("write");
}

void save_atomically(const std::string &given, const std::function<void(File &)> &body) {
  const std::string path = resolve_links(given);
  std::error_code failed;
  const fs::file_status status = fs::status(to_path(path), failed);
  const bool in_place = fs::exists(status) && !fs::is_regular_file(status);
  const std::string name = in_place ? path : temporary_name(path);
  File file(name, in_place ? "wb" : "wbx", "create", given);
  try {
    body(file);
    file.close();
    if (!in_place) rename_over(name, path);
  } catch (...) {
    if (file.file_) std::fclose(std::exchange(file.file_, nullptr));
    if (!in_place) fs::remove(to_path(name), failed);
    throw;
  }
}

std::string append_to_file(const std::string &path, const std::string &bytes) {
  std::FILE *const file = open_file(path, "ab");
  if (!file) return std::strerror(errno);
  std::string problem = kind_problem(file);
  std::setvbuf(file, nullptr, _IONBF, 0);
  if (problem.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size())
    problem = std::strerror(errno);
  if (std::fclose(file) != 0 && problem.empty()) problem = std::strerror(errno);
  return problem;
}

}  // namespace gpuopt
