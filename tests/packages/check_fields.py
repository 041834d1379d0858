#!/usr/bin/env python3
"""tests/packages/check_fields.py -- what packages say of themselves: Debian's Multi-Arch and Homepage, the licenses RPM
names.

usage: check_fields.py ROOT BUILD_DIR CPACK. Makes the .debs of all components of the build, and compares RPM's
expression of licenses with the licenses that the Debian copyright file of the same package describes.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# By component: the package and its Multi-Arch, "" where it has none.
MULTI_ARCH = {
    "runtime": ("libgpuopt1", "same"),
    "plugin-cuda": ("gpuopt-plugin-cuda", "same"),
    "plugin-jit": ("gpuopt-plugin-jit", "same"),
    "dev": ("libgpuopt-dev", ""),
    "python": ("python3-gpuopt", ""),
    "tools": ("gpuopt-tools", "foreign"),
}
# What RPM calls a license of the Debian copyright file (SPDX).
SPDX = {
    "Apache-2.0": "Apache-2.0",
    "Apache-2.0 with LLVM exception": "Apache-2.0 WITH LLVM-exception",
    "BSD-3-clause": "BSD-3-Clause",
    "BSD-2-clause": "BSD-2-Clause",
    "ISC": "ISC",
    "Unicode": "Unicode-DFS-2016",
}
# Of single files, whose terms are in a comment of that file.
OF_FILES = {"BLAKE3": "(CC0-1.0 OR Apache-2.0)", "MD5, in the public domain": "LicenseRef-Public-Domain",
            "Of the conversion": "LicenseRef-Unicode-ConvertUTF"}


def components_of(build):
    """The components that the build makes packages of."""
    found = re.search(r'^set\(CPACK_COMPONENTS_ALL "(.*)"\)', (build / "CPackConfig.cmake").read_text(), re.M)
    return found[1].split(";")


def fields_of(deb):
    """The fields that a package has, by name."""
    lines = subprocess.run(["dpkg-deb", "-f", deb], text=True, capture_output=True, check=True).stdout.splitlines()
    return dict(line.split(": ", 1) for line in lines if re.match(r"[\w-]+: ", line))


def deb_fields(build, cpack):
    """Differences between the fields of all packages and what they must be, without a homepage and with one."""
    components = components_of(build)
    for unknown in sorted(set(components) - set(MULTI_ARCH)):
        yield f"nothing is said here of the component {unknown}"
    for homepage in ("", "https://example.invalid/gpuopt"):
        with tempfile.TemporaryDirectory() as scratch:
            command = [cpack, "--config", build / "CPackConfig.cmake", "-G", "DEB", "-B", scratch, "-D",
                       "CPACK_DEBIAN_COMPRESSION_TYPE=none",
                       "-D", f"CPACK_PACKAGE_HOMEPAGE_URL={homepage}"]
            done = subprocess.run(command, cwd=scratch, text=True, capture_output=True)
            if done.returncode != 0:
                yield f"cpack: {done.stdout}{done.stderr}"
                return
            debs = [fields_of(deb) for deb in Path(scratch).glob("*.deb")]
            yield from wrong_fields({fields["Package"]: fields for fields in debs
                                     if not fields["Package"].endswith("-dbgsym")}, components, homepage)


def wrong_fields(packages, components, homepage):
    wanted = {package: {"Multi-Arch": multi_arch, "Homepage": homepage}
              for component, (package, multi_arch) in MULTI_ARCH.items() if component in components}
    for package in sorted(wanted.keys() ^ packages.keys()):
        yield f"{package} is {'not made' if package in wanted else 'not known here'}"
    for package in sorted(wanted.keys() & packages.keys()):
        for field, value in wanted[package].items():
            if packages[package].get(field, "") != value:
                yield f"{package}: {field} is '{packages[package].get(field, '')}' instead of '{value}'"


def licenses(root):
    """Licenses of the compiler's package that one kind of package names and the other does not."""
    copyright_file = (root / "packaging/debian/gpuopt-plugin-jit.copyright").read_text()
    expression = re.search(r'^set\(jit_license "([^"]*)"\)', (root / "packaging/packages.cmake").read_text(), re.M)
    if not expression:
        yield "packaging/packages.cmake sets no jit_license"
        return
    named = set(expression[1].replace("\\\n", "").split(" AND "))  # a line of CMake goes on behind a backslash
    described = set(re.findall(r"^License: (.*)\n ", copyright_file, re.M))
    for unknown in sorted(described - set(SPDX)):
        yield f"{unknown} has no name of RPM's here"
    wanted = {SPDX[name] for name in described & set(SPDX)} | {
        name for words, name in OF_FILES.items() if words in copyright_file
    }
    for name in sorted(wanted - named):
        yield f"RPM does not name {name}"
    for name in sorted(named - wanted):
        yield f"RPM names {name}, which the Debian copyright file does not describe"


def main():
    root, build, cpack = Path(sys.argv[1]), Path(sys.argv[2]).resolve(), sys.argv[3]
    failures = [*licenses(root), *deb_fields(build, cpack)]
    for failure in failures:
        print("FAILED:", failure)
    print(f"{len(MULTI_ARCH)} packages, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
