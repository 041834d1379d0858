/* tests/cuda/stub_driver.c -- a libcuda.so.1 that fails as it is told to.
 *
 * STUB_INIT is what cuInit returns; STUB_VERSION the CUDA version it claims (13000), 0: the question fails with 34;
 * STUB_DEVICES how many devices it counts (0); STUB_COUNT what the counting returns; STUB_LOG a file that gets the name
 * of every call, a line each. stub_driver_rest.c has the functions that are only there to be found. */
#include <stdio.h>
#include <stdlib.h>

static FILE *open_log(void) {
#if defined(_WIN32)
  const wchar_t *path = _wgetenv(L"STUB_LOG");
  return path ? _wfopen(path, L"ab") : NULL;
#else
  const char *path = getenv("STUB_LOG");
  return path ? fopen(path, "a") : NULL;
#endif
}

static void note(const char *call) {
  FILE *file = open_log();
  if (!file) return;
  fprintf(file, "%s\n", call);
  fclose(file);
}

static int number(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text ? atoi(text) : otherwise;
}

__attribute__((constructor)) static void loaded(void) { note("loaded"); }

int cuInit(unsigned flags) {
  (void)flags;
  note("cuInit");
  return number("STUB_INIT", 0);
}

int cuDriverGetVersion(int *version) {
  note("cuDriverGetVersion");
  *version = number("STUB_VERSION", 13000);
  return *version ? 0 : 34;
}

int cuGetErrorName(int code, const char **text) {
  static char name[32];
  snprintf(name, sizeof name, "CUDA_ERROR_NAME_OF_%d", code);
  *text = name;
  return 0;
}

int cuGetErrorString(int code, const char **text) {
  static char words[32];
  snprintf(words, sizeof words, "words for %d", code);
  *text = words;
  return 0;
}

int cuDeviceGetCount(int *count) {
  note("cuDeviceGetCount");
  *count = number("STUB_DEVICES", 0);
  return number("STUB_COUNT", 0);
}
