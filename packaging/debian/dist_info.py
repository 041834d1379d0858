#!/usr/bin/env python3
"""packaging/debian/dist_info.py -- what python3-gpuopt says of itself to Python: its version, and where Dask finds it.

usage: dist_info.py PROJECT OUTPUT. PROJECT is a folder with pyproject.toml; below OUTPUT a folder
NAME-VERSION.dist-info is written, as the Core Metadata Specifications and the Entry Points Specification of the Python
Packaging User Guide have it. There is no RECORD, so that pip knows that the package is not its to remove.
"""
import sys
import tomllib
from pathlib import Path


def metadata(project, readme):
    lines = ["Metadata-Version: 2.1"]
    single = {"Name": "name", "Version": "version", "Summary": "description", "Requires-Python": "requires-python"}
    lines += [f"{field}: {project[key]}" for field, key in single.items()]
    lines += [f"License: {project['license']['text']}"]
    lines += [f"Classifier: {classifier}" for classifier in project["classifiers"]]
    lines += [f"Requires-Dist: {needed}" for needed in project["dependencies"]]
    for extra, packages in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}"]
        lines += [f'Requires-Dist: {needed}; extra == "{extra}"' for needed in packages]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme])


def entry_points(project):
    groups = []
    for group, entries in project["entry-points"].items():
        groups.append("\n".join([f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())]))
    return "\n\n".join(groups) + "\n"


def main():
    folder, output = map(Path, sys.argv[1:])
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    info = output / f"{project['name']}-{project['version']}.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text(metadata(project, (folder / project["readme"]).read_text()))
    (info / "entry_points.txt").write_text(entry_points(project))
    (info / "INSTALLER").write_text("dpkg\n")


if __name__ == "__main__":
    main()
