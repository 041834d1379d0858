#!/usr/bin/env python3
# tests/abi/check_includes.py -- folder = layer: fails if a file includes a file of a layer it may not see.
#
# usage: check_includes.py [ROOT]. Only includes that resolve to a file of this repository count; the rest are system
# headers.
import re
import subprocess
import sys
from pathlib import Path


def stations(root, names, also):
    """A row for each folder, in the order of the data's way: it sees those before it, and `also`. "." are files of the
    root itself."""
    folders = [f"{root}/{name}/" if name != "." else f"{root}/." for name in names.split()]
    return [(folder, (*folders[:i], *also)) for i, folder in enumerate(folders)]


# The first row whose folder holds the file applies. What a file may include besides its own folder of the row.
LAYERS = [
    ("abi/", ()),
    # programs: on top of the libraries, part of none
    ("tools/", ("abi/", "core/", "plugins/shared/host/", "plugins/shared/cache/")),
    # Which files may be loaded is the same question for the core and for plugins, and so are what a setting means, what
    # is called when a thread ends, until when the values of a program are read, what an operation costs, how PCG64
    # is seeded, what a texture object is, and how ranks are named that have not come.
    *stations("core", "base device/image device array engine ops sorting statistics linalg random selection signal "
              "polynomial numbers kernels/text kernels ufuncs exchange text_files creation comm shard",
              ("abi/", *("plugins/shared/host/%s.h" % name for name in ("every_thread", "settings", "thread_exit",
                                                          "trusted_file")),
               *("plugins/shared/program/%s.h" % name for name in ("stages", "op_table")),
               "plugins/shared/random/pcg64.h", "plugins/shared/words/texture_layout.h",
               "plugins/shared/comm/late_text.h")),
    *stations("plugins/shared", ". math ops random distributions fft linalg user words host cache comm program",
              ("abi/",)),
    # slots.h names what each folder defines for the plugin's table. Both backends open libgpuopt_jit.
    *stations("plugins/cpu", "runtime levels code kernel program library random products fft linalg plugin",
              ("abi/", "plugins/shared/", "plugins/cpu/plugin/slots.h", "plugins/jit/api/",
               "plugins/jit/helper/protocol.h")),
    # device.h is what everything here belongs to; slots.h as above.
    *stations("plugins/cuda", "text driver memory compile program vendor library plugin tools",
              ("abi/", "plugins/shared/", "plugins/cuda/plugin/slots.h", "plugins/cuda/plugin/device.h",
               "plugins/jit/api/")),
    *stations("plugins/jit", "api text analysis lower ptx compile helper", ("abi/", "plugins/shared/")),
    ("plugins/nccl/", ("abi/", "plugins/shared/", "plugins/ring/")),
    ("plugins/*/", ("abi/", "plugins/shared/")),
    ("samples/*/", ("abi/",)),
    ("bench/", ("abi/",)),
    ("tests/conformance/", ("abi/", "tests/shared/", "tests/kernels/", "tests/oracle.def")),
    ("bindings/*/", ("abi/",)),
]
# What is left against the order. A line that no include needs any more is an error, too.
UPWARD = {
    "core/device/device.cpp": ("core/engine/engine.h", "core/engine/transfer.h"),  # synchronizing runs what is recorded
    "core/device/stream.cpp": ("core/engine/engine.h",),  # so do events and waiting for a stream
    "core/device/queries.cpp": ("core/engine/engine.h",),  # and whether a stream's work is done
    "core/device/registry.cpp": ("core/engine/engine.h",),  # makes a device's recorder
    # an array that goes is forgotten; memory that recorded values pin is freed
    "core/array/array.cpp": ("core/engine/engine.h",),
    "core/array/view.cpp": ("core/engine/record.h",),  # a reshape that is no view is a recorded copy
    # what a kernel's text uses decides which words it gets
    "plugins/shared/user/functions_used.h": tuple(
        "plugins/shared/words/%s.h" % name
        for name in ("async", "atomic", "constants", "cooperative", "cooperative_tiles", "legacy", "mathematics",
                     "memory", "optional", "ptx", "special", "standard", "standard_algorithms", "texture",
                     "warp_reduce", "wmma", "curand/curand", "curand/curand_poisson", "numbers/cucomplex",
                     "numbers/fp8", "numbers/half", "numbers/half_functions", "thrust/cub_exchange",
                     "thrust/thrust")),
    "plugins/cpu/code/jit.cpp": ("plugins/cpu/kernel/kernel_launch.h",),  # the functions that compiled code may call
}
# every source file below is in a folder that has a row
ORDERED = ("core/", "plugins/shared/", "plugins/cpu/", "plugins/cuda/", "plugins/jit/")
FULL_PATHS = ("core/", "plugins/", "tools/", "tests/")  # what is included by its path from the root
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)
SEARCHED = ("", "abi/")  # what the build gives as -I, the file's own folder apart


def lies_in(path, place):
    """Whether the file is below the folder, is the file, or, where `place` ends with "/.", lies in the folder
    itself."""
    return path.rpartition("/")[0] + "/." == place if place.endswith("/.") else path.startswith(place)


def layer_of(path):
    for pattern, allowed in LAYERS:
        if "*" not in pattern:
            if lies_in(path, pattern):
                return pattern, allowed
        elif match := re.match(pattern.replace("*", "[^/]+"), path):
            return match[0], allowed
    return None, ()


def resolve(path, quote, name, files):
    folders = ((str(Path(path).parent) + "/",) if quote == '"' else ()) + SEARCHED
    for folder in folders:
        parts = []
        for part in (folder + name).split("/"):
            if part == ".." and parts:
                parts.pop()
            elif part not in ("", "."):
                parts.append(part)
        if "/".join(parts) in files:
            return "/".join(parts)
    return None


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True,
                            check=True)
    files = {f for f in listed.stdout.splitlines() if (root / f).is_file()}
    sources = [f for f in sorted(files) if f.endswith((".h", ".hpp", ".c", ".cpp", ".cu", ".def", ".inc"))]
    wrong = 0
    needed = set()
    for path in sources:
        layer, allowed = layer_of(path)
        for whole in ORDERED:
            if path.startswith(whole) and (layer is None or len(layer) <= len(whole)):
                print(f"{path} is in no folder of {whole} that has a row in LAYERS")
                wrong += 1
        for quote, name in INCLUDE.findall((root / path).read_text()):
            target = resolve(path, quote, name, files)
            if target and target != name and quote == '"' and target.startswith(FULL_PATHS):
                print(f"{path} includes {name}: write {target}")
                wrong += 1
            if not target or layer is None or any(lies_in(target, place) for place in (layer, *allowed)):
                continue
            if target in UPWARD.get(path, ()):
                needed.add((path, target))
                continue
            print(f"{path} includes {target}: {layer} may see only {', '.join((layer, *allowed))}")
            wrong += 1
    for path, targets in UPWARD.items():
        for target in sorted({*targets} - {t for p, t in needed if p == path}):
            print(f"{path} does not include {target}: take it out of UPWARD")
            wrong += 1
    print(f"{len(sources)} files, {wrong} includes against the layers")
    return 1 if wrong or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
