// plugins/cpu/levels/logic.cpp -- loops: logic, bits and selection.
#include "plugins/cpu/levels/elementwise.h"

GPUOPT_INSTALL(logic) { install_families<false, OpFamily::logical, OpFamily::bitwise, OpFamily::selection>(table); }
