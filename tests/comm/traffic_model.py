# tests/comm/traffic_model.py -- what each call on a group sends: rounds, messages and bytes of every rank, for any
# number of ranks. comm_test.py compares it with what ranks have counted; run as a program, it prints the table of
# docs/several-processes.md for 2 to 65536 ranks.
"""A schedule of one rank is a list of rounds; a round is the bytes of its messages: (sent, received).

A round is one exchange, which waits for its peers. The rules are those of core/comm: who sends what is worked out here
for itself, from the ranks' numbers, not by their code.
"""
import math
import sys

RECORD = 808  # bytes of what a rank says of its call
HASH = 32  # bytes of the least and the greatest hash of records
FEW = 8  # ranks up to which each sends to each at once
SMALL = 16384  # bytes up to which nothing is cut into pieces
CALLS = ("barrier", "all_reduce", "reduce", "reduce_scatter", "broadcast", "all_gather", "gather", "scatter",
         "all_to_all", "send_recv")


def part(n, ranks, rank):
    return n // ranks + (rank < n % ranks)


def records(ranks):
    """Each rank gets the records of all: their number doubles in each round."""
    known = 1
    while known < ranks:
        count = min(known, ranks - known)
        yield [count * RECORD], [count * RECORD]
        known *= 2


def agreed(ranks):
    """All say the same."""
    if ranks <= FEW:
        yield from records(ranks)
    else:
        for _ in range(steps(ranks)):
            yield [HASH], [HASH]


def agreed_with_root(ranks, rank, root):
    yield from agreed(ranks)
    if ranks > FEW:
        yield from down_the_tree(ranks, rank, root, RECORD)


def steps(ranks):
    return (ranks - 1).bit_length()


def down_the_tree(ranks, rank, root, size):
    """A binomial tree: who has it sends it on to those at distances of growing powers of two."""
    place = (rank - root) % ranks
    first = place.bit_length()  # the first power of two above the place is 2^first
    if place:
        yield [], [size]
    sent = [size for k in range(first, steps(ranks)) if place + 2**k < ranks]
    if sent:
        yield sent, []


def passed_on(ranks, rank, root, size):
    """From the root to all: whole, or a piece to each rank, which passes it on to those that have not got it."""
    if ranks <= 2 or size <= SMALL:
        yield from down_the_tree(ranks, rank, root, size)
        return
    mine = part(size, ranks, rank)
    yield from to_each(ranks, rank, lambda r: part(size, ranks, r) * (rank == root), lambda r: mine * (r == root))
    yield from to_each(ranks, rank, lambda r: mine * (r != root), lambda r: part(size, ranks, r) * (rank != root))


def up_the_tree(ranks, rank, size):
    """Rank r sends to the one below it by the lowest bit of r, after it has got what those above it have."""
    lowest = rank & -rank if rank else 2**steps(ranks)
    for k in range(lowest.bit_length() - 1):
        if rank + 2**k < ranks:
            yield [], [size]
    if rank:
        yield [size], []


def without_empty(schedule):
    for sent, received in schedule:
        sent, received = [b for b in sent if b], [b for b in received if b]
        if sent or received:
            yield sent, received


def to_each(ranks, rank, sends, receives):
    """One round with each other rank; sends(r) and receives(r) are bytes."""
    others = [r for r in range(ranks) if r != rank]
    yield [sends(r) for r in others], [receives(r) for r in others]


def reduced(ranks, rank, n, item, wanted):
    """wanted: the ranks that want the whole; all of them, or one."""
    size = n * item
    if size <= SMALL and ranks > FEW:
        yield from up_the_tree(ranks, rank, size)
        if len(wanted) > 1:
            yield from down_the_tree(ranks, rank, 0, size)
        elif wanted[0] and rank in (0, wanted[0]):
            yield ([], [size]) if rank else ([size], [])
    elif size <= SMALL:
        yield from to_each(ranks, rank, lambda r: size * (r in wanted), lambda r: size * (rank in wanted))
    else:
        mine = part(n, ranks, rank) * item
        yield from to_each(ranks, rank, lambda r: part(n, ranks, r) * item, lambda r: mine)
        yield from to_each(ranks, rank, lambda r: mine * (r in wanted),
                           lambda r: part(n, ranks, r) * item * (rank in wanted))


def schedule(call, ranks, rank, n, item=8, root=1):
    """The rounds of one rank, where each rank has n elements of so many bytes."""
    root = min(root, ranks - 1)
    whole, mine = n * item, part(n, ranks, rank) * item
    if ranks == 1:
        return []
    rounds = list(agreed_with_root(ranks, rank, root) if call in ("broadcast", "scatter") else
                  [] if call == "send_recv" else agreed(ranks))
    if call == "all_reduce":
        rounds += reduced(ranks, rank, n, item, range(ranks))
    elif call == "reduce":
        rounds += reduced(ranks, rank, n, item, [root])
    elif call in ("reduce_scatter", "all_to_all"):
        rounds += to_each(ranks, rank, lambda r: part(n, ranks, r) * item, lambda r: mine)
    elif call == "broadcast":
        rounds += passed_on(ranks, rank, root, whole)
    elif call == "all_gather":
        rounds += to_each(ranks, rank, lambda r: whole, lambda r: whole)
    elif call == "gather":
        rounds += to_each(ranks, rank, lambda r: whole * (r == root), lambda r: whole * (rank == root))
    elif call == "scatter":
        rounds += to_each(ranks, rank, lambda r: part(n, ranks, r) * item * (rank == root),
                          lambda r: mine * (r == root))
    elif call == "send_recv":
        rounds += [([RECORD, whole], [RECORD]), ([], [whole])]
    return list(without_empty(rounds))


def counts(call, ranks, rank, n, **more):
    """Rounds, messages sent and received, bytes sent and received: what gpuopt_comm_get_traffic() counts."""
    rounds = schedule(call, ranks, rank, n, **more)
    return (len(rounds), sum(len(sent) for sent, _ in rounds), sum(len(received) for _, received in rounds),
            sum(sum(sent) for sent, _ in rounds), sum(sum(received) for _, received in rounds))


# ---- The table


def least(call, ranks, n, item=8):
    """Bytes that some rank has to send or to receive, whatever the algorithm (Patarasuk and Yuan, 2009)."""
    whole = n * item
    return {"all_reduce": 2 * whole * (ranks - 1) / ranks, "all_gather": whole * (ranks - 1),
            "broadcast": whole, "all_to_all": whole * (ranks - 1) / ranks,
            "reduce_scatter": whole * (ranks - 1) / ranks}.get(call)


def busiest(call, ranks, n):
    """The most rounds, messages and bytes, each one way, of any rank; of those that can be the busiest."""
    some = {0, 1, 2, ranks // 2, ranks - 1} & set(range(ranks))
    all_counts = [counts(call, ranks, rank, n) for rank in some]
    return (max(c[0] for c in all_counts), max(max(c[1:3]) for c in all_counts), max(max(c[3:5]) for c in all_counts))


def size_text(size):
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            return f"{size:.3g} {unit}"
        size /= 1000


def print_table(ranks_of_rows=(2, 8, 64, 1024, 65536)):
    print("| Call | Array of a rank | Ranks | Rounds | Messages | Bytes | to the least | Ring's steps | Tree's steps |")
    print("|---|---|---|---|---|---|---|---|---|")
    for call, n in (("barrier", 0), ("all_reduce", 1), ("all_reduce", 1 << 17), ("broadcast", 1 << 17),
                    ("all_gather", 1), ("all_to_all", 1 << 17)):
        for ranks in ranks_of_rows:
            rounds, messages, size = busiest(call, ranks, n)
            bound = least(call, ranks, n)
            ratio = f"{size / bound:.2f}" if bound else ""
            ring = 2 * (ranks - 1) if call == "all_reduce" else ranks - 1
            tree = (2 if call in ("all_reduce", "barrier") else 1) * math.ceil(math.log2(ranks))
            print(f"| {call} | {size_text(n * 8)} | {ranks} | {rounds} | {messages} | {size_text(size)} | {ratio} | "
                  f"{ring} | {tree} |")


if __name__ == "__main__":
    sys.exit(print_table())
