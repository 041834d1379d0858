// tests/cuda/program_test.cpp -- programs on the fake driver against the literal reference, bit for bit.
#include "plugins/cuda/program/loop_results.h"
#include "plugins/cuda/program/program_cache.h"
#include "plugins/cuda/program/source.h"
#include "plugins/cuda/text/rounds.h"
#include "plugins/cuda/text/vector.h"
#include "tests/cuda/device_support.h"
#include "tests/unit/random_program.h"

namespace gpuopt::cuda {
namespace {

using test::Family;
using test::ProgramBuilder;
using test::Random;
using test::RandomProgram;

class ProgramTest : public DeviceTest {
 protected:
  void SetUp() override {
    for (const char *name : {"GPUOPT_NVRTC", "GPUOPT_CACHE_DIR", "GPUOPT_CACHE_MAX_BYTES"}) {
      if (const char *value = std::getenv(name)) test::TestHost::set(name, value);
    }
    DeviceTest::SetUp();
  }

  // Runs on copies of the operands in device memory, and brings all of that back.
  gpuopt_status run_on_device(ProgramBuilder &builder, gpuopt_program program, gpuopt_error *why) {
    const auto blocks_here = builder.memory();
    std::vector<void *> there;
    for (const auto &[memory, bytes] : blocks_here) {
      there.push_back(allocate(bytes));
      EXPECT_EQ(upload(there.back(), memory, bytes), GPUOPT_OK);
    }
    const auto move = [&](gpuopt_operand operand) {
      auto *const data = static_cast<unsigned char *>(operand.data);
      for (size_t i = 0; i < there.size(); i++) {
        const auto &[memory, bytes] = blocks_here[i];
        if (data >= memory && data < memory + bytes) operand.data = static_cast<char *>(there[i]) + (data - memory);
      }
      return operand;
    };
    std::vector<gpuopt_operand> inputs, outputs;
    for (int i = 0; i < program.ninputs; i++) inputs.push_back(move(program.inputs[i]));
    for (int i = 0; i < program.noutputs; i++) outputs.push_back(move(program.outputs[i]));
    program.inputs = inputs.data();
    program.outputs = outputs.data();
    const gpuopt_status status = SLOT(program_run)(device, stream, &program, why);
    for (size_t i = there.size(); i-- > 0;) {
      EXPECT_EQ(download(blocks_here[i].first, there[i], blocks_here[i].second), GPUOPT_OK) << error.message;
      free_last();
    }
    return status;
  }

  void check(ProgramBuilder &builder) {
    builder.check_runs(
        1, [&](int, const gpuopt_program &program, gpuopt_error *why) { return run_on_device(builder, program, why); });
  }

  void check_random(Family family, uint64_t first_seed, int count, int64_t elements) {
    const uint64_t end = first_seed + static_cast<uint64_t>(count / GPUOPT_TEST_SHARE);
    for (uint64_t seed = first_seed; seed < end; seed++) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      check(RandomProgram(family, seed, elements).builder());
      if (testing::Test::HasFatalFailure()) return;
    }
  }
};

int rounds(int usual) {
  const char *const wanted = std::getenv("GPUOPT_TEST_ROUNDS");
  return wanted ? std::atoi(wanted) : usual;
}

TEST_F(ProgramTest, RandomElementwise) { check_random(Family::kElementwise, 1, rounds(20), 3000); }
TEST_F(ProgramTest, RandomReduction) { check_random(Family::kReduction, 200000, rounds(30), 6000); }
TEST_F(ProgramTest, RandomScan) { check_random(Family::kScan, 400000, rounds(20), 6000); }

constexpr uint64_t kAll = ~uint64_t{0};

test::Layout dense(const std::vector<int64_t> &shape, int dtype) {
  return test::dense_layout(shape, kAll, test::size_of(dtype));
}

// Sequences around the sizes at which blocks, chunks and groups of chunks end, along and across memory.
TEST_F(ProgramTest, LongSequences) {
  Random random(5);
  const std::vector<std::pair<std::vector<int64_t>, uint64_t>> spaces = {
      {{70000}, 1}, {{1025}, 1}, {{5, 4097}, 2}, {{3100, 40}, 1}, {{2048, 3}, 1}, {{33, 1, 31}, 5}, {{20, 1100, 3}, 6}};
  for (const auto &[shape, axes] : spaces) {
    SCOPED_TRACE(shape[0]);
    ProgramBuilder builder(shape, axes);
    const int x = builder.input(GPUOPT_FLOAT32, GPUOPT_LEVEL_FULL, dense(shape, GPUOPT_FLOAT32), random);
    const int mean =
        builder.elementwise(GPUOPT_OP_divide, {builder.reduce(GPUOPT_REDUCTION_sum, x), builder.constant(7.0f)});
    const int centred = builder.elementwise(GPUOPT_OP_subtract, {x, mean});
    builder.output(builder.reduce(GPUOPT_REDUCTION_sum, builder.elementwise(GPUOPT_OP_square, {centred})));
    builder.output(builder.reduce(GPUOPT_REDUCTION_argmax, x));
    builder.output(centred);
    check(builder);
  }
}

// Absent elements are skipped, not replaced: the sum of negative zeros is one.
TEST_F(ProgramTest, NegativeZeros) {
  Random random(12);
  for (const int64_t length : {1, 5, 31, 33, 1024, 1025, 2050}) {
    for (const uint64_t axes : {uint64_t{1}, uint64_t{2}}) {
      SCOPED_TRACE(length);
      const std::vector<int64_t> shape = axes == 1 ? std::vector<int64_t>{length, 40} : std::vector<int64_t>{3, length};
      ProgramBuilder builder(shape, axes);
      const int x = builder.input(GPUOPT_FLOAT32, GPUOPT_LEVEL_FULL, dense(shape, GPUOPT_FLOAT32), random);
      builder.output(builder.reduce(GPUOPT_REDUCTION_sum, x));
      for (const auto &[memory, bytes] : builder.memory()) {
        const float zero = -0.0f;
        for (size_t i = 0; i + sizeof zero <= bytes; i += sizeof zero) std::memcpy(memory + i, &zero, sizeof zero);
      }
      check(builder);
    }
  }
}

// So many sequences that none is shared out, of several chunks each: three, or six, whose results wait on three levels.
TEST_F(ProgramTest, ManyLongSequences) {
  Random random(13);
  constexpr int64_t kLength = GPUOPT_TEST_SHARE == 1 ? 5200 : 2100, kMany = 4100;
  for (const bool across : {true, false}) {
    const std::vector<int64_t> shape = across ? std::vector{kLength, kMany} : std::vector{kMany, kLength};
    ProgramBuilder builder(shape, across ? 1 : 2);
    test::Layout layout = dense(shape, GPUOPT_INT16);
    if (!across) {  // one sequence that all share
      layout = test::dense_layout(shape, 2, 2);
      layout.strides[0] = 0;
    }
    const int x = builder.input(GPUOPT_INT16, GPUOPT_LEVEL_FULL, layout, random);
    builder.output(builder.reduce(GPUOPT_REDUCTION_sum, builder.cast(x, GPUOPT_FLOAT32)));
    check(builder);
  }
}

struct Named {
  using Partial = std::string;
  static Partial combine(const Partial &x, const Partial &y) { return "(" + x + y + ")"; }
  static Partial identity() { return "nothing"; }
};
struct NameKeeper {
  std::string waiting[gpo::round_levels];
  std::string take(int level) const { return waiting[level]; }
  void keep(int level, const std::string &x) {
    ASSERT_LT(level, gpo::round_levels);
    waiting[level] = x;
  }
};
using NamedRounds = gpo::Rounds<Named, NameKeeper>;

// Results that come one after the other are merged as if neighbours were paired in rounds.
TEST_F(ProgramTest, RoundsPairNeighbours) {
  for (int count = 1; count <= gpo::most_in_rounds; count++) {
    NameKeeper keeper;
    NamedRounds rounds = {keeper};
    std::vector<std::string> waiting;
    for (int i = 0; i < count; i++) {
      waiting.push_back(std::to_string(i) + ",");
      rounds.add(waiting.back());
    }
    while (waiting.size() > 1) {
      std::vector<std::string> next;
      for (size_t i = 0; i < waiting.size(); i += 2)
        next.push_back(i + 1 < waiting.size() ? Named::combine(waiting[i], waiting[i + 1]) : waiting[i]);
      waiting = next;
    }
    ASSERT_EQ(rounds.result(), waiting[0]);
  }
  NameKeeper keeper;
  EXPECT_EQ((NamedRounds{keeper}.result()), "nothing");
}

TEST_F(ProgramTest, LongScans) {
  Random random(6);
  const std::vector<std::pair<std::vector<int64_t>, uint64_t>> spaces = {
      {{70000}, 1}, {{1024}, 1}, {{33}, 1}, {{5, 4097}, 2}, {{3100, 40}, 1}, {{2048, 3}, 1}, {{20, 1100, 3}, 2}};
  for (const auto &[shape, axes] : spaces) {
    SCOPED_TRACE(shape[0]);
    ProgramBuilder builder(shape, axes);
    const int x = builder.input(GPUOPT_FLOAT32, GPUOPT_LEVEL_FULL, dense(shape, GPUOPT_FLOAT32), random);
    const int sums = builder.scan(GPUOPT_SCAN_cumulative_sum, builder.elementwise(GPUOPT_OP_negative, {x}));
    builder.output(builder.elementwise(GPUOPT_OP_subtract, {sums, x}));
    builder.output_in_place(sums, 0);
    check(builder);
  }
}

// Nothing to reduce gives the identities, and what follows from them; FULL outputs have no elements.
TEST_F(ProgramTest, EmptySequences) {
  Random random(7);
  for (const uint64_t axes : {uint64_t{2}, uint64_t{3}}) {
    const std::vector<int64_t> shape = {3, 0};
    ProgramBuilder builder(shape, axes);
    const int x = builder.input(GPUOPT_INT16, GPUOPT_LEVEL_FULL, dense(shape, GPUOPT_INT16), random);
    const int sum = builder.reduce(GPUOPT_REDUCTION_sum, x);
    builder.output(builder.elementwise(GPUOPT_OP_add, {sum, builder.constant(gpo::i64{5})}));
    builder.output(builder.reduce(GPUOPT_REDUCTION_prod, x));
    builder.output(builder.elementwise(GPUOPT_OP_add, {builder.cast(x, GPUOPT_INT64), sum}));
    check(builder);
  }
}

// More reductions of one stage than a kernel takes, all used together afterwards.
TEST_F(ProgramTest, ManyReductions) {
  Random random(8);
  const std::vector<int64_t> shape = {6, 50};
  ProgramBuilder builder(shape, 2);
  const int x = builder.input(GPUOPT_INT32, GPUOPT_LEVEL_FULL, dense(shape, GPUOPT_INT32), random);
  int total = builder.constant(gpo::i64{0});
  for (int i = 0; i < 20; i++) {
    const int shifted = builder.elementwise(GPUOPT_OP_add, {x, builder.constant(gpo::i32{i})});
    total = builder.elementwise(GPUOPT_OP_subtract, {builder.reduce(GPUOPT_REDUCTION_sum, shifted), total});
  }
  builder.output(total);
  builder.output(builder.elementwise(GPUOPT_OP_multiply, {builder.cast(x, GPUOPT_INT64), total}));
  check(builder);
}

// A REDUCED output over an input that a later pass over the whole space still reads.
TEST_F(ProgramTest, ReducedOutputOverItsInput) {
  Random random(9);
  const std::vector<int64_t> shape = {6, 50};
  ProgramBuilder builder(shape, 2);
  const int x = builder.input(GPUOPT_FLOAT64, GPUOPT_LEVEL_FULL, dense(shape, GPUOPT_FLOAT64), random);
  const int weight = builder.input(GPUOPT_FLOAT64, GPUOPT_LEVEL_REDUCED,
                                   test::dense_layout(shape, builder.axes_of(GPUOPT_LEVEL_REDUCED), 8), random);
  const int sum = builder.reduce(GPUOPT_REDUCTION_sum, builder.elementwise(GPUOPT_OP_multiply, {x, weight}));
  const int scaled =
      builder.elementwise(GPUOPT_OP_multiply, {builder.elementwise(GPUOPT_OP_subtract, {x, sum}), weight});
  builder.output(builder.reduce(GPUOPT_REDUCTION_max, scaled));
  builder.output_in_place(sum, 1);
  check(builder);
}

// Every kind of element in vectors, with an end shorter than one, and unaligned.
TEST_F(ProgramTest, Vectors) {
  Random random(10);
  for (int dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
    for (const int64_t offset : {0, 1}) {
      const std::vector<int64_t> shape = {3001};
      ProgramBuilder builder(shape, 0);
      test::Layout layout = dense(shape, dtype);
      layout.offset = offset * test::size_of(dtype);
      layout.bytes += layout.offset;
      const int x = builder.input(dtype, GPUOPT_LEVEL_FULL, layout, random);
      builder.output(x);
      builder.output(builder.cast(x, GPUOPT_COMPLEX64));
      check(builder);
    }
  }
}

// The layout of a program's only pass over arrays that are read at one address and stored at another.
Layout layout_of(const gpuopt_program &program, const Pass &pass, uint64_t read, uint64_t stored) {
  std::vector<OperandMemory> memory;
  for (const PassOperand &o : pass.operands) {
    memory.push_back({o.stored ? stored : read,
                      (o.kind == OperandKind::kInput ? program.inputs : program.outputs)[o.index].strides});
  }
  Layout layout;
  find_layout(program, pass, memory, layout);
  return layout;
}
Layout layout_of(const gpuopt_program &program, const Pass &pass, uint64_t address) {
  return layout_of(program, pass, address, address);
}

// A Map of operands of two widths fills stores of 16 bytes by two loads of 16 bytes, but does not divide a store, and
// reads no more than 64 bytes ahead. Where the stores are aligned for fewer elements than that, it takes fewer.
TEST_F(ProgramTest, VectorsOfNarrowStores) {
  struct Case {
    int from, to, inputs;
    uint64_t read, stored;  // addresses
    int vector;
  };
  Random random(17);
  for (const auto &[from, to, inputs, read, stored, vector] :
       {Case{GPUOPT_FLOAT64, GPUOPT_FLOAT32, 1, 4096, 4096, 4},
        {GPUOPT_INT64, GPUOPT_FLOAT32, 1, 4096 + 16, 4096, 4},
        {GPUOPT_FLOAT64, GPUOPT_FLOAT32, 1, 4096, 4096 + 8, 2},
        {GPUOPT_FLOAT64, GPUOPT_FLOAT32, 1, 4096, 4096 + 4, 1},
        {GPUOPT_FLOAT64, GPUOPT_FLOAT32, 1, 4096 + 8, 4096, 1},
        {GPUOPT_FLOAT64, GPUOPT_FLOAT32, 2, 4096, 4096, 4},
        {GPUOPT_FLOAT64, GPUOPT_FLOAT32, 3, 4096, 4096, 2},
        {GPUOPT_FLOAT64, GPUOPT_BOOL, 1, 4096, 4096, 4},
        {GPUOPT_FLOAT32, GPUOPT_FLOAT16, 1, 4096, 4096, 8},
        {GPUOPT_FLOAT32, GPUOPT_FLOAT64, 1, 4096, 4096, 2},
        {GPUOPT_COMPLEX128, GPUOPT_COMPLEX64, 1, 4096, 4096, 2}}) {
    SCOPED_TRACE(std::to_string(inputs) + " of " + std::to_string(from) + " to " + std::to_string(to));
    const std::vector<int64_t> shape = {3003};
    ProgramBuilder builder(shape, 0);
    int sum = builder.input(from, GPUOPT_LEVEL_FULL, dense(shape, from), random);
    for (int i = 1; i < inputs; i++)
      sum =
          builder.elementwise(GPUOPT_OP_add, {sum, builder.input(from, GPUOPT_LEVEL_FULL, dense(shape, from), random)});
    builder.output(builder.cast(sum, to));
    const gpuopt_program program = builder.program();
    const LoweredProgram lowered = lower(program, false);
    EXPECT_EQ(int{layout_of(program, lowered.passes.at(0), read, stored).shape.vector}, vector);
    check(builder);
  }
  static_assert(alignof(gpo::Vector<double, 4>) == 16 && sizeof(gpo::Vector<double, 4>) == 32);
  static_assert(alignof(gpo::Vector<float, 2>) == 8 && alignof(gpo::Vector<gpo::c128, 1>) == alignof(gpo::c128));
}

// A sum of what lies dense is read as vectors of 16 bytes, of all kinds of elements, with an end shorter than these of
// a warp; one that begins an element later, or whose rows do, is not. What is stored beside it need not be aligned.
TEST_F(ProgramTest, VectorsOfSequences) {
  struct Case {
    int dtype;
    std::vector<int64_t> shape;
    int64_t offset;
    int vector;
  };
  Random random(15);
  for (const auto &[dtype, shape, offset, vector] : {Case{GPUOPT_BOOL, {3001}, 0, 16},
                                                     {GPUOPT_FLOAT16, {2, 1, 1336}, 0, 8},
                                                     {GPUOPT_FLOAT32, {3001}, 0, 4},
                                                     {GPUOPT_FLOAT32, {3001}, 4, 1},
                                                     {GPUOPT_FLOAT32, {5, 132}, 0, 4},
                                                     {GPUOPT_FLOAT32, {5, 133}, 0, 1},
                                                     {GPUOPT_FLOAT32, {5, 124}, 0, 1},
                                                     {GPUOPT_COMPLEX64, {2, 1030}, 0, 2}}) {
    SCOPED_TRACE(std::to_string(dtype) + ", " + std::to_string(shape.back()) + ", " + std::to_string(offset));
    ProgramBuilder builder(shape, uint64_t{1} << (shape.size() - 1));
    test::Layout layout = dense(shape, dtype);
    layout.offset = offset;
    layout.bytes += offset;
    const int x = builder.input(dtype, GPUOPT_LEVEL_FULL, layout, random);
    builder.output(builder.reduce(GPUOPT_REDUCTION_sum, dtype == GPUOPT_FLOAT16 ? builder.cast(x, GPUOPT_FLOAT32) : x));
    builder.output(builder.cast(x, GPUOPT_COMPLEX64));
    const gpuopt_program program = builder.program();
    const LoweredProgram lowered = lower(program, false);
    const Layout found = layout_of(program, lowered.passes.at(0), 4096 + static_cast<uint64_t>(offset));
    EXPECT_EQ(found.shape.kind, KernelKind::kReduceRows);
    EXPECT_EQ(int{found.shape.vector}, vector);
    check(builder);
  }
}

// Two operands of other widths, and rows of which one is repeated.
TEST_F(ProgramTest, VectorsOfTwoOperands) {
  Random random(16);
  const std::vector<int64_t> shape = {3, 1100};
  ProgramBuilder builder(shape, 2);
  const int x = builder.input(GPUOPT_INT16, GPUOPT_LEVEL_FULL, dense(shape, GPUOPT_INT16), random);
  const int y = builder.input(GPUOPT_FLOAT32, GPUOPT_LEVEL_FULL, test::dense_layout(shape, 2, 4), random);
  builder.output(builder.reduce(GPUOPT_REDUCTION_sum,
                                builder.elementwise(GPUOPT_OP_multiply, {builder.cast(x, GPUOPT_FLOAT32), y})));
  builder.output(builder.reduce(GPUOPT_REDUCTION_argmax, y));
  const gpuopt_program program = builder.program();
  const LoweredProgram lowered = lower(program, false);
  EXPECT_EQ(int{layout_of(program, lowered.passes.at(0), 0).shape.vector}, 4);
  check(builder);
}

// How many bytes the kernel of a program's only pass reads before it computes, per thread.
int64_t bytes_on_their_way(ProgramBuilder &builder, int size) {
  const gpuopt_program program = builder.program();
  const LoweredProgram lowered = lower(program, false);
  const Pass &pass = lowered.passes.at(0);
  const Layout layout = layout_of(program, pass, 0);
  const int at_once = layout.shape.kind == KernelKind::kReduceColumns ? 4 : layout.shape.vector;
  return int64_t{size} * at_once * reads_ahead(pass, layout.shape);
}

// 64, whatever the elements; fewer where that would be more code than a kernel should have.
TEST_F(ProgramTest, BytesOnTheirWay) {
  Random random(14);
  for (const int dtype : {GPUOPT_INT8, GPUOPT_INT16, GPUOPT_FLOAT32, GPUOPT_FLOAT64, GPUOPT_COMPLEX128}) {
    const int size = test::size_of(dtype);
    const auto measure = [&](const std::vector<int64_t> &shape, uint64_t axes, int64_t step) {
      ProgramBuilder builder(shape, axes);
      test::Layout layout = dense(shape, dtype);
      for (int64_t &stride : layout.strides) stride *= step;
      layout.bytes *= step;
      const int x = builder.input(dtype, GPUOPT_LEVEL_FULL, layout, random);
      builder.output(axes ? builder.reduce(GPUOPT_REDUCTION_sum, x) : builder.elementwise(GPUOPT_OP_negative, {x}));
      return bytes_on_their_way(builder, size);
    };
    EXPECT_EQ(measure({100, 200}, 0, 1), 64) << "rows of " << size;
    EXPECT_EQ(measure({100, 200}, 0, 2), std::min(64, 4 * size)) << "points of " << size;
    EXPECT_EQ(measure({3, 2000}, 2, 1), size == 1 ? 32 : 64) << "vectors of sequences along memory of " << size;
    EXPECT_EQ(measure({3, 2001}, 2, 1), std::min(64, 8 * size)) << "sequences along memory of " << size;
    EXPECT_EQ(measure({2000, 100}, 1, 1), std::min(64, 8 * size)) << "sequences across memory of " << size;
  }
}

template <class Word, class T>
void expect_packed(Random &random) {
  constexpr int count = sizeof(Word) / sizeof(T);
  gpo::stored<T> lanes[count];
  for (auto &lane : lanes) lane = test::random_value<T>(random);
  Word expected;
  std::memcpy(&expected, lanes, sizeof(Word));
  EXPECT_EQ((gpo::pack<Word>(lanes)), expected);
}

// What stores of vectors are made of on a GPU.
TEST_F(ProgramTest, LanesArePackedAsTheyLieInMemory) {
  Random random(11);
  for (int round = 0; round < 100; round++) {
    for (const int dtype : {GPUOPT_BOOL, GPUOPT_INT8, GPUOPT_INT16, GPUOPT_INT32, GPUOPT_UINT8, GPUOPT_UINT16,
                            GPUOPT_UINT32, GPUOPT_FLOAT16, GPUOPT_BFLOAT16, GPUOPT_FLOAT32}) {
      test::with_type(dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (sizeof(T) <= 4) expect_packed<gpo::u32, T>(random);
      });
    }
    expect_packed<gpo::u64, gpo::i64>(random);
    expect_packed<gpo::u64, gpo::u64>(random);
    expect_packed<gpo::u64, double>(random);
    expect_packed<gpo::u64, gpo::c64>(random);
  }
}

// Both backends have the same loops: one from ops.def, the other from what was compiled.
TEST_F(ProgramTest, LoopsAreThoseOfTheReference) {
  for (int dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
    for (int op = 0; op < GPUOPT_OP_COUNT; op++)
      EXPECT_EQ(loop_results().elementwise[op][dtype], test::scalar_op(op, dtype).result_dtype) << op << " " << dtype;
    for (int i = 0; i < GPUOPT_REDUCTION_COUNT; i++)
      EXPECT_EQ(loop_results().reduction[i][dtype], test::reduction_op(i, dtype).result_dtype) << i << " " << dtype;
    for (int i = 0; i < GPUOPT_SCAN_COUNT; i++)
      EXPECT_EQ(loop_results().scan[i][dtype], test::scan_op(i, dtype).result_dtype) << i << " " << dtype;
  }
}

}  // namespace
}  // namespace gpuopt::cuda
