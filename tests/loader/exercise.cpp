// tests/loader/exercise.cpp -- a program that calls what reaches every slot of a backend, however many calls fail, and
// then adds on the CPU: prints "failed|<calls that failed>|<a message>" and "cpu|<sums>".
#include <gpuopt/gpuopt.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

int failed = 0;
std::string message;

// Notes a failure; every failure must be a status that exists and a text that ends.
bool done(gpuopt_status status, const gpuopt_error &error) {
  if (status == GPUOPT_OK) return true;
  ++failed;
  if (message.empty()) message = error.message;
  const bool known =
      status > 0 && status < GPUOPT_STATUS_COUNT && error.reason >= 0 && error.reason < GPUOPT_REASON_COUNT;
  if (!known || std::strlen(error.message) >= sizeof error.message) std::printf("wild|%d %d\n", status, error.reason);
  return false;
}

// Calls with an error of their own as their last argument.
template <class Function, class... Arguments>
bool call(Function function, Arguments... arguments) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  return done(function(arguments..., &error), error);
}

struct Arrays {
  std::vector<gpuopt_array> all;
  ~Arrays() {
    for (const gpuopt_array array : all) gpuopt_array_release(array);
  }
  gpuopt_array keep(gpuopt_array array) {
    all.push_back(array);
    return array;
  }
  gpuopt_array from(gpuopt_device device, const void *data, gpuopt_dtype dtype, int ndim, const int64_t *shape) {
    gpuopt_array made = nullptr;
    call(gpuopt_array_from, device, data, dtype, ndim, shape, &made);
    return keep(made);
  }
};

void read(gpuopt_array array) {
  if (!array) return;
  std::vector<double> numbers(static_cast<size_t>(gpuopt_array_size(array)));
  call(gpuopt_to_host, array, static_cast<void *>(numbers.data()), numbers.size() * sizeof(double));
}

void memory(gpuopt_device device) {
  gpuopt_memory_stats stats{};
  stats.struct_size = sizeof stats;
  call(gpuopt_memory_get_stats, device, &stats);
  call(gpuopt_memory_set_limit, device, uint64_t{1} << 40);
  call(gpuopt_memory_trim, device);
  call(gpuopt_device_synchronize, device);
}

void streams(gpuopt_device device) {
  gpuopt_stream stream = nullptr, other = nullptr;
  gpuopt_event start = nullptr, end = nullptr;
  if (call(gpuopt_stream_create, device, &stream) && call(gpuopt_stream_create, device, &other)) {
    call(gpuopt_event_record, stream, &start);
    call(gpuopt_event_record, stream, &end);
    double milliseconds = 0;
    if (start) call(gpuopt_stream_wait, other, start);
    if (end) call(gpuopt_event_synchronize, end);
    if (start && end) call(gpuopt_event_elapsed, start, end, &milliseconds);
    int32_t done = 0;
    void *handle = nullptr;
    int64_t unused = 0;
    if (end) call(gpuopt_event_query, end, &done);
    call(gpuopt_stream_query, stream, &done);
    call(gpuopt_stream_native, stream, &handle);
    call(gpuopt_device_get_attribute, device, GPUOPT_ATTRIBUTE_MEMORY_FREE, &unused);
    call(gpuopt_stream_synchronize, stream);
  }
  gpuopt_event_release(start);
  gpuopt_event_release(end);
  gpuopt_stream_release(stream);
  gpuopt_stream_release(other);
}

void arithmetic(gpuopt_device device) {
  Arrays arrays;
  const int64_t shape[] = {4, 4}, vector[] = {4};
  const double numbers[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  const bool mask[4] = {true, false, true, true};
  const int64_t indices[4] = {3, 0, 1, 2};
  const gpuopt_array x = arrays.from(device, numbers, GPUOPT_FLOAT64, 2, shape),
                     v = arrays.from(device, numbers, GPUOPT_FLOAT64, 1, vector),
                     m = arrays.from(device, mask, GPUOPT_BOOL, 1, vector),
                     i = arrays.from(device, indices, GPUOPT_INT64, 1, vector);
  gpuopt_array sum = nullptr, product = nullptr, chosen = nullptr, taken = nullptr, copy = nullptr;
  if (x && call(gpuopt_add, x, x, &sum)) read(arrays.keep(sum));
  if (x && call(gpuopt_matmul, x, x, &product)) read(arrays.keep(product));
  if (v && m && call(gpuopt_mask_select, v, m, &chosen)) read(arrays.keep(chosen));
  if (v && i && call(gpuopt_take, v, i, int64_t{0}, &taken)) read(arrays.keep(taken));
  if (v && i && m) {
    call(gpuopt_put, v, i, int64_t{0}, v);
    if (chosen) call(gpuopt_mask_assign, v, m, chosen);
    read(v);
  }
  if (x && call(gpuopt_to_device, x, device, gpuopt_copy{GPUOPT_COPY_ALWAYS}, &copy)) read(arrays.keep(copy));
}

void random(gpuopt_device device) {
  gpuopt_generator generator = nullptr;
  gpuopt_array drawn = nullptr;
  const int64_t shape[] = {5};
  if (!call(gpuopt_generator_create, device, uint64_t{1}, &generator)) return;
  if (call(gpuopt_generator_uniform, generator, 0.0, 1.0, gpuopt_dtype{GPUOPT_FLOAT64}, 1, shape, &drawn)) read(drawn);
  gpuopt_array_release(drawn);
  gpuopt_generator_release(generator);
}

void kernels(gpuopt_device device) {
  const char *const code =
      "__device__ int seen = 3; extern \"C\" __global__ void fill(double *x) { x[threadIdx.x] = seen; }";
  Arrays arrays;
  const int64_t shape[] = {4};
  const double zeros[4] = {};
  const uint32_t grid[3] = {1, 1, 1}, block[3] = {4, 1, 1};
  const gpuopt_array x = arrays.from(device, zeros, GPUOPT_FLOAT64, 1, shape);
  gpuopt_kernel kernel = nullptr;
  if (!x || !call(gpuopt_raw_kernel, code, "fill", &kernel)) return;
  gpuopt_raw_launch_options options = GPUOPT_RAW_LAUNCH_OPTIONS_INIT;
  options.device = device;
  gpuopt_raw_argument argument{};
  argument.array = x;
  call(gpuopt_raw_kernel_launch, kernel, grid, block, 0u, 1, static_cast<const gpuopt_raw_argument *>(&argument),
       static_cast<const gpuopt_raw_launch_options *>(&options));
  gpuopt_kernel_attributes attributes = GPUOPT_KERNEL_ATTRIBUTES_INIT;
  call(gpuopt_raw_kernel_attributes, kernel, device, &attributes);
  int seen = 0;
  call(gpuopt_raw_kernel_get_global, kernel, "seen", uint64_t{0}, static_cast<void *>(&seen), uint64_t{sizeof seen},
       static_cast<const gpuopt_raw_launch_options *>(&options));
  read(x);
  gpuopt_kernel_release(kernel);
}

void sum_on_cpu() {
  gpuopt_device cpu = nullptr;
  float sums[2] = {};
  const int64_t shape[] = {2};
  const float x[] = {1.5f, 2.5f};
  gpuopt_array a = nullptr, b = nullptr;
  call(gpuopt_device_open, "cpu!", static_cast<const gpuopt_device_options *>(nullptr), &cpu);
  if (cpu && call(gpuopt_array_from, cpu, static_cast<const void *>(x), gpuopt_dtype{GPUOPT_FLOAT32}, 1, shape, &a) &&
      call(gpuopt_add, a, a, &b))
    call(gpuopt_to_host, b, static_cast<void *>(sums), sizeof sums);
  gpuopt_array_release(a);
  gpuopt_array_release(b);
  std::printf("cpu|%g %g\n", sums[0], sums[1]);
}

}  // namespace

// usage: exercise [kernels]
int main(int count, char **arguments) {
  gpuopt_device device = nullptr;
  if (call(gpuopt_device_open, "cuda!", static_cast<const gpuopt_device_options *>(nullptr), &device)) {
    memory(device);
    streams(device);
    arithmetic(device);
    random(device);
    if (count > 1 && std::strcmp(arguments[1], "kernels") == 0) kernels(device);
  }
  std::printf("opened|%s\nfailed|%d|%s\n", device ? gpuopt_device_name(device) : "none", failed, message.c_str());
  sum_on_cpu();
  return 0;
}
