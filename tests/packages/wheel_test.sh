#!/usr/bin/env bash
# tests/packages/wheel_test.sh -- the wheels of build/wheels, as a user meets them: by pip, into empty environments.
#
# usage: wheel_test.sh [PYTHON...]; without arguments all of 3.10 to 3.14 that are found, by name or as pyenv's, and of
# the free-threaded 3.13t and 3.14t. In an environment for each: pip install, the README's example, the tests of the
# package; without the interpreter's lock also random operations of several threads. Versions that are not there are
# named as not run. This is no part of ./dev test, because NumPy and pytest come from PyPI.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
shopt -s nullglob
wheels=(build/wheels/gpuopt*.whl)
[ ${#wheels[@]} -gt 0 ] || { echo "wheel_test: no wheels: packaging/wheel.sh" >&2; exit 1; }

find_pythons() {
  local version
  for version in 3.10 3.11 3.12 3.13 3.14 3.13t 3.14t; do
    packaging/find_python.sh "$version" || echo "wheel_test: Python $version: NOT RUN, it is not here" >&2
  done
}

check() {
  local python=$1 venv=$scratch/venv
  "$python" --version
  rm -rf "$venv" && "$python" -m venv "$venv"
  # Of what the tests need rather an older version that is compiled than one to be compiled here, as where there is no
  # newer one yet for interpreters without a lock; of Mypy also its parser has to be.
  "$venv/bin/pip" install -q --disable-pip-version-check --prefer-binary --find-links build/wheels \
    'gpuopt[jit,bfloat16]' pytest hypothesis || return 1
  "$venv/bin/pip" install -q --disable-pip-version-check --only-binary :all: mypy || return 1
  # From another directory, and without the variables that would lead to another gpuopt.
  cd "$scratch"
  unset LD_LIBRARY_PATH PYTHONPATH
  export GPUOPT_CACHE_DIR=$scratch/cache
  "$venv/bin/python" "$root/bench/python_import.py" 7
  "$venv/bin/python" -m doctest "$root/bindings/python/README.md" || return 1
  "$venv/bin/python" - <<'PYTHON' || return 1
import os, sys
import gpuopt

maps = open("/proc/self/maps").read()
assert "libgpuopt_cpu" not in maps and "libgpuopt_cuda" not in maps, "a backend is open before the first array"
assert "numpy" not in sys.modules, "NumPy is imported before it is needed"
gpuopt.ones(3)
maps = open("/proc/self/maps").read()
here = os.path.dirname(gpuopt.__file__)
assert f"{here}/gpuopt/1/libgpuopt_cpu.so" in maps, "the backend is not the wheel's"
PYTHON
  cp -r "$root/bindings/python/tests" tests
  "$venv/bin/python" -m pytest -q -rs -p no:cacheprovider -c "$root/bindings/python/pyproject.toml" --rootdir tests \
    tests || return 1
  if ! "$venv/bin/python" -c 'import sys; sys.exit(not getattr(sys, "_is_gil_enabled", lambda: True)())'; then
    "$venv/bin/python" tests/search_threads.py 30 || return 1
  fi
  rm -rf tests
}

if [ $# -gt 0 ]; then pythons=("$@"); else mapfile -t pythons < <(find_pythons); fi
status=0
for python in "${pythons[@]}"; do
  (check "$python") || { echo "FAILED: $python" && status=1; }
  rm -rf "$scratch/tests"
done
exit $status
