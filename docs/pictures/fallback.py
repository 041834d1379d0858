#!/usr/bin/env python3
"""docs/pictures/fallback.py -- draws docs/pictures/fallback.svg, the README's picture: how a request becomes a device.

usage: fallback.py [--check]. The program's words and what it prints are those of the README's first blocks, which tests
compile and run; the reasons are names of abi/gpuopt/status.def. With --check it draws nothing, and fails if the picture
is another one.
"""
import re
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs/pictures/fallback.svg"
REASONS = ["NOT_FOUND", "NO_DEVICE", "DRIVER_MISSING", "COMPILER_MISSING"]
INK, PAPER, LINE, GOOD, OTHER = "#1f2933", "#ffffff", "#52606d", "#e3f4e8", "#eef2f7"


def block(language):
    found = re.search(rf"^```{language}\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    return found[1].splitlines()


def reasons():
    table = (ROOT / "abi/gpuopt/status.def").read_text()
    missing = [name for name in REASONS if not re.search(rf"^GPUOPT_REASON\({name},", table, re.M)]
    if missing:
        sys.exit(f"abi/gpuopt/status.def has no {', '.join(missing)}")
    return REASONS


def text(x, y, lines, mono=False, size=14, bold=False):
    family = "monospace" if mono else "sans-serif"
    weight = ' font-weight="bold"' if bold else ""
    for number, line in enumerate(lines):
        yield (f'<text x="{x}" y="{y + number * (size + 6)}" font-family="{family}" font-size="{size}"{weight} '
               f'fill="{INK}" '
               f'xml:space="preserve">{escape(line)}</text>')


def box(x, y, width, height, fill):
    place = f'x="{x}" y="{y}" width="{width}" height="{height}"'
    yield f'<rect {place} rx="8" fill="{fill}" stroke="{LINE}" stroke-width="1.5"/>'


def arrow(points, words="", at=None):
    path = " L".join(f"{x},{y}" for x, y in points)
    yield f'<path d="M{path}" fill="none" stroke="{LINE}" stroke-width="2" marker-end="url(#head)"/>'
    if words:
        yield from text(*at, [words], size=13)


def picture():
    program = next(line.strip() for line in block("cpp") if "with_device" in line).split("  //")[0]
    printed = block("text")
    yield ('<svg xmlns="http://www.w3.org/2000/svg" width="920" height="360" viewBox="0 0 920 360" role="img" '
           'aria-label="A program asks for CUDA and gets the GPU, or the CPU with one warning">')
    yield "<!-- docs/pictures/fallback.svg: drawn by docs/pictures/fallback.py -->"
    yield ('<defs><marker id="head" markerWidth="10" markerHeight="8" refX="9" refY="4" orient="auto"><path d="M0,0 '
           f'L10,4 L0,8 z" fill="{LINE}"/>'
           "</marker></defs>")
    yield f'<rect width="920" height="360" fill="{PAPER}"/>'
    yield from box(20, 120, 270, 110, OTHER)
    yield from text(36, 147, ["your program, linked once"], bold=True)
    yield from text(36, 177, [program], mono=True, size=13)
    yield from text(36, 205, ["no CUDA at link time"], size=13)
    yield from box(360, 110, 220, 130, OTHER)
    yield from text(376, 137, ["libgpuopt"], bold=True)
    yield from text(376, 162, ["opens the backend's file,", "asks if it can work here,", "and lets it add numbers"],
                    size=13)
    yield from box(650, 30, 250, 100, GOOD)
    yield from text(666, 57, ["cuda:0"], bold=True, mono=True)
    yield from text(666, 82, ["kernels compiled for this GPU,", "nothing said"], size=13)
    yield from box(650, 190, 250, 150, GOOD)
    yield from text(666, 217, ["cpu:0"], bold=True, mono=True)
    yield from text(666, 242, ["and one warning on stderr:", "reason, detail, what to do"], size=13)
    yield from text(666, 285, printed, mono=True, size=13)
    yield from arrow([(290, 175), (358, 175)])
    yield from arrow([(580, 150), (615, 150), (615, 80), (648, 80)], "it can", (588, 68))
    yield from arrow([(580, 200), (615, 200), (615, 265), (648, 265)], "it cannot", (590, 288))
    yield from text(360, 262, ["why not, for instance:"], size=13)
    yield from text(360, 282, [f"{name}" for name in reasons()], mono=True, size=12)
    yield "</svg>"


def main():
    drawn = "\n".join(picture()) + "\n"
    if "--check" not in sys.argv[1:]:
        PICTURE.write_text(drawn)
        return 0
    if not PICTURE.exists() or PICTURE.read_text() != drawn:
        print("FAILED: docs/pictures/fallback.svg is not what docs/pictures/fallback.py draws: run it")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
