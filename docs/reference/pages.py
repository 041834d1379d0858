#!/usr/bin/env python3
"""docs/reference/pages.py -- Doxygen's input filter for Markdown pages: makes their links work in the manual.

The pages are written for a viewer of source repositories, in which a heading "Kernels of your own" is reached as
guide.md#kernels-of-your-own. Doxygen numbers headings instead, so each heading gets the identifier
PAGE_kernels-of-your-own, and links to it are written as references. What links to other source files becomes plain
words, for the manual has only the pages and the headers.
"""
import re
import sys
from pathlib import Path

FENCE = re.compile(r"\s*```")
TOP = {"README.md", "CHANGELOG.md", "SECURITY.md"}
MANUAL = TOP | {path.name for path in Path("docs").glob("*.md")}


def slug(title):
    """The anchor that viewers of repositories give a heading."""
    return re.sub(r" ", "-", re.sub(r"[^\w\- ]", "", re.sub(r"`", "", title).strip().lower()))


def identifier(file, anchor):
    return f"{Path(file).stem.lower()}_{anchor}"


def link(match, page):
    """A Markdown link as Doxygen understands it, or its words alone."""
    words, target = match[1], match[2]
    if re.match(r"https?:", target):
        return match[0]
    file, _, anchor = target.partition("#")
    name = Path(file).name if file else page.name
    if name not in MANUAL or (file and not re.fullmatch(r"(\.\./|docs/)?[\w-]+\.md", file)):
        return words
    return (
        f"[{words}](@ref {identifier(name, anchor)})"
        if anchor
        else f"[{words}]({'' if name in TOP else 'docs/'}{name})"
    )


def converted(text, page):
    """The page, outside of its blocks of code. A link may span two lines, so text is taken by paragraphs."""
    in_code, seen, out, paragraph = False, {}, [], []

    def end_paragraph():
        out.append(re.sub(r"(?<!!)\[([^]]+)\]\(([^)\s]+)\)", lambda m: link(m, page), "\n".join(paragraph)))
        paragraph.clear()

    for line in text.split("\n"):
        if FENCE.match(line):
            in_code = not in_code
        heading = None if in_code else re.match(r"(##+ )(.+)$", line)
        if heading:
            anchor = slug(heading[2])
            seen[anchor] = seen.get(anchor, 0) + 1
            line += f" {{#{identifier(page, anchor + (f'-{seen[anchor] - 1}' if seen[anchor] > 1 else ''))}}}"
        if in_code or FENCE.match(line) or not line.strip():
            if paragraph:
                end_paragraph()
            out.append(line)
        else:
            paragraph.append(line)
    if paragraph:
        end_paragraph()
    return "\n".join(out)


page = Path(sys.argv[1])
sys.stdout.write(converted(page.read_text(), page))
