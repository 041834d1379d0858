// tests/unit/api_bad_input_test.cpp -- what the C ABI refuses: the status, a message that names the fault, nothing
// given out, and every array as it was.
#include <cmath>
#include <limits>

#include "tests/unit/core_array_support.h"

namespace {

using namespace support;

constexpr int64_t kAll = GPUOPT_SLICE_ALL;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
constexpr gpuopt_scalar number(double value) { return {'f', 0, {.f = value}, 0}; }
constexpr gpuopt_scalar integer(int64_t value) { return {'i', 0, {.i = value}, 0}; }

// x is 2 x 3 float64, 0 to 5; i the same as int64; e its error and r its result in each call.
class BadInput : public testing::Test {
 protected:
  void refused(gpuopt_status got, gpuopt_status want, const std::string &words, const char *call) {
    EXPECT_EQ(got, want) << call << ": " << e.message;
    EXPECT_EQ(e.code, want) << call;
    EXPECT_NE(std::string(e.message).find(words), std::string::npos) << call << ": " << e.message;
    EXPECT_EQ(r, nullptr) << call;
    e = GPUOPT_ERROR_INIT;
  }
  void TearDown() override {
    EXPECT_EQ(values_of<double>(x), (std::vector<double>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(values_of<int64_t>(i), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  }
  gpuopt_device d = cpu();
  Array x = make<double>({2, 3}, {0, 1, 2, 3, 4, 5}), i = make<int64_t>({2, 3}, {0, 1, 2, 3, 4, 5});
  Array c = make_bytes(GPUOPT_COMPLEX128, {1}, std::array<double, 2>{1, 2}.data()), w = weak(number(1));
  gpuopt_array r = nullptr;
  gpuopt_error e = GPUOPT_ERROR_INIT;
};

#define REFUSED(code, words, call) refused(call, GPUOPT_ERR_##code, words, #call)

TEST_F(BadInput, Creation) {
  const int64_t shape[] = {2, 3}, negative[] = {2, -3}, huge[] = {int64_t{1} << 40, int64_t{1} << 40};
  REFUSED(INVALID_ARGUMENT, "shape", gpuopt_zeros(d, GPUOPT_FLOAT64, 2, nullptr, &r, &e));
  REFUSED(SHAPE, "-3", gpuopt_zeros(d, GPUOPT_FLOAT64, 2, negative, &r, &e));
  REFUSED(SHAPE, "65", gpuopt_zeros(d, GPUOPT_FLOAT64, 65, shape, &r, &e));
  REFUSED(OUT_OF_MEMORY, "", gpuopt_zeros(d, GPUOPT_FLOAT64, 2, huge, &r, &e));
  REFUSED(INVALID_ARGUMENT, "dtype", gpuopt_zeros(d, 99, 2, shape, &r, &e));
  REFUSED(INVALID_ARGUMENT, "device", gpuopt_zeros(nullptr, GPUOPT_FLOAT64, 2, shape, &r, &e));
  REFUSED(INVALID_ARGUMENT, "result", gpuopt_zeros(d, GPUOPT_FLOAT64, 2, shape, nullptr, &e));
  REFUSED(OVERFLOW, "300", gpuopt_full(d, GPUOPT_INT8, 2, shape, integer(300), &r, &e));
  REFUSED(SHAPE, "1", gpuopt_tril(c.get(), 0, &r, &e));
}

TEST_F(BadInput, Ranges) {
  REFUSED(INVALID_ARGUMENT, "step", gpuopt_arange(d, 0, integer(0), integer(9), integer(0), &r, &e));
  REFUSED(INVALID_ARGUMENT, "arange", gpuopt_arange(d, 0, number(0), number(kNan), number(1), &r, &e));
  REFUSED(OUT_OF_MEMORY, "arange", gpuopt_arange(d, 0, number(0), number(kInfinity), number(1), &r, &e));
  REFUSED(OUT_OF_MEMORY, "arange", gpuopt_arange(d, 0, integer(INT64_MIN), integer(INT64_MAX), integer(1), &r, &e));
  REFUSED(TYPE, "complex", gpuopt_arange(d, 0, gpuopt_scalar_complex(0, 1), integer(9), integer(1), &r, &e));
  REFUSED(INVALID_ARGUMENT, "linspace", gpuopt_linspace(d, 0, 0, 1, -1, 1, &r, &e));
}

TEST_F(BadInput, Slices) {
  const gpuopt_index zero_step[] = {{GPUOPT_INDEX_SLICE, 0, kAll, kAll, 0}};
  const gpuopt_index outside[] = {{GPUOPT_INDEX_INTEGER, 0, 2, 0, 0}}, before[] = {{GPUOPT_INDEX_INTEGER, 0, -3, 0, 0}};
  const gpuopt_index three[3] = {}, unknown[] = {{7, 0, 0, 0, 0}};
  const gpuopt_index dots[] = {{GPUOPT_INDEX_ELLIPSIS, 0, 0, 0, 0}, {GPUOPT_INDEX_ELLIPSIS, 0, 0, 0, 0}};
  REFUSED(INVALID_ARGUMENT, "step is zero", gpuopt_slice(x.get(), 1, zero_step, &r, &e));
  REFUSED(INDEX, "index 2", gpuopt_slice(x.get(), 1, outside, &r, &e));
  REFUSED(INDEX, "index -3", gpuopt_slice(x.get(), 1, before, &r, &e));
  REFUSED(INDEX, "3 indices", gpuopt_slice(x.get(), 3, three, &r, &e));
  REFUSED(INVALID_ARGUMENT, "kind", gpuopt_slice(x.get(), 1, unknown, &r, &e));
  REFUSED(INVALID_ARGUMENT, "ellipsis", gpuopt_slice(x.get(), 2, dots, &r, &e));
  REFUSED(INVALID_ARGUMENT, "items", gpuopt_slice(x.get(), 1, nullptr, &r, &e));
  REFUSED(INVALID_ARGUMENT, "items", gpuopt_slice(x.get(), -1, three, &r, &e));
}

TEST_F(BadInput, Axes) {
  const int64_t twice[] = {0, 0}, third[] = {0, 2}, first[] = {0};
  REFUSED(INVALID_ARGUMENT, "twice", gpuopt_permute_dims(x.get(), twice, &r, &e));
  REFUSED(INDEX, "2", gpuopt_permute_dims(x.get(), third, &r, &e));
  REFUSED(SHAPE, "size 1", gpuopt_squeeze(x.get(), 1, first, &r, &e));
  REFUSED(INVALID_ARGUMENT, "twice", gpuopt_flip(x.get(), 2, twice, &r, &e));
  REFUSED(INDEX, "4", gpuopt_expand_dims(x.get(), 4, &r, &e));
  REFUSED(SHAPE, "matrix_transpose", gpuopt_matrix_transpose(c.get(), &r, &e));
  gpuopt_reduce_options options = {sizeof options, 0, nullptr, twice, 2, 0, 0, 0, 0, nullptr, nullptr, nullptr};
  REFUSED(INVALID_ARGUMENT, "twice", gpuopt_sum(x.get(), &options, &r, &e));
  options.naxes = -1;
  REFUSED(INVALID_ARGUMENT, "axes", gpuopt_sum(x.get(), &options, &r, &e));
  REFUSED(INDEX, "5", gpuopt_cumulative_sum(x.get(), 5, 0, 0, &r, &e));
}

TEST_F(BadInput, Shapes) {
  const int64_t seven[] = {7}, two_unknown[] = {-1, -1}, uneven[] = {-1, 4}, two[] = {2}, none[] = {0, -1};
  REFUSED(SHAPE, "(7,)", gpuopt_reshape(x.get(), 1, seven, 0, &r, &e));
  REFUSED(SHAPE, "one size can be -1", gpuopt_reshape(x.get(), 2, two_unknown, 0, &r, &e));
  REFUSED(SHAPE, "reshape", gpuopt_reshape(x.get(), 2, uneven, 0, &r, &e));
  REFUSED(SHAPE, "reshape", gpuopt_reshape(x.get(), 2, none, 0, &r, &e));
  REFUSED(SHAPE, "reshape", gpuopt_reshape(x.get(), -1, seven, 0, &r, &e));
  REFUSED(SHAPE, "reshape", gpuopt_reshape(x.get(), 1, nullptr, 0, &r, &e));
  REFUSED(INVALID_ARGUMENT, "copy",
          gpuopt_reshape(transposed(x).get(), 1, std::array<int64_t, 1>{6}.data(), GPUOPT_COPY_NEVER, &r, &e));
  REFUSED(SHAPE, "(2,)", gpuopt_broadcast_to(x.get(), 1, two, &r, &e));
  const Array y = make<double>({2}, {0, 1});
  REFUSED(SHAPE, "(2, 3) (2,)", gpuopt_add(x.get(), y.get(), &r, &e));
  REFUSED(SHAPE, "(2,)", gpuopt_add_into(x.get(), x.get(), y.get(), &e));
  int32_t ndim = 0;
  int64_t shape[GPUOPT_MAX_NDIM];
  REFUSED(INVALID_ARGUMENT, "broadcast_shapes", gpuopt_broadcast_shapes(1, nullptr, nullptr, &ndim, shape, &e));
  const int32_t ndims[] = {1, 1};
  const int64_t *const shapes[] = {seven, two};
  REFUSED(SHAPE, "(7,) (2,)", gpuopt_broadcast_shapes(2, ndims, shapes, &ndim, shape, &e));
}

TEST_F(BadInput, Operations) {
  gpuopt_array pair[] = {x.get(), x.get()}, lone[] = {nullptr};
  REFUSED(INVALID_ARGUMENT, "not an operation", gpuopt_apply(-1, 1, pair, nullptr, &r, &e));
  REFUSED(INVALID_ARGUMENT, "not an operation", gpuopt_apply(9999, 1, pair, nullptr, &r, &e));
  REFUSED(INVALID_ARGUMENT, "1 inputs", gpuopt_apply(GPUOPT_OP_add, 1, pair, nullptr, &r, &e));
  REFUSED(INVALID_ARGUMENT, "inputs", gpuopt_apply(GPUOPT_OP_add, 2, nullptr, nullptr, &r, &e));
  REFUSED(INVALID_ARGUMENT, "NULL", gpuopt_apply(GPUOPT_OP_add, 2, pair, nullptr, nullptr, &e));
  REFUSED(INVALID_ARGUMENT, "", gpuopt_apply(GPUOPT_OP_negative, 1, lone, nullptr, &r, &e));
  REFUSED(INVALID_ARGUMENT, "weak", gpuopt_add(w.get(), w.get(), &r, &e));
  REFUSED(INVALID_ARGUMENT, "not a reduction", gpuopt_reduce(-1, x.get(), nullptr, &r, &e));
  REFUSED(TYPE, "float64", gpuopt_bitwise_and(x.get(), i.get(), &r, &e));
  REFUSED(TYPE, "less: dtype complex128 is not supported: complex numbers have no order",
          gpuopt_less(c.get(), c.get(), &r, &e));
  REFUSED(TYPE, "no order", gpuopt_greater_equal(c.get(), x.get(), &r, &e));
  REFUSED(TYPE, "no order", gpuopt_maximum(c.get(), c.get(), &r, &e));
  REFUSED(TYPE, "no order", gpuopt_fmin(c.get(), c.get(), &r, &e));
  REFUSED(TYPE, "no order", gpuopt_min(c.get(), nullptr, &r, &e));
  REFUSED(TYPE, "no order", gpuopt_argmax(c.get(), nullptr, &r, &e));
  REFUSED(TYPE, "floor: dtype complex128 is not supported", gpuopt_floor(c.get(), &r, &e));
  REFUSED(TYPE, "int64", gpuopt_divide_into(i.get(), i.get(), i.get(), &e));
  gpuopt_reduce_options options = {sizeof options, 0, nullptr, nullptr, 0,       0,
                                   GPUOPT_INT32,   0, 0,       nullptr, nullptr, nullptr};
  REFUSED(INVALID_ARGUMENT, "dtype", gpuopt_max(x.get(), &options, &r, &e));
  REFUSED(TYPE, "int32", gpuopt_mean(x.get(), &options, &r, &e));
  REFUSED(INVALID_ARGUMENT, "dtype", gpuopt_vector_norm(x.get(), 2, &options, &r, &e));
  REFUSED(INVALID_ARGUMENT, "NaN", gpuopt_vector_norm(x.get(), kNan, nullptr, &r, &e));
  REFUSED(INVALID_ARGUMENT, "", gpuopt_matrix_norm(x.get(), 3, 0, &r, &e));
  const Array empty = make<double>({0}, {}), nans = make<double>({1}, {kNan});
  REFUSED(INVALID_ARGUMENT, "max", gpuopt_max(empty.get(), nullptr, &r, &e));
  REFUSED(INVALID_ARGUMENT, "nanargmax", gpuopt_nanargmax(nans.get(), nullptr, &r, &e));
}

TEST_F(BadInput, Products) {
  const Array zero_d = make<double>({}, {1});
  REFUSED(SHAPE, "0-d", gpuopt_matmul(zero_d.get(), x.get(), &r, &e));
  REFUSED(SHAPE, "0-d", gpuopt_matmul(x.get(), zero_d.get(), &r, &e));
  REFUSED(SHAPE, "3 (dim 1) != 2 (dim 0)", gpuopt_matmul(x.get(), x.get(), &r, &e));
  REFUSED(SHAPE, "tensordot", gpuopt_tensordot(x.get(), x.get(), 1, nullptr, nullptr, &r, &e));
  REFUSED(INDEX, "vecdot", gpuopt_vecdot(x.get(), x.get(), 2, &r, &e));
}

TEST_F(BadInput, Conversions) {
  gpuopt_dtype dtype = 0;
  REFUSED(INVALID_ARGUMENT, "name", gpuopt_dtype_from_name(nullptr, &dtype, &e));
  REFUSED(INVALID_ARGUMENT, "float64", gpuopt_dtype_from_name("float65", &dtype, &e));
  REFUSED(INVALID_ARGUMENT, "result", gpuopt_dtype_from_name("float64", nullptr, &e));
  REFUSED(INVALID_ARGUMENT, "", gpuopt_promote_types(0, GPUOPT_INT8, &dtype, &e));
  REFUSED(INVALID_ARGUMENT, "no arrays", gpuopt_result_type(0, nullptr, &dtype, &e));
  REFUSED(INVALID_ARGUMENT, "copy", gpuopt_astype(x.get(), GPUOPT_FLOAT32, GPUOPT_COPY_NEVER, &r, &e));
  REFUSED(INVALID_ARGUMENT, "dtype", gpuopt_astype(x.get(), 99, 0, &r, &e));
}

TEST_F(BadInput, HostMemory) {
  double values[6] = {};
  const int64_t shape[] = {2, 3}, far[] = {INT64_MAX / 2, 8};
  REFUSED(INVALID_ARGUMENT, "data",
          gpuopt_from_host(d, nullptr, GPUOPT_FLOAT64, 2, shape, nullptr, 0, nullptr, nullptr, &r, &e));
  REFUSED(INVALID_ARGUMENT, "copy",
          gpuopt_from_host(d, values, GPUOPT_FLOAT64, 2, shape, nullptr, 3, nullptr, nullptr, &r, &e));
  const int64_t three[] = {3, 3};
  REFUSED(INVALID_ARGUMENT, "64 bits",
          gpuopt_from_host(d, values, GPUOPT_FLOAT64, 2, three, far, 0, nullptr, nullptr, &r, &e));
  REFUSED(INVALID_ARGUMENT, "48", gpuopt_to_host(x.get(), values, 40, &e));
  REFUSED(INVALID_ARGUMENT, "weak", gpuopt_to_host(w.get(), values, 8, &e));
  void *data = nullptr;
  REFUSED(INVALID_ARGUMENT, "data", gpuopt_array_data(x.get(), nullptr, &e));
  REFUSED(INVALID_ARGUMENT, "weak", gpuopt_array_data(w.get(), &data, &e));
  gpuopt_scalar value;
  const int64_t outside[] = {0, 3}, inside[] = {0, 0};
  REFUSED(INDEX, "3", gpuopt_array_item(x.get(), outside, &value, &e));
  REFUSED(INVALID_ARGUMENT, "value", gpuopt_array_item(x.get(), inside, nullptr, &e));
  REFUSED(INDEX, "3", gpuopt_array_set_item(x.get(), outside, number(7), &e));
  REFUSED(TYPE, "complex", gpuopt_array_set_item(x.get(), inside, gpuopt_scalar_complex(7, 7), &e));
}

TEST_F(BadInput, ReadOnly) {
  Result wide;
  const int64_t shape[] = {2, 2, 3}, first[] = {0, 0, 0};
  const Array y = wide.take(gpuopt_broadcast_to(x.get(), 3, shape, &wide.array, &wide.error));
  REFUSED(READ_ONLY, "read-only", gpuopt_assign(y.get(), x.get(), &e));
  REFUSED(READ_ONLY, "read-only", gpuopt_fill(y.get(), number(7), &e));
  REFUSED(READ_ONLY, "read-only", gpuopt_negative_into(y.get(), y.get(), &e));
  REFUSED(READ_ONLY, "read-only", gpuopt_array_set_item(y.get(), first, number(7), &e));
}

TEST_F(BadInput, MasksAndIndices) {
  const Array mask = make<bool>({3}, {true, true, false}), index = make<int64_t>({1}, {2}),
              three = make<double>({3}, {7, 7, 7});
  const Array fits = make<bool>({2}, {true, true});
  REFUSED(INDEX, "axis 0", gpuopt_mask_select(x.get(), mask.get(), &r, &e));
  REFUSED(TYPE, "int64", gpuopt_mask_select(x.get(), i.get(), &r, &e));
  REFUSED(SHAPE, "shape", gpuopt_mask_assign(x.get(), fits.get(), make<double>({2}, {7, 7}).get(), &e));
  REFUSED(INDEX, "2", gpuopt_take(x.get(), index.get(), 0, &r, &e));
  REFUSED(TYPE, "float64", gpuopt_take(x.get(), three.get(), 0, &r, &e));
  REFUSED(INDEX, "2", gpuopt_put(x.get(), index.get(), 0, three.get(), &e));
  const Array bytes = make<int8_t>({3}, {1, 2, 3}), large = weak(integer(300)), z = weak(gpuopt_scalar_complex(0, 1));
  REFUSED(OVERFLOW, "300", gpuopt_mask_assign(bytes.get(), mask.get(), large.get(), &e));
  REFUSED(OVERFLOW, "300", gpuopt_put(bytes.get(), index.get(), 0, large.get(), &e));
  REFUSED(TYPE, "complex", gpuopt_mask_assign(bytes.get(), mask.get(), z.get(), &e));
  REFUSED(TYPE, "complex", gpuopt_put(bytes.get(), index.get(), 0, z.get(), &e));
}

TEST_F(BadInput, Files) {
  const std::string folder = testing::TempDir(), path = folder + "/bad_input.npz";
  std::remove(path.c_str());
  const gpuopt_array arrays[] = {x.get()}, weak_one[] = {w.get()};
  const char *const names[] = {"x"}, *const no_name[] = {nullptr};
  const std::string endless(70000, 'n');
  const char *const long_name[] = {endless.c_str()};
  REFUSED(INVALID_ARGUMENT, "path", gpuopt_save_npz(nullptr, 1, names, arrays, 0, &e));
  REFUSED(INVALID_ARGUMENT, "name 0", gpuopt_save_npz(path.c_str(), 1, no_name, arrays, 0, &e));
  REFUSED(INVALID_ARGUMENT, "too long", gpuopt_save_npz(path.c_str(), 1, long_name, arrays, 0, &e));
  REFUSED(INVALID_ARGUMENT, "weak", gpuopt_save_npz(path.c_str(), 1, names, weak_one, 0, &e));
  REFUSED(INVALID_ARGUMENT, "weak", gpuopt_save_npy(w.get(), path.c_str(), &e));
  EXPECT_FALSE(std::ifstream(path)) << "a refused call left a file";
  REFUSED(IO, "no_such_folder", gpuopt_save_npy(x.get(), (folder + "/no_such_folder/x.npy").c_str(), &e));
  REFUSED(IO, "no_such_file", gpuopt_load_npy(d, (folder + "/no_such_file.npy").c_str(), &r, &e));
  REFUSED(IO, folder, gpuopt_save_npy(x.get(), folder.c_str(), &e));
  gpuopt_npz npz = nullptr;
  ASSERT_EQ(gpuopt_save_npz(path.c_str(), 1, names, arrays, 0, &e), GPUOPT_OK) << e.message;
  ASSERT_EQ(gpuopt_npz_open(path.c_str(), &npz, &e), GPUOPT_OK) << e.message;
  REFUSED(INVALID_ARGUMENT, "npz_read", gpuopt_npz_read(npz, nullptr, d, &r, &e));
  REFUSED(INVALID_ARGUMENT, "'y'", gpuopt_npz_read(npz, "y", d, &r, &e));
  gpuopt_npz_close(npz);
}

TEST_F(BadInput, Exchange) {
  DLManagedTensorVersioned *tensor = nullptr;
  DLManagedTensor *old = nullptr;
  REFUSED(INVALID_ARGUMENT, "copy", gpuopt_to_dlpack(x.get(), -1, 3, &tensor, &e));
  REFUSED(INVALID_ARGUMENT, "tensor", gpuopt_to_dlpack(x.get(), -1, 0, nullptr, &e));
  REFUSED(INVALID_ARGUMENT, "tensor", gpuopt_to_dlpack_unversioned(x.get(), -1, 0, nullptr, &e));
  REFUSED(INVALID_ARGUMENT, "tensor", gpuopt_from_dlpack(d, nullptr, 0, &r, &e));
  ASSERT_EQ(gpuopt_to_dlpack_unversioned(x.get(), -1, 0, &old, &e), GPUOPT_OK) << e.message;
  REFUSED(INVALID_ARGUMENT, "copy", gpuopt_from_dlpack_unversioned(d, old, 3, &r, &e));
  Result back;  // a refused tensor stays the caller's, and whole
  EXPECT_EQ(values_of<double>(back.take(gpuopt_from_dlpack_unversioned(d, old, 0, &back.array, &back.error))),
            values_of<double>(x));
}

TEST_F(BadInput, Random) {
  const int64_t shape[] = {4};
  gpuopt_random_state state = nullptr;
  gpuopt_generator generator = nullptr;
  REFUSED(INVALID_ARGUMENT, "random_state_create", gpuopt_random_state_create(d, 1, nullptr, &e));
  REFUSED(INVALID_ARGUMENT, "generator_create", gpuopt_generator_create(d, 1, nullptr, &e));
  ASSERT_EQ(gpuopt_random_state_create(d, 1, &state, &e), GPUOPT_OK);
  ASSERT_EQ(gpuopt_generator_create(d, 1, &generator, &e), GPUOPT_OK);
  REFUSED(INVALID_ARGUMENT, "low >= high", gpuopt_random_state_randint(state, 5, 5, 0, 1, shape, &r, &e));
  REFUSED(INVALID_ARGUMENT, "low >= high", gpuopt_generator_integers(generator, 5, 4, 0, 0, 1, shape, &r, &e));
  REFUSED(INVALID_ARGUMENT, "int8", gpuopt_random_state_randint(state, 0, 300, GPUOPT_INT8, 1, shape, &r, &e));
  REFUSED(INVALID_ARGUMENT, "scale", gpuopt_random_state_normal(state, 0, -1, 1, shape, &r, &e));
  REFUSED(TYPE, "int8", gpuopt_generator_uniform(generator, 0, 1, GPUOPT_INT8, 1, shape, &r, &e));
  const Array a = make<double>({2}, {1, 2}), p = make<double>({2}, {0.5, 0.4}), q = make<double>({3}, {1, 0, 0});
  REFUSED(INVALID_ARGUMENT, "sum to 1", gpuopt_random_state_choice(state, a.get(), 1, shape, 1, p.get(), &r, &e));
  REFUSED(SHAPE, "size", gpuopt_random_state_choice(state, a.get(), 1, shape, 1, q.get(), &r, &e));
  REFUSED(INVALID_ARGUMENT, "", gpuopt_random_state_choice(state, a.get(), 1, shape, 0, nullptr, &r, &e));
  REFUSED(INVALID_ARGUMENT, "-1", gpuopt_random_state_permutation(state, -1, nullptr, &r, &e));
  Result one, other;  // a refused call draws nothing
  gpuopt_random_state fresh = nullptr;
  ASSERT_EQ(gpuopt_random_state_create(d, 1, &fresh, &e), GPUOPT_OK);
  EXPECT_EQ(
      values_of<double>(one.take(gpuopt_random_state_random_sample(state, 1, shape, &one.array, &one.error))),
      values_of<double>(other.take(gpuopt_random_state_random_sample(fresh, 1, shape, &other.array, &other.error))));
  gpuopt_random_state_release(fresh);
  gpuopt_random_state_release(state);
  gpuopt_generator_release(generator);
}

TEST_F(BadInput, DevicesStreamsAndReports) {
  gpuopt_device opened = nullptr;
  gpuopt_device_options options = GPUOPT_DEVICE_OPTIONS_INIT;
  const char *const no_path[] = {nullptr};
  options.plugin_path = no_path;
  options.plugin_path_count = 1;
  REFUSED(INVALID_ARGUMENT, "plugin_path[0]", gpuopt_device_open("cpu", &options, &opened, &e));
  options.plugin_path_count = -1;
  REFUSED(INVALID_ARGUMENT, "plugin_path_count", gpuopt_device_open("cpu", &options, &opened, &e));
  char *report = nullptr;
  REFUSED(INVALID_ARGUMENT, "format 2", gpuopt_discovery_report(nullptr, 2, &report, &e));
  REFUSED(INVALID_ARGUMENT, "stream", gpuopt_stream_default(d, nullptr, &e));
  gpuopt_stream stream = nullptr;
  ASSERT_EQ(gpuopt_stream_default(d, &stream, &e), GPUOPT_OK);
  REFUSED(INVALID_ARGUMENT, "event", gpuopt_event_record(stream, nullptr, &e));
  gpuopt_event event = nullptr;
  ASSERT_EQ(gpuopt_event_record(stream, &event, &e), GPUOPT_OK) << e.message;
  REFUSED(INVALID_ARGUMENT, "NULL", gpuopt_event_elapsed(event, event, nullptr, &e));
  gpuopt_event_release(event);
  gpuopt_stream_release(stream);
  gpuopt_engine_stats stats = {1, 0, 0, 0, 0, 0};
  REFUSED(INVALID_ARGUMENT, "engine_get_stats", gpuopt_engine_get_stats(d, &stats, &e));
  REFUSED(INVALID_ARGUMENT, "engine_get_stats", gpuopt_engine_get_stats(d, nullptr, &e));
  REFUSED(INVALID_ARGUMENT, "eval", gpuopt_eval(1, nullptr, &e));
}

}  // namespace
