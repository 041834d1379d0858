// plugins/shared/cache/cache_files_posix.cpp -- cache_files.h on Linux and other POSIX systems: everything relative to
// open directories.
#if !defined(_WIN32)
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "plugins/shared/cache/cache_files.h"

namespace gpuopt::plugin {
namespace {

constexpr char kUnfinished[] = ".new-";  // begins the name of a file that is being written
constexpr int64_t kDay = 86400;
constexpr off_t kLargest = off_t{1} << 30;  // no entry is larger, so larger files are not read

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor &) = delete;
  operator int() const { return number_; }

  // Closes the file. Returns false on failure: some file systems report only then that writing failed.
  bool close() {
    const int number = number_;
    number_ = -1;
    return ::close(number) == 0;
  }

 private:
  int number_;
};

int open_directory(int at, const char *path) {
  return openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Returns why other users could change the file or the directory; "" if they cannot.
std::string distrust(int file, bool owned) {
  struct stat info;
  if (fstat(file, &info) != 0) return std::strerror(errno);
  if (owned && info.st_uid != geteuid()) return "it belongs to another user";
  if (info.st_mode & (S_IWGRP | S_IWOTH)) return "other users may write to it (chmod go-w)";
  return "";
}

// Makes the directory and those above it that are missing, for this user alone.
bool make_directories(const std::string &path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    if (mkdir(path.substr(0, slash).c_str(), 0700) != 0 && errno != EEXIST) return false;
  }
  return mkdir(path.c_str(), 0700) == 0 || errno == EEXIST;
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

bool read_all(int file, std::string &bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t got = ::read(file, bytes.data() + at, bytes.size() - at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += static_cast<size_t>(got);
  }
  return true;
}

// Returns a name that no other writer has: processes on this machine differ by their id, those on others by the time.
std::string unfinished_name() {
  static std::atomic<unsigned> count{0};
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return kUnfinished + std::to_string(getpid()) + "-" + std::to_string(now.tv_nsec) + "-" + std::to_string(count++);
}

template <typename Visit>
void each_name(int directory, Visit visit) {
  const int copy = open_directory(directory, ".");  // fdopendir takes it over
  DIR *const stream = copy >= 0 ? fdopendir(copy) : nullptr;
  if (!stream) {
    if (copy >= 0) close(copy);
    return;
  }
  try {
    while (const dirent *entry = readdir(stream)) visit(std::string(entry->d_name));
  } catch (...) {
    closedir(stream);
    throw;
  }
  closedir(stream);
}

}  // namespace

CacheFiles::CacheFiles() = default;

CacheFiles::~CacheFiles() {
  if (root_ >= 0) close(root_);
}

CacheFiles::Opening CacheFiles::open(const std::string &directory, bool owned, bool create, std::string &problem) {
  owned_ = owned;
  // A symbolic link would be followed if a slash stood behind it.
  const std::string path = directory.substr(0, directory.find_last_not_of('/') + 1);
  root_ = open_directory(AT_FDCWD, path.c_str());
  if (root_ < 0 && errno == ENOENT) {
    if (!create) return Opening::absent;
    if (make_directories(path)) root_ = open_directory(AT_FDCWD, path.c_str());
  }
  // A link is ENOTDIR or ELOOP, depending on the system.
  problem = root_ < 0 ? std::strerror(errno) : distrust(root_, owned);
  return problem.empty() ? Opening::done : Opening::refused;
}

// Opens a folder, which is created first if `create` and it does not exist. Returns its descriptor; a negative number,
// and errno, if it cannot be opened or is not trusted.
int CacheFiles::folder(const std::string &name, bool create) {
  int opened = open_directory(root_, name.c_str());
  if (opened < 0 && errno == ENOENT && create && (mkdirat(root_, name.c_str(), 0700) == 0 || errno == EEXIST)) {
    opened = open_directory(root_, name.c_str());
  }
  if (opened < 0 || distrust(opened, owned_).empty()) return opened;
  close(opened);
  errno = EPERM;
  return -1;
}

std::optional<std::string> CacheFiles::read(const std::string &folder_name, const std::string &name) {
  const Descriptor in(folder(folder_name, false));
  if (in < 0) return std::nullopt;
  const Descriptor file(openat(in, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info;
  if (file < 0 || fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > kLargest) return std::nullopt;
  if (!distrust(file, owned_).empty()) return std::nullopt;
  std::string bytes(static_cast<size_t>(info.st_size), '\0');
  if (!read_all(file, bytes)) return std::nullopt;
  if (owned_ && time(nullptr) - info.st_mtime > kDay) futimens(file, nullptr);
  return bytes;
}

bool CacheFiles::write(const std::string &folder_name, const std::string &name, std::string_view contents,
                       std::string &problem) {
  const Descriptor in(folder(folder_name, true));
  if (in < 0) return problem = std::strerror(errno), false;
  const std::string unfinished = unfinished_name();
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  Descriptor file(openat(in, unfinished.c_str(), flags, 0600));
  if (file < 0) return problem = std::strerror(errno), false;
  if (write_all(file, contents) && file.close() && renameat(in, unfinished.c_str(), in, name.c_str()) == 0) return true;
  problem = std::strerror(errno);
  unlinkat(in, unfinished.c_str(), 0);
  return false;
}

void CacheFiles::remove(const std::string &folder_name, const std::string &name) {
  const Descriptor in(folder(folder_name, false));
  if (in >= 0) unlinkat(in, name.c_str(), 0);
}

std::vector<CacheFiles::Entry> CacheFiles::list() {
  std::vector<Entry> entries;
  const int64_t now = time(nullptr);
  each_name(root_, [&](const std::string &folder_name) {
    if (!is_hexadecimal(folder_name, kFolderDigits)) return;
    const Descriptor in(folder(folder_name, false));
    if (in < 0) return;
    each_name(in, [&](const std::string &name) {
      const bool unfinished = name.rfind(kUnfinished, 0) == 0;
      if (!unfinished && !is_hexadecimal(name, kNameDigits)) return;
      struct stat info;
      if (fstatat(in, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode)) return;
      entries.push_back(
          {folder_name, name, static_cast<uint64_t>(info.st_size), now - int64_t{info.st_mtime}, unfinished});
    });
  });
  return entries;
}

std::shared_ptr<void> CacheFiles::try_lock() {
  auto file = std::make_shared<Descriptor>(openat(root_, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  return *file >= 0 && flock(*file, LOCK_EX | LOCK_NB) == 0 ? file : nullptr;
}

}  // namespace gpuopt::plugin
#endif
