// core/base/file.h -- files for reading and writing, with 64-bit positions and UTF-8 paths on every system.
#pragma once
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

namespace gpuopt {

// A stream of bytes that is read from its beginning to its end.
struct Source {
  // Reads up to `bytes` bytes and returns how many: fewer than asked for only at the end of the stream.
  virtual size_t read(void *to, size_t bytes) = 0;
  // Returns an upper bound of the bytes that are left, UINT64_MAX if unknown.
  virtual uint64_t remaining() = 0;
  virtual ~Source() = default;
};

// A stream of bytes that is written from its beginning to its end.
struct Sink {
  virtual void write(const void *from, size_t bytes) = 0;
  virtual ~Sink() = default;
};

// An open file, which is closed with the object. Functions that fail throw ERR_IO with the path and the system's
// reason.
class File : public Source, public Sink {
 public:
  // Opens a regular file. Refuses a directory, and on POSIX also FIFOs, sockets and devices: reading a FIFO that nobody
  // writes to would block for ever.
  static File open_to_read(const std::string &path);
  // Opens a file that is there to write into it at any place; messages call it `said`.
  static File open_to_write_into(const std::string &path, const std::string &said);
  File(File &&o) noexcept;
  File &operator=(File &&) = delete;
  ~File() override;
  size_t read(void *to, size_t bytes) override;
  uint64_t remaining() override;
  void write(const void *from, size_t bytes) override;
  void seek(uint64_t position);
  uint64_t position() const { return position_; }
  uint64_t size() const { return size_; }  // UINT64_MAX while it is being written
  void flush();                            // throws if buffered bytes cannot be written
  void close();                            // the same, and closes the file
  const std::string &path() const { return path_; }
  // Returns the name of the file itself, which for save_atomically() is another than `path`.
  const std::string &name() const { return name_; }

 private:
  friend void save_atomically(const std::string &, const std::function<void(File &)> &);
  // Opens `path` with fopen's `mode`. Messages call the file `said`; if it cannot be opened, "cannot <verb> '<said>'".
  File(const std::string &path, const char *mode, const char *verb, std::string said);
  [[noreturn]] void fail_io(const char *verb) const;
  std::string path_, name_;
  std::FILE *file_ = nullptr;
  uint64_t position_ = 0, size_ = UINT64_MAX;
};

// Calls `body` with a new file in the directory of `path` and renames it to `path`, replacing the file there, whose
// permissions it takes over. If anything fails, the new file is removed and `path` is as it was. Symbolic links are
// followed. Messages name `path`. The data is not synced to disk. Where `path` exists and is not a regular file
// (/dev/null, a FIFO that another process reads), it is written in place.
void save_atomically(const std::string &path, const std::function<void(File &)> &body);

// Appends bytes to a regular file, which is created if it does not exist, by a single write, so that what several
// threads and processes append is not interleaved (on POSIX; Windows seeks and writes in two steps). Returns "", or the
// reason if that fails.
std::string append_to_file(const std::string &path, const std::string &bytes);

}  // namespace gpuopt
