// plugins/cpu/object_code.cpp -- sections get addresses, relocations are carried out, pages their rights.
#include "plugins/cpu/object_code.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "plugins/cpu/elf_object.h"
#include "plugins/cpu/os.h"

namespace gpuopt::cpu {
namespace {

constexpr size_t kPage = 65536;  // no processor's pages are larger

size_t rounded_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

[[noreturn]] void refuse(const std::string &what) { throw std::runtime_error("compiled code: " + what); }

// A jump to a symbol that may be anywhere: calls reach 2 GiB (x86-64) or 128 MiB (AArch64). Its last 8 bytes are the
// address, the symbol's entry of the global offset table.
#if defined(__aarch64__)
constexpr unsigned char kJump[] = {0x50, 0, 0, 0x58, 0, 0x02, 0x1f, 0xd6};  // ldr x16, .+8; br x16
#else
constexpr unsigned char kJump[] = {0xff, 0x25, 2, 0, 0, 0, 0xcc, 0xcc};  // jmp *2(%rip); int3; int3
#endif
constexpr size_t kStub = 16, kStubAddress = 8;

}  // namespace

class ObjectLinker {
 public:
  ObjectLinker(std::string_view object, const ObjectCode::Resolver &resolve, Variables *variables, ObjectCode &code)
      : elf_(object), resolve_(resolve), variables_(variables), code_(code) {}

  void link() {
    lay_out();
    code_.memory_ = static_cast<char *>(map_pages(code_.bytes_, kPage));
    if (!code_.memory_) throw std::bad_alloc();
    for (const ElfSection &section : elf_.sections()) {
      if (section.in_memory && section.has_bytes)
        std::memcpy(place(section), section.bytes.data(), section.bytes.size());
    }
    find_symbols();
    for (const ElfSection &section : elf_.sections()) {
      if (section.in_memory) relocate(section);
    }
    protect();
    if (variables_) variables_->insert(made_.begin(), made_.end());
  }

 private:
  enum Kind { kCode, kConstant, kData, kKinds };
  static Kind kind_of(const ElfSection &section) {
    return section.executable ? kCode : section.writable ? kData : kConstant;
  }

  // Sections of a kind stand together, from a page of their own on; the stubs after the code.
  void lay_out() {
    size_t at = 0;
    for (int kind = kCode; kind < kKinds; kind++) {
      begins_[kind] = at = rounded_up(at, kPage);
      for (const ElfSection &section : elf_.sections()) {
        if (!section.in_memory || kind_of(section) != kind) continue;
        at = rounded_up(at, section.alignment);
        offsets_[section.index] = at;
        at += section.size;
      }
      if (kind != kCode) continue;
      stubs_ = at = rounded_up(at, kStub);
      at += kStub * elf_.symbols().size();
    }
    code_.bytes_ = rounded_up(at + 1, kPage);
  }

  char *place(const ElfSection &section) { return code_.memory_ + offsets_.at(section.index); }

  void find_symbols() {
    for (const ElfSymbol &symbol : elf_.symbols()) {
      char *const stub = stub_of(addresses_.size()), *address = nullptr;
      if (symbol.undefined) {
        address = stub;
        make_stub(resolved(symbol.name), stub);
      } else if (offsets_.count(symbol.section)) {
        address = variable(symbol, code_.memory_ + offsets_[symbol.section] + symbol.value);
        make_stub(address, stub);
        if (symbol.global) code_.symbols_[symbol.name] = address;
      }
      addresses_.push_back(address);
    }
  }

  // A variable that another object has brought already; else this object's own.
  char *variable(const ElfSymbol &symbol, char *own) {
    if (!variables_ || !symbol.global || kind_of(elf_.sections()[symbol.section]) != kData) return own;
    const auto there = variables_->find(symbol.name);
    if (there == variables_->end()) {
      made_[symbol.name] = {own, symbol.size};
      return own;
    }
    if (there->second.bytes != symbol.size) refuse("the variable " + symbol.name + " has two sizes");
    return static_cast<char *>(there->second.address);
  }

  char *stub_of(size_t symbol) const { return code_.memory_ + stubs_ + kStub * symbol; }

  const void *resolved(const std::string &name) const {
    const void *const target = resolve_(name);
    if (!target) refuse("it calls " + name + ", which kernels on the host do not have");
    return target;
  }

  static void make_stub(const void *target, char *stub) {
    std::memcpy(stub, kJump, sizeof kJump);
    std::memcpy(stub + kStubAddress, &target, sizeof target);
  }

  void relocate(const ElfSection &section) {
    for (const ElfRelocation &r : section.relocations) {
      const char *const symbol = r.symbol < addresses_.size() ? addresses_[r.symbol] : nullptr;
      if (!symbol) refuse("a relocation against nothing");
      if (r.offset > section.size || section.size - r.offset < width_of(r.type))
        refuse("a relocation beyond its section");
      apply(r.type, place(section) + r.offset, symbol, stub_of(r.symbol) + kStubAddress, r.addend);
    }
  }

  static size_t width_of(uint32_t type) {
#if defined(__aarch64__)
    return type == 257 || type == 260 ? 8 : 4;
#else
    return type == 1 || type == 24 ? 8 : 4;
#endif
  }

  // psABI: S symbol, G where its address stands, A addend, P place.
  static void apply(uint32_t type, char *at, const char *symbol, const char *slot, int64_t addend) {
    const auto s = reinterpret_cast<uint64_t>(symbol), g = reinterpret_cast<uint64_t>(slot),
               p = reinterpret_cast<uint64_t>(at);
    const auto a = static_cast<uint64_t>(addend);
    const uint64_t absolute = s + a, relative = absolute - p;
    switch (type) {
#if defined(__aarch64__)
      case 257:
        return store(at, absolute);  // ABS64
      case 260:
        return store(at, relative);  // PREL64
      case 261:
        return store32(at, relative);  // PREL32
      case 275:
        return adr(at, absolute, p);  // ADR_PREL_PG_HI21
      case 277:
        return immediate12(at, absolute, 0);  // ADD_ABS_LO12_NC
      case 278:
        return immediate12(at, absolute, 0);  // LDST8_ABS_LO12_NC
      case 282:
      case 283:
        return or_word(at, within(relative, 28) >> 2 & 0x3ffffff);  // JUMP26, CALL26
      case 284:
        return immediate12(at, absolute, 1);  // LDST16
      case 285:
        return immediate12(at, absolute, 2);  // LDST32
      case 286:
        return immediate12(at, absolute, 3);  // LDST64
      case 299:
        return immediate12(at, absolute, 4);  // LDST128
      case 311:
        return adr(at, g + a, p);  // ADR_GOT_PAGE
      case 312:
        return immediate12(at, g + a, 3);  // LD64_GOT_LO12_NC
#else
      case 1:
        return store(at, absolute);  // 64
      case 24:
        return store(at, relative);  // PC64
      case 2:
      case 4:
        return store32(at, relative);  // PC32, PLT32
      case 9:
      case 41:
      case 42:
        return store32(at, g + a - p);  // GOTPCREL, GOTPCRELX, REX_GOTPCRELX
#endif
      default:
        refuse("a relocation of type " + std::to_string(type));
    }
  }

  static void store(char *at, uint64_t value) { std::memcpy(at, &value, sizeof value); }
  static void store32(char *at, uint64_t value) {
    const auto low = static_cast<int32_t>(value);
    if (static_cast<int64_t>(value) != low) refuse("a distance beyond 32 bits");
    std::memcpy(at, &low, sizeof low);
  }
  static void or_word(char *at, uint64_t bits) {
    uint32_t word;
    std::memcpy(&word, at, sizeof word);
    word |= static_cast<uint32_t>(bits);
    std::memcpy(at, &word, sizeof word);
  }
  static uint64_t within(uint64_t distance, int bits) {
    const uint64_t half = uint64_t{1} << (bits - 1);
    if (distance + half >= 2 * half) refuse("a distance beyond " + std::to_string(bits) + " bits");
    return distance;
  }
  static void adr(char *at, uint64_t address, uint64_t place) {
    const uint64_t pages = within((address >> 12) - (place >> 12), 21);
    or_word(at, (pages & 3) << 29 | (pages >> 2 & 0x7ffff) << 5);
  }
  static void immediate12(char *at, uint64_t address, int scale) { or_word(at, (address & 0xfff) >> scale << 10); }

  void protect() {
    char *const memory = code_.memory_;
    __builtin___clear_cache(memory, memory + begins_[kConstant]);
    if (!protect_pages(memory, begins_[kConstant], true) ||
        !protect_pages(memory + begins_[kConstant], begins_[kData] - begins_[kConstant], false))
      throw NoNewCode("this system lets no code run that was made at run time");
  }

  const ElfObject elf_;
  const ObjectCode::Resolver &resolve_;
  Variables *const variables_;
  Variables made_;
  ObjectCode &code_;
  std::array<size_t, kKinds> begins_{};
  size_t stubs_ = 0;
  std::map<size_t, size_t> offsets_;     // of sections
  std::vector<const char *> addresses_;  // of symbols
};

ObjectCode::ObjectCode(std::string_view object, const Resolver &resolve, Variables *variables) {
  try {
    ObjectLinker(object, resolve, variables, *this).link();
  } catch (...) {
    if (memory_) unmap_pages(memory_, bytes_);
    throw;
  }
}

ObjectCode::~ObjectCode() { unmap_pages(memory_, bytes_); }

void *ObjectCode::find(const std::string &name) const {
  const auto place = symbols_.find(name);
  return place == symbols_.end() ? nullptr : place->second;
}

}  // namespace gpuopt::cpu
