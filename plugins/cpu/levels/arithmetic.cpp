// plugins/cpu/levels/arithmetic.cpp -- loops: arithmetic, powers and roots.
#include "plugins/cpu/levels/elementwise.h"

GPUOPT_INSTALL(arithmetic) { install_families<false, OpFamily::arithmetic, OpFamily::power>(table); }
