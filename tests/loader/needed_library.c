/* tests/loader/needed_library.c -- a library that a plugin needs, for tests of where it is looked for. */
#if defined(_WIN32)
__declspec(dllexport)
#else
__attribute__((visibility("default")))
#endif
    int gpuopt_needed(void);

int gpuopt_needed(void) { return 17; }
