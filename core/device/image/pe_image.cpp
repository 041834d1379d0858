// core/device/image/pe_image.cpp -- reads the headers of a PE image field by field, and checks every offset against the
// size.
#include "core/device/image/pe_image.h"

#include <cstring>

namespace gpuopt {
namespace {

// Offsets and values of fields, as the specification gives them. kMachineOffset to kOptionalHeaderOffset count from the
// PE signature.
constexpr uint16_t kDosSignature = 0x5a4d;  // "MZ"
constexpr uint64_t kDosHeaderBytes = 64, kDosHeaderNewHeader = 60;
constexpr uint32_t kPeSignature = 0x4550;  // "PE\0\0"
constexpr uint64_t kMachineOffset = 4, kSectionCountOffset = 6, kOptionalSizeOffset = 20, kCharacteristicsOffset = 22,
                   kOptionalHeaderOffset = 24;
constexpr uint64_t kNtHeadersBytes = 264;  // signature, COFF header and a PE32+ optional header
constexpr uint16_t kIsDll = 0x2000, kPe32Plus = 0x20b;
constexpr uint64_t kSectionBytes = 40, kRawSizeOffset = 16, kRawPointerOffset = 20;
constexpr uint16_t kAmd64 = 0x8664, kArm64 = 0xaa64, kI386 = 0x14c;

#if defined(__aarch64__) || defined(_M_ARM64)
constexpr uint16_t kThisMachine = kArm64;
#else
constexpr uint16_t kThisMachine = kAmd64;
#endif

const char *machine_name(uint16_t machine) {
  switch (machine) {
    case kAmd64:
      return "x86-64";
    case kArm64:
      return "AArch64";
    case kI386:
      return "32-bit x86";
    default:
      return "another processor";
  }
}

bool read_bytes(const PeSource &source, uint64_t offset, void *to, size_t bytes) {
  return offset <= source.size && bytes <= source.size - offset && source.read(offset, to, bytes);
}

// Returns the number at `offset` of the bytes. It is little-endian, as are the hosts that this runs on.
template <class T>
T field(const unsigned char *bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

std::string cut_short(const PeSource &source, const char *what, uint64_t end) {
  return "the file is cut short: it has " + std::to_string(source.size) + " bytes, but " + what + " ends at byte " +
         std::to_string(end);
}

// Each of these returns what is wrong, "" if nothing is. `at` is the offset of the section's header.
std::string kind_defect(const unsigned char *headers) {
  const auto machine = field<uint16_t>(headers, kMachineOffset);
  if (machine != kThisMachine)
    return std::string("built for ") + machine_name(machine) + ", this program runs on " + machine_name(kThisMachine);
  if (!(field<uint16_t>(headers, kCharacteristicsOffset) & kIsDll)) return "not a library: a program";
  return field<uint16_t>(headers, kOptionalHeaderOffset) == kPe32Plus ? "" : "the PE header is damaged";
}

std::string section_defect(const PeSource &source, uint64_t at) {
  unsigned char section[kSectionBytes];
  if (!read_bytes(source, at, section, sizeof section))
    return cut_short(source, "the section table", at + kSectionBytes);
  const uint64_t end = uint64_t{field<uint32_t>(section, kRawPointerOffset)} + field<uint32_t>(section, kRawSizeOffset);
  return end > source.size ? cut_short(source, "a section", end) : "";
}

}  // namespace

std::string pe_image_defect(const PeSource &source) {
  if (source.size == 0) return "the file is empty";
  unsigned char dos[kDosHeaderBytes], headers[kNtHeadersBytes];
  uint16_t magic = 0;
  if (!read_bytes(source, 0, &magic, sizeof magic) || magic != kDosSignature)
    return "not a library: it does not begin with MZ";
  if (!read_bytes(source, 0, dos, sizeof dos)) return cut_short(source, "the header", sizeof dos);
  const uint64_t start = field<uint32_t>(dos, kDosHeaderNewHeader);
  if (!read_bytes(source, start, headers, sizeof headers))
    return cut_short(source, "the header", start + sizeof headers);
  if (field<uint32_t>(headers, 0) != kPeSignature) return "not a library: it has no PE header";
  std::string problem = kind_defect(headers);
  const uint64_t sections = start + kOptionalHeaderOffset + field<uint16_t>(headers, kOptionalSizeOffset);
  const unsigned count = field<uint16_t>(headers, kSectionCountOffset);
  for (unsigned k = 0; k < count && problem.empty(); ++k)
    problem = section_defect(source, sections + k * kSectionBytes);
  return problem;
}

}  // namespace gpuopt
