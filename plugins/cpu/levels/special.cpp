// plugins/cpu/levels/special.cpp -- loops: special functions.
#include "plugins/cpu/levels/elementwise.h"

GPUOPT_INSTALL(special) { install_range<GPUOPT_OP_erf, GPUOPT_OP_maximum, true>(table); }
