#!/usr/bin/env bash
# packaging/find_python.sh -- prints the path of a Python of a version, as pyenv's or by its name; 1 if there is none.
#
# usage: find_python.sh VERSION, as 3.14, or 3.14t for a free-threaded one.
set -euo pipefail
shopt -s nullglob
version=$1
for python in "$(command -v "python$version" || true)" "$HOME/.pyenv/versions/${version%t}".*/bin/python; do
  threads=$("$python" -c 'import sysconfig; print("t" * bool(sysconfig.get_config_var("Py_GIL_DISABLED")))' \
    2>/dev/null) || continue
  [ "${version%t}$threads" = "$version" ] && last=$python
done
[ -n "${last:-}" ] && echo "$last"
