#!/usr/bin/env bash
# tests/packages/in_root.sh -- what install_test.sh runs inside the fresh Debian: install, build samples, swap backends,
# remove.
#
# One program, built once: gpu_optional. What it says of CUDA, and which backend it uses, must follow what is installed.
set -euo pipefail
cd /test
examples=/usr/share/doc/gpuopt/examples

say() { printf '\n== %s\n' "$*"; }
fail() { echo "FAILED: $*"; exit 1; }
install() {
  apt-get -qq install -y --no-install-recommends "$@" >apt.log 2>&1 || { cat apt.log; fail "apt-get install $*"; }
}
run_program() { # request: what the program prints goes to out, what gpuopt says to said
  ./gpu_optional "$1" --size 100x1000 --output "$1.npy" >out 2>said || { cat out said; fail "gpu_optional $1"; }
}
expect() { # pattern, file
  grep -qE "$1" "$2" || { cat "$2"; fail "$2 does not match $1"; }
}
expect_reason() { # pattern of the reason why there is no CUDA
  run_program cuda
  expect "^asked for cuda, using cpu:0" out
  expect "^gpuopt.W. backend.fallback reason=($1) requested=cuda using=cpu " said
  [ "$(wc -l <said)" = 1 ] || { cat said; fail "one warning was expected"; }
  cut -c1-150 said
}

say "a fresh Debian $(cat /etc/debian_version): the library and the command"
apt-get -qq update
install ./packages/libgpuopt1_*.deb ./packages/gpuopt-tools_*.deb
grep -E '^(Get|Setting up|Unpacking)' apt.log || true
dpkg -l 'libgpuopt*' 'gpuopt*' | awk '/^ii/ {print $2, $3}'
ldconfig -p | grep 'libgpuopt\.so\.1 ' >/dev/null || fail "the linker's cache does not have libgpuopt.so.1"
gpuopt info | tee out
expect '^ +device cpu:0: ' out
expect 'cuda: not usable: NOT_FOUND' out

say "the samples, against libgpuopt-dev"
install ./packages/libgpuopt-dev_*.deb gcc g++ cmake make pkg-config
for folder in "$examples"/*/; do
  sample=$(basename "$folder")
  [ -f "$folder/CMakeLists.txt" ] || continue
  cmake -S "$folder" -B "built/$sample" -DCMAKE_BUILD_TYPE=Release >"$sample.log" &&
    cmake --build "built/$sample" >>"$sample.log" 2>&1 ||
    { cat "$sample.log"; fail "$sample does not build"; }
  echo "find_package: $sample"
done
check() { # program, arguments, expected file, more of check_output.cmake's variables
  cmake "-DPROGRAM=$1" "-DARGUMENTS=$2" "-DEXPECTED=$examples/$3" "${@:4}" -P check_output.cmake &&
    echo "as expected: $1 $2"
}
check built/gpu_optional/gpu_optional "cuda --size 100x1000 --output by_cmake.npy" gpu_optional/expected_100x1000.txt \
  "-DERROR=reason=NOT_FOUND requested=cuda using=cpu" -DERROR_LINES=1
for sample in arguments basics device_memory gwas heat softplus tour; do
  check built/$sample/$sample "" $sample/expected.txt
done
for analysis in gwas kmeans; do
  check built/analyses_ranks/${analysis}_ranks "" analyses_ranks/${analysis}_ranks.txt
done
check built/pca/pca pca_of_birds.svg pca/expected.txt
check built/kmeans/kmeans "$examples/kmeans/birds.csv 3 kmeans_labels.txt" kmeans/expected.txt
mv pca_of_birds.svg pca.svg
mv kmeans_labels.txt labels.txt
analyses() { # the folder of the programs, what stands behind their names
  check "$1/gwas$2" "" gwas/expected.txt
  check "$1/pca$2" pca_of_birds.svg pca/expected.txt
  cmp pca_of_birds.svg pca.svg
  check "$1/kmeans$2" "$examples/kmeans/birds.csv 3 kmeans_labels.txt" kmeans/expected.txt
  cmp kmeans_labels.txt labels.txt
}
analyses built/analyses_c _c
check built/standardize_cpp/standardize_cpp "100 1000" standardize_cpp/expected_100x1000.txt
check built/threefold/threefold "cuda --size 1000000" threefold/expected.txt
# shellcheck disable=SC2046  # flags are words
cc -std=c99 "$examples/gpu_optional/gpu_optional.c" -o gpu_optional $(pkg-config --cflags --libs gpuopt)
check ./gpu_optional "cuda --size 100x1000 --output by_pc.npy" gpu_optional/expected_100x1000.txt
cmp by_cmake.npy by_pc.npy
built_as=$(sha256sum gpu_optional)
readelf -d gpu_optional | grep NEEDED
echo "$built_as"

say "the samples in Rust and Go, against the bindings that libgpuopt-dev has"
install cargo golang-go
export CARGO_TARGET_DIR=$PWD/built/rust GOCACHE=$PWD/built/go GOPATH=$PWD/built/gopath GOPROXY=off
cargo build --offline --locked --quiet --manifest-path "$examples/standardize_rust/Cargo.toml"
(cd "$examples/standardize_go" && go build -o /test/built/standardize_go .)
for program in built/rust/debug/standardize_rust built/standardize_go; do
  check $program "cuda by_binding.npy 100 1000" gpu_optional/expected_100x1000.txt \
    "-DERROR=reason=NOT_FOUND requested=cuda using=cpu" -DERROR_LINES=1
  cmp by_cmake.npy by_binding.npy
  rm by_binding.npy
done
cargo build --offline --locked --quiet --manifest-path "$examples/analyses_rust/Cargo.toml"
mkdir built/analyses_go && (cd "$examples/analyses_go" && go build -o /test/built/analyses_go/ ./...)
analyses built/rust/debug ""
analyses built/analyses_go ""

say "the Python package, beside Debian's NumPy"
install ./packages/python3-gpuopt_*.deb
[ -n "$(find /usr/lib/python3/dist-packages/gpuopt/compiled -name 'dispatch.*.pyc')" ] ||
  fail "the modules of python3-gpuopt are not compiled"
cat >built/standardize_python <<SCRIPT
#!/bin/sh
exec /usr/bin/python3 $examples/standardize_python/standardize.py "\$@"
SCRIPT
chmod +x built/standardize_python
check built/standardize_python "cuda by_binding.npy 100 1000" gpu_optional/expected_100x1000.txt \
  "-DERROR=reason=NOT_FOUND requested=cuda using=cpu" -DERROR_LINES=1
cmp by_cmake.npy by_binding.npy
rm by_binding.npy

say "the tests of the Debian packages (autopkgtest), as packaging/debian/tests/control lists them"
while read -r field names; do
  case $field in
    Tests:) tests=$names ;;
    Depends:) # ours are installed
      mapfile -t needed < <(tr ',' '\n' <<<"$names" | sed 's/ //g; /gpuopt/d')
      [ ${#needed[@]} = 0 ] || install "${needed[@]}"
      for test in $tests; do
        AUTOPKGTEST_TMP=$(mktemp -d) "autopkgtest/$test" >out 2>&1 || { cat out; fail "autopkgtest $test"; }
        echo "passed: $test"
      done
      ;;
  esac
done <autopkgtest/control

say "that program without gpuopt-plugin-cuda, with it, and without again"
expect_reason NOT_FOUND
install ./packages/gpuopt-plugin-cuda_*.deb
expect_reason 'NO_DEVICE|DRIVER_MISSING'
gpuopt info | grep -A2 'cuda:'
apt-get -qq purge -y gpuopt-plugin-cuda >apt.log 2>&1
expect_reason NOT_FOUND

say "kernels of one's own without gpuopt-plugin-jit, with it, and of the cache once it is gone"
export GPUOPT_CACHE_DIR=/test/cache
kernels=built/elementwise_kernel/elementwise_kernel
$kernels cpu >out 2>said && fail "kernels are compiled without a compiler"
missing='install the package gpuopt-plugin-jit .*/gpuopt/1/jit/libgpuopt_jit.so is not installed\)'
expect "$missing, or name the file in GPUOPT_JIT\$" said
cat said
install ./packages/gpuopt-plugin-jit_*.deb
export GPUOPT_JIT_ISOLATION=process # in the compiler's own process: where there is none, that is a warning
for sample in elementwise_kernel raw_kernels vectorize; do
  check built/$sample/$sample cpu $sample/expected.txt -DERROR_LINES=0
done
check built/compiled_functions/compiled_functions "" compiled_functions/expected.txt
apt-get -qq purge -y gpuopt-plugin-jit >apt.log 2>&1
$kernels cpu >out || fail "kernels of the cache do not run"
diff <(head -n -1 "$examples/elementwise_kernel/expected.txt") <(head -n -1 out) ||
  fail "kernels of the cache give other numbers"
tail -1 out | tee said
expect ': source kernels need a compiler plugin that is not installed$' said

say "that program on a backend nobody had heard of when it was built"
plugin=$PWD/built/plugin_skeleton/libgpuopt_skeleton.so
GPUOPT_PLUGIN_PATH=$(dirname "$plugin")
export GPUOPT_PLUGIN_PATH
run_program skeleton
expect '^asked for skeleton, using skeleton:0' out
unset GPUOPT_PLUGIN_PATH
./gpu_optional skeleton >out 2>&1 && fail "a backend that is not installed was not refused"
expect 'skeleton' out
cp "$plugin" "$(pkg-config --variable=plugindir gpuopt)"
rm skeleton.npy
run_program skeleton
head -1 out
head -1 said | cut -c1-150
cmp by_pc.npy skeleton.npy
check built/threefold/threefold "skeleton --size 100000" plugin_skeleton/expected_threefold.txt -DERROR_LINES=2
gpuopt-plugin-test "$plugin" >out || { cat out; fail "gpuopt-plugin-test does not pass the skeleton"; }
tail -3 out
rm "$(pkg-config --variable=plugindir gpuopt)/$(basename "$plugin")"
[ "$(sha256sum gpu_optional)" = "$built_as" ] || fail "the program was built again"

say "nothing is left behind"
apt-get -qq purge -y libgpuopt1 libgpuopt-dev gpuopt-tools python3-gpuopt >apt.log 2>&1
left=$(find / -xdev -iname '*gpuopt*' -not -path '/test/*' -not -path '/proc/*' -not -path '/var/cache/*')
[ -z "$left" ] || fail "left behind: $left"
say "install-test passed"
