#!/usr/bin/env bash
# tests/abi/check_installed.sh -- the installed package, as a user meets it: moved to another place, found by CMake and
# by pkg-config.
#
# usage: check_installed.sh ROOT BUILD_DIR. Every sample is built as a project of its own and run.
set -eu
root=$1 build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export GPUOPT_LOG=warn GPUOPT_DISABLE=cuda GPUOPT_CACHE_MAX_BYTES=0 CMAKE_GENERATOR=Ninja

cmake --install "$build" --prefix "$scratch/first" >"$scratch/install.log"
mv "$scratch/first" "$scratch/moved"
prefix=$scratch/moved
plugin=$(find "$prefix" -path '*/gpuopt/1/libgpuopt_cpu.so')
[ -n "$plugin" ] || { echo "FAILED: no plugin in <libdir>/gpuopt/1"; exit 1; }
libdir=$(dirname "$(dirname "$(dirname "$plugin")")")

for project in "$root"/samples/*/CMakeLists.txt; do # the others are tests/bindings'
  folder=$(dirname "$project")
  sample=$(basename "$folder")
  cmake -S "$folder" -B "$scratch/$sample" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release \
    >"$scratch/$sample.log"
  cmake --build "$scratch/$sample" >>"$scratch/$sample.log" || { cat "$scratch/$sample.log"; exit 1; }
  echo "find_package: $sample"
  for script in "$0" "$root/tests/packages/in_root.sh"; do # which run it and compare what it prints
    [ "$(grep -cw "$sample" "$script")" != 0 ] || { echo "FAILED: $script does not run $sample"; exit 1; }
  done
done
run() { # program, arguments, file of expected lines
  cmake "-DPROGRAM=$1" "-DARGUMENTS=$2" "-DEXPECTED=$root/samples/$3" -P "$root/samples/check_output.cmake"
}
run "$scratch/gpu_optional/gpu_optional" "cuda --size 100x1000 --output $scratch/a.npy" \
  gpu_optional/expected_100x1000.txt
for sample in arguments basics device_memory gwas heat softplus tour; do
  run "$scratch/$sample/$sample" "" $sample/expected.txt
done
(cd "$scratch" && run pca/pca pca_of_birds.svg pca/expected.txt)
(cd "$scratch" && run kmeans/kmeans "$root/samples/kmeans/birds.csv 3 kmeans_labels.txt" kmeans/expected.txt)
run "$scratch/analyses_c/gwas_c" "" gwas/expected.txt
for analysis in gwas kmeans; do
  run "$scratch/analyses_ranks/${analysis}_ranks" "" analyses_ranks/${analysis}_ranks.txt
done
# The same again in C.
(cd "$scratch" && mv pca_of_birds.svg pca.svg && mv kmeans_labels.txt labels.txt &&
  run analyses_c/pca_c pca_of_birds.svg pca/expected.txt && cmp pca_of_birds.svg pca.svg &&
  run analyses_c/kmeans_c "$root/samples/kmeans/birds.csv 3 kmeans_labels.txt" kmeans/expected.txt &&
  cmp kmeans_labels.txt labels.txt)
for sample in compiled_functions elementwise_kernel raw_kernels vectorize; do
  if [ -f "$libdir/gpuopt/1/jit/libgpuopt_jit.so" ]; then
    run "$scratch/$sample/$sample" "" $sample/expected.txt
  else
    echo "not run: $sample: libgpuopt_jit is not built"
  fi
done
if [ -f "$libdir/gpuopt/1/jit/libgpuopt_jit.so" ]; then
  GPUOPT_LOG=info GPUOPT_CACHE_MAX_BYTES=0 "$scratch/raw_kernels/raw_kernels" cpu >"$scratch/out" 2>"$scratch/said"
  grep -q 'cpu\.jit .*in a process of its own' "$scratch/said" || {
    cat "$scratch/said"
    echo "FAILED: the compiler has no process of its own"
    exit 1
  }
  echo "gpuopt-jit-helper"
fi
run "$scratch/standardize_cpp/standardize_cpp" "100 1000" standardize_cpp/expected_100x1000.txt
run "$scratch/threefold/threefold" "cuda --size 1000000" threefold/expected.txt

# The .pc file is beside the library it describes, wherever that is.
export PKG_CONFIG_PATH=$libdir/pkgconfig
[ "$(pkg-config --modversion gpuopt)" = \
  "$(sed -n 's/^project(gpuopt VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")" ]
# shellcheck disable=SC2046  # flags are words
cc -std=c99 "$root/samples/gpu_optional/gpu_optional.c" -o "$scratch/by_pc" $(pkg-config --cflags --libs gpuopt) \
  "-Wl,-rpath,$libdir"
run "$scratch/by_pc" "cuda --size 100x1000 --output $scratch/b.npy" gpu_optional/expected_100x1000.txt
cmp "$scratch/a.npy" "$scratch/b.npy"
echo "pkg-config: gpu_optional"

"$prefix/bin/gpuopt" info >"$scratch/info.txt"
grep -q cpu:0 "$scratch/info.txt" || { echo "FAILED: gpuopt info names no cpu:0"; cat "$scratch/info.txt"; exit 1; }
echo "gpuopt info"

# The backend to start from, built outside the tree like the samples, is used by a program that was built before it.
GPUOPT_PLUGIN_PATH=$scratch/plugin_skeleton "$scratch/by_pc" skeleton --size 100x1000 --output "$scratch/s.npy" \
  >"$scratch/s.txt" 2>&1
grep -qx 'asked for skeleton, using skeleton:0' "$scratch/s.txt" || {
  echo "FAILED: no skeleton:0"
  cat "$scratch/s.txt"
  exit 1
}
cmp "$scratch/a.npy" "$scratch/s.npy"
echo "plugin_skeleton"

# Programs ask for the major version they were written for: the same one is found, if it is not older.
mkdir "$scratch/versions"
printf 'cmake_minimum_required(VERSION 3.16)\nproject(versions NONE)\nfind_package(gpuopt ${WANTED} REQUIRED)\n' \
  >"$scratch/versions/CMakeLists.txt"
found() {
  cmake -S "$scratch/versions" -B "$scratch/versions/$1" "-DWANTED=$1" "-DCMAKE_PREFIX_PATH=$prefix" \
    >"$scratch/versions/log" 2>&1
}
for version in 1 1.0 1.0.0; do
  found $version || { cat "$scratch/versions/log"; echo "FAILED: find_package(gpuopt $version)"; exit 1; }
done
for version in 0.9 1.999 2; do
  if found $version; then echo "FAILED: find_package(gpuopt $version) is satisfied"; exit 1; fi
done
echo "versions"
