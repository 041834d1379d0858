// tests/plugin_test/tampered_plugin.cpp -- the CPU backend under another name, with the one fault that
// GPUOPT_TEST_FAULT names ("cpu:crash": only where its name is cpu); by macro also wrongly linked.
#include <dlfcn.h>
#include <fcntl.h>
#include <gpuopt/gpuopt_plugin.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/float_mode.h"

#if defined(TAMPERED_EXTRA_SYMBOL)
extern "C" GPUOPT_PLUGIN_EXPORT int gpuopt_test_extra_symbol() { return 1; }
#endif
#if defined(TAMPERED_TEXTREL)
asm(".pushsection .text\n.quad gpuopt_plugin_query_v1\n.popsection");  // an address in the code, to be patched
#endif

namespace {

const gpuopt_host_api *host = nullptr;
gpuopt_plugin_api cpu{}, table{};

bool fault(const std::string &name) {
  const char *chosen = std::getenv("GPUOPT_TEST_FAULT");
  return chosen && (chosen == name || chosen == TAMPERED_NAME ":" + name);
}

bool contains(const gpuopt_program *program, int op, int dtype) {
  for (int i = 0; i < program->nsteps; ++i) {
    const gpuopt_step &step = program->steps[i];
    if (step.kind == GPUOPT_STEP_ELEMENTWISE && step.index == op && step.loop_dtype == dtype) return true;
  }
  return false;
}

// Calls visit(address) for every element of an operand.
template <class Visit>
void each_element(const gpuopt_program *program, const gpuopt_operand &operand, Visit visit) {
  std::vector<int64_t> index(static_cast<size_t>(program->ndim), 0);
  for (bool more = true; more;) {
    char *at = static_cast<char *>(operand.data);
    for (int d = 0; d < program->ndim; ++d) at += index[static_cast<size_t>(d)] * operand.strides[d];
    visit(at);
    more = false;
    for (int d = program->ndim - 1; d >= 0 && !more; --d) {
      more = ++index[static_cast<size_t>(d)] < program->shape[d];
      if (!more) index[static_cast<size_t>(d)] = 0;
    }
  }
}

void add_one_ulp(const gpuopt_program *program) {
  for (int i = 0; i < program->noutputs; ++i) {
    each_element(program, program->outputs[i], [](char *at) {
      double value;
      std::memcpy(&value, at, sizeof value);
      value = std::nextafter(value, INFINITY);
      std::memcpy(at, &value, sizeof value);
    });
  }
}

gpuopt_status run_without_negative_strides(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream,
                                           const gpuopt_program *program, gpuopt_error *error) {
  gpuopt_program wrong = *program;
  std::vector<std::vector<int64_t>> strides(static_cast<size_t>(program->ninputs));
  std::vector<gpuopt_operand> inputs(program->inputs, program->inputs + program->ninputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    strides[i].assign(inputs[i].strides, inputs[i].strides + program->ndim);
    for (int64_t &stride : strides[i]) stride = stride < 0 ? 0 : stride;
    inputs[i].strides = strides[i].data();
  }
  wrong.inputs = inputs.data();
  return cpu.program_run(device, stream, &wrong, error);
}

gpuopt_status program_run(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, const gpuopt_program *program,
                          gpuopt_error *error) {
  if (fault("strides")) return run_without_negative_strides(device, stream, program, error);
  if (fault("lacks_gamma") && contains(program, GPUOPT_OP_gamma, GPUOPT_FLOAT32))
    return host->fail(error, GPUOPT_ERR_UNSUPPORTED, GPUOPT_REASON_NONE, 0, "no gamma of float32");
  if (contains(program, GPUOPT_OP_exp, GPUOPT_FLOAT32)) {
    if (fault("crash")) std::abort();
    if (fault("exit")) _exit(0);
    if (fault("lost")) return host->fail(error, GPUOPT_ERR_DEVICE_LOST, GPUOPT_REASON_NONE, 719, "exp faulted");
    while (fault("hang")) pause();
    if (fault("hang_without_alarm")) std::signal(SIGALRM, SIG_IGN);
    while (fault("hang_without_alarm")) pause();
  }
  const gpuopt_status status = cpu.program_run(device, stream, program, error);
  if (status == GPUOPT_OK && fault("one_ulp") && contains(program, GPUOPT_OP_hypot, GPUOPT_FLOAT64))
    add_one_ulp(program);
#if defined(GPUOPT_HAS_FLOAT_MODE)
  if (fault("float_mode")) float_mode::flush_denormals();
#endif
  return status;
}

gpuopt_status gather(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, const gpuopt_call *call,
                     gpuopt_error *error) {
  const gpuopt_status status = cpu.gather(device, stream, call, error);
  if (fault("take") && call->kind == GPUOPT_CALL_TAKE) *static_cast<char *>(call->tensors[2].data) ^= 1;
  return status;
}

gpuopt_status sort(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, const gpuopt_call *call,
                   gpuopt_error *error) {
  const gpuopt_status status = cpu.sort(device, stream, call, error);
  if (fault("argsort") && call->kind == GPUOPT_CALL_ARGSORT) *static_cast<char *>(call->tensors[1].data) ^= 1;
  return status;
}

gpuopt_status matmul(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, const gpuopt_call *call,
                     gpuopt_error *error) {
  const gpuopt_status status = cpu.matmul(device, stream, call, error);
  float *const out = static_cast<float *>(call->tensors[2].data);
  if (fault("matmul") && call->tensors[2].dtype == GPUOPT_FLOAT32) *out += 0.001f;
  return status;
}

void adds_wrongly(void *out, const void *a, const void *b, const void *c, int64_t n) {
  gpuopt_elementwise_loop loop = nullptr;
  int32_t result = 0;
  cpu.elementwise_loop(nullptr, GPUOPT_OP_add, GPUOPT_FLOAT32, &loop, &result, nullptr);
  loop(out, a, b, c, n);
  if (fault("loop")) *static_cast<char *>(out) ^= 1;
  if (fault("loop_writes_behind")) static_cast<char *>(out)[4 * n] = 1;
#if defined(__x86_64__)
  if (fault("loop_uses_x87")) __asm__ __volatile__("fld1\n\tfldpi\n\tfdivrp\n\tfstp %%st(0)" : : : "st");
#endif
}

gpuopt_status elementwise_loop(gpuopt_plugin_device *device, int32_t op, int32_t dtype, gpuopt_elementwise_loop *loop,
                               int32_t *result, gpuopt_error *error) {
  const gpuopt_status status = cpu.elementwise_loop(device, op, dtype, loop, result, error);
  if (op == GPUOPT_OP_add && dtype == GPUOPT_FLOAT32) *loop = adds_wrongly;
  return status;
}

// A process that outlives the plugin's and keeps all its files open.
void leave_a_process() {
  if (fork() != 0) return;
  for (;;) pause();
}

gpuopt_status probe(gpuopt_plugin_probe *out, gpuopt_error *error) {
  if (fault("leaves_process")) leave_a_process();
  if (fault("unavailable"))
    return host->fail(error, GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_NO_DEVICE, 0, "no such hardware");
  if (fault("silent")) return GPUOPT_ERR_UNAVAILABLE;
  const gpuopt_status status = cpu.probe(out, error);
  if (fault("behind")) std::memset(out + 1, 0, 16);
  return status;
}

gpuopt_status copy_on_device(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, void *to, const void *from,
                             uint64_t bytes, gpuopt_error *error) {
  if (fault("copy")) bytes -= bytes > 100 ? 100 : 0;
  return cpu.copy_on_device(device, stream, to, from, bytes, error);
}

gpuopt_status query_cpu(gpuopt_plugin_desc *desc) {
  void *const library = dlopen(CPU_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  const auto query = library ? reinterpret_cast<gpuopt_plugin_query_fn>(dlsym(library, GPUOPT_PLUGIN_ENTRY)) : nullptr;
  return query ? query(host, desc) : GPUOPT_ERR_INTERNAL;
}

int queries = 0;

// What makes a query impure.
void misbehave(gpuopt_plugin_desc *desc) {
  if (fault("changes")) desc->op_count -= queries % 2;
  if (fault("logs")) host->log(GPUOPT_LOG_INFO, "test.query", GPUOPT_REASON_NONE, "said in a query");
  if (fault("opens")) (void)!open("/dev/null", O_RDONLY);
}

// The first process leaves the file GPUOPT_TEST_MARK; those that find it hang.
void hang_in_later_process() {
  static bool first = false;
  const int mark = open(std::getenv("GPUOPT_TEST_MARK"), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (mark >= 0) close(mark), first = true;
  while (!first) pause();
}

// What keeps a query from its answer.
void end_or_hang() {
  ++queries;
  if (fault("exit_in_query_" + std::to_string(queries))) _exit(0);
  if (fault("hang_in_later_process")) hang_in_later_process();
}

}  // namespace

extern "C" GPUOPT_PLUGIN_EXPORT gpuopt_status gpuopt_plugin_query_v1(const gpuopt_host_api *api,
                                                                     gpuopt_plugin_desc *desc) {
  host = api;
  end_or_hang();
  const gpuopt_status status = query_cpu(desc);
  desc->name = TAMPERED_NAME;
  if (status != GPUOPT_OK) return fault("yes_man") ? GPUOPT_OK : status;
  cpu = *desc->api;
  table = cpu;
  table.probe = probe;
  table.program_run = program_run;
  table.gather = gather;
  table.sort = sort;
  table.matmul = fault("lacks_matmul") ? nullptr : matmul;
  table.copy_on_device = copy_on_device;
  table.elementwise_loop = elementwise_loop;
  desc->api = &table;
  misbehave(desc);
  return status;
}
