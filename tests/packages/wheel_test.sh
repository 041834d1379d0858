#!/usr/bin/env bash
# tests/packages/wheel_test.sh -- the wheels of build/wheels, as a user meets them: by pip, into empty environments.
#
# usage: wheel_test.sh [PYTHON...]; without arguments all of 3.10 to 3.14 that are found, by name or as pyenv's. In an
# environment for each: pip install, the README's example, the tests of the package. Versions that are not there are
# named as not run. This is no part of ./dev test, because NumPy and pytest come from PyPI.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
shopt -s nullglob
wheels=(build/wheels/gpuopt*.whl)
[ ${#wheels[@]} -gt 0 ] || { echo "wheel_test: no wheels: packaging/wheel.sh" >&2; exit 1; }

find_pythons() {
  local version found
  for version in 3.10 3.11 3.12 3.13 3.14; do
    found=("$HOME"/.pyenv/versions/$version.*/bin/python)
    if [ ${#found[@]} -gt 0 ]; then
      echo "${found[-1]}"
    elif "python$version" -c '' 2>/dev/null; then
      command -v "python$version"
    else
      echo "wheel_test: Python $version: NOT RUN, it is not here" >&2
    fi
  done
}

# The least processor time of seven processes in milliseconds, less that of an empty program.
import_time() {
  "$1" - <<'PYTHON'
import resource, subprocess, sys

def used():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime

def least(text):
    times = []
    for _ in range(7):
        start = used()
        subprocess.run([sys.executable, "-c", text], check=True)
        times.append(used() - start)
    return min(times)

print(f"import: {1000 * (least('import gpuopt') - least('pass')):.1f} ms")
PYTHON
}

check() {
  local python=$1 venv=$scratch/venv
  "$python" --version
  rm -rf "$venv" && "$python" -m venv "$venv"
  "$venv/bin/pip" install -q --disable-pip-version-check --find-links build/wheels 'gpuopt[jit,bfloat16]' \
    pytest hypothesis mypy || return 1
  # From another directory, and without the variables that would lead to another gpuopt.
  cd "$scratch"
  unset LD_LIBRARY_PATH PYTHONPATH
  export GPUOPT_CACHE_DIR=$scratch/cache
  import_time "$venv/bin/python"
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
  "$venv/bin/python" -m pytest -q -p no:cacheprovider -c "$root/bindings/python/pyproject.toml" --rootdir tests \
    tests || return 1
  rm -rf tests
}

if [ $# -gt 0 ]; then pythons=("$@"); else mapfile -t pythons < <(find_pythons); fi
status=0
for python in "${pythons[@]}"; do
  (check "$python") || { echo "FAILED: $python" && status=1; }
  rm -rf "$scratch/tests"
done
exit $status
