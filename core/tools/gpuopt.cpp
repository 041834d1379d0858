// core/tools/gpuopt.cpp -- the `gpuopt` command.
#include <gpuopt/gpuopt.h>

#include <cstdio>

int main() {
  const unsigned version = gpuopt_version();
  std::printf("gpuopt %u.%u.%u\n", version / 1000000, version / 1000 % 1000, version % 1000);
  return 0;
}
