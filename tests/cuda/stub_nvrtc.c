/* tests/cuda/stub_nvrtc.c -- an NVRTC that is broken in one way, chosen when it is compiled. */
#include <stddef.h>
#include <string.h>

#ifndef STUB_MAJOR
#define STUB_MAJOR 12
#endif
#ifndef STUB_STATUS
#define STUB_STATUS 0
#endif
#ifndef STUB_CUBIN
#define STUB_CUBIN "cubin"
#endif
static const char ptx[] = "//\n// Compiler Build ID: STUB-1\n//\n.version 8.0\n";
static const int archs[] = {80, 90};

const char *nvrtcGetErrorString(int code) {
  return code == 7 ? "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE" : "NVRTC_ERROR";
}
int nvrtcVersion(int *major, int *minor) { return *major = STUB_MAJOR, *minor = 4, 0; }
int nvrtcGetNumSupportedArchs(int *count) { return *count = sizeof archs / sizeof *archs, 0; }
int nvrtcGetSupportedArchs(int *out) { return memcpy(out, archs, sizeof archs), 0; }
/* The program is its text. */
int nvrtcCreateProgram(void **program, const char *text, const char *name, int headers, const char *const *texts,
                       const char *const *names) {
  (void)name, (void)headers, (void)texts, (void)names;
  *program = (void *)text;
  return 0;
}
int nvrtcAddNameExpression(void *program, const char *expression) { return (void)program, (void)expression, 0; }
int nvrtcGetLoweredName(void *program, const char *expression, const char **name) {
  return (void)program, *name = expression, 0;
}
int nvrtcDestroyProgram(void **program) { return *program = NULL, 0; }
int stub_compiled = 0, stub_tried = 0; /* kernels, and empty ones, which tell whether it works */
int nvrtcCompileProgram(void *program, int count, const char *const *options) {
  (void)count, (void)options;
  if (strstr(program, "void empty()")) {
    ++stub_tried;
  } else {
    ++stub_compiled;
  }
  return strstr(program, "nonsense") ? 6 : STUB_STATUS;
}
int nvrtcGetPTXSize(void *program, size_t *bytes) { return (void)program, *bytes = sizeof ptx, 0; }
int nvrtcGetPTX(void *program, char *out) { return (void)program, memcpy(out, ptx, sizeof ptx), 0; }
#ifndef STUB_WITHOUT_CUBIN
int nvrtcGetCUBINSize(void *program, size_t *bytes) { return (void)program, *bytes = sizeof STUB_CUBIN - 1, 0; }
int nvrtcGetCUBIN(void *program, char *out) { return (void)program, memcpy(out, STUB_CUBIN, sizeof STUB_CUBIN - 1), 0; }
#endif
static const char *log_of(void *program) { return strstr(program, "nonsense") ? "error: nonsense" : ""; }
int nvrtcGetProgramLogSize(void *program, size_t *bytes) { return *bytes = strlen(log_of(program)) + 1, 0; }
int nvrtcGetProgramLog(void *program, char *log) { return strcpy(log, log_of(program)), 0; }
