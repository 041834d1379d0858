"""tests/cuda/sass/estimate.py -- estimates of speed from counts of instructions and bytes, and their table."""

BEGIN, END = "<!-- estimates: written by ./dev sass --record -->", "<!-- end of estimates -->"


class Device:
    """A product as its data sheet describes it. Rates are operations of a multiprocessor in a clock cycle."""

    def __init__(self, name, gigabytes, multiprocessors, gigahertz, doubles):
        self.name, self.gigabytes, self.doubles = name, gigabytes, doubles
        self.cycles = multiprocessors * gigahertz  # thousand millions in a second, of all multiprocessors

    ALL, SPECIAL = 128, 16

    def bounds(self, byte_count, costs):
        """Nanoseconds for each element by memory, by all instructions, and by those of the slower units."""
        everything, doubles, special = costs
        return {"memory": byte_count / self.gigabytes, "issue": everything / self.ALL / self.cycles,
                "float64": doubles / self.doubles / self.cycles, "special": special / self.SPECIAL / self.cycles}


DEVICES = {80: Device("A100 SXM 80 GB", 2039, 108, 1.41, 32), 90: Device("H100 SXM", 3350, 132, 1.98, 64),
           100: Device("B200", 8000, 148, 1.97, 64), 120: Device("RTX 5090", 1792, 170, 2.41, 2)}


def estimate(device, kernels):
    """Thousand million elements a second of a program, one kernel after the other, and what bounds the slowest."""
    slowest = [max((time, bound) for bound, time in device.bounds(named.read + named.written, costs).items())
               for named, costs in kernels]
    return 1 / sum(time for time, _ in slowest), max(slowest)[1]


def table(costs):
    programs = list(dict.fromkeys(named.program for named, _, _ in costs))
    lines = ["| program | bytes | " + " | ".join(f"{d.name}: estimated | measured" for d in DEVICES.values()) + " |",
             "| --- |" + " ---: |" * (1 + 2 * len(DEVICES))]
    for program in programs:
        own = [cost for cost in costs if cost[0].program == program]
        size = sum(named.read + named.written for named, arch, _ in own if arch == own[0][1])
        cells = []
        for arch, device in DEVICES.items():
            speed, bound = estimate(device, [(named, each) for named, at, each in own if at == arch])
            cells += [f"{speed:.0f} ({bound})", ""]
        lines.append(f"| {program} | {size:.3g} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_estimates(path, costs):
    text = path.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    path.write_text(f"{before}{BEGIN}\n{table(costs)}\n{END}{after}")
