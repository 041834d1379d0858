#!/usr/bin/env python3
"""tests/abi/check_owners.py -- a header owns its .cpp.

usage: check_owners.py [ROOT]. Whoever finds save() declared in file.h shall find its definition beside it. The rules:

- A .cpp belongs to the header in its folder whose name is its own, or the longest beginning of its own that ends
  before a "_": fork_posix.cpp and fork_windows.cpp belong to fork.h; zip_read.cpp to zip.h, as long as there is no
  zip_read.h, and then to that alone.
- What a header declares, functions and functions of its classes, is defined in the header itself or in a .cpp that
  belongs to it.
- To a header that has no such .cpp belongs the one .cpp of its folder that defines all of it, if there is one and it
  has no header.
- What one .cpp defines and another calls is declared in a header; a .cpp does not declare it by itself.
- Functions of C linkage are how libraries meet: they are declared where both sides see them, and defined in one.
- A class that other files could see (of no anonymous namespace) has its name for itself within a library, which is a
  plugin's folder with plugins/shared, or the core: the one-definition rule, which a linker that optimizes holds us to.

Declarations and definitions are found by their form, in the text without comments and preprocessor lines, and go
together if they have the same qualified name and as many parameters. What macros declare (a plugin's slots, from their
table) is not seen. Texts for devices are headers without a .cpp, so that nothing of theirs is defined elsewhere.
"""
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path, PurePosixPath

SEARCHED = ("core/", "plugins/", "tools/")
# Comments, literals of strings and characters (no digit stands before them), preprocessor lines.
STRIPPED = re.compile(r"""//[^\n]* | /\*.*?\*/
                      | R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)" | "(?:\\.|[^"\\\n])*"
                      | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'
                      | ^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*""", re.X | re.S | re.M)
ATTRIBUTE = re.compile(r"\[\[.*?\]\]|\b(?:__attribute__|alignas|noexcept)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
CLASS = re.compile(r"(?:class|struct|union)\b\s*([\w:]*)(?:<.*>)?\s*(?:final\b\s*)?(?::[^:].*)?$", re.S)
OPERATOR = r"operator\s*(?:\(\)|\[\]|[^\s\w(]+|[\w:]+[\s*&]*)"
NAME = re.compile(rf"((?:[A-Za-z_]\w*(?:<[^()]*>)?\s*::\s*)*(?:~?[A-Za-z_]\w*|{OPERATOR}))\s*\(")
LIST = re.compile(r"\s*(?:const\b|noexcept\b|override\b|final\b|&|\s)*:(?!:)")  # a constructor's
NO_FUNCTION = re.compile(r"^\s*(?:using|typedef|static_assert|friend|return|if|for|while|switch|extern\s+template)\b")
NOT_NAMES = {"decltype", "sizeof", "defined", "if", "for", "while", "switch", "return"}


def without_comments(text):
    def blank(match):
        return '""' if match[0][0] in "\"'R" else " "
    return STRIPPED.sub(blank, text)


def closing(text, at):
    """The place behind the bracket that closes the one at `at`."""
    pairs, depth = {"(": ")", "{": "}", "[": "]"}, 0
    opened, closed = text[at], pairs[text[at]]
    for match in re.compile(r"[%s%s]" % tuple(map(re.escape, (opened, closed)))).finditer(text, at):
        depth += 1 if match[0] == opened else -1
        if depth == 0:
            return match.end()
    return len(text)


def without_templates(head):
    """The head without `template <...>` before it."""
    while match := re.match(r"\s*template\s*<", head):
        at, depth = match.end(), 1
        while at < len(head) and depth:
            depth += {"<": 1, ">": -1}.get(head[at], 0)
            at += 1
        head = head[at:]
    return head


def parameter_count(text):
    parts, depth = [""], 0
    for c in text:
        depth += {"<": 1, "(": 1, "{": 1, "[": 1, ">": -1, ")": -1, "}": -1, "]": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return 0 if parts[0].strip() in ("", "void") and len(parts) == 1 else len(parts)


def function_of(head):
    """If the head declares a function: its name, the number of parameters, what stands before it and behind it, and
    whether it is a name alone, as a constructor in its class or a macro."""
    head = ATTRIBUTE.sub(" ", without_templates(head))
    if NO_FUNCTION.match(head) or not (match := NAME.search(head)) or re.match(r"\s*[*&]", head[match.end():]):
        return None
    before = head[:match.start()]
    name = re.sub(r"\s+|<[^()]*>(?=\s*::)", "", match[1])
    if "=" in before or "(" in before or name in NOT_NAMES:
        return None
    is_bare = not before.strip() and not re.search(r"(?:^|::)(\w+)::\1$|~|operator", name)
    end = closing(head, match.end() - 1)
    return name, parameter_count(head[match.end():end - 1]), before, head[end:], is_bare


class Functions:
    """The functions of C++ linkage that a file declares and defines: {(qualified name, number of parameters)}."""

    def __init__(self, text):
        self.declared, self.defined, self.classes = set(), set(), set()
        text = without_comments(text)
        self.used = re.findall(r"\busing\s+namespace\s+([\w:]+)\s*;", text)
        self.scan(text, 0, ())

    def add(self, found, where, scope, in_class):
        name, count, before, _, is_bare = found
        if None in scope or 'extern ""' in before or re.search(r"\bstatic\b", before) and not in_class:
            return  # known in this file alone, or to other languages
        if is_bare and not (in_class and scope[-1] == name):
            return  # a macro
        where.add(("::".join((*scope, name)).removeprefix("::"), count))

    def scan(self, text, at, scope, in_class=False):
        """Reads what stands in one pair of braces and returns the place behind it."""
        head = ""
        token = re.compile(r"[;{}()]")
        while match := token.search(text, at):
            head += text[at:match.start()]
            at = match.end()
            if match[0] == "(":
                end = closing(text, at - 1)
                head, at = head + text[at - 1:end], end
            elif match[0] == ";":
                ending = re.search(r"=\s*(delete|default)\s*$", head)
                if not (ending and in_class) and (found := function_of(head)):
                    self.add(found, self.defined if ending else self.declared, scope, in_class)
                head = ""
            elif match[0] == "}":
                return at
            elif match[0] == "{":
                head = re.sub(r"\b(public|private|protected)\s*:(?!:)", "", head)
                end = self.braces(text, at, head, scope, in_class)
                if end < 0:  # an initializer: the head goes on
                    head, at = head + "{}", -end
                else:
                    head, at = "", end
        return len(text)

    def add_class(self, head, scope):
        """Notes the class that the head defines; specializations share a template's name."""
        match = re.search(r"\b(?:class|struct|union)\s+([\w:]+)\s*(<)?", head)
        if match and not match[2] and None not in scope:
            self.classes.add("::".join((*scope, match[1])).removeprefix("::"))

    def braces(self, text, at, head, scope, in_class):
        head = without_templates(head).strip()
        if match := re.match(r"(?:inline\s+)?namespace\b\s*([\w:]*)$", head):
            return self.scan(text, at, (*scope, match[1] or None))
        if re.match(r'extern\s*""$', head):
            return self.scan(text, at, (*scope, None))
        if match := CLASS.match(ATTRIBUTE.sub(" ", head)):
            self.add_class(ATTRIBUTE.sub(" ", head), scope)
            return -self.scan(text, at, (*scope, match[1] or None), True)
        found = function_of(head)
        if not found or re.match(r"enum\b", head):
            return -closing(text, at - 1)
        behind = found[3]
        if LIST.match(behind) and re.search(r"[\w>]\s*$", head):
            return -closing(text, at - 1)  # initializes a member
        if re.search(r"=\s*$|,\s*$", behind):
            return -closing(text, at - 1)
        self.add(found, self.defined, scope, in_class)
        return closing(text, at - 1)


def owner_of(path, headers):
    """The header that the .cpp belongs to, or None."""
    folder, stem = PurePosixPath(path).parent, PurePosixPath(path).stem
    while True:
        if (header := f"{folder}/{stem}.h") in headers:
            return header
        if "_" not in stem:
            return None
        stem = stem.rpartition("_")[0]


def within(function, namespaces, declared):
    """The function, with the namespace before its name that the file uses, if it is declared there."""
    name, count = function
    return next((f for f in ((f"{n}::{name}", count) for n in namespaces) if f in declared), function)


def library_of(path):
    """The folder whose files are linked together; texts for devices and those of one system among several are apart."""
    parts = PurePosixPath(path).parts
    return parts[0] if parts[0] != "plugins" else "/".join(parts[:2])


def names_of_two(files):
    """Findings: classes of the same name in two files of a library."""
    defined = defaultdict(list)
    for path in sorted(files):
        for name in files[path].classes:
            defined[name].append(path)
    for name, paths in sorted(defined.items()):
        for i, first in enumerate(paths):
            for second in paths[i + 1:]:
                libraries = {library_of(first), library_of(second)}
                if len(libraries) == 1 or "plugins/shared" in libraries and "core" not in libraries:
                    yield f"{first} and {second} both define the class {name}: give one another name"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *SEARCHED], cwd=root, capture_output=True,
                            text=True, check=True)
    files = {f: Functions((root / f).read_text()) for f in sorted(listed.stdout.splitlines())
             if f.endswith((".h", ".cpp")) and (root / f).is_file()}
    headers = {f for f in files if f.endswith(".h")}
    sources = [f for f in files if f.endswith(".cpp")]
    owners = {f: owner_of(f, headers) for f in sources}
    declared = defaultdict(set)
    for header in headers:
        for function in files[header].declared:
            declared[function].add(header)
    defined_in = defaultdict(set)
    for source in sources:
        files[source].defined = {within(function, files[source].used, declared) for function in files[source].defined}
        for function in files[source].defined:
            defined_in[function].add(source)
            for header in declared[function]:
                defined_in[header].add(source)
    for header in headers - {*owners.values()}:
        if len(defined_in[header]) != 1:
            continue
        only = next(iter(defined_in[header]))
        if owners[only] is None and PurePosixPath(only).parent == PurePosixPath(header).parent:
            owners[only] = header
    wrong = []
    checked = 0
    for source in sources:
        for name, count in sorted(files[source].defined):
            at = declared[name, count]
            checked += bool(at)
            if at and owners[source] not in at:
                wrong.append(f"{source} defines {name}(), which {' and '.join(sorted(at))} declares")
        for name, count in sorted(files[source].declared):
            for other in sorted(defined_in[name, count] - {source}):
                wrong.append(f"{source} declares {name}(), which {other} defines: declare it in a header")
    wrong += names_of_two(files)
    for line in wrong:
        print(line)
    print(f"{len(headers)} headers, {checked} functions of theirs in a .cpp, {len(wrong)} findings")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
