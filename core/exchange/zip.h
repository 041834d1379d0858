// core/exchange/zip.h -- reads and writes the ZIP archives that .npz consists of: stored or deflated members, zip64, no
// encryption, a single volume.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/file.h"

namespace gpuopt {

struct ZipEntry {
  std::string name;
  uint64_t compressed_size = 0, size = 0;
  uint64_t header_offset = 0;  // of the local header, from the beginning of the file
  uint32_t crc = 0;
  uint16_t method = 0, flags = 0;
};

// An archive that is open for reading. The constructor reads the central directory and throws ERR_FORMAT if it is
// invalid. Any thread may call read(); calls run one after the other.
class ZipReader {
 public:
  explicit ZipReader(const std::string &path);
  const std::vector<ZipEntry> &entries() const { return entries_; }
  // Calls `body` with a source of the member's uncompressed bytes, then reads what `body` left and throws ERR_FORMAT if
  // size or CRC are wrong. Holds the lock meanwhile. `entry` is one of entries().
  void read(const ZipEntry &entry, const std::function<void(Source &)> &body);
  const std::string &path() const { return file_.path(); }

 private:
  void read_directory(uint64_t offset, uint64_t size, uint64_t count);
  uint64_t data_offset(const ZipEntry &entry);
  File file_;
  std::mutex mutex_;
  uint64_t directory_offset_ = 0;
  std::vector<ZipEntry> entries_;
};

// Writes an archive into `file`, which must be seekable and outlive the writer.
class ZipWriter {
 public:
  explicit ZipWriter(File &file) : file_(file) {}
  // Adds a member; `body` writes its uncompressed bytes to the sink.
  void add(const std::string &name, bool deflate, const std::function<void(Sink &)> &body);
  // Writes the central directory. To be called once, after the last member.
  void finish();

 private:
  File &file_;
  std::vector<ZipEntry> entries_;
};

}  // namespace gpuopt
