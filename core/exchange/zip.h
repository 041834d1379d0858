// core/exchange/zip.h -- reading and writing ZIP archives as .npz uses them: stored or deflated members, zip64, no
// encryption, one volume.
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
  uint64_t header_offset = 0;  // of the local header
  uint32_t crc = 0;
  uint16_t method = 0, flags = 0;
};

// Reads the central directory when opened; everything wrong there is ERR_FORMAT. Members may be read from several
// threads, one at a time.
class ZipReader {
 public:
  explicit ZipReader(const std::string &path);
  const std::vector<ZipEntry> &entries() const { return entries_; }
  // Calls `body` with the uncompressed bytes of the member, then reads what it left and checks size and CRC.
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

// Writes members one after the other into `file`, which must be able to seek.
class ZipWriter {
 public:
  explicit ZipWriter(File &file) : file_(file) {}
  // Calls `body` with a sink for the member's bytes.
  void add(const std::string &name, bool deflate, const std::function<void(Sink &)> &body);
  // Writes the central directory.
  void finish();

 private:
  File &file_;
  std::vector<ZipEntry> entries_;
};

}  // namespace gpuopt
