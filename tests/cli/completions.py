# tests/cli/completions.py -- completion of commands: what the files for bash, zsh and fish say, and what the shells
# make of it.
import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(os.environ["GPUOPT_SOURCE_DIR"])
# an option in the file of each shell
FORMS = {"{}.bash": r"--{}(?![a-z-])", "_{}": r"['\"]--{}\[", "{}.fish": r" -l {} "}


def files(command):
    """The completions of a command, and how each writes an option."""
    return {ROOT / "packaging/completions" / name.format(command): form for name, form in FORMS.items()}


def lacks(command, options, words=()):
    """What the files do not have: options, words, and every dtype."""
    words = [*words, *re.findall(r"^GPUOPT_DTYPE\(\w+, (\w+),", (ROOT / "abi/gpuopt/dtypes.def").read_text(), re.M)]
    for file, form in files(command).items():
        text = file.read_text()
        yield from (f"{file.name} lacks {option}" for option in options if not re.search(form.format(option[2:]), text))
        yield from (f"{file.name} lacks {word}" for word in words if not re.search(rf"\b{word}\b", text))


def run(*command, where=None):
    done = subprocess.run(command, capture_output=True, text=True, cwd=where)
    assert (done.returncode, done.stderr) == (0, ""), (command, done)
    return done.stdout


def bash(command, *words, where=None):
    """What bash offers for the last of these words, by the function that is registered for the command."""
    script = """source "$1"; shift; named=$(complete -p "$1"); named=${named#*-F }
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      "${named%% *}"; printf '%s\\n' "${COMPREPLY[@]}" """
    return run("bash", "-c", script, "bash", ROOT / f"packaging/completions/{command}.bash", command, *words,
               where=where).split()


def fish(command, *words, where=None):
    """What fish offers for the last of these words; None where there is no fish."""
    if not shutil.which("fish"):
        return print("not run: completions in fish, which is not installed")
    script = "source $argv[1]; complete -C $argv[2]"
    offered = run("fish", "--no-config", "-c", script, ROOT / f"packaging/completions/{command}.fish",
                  " ".join([command, *words]), where=where)
    return [line.split("\t")[0] for line in offered.splitlines()]


def zsh_reads(command):
    """Whether zsh finds the file right; None where there is no zsh."""
    if not shutil.which("zsh"):
        return print("not run: completions in zsh, which is not installed")
    file = ROOT / f"packaging/completions/_{command}"
    return run("zsh", "-n", file) == "" and file.read_text().startswith(f"#compdef {command}\n")
