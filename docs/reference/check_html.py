#!/usr/bin/env python3
"""docs/reference/check_html.py -- is the generated manual whole? Looks at the HTML, as a reader meets it.

usage: check_html.py ROOT HTML_DIRECTORY

1. Every link and every reference to a part of a page, within the manual, leads to something that is there.
2. Every public function and class of the C++ face, as the headers declare them, is on the page of its class or
   namespace, and has a description.
3. No block of code begins in the middle of a sentence: the text before it ends as a sentence or an introduction does.
4. No text of a comment stands among the declarations.
"""
import functools
import os
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

NAMESPACE = "gpuopt_1_1v1"
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Page(HTMLParser):
    """One page: what it refers to, the places it has, and its documented members."""

    def __init__(self, text):
        super().__init__()
        self.identifiers, self.references = set(), []
        self.members, self.code_after = [], []
        self.open, self.text = [], ""
        self.name = self.description = None
        self.prototype = ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        self.identifiers.update(value for key in ("id", "name") if (value := a.get(key)))
        self.references += [(self.getpos()[0], value) for key in ("href", "src") if (value := a.get(key))]
        kinds = (a.get("class") or "").split()
        if tag not in VOID:
            self.open.append((tag, kinds))
        if "fragment" in kinds and tag in ("div", "pre"):
            self.code_after.append((self.getpos()[0], self.text.strip()[-60:]))
        if tag in ("div", "p", "td", "dd", "h1", "h2", "h3", "table", "ul", "dl"):
            self.text = self.text if "fragment" in kinds else ""
        if "memitem" in kinds:
            self.name, self.description, self.prototype = "", None, ""
        if "memdoc" in kinds:
            self.description = ""

    def handle_endtag(self, tag):
        while self.open:
            closed, kinds = self.open.pop()
            if "memdoc" in kinds:
                self.members.append((self.name, self.prototype, (self.description or "").strip()))
                self.name = self.description = None
            if closed in ("div", "td", "table", "h1", "h2", "h3", "ul", "dl"):
                self.text = ""
            if closed == tag:
                break

    def handle_data(self, data):
        self.text += data
        if self.description is not None:
            self.description += data
            return
        self.prototype += data
        if self.name is not None and any(tag == "td" and "memname" in kinds for tag, kinds in self.open):
            self.name += data


@functools.lru_cache(maxsize=None)
def linked_file(folder, reference):
    """The file that a page in a folder means by a path, and whether it is there."""
    target = Path(os.path.normpath(os.path.join(folder, unquote(reference))))
    if target.is_dir():
        target = target / "index.html"
    return target, target.exists()


def broken_references(pages):
    """Links within the manual that lead nowhere."""
    for path, page in sorted(pages.items()):
        folder = str(path.parent)
        for line, reference in page.references:
            url = urlsplit(reference)
            if url.scheme or url.netloc:
                continue
            target, exists = linked_file(folder, url.path) if url.path else (path, True)
            places = {url.fragment, unquote(url.fragment)}  # browsers look for either
            # rustdoc links to the methods of hidden traits, and numbers the lines of sources by script.
            if url.fragment.startswith("tymethod."):
                continue
            lines = path.parts[-1].endswith(".rs.html") or target.name.endswith(".rs.html")
            if target not in pages if target.suffix == ".html" else not exists:
                yield f"{path.name}:{line}: {reference} leads to a file that is not there"
            elif url.fragment and not lines and target in pages and not places & pages[target].identifiers:
                yield f"{path.name}:{line}: {reference} leads to no place of that page"


def public_declarations(header):
    """The classes and the functions that a C++ header declares outside of namespace detail, by name."""
    text = re.sub(r"^namespace detail \{$.*?^\}  // namespace detail$", "", header.read_text(), flags=re.M | re.S)
    classes = re.findall(r"^(?:class|struct) (\w+)(?: final)?(?: : [^;{]*)? \{", text, re.M)
    functions = re.findall(r"^(?:inline |template .*\n(?:inline )?)[\w:<>,&* ]*?[ &*](operator[^\s\w(]+|\w+)\(", text,
                           re.M)
    return set(classes), set(functions) - set(classes)


def without_description(members):
    """Functions without a word; what the compiler makes of `= default` and `= delete` needs none."""
    for name, prototype, description in members:
        words = " ".join(prototype.split())
        if "(" in words and not description and not re.search(r"\b(default|delete)(noexcept)?$|\bdelete\b", words):
            yield f"{words} has no description"


def undocumented(root, html, pages):
    """What the headers declare and the manual does not describe."""
    face = [root / "abi/gpuopt/gpuopt_ops.hpp", *sorted((root / "abi/gpuopt/hpp").glob("*.hpp"))]
    classes, functions = set(), set()
    for header in face:
        of_header = public_declarations(header)
        classes |= of_header[0]
        functions |= of_header[1]
    if len(classes) < 20 or len(functions) < 150:
        yield f"only {len(classes)} classes and {len(functions)} functions were found in the headers"
    on_namespace = []  # of the namespace and of those in it, such as fft
    for path, page in pages.items():
        if re.fullmatch(rf"namespace{NAMESPACE}(_1_1\w+)?\.html", path.name) and "detail" not in path.name:
            on_namespace += page.members
    named = {re.sub(r".*::", "", name.strip()).replace(" ", "") for name, _, _ in on_namespace}
    for function in sorted(functions - named):
        yield f"the namespace's pages do not have the function {function}"
    yield from without_description(on_namespace)
    for name in sorted(classes):
        mangled = name.replace("_", "__")
        pattern = re.compile(rf"(class|struct){NAMESPACE}_1_1(\w+_1_1)?{mangled}\.html")  # also of a namespace in it
        page = next((page for path, page in pages.items() if pattern.fullmatch(path.name)), None)
        if page is None:
            yield f"the class {name} has no page"
            continue
        yield from without_description(page.members)


def broken_code(pages):
    """Blocks of code that stand where a sentence has not ended."""
    for path, page in sorted(pages.items()):
        for line, before in page.code_after:
            if before and not re.search(r"[.:;!?)}\"]$", before):
                yield f"{path.name}:{line}: a block of code begins after '{before}'"


def stray_text(pages):
    """Words of comments that Doxygen took for declarations."""
    for path, page in sorted(pages.items()):
        for name, _, _ in page.members:
            if re.search(r"\b(the|and|are|how|which|of)\b", name) and not name.startswith("#define"):
                yield f"{path.name}: a comment is taken for a declaration: {' '.join(name.split())}"


def all_failures(root, html, pages):
    """What is wrong with the pages, which are Pages by absolute path, of the manual in the directory `html`."""
    doxygen = {path: page for path, page in pages.items() if path.parent == html}
    return [*broken_references(pages), *undocumented(root, html, pages), *broken_code(doxygen), *stray_text(doxygen)]


def main():
    root, html = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    pages = {path: Page(path.read_text()) for path in sorted(html.rglob("*.html"))}
    failures = all_failures(root, html, pages)
    for failure in failures:
        print("FAILED:", failure)
    print(f"{len(pages)} pages, {sum(len(page.references) for page in pages.values())} references, "
          f"{sum(len(page.members) for page in pages.values())} documented members: {len(failures)} failures")
    return 1 if failures or len(pages) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
