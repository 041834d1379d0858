// tests/unit/api_arrow_test.cpp -- gpuopt_arrow.h: arrays to a consumer and from a producer that are made by hand as
// the specification of Arrow's C data interface says.
#include <gtest/gtest.h>

#include <cstring>
#include <gpuopt/gpuopt.hpp>
#include <memory>
#include <string>

namespace gp = gpuopt;
using gp::array;
using V = std::vector<double>;

namespace {

V values(const array &x) { return x.astype(gp::float64).to_vector<double>(); }

template <class Call>
gpuopt_status code_of(const Call &call) {
  try {
    call();
    return GPUOPT_OK;
  } catch (const gp::error &e) {
    return e.code();
  }
}

// ---- A producer --------------------------------------------------------------------------------------------------

int released_schemas, released_arrays;  // roots, since they were last set to 0

// One level of an array, which owns everything that its structs point to.
struct Level {
  std::string format;
  std::vector<uint8_t> validity;  // empty: none
  std::vector<uint8_t> data;
  int64_t length = 0, offset = 0, null_count = 0;
  std::unique_ptr<Level> child;

  const void *buffers[2] = {};
  ArrowSchema schema{}, *child_schema = nullptr;
  ArrowArray values{}, *child_values = nullptr;

  // Fills the structs. They point into this object.
  void fill() {
    const bool list = child != nullptr;
    buffers[0] = validity.empty() ? nullptr : validity.data();
    buffers[1] = data.data();
    if (list) {
      child->fill();
      child_schema = &child->schema;
      child_values = &child->values;
    }
    schema = {format.c_str(), "", nullptr, ARROW_FLAG_NULLABLE, list, &child_schema, nullptr, release_schema, this};
    values = {length, null_count, offset, list ? 1 : 2, list, buffers, &child_values, nullptr, release_array, this};
  }
  static void release_schema(ArrowSchema *schema) {
    ++released_schemas;
    schema->release = nullptr;
  }
  static void release_array(ArrowArray *values) {
    ++released_arrays;
    values->release = nullptr;
  }
};

template <class T>
Level primitive(const char *format, const std::vector<T> &list) {
  Level level;
  level.format = format;
  level.length = static_cast<int64_t>(list.size());
  level.data.resize(list.size() * sizeof(T) + 1);
  if (!list.empty()) std::memcpy(level.data.data(), list.data(), list.size() * sizeof(T));
  return level;
}
Level lists(int64_t size, int64_t length, Level &&of) {
  Level level;
  level.format = "+w:" + std::to_string(size);
  level.length = length;
  level.child = std::make_unique<Level>(std::move(of));
  return level;
}

array imported(Level &level, array *valid = nullptr, gpuopt_copy copy = GPUOPT_COPY_IF_NEEDED) {
  level.fill();
  released_schemas = released_arrays = 0;
  return gp::from_arrow(&level.schema, &level.values, valid, gp::device("cpu"), copy);
}

// ---- A consumer --------------------------------------------------------------------------------------------------

struct Exported {
  ArrowSchema schema{};
  ArrowArray values{};
  explicit Exported(const array &x, gpuopt_copy copy = GPUOPT_COPY_IF_NEEDED) {
    gp::to_arrow(x, &schema, &values, copy);
  }
  ~Exported() {
    if (schema.release) schema.release(&schema);
    if (values.release) values.release(&values);
  }
  template <class T>
  std::vector<T> elements() const {  // of one dimension
    const T *first = static_cast<const T *>(values.buffers[1]);
    return {first + values.offset, first + values.offset + values.length};
  }
};

}  // namespace

TEST(ArrowExport, OfOneDimensionIsPrimitiveAndShared) {
  array x = gp::arange(5, gp::float64);
  Exported out(x);
  EXPECT_STREQ(out.schema.format, "g");
  EXPECT_EQ(out.schema.n_children, 0);
  EXPECT_EQ(out.values.length, 5);
  EXPECT_EQ(out.values.null_count, 0);
  EXPECT_EQ(out.values.n_buffers, 2);
  EXPECT_EQ(out.values.buffers[0], nullptr);
  EXPECT_EQ(out.values.buffers[1], x.data<double>()) << "not a copy";
  EXPECT_EQ(out.elements<double>(), (V{0, 1, 2, 3, 4}));
  x[gp::slice(1)] = 9;
  EXPECT_EQ(out.elements<double>()[0], 9) << "a write is not left recorded";
  x = array();
  EXPECT_EQ(out.elements<double>(), (V{9, 1, 2, 3, 4})) << "the struct keeps the memory";
  out.values.release(&out.values);
  EXPECT_EQ(out.values.release, nullptr);
  EXPECT_STREQ(out.schema.format, "g") << "which lives by itself";
}

TEST(ArrowExport, KnowsEveryDtype) {
  const std::pair<gp::dtype, const char *> formats[] = {
      {gp::bool_, "b"},  {gp::int8, "c"},    {gp::uint8, "C"},   {gp::int16, "s"},
      {gp::uint16, "S"}, {gp::int32, "i"},   {gp::uint32, "I"},  {gp::int64, "l"},
      {gp::uint64, "L"}, {gp::float16, "e"}, {gp::float32, "f"}, {gp::float64, "g"},
  };
  for (const auto &[t, format] : formats) {
    Exported out(gp::ones({3}, t));
    EXPECT_STREQ(out.schema.format, format);
    array back = gp::from_arrow(&out.schema, &out.values);
    EXPECT_EQ(back.dtype(), t);
    EXPECT_EQ(values(back), (V{1, 1, 1})) << format;
  }
  for (const gp::dtype t : {gp::bfloat16, gp::complex64, gp::complex128})
    EXPECT_EQ(code_of([&] { Exported out(gp::ones({3}, t)); }), GPUOPT_ERR_TYPE) << gp::name(t);
  EXPECT_EQ(code_of([&] { Exported out(gp::ones({})); }), GPUOPT_ERR_SHAPE);
}

TEST(ArrowExport, OfMoreDimensionsIsListsInLists) {
  const array x = gp::arange(24, gp::int32).reshape({2, 3, 4}).copy();
  Exported out(x);
  EXPECT_STREQ(out.schema.format, "+w:3");
  EXPECT_STREQ(out.schema.children[0]->format, "+w:4");
  EXPECT_STREQ(out.schema.children[0]->children[0]->format, "i");
  EXPECT_EQ(out.values.length, 2);
  EXPECT_EQ(out.values.n_buffers, 1);
  EXPECT_EQ(out.values.children[0]->length, 6);
  EXPECT_EQ(out.values.children[0]->children[0]->length, 24);
  EXPECT_EQ(static_cast<const int32_t *>(out.values.children[0]->children[0]->buffers[1])[23], 23);
  // A consumer may move a child out, and release the rest.
  ArrowArray child = *out.values.children[0];
  out.values.children[0]->release = nullptr;
  out.values.release(&out.values);
  EXPECT_EQ(static_cast<const int32_t *>(child.children[0]->buffers[1])[5], 5);
  child.release(&child);
}

TEST(ArrowExport, CopiesWhatIsNotContiguous) {
  const array x = gp::arange(6, gp::float32).reshape({2, 3}).copy();
  Exported out(x.T()[0]);
  EXPECT_EQ(out.elements<float>(), (std::vector<float>{0, 3}));
  Exported backwards(x.ravel()[gp::slice(gp::none, gp::none, -1)]);
  EXPECT_EQ(backwards.elements<float>(), (std::vector<float>{5, 4, 3, 2, 1, 0}));
  Exported broadcast(gp::broadcast_to(x[0], {2, 3}));
  EXPECT_EQ(static_cast<const float *>(broadcast.values.children[0]->buffers[1])[3], 0);
  EXPECT_EQ(code_of([&] { Exported never(x.T(), GPUOPT_COPY_NEVER); }), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(code_of([&] { Exported never(x > 1, GPUOPT_COPY_NEVER); }), GPUOPT_ERR_INVALID_ARGUMENT);
  Exported always(x[0], GPUOPT_COPY_ALWAYS);
  EXPECT_NE(always.values.buffers[1], x.data<float>());
}

TEST(ArrowExport, PacksBools) {
  const array x({true, false, true, true, false, false, false, true, true, false});
  Exported out(x);
  const auto *bits = static_cast<const uint8_t *>(out.values.buffers[1]);
  EXPECT_EQ(bits[0], 0x8D);
  EXPECT_EQ(bits[1] & 3, 1);
}

TEST(ArrowExport, OfNoElements) {
  Exported out(gp::zeros({0}));
  EXPECT_EQ(out.values.length, 0);
  Exported lists_of_none(gp::zeros({3, 0}));
  EXPECT_STREQ(lists_of_none.schema.format, "+w:0");
  EXPECT_EQ(lists_of_none.values.length, 3);
  EXPECT_EQ(lists_of_none.values.children[0]->length, 0);
  array back = gp::from_arrow(&lists_of_none.schema, &lists_of_none.values);
  EXPECT_EQ(back.shape(), (gp::dims{3, 0}));
}

TEST(ArrowExport, FailsWithNothingToRelease) {
  ArrowSchema schema{};
  ArrowArray elements{};
  std::memset(&schema, 0x55, sizeof schema);
  std::memset(&elements, 0x55, sizeof elements);
  EXPECT_EQ(gpuopt_to_arrow(nullptr, GPUOPT_COPY_IF_NEEDED, &schema, &elements, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(schema.release, nullptr);
  EXPECT_EQ(elements.release, nullptr);
  const array x = gp::ones({2});
  EXPECT_EQ(gpuopt_to_arrow(x.get(), 7, &schema, &elements, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_to_arrow(x.get(), 0, nullptr, &elements, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
}

TEST(ArrowImport, SharesTheProducersMemory) {
  Level level = primitive<double>("g", {1, 2, 3, 4});
  {
    const array x = imported(level);
    EXPECT_EQ(values(x), (V{1, 2, 3, 4}));
    EXPECT_TRUE(x.is_read_only());
    EXPECT_EQ(released_schemas, 1);
    EXPECT_EQ(released_arrays, 0);
    EXPECT_EQ(level.values.release, nullptr) << "moved";
    const array tail = x[gp::slice(2, 4)];
    EXPECT_EQ(values(tail), (V{3, 4}));
  }
  EXPECT_EQ(released_arrays, 1) << "with the last reference";
  const array copy = imported(level, nullptr, GPUOPT_COPY_ALWAYS);
  EXPECT_EQ(released_arrays, 1) << "at once after a copy";
  EXPECT_FALSE(copy.is_read_only());
}

TEST(ArrowImport, HonoursOffsets) {
  Level level = primitive<int16_t>("s", {1, 2, 3, 4, 5});
  level.offset = 2;
  level.length = 3;
  EXPECT_EQ(values(imported(level)), (V{3, 4, 5}));
  // The offsets of lists count lists, and those of their children elements, on top of each other.
  Level inner = primitive<float>("f", {0, 1, 2, 3, 4, 5, 6, 7, 8});
  inner.offset = 1;
  inner.length = 8;
  Level outer = lists(2, 2, std::move(inner));
  outer.offset = 1;
  const array x = imported(outer);
  EXPECT_EQ(x.shape(), (gp::dims{2, 2}));
  EXPECT_EQ(values(x), (V{3, 4, 5, 6}));
}

TEST(ArrowImport, UnpacksBools) {
  Level level = primitive<uint8_t>("b", {0x8D, 0x01});
  level.length = 6;
  level.offset = 3;
  EXPECT_EQ(values(imported(level)), (V{1, 0, 0, 0, 1, 1}));
  EXPECT_EQ(released_arrays, 1);
  level.fill();
  EXPECT_EQ(code_of([&] { imported(level, nullptr, GPUOPT_COPY_NEVER); }), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(released_schemas + released_arrays, 0) << "after a failure both are the caller's";
  EXPECT_NE(level.values.release, nullptr);
}

TEST(ArrowImport, NullsNeedAMask) {
  Level level = primitive<double>("g", {1, 2, 3, 4});
  level.validity = {0x0B};  // the third is null
  level.null_count = 1;
  EXPECT_EQ(code_of([&] { imported(level); }), GPUOPT_ERR_INVALID_ARGUMENT);
  array valid;
  EXPECT_EQ(imported(level, &valid).size(), 4);
  EXPECT_EQ(values(valid), (V{1, 1, 0, 1}));
  EXPECT_EQ(valid.dtype(), gp::bool_);
  level.null_count = -1;  // not counted
  level.offset = 1;
  level.length = 3;
  (void)imported(level, &valid);
  EXPECT_EQ(values(valid), (V{1, 0, 1}));
  level.validity = {0xFF};
  (void)imported(level, &valid);
  EXPECT_TRUE(valid.empty()) << "no nulls";
  EXPECT_EQ(values(imported(level)), (V{2, 3, 4})) << "no mask is needed then";
}

TEST(ArrowImport, ANullListHasNullElements) {
  Level inner = primitive<int32_t>("i", {1, 2, 3, 4, 5, 6});
  inner.validity = {0x3E};  // the first element
  inner.null_count = 1;
  Level outer = lists(2, 3, std::move(inner));
  outer.validity = {0x05};  // the second list
  outer.null_count = 1;
  array valid;
  const array x = imported(outer, &valid);
  EXPECT_EQ(x.shape(), (gp::dims{3, 2}));
  EXPECT_EQ(valid.shape(), (gp::dims{3, 2}));
  EXPECT_EQ(values(valid), (V{0, 1, 0, 0, 1, 1}));
}

TEST(ArrowImport, MemoryThatIsNotAlignedIsCopied) {
  Level level = primitive<double>("g", {1, 2, 3});
  level.data.insert(level.data.begin(), 1, uint8_t{0});
  level.fill();
  level.buffers[1] = level.data.data() + 1;
  released_arrays = 0;
  const array x = gp::from_arrow(&level.schema, &level.values, nullptr, gp::device("cpu"));
  EXPECT_EQ(values(x), (V{1, 2, 3}));
  EXPECT_EQ(released_arrays, 1);
}

TEST(ArrowImport, RefusesWhatItCannotMean) {
  for (const char *format : {"u", "z", "n", "tdD", "d:10,2", "+s", "+l", "vu", "w:4", "", "gg"}) {
    Level level = primitive<double>(format, {1});
    EXPECT_EQ(code_of([&] { imported(level); }), GPUOPT_ERR_TYPE) << format;
    EXPECT_NE(level.schema.release, nullptr);
  }
  Level level = primitive<double>("g", {1, 2});
  level.fill();
  ArrowArray dictionary = level.values;
  level.values.dictionary = &dictionary;
  EXPECT_EQ(code_of([&] { gp::from_arrow(&level.schema, &level.values); }), GPUOPT_ERR_TYPE);
  level.fill();
  level.schema.release = nullptr;
  EXPECT_EQ(code_of([&] { gp::from_arrow(&level.schema, &level.values); }), GPUOPT_ERR_INVALID_ARGUMENT) << "released";
}

TEST(ArrowImport, RefusesWhatContradictsTheSpecification) {
  const auto broken = [](void (*breaks)(Level &)) {
    Level level = lists(2, 2, primitive<double>("g", {1, 2, 3, 4}));
    level.fill();
    breaks(level);
    return code_of([&] { gp::from_arrow(&level.schema, &level.values); });
  };
  EXPECT_EQ(broken([](Level &) {}), GPUOPT_OK);
  EXPECT_EQ(broken([](Level &l) { l.values.length = -1; }), GPUOPT_ERR_FORMAT);
  EXPECT_EQ(broken([](Level &l) { l.values.offset = -1; }), GPUOPT_ERR_FORMAT);
  EXPECT_EQ(broken([](Level &l) { l.values.offset = INT64_MAX; }), GPUOPT_ERR_FORMAT);
  EXPECT_EQ(broken([](Level &l) { l.values.n_buffers = 2; }), GPUOPT_ERR_FORMAT);
  EXPECT_EQ(broken([](Level &l) { l.values.n_children = 0; }), GPUOPT_ERR_FORMAT);
  EXPECT_EQ(broken([](Level &l) { l.values.children = nullptr; }), GPUOPT_ERR_FORMAT);
  EXPECT_EQ(broken([](Level &l) { l.values.length = 3; }), GPUOPT_ERR_FORMAT) << "the child is too short";
  EXPECT_EQ(broken([](Level &l) { l.values.null_count = 1; }), GPUOPT_ERR_FORMAT) << "nulls without a bitmap";
  EXPECT_EQ(broken([](Level &l) { l.child->buffers[1] = nullptr; }), GPUOPT_ERR_FORMAT);
  EXPECT_EQ(broken([](Level &l) { l.schema.format = "+w:"; }), GPUOPT_ERR_FORMAT);
  EXPECT_EQ(broken([](Level &l) { l.schema.format = "+w:2x"; }), GPUOPT_ERR_FORMAT);
  EXPECT_EQ(broken([](Level &l) { l.schema.format = "+w:99999999999999999999"; }), GPUOPT_ERR_FORMAT);
  EXPECT_EQ(broken([](Level &l) { l.schema.format = nullptr; }), GPUOPT_ERR_FORMAT);
}

TEST(ArrowImport, OfNoElementsNeedsNoBuffers) {
  Level level = primitive<double>("g", {});
  level.fill();
  level.buffers[1] = nullptr;
  released_arrays = 0;
  const array x = gp::from_arrow(&level.schema, &level.values);
  EXPECT_EQ(x.shape(), (gp::dims{0}));
  EXPECT_EQ(released_arrays, 1);
}
