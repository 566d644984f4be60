#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Holds the reader of CTF against babeltrace2, and that of Perfetto against the published definition.

tools/against_ctf.py BACKWALL TRACE...   a folder of CTF, or a file of Perfetto

Prints one line a trace: events by name, the first and the last time, and losses of both. Ends with 1 where they differ.
Needs babeltrace2 for CTF (Debian: babeltrace2) and the package perfetto for Perfetto (PyPI).
"""
import collections
import json
import os
import re
import subprocess
import sys
import zlib

ROW = re.compile(r"^\[\s*(?P<at>\d+)\] (?P<rest>.*)$")
LOST = re.compile(r"discarded (\d+) event")


def babeltrace2(trace):
    """Counts by name, the first and last time in cycles, and discarded events."""
    command = ["babeltrace2", "--clock-cycles", "--no-delta", trace]
    told = subprocess.run(command, capture_output=True, text=True, errors="replace", check=True)
    counts, times = collections.Counter(), []
    for line in told.stdout.splitlines():
        row = ROW.match(line)
        name = re.search(r"([A-Za-z_][\w:.-]*): \{", row["rest"] if row else line)
        if not name:
            continue
        counts[name.group(1)] += 1
        if row:
            times.append(int(row["at"]))
    lost = sum(int(count) for count in LOST.findall(told.stderr))
    return counts, times, lost


def published(trace):
    """The same by the classes that the published definition of Perfetto is compiled to."""
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as definition

    counts, times, lost = collections.Counter(), [], 0

    def walk(packets):
        nonlocal lost
        for packet in packets:
            if packet.HasField("compressed_packets"):
                inner = definition.Trace()
                inner.ParseFromString(zlib.decompress(packet.compressed_packets))
                walk(inner.packet)
            if not packet.HasField("ftrace_events"):
                continue
            bundle = packet.ftrace_events
            lost += bundle.lost_events
            for event in bundle.event:
                counts[event.WhichOneof("event")] += 1
                times.append(event.timestamp)
            for name, deltas in (
                ("sched_switch", bundle.compact_sched.switch_timestamp),
                ("sched_waking", bundle.compact_sched.waking_timestamp),
            ):
                now = 0
                for delta in deltas:
                    now += delta
                    times.append(now)
                counts[name] += len(deltas)

    whole = definition.Trace()
    with open(trace, "rb") as file:
        whole.ParseFromString(file.read())
    walk(whole.packet)
    return +counts, times, lost


def ours(tool, trace):
    told = subprocess.run([tool, "trace", "report", "--json", trace], capture_output=True, text=True, check=False)
    if told.returncode:
        return None, told.stderr.strip()
    return json.loads(told.stdout), ""


def compare(tool, trace):
    is_ctf = os.path.isdir(trace)
    counts, times, lost = (babeltrace2 if is_ctf else published)(trace)
    told, refused = ours(tool, trace)
    if told is None:
        print(f"{trace}: refused: {refused}; the other reads {sum(counts.values())} events")
        return False
    same = dict(told["by_name"]) == dict(counts)
    losses = (told["lost"] if is_ctf else told["gaps"]) or 0
    # Events that are counted and not followed may stand before the first and after the last that is.
    summary = told["summary"]
    begin, end = summary["begin_ns"], summary["begin_ns"] + summary["span_ns"]
    within = not times or (min(times) <= begin and end <= max(times)) or told["clock"] not in ("mono", "boot")
    print(
        f"{trace}: {sum(counts.values())} events of {len(counts)} kinds, {'the same' if same else 'other counts'}; "
        f"{counts['sched_switch']} switches, {counts['sched_waking']} wakings; lost {lost} and {losses}; "
        f"{begin} to {end} {'within' if within else 'beyond'} {min(times, default=0)} to {max(times, default=0)}"
    )
    return same and within and (losses == lost or not lost)


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    equal = [compare(sys.argv[1], trace) for trace in sys.argv[2:]]
    return 0 if all(equal) else 1


if __name__ == "__main__":
    sys.exit(main())
