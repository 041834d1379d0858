// plugins/cpu/levels/trigonometry.cpp -- loops: trigonometric functions.
#include "plugins/cpu/levels/elementwise.h"

GPUOPT_INSTALL(trigonometry) { install_families<true, OpFamily::trigonometric>(table); }
