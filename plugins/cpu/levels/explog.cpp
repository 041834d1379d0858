// plugins/cpu/levels/explog.cpp -- loops: exponentials and logarithms.
#include "plugins/cpu/levels/elementwise.h"

GPUOPT_INSTALL(explog) { install_families<true, OpFamily::exponential>(table); }
