#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""tools/words.py [--list]: measures the project's prose and fails where a figure is above its limit.

A figure whose goal is not met yet has today's value as its limit, and says so; lower the limit with each improvement. --list
prints the places. Nothing else polices prose. Quotations, code and older parts of the changelog are exempt.
"""
import glob
import os
import re
import subprocess
import sys

BANNED = re.compile(
    r"\b(is|are|was|were) (told|said|had) (as|by|of|so|in|on|with|where|too)\b|\bwhat came of\b|\bwhoever\b"
    r"|\bbears\b|\bnothing beside it\b|\bof theirs\b|\bis no (evidence|run|recording|capture)\b|\bstands (with|there|in)\b", re.I)
LIST = "--list" in sys.argv
failed = False


def read(path):
    with open(path, errors="replace") as file:
        return file.read()


def figure(name, value, limit, goal, places=(), unit=""):
    """Prints a figure; it fails above `limit`, which is above `goal` only until the goal is met."""
    global failed
    above = round(value, 1) > limit
    failed |= above
    state = "ABOVE THE LIMIT" if above else "met" if round(value, 1) <= goal else f"limit {limit:g} until the goal is met"
    print(f"words: {name:<52} {value:>6.4g}{unit:<2} goal {goal:g}{unit:<2} {state}")
    if LIST or above:
        for place in list(places)[:40]:
            print(f"words:   {place}")


def sentences(text):
    """Of paragraphs and list items, without code, tables and headings."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    text = re.sub(r"^( {4}|\|).*$", "", text, flags=re.M) if "```" not in text else text
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text):
        if not re.match(r"\s*(\||#|<|!\[|    )", block):
            block = re.sub(r"^\s*(?:[-*]|\d+\.) ", "", " ".join(block.split()))
            yield from (part for part in re.split(r"(?<=[.!?])\s+", block) if len(part.split()) > 2)


def documents():
    pages = ["README.md"] + sorted(glob.glob("docs/**/*.md", recursive=True))
    written = [page for page in pages if not page.startswith("docs/reference/commands/")]
    found = [(page, sentence) for page in written for sentence in sentences(read(page))]
    lengths = [len(sentence.split()) for _, sentence in found]
    long = [f"{page}: {sentence[:90]}" for page, sentence in found if len(sentence.split()) > 30]
    figure("documents: words a sentence", sum(lengths) / len(lengths), 17, 17)
    figure("documents: sentences over 30 words", 100 * len(long) / len(lengths), 8, 8, long, " %")
    cells = [(page, cell) for page in pages for line in read(page).splitlines() if line.startswith("|")
             for cell in line.strip("|").split("|")]
    wide = [f"{page}: {cell.strip()[:90]}" for page, cell in cells if len(cell.split()) > 30]
    figure("documents: table cells over 30 words", len(wide), WIDE_CELLS, 0, wide)
    size = {page: len(re.sub(r"```.*?```", "", read(page), flags=re.S).split()) for page in written}
    figure("documents: pages over 1,500 words", sum(n > 1500 for n in size.values()), LONG_PAGES, 0,
           [f"{page}: {n}" for page, n in size.items() if n > 1500])


def phrases(sources):
    newest = read("CHANGELOG.md").split("\n## ")[1]
    hits = [(page, line) for page in ["README.md", "CONTRIBUTING.md"] + glob.glob("docs/**/*.md", recursive=True)
            for line in read(page).splitlines() if not line.startswith(">")]
    hits += [("CHANGELOG.md", line) for line in newest.splitlines()]
    hits += [(path, line) for path in sources for line in read(path).splitlines()
             if line.strip().startswith("//") or '"' in line]
    found = [f"{path}: {match.group(0)}" for path, line in hits for match in BANNED.finditer(line.replace("`", ""))]
    figure("banned phrases", len(found), BANNED_PHRASES, 0, found)


def comments(sources):
    lines = blocks = 0
    for path in sources:
        before = False
        for line in read(path).splitlines():
            lines += 1
            now = line.strip().startswith(("///", "//!"))
            blocks += now and not before
            before = now
    figure("doc comment blocks per 100 lines of Rust", 100 * blocks / lines, COMMENT_BLOCKS, 5)


def helps():
    """The short help of each option, from the pages that the parser makes and a test holds."""
    over = []
    for page in sorted(glob.glob("docs/reference/commands/*.md")):
        for line in read(page).splitlines():
            cells = re.split(r"(?<!\\)\|", line)
            if len(cells) == 5 and cells[1].strip().startswith("`"):
                text = re.sub(r" ?\[(default|alias|possible)[^]]*\]", "", cells[2].strip())
                if len(text) > 80:
                    over.append(f"{page}: {text}")
    figure("help: options with over 80 characters", len(over), LONG_HELPS, 0, over)


def changelog():
    newest = read("CHANGELOG.md").split("\n## ")[1]
    entries = re.findall(r"^- (.*?)(?=\n- |\n#|\n\n|\Z)", newest, re.M | re.S)
    long = [entry[:90] for entry in entries if len(entry.split()) > 25]
    figure("changelog, newest part: entries over 25 words", len(long), 0, 0, long)


def commits():
    base = subprocess.run(["git", "rev-parse", "-q", "--verify", "origin/main"], capture_output=True, text=True).stdout.strip()
    span = f"{base}..HEAD" if base else "HEAD~1..HEAD"
    subjects = subprocess.run(["git", "log", "--format=%s", span], capture_output=True, text=True).stdout.splitlines()
    long = [subject for subject in subjects if len(subject) > 60]
    figure("commits of this branch: subjects over 60 characters", len(long), 0, 0, long)


# Limits that are above their goal, at today's value.
WIDE_CELLS = 0
LONG_PAGES = 0
LONG_HELPS = 0
BANNED_PHRASES = 0
COMMENT_BLOCKS = 5

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
rust = [path for path in glob.glob("**/*.rs", recursive=True) if not path.startswith("target/")]
documents()
phrases(rust)
comments(rust)
helps()
changelog()
commits()
sys.exit(failed)
