#!/usr/bin/env bash
# bindings/python/tests/array_api_suite.sh -- the public suite of the array API standard on the package.
#
# usage: array_api_suite.sh CHECKOUT [arguments of pytest...]. Without arguments all tests of the standard are run.
#
# CHECKOUT has https://github.com/data-apis/array-api-tests with its submodule. The package is found by PYTHONPATH;
# GPUOPT_PYTHON is the interpreter (python3), in which CHECKOUT/requirements.txt is installed. Where something of this
# is missing, that is said, and the suite is not run. Another device than the CPU is chosen by GPUOPT_BACKEND.
set -eu
checkout=${1:-} interpreter=${GPUOPT_PYTHON:-python3}
[ $# = 0 ] || shift
not_run() {
  echo "not run: the suite of the array API standard: $1"
  exit 0
}
[ -n "$checkout" ] || not_run "no checkout of array-api-tests is named"
[ -d "$checkout/array_api_tests" ] || not_run "$checkout is no checkout of array-api-tests"
[ -d "$checkout/array-api/src" ] || not_run "its submodule array-api is missing in $checkout"
missing=$("$interpreter" -c '
import importlib.util
wanted = ("gpuopt", "hypothesis", "ndindex", "pytest", "pytest_jsonreport")
print(" ".join(name for name in wanted if importlib.util.find_spec(name) is None))')
[ -z "$missing" ] || not_run "$interpreter lacks $missing"
[ $# != 0 ] || set -- array_api_tests # not those of the suite itself
cd "$checkout"
export ARRAY_API_TESTS_MODULE=gpuopt ARRAY_API_TESTS_VERSION=2025.12 PYTHONDONTWRITEBYTECODE=1
"$interpreter" -m pytest -q -p no:cacheprovider --max-examples 100 --disable-deadline "$@"
