#!/usr/bin/env python3
"""docs/reference/comments.py -- Doxygen's input filter for headers: makes their plain comments documentation.

A comment on lines of its own documents the declaration below it, one behind a member that member, the first one the
file; a heading between sections names a group. A C++ function without a comment that only calls another one is
described as that: the C function it calls is documented in gpuopt.h. Line numbers stay.
"""
import re
import sys


def documentation(text):
    text = re.sub(r"(?<!include )<(?=(?:name|directory|type)\b)", r"\\<", text)  # placeholders, not HTML
    # @file stands on a line of its own, and what follows it is still the comment.
    return re.sub(r"(/\*\*|///) \S+ -- ",
                  lambda opening: opening[1] + " @file\n" + ("/// " if opening[1] == "///" else ""), text, count=1)


def headings(lines, in_c):
    """Member groups of the sections of a C header."""
    opened = False
    for line in lines:
        heading = re.match(r"(?:/\*|//) -{4} (.+?) -{4,}", line)
        if heading and in_c:
            yield ("/** @} */ " if opened else "") + f"/** @name {heading[1]} */ /** @{{ */"
            opened = True
        elif heading:
            yield ""
        elif opened and line.startswith("#ifdef __cplusplus"):
            opened = False
            yield "/** @} */\n" + line
        else:
            yield line
    if opened:
        yield "/** @} */"


def comments(lines):
    in_block = False
    for line in lines:
        if in_block or re.match(r"\s*/\*(?!\*)", line):
            in_block = "*/" not in line
            yield re.sub(r"/\*(?!\*)", "/**", line, count=1)
        elif re.match(r"\s*//(?!/)", line):
            yield line.replace("//", "///", 1)
        else:
            line = re.sub(r"([;,{)]\s*)/\*(?!\*)\s", r"\1/**< ", line)
            yield re.sub(r"([;,{]\s*)//(?!/)\s", r"\1///< ", line)


def called(body):
    """What a C++ function is, said by the one function that it calls; None if it does more, or something else."""
    text = re.sub(r"std::move\(([^()]*)\)", r"\1", " ".join(body))
    update = re.search(r"\bupdate\(GPUOPT_OP_(\w+), y\)", text)
    if update:
        return f"x = {update[1]}(x, y), in place: writes the elements of x. See gpuopt_{update[1]}_into()."
    into = re.search(r"detail::apply_into\(GPUOPT_OP_(\w+), out,", text)
    if into:
        return f"The same, written to the elements of `out`. See gpuopt_{into[1]}_into()."
    callers = r"(?:call|make<\w+>|make_two<\w+>|from_one|create|product|query<\w+>|choose)"
    c_function = re.search(callers + r"\((gpuopt_\w+)", text) or re.search(
        r"\b(gpuopt_\w+)\((?:get|valid)\(\)", text
    )
    if c_function:
        return f"The C++ form of {c_function[1]}()."
    function = re.search(r"\bgpuopt::(\w+)\(\*this", text)
    if function:
        return f"As a function: gpuopt::{function[1]}()."
    same = re.search(r"\{ return ([a-z]\w+\([^()]*\)); \}", text)
    return f"The same as {same[1]}." if same else None


def described(lines):
    """Gives C++ functions that have no comment what `called` says of them, at the beginning of their first line."""
    lines = list(lines)
    for number, line in enumerate(lines):
        start = re.match(
            r"( {0,2})(?=[\w~])(?!return|if|for|namespace|using|class|struct|enum|public|private|friend|typedef)"
            r"[^=;]*[\w<>=!+*/%&|^~-]\(",
            line,
        )
        if not start or not re.search(r"[\w>&*] ", line) and "(" not in line:
            continue
        first = number - 1 if number and re.match(rf"{start[1]}template <", lines[number - 1]) else number
        if (first and re.match(r"\s*//", lines[first - 1])) or re.search(r"\}?\s*//", line):
            continue
        end = number
        while (
            end + 1 < len(lines)
            and not re.search(r"\}$|;$", lines[end] if end == number else "")
            and not re.match(rf"{start[1]}\}}", lines[end])
        ):
            end += 1
        text = called(lines[number : end + 1])
        if text:
            lines[first] = f"/** {text} */ {lines[first]}"
    return lines


def without_temporaries(lines):
    """A class without the overloads for temporaries, which give the same as those for variables. In a macro that makes
    both, the latter is the last line."""
    lines = list(lines)
    for number, line in enumerate(lines):
        if "operator=(" in line or not re.match(r"  (?!friend|return|if|for).*(?:\)|signature) && ?[{;]", line):
            continue
        if number and lines[number - 1].endswith("\\"):
            lines[number - 1] = lines[number - 1].rstrip("\\").rstrip()
        elif number and re.match(r"  template <", lines[number - 1]):
            lines[number - 1] = ""
        end = number if re.search(r"[;}]$", line) else lines.index("  }", number)
        lines[number : end + 1] = [""] * (end + 1 - number)
    return lines


def without_guard(lines):
    """A part of gpuopt.h as it is where gpuopt.h includes it: Doxygen reads it by itself, too, and would see the
    include alone."""
    if "#ifndef GPUOPT_H" in lines and '#include "gpuopt.h"' in lines:
        first = lines.index("#ifndef GPUOPT_H")
        last = max(number for number, line in enumerate(lines) if line == "#endif")
        for number in [*range(first, first + 4), last]:
            lines[number] = ""
    return lines


path = sys.argv[1]
lines = without_temporaries(without_guard(open(path).read().split("\n")))
sys.stdout.write(documentation("\n".join(comments(described(headings(lines, path.endswith(".h")))
                                                  if path.endswith(".hpp") else headings(lines, True)))))
