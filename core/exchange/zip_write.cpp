// core/exchange/zip_write.cpp -- writes ZIP archives in one pass, except that each member's header is written again
// once its sizes and checksum are known.
#include <zlib.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/exchange/zip.h"
#include "core/exchange/zip_format.h"

namespace gpuopt {
namespace {

using namespace zip;

constexpr uint32_t kDosTime = 0x00210000;         // 1980-01-01 00:00, so that equal arrays give equal files
constexpr uint32_t kOwnerMayWrite = 0600u << 16;  // Unix permissions of a member: its owner may read and write

uint16_t name_flags(const std::string &name) {
  return std::any_of(name.begin(), name.end(), [](char c) { return c & 0x80; }) ? kFlagUtf8 : 0;
}

// Returns the header in front of a member's data. Sizes are always in a zip64 field, so that the length of the header
// does not depend on them and the final header fits over the placeholder.
std::string local_header(const ZipEntry &e) {
  Record r;
  r.put32(kLocalSignature).put16(kVersionZip64).put16(e.flags).put16(e.method).put32(kDosTime);
  r.put32(e.crc).put32(kSaturated32).put32(kSaturated32).put16(e.name.size()).put16(20);
  r.bytes += e.name;
  r.put16(kExtraZip64).put16(16).put64(e.size).put64(e.compressed_size);
  return r.bytes;
}

// Returns a member's entry in the central directory, with a zip64 field only for values that do not fit 32 bits.
std::string central_header(const ZipEntry &e) {
  Record extra;
  for (uint64_t field : {e.size, e.compressed_size, e.header_offset})
    if (field >= kSaturated32) extra.put64(field);
  const size_t extra_bytes = extra.bytes.empty() ? 0 : extra.bytes.size() + 4;
  Record r;
  r.put32(kCentralSignature)
      .put16(3 << 8 | kVersionZip64)
      .put16(kVersionZip64)
      .put16(e.flags)
      .put16(e.method)
      .put32(kDosTime);
  r.put32(e.crc)
      .put32(clamp32(e.compressed_size))
      .put32(clamp32(e.size))
      .put16(e.name.size())
      .put16(extra_bytes)
      .put16(0);
  r.put16(0).put16(0).put32(kOwnerMayWrite).put32(clamp32(e.header_offset));
  r.bytes += e.name;
  if (extra_bytes) r.put16(kExtraZip64).put16(extra.bytes.size());
  return r.bytes + extra.bytes;
}

// Returns the end of the archive, with zip64 records if needed. `offset` and `size` are those of the central directory.
std::string end_records(uint64_t offset, uint64_t size, uint64_t count) {
  Record r;
  if (offset >= kSaturated32 || size >= kSaturated32 || count >= kSaturated16) {
    r.put32(kEnd64Signature).put64(kEnd64Bytes - 12).put16(kVersionZip64).put16(kVersionZip64).put32(0).put32(0);
    r.put64(count).put64(count).put64(size).put64(offset);
    r.put32(kLocator64Signature).put32(0).put64(offset + size).put32(1);
  }
  r.put32(kEndSignature).put16(0).put16(0).put16(clamp16(count)).put16(clamp16(count));
  r.put32(clamp32(size)).put32(clamp32(offset)).put16(0);
  return r.bytes;
}

// Writes a member's data to the file, deflated if asked to, and computes the size and CRC of the uncompressed bytes.
class MemberSink : public Sink {
 public:
  MemberSink(File &file, bool deflates) : file_(file), deflates_(deflates) {
    if (deflates &&
        deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~MemberSink() override {
    if (deflates_) deflateEnd(&stream_);
  }
  MemberSink(const MemberSink &) = delete;
  MemberSink &operator=(const MemberSink &) = delete;

  void write(const void *from, size_t bytes) override {
    const char *p = static_cast<const char *>(from);
    for (size_t at = 0; at < bytes;) {
      const size_t part = std::min<size_t>(bytes - at, size_t{1} << 30);  // zlib's counts are unsigned int
      crc = static_cast<uint32_t>(crc32(crc, reinterpret_cast<const Bytef *>(p + at), static_cast<uInt>(part)));
      deflates_ ? deflate_some(p + at, part, Z_NO_FLUSH) : file_.write(p + at, part);
      at += part;
    }
    size += bytes;
  }

  void finish() {
    if (deflates_) deflate_some(nullptr, 0, Z_FINISH);
  }

  uint64_t size = 0;
  uint32_t crc = 0;

 private:
  void deflate_some(const char *from, size_t bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(from));
    stream_.avail_in = static_cast<uInt>(bytes);
    do {
      stream_.next_out = reinterpret_cast<Bytef *>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      deflate(&stream_, flush);
      file_.write(buffer_.data(), buffer_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  File &file_;
  const bool deflates_;
  z_stream stream_{};
  std::vector<char> buffer_ = std::vector<char>(1 << 16);
};

}  // namespace

void ZipWriter::add(const std::string &name, bool deflate, const std::function<void(Sink &)> &body) {
  ZipEntry entry;
  entry.name = name;
  entry.method = deflate ? kMethodDeflated : kMethodStored;
  entry.flags = name_flags(name);
  entry.header_offset = file_.position();
  const std::string placeholder = local_header(entry);
  file_.write(placeholder.data(), placeholder.size());
  const uint64_t start = file_.position();
  MemberSink sink(file_, deflate);
  body(sink);
  sink.finish();
  const uint64_t end = file_.position();
  entry.compressed_size = end - start;
  entry.size = sink.size;
  entry.crc = sink.crc;
  const std::string header = local_header(entry);
  file_.seek(entry.header_offset);
  file_.write(header.data(), header.size());
  file_.seek(end);
  entries_.push_back(std::move(entry));
}

void ZipWriter::finish() {
  const uint64_t offset = file_.position();
  for (const ZipEntry &entry : entries_) {
    const std::string header = central_header(entry);
    file_.write(header.data(), header.size());
  }
  const std::string end = end_records(offset, file_.position() - offset, entries_.size());
  file_.write(end.data(), end.size());
}

}  // namespace gpuopt
