#!/usr/bin/env bash
# tests/bindings/check.sh -- a binding as its user meets it: built, tested and used against the installed package.
#
# usage: check.sh rust|go|python ROOT BUILD_DIR [RUSTC]. RUSTC: the compiler of the oldest version that the crates
# promise, where PATH has another one. GPUOPT_PYTHON: the interpreter, with the packages that
# bindings/python/tests/requirements.txt names, if it is not that of `./dev setup`. Nothing is fetched, and nothing is
# written outside of BUILD_DIR/bindings.
set -eu
language=$1 root=$2 build=$3 oldest=${4:-}
work=$build/bindings/$language${oldest:+_oldest}
export GPUOPT_LOG=warn GPUOPT_CACHE_MAX_BYTES=0 # what a cache has needs no compiler
mkdir -p "$work"
rm -rf "$work/prefix"
cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name gpuopt.pc)")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PKG_CONFIG_PATH LD_LIBRARY_PATH
bindings=$(pkg-config --variable=bindingsdir gpuopt) examples=$work/prefix/share/doc/gpuopt/examples

# The sample in this language prints what the C sample prints and writes the same file.
sample() { # program
  local expected=$root/samples/gpu_optional/expected_100x1000.txt libraries
  read -ra libraries < <(pkg-config --cflags --libs gpuopt)
  cc -std=c99 "$root/samples/gpu_optional/gpu_optional.c" -o "$work/gpu_optional" "${libraries[@]}"
  "$work/gpu_optional" cpu --size 100x1000 --output "$work/c.npy" >"$work/c.txt"
  GPUOPT_DISABLE=cuda cmake "-DPROGRAM=$1" "-DARGUMENTS=cuda $work/here.npy 100 1000" "-DEXPECTED=$expected" \
    -DERROR_LINES=1 \
    "-DERROR=^gpuopt.W. backend.fallback reason=DISABLED requested=cuda using=cpu " \
    -P "$root/samples/check_output.cmake"
  cmp "$work/c.npy" "$work/here.npy"
  cmake "-DPROGRAM=$1" "-DARGUMENTS=no-such-backend" -DEXIT=1 \
    "-DERROR=$(basename "$1"): .*GPUOPT_ERR_INVALID_ARGUMENT" \
    -P "$root/samples/check_output.cmake"
  echo "sample: $(basename "$1")"
}

# A program prints the same as any number of processes, which gpuopt-run or MPI's launchers start.
ranks() { # program, the file with what it prints
  local launcher n started=
  "$1" | diff "$2" -
  for launcher in "$work/prefix/bin/gpuopt-run" mpirun.openmpi mpirun.mpich; do
    command -v "$launcher" >/dev/null || { echo "not run: $launcher is not installed"; continue; }
    local options=()
    [ "$launcher" != mpirun.openmpi ] || options=(--allow-run-as-root --oversubscribe)
    for n in 1 2 4 8; do
      "$launcher" "${options[@]}" -n "$n" "$1" >"$work/ranks.txt"
      diff "$2" "$work/ranks.txt"
    done
    started+=" $(basename "$launcher")"
  done
  echo "1, 2, 4 and 8 ranks of $(basename "$1"), by$started"
}

# The analyses in this language print what those in C print, and write the same files.
analyses() { # the folder of the programs
  local analysis libraries csv=$root/samples/kmeans/birds.csv at=$work/analyses
  expected() { # program, arguments, and what check_output.cmake is to check
    (cd "$at" && cmake "-DPROGRAM=$1" "-DARGUMENTS=$2" "${@:3}" -P "$root/samples/check_output.cmake")
  }
  mkdir -p "$at"
  read -ra libraries < <(pkg-config --cflags --libs gpuopt)
  for analysis in gwas kmeans pca; do
    cc -std=c99 "$root/samples/analyses_c/$analysis.c" -o "$at/$analysis" "${libraries[@]}" -lm
  done
  "$at/pca" "$at/c.svg" >"$at/c.txt"
  "$at/kmeans" "$csv" 3 "$at/c_labels.txt" >"$at/c.txt"
  "$at/gwas" 60 200 >"$at/c.txt"
  expected "$1/gwas" "" "-DEXPECTED=$root/samples/gwas/expected.txt" -DERROR_LINES=0
  "$1/gwas" 60 200 | diff "$at/c.txt" -
  expected "$1/pca" pca_of_birds.svg "-DEXPECTED=$root/samples/pca/expected.txt" -DERROR_LINES=0
  cmp "$at/c.svg" "$at/pca_of_birds.svg"
  expected "$1/kmeans" "$csv 3 kmeans_labels.txt" "-DEXPECTED=$root/samples/kmeans/expected.txt" -DERROR_LINES=0
  cmp "$at/c_labels.txt" "$at/kmeans_labels.txt"
  ranks "$1/heat" "$root/samples/heat/expected.txt"
  expected "$1/kmeans" "nowhere.csv 0" -DEXIT=2 -DERROR=usage:
  expected "$1/kmeans" "nowhere.csv 1" -DEXIT=1 "-DERROR=kmeans: .*nowhere.csv"
  echo "samples: gwas heat kmeans pca"
}

# The README's program in this language prints what its C program prints.
block() { awk -v fence="\`\`\`$1" '$0 == fence {on = 1; next} /^```/ {if (on) exit} on' "$root/README.md"; }
readme() { # how to run it
  block text >"$work/readme.txt"
  GPUOPT_DISABLE=cuda "$@" 2>"$work/readme.log" | diff "$work/readme.txt" - || { cat "$work/readme.log"; exit 1; }
  [ -s "$work/readme.txt" ]
  echo "README: $language"
}

# Runs a test on a device with memory of its own: the fake driver's, where the build has it.
on_device() {
  local fake=$build/lib/fake_cuda
  [ -e "$fake/libcuda.so.1" ] || { echo "not run: the test on a device with memory of its own"; return; }
  GPUOPT_CUDA_DRIVER=$fake/libcuda.so.1 GPUOPT_NVRTC=$fake/libnvrtc.so.13 GPUOPT_CUBLAS=$fake/libcublas.so.13 \
    FAKE_CUDA_STRICT=1 \
    GPUOPT_CACHE_DIR=$build/fake_cuda_cache "$@"
}

# Tests and examples of kernels need a compiler: whether there is one, the library says; where one is installed, there
# is.
compiler() {
  local libraries status=0
  read -ra libraries < <(pkg-config --cflags --libs gpuopt)
  cc -std=c99 "$root/tests/bindings/compiler.c" -o "$work/compiler" "${libraries[@]}"
  reason=$("$work/compiler") || status=$?
  [ $status != 0 ] || return 0
  if [ $status != 1 ] || [ -e "$(pkg-config --variable=plugindir gpuopt)/jit/libgpuopt_jit.so" ]; then
    echo "FAILED: $reason"
    exit 1
  fi
  return 1
}

# The oldest version that a binding promises: the same in every manifest, and in the README. Sets `promised`.
promise() { # name in the README, the manifests' pattern of sed, manifests
  promised=$(sed -nE "$2" "${@:3}" | sort -u)
  if [ "$(sed -nE "$2" "${@:3}" | wc -l)" != $(($# - 2)) ] || [ "$(wc -l <<<"$promised")" != 1 ]; then
    echo "FAILED: the manifests do not all name the same oldest version: ${promised//$'\n'/ }"
    exit 1
  fi
  tr '\n' ' ' <"$root/README.md" | grep -qF "for $1 $promised and later" || {
    echo "FAILED: the README does not say: for $1 $promised and later"
    exit 1
  }
}

# What builds here, and whether it is that version: where a compiler is named, it must be.
rust_version() {
  local version
  promise Rust 's/^rust-version = "(.*)"/\1/p' "$root"/bindings/rust/gpuopt{,-sys}/Cargo.toml \
    "$root"/samples/*_rust/Cargo.toml
  if [ -n "$oldest" ]; then
    export RUSTC=$oldest RUSTDOC=${oldest%/*}/rustdoc
    if [ -x "${oldest%/*}/cargo" ]; then cargo() { "${oldest%/*}/cargo" "$@"; }; fi
  fi
  version=$("${RUSTC:-rustc}" --version)
  echo "$version, $(cargo --version)"
  case $version in
    "rustc $promised".*) echo "the oldest version promised: $promised" ;;
    *) [ -z "$oldest" ] || { echo "FAILED: $oldest is not Rust $promised"; exit 1; } ;;
  esac
}

# Debian's rustc comes without these two; a toolchain of rustup's has them.
lints() {
  if cargo fmt --version >"$work/tools.log" 2>&1; then
    cargo fmt --all --check
    (cd gpuopt-interop && cargo fmt --check)
  else
    echo "not run: cargo fmt"
  fi
  if cargo clippy --version >>"$work/tools.log" 2>&1; then
    cargo clippy --offline --locked --quiet --all-targets -- -D warnings
  else
    echo "not run: cargo clippy"
  fi
}

# The crate that knows ndarray, half and num-complex: they have to be fetched, which nothing here does. So it is built
# where cargo finds them on this machine: in its cache, or where a config in CARGO_HOME says. Of a copy, since it has no
# lock.
interop() {
  local copy=$work/interop
  rm -rf "$copy" && cp -r gpuopt-interop "$copy"
  sed -i "s|\.\./gpuopt\"|$root/bindings/rust/gpuopt\"|" "$copy/Cargo.toml"
  if ! (cd "$copy" && cargo generate-lockfile --offline) >"$work/interop.log" 2>&1; then
    echo "not run: gpuopt-interop: ndarray, half and num-complex are not on this machine"
    return
  fi
  (
    cd "$copy"
    cargo test --offline --quiet --all-features
    for feature in ndarray half num-complex; do cargo check --offline --quiet --features "$feature"; done
    RUSTDOCFLAGS="-D warnings" cargo doc --offline --no-deps --quiet --all-features
    ! cargo clippy --version >"$work/tools.log" 2>&1 ||
      cargo clippy --offline --quiet --all-features --all-targets -- -D warnings
  )
  echo "gpuopt-interop: all features"
}

rust_documentation() {
  RUSTDOCFLAGS="-D warnings" cargo doc --offline --locked --no-deps --quiet
  # As docs.rs does it, which has no library.
  DOCS_RS=1 PKG_CONFIG=false CARGO_TARGET_DIR=$work/docs_rs RUSTDOCFLAGS="-D warnings" cargo doc --offline \
    --locked --no-deps --quiet
  echo "documentation without the library"
}

rust() {
  local kernels=()
  rust_version
  if ! compiler; then
    kernels=(--skip compiled:: --skip src/kernel.rs --skip src/raw.rs --skip src/ufunc.rs --skip src/compiled.rs)
    echo "not run: compiled::* of tests/kernels.rs, raw_kernels.rs, ufuncs.rs, compiled.rs and cancellation.rs," \
      "examples of src/kernel.rs, raw.rs, ufunc.rs and compiled.rs: $reason"
  fi
  # What the compiler writes for debuggers takes a third of the time, and nobody looks at it here.
  export CARGO_TARGET_DIR=$work/target CARGO_NET_OFFLINE=true CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_TEST_DEBUG=0
  cd "$root/bindings/rust"
  # Where there are two compilers the newer one runs the tests; the oldest has to take every line of crates and tests,
  # which takes it a third of the time, and to make the programs below, which run.
  if [ -z "$oldest" ]; then
    cargo test --offline --locked --quiet -- "${kernels[@]}"
    on_device cargo test --offline --locked --quiet --test device_memory -- --ignored
    rust_documentation
    lints
    interop
  else
    cargo check --offline --locked --quiet --all-targets
    echo "not run: with Rust $promised, tests (they compile), documentation, lints and interop: a newer one runs them"
  fi
  mkdir -p "$work/readme/src"
  block rust >"$work/readme/src/main.rs"
  sed "s/^name = .*/name = \"readme\"/; s|\.\./\.\./bindings|$bindings|" "$root/samples/standardize_rust/Cargo.toml" \
    >"$work/readme/Cargo.toml"
  readme cargo run --offline --quiet --manifest-path "$work/readme/Cargo.toml"
  cargo build --offline --locked --quiet --manifest-path "$examples/standardize_rust/Cargo.toml"
  sample "$CARGO_TARGET_DIR/debug/standardize_rust"
  cargo build --offline --locked --quiet --manifest-path "$examples/analyses_rust/Cargo.toml"
  analyses "$CARGO_TARGET_DIR/debug"
  # A prefix with a space in its name: asked of pkg-config, where a copy of the package lies.
  rm -rf "$work/pre fix" && cp -r "$work/prefix" "$work/pre fix"
  PKG_CONFIG_PATH=${PKG_CONFIG_PATH/"$work/prefix"/"$work/pre fix"} \
    cargo build --offline --locked --quiet --manifest-path "$root/samples/standardize_rust/Cargo.toml"
}

# The module as `go get` takes it from a repository: from the tag bindings/go/v1.0.0, over git. A repository of this
# machine stands for one that has an address; Go knows by ".git" in a path that it need not ask a server where the
# repository is.
fetched() {
  local repository=$work/repository program=$work/fetched module version
  module=$(sed -n 's/^module //p' go.mod)
  version=v$(sed -n 's/^project(gpuopt VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
  rm -rf "$repository" "$program" && mkdir -p "$repository/bindings" "$program"
  cp -r . "$repository/bindings/go"
  cp "$root/LICENSE" "$repository"
  git -c init.defaultBranch=main init -q "$repository"
  git -C "$repository" add .
  git -C "$repository" -c user.name=test -c user.email=test@gpuopt.invalid commit -q -m "A release"
  git -C "$repository" tag "bindings/go/$version"
  block go >"$program/main.go"
  (
    cd "$program"
    export GOPROXY=direct GOFLAGS="-mod=mod -modcacherw -trimpath" GONOSUMDB="*" GOSUMDB=off GOPATH=$work/fetched_path \
      GOVCS="*:git" GIT_ALLOW_PROTOCOL=file:https
    export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=url.file://$repository.insteadOf \
      GIT_CONFIG_VALUE_0=https://gpuopt.invalid/gpuopt
    rm -rf "$GOPATH"
    go mod init fetched 2>"$work/fetched.log"
    go mod edit "-require=$module@$version" "-replace=$module=${module/\/gpuopt\//\/gpuopt.git\/}@$version"
    go mod download "$module" || exit 1
    readme go run .
  )
  echo "go get: bindings/go/$version"
}

# The module that knows gonum, which has to be fetched: it is tested where Go's cache of modules has it.
gonum() { # that cache
  (
    cd gonum
    export GOMODCACHE=$1
    if ! go list -deps ./... >"$work/gonum.log" 2>&1; then
      echo "not run: gonum: gonum.org/v1/gonum is not on this machine"
      exit 0
    fi
    go vet ./...
    go test -count=1 ./...
  )
}

go_() {
  local modules
  modules=$(go env GOMODCACHE)
  # Without the paths of folders in what is compiled, the module is compiled once for all programs here.
  export GOCACHE=$work/cache GOPATH=$work/path GOFLAGS="-mod=readonly -trimpath" GOPROXY=off GOTOOLCHAIN=local
  # Go keeps what it compiled and does not look into headers outside of its packages: with other headers, other flags.
  CGO_CFLAGS="-O2 -DGPUOPT_HEADERS=$(cat "$root"/abi/gpuopt/*.h "$root"/abi/gpuopt/*.def | cksum | cut -d ' ' -f 1)"
  export CGO_CFLAGS
  cd "$root/bindings/go"
  promise Go 's/^go ([0-9.]+)$/\1/p' {,gonum/}go.mod "$root"/samples/*_go/go.mod
  go version
  local unformatted
  unformatted=$(gofmt -l . "$root"/samples/*_go)
  [ -z "$unformatted" ] || { echo "FAILED: gofmt -w $unformatted"; exit 1; }
  local tags=
  if ! compiler; then
    tags=nocompiler
    echo "not run: kernel_compiled_test.go, raw_compiled_test.go, example_kernel_test.go: $reason"
  fi
  go test -count=1 -tags "$tags" ./...
  go vet -tags device ./...  # after the tests, whose compiled packages it takes
  on_device go test -count=1 -tags device -run TestDeviceMemory .
  gonum "$modules"
  mkdir -p "$work/readme"
  block go >"$work/readme/main.go"
  sed "s|\.\./\.\./bindings|$bindings|" "$root/samples/standardize_go/go.mod" >"$work/readme/go.mod"
  (cd "$work/readme" && readme go run .)
  fetched
  (cd "$examples/standardize_go" && go vet . && go build -o "$work/standardize_go" .)
  sample "$work/standardize_go"
  mkdir -p "$work/analyses_go"
  (cd "$examples/analyses_go" && go vet ./... && go build -o "$work/analyses_go/" ./...)
  analyses "$work/analyses_go"
}

python_() {
  local interpreter=${GPUOPT_PYTHON:-$root/build/python/venv/bin/python} selected=()
  "$interpreter" --version
  cmake -S "$root/bindings/python" -B "$work/build" "-DCMAKE_PREFIX_PATH=$work/prefix" \
    "-DPython_EXECUTABLE=$interpreter" -DCMAKE_BUILD_TYPE=Release >"$work/configure.log" ||
    { cat "$work/configure.log"; exit 1; }
  cmake --build "$work/build" >"$work/build.log" || { cat "$work/build.log"; exit 1; }
  if grep "warning:" "$work/build.log"; then echo "FAILED: the compiler warns"; exit 1; fi
  rm -rf "$work/site" && cmake --install "$work/build" --prefix "$work/site" >"$work/install_module.log"
  export PYTHONPATH=$work/site PYTHONDONTWRITEBYTECODE=1
  if ! compiler; then
    selected=(-m "not compiled")
    echo "not run: tests marked compiled: $reason"
  fi
  cd "$work" # not where the package's source is, which Python would import
  local tests=("$interpreter" -m pytest -q -p no:cacheprovider -c "$root/bindings/python/pyproject.toml")
  "${tests[@]}" --basetemp "$work/temporary" "${selected[@]}" "$root/bindings/python/tests"
  on_device "${tests[@]}" "$root/bindings/python/tests/device_memory.py"
  GPUOPT_CUDA_MEMORY=managed on_device "${tests[@]}" "$root/bindings/python/tests/managed_memory.py"
  # GPUOPT_ARRAY_API_TESTS: a checkout of the standard's suite; minutes
  GPUOPT_PYTHON=$interpreter GPUOPT_DISABLE=cuda "$root/bindings/python/tests/array_api_suite.sh" \
    "${GPUOPT_ARRAY_API_TESTS:-}"
  if [ ${#selected[@]} = 0 ]; then
    GPUOPT_DISABLE=cuda "$interpreter" "$root/samples/python/articles/run.py"
  else
    echo "not run: samples/python/articles: $reason"
  fi
  GPUOPT_DISABLE=cuda "$interpreter" -m doctest "$root/bindings/python/README.md"
  echo "README: bindings/python"
  block python >"$work/readme.py"
  readme "$interpreter" "$work/readme.py"
  { echo "#!$interpreter" && cat "$root/samples/standardize_python/standardize.py"; } >"$work/standardize_python"
  chmod +x "$work/standardize_python"
  sample "$work/standardize_python"
}

case $language in
  rust) rust ;;
  go) go_ ;;
  python) python_ ;;
  *) echo "usage: check.sh rust|go|python ROOT BUILD_DIR [RUSTC]" >&2; exit 2 ;;
esac
