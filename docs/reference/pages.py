#!/usr/bin/env python3
"""docs/reference/pages.py -- Doxygen's input filter for pages: what links to source files becomes plain words, for the manual has only
the pages and the headers."""
import re
import sys

text = open(sys.argv[1]).read()
pages = r"(?:docs/)?(?:\w[\w-]*)\.md(?:#[\w-]*)?"
text = re.sub(rf"\[([^]]+)\]\((?!https?:)(?!{pages}\))[^)]*\)", r"\1", text)
text = re.sub(r"\[([^]]+)\]\((?:ARCHITECTURE|CONTRIBUTING)\.md[^)]*\)", r"\1", text)
sys.stdout.write(text)
