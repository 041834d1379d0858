#!/usr/bin/env python3
# tests/packages/check_split.py -- the archives CPack makes: every file in the one package it belongs to, none too
# large.
#
# usage: check_split.py ROOT BUILD_DIR CPACK BINARY... (the library and the plugins as they were built)
import fnmatch
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

MEGABYTE = 1000 * 1000
# all but debug information
LIMITS = {"runtime": 16 * MEGABYTE, "plugin-cuda": 20 * MEGABYTE, "plugin-jit": 112 * MEGABYTE}


def sources(root, folder, unwanted):
    """The files below a folder of the source tree that are meant to be installed."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", folder], cwd=root, capture_output=True,
                            text=True, check=True)
    return [f for f in listed.stdout.splitlines() if not re.search(unwanted, f) and (root / f).is_file()]


def program(name):
    """A command, its manual page and its completions, where bash, zsh and fish look for those of a command of this
    name."""
    completions = [f"bash-completion/completions/{name}", f"zsh/site-functions/_{name}",
                   f"fish/vendor_completions.d/{name}.fish"]
    return [f"bin/{name}", f"share/man/man1/{name}.1"] + [f"share/{c}" for c in completions]


def expected(root, version, libdir):
    """By component: the files it must have, and patterns of those it may have."""
    major = version.split(".")[0]
    plugins, cmake, doc = f"{libdir}/gpuopt/1", f"{libdir}/cmake/gpuopt", "share/doc/gpuopt"
    headers = [str(p.relative_to(root / "abi"))
               for p in (root / "abi/gpuopt").rglob("*") if p.suffix in (".h", ".hpp", ".def")]
    return {
        "runtime": (
            [f"{libdir}/libgpuopt.so.{major}", f"{libdir}/libgpuopt.so.{version}", f"{plugins}/libgpuopt_cpu.so",
             f"{plugins}/libgpuopt_mpi.so", f"{plugins}/libgpuopt_ring.so",
             f"{doc}/LICENSE"],
            [],
        ),
        "plugin-cuda": ([f"{plugins}/libgpuopt_cuda.so", f"{plugins}/libgpuopt_nccl.so"], [f"{plugins}/seed/*"]),
        "plugin-jit": ([f"{plugins}/jit/libgpuopt_jit.so", f"{plugins}/jit/gpuopt-jit-helper",
                        "share/doc/gpuopt-plugin-jit/copyright"], []),
        "tools": (program("gpuopt") + program("gpuopt-aot") + program("gpuopt-run"), []),
        "dev": (
            [f"{libdir}/libgpuopt.so", f"{libdir}/pkgconfig/gpuopt.pc"]
            + [f"include/{h}" for h in headers]
            + [f"{cmake}/{f}" for f in ("gpuoptConfig.cmake", "gpuoptConfigVersion.cmake", "gpuoptPlugin.cmake",
                                        "plugin.map")]
            + [f"{cmake}/gpuoptTargets.cmake", f"{cmake}/gpuoptTargets-release.cmake"]
            + [f"{doc}/examples/" + s.removeprefix("samples/") for s in sources(root, "samples", "^samples/CMakeLists")]
            + [f"share/gpuopt/{b}" for b in sources(root, "bindings", r"/tests/|/internal/|_test\.go$|/rustfmt\.toml$")]
            + program("gpuopt-plugin-test"),
            [],
        ),
    }


def files(archive):
    with tarfile.open(archive) as tar:
        return {"/".join(m.name.split("/")[1:]) for m in tar.getmembers() if not m.isdir()}


def differences(component, archive, must, may):
    found = files(archive)
    yield from (f"{component} lacks {f}" for f in sorted(set(must) - found))
    for name in sorted(found - set(must)):
        if not any(fnmatch.fnmatch(name, pattern) for pattern in may):
            yield f"{component} has {name}, which is not its own"


def component_of(binary):
    """The package of a library or a plugin."""
    kind = re.search(r"_(cuda|jit)\.so$", Path(binary).name)
    return f"plugin-{kind[1]}" if kind else "runtime"


def too_large(scratch, binaries):
    sizes = dict.fromkeys(map(component_of, binaries), 0)
    for binary in binaries:
        stripped = scratch / "stripped"
        subprocess.run(["objcopy", "--strip-debug", binary, stripped], check=True)
        sizes[component_of(binary)] += stripped.stat().st_size
    for component, size in sizes.items():
        print(f"{component}: {size / MEGABYTE:.1f} MB of binaries, {LIMITS[component] / MEGABYTE:.0f} MB allowed")
        if size > LIMITS[component]:
            yield f"{component} is too large"


def main():
    root, build, cpack, binaries = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3], sys.argv[4:]
    version = re.search(r"^project\(gpuopt VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text(), re.M)[1]
    libdir = re.search(r"^CMAKE_INSTALL_LIBDIR:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)[1]
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        subprocess.run([cpack, "-G", "TGZ", "-B", scratch / "out", "--config", build / "CPackConfig.cmake"],
                       cwd=scratch, check=True, stdout=subprocess.DEVNULL)
        archives = {re.search(r"-(runtime|plugin-cuda|plugin-jit|tools|dev)\.tar\.gz$", a.name)[1]: a
                    for a in (scratch / "out").glob("*.tar.gz")}
        wanted = expected(root, version, libdir)
        built = {"tools", "dev", *map(component_of, binaries)}
        wanted = {component: files for component, files in wanted.items() if component in built}
        wrong = [f"no archive, or one too many: {c}" for c in set(wanted) ^ set(archives)]
        for component in sorted(set(wanted) & set(archives)):
            wrong += differences(component, archives[component], *wanted[component])
        wrong += too_large(scratch, binaries)
    print(*wrong, f"{len(wanted)} archives, {len(wrong)} problems", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
