# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arithmetic of cmerge in Python, step by step as the C++ has it, for the figures of draw.py.

Every function checks its result against a plain merge. A figure can thus show no wrong number.
"""


def takes_b(a_key, b_key):
    """The stability rule: b goes first only if it is strictly smaller."""
    return b_key < a_key


def merge(a, b):
    """The outputs as (input, index) pairs, the input being "a" or "b"."""
    outputs, i, j = [], 0, 0
    while i < len(a) or j < len(b):
        second = j < len(b) and (i >= len(a) or takes_b(a[i], b[j]))
        outputs.append(("b", j) if second else ("a", i))
        i, j = (i, j + 1) if second else (i + 1, j)
    keys = [a[x] if source == "a" else b[x] for source, x in outputs]
    assert keys == sorted(a + b)
    return outputs


def co_rank(k, a, b, width=0):
    """Bounds of the co-rank of k, at most `width` apart, and the positions i that were probed."""
    low, high = max(0, k - len(b)), min(k, len(a))
    probes = []
    while high - low > width:
        i = low + (high - low) // 2
        probes.append(i)
        if not takes_b(a[i], b[k - 1 - i]):
            low = i + 1
        else:
            high = i
    assert low <= sum(source == "a" for source, _ in merge(a, b)[:k]) <= high
    return low, high, probes


def merge_window(k0, begin, k1, end):
    """The parts of a and b that are sure to contain outputs [k0, k1), and how many to skip."""
    size = k1 - k0
    first_low, first_high = max(begin[0], end[0] - size), min(begin[1], end[1])
    last_low, last_high = max(end[0], begin[0]), min(end[1], begin[1] + size)
    return {"a": (first_low, last_high), "b": (k0 - first_high, k1 - last_low),
            "begin": (first_low, first_high), "end": (last_low, last_high),
            "skipped": first_high - first_low, "after": last_high - last_low}


class Ring:
    """One input's circular buffer: the bookkeeping of tile_window, and what each slot holds."""

    def __init__(self, keys, capacity, granule, repeated, phase):
        self.keys, self.capacity, self.granule, self.repeated = keys, capacity, granule, repeated
        self.next, self.start, self.live, self.in_flight = 0, phase, 0, 0
        self.slots = [None] * capacity  # the index of the element that was loaded last

    def element(self, index):
        """Element `index` of the live ones."""
        assert index < self.live - self.in_flight
        return self.keys[self.slots[(self.start + index) % self.capacity]]

    def available(self, tile):
        return min(self.live - self.in_flight, tile)

    def refill(self):
        room = self.capacity - self.live - self.start % self.granule
        count = min(len(self.keys) - self.next, room)
        for e in range(count):
            slot = (self.start + self.live + e) % self.capacity
            assert self.state(slot) == "free"
            self.slots[slot] = self.next + e
        self.next, self.live, self.in_flight = self.next + count, self.live + count, count
        return count

    def settle(self):
        self.in_flight = 0

    def consume(self, count):
        self.start, self.live = (self.start + count) % self.capacity, self.live - count

    def state(self, slot):
        offset = (slot - self.start) % self.capacity
        if offset >= self.live:
            return "free"
        return "live" if offset < self.live - self.in_flight else "in flight"

    def snapshot(self):
        """Every slot as (key, state), followed by the repeated ones."""
        slots = [(None if e is None else self.keys[e], self.state(s))
                 for s, e in enumerate(self.slots)]
        return slots + slots[:self.repeated]


def step_rings(a, b, tile, ring_of):
    """Merges tile by tile through two rings. Yields a's ring before and after each refill."""
    rings = [ring_of(a), ring_of(b)]
    made = []
    for ring in rings:
        ring.refill()
        ring.settle()
    while len(made) < len(a) + len(b):
        count = min(tile, len(a) + len(b) - len(made))
        parts = [[r.element(e) for e in range(r.available(tile))] for r in rings]
        part = merge(*parts)[:count]
        made += [parts[0][x] if source == "a" else parts[1][x] for source, x in part]
        taken = sum(source == "a" for source, _ in part)
        rings[0].consume(taken)
        rings[1].consume(count - taken)
        step = {"taken": taken, "before": rings[0].snapshot(), "start": rings[0].start,
                "live": rings[0].live}
        step["loaded"] = [ring.refill() for ring in rings][0]
        step["after"] = rings[0].snapshot()
        yield step
        for ring in rings:
            ring.settle()
    assert made == sorted(a + b)


def value_begins(values, keys):
    """For each value, how many keys are smaller: the position where its keys begin."""
    return [sum(key < value for key in keys) for value in values]
