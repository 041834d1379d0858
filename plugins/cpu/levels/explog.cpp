// plugins/cpu/levels/explog.cpp -- loops: exponentials and logarithms.
#include "plugins/cpu/levels/elementwise.h"

GPUOPT_INSTALL(explog) { install_range<GPUOPT_OP_exp, GPUOPT_OP_sin, true>(table); }
