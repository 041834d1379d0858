// plugins/shared/host/trusted_file_posix.cpp -- see trusted_file.h: a walk over open directories.
#if !defined(_WIN32)
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <deque>
#include <optional>
#include <vector>

#include "plugins/shared/host/trusted_file.h"

namespace gpuopt::trusted {
namespace {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(Descriptor &&other) noexcept : number_(other.release()) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    if (number_ >= 0 && this != &other) close(number_);
    number_ = other.release();
    return *this;
  }
  operator int() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

// Looks up the record of a user or group, by getpwuid_r or getgrgid_r, and returns use(record); false if there is none.
template <class Record, class Id, class Get, class Use>
bool with_record(Id id, Get get, Use use) {
  std::vector<char> room(4096);
  Record record, *found = nullptr;
  int error;
  while ((error = get(id, &record, room.data(), room.size(), &found)) == ERANGE && room.size() < size_t{1} << 22)
    room.resize(room.size() * 4);
  return error == 0 && found && use(*found);
}

// Returns whether the group is this user's alone. Root has no such group: systems differ in who is a member of its
// group.
bool is_own_group(gid_t group_id, uid_t owner, const std::string &path) {
  if (owner == 0 || owner != geteuid()) return false;
  if (getxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0) return false;  // an ACL may let others write
  return with_record<passwd>(owner, getpwuid_r, [&](const passwd &user) {
    if (user.pw_gid != group_id) return false;
    return with_record<group>(group_id, getgrgid_r, [&](const group &own) {
      bool alone = std::strcmp(own.gr_name, user.pw_name) == 0;
      for (char **member = own.gr_mem; alone && *member; ++member) alone = std::strcmp(*member, user.pw_name) == 0;
      return alone;
    });
  });
}

// Both return what is wrong with a file, "" if nothing is: that it belongs to another user, or that others may write to
// it.
std::string foreign(const std::string &path, const struct stat &facts) {
  if (facts.st_uid == 0 || facts.st_uid == geteuid()) return {};
  return path + " belongs to user " + std::to_string(facts.st_uid);
}

std::string writable(const std::string &path, const struct stat &facts) {
  if (facts.st_mode & S_IWOTH) return path + " may be written by every user";
  if (!(facts.st_mode & S_IWGRP) || is_own_group(facts.st_gid, facts.st_uid, path)) return {};
  return path + " may be written by group " + std::to_string(facts.st_gid);
}

std::string kind_problem(mode_t mode) {
  if (S_ISREG(mode)) return {};
  return S_ISDIR(mode)    ? "a directory, not a file"
         : S_ISFIFO(mode) ? "a FIFO, not a file"
         : S_ISSOCK(mode) ? "a socket, not a file"
                          : "a device, not a file";
}

// Walks from the root directory to what a path names, by the rules of trusted_file.h.
class Walk {
 public:
  explicit Walk(const std::string &path) {
    prepend(path);
    start();
    while (fine() && !names_.empty() && !found_file_) step();
  }

  bool fine() const { return problem_.empty(); }
  bool is_file() const { return found_file_; }  // something that is no directory, at the end of the path
  Outcome outcome() const { return outcome_; }
  const std::string &problem() const { return problem_; }
  std::string path() const { return found_file_ ? join(path_, file_name_) : path_; }

  // Returns why what lies in the directory that was reached must not be run; "" if it may.
  std::string directory_problem() const { return if_last_; }

  // Opens the file at the end, which must be the one that was looked at.
  Descriptor open_file() {
    Descriptor file(openat(at_, file_name_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat facts;
    if (file < 0 || fstat(file, &facts) != 0) {
      fail(Outcome::kUnreadable, std::string("cannot be opened: ") + std::strerror(errno));
    } else if (facts.st_dev != file_facts_.st_dev || facts.st_ino != file_facts_.st_ino) {
      fail(Outcome::kUntrusted, path() + " was exchanged while it was being checked");
    } else {
      judge_file(facts);
    }
    return file;
  }

  // Checks the file at the end without opening it.
  void judge_file() { judge_file(file_facts_); }

 private:
  void fail(Outcome outcome, std::string problem) {
    if (!fine()) return;
    outcome_ = outcome;
    problem_ = std::move(problem);
  }

  static std::string join(const std::string &directory, const std::string &name) {
    return directory == "/" ? "/" + name : directory + "/" + name;
  }

  // Puts the names in a path in front of those that are left to walk.
  void prepend(const std::string &path) {
    std::vector<std::string> parts;
    for (size_t begin = 0, end; begin < path.size(); begin = end + 1) {
      end = std::min(path.find('/', begin), path.size());
      if (end > begin && path.compare(begin, end - begin, ".") != 0) parts.push_back(path.substr(begin, end - begin));
    }
    names_.insert(names_.begin(), parts.begin(), parts.end());
  }

  void start() {
    path_ = "/";
    at_ = Descriptor(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    struct stat facts {};
    if (at_ < 0 || fstat(at_, &facts) != 0) return fail(Outcome::kUnreadable, std::strerror(errno));
    system_owner_ = facts.st_uid;
    judge_directory(facts);
  }

  // Checks the directory at path_. What is wrong only if the file itself lies there goes to if_last_.
  void judge_directory(const struct stat &facts) {
    const bool in_shared = std::exchange(shared_, false);
    if_last_.clear();
    if (std::string problem = foreign(path_, facts); !problem.empty()) {
      if (in_shared || facts.st_uid != system_owner_) return fail(Outcome::kUntrusted, problem);
      if_last_ = problem;
    }
    const std::string problem = writable(path_, facts);
    if (problem.empty()) return;
    if (!(facts.st_mode & S_ISVTX)) return fail(Outcome::kUntrusted, problem);
    shared_ = true;
    if_last_ = problem;
  }

  void judge_file(const struct stat &facts) {
    if (std::string problem = kind_problem(facts.st_mode); !problem.empty()) return fail(Outcome::kNoFile, problem);
    for (const std::string &problem : {foreign(path(), facts), writable(path(), facts), if_last_})
      if (!problem.empty()) return fail(Outcome::kUntrusted, problem);
  }

  void step() {
    const std::string name = names_.front();
    names_.pop_front();
    if (name == "..") return enter(Descriptor(openat(at_, "..", O_PATH | O_DIRECTORY | O_CLOEXEC)), parent());
    Descriptor next(openat(at_, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat facts {};
    if (next < 0 || fstat(next, &facts) != 0) return fail_missing();
    if (S_ISLNK(facts.st_mode)) return follow(next, name, facts);
    if (S_ISDIR(facts.st_mode)) return enter(std::move(next), join(path_, name));
    if (!names_.empty()) return fail(Outcome::kMissing, std::strerror(ENOTDIR));
    found_file_ = true;
    file_name_ = name;
    file_facts_ = facts;
  }

  void fail_missing() {
    const bool missing = errno == ENOENT || errno == ENOTDIR;
    if (missing && links_ > 0) return fail(Outcome::kNoFile, "a symbolic link that leads nowhere");
    fail(missing ? Outcome::kMissing : Outcome::kUnreadable, std::strerror(errno));
  }

  void enter(Descriptor directory, std::string path) {
    struct stat facts {};
    if (directory < 0 || fstat(directory, &facts) != 0) return fail_missing();
    at_ = std::move(directory);
    path_ = std::move(path);
    judge_directory(facts);
  }

  std::string parent() const {
    const size_t slash = path_.rfind('/');
    return slash == 0 || slash == std::string::npos ? "/" : path_.substr(0, slash);
  }

  // Follows a link. A link cannot be changed, only replaced, so its owner matters only where others may put files.
  void follow(const Descriptor &link, const std::string &name, const struct stat &facts) {
    if (const std::string problem = foreign(join(path_, name), facts); shared_ && !problem.empty())
      return fail(Outcome::kUntrusted, problem);
    if (++links_ > kMostLinks) return fail(Outcome::kNoFile, std::strerror(ELOOP));
    std::string target(PATH_MAX, '\0');
    const ssize_t length = readlinkat(link, "", target.data(), target.size());
    if (length <= 0) return fail(Outcome::kUnreadable, std::strerror(errno));
    target.resize(static_cast<size_t>(length));
    prepend(target);
    if (target.front() == '/') start();
  }

  static constexpr int kMostLinks = 40;
  std::deque<std::string> names_;
  Descriptor at_;
  std::string path_, file_name_, problem_;
  std::string if_last_;  // what is wrong with the directory at_ if the file lies in it
  bool shared_ = false;  // whether others may put files and links into the directory at_, which has the sticky bit
  Outcome outcome_ = Outcome::kOpened;
  struct stat file_facts_ {};
  uid_t system_owner_ = 0;
  int links_ = 0;
  bool found_file_ = false;
};

}  // namespace

File::File(const std::string &given, Check check) : path(given), checked(check == Check::kAll) {
  checked ? walk_to() : open_as_named();
}

void File::walk_to() {
  Walk walk(path);
  if (walk.fine() && walk.is_file()) walk.judge_file();
  Descriptor file;
  if (walk.fine() && walk.is_file()) file = walk.open_file();
  outcome = walk.fine() && !walk.is_file() ? Outcome::kNoFile : walk.outcome();
  problem = walk.fine() && !walk.is_file() ? "a directory, not a file" : walk.problem();
  if (!opened()) return;
  path = walk.path();
  descriptor = file.release();
}

void File::open_as_named() {
  Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  const int error = errno;
  struct stat facts {};
  const bool there = file >= 0 ? fstat(file, &facts) == 0 : stat(path.c_str(), &facts) == 0;
  const bool dangling = !there && error == ENOENT && lstat(path.c_str(), &facts) == 0;
  if (there && !(problem = kind_problem(facts.st_mode)).empty()) {
    outcome = Outcome::kNoFile;
  } else if (file >= 0) {
    outcome = Outcome::kOpened;
    descriptor = file.release();
  } else if (dangling) {
    outcome = Outcome::kNoFile;
    problem = "a symbolic link that leads nowhere";
  } else if (error == ENOENT || error == ENOTDIR) {
    outcome = Outcome::kMissing;
    problem = "no such file";
  } else {
    outcome = error == ELOOP ? Outcome::kNoFile : Outcome::kUnreadable;
    problem = std::string("cannot be opened: ") + std::strerror(error);
  }
}

File::~File() {
  if (descriptor >= 0) close(descriptor);
}

bool File::read_all(std::string *bytes) const {
  bytes->clear();
  std::vector<char> piece(65536);
  for (;;) {
    const ssize_t got = pread(descriptor, piece.data(), piece.size(), static_cast<off_t>(bytes->size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    bytes->append(piece.data(), static_cast<size_t>(got));
  }
}

std::string distrust_directory(const std::string &path) {
  const Walk walk(path);
  if (!walk.fine()) return walk.outcome() == Outcome::kUntrusted ? walk.problem() : std::string();
  return walk.directory_problem();
}

std::string distrust_file(const std::string &path) {
  Walk walk(path);
  if (walk.fine() && walk.is_file()) walk.judge_file();
  return walk.outcome() == Outcome::kUntrusted ? walk.problem() : std::string();
}

}  // namespace gpuopt::trusted
#endif
