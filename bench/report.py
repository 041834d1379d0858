#!/usr/bin/env python3
# bench/report.py -- charts and tables of docs/benchmarks.md from what the benchmarks printed
"""usage: bench/report.py [RESULTS [PAGE]]

Reads what the scripts of this folder printed, as Markdown tables, from RESULTS (the newest folder of bench/results):

    loops.txt    bench/compare.py: time / bound of each contender
    arrays.txt   bench/array_compare.py: time of each peer / gpuopt's
    small.txt    bench/small_compare.py and gpuopt_thread_bench
    python.txt   bench/python_overhead.py and bench/text_file.py
    groups.txt   gpuopt_comm_bench and gpuopt_comm_bench_mpi, one after the other
    before.txt   a sentence that says which library was the base, and bench/against.py (where there is such a file)

and replaces in PAGE (docs/benchmarks.md) what stands between "<!-- bench/report.py -->" and "<!-- end -->", and the
charts, docs/pictures/bench_*.svg. A bar of a chart is a peer's time divided by gpuopt's in the same rounds, on a
logarithmic axis: to the right of 1 gpuopt is faster. Nothing is measured here.
"""
import math
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PEERS = {"numpy": "NumPy", "scipy": "SciPy", "torch": "PyTorch", "jax": "JAX", "mlx": "MLX", "numba": "Numba",
         "eigen": "Eigen", "armadillo": "Armadillo", "xtensor": "xtensor", "bound": "bound"}
COLORS = {"numpy": "#4d77cf", "scipy": "#54a24b", "torch": "#e45756", "jax": "#b279a2", "mlx": "#3a9a9a",
          "numba": "#f2a900", "eigen": "#8c564b", "armadillo": "#d37295", "xtensor": "#a0b83a", "bound": "#888888"}
# The family of a case is the first whose pattern its name fits.
FAMILIES = [("products", "Products", r"matmul|^dot"), ("sorting", "Sorting and selecting", r"sort|unique|histogram|"
            r"take|concat|mask select"), ("transforms", "Fourier transforms", r"fft"),
            ("decompositions", "Linear algebra", r"solve|cholesky|qr|eigh|svd"),
            ("random", "Random numbers", r"uniform|normal"), ("reductions", "Sums and means", r"^(sum|mean)"),
            ("sizes", "One operation on 1 to 1e8 elements", r"^(x \+ x|sin\(x\)|total of x) f64 1"),
            ("layouts", "Layouts, axes and types", r"transpose|\.T|\[|axis|rows of|min and max|nansum|var|root|bool|"
             r"float16|cumsum|^where|ones"),
            ("powers", "Powers and chains", r"\*\* |64 operations"),
            ("elementwise", "Element by element", r"")]
BEHIND = 0.95  # a peer whose time is a smaller part of gpuopt's is ahead: what differs less, differs from run to run


def tables(path):
    """The Markdown tables of a file: lists of {column: cell}."""
    found, columns = [], None
    for line in path.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else None
        if cells is None:
            columns = None
        elif columns is None or cells[0] == columns[0]:
            columns = cells
            found.append([])
        elif not all(re.fullmatch(r"-+:?", cell) for cell in cells):
            found[-1].append(dict(zip(columns, cells)))
    return found


def loops(path):
    """Of compare.py's table: {case: {"ms": gpuopt's, peer: its time / gpuopt's}}. A result that is made afresh, as
    the peer makes it, is compared where there is no other."""
    seen = defaultdict(dict)
    for row in tables(path)[0]:
        seen[row["case"]][row["contender"]] = (float(row["ms"]), float(row["time / bound"]))
    cases = {}
    for case, contenders in seen.items():
        own = contenders.get("gpuopt", contenders.get("gpuopt fresh"))
        cases[case] = {"ms": own[0]}
        for name, (_, over_bound) in contenders.items():
            peer = name.removesuffix(" fresh")
            if peer in PEERS:
                cases[case][peer] = over_bound / own[1]
    return cases


def arrays(path):
    """Of array_compare.py's table: the same."""
    cases = {}
    for row in tables(path)[0]:
        cells = {"numpy": row["NumPy / gpuopt"], "scipy": row["SciPy"], "torch": row["PyTorch"], "jax": row["JAX"],
                 "mlx": row.get("MLX", "-"), "numba": row.get("Numba", "-"), "bound": row.get("bound", "-")}
        cases[row["case"]] = {"ms": float(row["gpuopt, ms"]),
                              **{peer: float(cell) for peer, cell in cells.items() if cell != "-"}}
    return cases


def families(cases):
    grouped = {name: {} for name, _, _ in FAMILIES}
    for case, figures in cases.items():
        grouped[next(name for name, _, pattern in FAMILIES if re.search(pattern, case))][case] = figures
    return grouped


class Chart:
    """Bars on a logarithmic axis, one group for each case."""

    LEFT, WIDTH, BAR, GAP = 290, 420, 9, 8

    def __init__(self, title, cases):
        self.title, self.cases = title, cases
        ratios = [r for figures in cases.values() for peer, r in figures.items() if peer in PEERS]
        self.low = min(0.5, 2.0 ** math.floor(math.log2(min(ratios))))
        self.high = max(2.0, 2.0 ** math.ceil(math.log2(max(ratios))))
        self.lines = []

    def x(self, ratio):
        return self.LEFT + self.WIDTH * math.log(ratio / self.low) / math.log(self.high / self.low)

    def text(self, x, y, what, anchor="start", size=11):
        what = what.replace("&", "&amp;").replace("<", "&lt;")
        self.lines.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">{what}</text>')

    def legend(self):
        x = self.LEFT
        for peer in (p for p in PEERS if any(p in figures for figures in self.cases.values())):
            self.lines.append(f'<rect x="{x}" y="26" width="10" height="10" fill="{COLORS[peer]}"/>')
            self.text(x + 14, 35, PEERS[peer])
            x += 30 + 7 * len(PEERS[peer])

    def bars(self, y, case, figures):
        peers = [peer for peer in PEERS if peer in figures]
        height = len(peers) * self.BAR
        self.text(self.LEFT - 8, y + height / 2 + 4, case, "end")
        for i, peer in enumerate(peers):
            left, right = sorted((self.x(1), self.x(figures[peer])))
            self.lines.append(f'<rect x="{left:.1f}" y="{y + i * self.BAR}" width="{max(right - left, 1):.1f}" '
                              f'height="{self.BAR - 1}" fill="{COLORS[peer]}"/>')
        return y + height + self.GAP

    def axis(self, bottom):
        ratio = self.low
        while ratio <= self.high:
            at, width = self.x(ratio), 1.5 if ratio == 1 else 0.5
            self.lines.insert(0, f'<line x1="{at:.1f}" x2="{at:.1f}" y1="44" y2="{bottom}" stroke="#999999" '
                                 f'stroke-width="{width}"/>')
            self.text(at, bottom + 14, f"{ratio:g}", "middle")
            ratio *= 2 if self.high / self.low <= 64 else 4

    def svg(self):
        self.text(8, 16, f"{self.title}: time of the peer / time of gpuopt", size=13)
        self.legend()
        y = 48
        for case, figures in self.cases.items():
            y = self.bars(y, case, figures)
        self.axis(y)
        body = "\n".join(self.lines)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.LEFT + self.WIDTH + 30}" height="{y + 24}" '
                f'font-family="sans-serif" fill="#333333">\n<rect width="100%" height="100%" fill="#ffffff"/>\n'
                f"{body}\n</svg>\n")


def markdown(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def case_table(cases):
    peers = [peer for peer in PEERS if any(peer in figures for figures in cases.values())]
    rows = [[case, f"{figures['ms']:.{2 if figures['ms'] >= 0.1 else 5}f}",
             *(f"{figures[p]:.2f}" if p in figures else "-" for p in peers)]
            for case, figures in cases.items()]
    return markdown(["case", "gpuopt, ms", *(PEERS[p] for p in peers)], rows)


def reason_of(case, reasons):
    return next((why for pattern, why in reasons if re.search(pattern, case)), "The cause was not looked for.")


def behind(cases, reasons):
    """A row for each case that a peer is ahead in."""
    rows = []
    for case, figures in cases.items():
        ratio, peer = min(((r, peer) for peer, r in figures.items() if peer in PEERS and peer != "bound"))
        if ratio < BEHIND:
            rows.append([case, PEERS[peer], f"{ratio:.2f}", reason_of(case, reasons)])
    return markdown(["case", "who", "its time / gpuopt's", "why"], rows)


def read_reasons(path):
    """Lines "pattern: sentence." of a file; what begins with a blank goes on."""
    text = re.sub(r"\n +", " ", path.read_text())
    return [tuple(part.strip() for part in line.split(": ", 1)) for line in text.splitlines() if line]


def counted(cases):
    """How many cases are how far ahead or behind, as a sentence."""
    best = [min((r for peer, r in figures.items() if peer in PEERS and peer != "bound")) for figures in cases.values()]
    bound = [figures["bound"] for figures in cases.values() if "bound" in figures]
    return (f"Of {len(best)} cases gpuopt is the fastest, or within {100 * (1 - BEHIND):.0f} % of it, in "
            f"{sum(r >= BEHIND for r in best)};\nit takes at most 1.15 times the hand-written bound in "
            f"{sum(r >= 1 / 1.15 for r in bound)} of {len(bound)}.")


def changed(path):
    """Of against.py's table: the cases that changed by a tenth or more, and how many did not."""
    rows = tables(path)[0]
    moved = [row for row in rows if not 1 / 1.1 < float(row["base / new"]) < 1.1]
    words = path.read_text().split("|", 1)[0].strip()
    return (f"{words}\n\n{len(rows) - len(moved)} of {len(rows)} cases changed by less than a tenth; the others:\n\n" +
            markdown(list(rows[0]), [list(row.values()) for row in moved]))


def report(results, pictures):
    cases = {**loops(results / "loops.txt"), **arrays(results / "arrays.txt")}
    parts = [(results / "machine.txt").read_text().strip(), counted(cases)]
    for name, title, _ in FAMILIES:
        grouped = families(cases)[name]
        (pictures / f"bench_{name}.svg").write_text(Chart(title, grouped).svg())
        parts += [f"### {title}", f"![{title}](pictures/bench_{name}.svg)", case_table(grouped)]
    parts += ["### Where a peer is ahead", behind(cases, read_reasons(results / "reasons.txt"))]
    for name, title in (("small", "A few elements, and threads"), ("python", "From Python"),
                        ("groups", "Between processes")):
        text = (results / f"{name}.txt").read_text().strip()
        parts += [f"### {title}", text]
    if (results / "before.txt").is_file():
        parts += ["### Before and after", changed(results / "before.txt")]
    return "\n\n".join(parts)


def main():
    given = sys.argv[1:]
    results = Path(given[0]) if given else max((ROOT / "bench/results").iterdir())
    page = Path(given[1]) if len(given) > 1 else ROOT / "docs/benchmarks.md"
    text = page.read_text()
    start, end = "<!-- bench/report.py -->", "<!-- end -->"
    before, rest = text.split(start, 1)
    page.write_text(f"{before}{start}\n\n{report(results, page.parent / 'pictures')}\n\n{end}{rest.split(end, 1)[1]}")


if __name__ == "__main__":
    main()
