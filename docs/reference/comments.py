#!/usr/bin/env python3
"""docs/reference/comments.py -- Doxygen's input filter for headers: makes their plain comments documentation.

A comment on lines of its own documents the declaration below it, one behind a member that member, the first one the file; a heading
between sections names a group. Line numbers stay.
"""
import re
import sys


def documentation(text):
    text = re.sub(r"(?<!include )<(?=(?:name|directory|type)\b)", r"\\<", text)  # placeholders, not HTML
    return re.sub(r"(/\*\*|///) \S+ -- ", r"\1 @file\n", text, count=1)


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


path = sys.argv[1]
lines = open(path).read().split("\n")
sys.stdout.write(documentation("\n".join(comments(headings(lines, path.endswith(".h"))))))
