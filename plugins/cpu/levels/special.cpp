// plugins/cpu/levels/special.cpp -- loops: special functions.
#include "plugins/cpu/levels/elementwise.h"

GPUOPT_INSTALL(special) { install_families<true, OpFamily::special>(table); }
