/* tests/loader/needed_library.c -- a library that a plugin needs, for tests of where it is looked for. */
__declspec(dllexport) int gpuopt_needed(void) { return 17; }
