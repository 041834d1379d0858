// plugins/cpu/levels/logic.cpp -- loops: logic, bits, selection; rows yet to come belong here until they have a part of
// their own.
#include "plugins/cpu/levels/elementwise.h"

GPUOPT_INSTALL(logic) { install_range<GPUOPT_OP_logical_and, GPUOPT_OP_COUNT, false>(table); }
