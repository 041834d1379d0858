#!/usr/bin/env python3
"""tests/packages/check_recipes.py -- the recipes for other package managers (packaging/recipes) can be read, and agree
with the build about version, license and options.

usage: check_recipes.py [ROOT]. What needs a program or a module that is not installed (ruby, conan, PyYAML) is named.
"""
import ast
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# vcpkg's functions, for a port's file that CMake reads as a script.
VCPKG = """
cmake_minimum_required(VERSION 3.25)
macro(vcpkg_from_git)
  set(SOURCE_PATH source)
endmacro()
macro(vcpkg_check_features)
  set(features -DGPUOPT_BUILD_CUDA=ON -DGPUOPT_BUILD_TOOLS=ON)
endmacro()
foreach(name vcpkg_cmake_configure vcpkg_cmake_install vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig vcpkg_copy_tools
  vcpkg_install_copyright)
  cmake_language(EVAL CODE "function(${name})\\nendfunction()")
endforeach()
set(FEATURES cuda tools)
set(PORT gpuopt)
set(CURRENT_PACKAGES_DIR ${CMAKE_CURRENT_BINARY_DIR}/packages)
"""


def run(failures, what, *command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        failures.append(f"{what}: {(done.stderr or done.stdout).strip()[-500:]}")
    return done.stdout


def check_vcpkg(folder, version, failures):
    manifest = json.loads((folder / "vcpkg.json").read_text())
    if manifest["version-semver"] != version or manifest["license"] != "Apache-2.0":
        failures.append("vcpkg.json: another version or license")
    port = (folder / "portfile.cmake").read_text()
    for feature in manifest["features"]:
        if not re.search(rf"^ +{feature} GPUOPT_\w+", port, re.M):
            failures.append(f"portfile.cmake: nothing is said of the feature {feature}")
    with tempfile.TemporaryDirectory() as scratch:
        script = Path(scratch) / "port.cmake"
        script.write_text(f"set(CMAKE_CURRENT_BINARY_DIR {scratch})\n{VCPKG}\ninclude({folder / 'portfile.cmake'})\n")
        run(failures, "portfile.cmake", "cmake", "-P", str(script))


def check_conan(folder, version, failures):
    for file in ("conanfile.py", "test_package/conanfile.py"):
        ast.parse((folder / file).read_text())
    if f'version = "{version}"' not in (folder / "conanfile.py").read_text():
        failures.append("conanfile.py: another version")
    if shutil.which("conan"):
        run(failures, "conan inspect", "conan", "inspect", str(folder / "conanfile.py"))
    else:
        print("not run: conan inspect: conan is not installed")


def check_homebrew(folder, version, failures):
    formula = folder / "gpuopt.rb"
    if f"v{version}.tar.gz" not in formula.read_text():
        failures.append("gpuopt.rb: another version")
    if shutil.which("ruby"):
        run(failures, "gpuopt.rb", "ruby", "-c", str(formula))
    else:
        print("not run: ruby -c: ruby is not installed")


def check_conda(folder, version, failures):
    text = (folder / "recipe.yaml").read_text()
    try:
        import yaml
    except ImportError:
        print("not run: recipe.yaml: PyYAML is not installed")
        return
    recipe = yaml.safe_load(text)
    if recipe["context"]["version"] != version or recipe["about"]["license"] != "Apache-2.0":
        failures.append("recipe.yaml: another version or license")


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    build = (root / "CMakeLists.txt").read_text()
    version = re.search(r"^project\(gpuopt VERSION ([\d.]+)", build, re.M)[1]
    options = set(re.findall(r"^option\((GPUOPT_\w+)", build, re.M))
    recipes, failures = root / "packaging" / "recipes", []
    check_vcpkg(recipes / "vcpkg", version, failures)
    check_conan(recipes / "conan", version, failures)
    check_homebrew(recipes / "homebrew", version, failures)
    check_conda(recipes / "conda-forge", version, failures)
    for file in sorted(f for f in recipes.rglob("*") if f.is_file() and f.suffix != ".c"):
        for name in set(re.findall(r"-D(GPUOPT_\w+)|\b(GPUOPT_BUILD_[A-Z]+)\b", file.read_text())):
            if (name[0] or name[1]) not in options:
                failures.append(f"{file.name}: the build has no option {name[0] or name[1]}")
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"recipes of {version}, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
