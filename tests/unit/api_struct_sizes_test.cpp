// tests/unit/api_struct_sizes_test.cpp -- every struct of the C ABI that begins with its size: programs that were built
// with an older header know fewer members, those built with a newer one know more.
#include <gpuopt/gpuopt.h>
#include <gpuopt_test_paths.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

constexpr size_t kRoom = 4096;
constexpr unsigned char kUntouched = 0xa5;

gpuopt_device cpu() {
  gpuopt_device device = nullptr;
  EXPECT_EQ(gpuopt_device_open("cpu", nullptr, &device, nullptr), GPUOPT_OK);
  return device;
}

gpuopt_array ones() {
  gpuopt_array x = nullptr;
  const int64_t shape[] = {2, 3};
  EXPECT_EQ(gpuopt_ones(cpu(), GPUOPT_FLOAT64, 2, shape, &x, nullptr), GPUOPT_OK);
  return x;
}

gpuopt_kernel kernel_of(bool raw) {
  gpuopt_kernel kernel = nullptr;
  const gpuopt_status status =
      raw ? gpuopt_raw_kernel("__global__ void f(double *x) {}", "f", &kernel, nullptr)
          : gpuopt_elementwise_kernel("float64 x", "float64 y", "y = x", "same", nullptr, &kernel, nullptr);
  EXPECT_EQ(status, GPUOPT_OK);
  return kernel;
}

// ---- Results

struct Result {
  const char *name;
  size_t size_of_1_0, size;  // in bytes
  std::function<gpuopt_status(void *)> call;
  bool any_size;  // of the error: sizes below 8 are allowed, and nothing is written then
};

gpuopt_status attributes(void *out) {
  gpuopt_kernel kernel = kernel_of(true);
  const gpuopt_status status =
      gpuopt_raw_kernel_attributes(kernel, cpu(), static_cast<gpuopt_kernel_attributes *>(out), nullptr);
  gpuopt_kernel_release(kernel);
  return status;
}

gpuopt_status random_words(void *out) {
  gpuopt_random_state state = nullptr;
  EXPECT_EQ(gpuopt_random_state_create(cpu(), 1, &state, nullptr), GPUOPT_OK);
  const gpuopt_status status = gpuopt_random_state_get_words(state, static_cast<gpuopt_mt19937_words *>(out), nullptr);
  gpuopt_random_state_release(state);
  return status;
}

gpuopt_status traffic(void *out) {
  gpuopt_comm comm = nullptr;
  EXPECT_EQ(gpuopt_comm_init("self", nullptr, &comm, nullptr), GPUOPT_OK);
  const gpuopt_status status = gpuopt_comm_get_traffic(comm, static_cast<gpuopt_comm_traffic *>(out), nullptr);
  gpuopt_comm_release(comm);
  return status;
}

gpuopt_generator pcg64() {
  gpuopt_generator generator = nullptr;
  EXPECT_EQ(gpuopt_generator_create_pcg64(cpu(), 0, nullptr, 0, nullptr, &generator, nullptr), GPUOPT_OK);
  return generator;
}

gpuopt_status pcg64_words(void *out) {
  gpuopt_generator generator = pcg64();
  const gpuopt_status status = gpuopt_generator_get_words(generator, static_cast<gpuopt_pcg64_words *>(out), nullptr);
  gpuopt_generator_release(generator);
  return status;
}

const Result kResults[] = {
    {"gpuopt_device_info", 824, sizeof(gpuopt_device_info),
     [](void *out) { return gpuopt_device_get_info(cpu(), static_cast<gpuopt_device_info *>(out), nullptr); }, false},
    {"gpuopt_memory_stats", 56, sizeof(gpuopt_memory_stats),
     [](void *out) { return gpuopt_memory_get_stats(cpu(), static_cast<gpuopt_memory_stats *>(out), nullptr); }, false},
    {"gpuopt_engine_stats", 40, sizeof(gpuopt_engine_stats),
     [](void *out) { return gpuopt_engine_get_stats(cpu(), static_cast<gpuopt_engine_stats *>(out), nullptr); }, false},
    {"gpuopt_comm_traffic", 48, sizeof(gpuopt_comm_traffic), traffic, false},
    {"gpuopt_kernel_attributes", 40, sizeof(gpuopt_kernel_attributes), attributes, false},
    {"gpuopt_mt19937_words", 2528, sizeof(gpuopt_mt19937_words), random_words, false},
    {"gpuopt_pcg64_words", 56, sizeof(gpuopt_pcg64_words), pcg64_words, false},
    {"gpuopt_float_limits", 88, sizeof(gpuopt_float_limits),
     [](void *out) { return gpuopt_finfo(GPUOPT_FLOAT32, static_cast<gpuopt_float_limits *>(out), nullptr); }, false},
    {"gpuopt_integer_limits", 24, sizeof(gpuopt_integer_limits),
     [](void *out) { return gpuopt_iinfo(GPUOPT_INT32, static_cast<gpuopt_integer_limits *>(out), nullptr); }, false},
    {"gpuopt_error", 528, sizeof(gpuopt_error),
     [](void *out) {
       return gpuopt_eval(1, nullptr, static_cast<gpuopt_error *>(out)) == GPUOPT_ERR_INVALID_ARGUMENT
                  ? GPUOPT_OK
                  : GPUOPT_ERR_INTERNAL;
     },
     true},
};

struct Filled {
  gpuopt_status status;
  std::vector<unsigned char> bytes;
};

Filled fill(const Result &result, uint32_t size) {
  Filled filled{GPUOPT_OK, std::vector<unsigned char>(kRoom, kUntouched)};
  std::memcpy(filled.bytes.data(), &size, sizeof size);
  filled.status = result.call(filled.bytes.data());
  return filled;
}

// Whether bytes [from, to) are as they were.
bool untouched(const Filled &filled, size_t from, size_t to) {
  return std::all_of(filled.bytes.begin() + long(from), filled.bytes.begin() + long(to),
                     [](unsigned char byte) { return byte == kUntouched; });
}

uint32_t size_in(const Filled &filled) {
  uint32_t size;
  std::memcpy(&size, filled.bytes.data(), sizeof size);
  return size;
}

TEST(Results, OfEverySizeAreFilledAsFarAsTheyGo) {
  for (const Result &result : kResults) {
    const Filled whole = fill(result, uint32_t(result.size));
    if (whole.status == GPUOPT_ERR_JIT_UNAVAILABLE) continue;
    ASSERT_EQ(whole.status, GPUOPT_OK) << result.name;
    for (const size_t size :
         {size_t{8}, size_t{9}, size_t{15}, size_t{16}, result.size_of_1_0 / 2, result.size_of_1_0 - 1,
          result.size_of_1_0, result.size, result.size + 1, result.size + 64}) {
      const Filled filled = fill(result, uint32_t(size));
      EXPECT_EQ(filled.status, GPUOPT_OK) << result.name << " of " << size << " bytes";
      EXPECT_EQ(size_in(filled), size) << result.name << ": struct_size is the caller's";
      const size_t written = std::min(size, result.size);
      EXPECT_TRUE(untouched(filled, written, kRoom)) << result.name << " of " << size << " bytes: more was written";
      EXPECT_FALSE(untouched(filled, 4, std::min<size_t>(written, 8))) << result.name << ": nothing was written";
    }
  }
}

TEST(Results, WithoutASizeAreRefused) {
  for (const Result &result : kResults) {
    for (const uint32_t size : {0u, 1u, 4u, 7u}) {
      const Filled filled = fill(result, size);
      if (filled.status == GPUOPT_ERR_JIT_UNAVAILABLE) continue;
      EXPECT_EQ(filled.status, result.any_size ? GPUOPT_OK : GPUOPT_ERR_INVALID_ARGUMENT)
          << result.name << ", " << size;
      EXPECT_TRUE(untouched(filled, std::max<size_t>(size, 4), kRoom)) << result.name << ", " << size;
    }
  }
}

// The members of 1.0 are where they were: a program of that time counts on them.
TEST(Results, MembersOf10AreThere) {
  gpuopt_array x = nullptr, y = nullptr;
  const int64_t shape[] = {8192};  // fewer elements would not be recorded
  ASSERT_EQ(gpuopt_ones(cpu(), GPUOPT_FLOAT64, 1, shape, &x, nullptr), GPUOPT_OK);
  ASSERT_EQ(gpuopt_add(x, x, &y, nullptr), GPUOPT_OK);
  struct {
    uint32_t struct_size, reserved;
    uint64_t operations;
  } first_members{sizeof first_members, 0, 0};
  gpuopt_engine_stats all{};
  all.struct_size = sizeof all;
  ASSERT_EQ(gpuopt_engine_get_stats(cpu(), reinterpret_cast<gpuopt_engine_stats *>(&first_members), nullptr),
            GPUOPT_OK);
  ASSERT_EQ(gpuopt_engine_get_stats(cpu(), &all, nullptr), GPUOPT_OK);
  EXPECT_GE(first_members.operations, 1u);
  EXPECT_EQ(first_members.operations, all.operations);
  EXPECT_EQ(first_members.struct_size, sizeof first_members);
  gpuopt_array_release(x);
  gpuopt_array_release(y);
}

// ---- Options

struct Options {
  const char *name;
  size_t size_of_1_0, size;
  std::function<gpuopt_status(const void *, gpuopt_error *)> call;
};

gpuopt_status sum(const void *options, gpuopt_error *error) {
  gpuopt_array x = ones(), y = nullptr;
  const gpuopt_status status = gpuopt_sum(x, static_cast<const gpuopt_reduce_options *>(options), &y, error);
  gpuopt_array_release(x);
  gpuopt_array_release(y);
  return status;
}

gpuopt_status add_with(const void *options, gpuopt_error *error) {
  gpuopt_array x = ones(), y = nullptr;
  const gpuopt_array inputs[] = {x, x};
  const gpuopt_status status =
      gpuopt_apply_with(GPUOPT_OP_add, 2, inputs, static_cast<const gpuopt_apply_options *>(options), &y, error);
  gpuopt_array_release(x);
  gpuopt_array_release(y);
  return status;
}

gpuopt_status multiply(const void *options, gpuopt_error *error) {
  gpuopt_array x = ones(), transposed = nullptr, y = nullptr;
  EXPECT_EQ(gpuopt_permute_dims(x, nullptr, &transposed, nullptr), GPUOPT_OK);
  const gpuopt_status status =
      gpuopt_matmul_with(x, transposed, static_cast<const gpuopt_product_options *>(options), &y, error);
  for (gpuopt_array used : {x, transposed, y}) gpuopt_array_release(used);
  return status;
}

gpuopt_status covariance(const void *options, gpuopt_error *error) {
  gpuopt_array x = ones(), y = nullptr;
  const gpuopt_status status = gpuopt_cov(x, nullptr, static_cast<const gpuopt_cov_options *>(options), &y, error);
  for (gpuopt_array used : {x, y}) gpuopt_array_release(used);
  return status;
}

gpuopt_status communication(const void *options, gpuopt_error *error) {
  gpuopt_comm comm = nullptr;
  const gpuopt_status status =
      gpuopt_comm_init("self", static_cast<const gpuopt_comm_options *>(options), &comm, error);
  gpuopt_comm_release(comm);
  return status;
}

gpuopt_status load_text(const void *options, gpuopt_error *error) {
  gpuopt_array x = nullptr;
  const gpuopt_status status =
      gpuopt_loadtxt_memory(cpu(), "1 2", 3, static_cast<const gpuopt_loadtxt_options *>(options), &x, error);
  gpuopt_array_release(x);
  return status;
}

gpuopt_status save_text(const void *options, gpuopt_error *error) {
  gpuopt_array x = ones();
  const gpuopt_status status =
      gpuopt_savetxt(x, "/dev/null", static_cast<const gpuopt_savetxt_options *>(options), error);
  gpuopt_array_release(x);
  return status;
}

gpuopt_status print(const void *options, gpuopt_error *error) {
  gpuopt_array x = ones();
  char *text = nullptr;
  const gpuopt_status status =
      gpuopt_array_to_string(x, static_cast<const gpuopt_print_options *>(options), &text, error);
  gpuopt_string_free(text);
  gpuopt_array_release(x);
  return status;
}

gpuopt_status make_kernel(const void *options, gpuopt_error *error) {
  gpuopt_kernel kernel = nullptr;
  const gpuopt_status status = gpuopt_elementwise_kernel(
      "float64 x", "float64 y", "y = x", "same", static_cast<const gpuopt_kernel_options *>(options), &kernel, error);
  gpuopt_kernel_release(kernel);
  return status;
}

gpuopt_status call_kernel(const void *options, gpuopt_error *error) {
  gpuopt_kernel kernel = kernel_of(false);
  gpuopt_array x = ones(), y = nullptr;
  const gpuopt_status status =
      gpuopt_kernel_call(kernel, 1, &x, static_cast<const gpuopt_kernel_call_options *>(options), &y, error);
  gpuopt_array_release(x);
  gpuopt_array_release(y);
  gpuopt_kernel_release(kernel);
  return status;
}

gpuopt_status launch(const void *options, gpuopt_error *error) {
  gpuopt_kernel kernel = kernel_of(true);
  const gpuopt_raw_argument argument{ones(), nullptr, 0};
  const uint32_t one[] = {1, 1, 1};
  const gpuopt_status status = gpuopt_raw_kernel_launch(kernel, one, one, 0, 1, &argument,
                                                        static_cast<const gpuopt_raw_launch_options *>(options), error);
  gpuopt_array_release(argument.array);
  gpuopt_kernel_release(kernel);
  return status;
}

gpuopt_status make_stencil(const void *options, gpuopt_error *error) {
  gpuopt_kernel kernel = nullptr;
  const gpuopt_status status = gpuopt_stencil("float64 a", "float64 y", "return a(-1) + a(1);", "sides",
                                              static_cast<const gpuopt_stencil_options *>(options), &kernel, error);
  gpuopt_kernel_release(kernel);
  return status;
}

gpuopt_status make_texture(const void *options, gpuopt_error *error) {
  gpuopt_array x = nullptr;
  const int64_t n = 3;
  EXPECT_EQ(gpuopt_ones(cpu(), GPUOPT_FLOAT32, 1, &n, &x, nullptr), GPUOPT_OK);
  gpuopt_texture texture = nullptr;
  const gpuopt_status status =
      gpuopt_texture_create(x, static_cast<const gpuopt_texture_options *>(options), &texture, error);
  gpuopt_texture_release(texture);
  gpuopt_array_release(x);
  return status;
}

const Options kOptions[] = {
    {"gpuopt_device_options", 32, sizeof(gpuopt_device_options),
     [](const void *given, gpuopt_error *error) {
       gpuopt_device device = nullptr;
       return gpuopt_device_open("cpu", static_cast<const gpuopt_device_options *>(given), &device, error);
     }},
    {"gpuopt_reduce_options", 48, sizeof(gpuopt_reduce_options), sum},
    {"gpuopt_apply_options", 40, sizeof(gpuopt_apply_options), add_with},
    {"gpuopt_product_options", 24, sizeof(gpuopt_product_options), multiply},
    {"gpuopt_comm_options", 40, sizeof(gpuopt_comm_options), communication},
    {"gpuopt_cov_options", 48, sizeof(gpuopt_cov_options), covariance},
    {"gpuopt_loadtxt_options", 112, sizeof(gpuopt_loadtxt_options), load_text},
    {"gpuopt_savetxt_options", 64, sizeof(gpuopt_savetxt_options), save_text},
    {"gpuopt_print_options", 24, sizeof(gpuopt_print_options), print},
    {"gpuopt_kernel_options", 48, sizeof(gpuopt_kernel_options), make_kernel},
    {"gpuopt_kernel_call_options", 56, sizeof(gpuopt_kernel_call_options), call_kernel},
    {"gpuopt_raw_launch_options", 32, sizeof(gpuopt_raw_launch_options), launch},
    {"gpuopt_stencil_options", 64, sizeof(gpuopt_stencil_options), make_stencil},
    {"gpuopt_texture_options", 56, sizeof(gpuopt_texture_options), make_texture},
};

gpuopt_status give(const Options &of, size_t size, unsigned char last_byte, gpuopt_error *error = nullptr) {
  alignas(16) unsigned char bytes[kRoom] = {};
  const auto written = static_cast<uint32_t>(size);
  std::memcpy(bytes, &written, sizeof written);
  if (size > of.size && size <= kRoom) bytes[size - 1] = last_byte;
  return of.call(bytes, error);
}

// The default of every member is 0, and a member that is not there has its default.
TEST(GivenOptions, OfEverySizeAreTakenAsFarAsTheyGo) {
  for (const Options &of : kOptions) {
    if (of.call(nullptr, nullptr) == GPUOPT_ERR_JIT_UNAVAILABLE) continue;
    EXPECT_EQ(of.call(nullptr, nullptr), GPUOPT_OK) << of.name << ": NULL";
    for (const size_t size :
         {size_t{16}, size_t{17}, of.size_of_1_0 - 1, of.size_of_1_0, of.size, of.size + 1, of.size + 64, kRoom})
      EXPECT_EQ(give(of, size, 0), GPUOPT_OK) << of.name << " of " << size << " bytes";
  }
}

TEST(GivenOptions, MembersThatAreNotKnownAreRefused) {
  for (const Options &of : kOptions) {
    if (of.call(nullptr, nullptr) == GPUOPT_ERR_JIT_UNAVAILABLE) continue;
    for (const size_t size : {of.size + 1, of.size + 64, kRoom}) {
      gpuopt_error error = GPUOPT_ERROR_INIT;
      EXPECT_EQ(give(of, size, 1, &error), GPUOPT_ERR_UNSUPPORTED) << of.name << " of " << size << " bytes";
      EXPECT_NE(std::strstr(error.message, std::to_string(size).c_str()), nullptr) << error.message;
    }
  }
}

TEST(GivenOptions, WithoutASizeAreRefused) {
  for (const Options &of : kOptions) {
    for (const size_t size : {size_t{0}, size_t{4}, size_t{15}, size_t{65537}, size_t{UINT32_MAX}})
      EXPECT_EQ(give(of, size, 0), GPUOPT_ERR_INVALID_ARGUMENT) << of.name << " of " << size << " bytes";
  }
}

// ---- Whoever adds a struct adds it here.
TEST(Structs, AllOfTheHeadersAreInTheTables) {
  std::set<std::string> tried = {"gpuopt_log_record"};  // the library's own, given to a callback
  for (const Result &result : kResults) tried.insert(result.name);
  for (const Options &of : kOptions) tried.insert(of.name);
  std::set<std::string> declared;
  for (const char *header : {"types.h",
                             "gpuopt.h",
                             "gpuopt_fft.h",
                             "gpuopt_sorting.h",
                             "gpuopt_statistics.h",
                             "gpuopt_linalg.h",
                             "gpuopt_random.h",
                             "gpuopt_selection.h",
                             "gpuopt_creation.h",
                             "gpuopt_signal.h",
                             "gpuopt_text.h",
                             "gpuopt_polynomial.h",
                             "gpuopt_numbers.h",
                             "gpuopt_apply.h",
                             "gpuopt_queries.h",
                             "gpuopt_kernels.h",
                             "gpuopt_texture.h",
                             "gpuopt_ufuncs.h",
                             "gpuopt_compiled.h",
                             "gpuopt_comm.h",
                             "gpuopt_arrow.h",
                             "gpuopt_make.h"}) {
    std::ifstream file(std::string(GPUOPT_SOURCE_DIR) + "/abi/gpuopt/" + header);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    ASSERT_FALSE(text.empty()) << header;
    const std::regex sized("typedef struct (\\w+) \\{\\s*uint32_t struct_size");
    for (std::sregex_iterator found(text.begin(), text.end(), sized), end; found != end; ++found)
      declared.insert((*found)[1]);
  }
  EXPECT_EQ(declared, tried);
}

}  // namespace
