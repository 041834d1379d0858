// tests/cuda/cubin.h -- what machine code for a GPU says of its kernels. A cubin is an ELF file of 64 bits; the
// attributes of its kernels are in the sections .nv.info, as `cuobjdump --dump-elf` prints them.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace gpuopt::test {

struct CubinParameter {
  int ordinal = 0, offset = 0, bytes = 0;
};

class Cubin {
 public:
  explicit Cubin(const std::string &bytes) : bytes_(bytes) {
    const auto table = at<uint64_t>(0x28);
    for (uint16_t i = 0, count = at<uint16_t>(0x3c); i < count; i++) {
      const uint64_t header = table + i * uint64_t{at<uint16_t>(0x3a)};
      sections_.push_back({at<uint32_t>(header), at<uint64_t>(header + 0x18), at<uint64_t>(header + 0x20),
                           at<uint32_t>(header + 0x28)});
    }
    if (!sections_.empty()) names_ = sections_.at(at<uint16_t>(0x3e)).offset;
  }

  bool has_code(const std::string &kernel) const { return section(".text." + kernel).size > 0; }

  // Bytes of local memory, which is in the device's memory, of each function: its stack frame.
  std::map<std::string, uint32_t> stack_frames() const {
    constexpr uint8_t kFrameSize = 0x11;  // {symbol, bytes}
    std::map<std::string, uint32_t> frames;
    for (const uint64_t value : attributes(".nv.info", kFrameSize))
      frames[symbol(at<uint32_t>(value))] = at<uint32_t>(value + 4);
    return frames;
  }

  // As the driver passes them.
  std::vector<CubinParameter> parameters(const std::string &kernel) const {
    constexpr uint8_t kParameterInfo = 0x17;  // {index, ordinal and offset of 16 bits each, bytes above 18 other bits}
    std::vector<CubinParameter> found;
    for (const uint64_t value : attributes(".nv.info." + kernel, kParameterInfo))
      found.push_back(
          {at<uint16_t>(value + 4), at<uint16_t>(value + 6), static_cast<int>(at<uint32_t>(value + 8) >> 18)});
    return found;
  }

 private:
  struct Section {
    uint32_t name;
    uint64_t offset, size;
    uint32_t link;
  };

  // Zero beyond the end.
  template <class T>
  T at(uint64_t offset) const {
    T value{};
    if (offset + sizeof value <= bytes_.size()) std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  Section section(const std::string &name) const {
    for (const Section &s : sections_) {
      if (bytes_.c_str() + names_ + s.name == name) return s;
    }
    return {};
  }
  // Where the values of an attribute lie: of those whose form says how long they are.
  std::vector<uint64_t> attributes(const std::string &name, uint8_t number) const {
    constexpr uint8_t kSized = 4;
    std::vector<uint64_t> found;
    const Section info = section(name);
    for (uint64_t i = info.offset; i < info.offset + info.size;) {
      const bool sized = at<uint8_t>(i) == kSized;
      if (sized && at<uint8_t>(i + 1) == number) found.push_back(i + 4);
      i += 4 + (sized ? at<uint16_t>(i + 2) : 0);
    }
    return found;
  }
  std::string symbol(uint32_t number) const {
    constexpr uint64_t kSymbolBytes = 24;
    const Section symbols = section(".symtab");
    const uint64_t texts = sections_.at(symbols.link).offset;
    return bytes_.c_str() + texts + at<uint32_t>(symbols.offset + number * kSymbolBytes);
  }

  const std::string &bytes_;
  std::vector<Section> sections_;
  uint64_t names_ = 0;
};

}  // namespace gpuopt::test
