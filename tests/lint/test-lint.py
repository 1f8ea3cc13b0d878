#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that each lint can fail: every rule against a sample that breaks it, and one that does not."""
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import layers  # noqa: E402
import source  # noqa: E402

TAG = "/* SPDX-License-Identifier: Apache-" + "2.0 */\n"


class Tree(unittest.TestCase):
    """A small source tree for each case."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, path, text):
        path = os.path.join(self.folder.name, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def found(self, lint):
        return lint.findings(self.folder.name, self.folder.name)

    def assert_finds(self, lint, path, text, part):
        self.write(path, text)
        found = self.found(lint)
        self.assertEqual(len(found), 1, found)
        self.assertIn(part, found[0])

    def assert_clean(self, lint, path, text):
        self.write(path, text)
        self.assertEqual(self.found(lint), [])


class Layers(Tree):
    def setUp(self):
        super().setUp()
        for header in ("base/log.h", "base/text.h", "snapshot/view.h", "collectors/pass.h", "web/route.h"):
            self.write(header, "")

    def test_upward(self):
        self.assert_finds(layers, "base/a.c", '#include "snapshot/view.h"\n', "base/a.c:1: base may not use")

    def test_web_uses_collectors(self):
        self.assert_finds(layers, "web/a.c", '\n#include "collectors/pass.h"\n', "web/a.c:2: web may not use")

    def test_daemon_uses_web(self):
        self.assert_finds(layers, "daemon/a.c", '# include "web/route.h"\n', "daemon may not use web")

    def test_logging_below_the_programs(self):
        self.assert_finds(layers, "collectors/a.c", '#include "base/log.h"\n', "only programs log")

    def test_library_in_collectors(self):
        self.assert_finds(layers, "collectors/a.c", "#include <jansson.h>\n", "may not use <jansson.h>")
        self.assert_finds(layers, "collectors/a.c", "#include <systemd/sd-event.h>\n", "may not use <systemd/")

    def test_http_in_the_daemon(self):
        self.assert_finds(layers, "daemon/a.c", "#include <microhttpd.h>\n", "may not use <microhttpd.h>")

    def test_event_loop_in_web(self):
        self.assert_finds(layers, "web/a.c", "#include <systemd/sd-event.h>\n", "may not use <systemd/")

    def test_include_without_folder(self):
        self.assert_finds(layers, "base/a.c", '#include "text.h"\n', "without its folder")

    def test_missing_header(self):
        self.assert_finds(layers, "base/a.c", '#include "base/absent.h"\n', "there is no base/absent.h")

    def test_config_in_header(self):
        self.assert_finds(layers, "base/a.h", '#include "config.h"\n', "a header includes config.h")

    def test_proc_in_web(self):
        self.assert_finds(layers, "web/a.c", 'open("/proc/1/maps");\n', "web does not read /proc")

    def test_clean(self):
        self.assert_clean(layers, "daemon/a.c", '#include "config.h"\n#include <systemd/sd-event.h>\n'
                          '#include <errno.h>\n#include "base/log.h"\n#include "collectors/pass.h"\n'
                          '/* #include "web/route.h" */\n')
        self.assert_clean(layers, "web/a.c", 'read("/proc/self/statm"); /* "/proc/1" */\n')


class Source(Tree):
    def test_no_tag(self):
        self.assert_finds(source, "base/a.c", "int a;\n", "no line 'SPDX")

    def test_forbidden_functions(self):
        for name in ("sprintf", "strcpy", "strtol", "atoi", "sscanf", "system", "alloca", "gets", "execv"):
            self.assert_finds(source, "base/a.c", f"{TAG}\nint a = {name}(b);\n", f"a.c:3: {name}()")

    def test_exec_in_a_test(self):
        self.assert_clean(source, "tests/unit/a.c", TAG + "int a = execve(b, c, d);\n")
        self.assert_finds(source, "tests/unit/a.c", TAG + "int a = system(b);\n", "system()")

    def test_words(self):
        for word in ("/wor" + "k/main", "../share" + "d", "TO" + "DO", "/home/" + "alice"):
            self.assert_finds(source, "docs/a.md", f"<!-- {TAG} -->\nsee {word}\n", f"a.md:3: '{word[:6]}")

    def test_unseen_character(self):
        self.assert_finds(source, "base/a.c", TAG + 'int a; /* \u202e */\n', "a.c:2: an unseen character, U+202E")

    def test_data_is_free(self):
        self.assert_clean(source, "tests/fixtures/hostile/a", "\x01 ../share" + "d\n")

    def test_clean(self):
        self.assert_clean(source, "base/a.c", TAG + '/* no sprintf() here */ int a = snprintf("gets(");\n'
                          "int b = my_system(1) + x.system(2);\n")


if __name__ == "__main__":
    unittest.main()
