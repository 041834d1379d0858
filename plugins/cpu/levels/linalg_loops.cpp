// plugins/cpu/levels/linalg_loops.cpp -- assembles the table of algorithms of each instruction set level.
#include "plugins/cpu/levels/linalg_loops.h"

namespace gpuopt::cpu {

// The build defines GPUOPT_GENERIC_LEVEL if there is one level only.
#ifndef GPUOPT_GENERIC_LEVEL
void install_factors_v2(LinalgLoops &table);
void install_factors_v3(LinalgLoops &table);
void install_factors_v4(LinalgLoops &table);
void install_spectra_v2(LinalgLoops &table);
void install_spectra_v3(LinalgLoops &table);
void install_spectra_v4(LinalgLoops &table);
#else
void install_factors_generic(LinalgLoops &table);
void install_spectra_generic(LinalgLoops &table);
#endif

namespace {

LinalgLoops table_of(void (*factors)(LinalgLoops &), void (*spectra)(LinalgLoops &)) noexcept {
  LinalgLoops table;
  factors(table);
  spectra(table);
  return table;
}

}  // namespace

const LinalgLoops &linalg_loops([[maybe_unused]] int level) noexcept {
#ifndef GPUOPT_GENERIC_LEVEL
  static const LinalgLoops v2 = table_of(install_factors_v2, install_spectra_v2);
  static const LinalgLoops v3 = table_of(install_factors_v3, install_spectra_v3);
  static const LinalgLoops v4 = table_of(install_factors_v4, install_spectra_v4);
  return level >= 4 ? v4 : level == 3 ? v3 : v2;
#else
  static const LinalgLoops all = table_of(install_factors_generic, install_spectra_generic);
  return all;
#endif
}

}  // namespace gpuopt::cpu
