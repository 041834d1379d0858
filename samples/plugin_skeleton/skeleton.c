/* samples/plugin_skeleton/skeleton.c -- a whole gpuopt backend in one file: copy it, and put your device where this has
 * the host.
 *
 * Its one device is the host's memory and one thread. It runs elementwise programs of float32 and float64 made of the
 * operations in the table below; everything else it refuses with GPUOPT_ERR_UNSUPPORTED, and gpuopt then has the CPU
 * backend do that operation, with one warning. Nothing here links to libgpuopt: the host's services arrive as a table.
 * gpuopt_plugin.h says what every slot must do. C99. */
#include <gpuopt/gpuopt_plugin.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static const gpuopt_host_api *host; /* set by the query, and then as long as the process */

/* Hands a filled struct to a host that may know a shorter or a longer one. */
#define GIVE(filled, to) give(&(filled), sizeof(filled), to, (to)->struct_size)
static void give(const void *filled, size_t size, void *to, uint32_t known) {
  memcpy((char *)to + sizeof known, (const char *)filled + sizeof known, (known < size ? known : size) - sizeof known);
}

/* ---- The device ------------------------------------------------------------------------------------------ */

/* What these hold is yours alone: the host passes the pointers back and never looks inside. */
struct gpuopt_plugin_device {
  int32_t index;
};
struct gpuopt_plugin_stream {
  int32_t unused;
};
static gpuopt_plugin_device the_device;
static gpuopt_plugin_stream the_stream; /* work is done when a slot returns, so that all streams are one */

/* Can it work on this machine? Here a real backend looks for its driver, and says in a reason code and a sentence why
 * not. */
static gpuopt_status probe(gpuopt_plugin_probe *out, gpuopt_error *error) {
  gpuopt_plugin_probe found = {0};
  (void)error;
  found.device_count = 1;
  found.hardware_present = 1;
  strcpy(found.driver, "none needed");
  GIVE(found, out);
  return GPUOPT_OK;
}

static gpuopt_status device_open(int32_t index, gpuopt_plugin_device **device, gpuopt_error *error) {
  if (index != 0)
    return host->fail(error, GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_NO_DEVICE, 0, "there is no device %d", (int)index);
  *device = &the_device;
  return GPUOPT_OK;
}

static void device_close(gpuopt_plugin_device *device) { (void)device; }

static gpuopt_status device_info(gpuopt_plugin_device *device, gpuopt_plugin_device_info *out, gpuopt_error *error) {
  gpuopt_plugin_device_info info = {0};
  (void)error;
  info.flags = GPUOPT_DEVICE_HOST_MEMORY | GPUOPT_DEVICE_SYNCHRONOUS;
  info.processors = 1;
  info.dlpack_type = 1; /* CPU: the memory is the host's */
  info.dlpack_id = device->index;
  strcpy(info.name, "the host, one thread");
  strcpy(info.detail, "elementwise arithmetic of float32 and float64");
  GIVE(info, out);
  return GPUOPT_OK;
}

/* ---- Memory, streams, copies ----------------------------------------------------------------------------- */

static gpuopt_status memory_allocate(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, uint64_t bytes,
                                     void **memory, gpuopt_error *error) {
  (void)device, (void)stream;
  *memory = host->allocate(bytes);
  if (*memory) return GPUOPT_OK;
  return host->fail(error, GPUOPT_ERR_OUT_OF_MEMORY, GPUOPT_REASON_NONE, 0, "%llu bytes", (unsigned long long)bytes);
}

static void memory_free(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, void *memory, uint64_t bytes) {
  (void)device, (void)stream, (void)bytes;
  host->deallocate(memory);
}

static gpuopt_status stream_create(gpuopt_plugin_device *device, uint32_t flags, gpuopt_plugin_stream **stream,
                                   gpuopt_error *error) {
  (void)device, (void)flags, (void)error;
  *stream = &the_stream;
  return GPUOPT_OK;
}

static void stream_destroy(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream) { (void)device, (void)stream; }

static gpuopt_status stream_synchronize(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream,
                                        gpuopt_error *error) {
  (void)device, (void)stream, (void)error;
  return GPUOPT_OK;
}

/* To the device, from it and on it are one here. */
static gpuopt_status copy(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, void *to, const void *from,
                          uint64_t bytes, gpuopt_error *error) {
  (void)device, (void)stream, (void)error;
  memcpy(to, from, (size_t)bytes);
  return GPUOPT_OK;
}

/* ---- Operations ------------------------------------------------------------------------------------------ */

/* The value of a step at one index. */
typedef union value {
  float f32;
  double f64;
} value;
typedef void (*operation)(const value *a, const value *b, value *result);

/* Each is one rounding, or none, so that the bits are those of every other backend. Functions of the C library (exp,
 * sin) have other bits: those are for a backend that is allowed to differ. */
/* clang-format off */
#define OPERATIONS(ROW, SQRT) \
  ROW(add, x + y)             \
  ROW(subtract, x - y)        \
  ROW(multiply, x * y)        \
  ROW(divide, x / y)          \
  ROW(negative, -x)           \
  ROW(positive, x)            \
  ROW(square, x * x)          \
  ROW(reciprocal, 1 / x)      \
  ROW(sqrt, SQRT(x))
/* clang-format on */

#define DEFINE(name, type, member, expression)                                 \
  static void name##_##member(const value *a, const value *b, value *result) { \
    const type x = a->member, y = b->member;                                   \
    (void)x, (void)y;                                                          \
    result->member = expression;                                               \
  }
#define FLOAT32(name, expression) DEFINE(name, float, f32, expression)
#define FLOAT64(name, expression) DEFINE(name, double, f64, expression)
OPERATIONS(FLOAT32, sqrtf)
OPERATIONS(FLOAT64, sqrt)

static void f32_to_f64(const value *a, const value *b, value *result) {
  (void)b;
  result->f64 = a->f32;
}
static void f64_to_f32(const value *a, const value *b, value *result) {
  (void)b;
  result->f32 = (float)a->f64;
}
static void same(const value *a, const value *b, value *result) {
  (void)b;
  *result = *a;
}

#define ENTRY32(name, expression) [GPUOPT_OP_##name] = name##_f32,
#define ENTRY64(name, expression) [GPUOPT_OP_##name] = name##_f64,
static const operation float32_operations[GPUOPT_OP_COUNT] = {OPERATIONS(ENTRY32, sqrtf)};
static const operation float64_operations[GPUOPT_OP_COUNT] = {OPERATIONS(ENTRY64, sqrt)};

static int is_float(int dtype) { return dtype == GPUOPT_FLOAT32 || dtype == GPUOPT_FLOAT64; }

/* What computes a step, NULL if this backend has nothing for it. */
static operation find(const gpuopt_step *step) {
  if (!is_float(step->dtype) || !is_float(step->loop_dtype)) return NULL;
  switch (step->kind) {
    case GPUOPT_STEP_ELEMENTWISE:
      if (step->index >= GPUOPT_OP_COUNT) return NULL; /* a newer host's */
      return step->loop_dtype == GPUOPT_FLOAT32 ? float32_operations[step->index] : float64_operations[step->index];
    case GPUOPT_STEP_CAST:
      if (step->dtype == step->loop_dtype) return same;
      return step->dtype == GPUOPT_FLOAT64 ? f32_to_f64 : f64_to_f32;
    case GPUOPT_STEP_INPUT:
    case GPUOPT_STEP_CONSTANT:
    case GPUOPT_STEP_OUTPUT:
      return same;
    default:
      return NULL; /* reductions and scans */
  }
}

/* ---- Programs -------------------------------------------------------------------------------------------- */

/* A program while it runs. A real backend would make machine code of the steps here, and keep it by program->key. */
typedef struct run {
  const gpuopt_program *program;
  operation operations[GPUOPT_PROGRAM_MAX_STEPS];
  value values[GPUOPT_PROGRAM_MAX_STEPS];
  int64_t index[GPUOPT_MAX_NDIM];
  char *inputs[GPUOPT_PROGRAM_MAX_OPERANDS], *outputs[GPUOPT_PROGRAM_MAX_OPERANDS]; /* the elements at index */
} run;

static size_t size_of(int dtype) { return dtype == GPUOPT_FLOAT32 ? sizeof(float) : sizeof(double); }

/* Finds what computes each step; 0 if there is a step without. */
static int prepare(run *r, const gpuopt_program *program) {
  int i;
  r->program = program;
  memset(r->index, 0, sizeof r->index);
  for (i = 0; i < program->nsteps; ++i) {
    const gpuopt_step *step = &program->steps[i];
    r->operations[i] = find(step);
    if (!r->operations[i]) return 0;
    if (step->kind == GPUOPT_STEP_CONSTANT)
      memcpy(&r->values[i], program->constants[step->index].bytes, size_of(step->dtype));
  }
  for (i = 0; i < program->ninputs; ++i) r->inputs[i] = program->inputs[i].data;
  for (i = 0; i < program->noutputs; ++i) r->outputs[i] = program->outputs[i].data;
  return 1;
}

/* All steps at one index. Outputs come last, so that an output may be an input. */
static void evaluate(run *r) {
  int i;
  for (i = 0; i < r->program->nsteps; ++i) {
    const gpuopt_step *step = &r->program->steps[i];
    if (step->kind == GPUOPT_STEP_INPUT) {
      memcpy(&r->values[i], r->inputs[step->index], size_of(step->dtype));
    } else if (step->kind == GPUOPT_STEP_OUTPUT) {
      memcpy(r->outputs[step->index], &r->values[step->src[0]], size_of(step->dtype));
    } else if (step->kind != GPUOPT_STEP_CONSTANT) {
      r->operations[i](&r->values[step->src[0]], &r->values[step->src[step->nsrc - 1]], &r->values[i]);
    }
  }
}

static void move(char **at, const gpuopt_operand *operands, int count, int axis, int64_t steps) {
  int i;
  for (i = 0; i < count; ++i) at[i] += operands[i].strides[axis] * steps;
}

/* Goes to the next index in C order; 0 after the last. */
static int advance(run *r) {
  const gpuopt_program *p = r->program;
  int axis;
  for (axis = p->ndim - 1; axis >= 0; --axis) {
    const int wraps = ++r->index[axis] == p->shape[axis];
    const int64_t steps = wraps ? 1 - p->shape[axis] : 1;
    move(r->inputs, p->inputs, p->ninputs, axis, steps);
    move(r->outputs, p->outputs, p->noutputs, axis, steps);
    if (!wraps) return 1;
    r->index[axis] = 0;
  }
  return 0;
}

static gpuopt_status program_run(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream,
                                 const gpuopt_program *program, gpuopt_error *error) {
  run r;
  int axis;
  (void)device, (void)stream;
  if (!prepare(&r, program))
    return host->fail(error, GPUOPT_ERR_UNSUPPORTED, GPUOPT_REASON_NONE, 0,
                      "the skeleton has only arithmetic of float32 and float64");
  for (axis = 0; axis < program->ndim; ++axis)
    if (program->shape[axis] == 0) return GPUOPT_OK;
  do evaluate(&r);
  while (advance(&r));
  return GPUOPT_OK;
}

/* ---- The entry point ------------------------------------------------------------------------------------- */

/* Slots that are left out read as "unsupported". */
static const gpuopt_plugin_api table = {
    .header = {sizeof(gpuopt_plugin_api), GPUOPT_PLUGIN_ABI_MAJOR, GPUOPT_PLUGIN_ABI_MINOR, 0, 0, NULL},
    .probe = probe,
    .device_open = device_open,
    .device_close = device_close,
    .device_info = device_info,
    .memory_allocate = memory_allocate,
    .memory_free = memory_free,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .stream_synchronize = stream_synchronize,
    .copy_to_host = copy,
    .copy_from_host = copy,
    .copy_on_device = copy,
    .program_run = program_run,
};

/* Only describes: a program that never asks for this backend must not pay for it. */
gpuopt_status gpuopt_plugin_query_v1(const gpuopt_host_api *api, gpuopt_plugin_desc *desc) {
  gpuopt_plugin_desc filled = {0};
  const size_t known = desc->header.struct_size < sizeof filled ? desc->header.struct_size : sizeof filled;
  memcpy(&filled, desc, known);
  filled.minor_min = 0;
  filled.minor_max = GPUOPT_PLUGIN_ABI_MINOR;
  filled.op_count = GPUOPT_OP_COUNT;
  filled.reduction_count = GPUOPT_REDUCTION_COUNT;
  filled.scan_count = GPUOPT_SCAN_COUNT;
  filled.name = "skeleton"; /* as in the name of the file, libgpuopt_skeleton.so */
  filled.version = "1.0.0";
  filled.build_id = "";
  filled.toolkit = "";
  filled.api = &table;
  memcpy(desc, &filled, known);
  if (api->header.abi_major != GPUOPT_PLUGIN_ABI_MAJOR || filled.host_minor_min > GPUOPT_PLUGIN_ABI_MINOR)
    return GPUOPT_ERR_UNSUPPORTED;
  host = api;
  return GPUOPT_OK;
}
