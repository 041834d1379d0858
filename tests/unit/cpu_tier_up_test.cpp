// tests/unit/cpu_tier_up_test.cpp -- compiled programs. Random ones give the bits of the literal reference, at every
// instruction set level and for several numbers of threads. Also when a program is compiled.
#include <chrono>
#include <cstdlib>
#include <thread>

#include "plugins/cpu/program/tier_choice.h"
#include "tests/unit/random_program.h"

namespace gpuopt::test {
namespace {

// The pool's size is fixed in a process; GPUOPT_NUM_THREADS reaches it through the test host.
class Settings : public testing::Environment {
  void SetUp() override {
    if (const char *threads = std::getenv("GPUOPT_NUM_THREADS")) TestHost::set("GPUOPT_NUM_THREADS", threads);
    TestHost::set("GPUOPT_JIT", GPUOPT_TEST_JIT);
    TestHost::set("GPUOPT_CACHE_MAX_BYTES", "0");
    TestHost::install();
  }
};
[[maybe_unused]] testing::Environment *const settings = testing::AddGlobalTestEnvironment(new Settings);

int lines_with(const std::string &words) {
  TestHost &host = TestHost::get();
  const std::lock_guard lock(host.mutex);
  int count = 0;
  for (const LogLine &line : host.lines) count += line.event == "cpu.tier_up" && line.detail.find(words) == 0;
  return count;
}
int compiled() { return lines_with("a program is compiled"); }
int failed() { return lines_with("a program stays interpreted"); }

// No program may fail to compile, and most contain something that is worth compiling.
void check_many(Family family, uint64_t first_seed, int count, int64_t elements) {
  TestHost::set("GPUOPT_CPU_TIER_UP", "now");
  const int before = compiled(), runs = count / GPUOPT_TEST_SHARE;
  for (uint64_t seed = first_seed; seed < first_seed + static_cast<uint64_t>(runs); seed++) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomProgram(family, seed, elements).builder().check();
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GE(compiled() - before, runs / 2);
  EXPECT_EQ(failed(), 0);
}

TEST(CpuTierUp, Elementwise) {
  check_many(Family::kElementwise, 1, 100, 3000);
  check_many(Family::kElementwise, 100000, 5, 150000);
}
TEST(CpuTierUp, Reduction) { check_many(Family::kReduction, 200000, 60, 6000); }
TEST(CpuTierUp, Scan) { check_many(Family::kScan, 400000, 40, 6000); }

// A product that is added to, in every floating-point type, shows if a rounding is missing.
TEST(CpuTierUp, ProductsAreRoundedBeforeSums) {
  TestHost::set("GPUOPT_CPU_TIER_UP", "now");
  const int before = compiled();
  for (const int dtype : {GPUOPT_FLOAT32, GPUOPT_FLOAT64, GPUOPT_COMPLEX64, GPUOPT_COMPLEX128}) {
    Random random(7);
    ProgramBuilder builder({1000}, 0);
    const Layout layout = dense_layout({1000}, ~uint64_t{0}, size_of(dtype));
    int v[3];
    for (int &x : v) x = builder.input(dtype, GPUOPT_LEVEL_FULL, layout, random);
    const int product = builder.elementwise(GPUOPT_OP_multiply, {v[0], v[1]});
    builder.output(builder.elementwise(GPUOPT_OP_add, {product, v[2]}));
    builder.output(builder.elementwise(GPUOPT_OP_subtract, {v[2], product}));
    builder.check();
  }
  EXPECT_GE(compiled() - before, 4);
}

// Rows of `columns` elements, each with a gap of `gap` elements behind it.
Layout rows_with_gaps(int64_t rows, int64_t columns, int64_t gap, int64_t size) {
  Layout layout;
  layout.strides = {(columns + gap) * size, size};
  layout.bytes = rows * (columns + gap) * size;
  return layout;
}

// One loop that reads and writes its operands where they are goes through long pieces of rows: whole arrays, rows with
// gaps, rows shorter than such a piece and longer than an ordinary tile; in place, beside an output of its own, and
// copies.
TEST(CpuTierUp, OneLoopOverLongRows) {
  struct Shape {
    int64_t rows, columns, gap;
  };
  for (const char *tier_up : {"now", "off"}) {
    TestHost::set("GPUOPT_CPU_TIER_UP", tier_up);
    for (const Shape s : {Shape{1, 100003, 0}, Shape{3, 40001, 5}, Shape{31, 2500, 0}, Shape{31, 2500, 1}}) {
      for (const int dtype : {GPUOPT_FLOAT32, GPUOPT_FLOAT64}) {
        SCOPED_TRACE(std::string(tier_up) + ", " + std::to_string(s.rows) + " rows, dtype " + std::to_string(dtype));
        Random random(static_cast<uint64_t>(s.columns + dtype));
        const Layout layout = rows_with_gaps(s.rows, s.columns, s.gap, size_of(dtype));
        ProgramBuilder chain({s.rows, s.columns}, 0), single({s.rows, s.columns}, 0), copy({s.rows, s.columns}, 0);
        const int x = chain.input(dtype, GPUOPT_LEVEL_FULL, layout, random),
                  y = chain.input(dtype, GPUOPT_LEVEL_FULL, layout, random);
        const int product = chain.elementwise(GPUOPT_OP_multiply, {x, y});
        chain.output(product, layout, GPUOPT_LEVEL_FULL);
        chain.output_in_place(chain.elementwise(GPUOPT_OP_add, {product, product}), 0);
        chain.check();
        const int a = single.input(dtype, GPUOPT_LEVEL_FULL, layout, random),
                  b = single.input(dtype, GPUOPT_LEVEL_FULL, layout, random);
        single.output_in_place(single.elementwise(GPUOPT_OP_subtract, {a, b}), 1);
        single.check();
        const int c = copy.input(dtype, GPUOPT_LEVEL_FULL, layout, random);
        copy.output(c, layout, GPUOPT_LEVEL_FULL);
        copy.output(c);
        copy.check();
      }
    }
  }
}

// A layout whose rows are contiguous and far apart as a rule: rows with gaps, in turned order, one row for all, one
// element for each row, or the transpose.
Layout some_rows(Random &random, int64_t rows, int64_t columns, int64_t size) {
  const int64_t pitch = (columns + pick(random, 0, 40)) * size;
  Layout layout;
  layout.strides = {pitch, size};
  layout.bytes = rows * pitch;
  switch (pick(random, 0, 9)) {
    case 0:
      layout.strides[0] = -pitch;
      layout.offset = (rows - 1) * pitch;
      break;
    case 1:
      layout.strides[0] = 0;
      break;
    case 2:
      layout.strides = {size, 0};
      break;
    case 3:
      layout.strides = {size, rows * size};
      layout.bytes = rows * columns * size;
      break;
    default:
      break;
  }
  return layout;
}

// Compiled code goes through the rows of operands where they are. Chains with and without slow paths, outputs beside
// and over their inputs, one value stored twice, inputs that are copied; and the same after a reduction of either axis,
// whose results the last pass reads for each row or column.
TEST(CpuTierUp, RowsAreComputedWhereTheyAre) {
  TestHost::set("GPUOPT_CPU_TIER_UP", "now");
  const int before = compiled(), runs = 100 / GPUOPT_TEST_SHARE;
  for (int seed = 1; seed <= runs; seed++) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<uint64_t>(seed));
    const int64_t columns = pick(random, 60, chance(random, 0.7) ? 300 : 3000), rows = pick(random, 2, 20000 / columns);
    const int dtype = chance(random, 0.5) ? GPUOPT_FLOAT32 : GPUOPT_FLOAT64;
    ProgramBuilder builder({rows, columns}, static_cast<uint64_t>(pick(random, 0, 2)));
    int v[3];
    for (int &x : v)
      x = builder.input(dtype, GPUOPT_LEVEL_FULL, some_rows(random, rows, columns, size_of(dtype)), random);
    int y = builder.elementwise(GPUOPT_OP_add, {builder.elementwise(GPUOPT_OP_multiply, {v[0], v[1]}), v[2]});
    if (chance(random, 0.3)) y = builder.elementwise(GPUOPT_OP_exp, {y});
    const int z = builder.elementwise(GPUOPT_OP_maximum, {builder.elementwise(GPUOPT_OP_subtract, {v[1], y}), v[0]});
    const int sum = chance(random, 0.7) ? builder.reduce(GPUOPT_REDUCTION_sum, chance(random, 0.5) ? z : v[0]) : y;
    const int last = builder.elementwise(GPUOPT_OP_subtract, {builder.elementwise(GPUOPT_OP_multiply, {z, sum}), y});
    const Layout apart = rows_with_gaps(rows, columns, pick(random, 0, 30), size_of(dtype));
    builder.output(last, apart, GPUOPT_LEVEL_FULL);
    if (chance(random, 0.3)) builder.output(last, apart, GPUOPT_LEVEL_FULL);
    if (chance(random, 0.3)) builder.output(v[1], apart, GPUOPT_LEVEL_FULL);
    if (chance(random, 0.3)) builder.output(z, apart, GPUOPT_LEVEL_FULL);
    if (chance(random, 0.2)) builder.output(sum);
    // Only what the last pass computes may overwrite an input.
    if (chance(random, 0.4) && builder.can_overwrite(0)) builder.output_in_place(sum == y ? z : last, 0);
    if (chance(random, 0.2) && builder.can_overwrite(2)) builder.output_in_place(last, 2);
    builder.check();
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GE(compiled() - before, runs / 2);
  EXPECT_EQ(failed(), 0);
}

// Several long operations are several loops over a block. What lies between them, slow paths of each, a result between
// them that is an output, too, and results that overwrite an input that the last of them reads again.
TEST(CpuTierUp, LongOperationsAreLoopsOfTheirOwn) {
  TestHost::set("GPUOPT_CPU_TIER_UP", "now");
  const int before = compiled();
  for (const int dtype : {GPUOPT_FLOAT32, GPUOPT_FLOAT64}) {
    for (const int64_t n : {int64_t{1}, int64_t{64}, int64_t{1000}, int64_t{5000}}) {
      SCOPED_TRACE("dtype " + std::to_string(dtype) + ", elements " + std::to_string(n));
      Random random(static_cast<uint64_t>(n));
      ProgramBuilder builder({n}, 0);
      const Layout layout = dense_layout({n}, ~uint64_t{0}, size_of(dtype));
      const int x = builder.input(dtype, GPUOPT_LEVEL_FULL, layout, random),
                y = builder.input(dtype, GPUOPT_LEVEL_FULL, layout, random);
      const int down = builder.elementwise(GPUOPT_OP_negative, {builder.elementwise(GPUOPT_OP_abs, {x})});
      const int soft = builder.elementwise(GPUOPT_OP_log1p, {builder.elementwise(GPUOPT_OP_exp, {down})});
      const int plus = builder.elementwise(GPUOPT_OP_add, {soft, builder.elementwise(GPUOPT_OP_maximum, {x, down})});
      const int wave = builder.elementwise(GPUOPT_OP_sin, {builder.elementwise(GPUOPT_OP_multiply, {plus, y})});
      const int last = builder.elementwise(GPUOPT_OP_divide, {wave, builder.elementwise(GPUOPT_OP_log, {x})});
      builder.output(builder.elementwise(GPUOPT_OP_less, {wave, y}));
      builder.output(soft);
      builder.output_in_place(last, 0);
      builder.output_in_place(plus, 1);
      builder.check();
    }
  }
  EXPECT_GE(compiled() - before, 2);
}

// Runs sin(x * y) + constants over this number of elements.
void add_hot(ProgramBuilder &builder, int64_t elements, int constant, Random &random) {
  const Layout layout = dense_layout({elements}, ~uint64_t{0}, 8);
  const int x = builder.input(GPUOPT_FLOAT64, GPUOPT_LEVEL_FULL, layout, random),
            y = builder.input(GPUOPT_FLOAT64, GPUOPT_LEVEL_FULL, layout, random);
  const int scale = builder.constant(static_cast<double>(constant));
  int v = builder.elementwise(GPUOPT_OP_sin, {builder.elementwise(GPUOPT_OP_multiply, {x, y})});
  // Each constant would make another program if the text contained its value.
  for (int i = 0; i < constant; i++) v = builder.elementwise(GPUOPT_OP_add, {v, scale});
  builder.output(v);
}

void run_once(ProgramBuilder &builder) {
  builder.check_runs(
      1, [](int, const gpuopt_program &p, gpuopt_error *error) { return cpu::run_program(p, TestHost::api(), error); });
}

// Two programs that differ only in what their last output stores have different code.
TEST(CpuTierUp, ProgramsThatDifferInTheLastOutputOnly) {
  TestHost::set("GPUOPT_CPU_TIER_UP", "now");
  const int before = compiled();
  for (const bool sum : {true, false}) {
    SCOPED_TRACE(sum ? "the sum" : "the difference");
    Random random(11);
    ProgramBuilder builder({1000}, 0);
    const Layout layout = dense_layout({1000}, ~uint64_t{0}, 8);
    const int x = builder.input(GPUOPT_FLOAT64, GPUOPT_LEVEL_FULL, layout, random),
              y = builder.input(GPUOPT_FLOAT64, GPUOPT_LEVEL_FULL, layout, random);
    const int product = builder.elementwise(GPUOPT_OP_multiply, {x, y});
    const int plus = builder.elementwise(GPUOPT_OP_add, {product, x}),
              minus = builder.elementwise(GPUOPT_OP_subtract, {product, x});
    builder.output(product);
    builder.output(sum ? plus : minus);
    run_once(builder);
  }
  EXPECT_EQ(compiled() - before, 2);
}

// Lets a program of this size run until its trials end; a run takes as many nanoseconds for each element as its way
// does. Returns how many runs that were.
int run_trials(cpu::TierChoice &choice, int64_t elements, int64_t interpreted, int64_t compiled) {
  for (int run = 1; run <= 100; run++) {
    const cpu::TierChoice::Trial trial = choice.next(elements);
    if (choice.took(trial, elements, elements * (trial.compiled ? compiled : interpreted))) return run;
  }
  return -1;
}

TEST(TierChoice, KeepsTheFasterWayForEachSize) {
  using Kept = cpu::TierChoice::Kept;
  cpu::TierChoice choice;
  const int64_t before_code = cpu::tier_counts().compiled, before_interpreter = cpu::tier_counts().interpreted;
  EXPECT_EQ(choice.kept(1000), Kept::kUndecided);
  EXPECT_EQ(run_trials(choice, 1000, 5, 3), cpu::TierChoice::kTrials);
  EXPECT_EQ(run_trials(choice, 100000, 5, 7), cpu::TierChoice::kTrials);
  EXPECT_EQ(choice.kept(1000), Kept::kCompiled);
  EXPECT_EQ(choice.kept(1023), Kept::kCompiled) << "of the same size";
  EXPECT_EQ(choice.kept(100000), Kept::kInterpreted);
  EXPECT_EQ(choice.kept(10000), Kept::kUndecided) << "nothing was timed";
  EXPECT_EQ(choice.best(true, 100000), 7);
  EXPECT_EQ(choice.best(false, 100000), 5);
  for (int run = 0; run < 3; run++) {
    EXPECT_TRUE(choice.next(1000).compiled);
    EXPECT_FALSE(choice.next(100000).compiled);
    EXPECT_FALSE(choice.next(100000).timed);
  }
  EXPECT_EQ(cpu::tier_counts().compiled - before_code, 1);
  EXPECT_EQ(cpu::tier_counts().interpreted - before_interpreter, 1);
}

TEST(TierChoice, AsksAgain) {
  using Kept = cpu::TierChoice::Kept;
  cpu::TierChoice choice;
  run_trials(choice, 50, 5, 7);
  choice.ask_again(50);
  EXPECT_EQ(choice.kept(50), Kept::kUndecided);
  EXPECT_EQ(run_trials(choice, 50, 5, 4), cpu::TierChoice::kTrials) << "what was measured before does not count";
  EXPECT_EQ(choice.kept(50), Kept::kCompiled);
}

// Code that is as fast as the interpreter is kept, and one disturbed run decides nothing.
TEST(TierChoice, TheFastestRunsAreCompared) {
  cpu::TierChoice choice;
  run_trials(choice, 1, 100, 100);
  EXPECT_EQ(choice.kept(1), cpu::TierChoice::Kept::kCompiled);
  for (int run = 0; run < cpu::TierChoice::kTrials; run++) {
    const cpu::TierChoice::Trial trial = choice.next(1000);
    choice.took(trial, 1000, (trial.compiled ? 2000 : 3000) + (run < 8 ? 1000000 : 0));
  }
  EXPECT_EQ(choice.kept(1000), cpu::TierChoice::Kept::kCompiled);
}

// Runs that fail are not counted, and those that end after the others have decided change nothing.
TEST(TierChoice, RunsMayFailOrEndLate) {
  cpu::TierChoice choice;
  const cpu::TierChoice::Trial late = choice.next(1000);
  EXPECT_TRUE(late.timed);
  for (int run = 0; run < 300; run++) choice.next(1000);
  EXPECT_EQ(choice.kept(1000), cpu::TierChoice::Kept::kUndecided);
  const int runs = run_trials(choice, 1000, 2, 4);
  EXPECT_GE(runs, cpu::TierChoice::kTrials);
  EXPECT_EQ(choice.kept(1000), cpu::TierChoice::Kept::kInterpreted);
  EXPECT_FALSE(choice.took(late, 1000, 1));
  EXPECT_EQ(choice.kept(1000), cpu::TierChoice::Kept::kInterpreted);
}

// A caller that alternates between kinds of run, some of which take longer, gives both ways their share of each.
TEST(TierChoice, NoPeriodOfTheCallersMatters) {
  for (int period = 2; period <= 6; period++) {
    cpu::TierChoice choice;
    bool seen[2][2] = {};  // of both ways, runs of both kinds
    for (int run = 0; run < cpu::TierChoice::kTrials; run++) {
      const cpu::TierChoice::Trial trial = choice.next(1000);
      seen[trial.compiled][run % period != 0] = true;
      choice.took(trial, 1000, 1000);
    }
    EXPECT_TRUE(seen[0][0] && seen[0][1] && seen[1][0] && seen[1][1]) << period;
  }
}

TEST(TierChoice, SizesThatAreExtreme) {
  for (const int64_t elements : {int64_t{0}, int64_t{1}, int64_t{1} << 40, INT64_MAX}) {
    cpu::TierChoice choice;
    for (int run = 0; run < cpu::TierChoice::kTrials; run++) {
      const cpu::TierChoice::Trial trial = choice.next(elements);
      choice.took(trial, elements, trial.compiled ? 90 : 50);
    }
    EXPECT_EQ(choice.kept(elements), cpu::TierChoice::Kept::kInterpreted) << elements;
  }
}

TEST(TierChoice, ManyThreads) {
  cpu::TierChoice choice;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++) {
    threads.emplace_back([&choice] {
      for (int run = 0; run < 2000; run++) {
        const cpu::TierChoice::Trial trial = choice.next(1000);
        choice.took(trial, 1000, trial.compiled ? 3000 : 2000);
        if (run % 500 == 499) choice.ask_again(1000);
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  run_trials(choice, 1000, 2, 3);
  EXPECT_EQ(choice.kept(1000), cpu::TierChoice::Kept::kInterpreted);
}

template <class Condition>
bool comes_true(Condition condition) {
  for (int i = 0; i < 6000 && !condition(); i++) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return condition();
}

// About 2.7 ms of work each: twenty of them are hot, six are not.
TEST(CpuTierUp, HotProgramsAreCompiledInTheBackground) {
  TestHost::set("GPUOPT_CPU_TIER_UP", "on");
  Random random(1);
  ProgramBuilder builder({1000000}, 0);
  add_hot(builder, 1000000, 1, random);
  const int before = compiled();
  const gpuopt_program program = builder.program();
  gpuopt_error error = GPUOPT_ERROR_INIT;
  for (int i = 0; i < 6; i++) ASSERT_EQ(cpu::run_program(program, TestHost::api(), &error), GPUOPT_OK);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(compiled(), before) << "it has not been much work yet";
  for (int i = 0; i < 20; i++) ASSERT_EQ(cpu::run_program(program, TestHost::api(), &error), GPUOPT_OK);
  EXPECT_TRUE(comes_true([&] { return compiled() == before + 1; }));
  const auto kept = [] { return cpu::tier_counts().compiled + cpu::tier_counts().interpreted; };
  const int64_t kept_before = kept();
  for (int i = 0; i < cpu::TierChoice::kTrials; i++) run_once(builder);  // by turns, and the bits are checked
  EXPECT_EQ(kept(), kept_before + 1);
  EXPECT_EQ(lines_with("the interpreter is kept: ") + lines_with("a program's code is kept: "), 1);
  run_once(builder);
  EXPECT_EQ(compiled(), before + 1) << "once";
}

TEST(CpuTierUp, NothingIsCompiledIfSwitchedOff) {
  TestHost::set("GPUOPT_CPU_TIER_UP", "off");
  Random random(1);
  ProgramBuilder builder({100000}, 0);
  add_hot(builder, 100000, 2, random);
  const gpuopt_program program = builder.program();
  const int before = compiled();
  gpuopt_error error = GPUOPT_ERROR_INIT;
  for (int i = 0; i < 200; i++) ASSERT_EQ(cpu::run_program(program, TestHost::api(), &error), GPUOPT_OK);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(compiled(), before);
}

// Each thread has operands of its own and checks the result of every run, before, while and after the code is
// installed.
TEST(CpuTierUp, CodeIsInstalledWhileThreadsRunTheProgram) {
  TestHost::set("GPUOPT_CPU_TIER_UP", "on");
  const int before = compiled();
  std::atomic<int> left{4};
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; t++) {
    threads.emplace_back([&, t] {
      Random random(t);
      ProgramBuilder builder({20000}, 0);
      add_hot(builder, 20000, 3, random);
      for (int after = 0; after < 5 && !testing::Test::HasFailure(); after += compiled() > before) run_once(builder);
      left--;
    });
  }
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(left, 0);
  EXPECT_EQ(compiled(), before + 1) << "once for all threads";
}

}  // namespace
}  // namespace gpuopt::test
