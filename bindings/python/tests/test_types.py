# bindings/python/tests/test_types.py -- the package's types, as mypy and pyright see them, and that they tell of what
# there is.
import ast
import importlib.util
import json
import subprocess
import sys
import types
from pathlib import Path

import pytest

import gpuopt as gp

PACKAGE = Path(gp.__file__).parent


def mypy(*arguments, cwd):
    command = [sys.executable, "-m", "mypy", "--no-incremental", "--cache-dir=/dev/null", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)
    return done.stdout + done.stderr


def test_a_typed_program(tmp_path):
    program = Path(__file__).with_name("typed_program.py").read_text()
    (tmp_path / "program.py").write_text(program)
    assert "Success" in mypy("program.py", cwd=tmp_path)
    (tmp_path / "program.py").write_text(program + "wrong: int = x.sum()\nx.nonsense()\n")
    said = mypy("program.py", cwd=tmp_path)
    assert 'has type "ndarray"' in said and '"ndarray" has no attribute "nonsense"' in said


@pytest.mark.skipif(importlib.util.find_spec("pyright") is None, reason="pyright is not installed")
def test_a_typed_program_by_pyright(tmp_path):
    settings = {"include": ["."], "extraPaths": [str(PACKAGE.parent)], "typeCheckingMode": "standard"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    program = Path(__file__).with_name("typed_program.py").read_text()
    wrong = "wrong: int = x.sum()\nx.nonsense()\n"
    for text, rules in ((program, []), (program + wrong, ["reportAssignmentType", "reportAttributeAccessIssue"])):
        (tmp_path / "program.py").write_text(text)
        command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        said = json.loads(done.stdout[done.stdout.index("{") :])
        assert said["summary"]["filesAnalyzed"] == 1
        assert [message["rule"] for message in said["generalDiagnostics"]] == rules


def test_the_stub_tells_of_every_attribute():
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())
    told = next(node for node in tree.body if isinstance(node, ast.ClassDef)).body
    names = {node.name for node in told if isinstance(node, ast.FunctionDef)}
    names |= {node.target.id for node in told if isinstance(node, ast.AnnAssign)}
    public = {name for name in dir(gp.ndarray) if not name.startswith("_")}
    assert public - names == set()
    assert {n for n in names if not hasattr(gp.ndarray, n)} <= {"__buffer__"}  # Python 3.12's name of a slot


def test_functions_of_the_module_say_what_is_wrong_with_their_arguments():
    for name, function in vars(gp._core).items():
        if isinstance(function, types.BuiltinFunctionType):
            for arguments in ((), (object(),) * 40):
                try:
                    function(*arguments)
                except SystemError as error:  # a failure without an exception
                    pytest.fail(f"{name}: {error}")
                except Exception:
                    pass
