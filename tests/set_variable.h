// tests/set_variable.h -- POSIX's setenv and unsetenv where there are none. A variable cannot be set to nothing there.
#pragma once
#include <cstdlib>

#if defined(_WIN32)
inline int setenv(const char *name, const char *value, int) { return _putenv_s(name, value); }
inline int unsetenv(const char *name) { return _putenv_s(name, ""); }
#endif
