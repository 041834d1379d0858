#!/usr/bin/env bash
# bindings/python/tests/neighbours/run.sh -- gpuopt among other packages: scikit-learn, SciPy, xarray, and so on.
#
# usage: run.sh WHEEL... ; the wheels of packaging/wheel.sh, or nothing where PYTHONPATH has the package already. The
# other packages come from PyPI, in their newest versions, into build/neighbours: so this is no part of ./dev test.
# NEIGHBOURS_VENV names an environment that has them already.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
wheels=()
for wheel in "$@"; do wheels+=("$(readlink -f "$wheel")"); done
cd "$here/../../../.."
venv=${NEIGHBOURS_VENV:-build/neighbours}
if [ ! -x "$venv/bin/pytest" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt"
fi
venv=$(readlink -f "$venv")
if [ ${#wheels[@]} -gt 0 ]; then
  "$venv/bin/pip" install -q --disable-pip-version-check --no-deps --force-reinstall "${wheels[@]}"
fi
cd "$here"
# SciPy reads it when it is imported.
SCIPY_ARRAY_API=1 MPLBACKEND=Agg "$venv/bin/pytest" -q -p no:cacheprovider -c /dev/null --rootdir "$here" check_*.py
