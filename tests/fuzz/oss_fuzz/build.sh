#!/bin/bash -eu
# tests/fuzz/oss_fuzz/build.sh -- builds the fuzz targets as OSS-Fuzz asks for them: with its compiler, flags and engine from the
# environment (CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE), into $OUT, each with its inputs and the dictionary. Run in the root
# of the source.
build=${WORK:-build}/oss_fuzz
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Fuzz -DGPUOPT_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" -DGPUOPT_BUILD_CUDA=OFF \
  -DGPUOPT_BUILD_SAMPLES=OFF -DGPUOPT_WERROR=OFF -DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON -DBUILD_RPATH_USE_ORIGIN=ON
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
