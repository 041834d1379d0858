#!/usr/bin/env bash
# docs/reference/make.sh -- makes the reference manual as HTML, offline, and checks it: ./dev docs and the test
# docs/reference.
#
# usage: make.sh OUTPUT. Doxygen makes the pages and the C and C++ references, cargo the Rust one, Go the Go one;
# neither needs the library to be built. Where cargo or go is missing, a page in the place of its reference says so, and
# the script says "not run". The manual begins at OUTPUT/html/index.html.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mkdir -p "$1"
output=$(cd "$1" && pwd)
rm -rf "$output/html"

instead() { # file, language, program
  echo "not run: the $2 reference: $3 is not installed"
  mkdir -p "$(dirname "$1")"
  printf '<!DOCTYPE html>\n<title>%s</title>\n' "$2" >"$1"
  printf '<p>This copy of the manual was made without %s, so it has no %s reference.</p>\n' "$3" "$2" >>"$1"
}

(cat docs/reference/Doxyfile && printf 'OUTPUT_DIRECTORY = "%s"\n' "$output") | doxygen -

if command -v cargo >/dev/null; then
  RUSTDOCFLAGS="-D warnings" DOCS_RS=1 CARGO_TARGET_DIR=$output/rust cargo doc \
    --manifest-path bindings/rust/Cargo.toml --offline --locked \
    --no-deps --quiet
  cp -r "$output/rust/doc" "$output/html/rust"
  # rustdoc's own pages link to an index of crates that it does not write.
  printf '<!DOCTYPE html>\n<meta http-equiv="refresh" content="0; url=gpuopt/index.html">\n<title>gpuopt</title>\n' \
    >"$output/html/rust/index.html"
else
  instead "$output/html/rust/gpuopt/index.html" Rust cargo
fi
if command -v go >/dev/null; then
  mkdir -p "$output/html/go"
  GOCACHE=$output/go_cache GOPROXY=off GOTOOLCHAIN=local go run docs/reference/go/main.go bindings/go \
    "$output/html/go/index.html"
else
  instead "$output/html/go/index.html" Go go
fi

python3 docs/reference/check_html.py . "$output/html"
echo "$output/html/index.html"
