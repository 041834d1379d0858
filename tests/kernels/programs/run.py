#!/usr/bin/env python3
"""tests/kernels/programs/run.py -- whole CUDA programs of others on the CPU compiler.

    run.py CHECKOUT [--build build/release] [--only PART] [--define NAME=VALUE]... [--pattern REGEX] [--seconds N]
                    [--repeat N] [--shard K/N]

CHECKOUT is a directory with programs of which each is one .cu file that computes its result twice, by kernels and by a
C function, and prints whether they agree, as those of PolyBench/GPU (its folder CUDA) and HeCBench (src) do. A program
whose makefile has a rule `run` gets the arguments there. Nothing of it is copied into the tree. A program is
preprocessed and cut into two texts: the kernels with what they use, which libgpuopt_jit compiles unedited, and the
rest, which the C++ compiler compiles, with each `kernel<<<grid, block>>>(...)` made a call of cuda_runtime.h. It is
then run twice: as it is, when it has to print that no element differs, and with launches that do nothing, when it has
to print that some do; without the latter the former would say nothing. No test of CTest runs this, as it needs the
checkout.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
HEADERS = ["cuda.h", "cuda_runtime_api.h", "device_launch_parameters.h", "helper_cuda.h", "cutil.h"]
DEVICE_WORD = re.compile(r"\b(__global__|__device__|__constant__|__shared__)\b")
DEVICE_HEADERS = ["cooperative_groups.h", "cuda_fp16.h", "cuda_bf16.h", "mma.h", "curand_kernel.h", "cub/cub.cuh",
                  "cooperative_groups/reduce.h", "cuda_pipeline.h"]
FAILED, PASSED = r"\bfail(?:ed|ure)?\b|\bmismatch|\bincorrect\b", r"\bpass(?:ed)?\b|\bcorrect\b|\bsuccess"
DIFFER = r"Non-Matching CPU-GPU Outputs[^:]*:\s*(\d+)"  # what PolyBench/GPU prints; group 1: how many elements


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parents[2] / "build/release")
    parser.add_argument("--only", default="", help="programs whose path has this part")
    parser.add_argument("--pattern", default=DIFFER, help="what is printed of the comparison; group 1: elements")
    parser.add_argument("--repeat", type=int, default=0,
                        help="the last argument of makefiles' rule `run`, if it is greater")
    parser.add_argument("--shard", default="0/1", help="K/N: every N-th program, from the K-th on")
    parser.add_argument("--seconds", type=float, default=300, help="for one run of a program")
    parser.add_argument("--define", action="append", default=[], help="a macro, as N=600 or DATA_TYPE=double")
    return parser.parse_args()


# ---- The two texts of a program ----


def own_headers(scratch):
    """Headers of CUDA's that are this project's on the host, or empty there."""
    for name in HEADERS:
        (scratch / name).write_text('#include "cuda_runtime.h"\n')
    for name in DEVICE_HEADERS:
        (scratch / name).parent.mkdir(exist_ok=True)
        (scratch / name).write_text("")


def preprocessed(source, defines, scratch):
    """The text with macros replaced, and the lines that say where each part comes from."""
    own_headers(scratch)
    include = [f"-I{scratch}", f"-I{HERE}", f"-I{source.parent}", "-isystem", str(HERE.parents[2] / "abi")]
    command = ["g++", "-E", "-x", "c++", "-std=gnu++17", "-w", *include, "-include", "cuda_runtime.h"]
    (scratch / "defines.h").write_text("".join("#define " + each.replace("=", " ", 1) + "\n" for each in defines))
    command += ["-include", "defines.h", str(source)]  # behind the headers, whose names they may be
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise ValueError("the preprocessor says: " + done.stderr[:300])
    return done.stdout


def declarations(text):
    """The declarations of the outermost level as pairs (file, text)."""
    found, begin, depth, file, k = [], 0, 0, "", 0
    token = re.compile(r'^# \d+ "([^"]*)".*$|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[{};]', re.M)
    opened_by = ""
    for match in token.finditer(text):
        k = match.end()
        word = match.group()
        if word.startswith("# "):
            if depth == 0 and not text[begin : match.start()].strip():
                begin = k
            if depth == 0:
                file = match.group(1)
        elif word == "{":
            if depth == 0:
                opened_by = text[begin : match.start()].strip()
            depth += 1
        elif word == "}":
            depth -= 1
            function = opened_by.endswith((")", "const", "noexcept")) or re.search(r"\)\s*->\s*[\w:<> ]+$", opened_by)
            if depth == 0 and (function or re.match(r'(extern\s+"C"|namespace\b)', opened_by)):
                found.append((file, text[begin:k].strip()))
                begin = k
        elif word == ";" and depth == 0:
            found.append((file, text[begin:k].strip()))
            begin = k
    return found


def head_of(declaration):
    return re.sub(r"^# \d+ \".*$", "", declaration.split("{", 1)[0], flags=re.M)


def is_function(declaration):
    head = head_of(declaration)
    return "{" in declaration and head.rstrip().endswith(")") and "=" not in re.sub(r"<[^<>]*>|\([^()]*\)", "", head)


def is_type_or_constant(declaration):
    """Whether it may be needed by kernels without saying that it is for the device."""
    if is_function(declaration) and "constexpr" not in head_of(declaration):
        return False
    return re.match(r"\s*(static\s+|inline\s+)*(typedef|struct|class|union|enum|using|template|const|constexpr)\b",
                    declaration) is not None


def names_in(text):
    return set(re.findall(r"[A-Za-z_]\w*", text))


def name_of_type(declaration):
    """The names that a type or constant declares, as far as a regular expression finds them."""
    if re.match(r"\s*typedef\b", declaration):
        return set(re.findall(r"(\w+)\s*(?:\[[^\]]*\]\s*)*[;,]", declaration[declaration.rfind("}") + 1 :])) | set(
            re.findall(r"\(\s*\*\s*(\w+)\s*\)", declaration))
    keyword = r"\b(?:struct|class|union|enum(?:\s+class)?|using)\s+(?:__align__\s*\(\w+\)\s*)?"
    tag = re.findall(keyword + r"(\w+)", declaration)
    body = declaration if re.match(r"\s*(static\s+)?(const|enum)", declaration) else ""
    return set(tag[:1]) | names_in(body)


def needed(kernels, candidates):
    """The candidates that the kernels, or what they need, name."""
    used, taken, again = names_in("\n".join(kernels)), set(), True
    while again:
        again = False
        for k, candidate in enumerate(candidates):
            if k not in taken and (name_of_type(candidate) & used):
                taken.add(k)
                used |= names_in(candidate)
                again = True
    return taken


def split_list(text):
    """The parts between commas that lie in no brackets."""
    parts, depth, part = [], 0, ""
    for sign in text:
        depth += (sign in "([{<") - (sign in ")]}>")
        if sign == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += sign
    return [each for each in parts + [part] if each.strip() not in ("", "void")]


def head_parts(head):
    """What is in front of a function's name, the name, and its parameters."""
    head = head.rstrip()
    depth, k = 0, len(head) - 1
    while k >= 0:
        depth += (head[k] == ")") - (head[k] == "(")
        if depth == 0:
            break
        k -= 1
    name = re.search(r"(\w+)\s*$", head[:k])
    return head[: name.start()], name.group(1), head[k + 1 : -1]


def stub(declaration):
    """A host's function in place of a kernel, which launches it."""
    front, name, listed = head_parts(head_of(declaration))
    parameters = split_list(listed)
    names = [re.search(r"(\w+)\s*(\[[^\]]*\]\s*)*(=.*)?$", each.strip(), re.S).group(1) for each in parameters]
    template = re.match(r"\s*(template\s*<(.*?)>)\s*(?=[\w_])", front, re.S)
    kernel = f'"{name}"'
    if template:
        given = []
        for each in split_list(template.group(2)):
            given_name = re.search(r"(\w+)\s*(=.*)?$", each.strip(), re.S).group(1)
            is_type = re.match(r"\s*(typename|class)\b", each)
            given.append(f"shim::text<{given_name}>()" if is_type else f"shim::text({given_name})")
        kernel = f'(std::string("{name}<") + ' + ' + ", " + '.join(given) + ' + ">").c_str()'
    values = "".join(f", {value}" for value in names)
    start = (template.group(1) + " ") if template else ""
    return f"{start}static void {name}({listed}) {{ shim::launch({kernel}{values}); }}"


def rewrite_launches(text):
    """Makes `k<T><<<grid, block>>>(...)` a call of a stub behind one that keeps the configuration."""
    while (at := text.find("<<<")) >= 0:
        begin = at
        while begin > 0 and text[begin - 1].isspace():
            begin -= 1
        if begin > 0 and text[begin - 1] == ">":
            depth = 0
            while begin > 0:
                begin -= 1
                depth += (text[begin] == ">") - (text[begin] == "<")
                if depth == 0:
                    break
        name = re.search(r"[\w:]+\s*$", text[:begin])
        end = text.find(">>>", at)
        if not name or end < 0:
            raise ValueError("a launch that is not understood")
        configured = f"shim::configure({text[at + 3 : end]}), {text[name.start() : at]}"
        text = text[: name.start()] + configured + text[end + 3 :]
    return text


def cut(source, options, scratch):
    """Returns the text of the kernels and that of the host."""
    device, host, order, candidates = {}, [], 0, {}
    for file, declaration in declarations(preprocessed(source, options.define, scratch)):
        order += 1
        declaration = re.sub(r"^# \d+ \".*$", "", declaration, flags=re.M)
        place = pathlib.Path(file).resolve() if file.startswith("/") else HERE
        own = place.is_relative_to(options.checkout) and not place.is_relative_to(scratch.resolve())
        head = head_of(declaration)
        is_device = own and DEVICE_WORD.search(head)
        if is_device:
            device[order] = declaration
        elif own and is_type_or_constant(declaration):
            candidates[order] = declaration
        if not is_device or "__host__" in head:
            host.append(rewrite_launches(declaration) if own else declaration)
        elif "__global__" in head:
            host.append(stub(declaration) if is_function(declaration) else "")
    numbers = list(candidates)
    for k in needed(list(device.values()), list(candidates.values())):
        device[numbers[k]] = candidates[numbers[k]]
    files = {source, *source.parent.glob("*.*h*")}
    texts = [file.read_text(errors="replace") for file in files if file.is_file()]
    wanted = [name for name in DEVICE_HEADERS if any(re.search(rf"#\s*include\s*[<\"]{name}", each) for each in texts)]
    include = "".join(f"#include <{name}>\n" for name in wanted)
    return include + "\n".join(device[k] for k in sorted(device)) + "\n", "\n".join(host) + "\n"


def rule_of(source, options):
    """The arguments of the program in its makefile's rule `run`, the last of which may be how often it repeats itself,
    and the other C++ sources that it is built of."""
    makefile = source.parent / "Makefile"
    text = makefile.read_text(errors="replace") if makefile.exists() else ""
    run_rule = re.search(r"^run:.*\n\t\s*(?:\$\(LAUNCHER\)\s*)?\./\S+[ \t]*(.*)$", text, re.M)
    words = run_rule.group(1).split() if run_rule else []
    if options.repeat and words and re.fullmatch(r"\d+", words[-1]) and int(words[-1]) > options.repeat:
        words[-1] = str(options.repeat)
    listed = re.search(r"^source\s*=((?:.*\\\n)*.*)$", text, re.M)
    others = [source.parent / each for each in re.findall(r"\S+\.c(?:pp|c)?\b", listed.group(1) if listed else "")]
    return words, [str(each) for each in others if each.exists()]


# ---- Running ----


def build(source, options, scratch):
    kernels, host = cut(source, options, scratch)
    if "__global__" not in kernels:
        raise ValueError("no kernel was found")
    (scratch / "kernels.cu").write_text(kernels)
    (scratch / "host.ii").write_text(host)
    lib = options.build.resolve() / "lib"
    command = ["g++", "-x", "c++", "-std=gnu++17", "-O2", "-w", "-fpermissive", "-o", str(scratch / "program")]
    command += [f"-D{word}=" for word in ("__host__", "__device__", "__forceinline__")] + [f"-I{HERE}", f"-I{scratch}"]
    command += ["-isystem", str(HERE.parents[2] / "abi"), f"-I{source.parent}", str(scratch / "host.ii")]
    command += rule_of(source, options)[1] + ["-x", "none", f"-L{lib}", f"-Wl,-rpath,{lib}", "-lgpuopt", "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=options.seconds)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line or "undefined" in line]
        raise ValueError("the host's text does not compile: " + " | ".join(errors[:2])[:400])


def differences(text, pattern):
    """How many elements differ, by what a program prints."""
    counts = [int(count) for count in re.findall(pattern, text)]
    if counts:
        return sum(counts)
    failed, passed = (len(re.findall(words, text, re.I)) for words in (FAILED, PASSED))
    if failed or passed:
        return failed
    raise LookupError("it does not say whether its results agree")


def run(source, options, scratch, **environment):
    variables = {**os.environ, "SHIM_KERNELS": str(scratch / "kernels.cu"), **environment}
    done = subprocess.run([str(scratch / "program"), *rule_of(source, options)[0]], cwd=source.parent, env=variables,
                          capture_output=True, text=True, timeout=options.seconds, errors="replace")
    if done.returncode == 90:
        raise ValueError("a kernel does not run: " + done.stderr[-600:])
    if done.returncode < 0:
        raise ValueError(f"it ended by signal {-done.returncode}")
    return differences(done.stdout + done.stderr, options.pattern)


def outcome(source, options):
    """One of agrees, differs, compares nothing, takes too long and fails, and what is to be said of it."""
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        try:
            build(source, options, scratch)
            differ = run(source, options, scratch)
            try:
                without = run(source, options, scratch, SHIM_LAUNCHES="none")
            except (ValueError, LookupError, subprocess.TimeoutExpired):
                without = 1  # it does not say that all is well
        except LookupError as problem:
            return "compares nothing", str(problem)
        except subprocess.TimeoutExpired:
            return "takes too long", f"more than {options.seconds:g} seconds"
        except (ValueError, AttributeError, subprocess.SubprocessError) as problem:
            return "fails", str(problem).replace("\n", " ")[:700]
    if without == 0:
        return "compares nothing", "its comparison passes if no kernel runs"
    return ("differs" if differ else "agrees"), f"{differ} differences; without its kernels {without}"


def main():
    options = arguments()
    options.checkout = options.checkout.resolve()
    sources = sorted(s for s in options.checkout.rglob("*.cu") if options.only in str(s))
    shard, shards = map(int, options.shard.split("/"))
    sources = sources[shard::shards]
    if not sources:
        sys.exit(f"there are no programs in {options.checkout}")
    totals = {}
    for source in sources:
        what, why = outcome(source, options)
        totals[what] = totals.get(what, 0) + 1
        print(f"{source.relative_to(options.checkout)}: {what}: {why}", flush=True)
    print(", ".join(f"{what}: {count}" for what, count in sorted(totals.items())))
    return 0 if set(totals) == {"agrees"} else 1


if __name__ == "__main__":
    sys.exit(main())
