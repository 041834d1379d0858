// plugins/shared/host/trusted_file.h -- opens a file whose code this process is going to run, and checks first that
// nobody but root and this user can change the file or any directory on the way to it.
//
// The core compiles this file, too: it is the one of plugins/shared that it may include.
#pragma once

#include <string>
#include <utility>

namespace gpuopt::trusted {

// What checks apply to a file.
enum class Check {
  kKind,  // it must be a regular file; nothing is asked about owners, as beside the library that is already loaded
  kAll    // its owner and permissions, and those of every directory and link on the way to it, too
};

// What came of opening a file.
enum class Outcome {
  kOpened,
  kMissing,    // there is no such file
  kUntrusted,  // another user could change it
  kNoFile,     // a directory, a FIFO, a device, or a link that leads nowhere
  kUnreadable  // the operating system does not let this user read it
};

// An open file, read-only, closed with the object. Opening never waits, neither for a FIFO nor for a device.
//
// Rules of Check::kAll. The path is walked from the root directory, one name after the other, each opened relative to
// the directory before it, which stays open; links are read and walked, too. What is passed on the way must belong to
// root or to the effective user, and be writable by nobody else. Two things are allowed, so that ordinary users are not
// kept from their own files:
// - A directory with the sticky bit, such as /tmp, may be writable by others, if what is taken from it belongs to root
//   or this user: the bit keeps others from renaming and removing that. The directory in which the file itself lies
//   may not.
// - What belongs to a user other than root may be writable by the group that is that user's alone: his primary group,
//   of the same name, without another member, and without an access control list. Systems that give every user such a
//   group (Debian, Fedora) set the umask to 002, so everything that is built in a home directory is of this kind.
// In a user namespace that does not map root, directories of the system belong to the user that stands for everybody
// who is not mapped; such directories are accepted above the file's own directory if the root directory is one of them.
class File {
 public:
  File(const std::string &path, Check check);
  ~File();
  File(File &&other) noexcept
      : outcome(other.outcome),
        problem(std::move(other.problem)),
        path(std::move(other.path)),
        checked(other.checked),
        descriptor(std::exchange(other.descriptor, -1)) {}
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  File &operator=(File &&) = delete;
  bool opened() const { return outcome == Outcome::kOpened; }
  // All bytes of the open file. False if the operating system could not read them; errno says why.
  bool read_all(std::string *bytes) const;

  Outcome outcome = Outcome::kMissing;
  std::string problem;   // in words, with the path concerned where it is not the file itself; "" if it is open
  std::string path;      // where the file lies: absolute and without links after Check::kAll, else as given
  bool checked = false;  // whether Check::kAll was applied
  int descriptor = -1;   // POSIX only

 private:
  void walk_to();
  void open_as_named();
};

// Why files in this directory must not be run, by the rules above; "" if they may be, or if there is no such directory.
std::string distrust_directory(const std::string &path);
// The same for a file; "" also if there is no such file.
std::string distrust_file(const std::string &path);

}  // namespace gpuopt::trusted
