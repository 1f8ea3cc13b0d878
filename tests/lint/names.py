#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a search for a function's name finds one function: names of the product are unique, and not one word.

X-absent.c defines the functions of X.c for a build without them.
"""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common  # noqa: E402
import layers  # noqa: E402

# The head of a definition at the start of a line. A declaration ends with ";" instead.
DEFINITION = re.compile(r"^(?:__attribute__\(\(.*?\)\)\s*)?(static )?(?:__attribute__\(\(.*?\)\)\s*)?"
                        r"(?:(?:inline|_Noreturn|const|struct|enum|unsigned|signed|long|short)\s+)*\w+\s+"
                        r"(?:\*+\s*(?:const\s+)?)*(\w+)\([^;{}]*\)\s*\{", re.M)


def definitions(source):
    """Yields path, line, whether it is static, and the name of each function of the product."""
    for top in sorted({folder.split("/")[0] for folder in layers.LAYERS}):
        for path in common.paths(source, top):
            if path.endswith((".c", ".h")):
                code = common.without_comments(common.read(source, path))
                for match in DEFINITION.finditer(code):
                    yield path, common.line_of(code, match.start()), bool(match.group(1)), match.group(2)


def findings(source, build):
    found, first = [], {}
    for path, line, is_static, name in definitions(source):
        file = path.replace("-absent.c", ".c")
        if first.get(name, file) != file and name != "main":
            found.append(f"{path}:{line}: {name}() is also in {first[name]}: begin it with the name of its module")
        elif is_static and "_" not in name:
            found.append(f"{path}:{line}: {name}() is one word: begin it with the name of its module")
        first.setdefault(name, file)
    return found


if __name__ == "__main__":
    common.main(findings)
