"""tests/kernels/programs/texts.py -- the two texts of a CUDA program: that of its kernels, as libgpuopt_jit compiles
it, and that of the host, as Clang compiles it without the bodies of the device's functions. Used by run.py.
"""
import functools
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
DEVICE_WORD = re.compile(r"\b(__global__|__device__|__constant__|__shared__|__managed__)\b")
REFERENCE = re.compile(r"(?:static\s+|extern\s+)?(?:texture|surface)\s*<")
HOST_WORD = re.compile(r"\bstd::(vector|string|ostream|[io]fstream|map|unique_ptr|shared_ptr|chrono|list|set|function|"
                       r"runtime_error|exception)\b|\b(?:\w+_clock|std::\w*_error)\b|\bstruct option\b|"
                       r"\bcuda(?:Malloc|Memcpy|Free|Stream|Event|Graph|Array|Error|Device)\w*|"
                       r"\b(?:getopt|exit|fopen|fprintf|atoi|rand|gettimeofday)\s*\(")
EXCEPTION = re.compile(r":\s*(?:public\s+)?std::\w*(?:error|exception)\b")
STREAM = re.compile(r"(?:friend\s+)?(?:inline\s+)?(?:std::)?ostream\s*&\s*operator\s*<<[^{;]*")
SIGN = re.compile(r'"(?:\\.|[^"\\\n])*"|operator\s*\W{1,3}(?=\s*\()|::|[=!<>+*/-]=|[()\[\]{};=:]|->')
TOKEN = re.compile(r'^#.*$|R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[(){}\[\];]', re.M)
LINE = re.compile(r'^# \d+ "([^"]*)".*\n?', re.M)
SYSTEM = ["-isystem", str(HERE), "-isystem", str(ROOT / "abi"), "-isystem", str(ROOT)]
VERSION = ["-D__CUDACC__", "-D__NVCC__", "-D__CUDACC_VER_MAJOR__=11", "-D__CUDACC_VER_MINOR__=8",
           "-DCUDART_VERSION=11080", "-DCUDA_VERSION=11080"]

# Macros of C's headers, which programs ask for by #ifndef; libgpuopt_jit has them, too.
MACROS = ("M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 INFINITY "
          "NAN FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_MIN DBL_EPSILON INT_MAX INT_MIN UINT_MAX LONG_MAX LONG_MIN "
          "ULONG_MAX LLONG_MAX LLONG_MIN ULLONG_MAX CHAR_BIT SHRT_MAX SHRT_MIN USHRT_MAX UCHAR_MAX NULL").split()


class NotThere(Exception):
    """A program needs what this machine or the shim does not have."""


class NoKernel(Exception):
    """A program has no kernel of its own."""


@functools.cache
def known_headers():
    """The headers that kernels may include."""
    text = (ROOT / "plugins/shared/words/known_headers.h").read_text()
    return set(re.findall(r'^GPO_KNOWN_(?:HEADER|PART)\("([^"]+)"\)', text, re.M))


@functools.cache
def is_inside(name, checkout):
    return pathlib.Path(name).resolve().is_relative_to(checkout)


def own_parts(text, checkout):
    """The text of the checkout's own files."""
    parts, end, own = [], 0, False
    for line in LINE.finditer(text):
        if own:
            parts.append(text[end : line.start()])
        own = line.group(1).startswith("/") and is_inside(line.group(1), checkout)
        end = line.end()
    return "".join(parts) + (text[end:] if own else "")


# ---- The kernels' text ----


def device_source(source, flags, checkout, scratch):
    """The program's own files as the device sees them, and the headers of others that they include."""
    stubs = scratch / "stubs"
    stubs.mkdir(exist_ok=True)
    command = ["g++", "-E", "-x", "c++", "-std=c++17", "-nostdinc", "-w", *(f"-D{name}={name}" for name in MACROS),
               "-D__CUDA_ARCH__=750", *VERSION, *flags, "-I" + str(stubs), str(source)]
    included = []
    for _ in range(200):
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if not done.returncode:
            return own_parts(done.stdout, checkout), [name for name in included if name in known_headers()]
        missing = re.search(r"fatal error: ([^\s:]+): No such file", done.stderr)
        if not missing:
            raise ValueError("the preprocessor says: " + done.stderr[:300])
        name = missing.group(1)
        included.append(name)
        (stubs / name).parent.mkdir(parents=True, exist_ok=True)
        (stubs / name).write_text("")
    raise ValueError("headers include each other for ever")


def declarations(text, spaces=()):
    """The declarations of the outermost level and in namespaces, as pairs (namespaces, text)."""
    found, begin, opened_by, at = [], 0, "", 0
    brackets = 0
    braces = 0
    for match in TOKEN.finditer(text):
        word = match.group()
        if word[0] in "\"'R":
            continue
        if word[0] == "#":
            if braces == 0 and brackets == 0 and not text[begin : match.start()].strip():
                begin = match.start() if "unroll" in word or "pack" in word else match.end()
        elif word in "([":
            brackets += 1
        elif word in ")]":
            brackets -= 1
        elif word == "{" and brackets == 0:
            if braces == 0:
                opened_by, at = text[begin : match.start()].strip(), match.end()
            braces += 1
        elif word == "}" and brackets == 0:
            braces -= 1
            if braces:
                continue
            space = re.match(r'(?:inline\s+)?namespace\b\s*([\w:]*)$|extern\s+"C"\s*$', opened_by)
            if space:
                inner = spaces + ((space.group(1),) if space.group(1) else ())
                found += declarations(text[at : match.start()], inner)
                begin = match.end()
            elif is_function(opened_by + "{"):
                found.append((spaces, text[begin : match.end()].strip()))
                begin = match.end()
        elif word == ";" and braces == 0 and brackets == 0:
            found.append((spaces, text[begin : match.end()].strip()))
            begin = match.end()
    return [each for each in found if each[1] not in ("", ";")]


def without_template(declaration):
    """The declaration behind its template<...>."""
    begin = re.match(r"(?:\s|^#.*$)*template\s*(?=<)", declaration, re.M)
    if not begin:
        return declaration.lstrip()
    depth, at = 0, begin.end()
    while at < len(declaration):
        depth += (declaration[at] in "<(") - (declaration[at] in ">)")
        at += 1
        if depth == 0:
            break
    return without_template(declaration[at:])


@functools.lru_cache(maxsize=None)
def head_of(declaration):
    """What is in front of a function's body, a type's members or a variable's value."""
    plain = without_template(declaration)
    if plain.startswith("requires"):
        plain = plain[8:]
    return plain.split("{", 1)[0]


def is_type(declaration):
    head = head_of(declaration)
    word = re.match(r"(?:static\s+|const\s+|constexpr\s+)*(struct|class|union|enum|typedef|using)\b", head)
    return bool(word) and not (re.sub(r"__align__\s*\(.*?\)|alignas\s*\(.*?\)|__attribute__\s*\(\(.*?\)\)+", "", head)
                               .rstrip().endswith((")", "const", "noexcept")) and "{" in declaration
                               and word.group(1) not in ("typedef", "using"))


def is_function(declaration):
    head = re.sub(r"<[^<>]*>|\([^()]*\)", "", head_of(declaration)).split("operator")[0]
    return "{" in declaration and "(" in head_of(declaration) and not is_type(declaration) and "=" not in head


def is_type_or_constant(declaration):
    """Whether it may be needed by kernels without saying that it is for the device."""
    head = head_of(declaration)
    if is_type(declaration):
        return True
    if is_function(declaration):
        return re.search(r"\bconstexpr\b", head) is not None
    return re.search(r"\b(const|constexpr)\b", re.sub(r"\(.*", "", head, flags=re.S)) is not None


@functools.lru_cache(maxsize=None)
def names_in(text):
    return frozenset(re.findall(r"[A-Za-z_]\w*", text))


def names_declared(declaration):
    """The names that a type, constant or constexpr function declares, as far as a regular expression finds them."""
    if re.match(r"\s*typedef\b", declaration):
        tail = re.sub(r"__attribute__\s*\(\(.*?\)\)+", "", declaration[declaration.rfind("}") + 1 :])
        return set(re.findall(r"(\w+)\s*(?:\[[^\]]*\]\s*)*[;,]", tail)) | set(
            re.findall(r"\(\s*\*\s*(\w+)\s*\)", declaration)) | set(
            re.findall(r"\b(?:struct|enum|union)\s+(\w+)\s*\{", declaration)[:1])
    keyword = (r"\b(?:struct|class|union|enum(?:\s+class)?|using)\s+"
               r"(?:(?:__align__|alignas|__attribute__)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*)*")
    plain = re.sub(r"template\s*<[^{;]*?>\s*(?=struct|class|union|using|constexpr|static|inline)", "", declaration)
    tag = re.findall(keyword + r"(\w+)", plain)
    is_enum = re.match(r"\s*(typedef\s+)?enum", declaration)
    body = names_in(declaration) if is_enum else set(re.findall(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=|\{|\()", plain))
    is_tag = re.match(keyword, plain.lstrip())
    return set(tag[:1]) | (set() if is_tag and not is_enum else set(body))


def may_be_given(name, candidates, listed):
    found = [listed[k][1] for k, names in candidates.items() if name in names]
    return bool(found) and not any(HOST_WORD.search(each) for each in found)  # one may be a case of another


def without_streams(declaration):
    """A type without functions that print it, which are the host's."""
    for match in reversed([*STREAM.finditer(declaration)]):
        end = match.end()
        end = end_of_braces(declaration, end) if declaration[end] == "{" else end + 1
        declaration = declaration[: match.start()] + declaration[end:]
    return declaration


def statics_of(listed):
    """The names of functions and variables of one file alone."""
    heads = [head_of(declaration) for _, declaration in listed]
    names = [re.search(r"(\w+)\s*(?:\(|\[|=|;|$)", head.split("static", 1)[1]) for head in heads
             if re.match(r"(?:\w+\s+)*static\b", head)]
    return {name.group(1) for name in names if name}


def with_own_names(listed, others, number):
    """Declarations of a file, where names that another file has for itself, too, get a number."""
    both = statics_of(listed) & others
    if not both:
        return listed
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, both)) + r")\b")
    return [(spaces, pattern.sub(rf"\1_of_{number}", declaration)) for spaces, declaration in listed]


def kernels_text(source, others, flags, checkout, scratch):
    """The kernels of a file with what they need of the program's own text, which may be in other files."""
    text, included = device_source(source, flags, checkout, scratch)
    listed = declarations(text)
    for number, other in enumerate(others):  # whose kernels are their own
        more = declarations(device_source(other, flags, checkout, scratch)[0])
        there = set(listed)
        more = [each for each in more if each not in there and "__global__" not in head_of(each[1])]
        listed += with_own_names(more, statics_of(listed), number)
    taken, candidates = set(), {}
    defined = {space for spaces, _ in listed for space in spaces}
    known = defined | {"std", "cooperative_groups", "nvcuda", "cub", "thrust", "cuda"}
    for k, (_, declaration) in enumerate(listed):
        head = head_of(declaration)
        using = re.match(r"using\s+namespace\s+([\w:]+)", declaration)
        alias = re.match(r"namespace\s+\w+\s*=\s*([\w:]+)", declaration)
        if using or alias:
            name = (using or alias).group(1)
            if name.split("::")[0] in known and not name.startswith("std::"):
                taken.add(k)
        elif declaration.startswith("using std::"):
            continue
        elif (DEVICE_WORD.search(head) or REFERENCE.match(declaration) or
              (is_type_or_constant(declaration) and DEVICE_WORD.search(declaration))):
            taken.add(k)
        elif is_type_or_constant(declaration):
            candidates[k] = names_declared(declaration)
    used, again = set().union(*(names_in(listed[k][1]) for k in taken)) if taken else set(), True
    for _, declaration in listed:  # types that launches name in the arguments of templates
        if is_function(declaration):
            given = names_in(" ".join(re.findall(r"\w\s*<([^<>;(){}]*)>", declaration)))
            given |= names_in(declaration) if "<<<" in declaration else frozenset()
            used |= {name for name in given if may_be_given(name, candidates, listed)}
    while again:
        again = False
        for k in [k for k, names in candidates.items() if names & used and not EXCEPTION.search(head_of(listed[k][1]))]:
            taken.add(k)
            used |= names_in(listed[k][1])
            del candidates[k]
            again = True
    out = ["".join(f"#include <{name}>\n" for name in included)]
    out += [f"namespace {space} {{}}" for spaces in dict.fromkeys(spaces for spaces, _ in listed)
            for space in ["::".join(spaces)] if space]
    for k in sorted(taken):
        spaces, declaration = listed[k]
        is_variable = re.match(r"(?:static\s+)?(?:__device__|__constant__|static|texture|surface)\b", declaration)
        if is_variable and not is_function(declaration):
            declaration = re.sub(r"\bstatic\b", "", declaration, count=1)  # the host may write to it
        declaration = without_streams(declaration)
        out.append("".join(f"namespace {space} {{ " for space in spaces) + declaration + " }" * len(spaces))
    return "\n".join(out) + "\n"


# ---- The host's text ----


def end_of_braces(text, at):
    """Behind the brace that closes the one at `at`."""
    depth = 0
    for match in TOKEN.finditer(text, at):
        depth += (match.group() == "{") - (match.group() == "}")
        if depth == 0:
            return match.end()
    raise ValueError("a brace is not closed")


def body_of(text, at):
    """Where the body of the function whose specifier ends at `at` begins, or None if it has none."""
    depth, seen, word = 0, False, None
    for word in SIGN.finditer(text[at:]):
        sign = word.group()
        if sign in "([":
            depth += 1
        elif sign in ")]":
            depth, seen = depth - 1, True
            if depth < 0:
                return None
        elif depth or sign[0] in '"o' or sign in ("::", "->"):
            continue
        elif sign == "{":
            return at + word.start() if seen else None
        elif sign == ":" and seen:
            return behind_initializers(text, at + word.end())
        elif sign in (";", "=", ":", "}"):
            return None
    return None


def behind_initializers(text, at):
    """Where the body of a constructor begins whose list of initializers begins at `at`."""
    name = re.compile(r"\s*[\w:]+\s*(?:<[^(){}]*>)?\s*(\.\.\.)?\s*")
    while True:
        begin = name.match(text, at)
        if not begin or text[begin.end()] not in "({":
            return None
        if text[begin.end()] == "{":
            at = end_of_braces(text, begin.end())
        else:
            depth, at = 0, begin.end()
            while True:
                depth += (text[at] == "(") - (text[at] == ")")
                at += 1
                if depth == 0:
                    break
        comma = re.compile(r"\s*,").match(text, at)
        if not comma:
            brace = re.compile(r"\s*\{").match(text, at)
            return brace.end() - 1 if brace else None
        at = comma.end()


def without_bodies(text):
    """The text with functions that only the device runs declared, and kernels empty."""
    out, end = [], 0
    specifier = re.compile(r"\b(__global__|__device__)\b")
    at = 0
    while match := specifier.search(text, at):
        at = match.end()
        begin = max(text.rfind(sign, 0, match.start()) for sign in ";{}")
        if text[: match.start()].rstrip().endswith("]") and not text[: match.start()].rstrip().endswith("]]"):
            continue  # a lambda
        body = body_of(text, match.start())
        if body is None:
            continue
        head = text[begin + 1 : body]
        if re.search(r"\b(__host__|constexpr)\b", head) and "__global__" not in head:
            at = body
            continue
        first = body
        colon = re.search(r"\)\s*(?:noexcept\s*)?:(?!:)", text[match.start() : body])
        if colon and "__global__" not in head:
            first = match.start() + colon.end() - 1
        if re.search(r"[\w>]::~?\w+\s*\(", head):  # a member's definition, which cannot be a declaration
            out.append(text[end : begin + 1] + "\n" + "".join(re.findall(r"^#.*\n", head, re.M)))
        else:
            out += [text[end:first], "{}" if "__global__" in head else ";"]
        end = at = end_of_braces(text, body)
    return "".join(out) + text[end:]


def host_text(source, flags, checkout, scratch):
    asked_for = [f"-D__{word}__=__{word}__" for word in ("host", "device", "global")]  # Clang's headers look for them
    command = ["clang++", "-E", "-w", *CLANG, *asked_for, *VERSION, *flags, *SYSTEM, "-include", "cuda_runtime.h",
               str(source)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        missing = re.search(r"'([^']+)' file not found", done.stderr)
        if missing:
            raise NotThere("the header " + missing.group(1))
        raise ValueError("the preprocessor says: " + done.stderr[:300])
    foreign = re.search(r'^# \d+ "/usr/local/include/([^"]*)"', done.stdout, re.M)
    if foreign:
        raise NotThere("the header " + foreign.group(1))  # of a CUDA that is installed there
    parts, own = [], False
    for line in done.stdout.splitlines(keepends=True):
        mark = LINE.match(line)
        if mark:
            own = mark.group(1).startswith("/") and is_inside(mark.group(1), checkout)
        if not parts or parts[-1][0] != own:
            parts.append((own, [f'# 1 "{mark.group(1) if own else ""}"\n'] if own else []))
        if not (own and mark):
            parts[-1][1].append(line)
    text = ""
    for is_own, lines in parts:
        piece = "".join(lines)
        if is_own:
            piece = re.sub(r"\b(__noinline__|__forceinline__)\b", "", without_bodies(piece))
            piece = re.sub(r"<<\s+<(?![<=])", "<<<", re.sub(r">>\s+>(?![>=])", ">>>", piece))  # as nvcc takes it
        text += piece
    return text


CLANG = ["-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-std=gnu++17", "-Xclang",
         "-target-sdk-version=9.0", "-Wno-reserved-user-defined-literal"]
