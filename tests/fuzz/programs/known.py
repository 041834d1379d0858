# tests/fuzz/programs/known.py -- what the fuzzer finds and what is not mended yet: each with a reason. None of these
# fails the gate.

# (sentence why, function of a runs.Failure that says whether it is that)
KNOWN = []


def reason(failure):
    """Why a failure is known; None where it is not."""
    return next((sentence for sentence, matches in KNOWN if matches(failure)), None)
