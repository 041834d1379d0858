// plugins/cpu/levels/trigonometry.cpp -- loops: the circular functions.
#include "plugins/cpu/levels/elementwise.h"

GPUOPT_INSTALL(trigonometry) { install_range<GPUOPT_OP_sin, GPUOPT_OP_sinh, true>(table); }
