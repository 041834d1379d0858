# tests/fuzz/programs/oracle.py -- checks the records of a run statement by statement against NumPy.
#
# Each statement is judged by itself: NumPy computes it from the elements that gpuopt's arrays had before it (the run is
# one with --dump, and eager), and the model of the program takes over what gpuopt gave. So errors do not add up along a
# program, and the tolerances are those of single operations. Arrays that share memory in gpuopt are views of one array
# in the model, so that a write which goes astray, or does not reach a view, shows in the next array that is read.
import oracle_arrays
import oracle_exchange
import oracle_joins
import oracle_kernels
import oracle_numbers
from elementwise import Weak
from expected import Fails, Unknown, difference


class Model:
    """What the names of a program stand for: (dtype, elements) or a Weak; random states are NumPy's own."""

    def __init__(self):
        self.arrays, self.states, self.read_only = {}, {}, set()
        self.free_signs = False  # a value has the sign of a NaN
        self.judged = set()      # the verbs and operations that NumPy had an answer for


VERBS = {**oracle_arrays.VERBS, **oracle_joins.VERBS, **oracle_numbers.VERBS, **oracle_exchange.VERBS,
         **oracle_kernels.VERBS}


def _adopt(model, statement, result, record):
    """The model takes over what the statement gave: a view stays a view, other results are the elements of the
    record."""
    if isinstance(result, oracle_arrays.View):
        model.arrays[statement.result] = (result.dtype, result.elements)
        if result.read_only:
            model.read_only.add(statement.result)
    elif record.dtype is not None:
        model.arrays[statement.result] = (record.dtype, record.array().copy())


def _missing(model, statement):
    return any(
        word[0] in "vrg" and word[1:].isdigit() and word not in model.arrays and word not in model.states
        for word in statement.words
    ) and statement.verb not in ("random_state", "random_state_array", "generator")


def _judge_failure(expected, record):
    if record.status == 0:
        return f"succeeds, though it must fail ({expected})"
    if expected.statuses and record.status not in expected.statuses:
        return f"fails with status {record.status}, expected one of {sorted(expected.statuses)}"
    return None


def _judge_write(model, statement, target, result, record):
    dtype, elements = model.arrays[target]
    got = record.array()
    message = difference(result, record)
    if got is not None and got.shape == elements.shape:
        elements[...] = got
    return message


def _step(model, statement, record):
    """A sentence if the record is wrong, else None."""
    if record.status == -1:
        return None if _missing(model, statement) else "was skipped, though its arrays are there"
    if _missing(model, statement):
        return None if record.status else "ran, though an array it needs is not there"
    try:
        result = VERBS[statement.verb](model, statement)
    except Fails as expected:
        return _judge_failure(expected, record)
    except Unknown:
        if record.status == 0 and statement.result and record.dtype:
            model.arrays[statement.result] = (record.dtype, record.array().copy())
        elif record.status == 0 and record.dtype and not statement.result:
            model.arrays[oracle_arrays.target_of(statement)][1][...] = record.array()
        return None
    if record.status != 0:
        return f"fails with status {record.status}"
    model.judged.add(name_of(statement))
    return _judge_result(model, statement, result, record)


def _judge_result(model, statement, result, record):
    if statement.verb == "drop":
        model.arrays.pop(statement.words[0])
        return None
    if isinstance(result, (oracle_arrays.Payload, oracle_exchange.SavedFile)):
        return result.difference(record)
    if isinstance(result, Weak):
        model.arrays[statement.result] = result
        return None
    if result is None:
        return None
    expected = result.expected() if isinstance(result, oracle_arrays.View) else result
    if statement.result is None and statement.verb != "read":
        return _judge_write(model, statement, oracle_arrays.target_of(statement), expected, record)
    message = difference(expected, record)
    if statement.result:
        _adopt(model, statement, result, record)
    return message


def name_of(statement):
    """What a statement computes: its verb, and the row of ops.def, the statistic or the kernel."""
    named = statement.verb in ("op", "op_into", "reduce", "scan") or statement.verb in oracle_kernels.VERBS
    return (statement.verb, statement.words[0] if named else "")


def check(program, run):
    """The first statement that is wrong, as (place, sentence), or None; and the model as it was then."""
    model = Model()
    for place, statement in enumerate(program.statements):
        record = run.records.get(place)
        if record is None:
            return (place, f"no record: the program has {run.end}"), model
        message = _step(model, statement, record)
        if message:
            return (place, message), model
    return None, model
