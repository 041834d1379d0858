// plugins/cpu/code/object_code.cpp -- places sections, applies relocations and protects pages; see object_code.h.
#include "plugins/cpu/code/object_code.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "plugins/cpu/code/elf_object.h"
#include "plugins/cpu/runtime/os.h"

namespace gpuopt::cpu {
namespace {

// The relocations that compilers leave in kernels, by the names and numbers of the ABIs: "ELF for the Arm 64-bit
// Architecture (AArch64)", R_AARCH64_*, and "System V Application Binary Interface, AMD64", R_X86_64_*.
#if defined(__aarch64__)
enum Relocation : uint32_t {
  kAbs64 = 257,
  kPrel64 = 260,
  kPrel32 = 261,
  kAdrPrelPgHi21 = 275,
  kAddAbsLo12Nc = 277,
  kLdst8AbsLo12Nc = 278,
  kJump26 = 282,
  kCall26 = 283,
  kLdst16AbsLo12Nc = 284,
  kLdst32AbsLo12Nc = 285,
  kLdst64AbsLo12Nc = 286,
  kLdst128AbsLo12Nc = 299,
  kAdrGotPage = 311,
  kLd64GotLo12Nc = 312,
};
#else
enum Relocation : uint32_t {
  k64 = 1,
  kPc32 = 2,
  kPlt32 = 4,
  kGotPcRel = 9,
  kPc64 = 24,
  kGotPcRelX = 41,
  kRexGotPcRelX = 42
};
#endif

size_t rounded_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

[[noreturn]] void refuse(const std::string &what) { throw std::runtime_error("compiled code: " + what); }

// A stub that jumps to a symbol at any address, as calls reach 2 GiB (x86-64) or 128 MiB (AArch64) only. Its last 8
// bytes are the address, and serve as the symbol's entry of the global offset table.
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
    code_.memory_ = static_cast<char *>(map_pages(code_.bytes_, kLargestPage));
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

  // Sections of a kind are adjacent and begin on a page of their own. The stubs follow the code.
  void lay_out() {
    size_t at = 0;
    for (size_t kind = kCode; kind < kKinds; kind++) {
      begins_[kind] = at = rounded_up(at, kLargestPage);
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
    code_.bytes_ = rounded_up(at + 1, kLargestPage);
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

  // The variable of an object that was loaded before, or else this object's own.
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
    return type == kAbs64 || type == kPrel64 ? 8 : 4;
#else
    return type == k64 || type == kPc64 ? 8 : 4;
#endif
  }

  // The psABI's names: S symbol, G its entry in the global offset table, A addend, P place.
  static void apply(uint32_t type, char *at, const char *symbol, const char *slot, int64_t addend) {
    const auto s = reinterpret_cast<uint64_t>(symbol), g = reinterpret_cast<uint64_t>(slot),
               p = reinterpret_cast<uint64_t>(at);
    const auto a = static_cast<uint64_t>(addend);
    const uint64_t absolute = s + a, relative = absolute - p;
    switch (type) {
#if defined(__aarch64__)
      case kAbs64:
        return store(at, absolute);
      case kPrel64:
        return store(at, relative);
      case kPrel32:
        return store32(at, relative);
      case kAdrPrelPgHi21:
        return adr(at, absolute, p);
      case kAddAbsLo12Nc:
        return immediate12(at, absolute, 0);
      case kLdst8AbsLo12Nc:
        return immediate12(at, absolute, 0);
      case kJump26:
      case kCall26:
        return or_word(at, within(relative, 28) >> 2 & 0x3ffffff);
      case kLdst16AbsLo12Nc:
        return immediate12(at, absolute, 1);
      case kLdst32AbsLo12Nc:
        return immediate12(at, absolute, 2);
      case kLdst64AbsLo12Nc:
        return immediate12(at, absolute, 3);
      case kLdst128AbsLo12Nc:
        return immediate12(at, absolute, 4);
      case kAdrGotPage:
        return adr(at, g + a, p);
      case kLd64GotLo12Nc:
        return immediate12(at, g + a, 3);
#else
      case k64:
        return store(at, absolute);
      case kPc64:
        return store(at, relative);
      case kPc32:
      case kPlt32:
        return store32(at, relative);
      case kGotPcRel:
      case kGotPcRelX:
      case kRexGotPcRelX:
        return store32(at, g + a - p);
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
