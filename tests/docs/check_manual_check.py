#!/usr/bin/env python3
"""tests/docs/check_manual_check.py -- does the check of the manual see a broken manual? Breaks a copy in each of the
ways it looks for.

usage: check_manual_check.py ROOT HTML_DIRECTORY
"""
import re
import sys
from pathlib import Path

KERNEL = "classgpuopt_1_1v1_1_1elementwise__kernel.html"


def without_description(text):
    """The description of the first function is gone."""
    return re.sub(r'<div class="memdoc">.*?</div>', '<div class="memdoc"></div>', text, count=1, flags=re.S)


def code_in_a_sentence(text):
    """A block of code after a word, as where an indented line of prose is taken for code."""
    return text.replace("</p>", ' which is</p><div class="fragment">code</div>', 1)


def comment_as_declaration(text):
    """A line of a comment that is outside of it."""
    return text.replace('<td class="memname">', '<td class="memname">part of gpuopt the ', 1)


# What is broken, the page, and how; None: the page is not there.
BREAKS = {
    "has no page": (KERNEL, None),
    "has no description": (KERNEL, without_description),
    "leads to no place": ("md_docs_guide.html", lambda text: text.replace('id="guide_memory"', "")),
    "leads to a file": ("md_docs_guide.html", None),
    "a block of code begins after": (KERNEL, code_in_a_sentence),
    "a comment is taken for a declaration": (KERNEL, comment_as_declaration),
}


def main():
    root, html = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    sys.path.insert(0, str(root / "docs/reference"))
    import check_html

    texts = {path: path.read_text() for path in sorted(html.rglob("*.html"))}
    pages = {path: check_html.Page(text) for path, text in texts.items()}
    failures = [f"the manual is broken before: {failure}" for failure in check_html.all_failures(root, html, pages)]
    for expected, (page, change) in BREAKS.items():
        path, broken = html / page, dict(pages)
        if change is None:
            del broken[path]
        elif change(texts[path]) == texts[path]:
            failures.append(f"{page} could not be broken: {expected}")
        else:
            broken[path] = check_html.Page(change(texts[path]))
        if not any(expected in failure for failure in check_html.all_failures(root, html, broken)):
            failures.append(f"not seen: {page}: {expected}")
    for failure in failures:
        print("FAILED:", failure)
    print(f"{len(BREAKS)} broken manuals, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
