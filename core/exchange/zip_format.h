// core/exchange/zip_format.h -- the records of the ZIP format (PKWARE APPNOTE 6.3.10) as little-endian bytes.
#pragma once
#include <cstdint>
#include <string>

namespace gpuopt::zip {

constexpr uint32_t kLocalSignature = 0x04034b50, kCentralSignature = 0x02014b50, kEndSignature = 0x06054b50,
                   kEnd64Signature = 0x06064b50, kLocator64Signature = 0x07064b50;
constexpr size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kEnd64Bytes = 56, kLocator64Bytes = 20;
constexpr uint16_t kMethodStored = 0, kMethodDeflated = 8;
constexpr uint16_t kFlagEncrypted = 1, kFlagUtf8 = 1 << 11;
constexpr uint16_t kExtraZip64 = 1;
constexpr uint16_t kVersionZip64 = 45;
constexpr uint32_t kSaturated32 = 0xffffffff;  // in a 32-bit field: the value is in the zip64 record
constexpr uint16_t kSaturated16 = 0xffff;

// Reads a little-endian number of `bytes` bytes at p, which need not be aligned.
inline uint64_t get(const char *p, int bytes) {
  uint64_t v = 0;
  for (int k = bytes - 1; k >= 0; --k) v = v << 8 | static_cast<unsigned char>(p[k]);
  return v;
}
inline uint16_t get16(const char *p) { return static_cast<uint16_t>(get(p, 2)); }
inline uint32_t get32(const char *p) { return static_cast<uint32_t>(get(p, 4)); }
inline uint64_t get64(const char *p) { return get(p, 8); }

// Builds a record by appending little-endian numbers; `size` is in bytes.
struct Record {
  std::string bytes;
  Record &put(uint64_t v, int size) {
    for (int k = 0; k < size; ++k) bytes += static_cast<char>(v >> (8 * k) & 255);
    return *this;
  }
  Record &put16(uint64_t v) { return put(v, 2); }
  Record &put32(uint64_t v) { return put(v, 4); }
  Record &put64(uint64_t v) { return put(v, 8); }
};

// Return v as a field of the records without zip64, saturated if it does not fit.
inline uint32_t clamp32(uint64_t v) { return v < kSaturated32 ? static_cast<uint32_t>(v) : kSaturated32; }
inline uint16_t clamp16(uint64_t v) { return v < kSaturated16 ? static_cast<uint16_t>(v) : kSaturated16; }

}  // namespace gpuopt::zip
