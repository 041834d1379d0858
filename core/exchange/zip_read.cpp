// core/exchange/zip_read.cpp -- reads ZIP archives, starting from the central directory; all contents are validated.
#include <zlib.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/exchange/zip.h"
#include "core/exchange/zip_format.h"

namespace gpuopt {
namespace {

using namespace zip;

// Deflate compresses at most 1032 : 1 (zlib's technical notes). A member that claims more is rejected: it can only be
// an attempt to exhaust memory.
constexpr uint64_t kMaxDeflateRatio = 1032;

[[noreturn]] void reject(const std::string &path, const std::string &what) {
  fail(GPUOPT_ERR_FORMAT, "%s: bad ZIP archive: %s", path.c_str(), what.c_str());
}

// Reads `bytes` bytes at `offset`. Throws ERR_FORMAT if they are not all in the file; `what` names them in the message.
std::string read_at(File &file, uint64_t offset, uint64_t bytes, const char *what) {
  if (offset > file.size() || bytes > file.size() - offset)
    reject(file.path(), std::string(what) + " lies outside the file");
  std::string data(bytes, '\0');
  file.seek(offset);
  if (file.read(data.data(), bytes) != bytes) reject(file.path(), std::string(what) + " is cut short");
  return data;
}

// The position and size in bytes of the central directory, and the number of its entries.
struct Directory {
  uint64_t offset, size, count;
};

// Returns the offset of the end record. A comment of up to 65535 bytes may follow it, so this searches backwards from
// the end of the file.
uint64_t find_end_record(File &file) {
  const uint64_t window = std::min<uint64_t>(file.size(), kEndBytes + 65535);
  const std::string tail = read_at(file, file.size() - window, window, "the end");
  for (uint64_t k = tail.size() < kEndBytes ? 0 : tail.size() - kEndBytes + 1; k-- > 0;)
    if (get32(&tail[k]) == kEndSignature && k + kEndBytes + get16(&tail[k + 20]) <= tail.size())
      return file.size() - window + k;
  reject(file.path(), "it has no end record (is it cut short?)");
}

// Reads the zip64 end record by way of its locator, which lies directly in front of the end record at `end_offset`.
Directory find_directory64(File &file, uint64_t end_offset) {
  const std::string locator = read_at(file, end_offset - kLocator64Bytes, kLocator64Bytes, "the zip64 locator");
  const std::string end = read_at(file, get64(&locator[8]), kEnd64Bytes, "the zip64 end record");
  if (get32(&end[0]) != kEnd64Signature) reject(file.path(), "the zip64 end record is not where it should be");
  return {get64(&end[48]), get64(&end[40]), get64(&end[32])};
}

Directory find_directory(File &file) {
  const uint64_t at = find_end_record(file);
  const std::string end = read_at(file, at, kEndBytes, "the end record");
  if (get16(&end[4]) != 0 && get16(&end[4]) != kSaturated16) reject(file.path(), "it is split over several volumes");
  Directory d{get32(&end[16]), get32(&end[12]), get16(&end[10])};
  const bool has_locator =
      at >= kLocator64Bytes &&
      get32(read_at(file, at - kLocator64Bytes, 4, "the zip64 locator").data()) == kLocator64Signature;
  if (has_locator) d = find_directory64(file, at);
  if (d.offset > at || d.size > at - d.offset) reject(file.path(), "the central directory lies outside the file");
  if (d.count > d.size / kCentralBytes) reject(file.path(), "the central directory is too small for its entries");
  return d;
}

// Replaces the saturated 32-bit fields of `e` by the values in the zip64 extra field. That field has size, compressed
// size and header offset in this order, but only those whose 32-bit fields are saturated.
void read_zip64(const char *extra, size_t bytes, ZipEntry &e, const std::string &path) {
  uint64_t *const fields[] = {&e.size, &e.compressed_size, &e.header_offset};
  const bool needed = e.size == kSaturated32 || e.compressed_size == kSaturated32 || e.header_offset == kSaturated32;
  for (size_t at = 0; needed && bytes - at >= 4;) {
    const size_t length = get16(extra + at + 2);
    if (length > bytes - at - 4) reject(path, "an extra field is cut short");
    if (get16(extra + at) == kExtraZip64) {
      const char *p = extra + at + 4, *end = p + length;
      for (uint64_t *field : fields) {
        if (*field != kSaturated32) continue;
        if (end - p < 8) reject(path, "a zip64 field is cut short");
        *field = get64(p);
        p += 8;
      }
      return;
    }
    at += 4 + length;
  }
}

// Throws ERR_FORMAT if the member cannot be read, does not lie in front of the central directory, or claims a size that
// is impossible for its compressed size.
void check_entry(const ZipEntry &e, uint64_t directory_offset, const std::string &path) {
  const std::string member = "member '" + e.name + "' ";
  if (e.method != kMethodStored && e.method != kMethodDeflated)
    reject(path,
           member + "uses compression method " + std::to_string(e.method) + " (stored and deflated are supported)");
  if (e.flags & kFlagEncrypted) reject(path, member + "is encrypted");
  if (e.header_offset > directory_offset || e.compressed_size > directory_offset - e.header_offset)
    reject(path, member + "lies outside the file");
  const bool stored = e.method == kMethodStored;
  if (stored ? e.size != e.compressed_size : e.size / kMaxDeflateRatio > e.compressed_size)
    reject(path, member + "claims an impossible size");
}

// Reads the uncompressed bytes of one member and computes their CRC. The file is at the start of the member's data, and
// nobody else may move it as long as this object is used.
class MemberSource : public Source {
 public:
  MemberSource(File &file, const ZipEntry &entry) : file_(file), entry_(entry), stored_left_(entry.compressed_size) {
    if (entry.method == kMethodDeflated && inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~MemberSource() override {
    if (entry_.method == kMethodDeflated) inflateEnd(&stream_);
  }
  MemberSource(const MemberSource &) = delete;
  MemberSource &operator=(const MemberSource &) = delete;

  size_t read(void *to, size_t bytes) override {
    size_t got = 0;
    while (got < bytes) {
      const size_t wanted = std::min<size_t>(bytes - got, size_t{1} << 30);  // zlib's counts are unsigned int
      char *place = static_cast<char *>(to) + got;
      const size_t more = entry_.method == kMethodStored ? read_stored(place, wanted) : inflate_some(place, wanted);
      if (!more) break;
      crc_ = static_cast<uint32_t>(crc32(crc_, reinterpret_cast<const Bytef *>(place), static_cast<uInt>(more)));
      got += more;
      produced_ += more;
    }
    return got;
  }

  uint64_t remaining() override { return entry_.size - std::min(entry_.size, produced_); }

  // Reads the rest of the member. Throws ERR_FORMAT unless size and CRC are those of the central directory.
  void finish() {
    std::vector<char> rest(1 << 16);
    while (read(rest.data(), rest.size()) > 0) {
    }
    if (produced_ != entry_.size || stored_left_ != 0)
      reject(file_.path(), "member '" + entry_.name + "' is not of the size it claims");
    if (crc_ != entry_.crc) reject(file_.path(), "the checksum of member '" + entry_.name + "' is wrong");
  }

 private:
  size_t read_stored(char *to, size_t bytes) {
    const size_t got = file_.read(to, static_cast<size_t>(std::min<uint64_t>(bytes, stored_left_)));
    stored_left_ -= got;
    return got;
  }

  size_t inflate_some(char *to, size_t bytes) {
    stream_.next_out = reinterpret_cast<Bytef *>(to);
    stream_.avail_out = static_cast<uInt>(bytes);
    while (!ended_ && stream_.avail_out == bytes) {
      if (!stream_.avail_in) {
        stream_.avail_in = static_cast<uInt>(read_stored(buffer_.data(), buffer_.size()));
        stream_.next_in = reinterpret_cast<Bytef *>(buffer_.data());
        if (!stream_.avail_in) break;
      }
      const int code = inflate(&stream_, Z_NO_FLUSH);
      if (code == Z_MEM_ERROR) throw std::bad_alloc();
      if (code != Z_OK && code != Z_STREAM_END)
        reject(file_.path(), "the compressed data of member '" + entry_.name + "' is damaged");
      ended_ = code == Z_STREAM_END;
    }
    const size_t got = bytes - stream_.avail_out;
    if (got > remaining()) reject(file_.path(), "member '" + entry_.name + "' is not of the size it claims");
    return got;
  }

  File &file_;
  const ZipEntry &entry_;
  uint64_t stored_left_, produced_ = 0;
  uint32_t crc_ = 0;
  bool ended_ = false;
  z_stream stream_{};
  std::vector<char> buffer_ = std::vector<char>(1 << 16);
};

}  // namespace

ZipReader::ZipReader(const std::string &path) : file_(File::open_to_read(path)) {
  if (file_.size() == UINT64_MAX) reject(path, "it is not a regular file");
  const Directory d = find_directory(file_);
  directory_offset_ = d.offset;
  read_directory(d.offset, d.size, d.count);
}

void ZipReader::read_directory(uint64_t offset, uint64_t size, uint64_t count) {
  const std::string data = read_at(file_, offset, size, "the central directory");
  size_t at = 0;
  for (uint64_t k = 0; k < count; ++k) {
    if (data.size() - at < kCentralBytes || get32(&data[at]) != kCentralSignature)
      reject(path(), "a directory entry is damaged");
    const char *p = &data[at];
    const size_t name = get16(p + 28), extra = get16(p + 30), comment = get16(p + 32);
    if (data.size() - at - kCentralBytes < name + extra + comment) reject(path(), "a directory entry is cut short");
    ZipEntry e{std::string(p + kCentralBytes, name),
               get32(p + 20),
               get32(p + 24),
               get32(p + 42),
               get32(p + 16),
               get16(p + 10),
               get16(p + 8)};
    read_zip64(p + kCentralBytes + name, extra, e, path());
    check_entry(e, offset, path());
    entries_.push_back(std::move(e));
    at += kCentralBytes + name + extra + comment;
  }
}

// Returns the offset of the member's data, which follows the local header. The lengths of name and extra field are read
// there, since they may differ from those in the central directory.
uint64_t ZipReader::data_offset(const ZipEntry &entry) {
  const std::string local = read_at(file_, entry.header_offset, kLocalBytes, "a local header");
  if (get32(&local[0]) != kLocalSignature)
    reject(path(), "member '" + entry.name + "' is not where the directory says");
  const uint64_t offset = entry.header_offset + kLocalBytes + get16(&local[26]) + get16(&local[28]);
  if (offset > directory_offset_ || entry.compressed_size > directory_offset_ - offset)
    reject(path(), "member '" + entry.name + "' lies outside the file");
  return offset;
}

void ZipReader::read(const ZipEntry &entry, const std::function<void(Source &)> &body) {
  const std::lock_guard lock(mutex_);
  file_.seek(data_offset(entry));
  MemberSource source(file_, entry);
  body(source);
  source.finish();
}

}  // namespace gpuopt
