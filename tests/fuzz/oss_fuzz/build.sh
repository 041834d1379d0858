#!/bin/bash -eu
# tests/fuzz/oss_fuzz/build.sh -- builds the fuzz targets as OSS-Fuzz asks for them: with its compiler, flags and engine
# from the environment (CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE), into $OUT, each with its inputs and the
# dictionary. Run in the root of the source.
#
# Targets named api_ are left out. They are linked with libgpuopt.so as it is installed, and there is one, of texts of
# kernels: it needs libgpuopt_jit, for which the image has no libraries of LLVM 19 and Clang 19. That compiler works in
# a process of its own, so that the engine would see neither which code an input reaches nor a crash, which is an error
# of the text there.
build=${WORK:-build}/oss_fuzz
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Fuzz -DGPUOPT_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" \
  -DGPUOPT_BUILD_CUDA=OFF \
  -DGPUOPT_BUILD_SAMPLES=OFF -DGPUOPT_WERROR=OFF -DGPUOPT_LLVM_CONFIG=OFF -DBUILD_RPATH_USE_ORIGIN=ON
targets=$(cd tests/fuzz/targets && ls -- *_fuzzer.cpp | grep -v '^api_' | sed 's/\.cpp$//')
# shellcheck disable=SC2086
cmake --build "$build" --target $targets
mkdir -p "$OUT/gpuopt/1"
cp "$build"/lib/gpuopt/1/libgpuopt_cpu.so "$OUT/gpuopt/1/"
for target in $targets; do
  cp "$build/bin/$target" "$OUT/"
  cp tests/fuzz/targets/words.dict "$OUT/$target.dict"
  zip -q -j "$OUT/${target}_seed_corpus.zip" tests/fuzz/targets/corpus/"${target%_fuzzer}"/*
done
