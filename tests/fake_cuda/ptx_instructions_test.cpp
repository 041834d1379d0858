// tests/fake_cuda/ptx_instructions_test.cpp -- instructions of PTX against what the manual says of them, computed by
// other means: in wider integers, in long double, by the processor's own rounding, or written down.
#include <cfenv>
#include <cmath>
#include <limits>
#include <random>

#include "tests/fake_cuda/ptx/ptx_run.h"

using namespace fake_cuda::ptx;

namespace {

using Bits = std::vector<uint64_t>;

// One instruction with registers %o (the result), %a, %b, %c, %d of these types, each a number of bits.
uint64_t one(const std::string &out, const std::vector<std::string> &in, const std::string &instruction,
             const Bits &values) {
  std::string body = "  .reg .b64 %addr;\n  .reg .pred %p<4>;\n  .reg ." + out + " %o;\n";
  const char *const names[] = {"%a", "%b", "%c", "%d"};
  body += "  ld.param.u64 %addr, [k_param_0];\n";
  for (size_t k = 0; k < in.size(); ++k) {
    body += "  .reg ." + in[k] + " " + names[k] + ";\n";
    body += "  ld.global." + in[k] + " " + names[k] + ", [%addr+" + std::to_string(8 * k) + "];\n";
  }
  body += "  " + instruction + "\n  st.global." + out + " [%addr+64], %o;\n  ret;";
  const Buffer memory(128);
  for (size_t k = 0; k < values.size(); ++k) memory.as<uint64_t>()[k] = values[k];
  run_text(kernel_text(1, body), {&memory}, 1, 1);
  return memory.as<uint64_t>()[8];
}

uint32_t word(const std::string &instruction, const Bits &values) {
  return uint32_t(one("b32", std::vector<std::string>(values.size(), "b32"), instruction, values));
}
uint64_t twice(const std::string &instruction, const Bits &values) {
  return one("b64", std::vector<std::string>(values.size(), "b64"), instruction, values);
}
uint64_t of(double value) { return bits_of(value); }
uint64_t of(float value) { return bits_of(value); }

const Bits kWords = {0, 1, 2, 7, 31, 32, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x12345678, 0xdeadbeef};

template <typename F>
void for_pairs(const Bits &values, F f) {
  for (const uint64_t a : values)
    for (const uint64_t b : values) f(a, b);
}

TEST(PtxInstructions, ProductsOfIntegers) {
  for_pairs(kWords, [](uint64_t a, uint64_t b) {
    const int64_t product = int64_t(int32_t(a)) * int32_t(b);
    EXPECT_EQ(word("mul.hi.u32 %o, %a, %b;", {a, b}), uint32_t((a * b) >> 32));
    EXPECT_EQ(word("mul.hi.s32 %o, %a, %b;", {a, b}), uint32_t(product >> 32));
    EXPECT_EQ(word("mad.lo.s32 %o, %a, %b, %a;", {a, b}), uint32_t(a * b + a));
    EXPECT_EQ(one("b64", {"b32", "b32"}, "mul.wide.s32 %o, %a, %b;", {a, b}), uint64_t(product));
    EXPECT_EQ(one("b64", {"b32", "b32", "b64"}, "mad.wide.u32 %o, %a, %b, %c;", {a, b, 5}), a * b + 5);
    const uint64_t x = a << 32 | b, y = b << 33 | a;
    EXPECT_EQ(twice("mul.hi.u64 %o, %a, %b;", {x, y}), uint64_t((static_cast<unsigned __int128>(x) * y) >> 64));
    EXPECT_EQ(twice("mul.hi.s64 %o, %a, %b;", {x, y}),
              uint64_t((static_cast<__int128>(int64_t(x)) * int64_t(y)) >> 64));
  });
}

TEST(PtxInstructions, QuotientsAndExtremes) {
  EXPECT_EQ(word("div.s32 %o, %a, %b;", {0x80000000, 0xffffffff}), 0x80000000u);
  EXPECT_EQ(word("rem.s32 %o, %a, %b;", {0x80000000, 0xffffffff}), 0u);
  EXPECT_EQ(word("div.s32 %o, %a, %b;", {uint32_t(-7), 2}), uint32_t(-3));
  EXPECT_EQ(word("rem.s32 %o, %a, %b;", {uint32_t(-7), 2}), uint32_t(-1));
  EXPECT_EQ(word("min.s32 %o, %a, %b;", {0x80000000, 1}), 0x80000000u);
  EXPECT_EQ(word("min.u32 %o, %a, %b;", {0x80000000, 1}), 1u);
  EXPECT_EQ(word("abs.s32 %o, %a;", {0x80000000}), 0x80000000u);
  EXPECT_EQ(word("add.sat.s32 %o, %a, %b;", {0x7fffffff, 5}), 0x7fffffffu);
  EXPECT_EQ(word("sub.sat.s32 %o, %a, %b;", {0x80000000, 5}), 0x80000000u);
  EXPECT_EQ(word("sad.s32 %o, %a, %b, %c;", {5, uint32_t(-6), 100}), 111u);
  EXPECT_EQ(word("dp4a.s32.s32 %o, %a, %b, %c;", {0x01ff02fe, 0x03040506, 10}), uint32_t(3 - 4 + 10 - 12 + 10));
}

TEST(PtxInstructions, Carries) {
  const uint64_t a = 0xffffffffffffffff, b = 1;
  EXPECT_EQ(twice("add.cc.u64 %o, %a, %b; addc.u64 %o, %c, 0;", {a, b, 41}), 42u);
  EXPECT_EQ(twice("sub.cc.u64 %o, %a, %b; subc.u64 %o, %c, 0;", {0, 1, 41}), 40u);
  EXPECT_EQ(word("mad.lo.cc.u32 %o, %a, %b, %c; madc.hi.u32 %o, %a, %b, 0;", {0xffffffff, 0xffffffff, 0xffffffff}),
            0xffffffffu);
}

TEST(PtxInstructions, FieldsAndShifts) {
  EXPECT_EQ(word("bfe.u32 %o, %a, 8, 12;", {0x12345678}), 0x456u);
  EXPECT_EQ(word("bfe.s32 %o, %a, 4, 8;", {0x00000f50}), 0xfffffff5u);
  EXPECT_EQ(word("bfe.s32 %o, %a, 28, 12;", {0x80000000}), 0xfffffff8u);  // the sign beyond the top
  EXPECT_EQ(word("bfe.u32 %o, %a, 3, 0;", {0xffffffff}), 0u);
  EXPECT_EQ(word("bfi.b32 %o, %a, %b, 8, 8;", {0xab, 0x11111111}), 0x1111ab11u);
  EXPECT_EQ(word("shl.b32 %o, %a, 32;", {1}), 0u);
  EXPECT_EQ(word("shr.s32 %o, %a, 40;", {0x80000000}), 0xffffffffu);
  EXPECT_EQ(word("shr.u32 %o, %a, 31;", {0x80000000}), 1u);
  EXPECT_EQ(word("shf.l.wrap.b32 %o, %a, %b, 36;", {0x12345678, 0x9abcdef0}), 0xabcdef01u);
  EXPECT_EQ(word("shf.r.clamp.b32 %o, %a, %b, 36;", {0x12345678, 0x9abcdef0}), 0x9abcdef0u);
  EXPECT_EQ(word("lop3.b32 %o, %a, %b, %c, 0x96;", {0x0f0f, 0x3333, 0x5555}), uint32_t(0x0f0f ^ 0x3333 ^ 0x5555));
  EXPECT_EQ(word("lop3.b32 %o, %a, %b, %c, 0xe8;", {0x0f, 0x33, 0x55}), 0x17u);
  EXPECT_EQ(word("popc.b32 %o, %a;", {0xf0f1}), 9u);
  EXPECT_EQ(word("clz.b32 %o, %a;", {0}), 32u);
  EXPECT_EQ(word("bfind.u32 %o, %a;", {0}), 0xffffffffu);
  EXPECT_EQ(word("bfind.s32 %o, %a;", {0xfffffff0}), 3u);
  EXPECT_EQ(word("bfind.shiftamt.u32 %o, %a;", {0x100}), 23u);
  EXPECT_EQ(word("brev.b32 %o, %a;", {0x12345678}), 0x1e6a2c48u);
  EXPECT_EQ(word("fns.b32 %o, %a, 0, 3;", {0xf0}), 6u);
  EXPECT_EQ(word("bmsk.clamp.b32 %o, 4, 8;", {0}), 0xff0u);
  EXPECT_EQ(word("szext.wrap.s32 %o, %a, 8;", {0x1f0}), 0xfffffff0u);
}

TEST(PtxInstructions, Permutations) {
  EXPECT_EQ(word("prmt.b32 %o, %a, %b, 0x7531;", {0x33221100, 0x77665544}), 0x77553311u);
  EXPECT_EQ(word("prmt.b32 %o, %a, %b, 0x98ba;", {0x80017f00, 0}), 0x0000ff00u);  // signs
  EXPECT_EQ(word("prmt.b32.f4e %o, %a, %b, 2;", {0x33221100, 0x77665544}), 0x55443322u);
  EXPECT_EQ(word("prmt.b32.b4e %o, %a, %b, 1;", {0x33221100, 0x77665544}), 0x66770011u);
  EXPECT_EQ(word("prmt.b32.rc8 %o, %a, %b, 3;", {0x33221100, 0x77665544}), 0x33333333u);
  EXPECT_EQ(word("prmt.b32.rc16 %o, %a, %b, 1;", {0x33221100, 0x77665544}), 0x33223322u);
  EXPECT_EQ(one("b64", {"b32", "b32"}, "mov.b64 %o, {%a, %b};", {0x11111111, 0x22222222}), 0x2222222211111111u);
}

// ------------------------------------------------------------------------------------------------ roundings

struct Mode {
  const char *name;
  int mode;
};
const Mode kModes[] = {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

template <typename F>
auto in_mode(int mode, F f) {
  std::fesetround(mode);
  volatile const auto value = f();
  std::fesetround(FE_TONEAREST);
  return value;
}

std::vector<float> floats() {
  std::mt19937 random(7);
  std::vector<float> out = {0.0f, -0.0f, 1.0f, -1.0f, 3.0f, 0x1p-149f, 0x1p-126f, 0x1.fffffep127f, 0.1f, -0.3f};
  for (int k = 0; k < 12; ++k) out.push_back(value_of<float>(random() & 0xbfffffff));
  return out;
}

// The processor computes the same in its own rounding modes; the operands are volatile, so that it is not the compiler.
TEST(PtxInstructions, RoundedArithmeticOfFloats) {
  for (const Mode &mode : kModes) {
    const std::string rounding = std::string(".") + mode.name + ".f32 ";
    for (const float a : floats())
      for (const float b : floats()) {
        volatile const float x = a, y = b;
        const Bits in = {of(a), of(b)};
        const auto same = [&](const char *opcode, float want) {
          const float got = value_of<float>(word(opcode + rounding + "%o, %a, %b;", in));
          EXPECT_TRUE(bits_of(got) == bits_of(want) || (std::isnan(got) && std::isnan(want)))
              << opcode << rounding << a << ' ' << b << ": " << got << ", not " << want;
        };
        same("add", in_mode(mode.mode, [&] { return x + y; }));
        same("mul", in_mode(mode.mode, [&] { return x * y; }));
        same("div", in_mode(mode.mode, [&] { return x / y; }));
      }
  }
}

TEST(PtxInstructions, FusedAndRoots) {
  const double big = 1 + 0x1p-30;
  EXPECT_EQ(value_of<double>(twice("fma.rz.f64 %o, %a, %b, %c;", {of(big), of(big), of(-1.0)})), 0x1p-29 + 0x1p-60);
  EXPECT_EQ(value_of<float>(word("sqrt.rp.f32 %o, %a;", {of(2.0f)})), 0x1.6a09e8p0f);  // 1.41421356237... between
  EXPECT_EQ(value_of<float>(word("sqrt.rm.f32 %o, %a;", {of(2.0f)})), 0x1.6a09e6p0f);
  EXPECT_EQ(value_of<float>(word("rcp.rn.f32 %o, %a;", {of(3.0f)})), 1 / 3.0f);
  EXPECT_EQ(word("add.rn.f32 %o, %a, %b;", {of(HUGE_VALF), of(-HUGE_VALF)}), 0x7fffffffu);
  EXPECT_EQ(word("add.rn.sat.f32 %o, %a, %b;", {of(3.0f), of(4.0f)}), of(1.0f));
}

TEST(PtxInstructions, ExtremesOfFloats) {
  const uint64_t nan = 0x7fc12345;
  EXPECT_EQ(word("max.f32 %o, %a, %b;", {nan, of(2.0f)}), of(2.0f));
  EXPECT_EQ(word("max.NaN.f32 %o, %a, %b;", {nan, of(2.0f)}), 0x7fffffffu);
  EXPECT_EQ(word("max.f32 %o, %a, %b;", {nan, nan}), 0x7fffffffu);
  EXPECT_EQ(word("max.f32 %o, %a, %b;", {of(-0.0f), of(0.0f)}), of(0.0f));
  EXPECT_EQ(word("min.f32 %o, %a, %b;", {of(0.0f), of(-0.0f)}), of(-0.0f));
  EXPECT_EQ(word("neg.f32 %o, %a;", {of(0.0f)}), of(-0.0f));
  EXPECT_EQ(word("copysign.f32 %o, %a, %b;", {of(-1.0f), of(3.0f)}), of(-3.0f));
  EXPECT_EQ(word("testp.subnormal.f32 %p1, %a; selp.b32 %o, 1, 0, %p1;", {of(0x1p-140f)}), 1u);
}

TEST(PtxInstructions, ComparisonsWithNan) {
  const uint64_t nan = 0x7fc00000;
  const auto holds = [](const std::string &relation, uint64_t a, uint64_t b) {
    return word("setp." + relation + ".f32 %p1, %a, %b; selp.b32 %o, 1, 0, %p1;", {a, b});
  };
  for (const char *const ordered : {"eq", "ne", "lt", "le", "gt", "ge", "num"})
    EXPECT_EQ(holds(ordered, nan, of(1.0f)), 0u) << ordered;
  for (const char *const unordered : {"equ", "neu", "ltu", "leu", "gtu", "geu", "nan"})
    EXPECT_EQ(holds(unordered, nan, of(1.0f)), 1u) << unordered;
  EXPECT_EQ(holds("ltu", of(2.0f), of(1.0f)), 0u);
  EXPECT_EQ(word("setp.lt.and.s32 %p1|%p2, %a, %b, 1; selp.b32 %o, 1, 0, %p2;", {1, 2}), 0u);
  EXPECT_EQ(word("setp.lo.u32 %p1, %a, %b; selp.b32 %o, 1, 0, %p1;", {1, 0xffffffff}), 1u);
  EXPECT_EQ(word("set.lt.u32.s32 %o, %a, %b;", {0xffffffff, 1}), 0xffffffffu);
  EXPECT_EQ(word("slct.b32.s32 %o, 5, 6, %a;", {0xffffffff}), 6u);
}

// ------------------------------------------------------------------------------------------------ conversions

TEST(PtxInstructions, RealsToIntegers) {
  const auto whole = [](const std::string &how, float x) { return word("cvt." + how + ".f32 %o, %a;", {of(x)}); };
  EXPECT_EQ(whole("rzi.s32", -2.5f), uint32_t(-2));
  EXPECT_EQ(whole("rni.s32", 2.5f), 2u);
  EXPECT_EQ(whole("rni.s32", 3.5f), 4u);
  EXPECT_EQ(whole("rmi.s32", -2.5f), uint32_t(-3));
  EXPECT_EQ(whole("rpi.s32", 2.1f), 3u);
  EXPECT_EQ(whole("rzi.s32", 1e20f), 0x7fffffffu);
  EXPECT_EQ(whole("rzi.u32", -5), 0u);
  EXPECT_EQ(whole("rzi.s32", NAN), 0u);
  EXPECT_EQ(one("b64", {"b32"}, "cvt.rzi.s64.f32 %o, %a;", {of(float(NAN))}), uint64_t{1} << 63);
  EXPECT_EQ(one("b32", {"b64"}, "cvt.rzi.u32.f64 %o, %a;", {of(double(NAN))}), 0x80000000u);
  EXPECT_EQ(one("b64", {"b64"}, "cvt.rzi.u64.f64 %o, %a;", {of(1e300)}), ~uint64_t{0});
}

TEST(PtxInstructions, IntegersToReals) {
  const Bits values = {0, 1, 0xffffffffffffffff, 0x8000000000000000, 0x7fffffffffffffff, 0x20000000000001, 0x1000001};
  for (const uint64_t v : values)
    for (const Mode &mode : kModes) {
      volatile const uint64_t x = v;
      const std::string rounding = std::string("cvt.") + mode.name;
      EXPECT_EQ(one("b64", {"b64"}, rounding + ".f64.u64 %o, %a;", {v}),
                of(in_mode(mode.mode, [&] { return double(x); })));
      EXPECT_EQ(one("b32", {"b64"}, rounding + ".f32.s64 %o, %a;", {v}),
                of(in_mode(mode.mode, [&] { return float(int64_t(x)); })));
    }
}

TEST(PtxInstructions, IntegersToIntegers) {
  EXPECT_EQ(word("cvt.s32.s8 %o, %a;", {0x1ff}), 0xffffffffu);
  EXPECT_EQ(word("cvt.u32.u8 %o, %a;", {0x1ff}), 0xffu);
  EXPECT_EQ(word("cvt.sat.s8.s32 %o, %a;", {300}), 127u);
  EXPECT_EQ(word("cvt.sat.u8.s32 %o, %a;", {uint32_t(-3)}), 0u);
  EXPECT_EQ(one("b64", {"b32"}, "cvt.s64.s32 %o, %a;", {0x80000000}), 0xffffffff80000000u);
  EXPECT_EQ(one("b16", {"b64"}, "cvt.u16.u64 %o, %a;", {0x12345678}), 0x5678u);
}

// Every half is exactly a float, and comes back.
TEST(PtxInstructions, Halves) {
  for (uint32_t bits = 0; bits < 0x10000; bits += 37) {
    const uint32_t wide = uint32_t(one("b32", {"b16"}, "cvt.f32.f16 %o, %a;", {bits}));
    const float value = value_of<float>(wide);
    const bool nan = (bits & 0x7fff) > 0x7c00;
    EXPECT_EQ(std::isnan(value), nan);
    const uint64_t back = one("b16", {"b32"}, "cvt.rn.f16.f32 %o, %a;", {wide}) & 0xffff;
    EXPECT_EQ(back, nan ? 0x7fff : bits);
  }
  const auto half = [](float x, const char *how) {
    return uint32_t(one("b16", {"b32"}, std::string("cvt.") + how + ".f32 %o, %a;", {of(x)})) & 0xffff;
  };
  EXPECT_EQ(half(1 + 0x1p-11f, "rn.f16"), 0x3c00u);  // a tie, to even
  EXPECT_EQ(half(1 + 3 * 0x1p-11f, "rn.f16"), 0x3c02u);
  EXPECT_EQ(half(1 + 0x1p-11f + 0x1p-23f, "rn.f16"), 0x3c01u);
  EXPECT_EQ(half(65520, "rn.f16"), 0x7c00u);
  EXPECT_EQ(half(65520, "rz.f16"), 0x7bffu);
  EXPECT_EQ(half(0x1p-25f, "rn.f16"), 0u);
  EXPECT_EQ(half(0x1.8p-25f, "rn.f16"), 1u);
  EXPECT_EQ(half(1 + 0x1p-8f, "rn.bf16"), 0x3f80u);
  EXPECT_EQ(half(1 + 3 * 0x1p-8f, "rn.bf16"), 0x3f82u);
  EXPECT_EQ(word("cvt.rn.f16x2.f32 %o, %a, %b;", {of(1.0f), of(2.0f)}), 0x3c004000u);
}

TEST(PtxInstructions, ArithmeticOfHalves) {
  const auto op = [](const char *what, uint64_t a, uint64_t b, uint64_t c) {
    return uint32_t(one("b16", {"b16", "b16", "b16"}, what, {a, b, c})) & 0xffff;
  };
  EXPECT_EQ(op("add.rn.f16 %o, %a, %b;", 0x3c00, 0x1400, 0), 0x3c01u);  // 1 + 2^-10
  EXPECT_EQ(op("add.rn.f16 %o, %a, %b;", 0x7bff, 0x7bff, 0), 0x7c00u);
  EXPECT_EQ(op("mul.rn.f16 %o, %a, %b;", 0x4200, 0x4200, 0), 0x4880u);  // 3 * 3
  // 1 * 1 + 2^-24: far below a half's last place, but not nothing.
  EXPECT_EQ(op("fma.rn.f16 %o, %a, %b, %c;", 0x3c01, 0x3c01, 0x0001), 0x3c02u);
  EXPECT_EQ(op("fma.rn.bf16 %o, %a, %b, %c;", 0x3f81, 0x3f81, 0x0001), 0x3f82u);
  EXPECT_EQ(op("max.f16 %o, %a, %b;", 0x7e00, 0x3c00, 0), 0x3c00u);
  EXPECT_EQ(op("max.NaN.f16 %o, %a, %b;", 0x7e00, 0x3c00, 0), 0x7fffu);
  EXPECT_EQ(word("add.rn.f16x2 %o, %a, %b;", {0x3c004000, 0x40003c00}), 0x42004200u);
}

// ------------------------------------------------------------------------------------------------ lanes

// f(lane) as a text in %o, for 32 lanes.
std::vector<uint32_t> lanes_of(const std::string &body, uint32_t threads = 32) {
  const Buffer out(4 * threads);
  run_text(kernel_text(1,
                       "  .reg .b64 %addr, %at;\n  .reg .b32 %o, %t, %r<9>;\n  .reg .pred %p<5>;\n"
                       "  ld.param.u64 %addr, [k_param_0];\n  mov.u32 %t, %tid.x;\n  mul.wide.u32 %at, %t, 4;\n"
                       "  add.s64 %at, %addr, %at;\n" +
                           body + "\n  st.global.u32 [%at], %o;\n  ret;"),
           {&out}, 1, threads);
  return {out.as<uint32_t>(), out.as<uint32_t>() + threads};
}

TEST(PtxInstructions, Shuffles) {
  const auto up = lanes_of("  shfl.sync.up.b32 %o|%p1, %t, 3, 0, -1;");
  const auto down = lanes_of("  shfl.sync.down.b32 %o|%p1, %t, 3, 31, -1; @!%p1 mov.u32 %o, 99;");
  const auto across = lanes_of("  shfl.sync.bfly.b32 %o, %t, 5, 31, -1;");
  const auto segment = lanes_of("  shfl.sync.idx.b32 %o, %t, 1, 0x181f, -1;");  // segments of 8
  for (uint32_t l = 0; l < 32; ++l) {
    EXPECT_EQ(up[l], l < 3 ? l : l - 3);
    EXPECT_EQ(down[l], l > 28 ? 99 : l + 3);
    EXPECT_EQ(across[l], l ^ 5);
    EXPECT_EQ(segment[l], l / 8 * 8 + 1);
  }
}

TEST(PtxInstructions, VotesMatchesReductions) {
  const std::string odd = "  and.b32 %r1, %t, 1; setp.ne.u32 %p1, %r1, 0;\n";
  EXPECT_EQ(lanes_of(odd + "  vote.sync.ballot.b32 %o, %p1, -1;")[4], 0xaaaaaaaau);
  EXPECT_EQ(lanes_of(odd + "  vote.sync.any.pred %p2, %p1, -1; selp.b32 %o, 1, 0, %p2;")[4], 1u);
  EXPECT_EQ(lanes_of(odd + "  vote.sync.all.pred %p2, !%p1, -1; selp.b32 %o, 1, 0, %p2;")[4], 0u);
  EXPECT_EQ(lanes_of(odd + "  match.any.sync.b32 %o, %r1, -1;")[5], 0xaaaaaaaau);
  EXPECT_EQ(lanes_of(odd + "  match.all.sync.b32 %o|%p2, %r1, -1;")[5], 0u);
  EXPECT_EQ(lanes_of("  redux.sync.add.u32 %o, %t, -1;")[9], 496u);
  EXPECT_EQ(lanes_of("  redux.sync.min.s32 %o, %t, -1;")[9], 0u);
  // Each half of the warp goes its own way, and meets its own lanes.
  const auto halves = lanes_of(
      "  setp.lt.u32 %p1, %t, 16;\n  @%p1 bra LOW;\n  redux.sync.add.u32 %o, %t, 0xffff0000;\n  bra END;\nLOW:\n"
      "  redux.sync.add.u32 %o, %t, 0x0000ffff;\nEND:");
  EXPECT_EQ(halves[3], 120u);
  EXPECT_EQ(halves[20], 376u);
}

TEST(PtxInstructions, LanesThatWaitForOthers) {
  // Lane 0 waits in a loop for what lane 31 writes behind it.
  const auto out = lanes_of(R"(
  mov.u32 %o, 0;
  setp.ne.u32 %p1, %t, 0;
  @%p1 bra OTHERS;
LOOP:
  ld.volatile.global.u32 %r1, [%addr+124];
  setp.ne.u32 %p2, %r1, 77;
  @%p2 bra LOOP;
  mov.u32 %o, 5;
  bra END;
OTHERS:
  setp.ne.u32 %p3, %t, 31;
  @%p3 bra END;
  mov.u32 %o, 77;
  st.global.u32 [%addr+124], %o;
END:)");
  EXPECT_EQ(out[0], 5u);
  EXPECT_EQ(out[31], 77u);
}

TEST(PtxInstructions, BarriersOfBlocks) {
  const auto odd = lanes_of("  and.b32 %r1, %t, 1; setp.ne.u32 %p1, %r1, 0;\n  bar.red.popc.u32 %o, 0, %p1;", 96);
  for (const uint32_t count : odd) EXPECT_EQ(count, 48u);
  // Two warps meet at a barrier of their own while the third has ended.
  const auto some =
      lanes_of("  mov.u32 %o, 1;\n  setp.gt.u32 %p1, %t, 63;\n  @%p1 bra END;\n  bar.sync 3, 64;\nEND:", 96);
  EXPECT_EQ(some[0] + some[95], 2u);
}

TEST(PtxInstructions, AtomicsAndTables) {
  const auto counted = lanes_of(
      "  mov.u32 %r1, 1;\n  atom.global.add.u32 %r2, [%addr+124], %r1;\n  bar.warp.sync -1;\n"
      "  ld.global.u32 %o, [%addr+124];\n  bar.warp.sync -1;");
  EXPECT_EQ(counted[0], 32u);
  EXPECT_EQ(lanes_of("  atom.global.inc.u32 %r2, [%addr], 4;\n  bar.warp.sync -1;\n  ld.global.u32 %o, [%addr];\n"
                     "  bar.warp.sync -1;")[5],
            32u % 5);
  const auto table = lanes_of(
      "  and.b32 %r1, %t, 3;\n  brx.idx %r1, TABLE;\nTABLE: .branchtargets A, B, A, C;\nA:\n"
      "  mov.u32 %o, 10; bra END;\nB:\n  mov.u32 %o, 11; bra END;\nC:\n  mov.u32 %o, 12;\nEND:");
  EXPECT_EQ(table[0], 10u);
  EXPECT_EQ(table[1], 11u);
  EXPECT_EQ(table[7], 12u);
}

TEST(PtxInstructions, CallsAndLocalMemory) {
  const std::string function = R"(
.func (.param .b32 out) fib(.param .b32 n)
{
  .local .align 4 .b8 depot[8];
  .reg .b32 %r<6>;
  .reg .b64 %rd<3>;
  .reg .pred %p<2>;
  mov.u64 %rd1, depot;
  cvta.local.u64 %rd2, %rd1;
  ld.param.u32 %r1, [n];
  st.u32 [%rd2+4], %r1;
  mov.u32 %r4, %r1;
  setp.lt.u32 %p1, %r1, 2;
  @%p1 bra END;
  sub.s32 %r2, %r1, 1;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), fib, (a); ld.param.b32 %r3, [b]; }
  ld.u32 %r2, [%rd2+4];
  sub.s32 %r2, %r2, 2;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), fib, (a); ld.param.b32 %r4, [b]; }
  add.s32 %r4, %r3, %r4;
END:
  st.param.b32 [out], %r4;
  ret;
}
)";
  const std::string body = R"(
  .reg .b64 %rd<4>;
  .reg .b32 %r<4>;
  ld.param.u64 %rd1, [k_param_0];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), fib, (a); ld.param.b32 %r2, [b]; }
  st.global.u32 [%rd3], %r2;
  ret;)";
  const Buffer out(4 * 12);
  run_text(kernel_text(1, body, function), {&out}, 1, 12);
  const uint32_t expected[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  for (int k = 0; k < 12; ++k) EXPECT_EQ(out.as<uint32_t>()[k], expected[k]) << k;
}

}  // namespace
