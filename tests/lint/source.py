#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what every file must have, and what no file may contain."""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common  # noqa: E402

TAG = "SPDX-License-Identifier: Apache-" + "2.0"

# Captured text, corpora and expected bodies.
DATA = re.compile(r"^tests/(fixtures/.*/|fuzz/corpus/)|\.(json|png|svg|bin|golden|expected|prom)$")
UNTAGGED = re.compile(r"^(COPYING|web/assets/COPYING\.d3|NEWS|debian/(changelog|source/format))$|(^|/)\.gitignore$")

# Functions that overflow, guess, or pass text to a shell.
FUNCTIONS = """sprintf vsprintf strcpy stpcpy strcat strncat gets system popen alloca strdupa
    strtol strtoul strtoll strtoull strtoimax strtoumax atoi atol atoll atof
    sscanf fscanf scanf vsscanf""".split()
EXEC = "execl execle execlp execv execve execvp execvpe execveat fexecve".split()

# Paths of a developer's machine, words of unfinished work, and marks of an unfinished merge.
WORDS = re.compile(r"(?<![A-Za-z0-9._-])/(?:wor[k]|far[m])/|\.\./share[d]|/tmp/w[t]/|/home/[a-z]"
                   r"|\b(?:TOD[O]|FIXM[E]|XX[X])\b|^(?:<{7}|>{7}) ", re.M)

# Characters that make a text look different from what the compiler reads.
UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2066-\u2069\x00-\x08\x0b-\x1f\x7f]")


def call_of(names):
    return re.compile(r"(?<![A-Za-z0-9_.>])(" + "|".join(names) + r")\s*\(")


def check_text(path, text):
    found = [f"{path}:{common.line_of(text, m.start())}: '{m.group(0)}'" for m in WORDS.finditer(text)]
    found += [f"{path}:{common.line_of(text, m.start())}: an unseen character, U+{ord(m.group(0)):04X}"
              for m in UNSEEN.finditer(text)]
    if not UNTAGGED.search(path) and TAG not in text[:1000]:
        found.append(f"{path}: no line '{TAG}'")
    return found


def check_code(path, text):
    # A test may start programs, the product does not.
    names = FUNCTIONS if path.startswith("tests/") else FUNCTIONS + EXEC
    code = common.without_comments(text)
    return [f"{path}:{common.line_of(code, m.start())}: {m.group(1)}() is not used here"
            for m in call_of(names).finditer(code)]


def findings(source, build):
    found = []
    for path in common.paths(source):
        if os.path.islink(os.path.join(source, path)):
            continue
        text = common.read(source, path)
        if DATA.search(path):
            continue
        found += check_text(path, text)
        if path.endswith((".c", ".h")):
            found += check_code(path, text)
    return found


if __name__ == "__main__":
    common.main(findings)
