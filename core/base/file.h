// core/base/file.h -- files for reading and writing, with 64-bit positions and UTF-8 paths on every system.
#pragma once
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

namespace gpuopt {

// Where bytes come from, in order. `read` returns how many it got: fewer than asked for only at the end.
struct Source {
  virtual size_t read(void *to, size_t bytes) = 0;
  // An upper bound of what is left, UINT64_MAX if unknown.
  virtual uint64_t remaining() = 0;
  virtual ~Source() = default;
};

// Where bytes go, in order.
struct Sink {
  virtual void write(const void *from, size_t bytes) = 0;
  virtual ~Sink() = default;
};

// An open file. Failures are ERR_IO and name the path and the system's reason.
class File : public Source, public Sink {
 public:
  // Only a regular file: opening a FIFO that nobody writes to would wait for ever.
  static File open_to_read(const std::string &path);
  File(File &&o) noexcept;
  File &operator=(File &&) = delete;
  ~File() override;
  size_t read(void *to, size_t bytes) override;
  uint64_t remaining() override;
  void write(const void *from, size_t bytes) override;
  void seek(uint64_t position);
  uint64_t position() const { return position_; }
  uint64_t size() const { return size_; }  // UINT64_MAX while it is being written
  void close();                            // throws what the last writes ran into
  const std::string &path() const { return path_; }

 private:
  friend void save_atomically(const std::string &, const std::function<void(File &)> &);
  // `said`: what messages call it.
  File(const std::string &path, const char *mode, const char *verb, std::string said);
  [[noreturn]] void fail_io(const char *verb) const;
  std::string path_;
  std::FILE *file_ = nullptr;
  uint64_t position_ = 0, size_ = UINT64_MAX;
};

// Calls `body` with a new file beside `path` and renames it to `path`, replacing a file there; if anything fails, the
// new file is removed and `path` is as it was. Messages name `path`. The data is not forced to the disk. What is not a
// regular file (/dev/null, a FIFO that somebody has open to read) is written in place.
void save_atomically(const std::string &path, const std::function<void(File &)> &body);

// Adds bytes to the end of a regular file, which is made if it is not there, in one write: threads and processes do not
// write into each other's. "" or why that cannot be done.
std::string append_to_file(const std::string &path, const std::string &bytes);

}  // namespace gpuopt
