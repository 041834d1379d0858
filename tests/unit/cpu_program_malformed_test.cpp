// tests/unit/cpu_program_malformed_test.cpp -- programs no host should send, through the plugin's own slot: each ends
// in a status that says what is wrong, nothing is written, and the next program runs.
#include <functional>

#include "tests/unit/cpu_program_builder.h"

namespace gpuopt::test {
namespace {

const gpuopt_plugin_api &plugin() {
  static const gpuopt_plugin_api *const api = [] {
    gpuopt_plugin_desc desc{};
    desc.header = {sizeof(desc), GPUOPT_PLUGIN_ABI_MAJOR, GPUOPT_PLUGIN_ABI_MINOR, 0, 0, nullptr};
    gpuopt_plugin_query_v1(TestHost::api(), &desc);
    return desc.api;
  }();
  return *api;
}

// A valid program in tables of its own, to be spoilt.
struct Draft {
  explicit Draft(ProgramBuilder &builder) : p(builder.program()) {
    shape.assign(p.shape, p.shape + p.ndim);
    steps.assign(p.steps, p.steps + p.nsteps);
    inputs.assign(p.inputs, p.inputs + p.ninputs);
    outputs.assign(p.outputs, p.outputs + p.noutputs);
    constants.assign(p.constants, p.constants + p.nconstants);
    p.shape = shape.data();
    p.steps = steps.data();
    p.inputs = inputs.data();
    p.outputs = outputs.data();
    p.constants = constants.data();
  }

  gpuopt_program p;
  std::vector<int64_t> shape;
  std::vector<gpuopt_step> steps;
  std::vector<gpuopt_operand> inputs, outputs;
  std::vector<gpuopt_constant> constants;
};

struct Fault {
  const char *name;
  std::function<void(Draft &)> spoil;
  gpuopt_status status;
  const char *message;  // part of it
};

// Runs `builder`'s program with each fault; then as it was.
void expect_refused(ProgramBuilder &builder, const std::vector<Fault> &faults) {
  for (const Fault &fault : faults) {
    SCOPED_TRACE(fault.name);
    const auto before = builder.snapshot();
    Draft draft(builder);
    fault.spoil(draft);
    gpuopt_error error = GPUOPT_ERROR_INIT;
    EXPECT_EQ(plugin().program_run(nullptr, nullptr, &draft.p, &error), fault.status) << error.message;
    EXPECT_EQ(error.code, fault.status);
    EXPECT_NE(std::string(error.message).find(fault.message), std::string::npos) << error.message;
    EXPECT_TRUE(builder.snapshot() == before) << "memory changed";
  }
  builder.check();
}

constexpr auto kInternal = GPUOPT_ERR_INTERNAL, kUnsupported = GPUOPT_ERR_UNSUPPORTED;

// Steps: 0 x, 1 y, 2 constant 3, 3 x + y, 4 * 3, 5 as float32, 6 OUTPUT of 5.
ProgramBuilder elementwise_program() {
  Random random(1);
  ProgramBuilder builder({3, 5}, 0);
  const Layout layout = dense_layout({3, 5}, ~uint64_t{0}, 8);
  const int x = builder.input(GPUOPT_FLOAT64, GPUOPT_LEVEL_FULL, layout, random);
  const int y = builder.input(GPUOPT_FLOAT64, GPUOPT_LEVEL_FULL, layout, random);
  const int three = builder.constant(3.0);
  const int product = builder.elementwise(GPUOPT_OP_multiply, {builder.elementwise(GPUOPT_OP_add, {x, y}), three});
  builder.output(builder.cast(product, GPUOPT_FLOAT32));
  return builder;
}

// Steps: 0 x, 1 its sum over axis 1, 2 x minus that, 3 OUTPUT of 2 (FULL), 4 OUTPUT of 1 (REDUCED).
ProgramBuilder reduction_program() {
  Random random(2);
  ProgramBuilder builder({3, 50}, 2);
  const int x = builder.input(GPUOPT_FLOAT64, GPUOPT_LEVEL_FULL, dense_layout({3, 50}, ~uint64_t{0}, 8), random);
  const int sum = builder.reduce(GPUOPT_REDUCTION_sum, x);
  builder.output(builder.elementwise(GPUOPT_OP_subtract, {x, sum}));
  builder.output(sum);
  return builder;
}

// Steps: 0 x, 1 its cumulative sum along axis 1, 2 x + x, which nobody reads, 3 OUTPUT of 1.
ProgramBuilder scan_program() {
  Random random(3);
  ProgramBuilder builder({3, 50}, 2);
  const int x = builder.input(GPUOPT_FLOAT64, GPUOPT_LEVEL_FULL, dense_layout({3, 50}, ~uint64_t{0}, 8), random);
  builder.output(builder.scan(GPUOPT_SCAN_cumulative_sum, x));
  builder.elementwise(GPUOPT_OP_add, {x, x});
  return builder;
}

// The 16-bit floats have neither reductions nor scans.
void in_half(Draft &d) { d.steps[0].dtype = d.steps[0].loop_dtype = d.steps[1].loop_dtype = GPUOPT_FLOAT16; }

const gpuopt_step kSumOf0 = {
    GPUOPT_STEP_REDUCE, GPUOPT_LEVEL_REDUCED, GPUOPT_FLOAT64, GPUOPT_FLOAT64, GPUOPT_REDUCTION_sum, 1, {0}};

TEST(MalformedProgram, Header) {
  ProgramBuilder builder = elementwise_program();
  expect_refused(
      builder,
      {{"no bytes", [](Draft &d) { d.p.struct_size = 0; }, kInternal, "too short"},
       {"short", [](Draft &d) { d.p.struct_size = sizeof(gpuopt_program) - 8; }, kInternal, "too short"},
       {"flags", [](Draft &d) { d.p.flags = 1; }, kInternal, "flags"},
       {"ndim < 0", [](Draft &d) { d.p.ndim = -1; }, kInternal, "ndim"},
       {"ndim > 64", [](Draft &d) { d.p.ndim = GPUOPT_MAX_NDIM + 1; }, kInternal, "ndim"},
       {"huge ndim", [](Draft &d) { d.p.ndim = INT32_MAX; }, kInternal, "ndim"},
       {"nsteps < 0", [](Draft &d) { d.p.nsteps = -1; }, kInternal, "steps"},
       {"nsteps", [](Draft &d) { d.p.nsteps = GPUOPT_PROGRAM_MAX_STEPS + 1; }, kInternal, "steps"},
       {"ninputs < 0", [](Draft &d) { d.p.ninputs = -1; }, kInternal, "inputs"},
       {"ninputs", [](Draft &d) { d.p.ninputs = GPUOPT_PROGRAM_MAX_OPERANDS + 1; }, kInternal, "inputs"},
       {"noutputs < 0", [](Draft &d) { d.p.noutputs = -1; }, kInternal, "outputs"},
       {"noutputs", [](Draft &d) { d.p.noutputs = GPUOPT_PROGRAM_MAX_OUTPUTS + 1; }, kInternal, "outputs"},
       {"nconstants < 0", [](Draft &d) { d.p.nconstants = -1; }, kInternal, "constants"},
       {"nconstants", [](Draft &d) { d.p.nconstants = GPUOPT_PROGRAM_MAX_CONSTANTS + 1; }, kInternal, "constants"},
       {"reduced axis", [](Draft &d) { d.p.reduced_axes = 4; }, kInternal, "reduced axis"},
       {"no shape", [](Draft &d) { d.p.shape = nullptr; }, kInternal, "missing"},
       {"no steps", [](Draft &d) { d.p.steps = nullptr; }, kInternal, "missing"},
       {"no inputs", [](Draft &d) { d.p.inputs = nullptr; }, kInternal, "missing"},
       {"no outputs", [](Draft &d) { d.p.outputs = nullptr; }, kInternal, "missing"},
       {"no constants", [](Draft &d) { d.p.constants = nullptr; }, kInternal, "missing"}});
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(plugin().program_run(nullptr, nullptr, nullptr, &error), kInternal);
  EXPECT_NE(std::string(error.message).find("no program"), std::string::npos);
  EXPECT_EQ(plugin().program_run(nullptr, nullptr, nullptr, nullptr), kInternal) << "no error struct";
}

TEST(MalformedProgram, Shape) {
  ProgramBuilder builder = elementwise_program();
  const int64_t huge = int64_t{1} << 32;
  expect_refused(builder,
                 {{"negative", [](Draft &d) { d.shape[1] = -1; }, kInternal, "negative"},
                  {"negative beside 0",
                   [](Draft &d) {
                     d.shape = {0, INT64_MIN}, d.p.shape = d.shape.data();
                   },
                   kInternal, "negative"},
                  {"overflow", [=](Draft &d) { d.shape[0] = d.shape[1] = huge; }, kInternal, "too many elements"}});
  // Nothing to reduce, but more results than can be counted.
  Random random(4);
  ProgramBuilder sums({2, 2, 0}, 4);
  const int x = sums.input(GPUOPT_FLOAT64, GPUOPT_LEVEL_FULL, dense_layout({2, 2, 0}, ~uint64_t{0}, 8), random);
  sums.output(sums.reduce(GPUOPT_REDUCTION_sum, x));
  expect_refused(sums, {{"overflow of the kept axes", [=](Draft &d) { d.shape[0] = d.shape[1] = huge; }, kInternal,
                         "too many elements"}});
}

TEST(MalformedProgram, Operands) {
  ProgramBuilder builder = elementwise_program();
  static const int64_t zero_strides[] = {0, 8};
  expect_refused(
      builder,
      {{"input of another dtype", [](Draft &d) { d.inputs[0].dtype = GPUOPT_FLOAT32; }, kInternal, "another dtype"},
       {"input of no dtype", [](Draft &d) { d.inputs[0].dtype = 77; }, kInternal, "another dtype"},
       {"output of another dtype", [](Draft &d) { d.outputs[0].dtype = GPUOPT_FLOAT64; }, kInternal, "another dtype"},
       {"no input data", [](Draft &d) { d.inputs[1].data = nullptr; }, kInternal, "missing"},
       {"no output data", [](Draft &d) { d.outputs[0].data = nullptr; }, kInternal, "missing"},
       {"no input strides", [](Draft &d) { d.inputs[1].strides = nullptr; }, kInternal, "missing"},
       {"no output strides", [](Draft &d) { d.outputs[0].strides = nullptr; }, kInternal, "missing"},
       {"repeating output", [](Draft &d) { d.outputs[0].strides = zero_strides; }, kInternal, "repeats"},
       {"input in two dtypes", [](Draft &d) { d.steps[1].dtype = GPUOPT_FLOAT32, d.steps[1].index = 0; }, kInternal,
        "dtype"},
       {"input of two dtypes, one unused",
        [](Draft &d) {
          d.steps[1].dtype = d.steps[1].loop_dtype = GPUOPT_INT8, d.steps[1].index = 0;
          d.steps[3].src[1] = 0;
        },
        kInternal, "two dtypes"}});
}

TEST(MalformedProgram, Steps) {
  ProgramBuilder builder = elementwise_program();
  expect_refused(
      builder,
      {{"kind 0", [](Draft &d) { d.steps[3].kind = 0; }, kUnsupported, "kind"},
       {"kind 200", [](Draft &d) { d.steps[3].kind = 200; }, kUnsupported, "kind"},
       {"dtype 0", [](Draft &d) { d.steps[3].dtype = 0; }, kUnsupported, "dtype"},
       {"dtype 255", [](Draft &d) { d.steps[3].dtype = 255; }, kUnsupported, "dtype"},
       {"loop dtype 255", [](Draft &d) { d.steps[3].loop_dtype = 255; }, kUnsupported, "dtype"},
       {"level", [](Draft &d) { d.steps[3].level = 2; }, kInternal, "level"},
       {"5 sources", [](Draft &d) { d.steps[3].nsrc = 5; }, kInternal, "sources"},
       {"65535 sources", [](Draft &d) { d.steps[3].nsrc = 65535; }, kInternal, "sources"},
       {"itself a source", [](Draft &d) { d.steps[3].src[1] = 3; }, kInternal, "earlier"},
       {"a later source", [](Draft &d) { d.steps[3].src[0] = 5; }, kInternal, "earlier"},
       {"source 65535", [](Draft &d) { d.steps[3].src[0] = 65535; }, kInternal, "earlier"},
       {"unknown operation", [](Draft &d) { d.steps[3].index = GPUOPT_OP_COUNT; }, kUnsupported, "operation"},
       {"operation 65535", [](Draft &d) { d.steps[3].index = 65535; }, kUnsupported, "operation"},
       {"a source too few", [](Draft &d) { d.steps[3].nsrc = 1; }, kInternal, "number of sources"},
       {"a source too many", [](Draft &d) { d.steps[3].nsrc = 3; }, kInternal, "number of sources"},
       {"source dtype", [](Draft &d) { d.steps[3].loop_dtype = GPUOPT_INT64; }, kInternal, "another dtype"},
       {"no such loop", [](Draft &d) { d.steps[3].index = GPUOPT_OP_bitwise_and; }, kUnsupported, "no loop"},
       {"result dtype", [](Draft &d) { d.steps[3].dtype = GPUOPT_INT64; }, kInternal, "wrong dtype"},
       {"REDUCED of FULL", [](Draft &d) { d.steps[3].level = GPUOPT_LEVEL_REDUCED; }, kInternal, "REDUCED"},
       {"INPUT with a source", [](Draft &d) { d.steps[1].nsrc = 1; }, kInternal, "has sources"},
       {"input 2 of 2", [](Draft &d) { d.steps[1].index = 2; }, kInternal, "range"},
       {"constant 1 of 1", [](Draft &d) { d.steps[2].index = 1; }, kInternal, "range"},
       {"cast without source", [](Draft &d) { d.steps[5].nsrc = 0; }, kInternal, "cast"},
       {"cast of two", [](Draft &d) { d.steps[5].nsrc = 2; }, kInternal, "cast"},
       {"cast of another dtype", [](Draft &d) { d.steps[5].loop_dtype = GPUOPT_INT8; }, kInternal, "cast"},
       {"output 1 of 1", [](Draft &d) { d.steps[6].index = 1; }, kInternal, "range"},
       {"output of nothing", [](Draft &d) { d.steps[6].nsrc = 0; }, kInternal, "OUTPUT"},
       {"output dtype", [](Draft &d) { d.steps[6].dtype = GPUOPT_FLOAT64; }, kInternal, "OUTPUT"},
       {"output level", [](Draft &d) { d.steps[6].level = GPUOPT_LEVEL_REDUCED; }, kInternal, "REDUCED"},
       {"output in the middle", [](Draft &d) { d.steps[5] = d.steps[6], d.steps[5].src[0] = 4; }, kInternal, "OUTPUT"},
       {"step after an output", [](Draft &d) { std::swap(d.steps[5], d.steps[6]), d.steps[5].src[0] = 4; }, kInternal,
        "OUTPUT"}});
}

TEST(MalformedProgram, StoringTwice) {
  ProgramBuilder builder = reduction_program();
  expect_refused(
      builder, {{"the same output", [](Draft &d) { d.steps[4].index = 0; }, kInternal, "same output"},
                {"a step after an output", [](Draft &d) { d.steps[4] = d.steps[2]; }, kInternal, "not among the last"},
                {"source is an output", [](Draft &d) { d.steps[4].src[0] = 3; }, kInternal, "OUTPUT"}});
}

TEST(MalformedProgram, Reductions) {
  ProgramBuilder builder = reduction_program();
  expect_refused(
      builder,
      {{"no such loop", [](Draft &d) { in_half(d); }, kUnsupported, "no loop"},
       {"unknown", [](Draft &d) { d.steps[1].index = GPUOPT_REDUCTION_COUNT; }, kUnsupported, "reduction"},
       {"65535", [](Draft &d) { d.steps[1].index = 65535; }, kUnsupported, "reduction"},
       {"FULL", [](Draft &d) { d.steps[1].level = GPUOPT_LEVEL_FULL; }, kInternal, "REDUCE"},
       {"no source", [](Draft &d) { d.steps[1].nsrc = 0; }, kInternal, "REDUCE"},
       {"loop dtype", [](Draft &d) { d.steps[1].loop_dtype = GPUOPT_INT32; }, kInternal, "REDUCE"},
       {"result dtype", [](Draft &d) { d.steps[1].dtype = GPUOPT_INT64; }, kInternal, "wrong dtype"},
       {"of a REDUCED value", [](Draft &d) { d.steps[0].level = GPUOPT_LEVEL_REDUCED; }, kInternal, "FULL source"}});
}

TEST(MalformedProgram, Scans) {
  ProgramBuilder builder = scan_program();
  expect_refused(builder,
                 {{"no such loop", [](Draft &d) { in_half(d); }, kUnsupported, "no loop"},
                  {"a second one", [](Draft &d) { d.steps[2] = d.steps[1]; }, kInternal, "beside another SCAN"},
                  {"a REDUCE after it", [](Draft &d) { d.steps[2] = kSumOf0; }, kInternal, "beside a REDUCE"},
                  {"a REDUCE before it",
                   [](Draft &d) { std::swap(d.steps[1], d.steps[2]), d.steps[1] = kSumOf0, d.steps[3].src[0] = 2; },
                   kInternal, "SCAN beside"},
                  {"unknown", [](Draft &d) { d.steps[1].index = GPUOPT_SCAN_COUNT; }, kUnsupported, "scan"},
                  {"REDUCED", [](Draft &d) { d.steps[1].level = GPUOPT_LEVEL_REDUCED; }, kInternal, "SCAN"},
                  {"no source", [](Draft &d) { d.steps[1].nsrc = 0; }, kInternal, "SCAN"},
                  {"loop dtype", [](Draft &d) { d.steps[1].loop_dtype = GPUOPT_INT32; }, kInternal, "SCAN"},
                  {"result dtype", [](Draft &d) { d.steps[1].dtype = GPUOPT_INT64; }, kInternal, "wrong dtype"},
                  {"no axis", [](Draft &d) { d.p.reduced_axes = 0; }, kInternal, "one axis"},
                  {"two axes", [](Draft &d) { d.p.reduced_axes = 3; }, kInternal, "one axis"}});
}

// Plans are found by the key; steps of the same key must not be taken for each other.
TEST(MalformedProgram, KeyOfOtherSteps) {
  ProgramBuilder builder = elementwise_program();
  builder.check();
  ProgramBuilder other = elementwise_program();
  Draft draft(other);
  draft.steps[4].index = GPUOPT_OP_add;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  ASSERT_EQ(plugin().program_run(nullptr, nullptr, &draft.p, &error), GPUOPT_OK) << error.message;
  const auto *x = static_cast<const double *>(draft.inputs[0].data), *y = static_cast<double *>(draft.inputs[1].data);
  const auto *result = static_cast<const float *>(draft.outputs[0].data);
  for (int i = 0; i < 15; i++) {
    const float expected = static_cast<float>(x[i] + y[i] + 3);
    EXPECT_TRUE(result[i] == expected || expected != expected) << i;
  }
}

// A later minor version may have appended to the struct.
TEST(MalformedProgram, LongerStructIsFine) {
  ProgramBuilder builder = elementwise_program();
  Draft draft(builder);
  draft.p.struct_size = sizeof(gpuopt_program) + 64;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(plugin().program_run(nullptr, nullptr, &draft.p, &error), GPUOPT_OK) << error.message;
}

}  // namespace
}  // namespace gpuopt::test
