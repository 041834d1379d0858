// tests/fake_cuda/ptx/memory.cpp -- ld, st and their like.
#include "tests/fake_cuda/ptx/memory.h"

#include <cstdio>

namespace fake_cuda::ptx {
namespace {

[[noreturn]] void outside(Warp &warp, const Op &op, int lane, uint64_t address, uint32_t bytes, const char *where) {
  char text[128];
  std::snprintf(text, sizeof text, "%u bytes at 0x%llx of %s memory", bytes, static_cast<unsigned long long>(address),
                where);
  fault(warp, op, lane, CUDA_ERROR_ILLEGAL_ADDRESS, text);
}

uint8_t *in_global(Warp &warp, const Op &op, int lane, uint64_t address, uint32_t bytes, Access access) {
  Block &block = *warp.block;
  const Module &module = *block.launch->module;
  for (const Launch::Range &window : block.windows)
    if (address - window.base < window.bytes && bytes <= window.bytes - (address - window.base))
      return reinterpret_cast<uint8_t *>(address);
  if (access != Access::kLoad && address - module.constant_begin < module.constant_end - module.constant_begin)
    outside(warp, op, lane, address, bytes, "constant");
  const uint64_t own = reinterpret_cast<uint64_t>(module.memory.get());
  if (address - own < module.memory_bytes && bytes <= module.memory_bytes - (address - own))
    return reinterpret_cast<uint8_t *>(address);
  const Launch::Range found = block.launch->find(address, bytes);
  if (found.bytes == 0) outside(warp, op, lane, address, bytes, "global");
  block.windows[block.next_window++ % 4] = found;
  return reinterpret_cast<uint8_t *>(address);
}

uint8_t *in_array(Warp &warp, const Op &op, int lane, std::vector<uint8_t> &array, uint64_t offset, uint32_t bytes,
                  const char *where) {
  if (offset > array.size() || bytes > array.size() - offset) outside(warp, op, lane, offset, bytes, where);
  return array.data() + offset;
}

bool is_in(const SharedArray &array, uint64_t offset, uint32_t bytes) {
  return offset >= array.begin && offset - array.begin <= array.bytes && bytes <= array.bytes - (offset - array.begin);
}

// Where the nearest array is that begins at or before an address.
std::string beside_array(const Block &block, uint64_t offset) {
  const SharedArray *nearest = nullptr;
  for (const SharedArray &array : block.arrays)
    if (array.begin <= offset) nearest = &array;
  if (!nearest) return "shared memory, before all arrays";
  return "shared memory, which is byte " + std::to_string(offset - nearest->begin) + " of the " +
         std::to_string(nearest->bytes) + " of " + nearest->name;
}

uint8_t *in_shared(Warp &warp, const Op &op, int lane, uint64_t offset, uint32_t bytes) {
  Block &block = *warp.block;
  if (is_in(block.arrays[block.last_array], offset, bytes)) return block.shared.data() + offset;
  for (size_t k = 0; k < block.arrays.size(); ++k) {
    if (!is_in(block.arrays[k], offset, bytes)) continue;
    block.last_array = k;
    return block.shared.data() + offset;
  }
  fault(warp, op, lane, CUDA_ERROR_ILLEGAL_ADDRESS,
        std::to_string(bytes) + " bytes at an address of " + beside_array(block, offset));
}

uint8_t *in_parameters(Warp &warp, const Op &op, int lane, uint64_t offset, uint32_t bytes, Access access) {
  auto &launched = const_cast<std::vector<uint8_t> &>(warp.block->launch->parameters);
  if (!op.from_negated) {
    const uint64_t begin = uint64_t(lane) * warp.frame->function->parameter_bytes;
    return in_array(warp, op, lane, warp.frame->parameters, begin + offset, bytes, "parameter");
  }
  if (access != Access::kLoad) outside(warp, op, lane, offset, bytes, "parameter");
  return in_array(warp, op, lane, launched, offset, bytes, "parameter");
}

uint8_t *in_generic(Warp &warp, const Op &op, int lane, Space &space, uint64_t address, uint32_t bytes, Access access) {
  const uint64_t window = address >> 56 << 56, offset = address - window;
  switch (window) {
    case 0:
      space = Space::kGlobal;
      return in_global(warp, op, lane, address, bytes, access);
    case kSharedWindow:
      space = Space::kShared;
      return in_shared(warp, op, lane, offset, bytes);
    case kLocalWindow:
      space = Space::kLocal;
      return in_array(warp, op, lane, warp.local[lane], offset, bytes, "local");
    case kParameterWindow:
      if (access == Access::kLoad)
        return in_array(warp, op, lane, const_cast<std::vector<uint8_t> &>(warp.block->launch->parameters), offset,
                        bytes, "parameter");
      [[fallthrough]];
    default:
      outside(warp, op, lane, address, bytes, "no");
  }
}

uint8_t *in_constant(Warp &warp, const Op &op, int lane, uint64_t address, uint32_t bytes) {
  const Module &module = *warp.block->launch->module;
  if (address < module.constant_begin || address + bytes > module.constant_end)
    outside(warp, op, lane, address, bytes, "constant");
  return reinterpret_cast<uint8_t *>(address);
}

}  // namespace

uint8_t *resolve(Warp &warp, const Op &op, int lane, Space &space, uint64_t address, uint32_t bytes, Access access) {
  if (address % bytes) {
    char text[96];
    std::snprintf(text, sizeof text, "%u bytes at 0x%llx, which is not a multiple of their number", bytes,
                  static_cast<unsigned long long>(address));
    fault(warp, op, lane, CUDA_ERROR_MISALIGNED_ADDRESS, text);
  }
  switch (space) {
    case Space::kGeneric:
      return in_generic(warp, op, lane, space, address, bytes, access);
    case Space::kGlobal:
      return in_global(warp, op, lane, address, bytes, access);
    case Space::kConst:
      return in_constant(warp, op, lane, address, bytes);
    case Space::kShared:
      return in_shared(warp, op, lane, address, bytes);
    case Space::kLocal:
      return in_array(warp, op, lane, warp.local[lane], address, bytes, "local");
    default:
      return in_parameters(warp, op, lane, address, bytes, access);
  }
}

namespace {

void count(Warp &warp, Space space, uint32_t bytes, Access access) {
  if (space != Space::kGlobal) return;
  Counts &counts = warp.block->counts;
  ++(access == Access::kLoad ? counts.loads : counts.stores);
  (access == Access::kLoad ? counts.bytes_loaded : counts.bytes_stored) += bytes;
}

uint64_t extended(uint64_t bits, uint32_t bytes, uint8_t width) {
  const int shift = 64 - 8 * int(bytes);
  const uint64_t all = uint64_t(int64_t(bits << shift) >> shift);
  return width >= 8 ? all : all & ((uint64_t{1} << (8 * width)) - 1);
}

// T has the width of an element; to_predicate: it has a sign.
template <typename T>
void load(Warp &warp, const Op &op, Mask lanes) {
  uint64_t *to[8];
  for (uint32_t k = 0; k < op.count; ++k) to[k] = warp.row(op.to[k]);
  const uint32_t bytes = uint32_t(sizeof(T)) * op.count;
  for_lanes(lanes, [&](int l) {
    Space space = Space(op.kind);
    const uint8_t *from = resolve(warp, op, l, space, address_of(warp, op, l, op.from[0]), bytes, Access::kLoad);
    count(warp, space, bytes, Access::kLoad);
    for (uint32_t k = 0; k < op.count; ++k, from += sizeof(T)) {
      uint64_t bits = 0;
      std::memcpy(&bits, from, sizeof(T));
      to[k][l] = op.to_predicate ? extended(bits, sizeof(T), op.width) : bits;
    }
  });
}

template <typename T>
void store(Warp &warp, const Op &op, Mask lanes) {
  const uint64_t *from[8];
  for (uint32_t k = 0; k < op.count; ++k) from[k] = warp.row(op.from[k + 1]);
  const uint32_t bytes = uint32_t(sizeof(T)) * op.count;
  for_lanes(lanes, [&](int l) {
    Space space = Space(op.kind);
    uint8_t *to = resolve(warp, op, l, space, address_of(warp, op, l, op.from[0]), bytes, Access::kStore);
    count(warp, space, bytes, Access::kStore);
    for (uint32_t k = 0; k < op.count; ++k, to += sizeof(T)) std::memcpy(to, &from[k][l], sizeof(T));
  });
}

template <bool loads>
Execute access_of(unsigned bytes) {
  switch (bytes) {
    case 1:
      return loads ? &load<uint8_t> : &store<uint8_t>;
    case 2:
      return loads ? &load<uint16_t> : &store<uint16_t>;
    case 4:
      return loads ? &load<uint32_t> : &store<uint32_t>;
    case 8:
      return loads ? &load<uint64_t> : &store<uint64_t>;
    default:
      return nullptr;
  }
}

// Advice to caches: how long to keep what is read, how much to read at once.
void drop_advice(Decoder &d) {
  for (const char *const known :
       {"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
        "L1::evict_last", "L1::no_allocate", "L2::64B", "L2::128B", "L2::256B"})
    d.take(known);
}

uint32_t take_vector(Decoder &d) {
  if (d.take("v2")) return 2;
  if (d.take("v4")) return 4;
  return d.take("v8") ? 8 : 1;
}

template <bool loads>
void decode_access(Decoder &d) {
  drop_ordering(d);
  const Space space = take_optional_space(d);
  drop_advice(d);
  d.op.count = take_vector(d);
  const Type type = d.take_type();
  const Operand &value = d.operand(loads ? 0 : 1);
  if (d.operands() != 2 || bytes_of(type) * d.op.count > 32) d.unknown();
  d.op.execute = access_of<loads>(bytes_of(type));
  if (!d.op.execute || (d.op.count > 1) != (value.kind == Operand::Kind::kVector)) d.unknown();
  if (d.op.count > 1 && value.parts.size() != d.op.count) d.unknown("a vector of another length");
  d.op.to_predicate = loads && is_signed(type) && !is_float(type);
  for (uint32_t k = 0; k < d.op.count; ++k) {
    const Operand &part = d.op.count > 1 ? value.parts[k] : value;
    if (part.kind == Operand::Kind::kRegister) d.op.width = uint8_t(d.register_bytes(part));
    (loads ? d.op.to[k] : d.op.from[k + 1]) = loads ? d.out(part, type, true) : d.in(part, type, true);
  }
  take_address(d, d.operand(loads ? 1 : 0), space);
}

void nothing(Warp &, const Op &, Mask) {}

// prefetch, discard: the address is looked at by nobody.
void decode_hint(Decoder &d) {
  d.op.execute = nothing;
  while (!d.next().empty()) d.drop();
}

}  // namespace

Space take_optional_space(Decoder &d) {
  if (d.take("global")) return Space::kGlobal;
  if (d.take("shared") || d.take("shared::cta")) return Space::kShared;
  if (d.take("local")) return Space::kLocal;
  if (d.take("const")) return Space::kConst;
  if (d.take("param") || d.take("param::entry") || d.take("param::func")) return Space::kParam;
  return Space::kGeneric;
}

void drop_ordering(Decoder &d) {
  for (const char *const known : {"weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"})
    d.take(known);
  for (const char *const known : {"cta", "gpu", "sys", "cluster"}) d.take(known);
}

void take_address(Decoder &d, const Operand &address, Space space) {
  if (address.kind != Operand::Kind::kAddress) d.unknown("an operand that is no address");
  const Operand &base = address.parts[0];
  d.op.immediate = address.offset;
  d.op.kind = uint8_t(space);
  d.op.from_negated = space == Space::kParam;
  if (base.kind != Operand::Kind::kVariable) {
    if (base.kind == Operand::Kind::kInteger)
      d.op.from[0] = d.constant(base.bits);
    else
      d.op.narrow = d.register_bytes(base) == 4 && space != Space::kGeneric;
    if (base.kind != Operand::Kind::kInteger) d.op.from[0] = d.in(base, d.op.narrow ? Type::kU32 : Type::kU64);
    return;
  }
  if (base.variable->space != space) d.unknown("a variable of another space");
  const auto own = d.function.places.find(base.variable);
  if (space == Space::kLocal) d.unknown("a local variable by its name");
  if (space != Space::kParam) {
    d.op.from[0] = d.in(base, Type::kU64);
    return;
  }
  if (own == d.function.places.end()) d.unknown("a parameter of another function");
  bool formal = false;
  for (const Variable &parameter : d.function.text->parameters) formal = formal || &parameter == base.variable;
  d.op.from_negated = formal && d.function.text->entry;
  const bool fits = address.offset >= 0 && uint64_t(address.offset) < base.variable->bytes;
  if (!fits) d.unknown("beyond the parameter");
  d.op.from[0] = d.constant(own->second);
}

void add_memory(Families &families) {
  families["ld"] = decode_access<true>;
  families["ldu"] = decode_access<true>;
  families["st"] = decode_access<false>;
  families["prefetch"] = decode_hint;
  families["prefetchu"] = decode_hint;
}

}  // namespace fake_cuda::ptx
