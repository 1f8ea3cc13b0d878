#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each lint finds a sample that breaks its rule, and accepts one that does not."""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common  # noqa: E402
import dashboards  # noqa: E402
import documents  # noqa: E402
import layers  # noqa: E402
import linking  # noqa: E402
import names  # noqa: E402
import rules  # noqa: E402
import source  # noqa: E402
import units  # noqa: E402

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


class Common(Tree):
    def run_main(self, folder):
        """Runs a lint that reads FOLDER/man; returns what it exits with."""
        places = {"MEMTALLY_SOURCE": "/source", "MEMTALLY_BUILD": self.folder.name}
        with unittest.mock.patch.dict(os.environ, places), self.assertRaises(SystemExit) as raised:
            common.main(lambda source, build: common.read(folder, "man"))
        return raised.exception.code

    def test_not_built(self):
        self.assertIn("/man is missing: run `make all", self.run_main(self.folder.name))

    def test_no_source(self):
        self.assertRaises(FileNotFoundError, self.run_main, "/source")


class Layers(Tree):
    def setUp(self):
        super().setUp()
        for header in ("base/log.h", "base/text.h", "snapshot/view.h", "collectors/pass/pass.h", "web/route.h"):
            self.write(header, "")

    def test_upward(self):
        self.assert_finds(layers, "base/a.c", '#include "snapshot/view.h"\n', "base/a.c:1: base may not use")

    def test_web_uses_collectors(self):
        self.assert_finds(layers, "web/a.c", '\n#include "collectors/pass/pass.h"\n', "web/a.c:2: web may not use")

    def test_daemon_uses_web(self):
        self.assert_finds(layers, "daemon/a.c", '# include "web/route.h"\n', "daemon may not use web")

    def test_logging_below_the_programs(self):
        self.assert_finds(layers, "collectors/pass/a.c", '#include "base/log.h"\n', "only programs log")

    def test_upward_in_collectors(self):
        self.write("collectors/pass/a.h", "")
        self.write("collectors/procfs/a.h", "")
        self.assert_clean(layers, "collectors/pass/b.c", '#include "collectors/procfs/a.h"\n')
        self.assert_finds(layers, "collectors/procfs/b.c", '#include "collectors/pass/a.h"\n',
                          "collectors/procfs may not use collectors/pass")

    def test_folder_without_a_row(self):
        self.assert_finds(layers, "collectors/odd/a.c", "", "has no row for collectors/odd")

    def test_library_in_collectors(self):
        self.assert_finds(layers, "collectors/pass/a.c", "#include <jansson.h>\n", "may not use <jansson.h>")
        self.assert_finds(layers, "collectors/pass/a.c", "#include <systemd/sd-event.h>\n", "may not use <systemd/")

    def test_http_in_the_daemon(self):
        self.assert_finds(layers, "daemon/a.c", "#include <microhttpd.h>\n", "may not use <microhttpd.h>")

    def test_event_loop_in_web(self):
        self.assert_finds(layers, "web/a.c", "#include <systemd/sd-event.h>\n", "may not use <systemd/")

    def test_include_without_folder(self):
        self.assert_finds(layers, "base/a.c", '#include "text.h"\n', "without its folder")

    def test_missing_header(self):
        self.assert_finds(layers, "base/a.c", '#include "base/absent.h"\n', "there is no base/absent.h")

    def test_circle(self):
        self.write("base/a.h", "")
        self.write("base/b.h", "")
        self.assert_clean(layers, "base/a.c", '#include "base/a.h"\n#include "base/b.h"\n')
        self.assert_finds(layers, "base/b.c", '#include "base/a.h"\n', "base/a: includes itself through base/b")
        self.write("base/b.c", '/* #include "base/a.h" */\n#include "base/c.h"\n')
        self.assert_finds(layers, "base/c.h", '#include "base/a.h"\n',
                          "base/a: includes itself through base/b, base/c")

    def test_circle_of_a_class(self):
        self.write("base/a.h", "")
        self.write("base/a-private.h", '#include "base/a.h"\n')
        self.write("base/a.c", '#include "base/a.h"\n#include "base/a-private.h"\n')
        self.write("base/b.h", "")
        self.assert_clean(layers, "base/part.c", '#include "base/a-private.h"\n#include "base/b.h"\n')
        self.assert_finds(layers, "base/b.c", '#include "base/a.h"\n', "base/a: includes itself through base/b")

    def test_circle_of_a_part_with_a_header(self):
        self.write("base/a-private.h", "")
        self.write("base/part.h", "")
        self.assert_clean(layers, "base/part.c", '#include "base/a-private.h"\n')
        self.assert_finds(layers, "base/a.c", '#include "base/part.h"\n', "base/a: includes itself through base/part")

    def test_private_header(self):
        self.write("base/a-private.h", "")
        self.assert_finds(layers, "base/b.h", '#include "base/a-private.h"\n', "only sources of base include")
        self.write("base/b.h", "")
        self.assert_finds(layers, "web/b.c", '#include "base/a-private.h"\n', "only sources of base include")

    def test_config_in_header(self):
        self.assert_finds(layers, "base/a.h", '#include "config.h"\n', "a header includes config.h")

    def test_proc_in_web(self):
        self.assert_finds(layers, "web/a.c", 'open("/proc/1/maps");\n', "web does not read /proc")

    def test_clean(self):
        self.assert_clean(layers, "daemon/a.c", '#include "config.h"\n#include <systemd/sd-event.h>\n'
                          '#include <errno.h>\n#include "base/log.h"\n#include "collectors/pass/pass.h"\n'
                          '/* #include "web/route.h" */\n')
        self.assert_clean(layers, "web/a.c", 'read("/proc/self/statm"); /* "/proc/1" */\n')


class Source(Tree):
    def test_no_tag(self):
        self.assert_finds(source, "base/a.c", "int a;\n", "no line 'SPDX")

    def test_files_without_comments(self):
        for path in ("debian/changelog", "debian/source/format"):
            self.assert_clean(source, path, "memtally\n")
        self.assert_finds(source, "debian/control", "Source: memtally\n", "no line 'SPDX")

    def test_forbidden_functions(self):
        for name in ("sprintf", "strcpy", "strtol", "atoi", "sscanf", "system", "alloca", "gets", "execv"):
            self.assert_finds(source, "base/a.c", f"{TAG}\nint a = {name}(b);\n", f"a.c:3: {name}()")

    def test_exec_in_a_test(self):
        self.assert_clean(source, "tests/unit/a.c", TAG + "int a = execve(b, c, d);\n")
        self.assert_finds(source, "tests/unit/a.c", TAG + "int a = system(b);\n", "system()")

    def test_words(self):
        for word in ("/wor" + "k/main", "../share" + "d", "TO" + "DO", "/home/" + "alice"):
            self.assert_finds(source, "docs/a.md", f"<!-- {TAG} -->\nsee {word}\n", f"a.md:3: '{word[:6]}")

    def test_merge_marks(self):
        for mark in ("<<<<<<< " + "ours", ">>>>>>> " + "theirs"):
            self.assert_finds(source, "docs/a.md", f"<!-- {TAG} -->\n{mark}\n", f"a.md:3: '{mark[:8]}")

    def test_unseen_character(self):
        self.assert_finds(source, "base/a.c", TAG + 'int a; /* \u202e */\n', "a.c:2: an unseen character, U+202E")

    def test_data_is_free(self):
        for path in ("tests/fixtures/hostile/a", "tests/fuzz/corpus/stat/a"):
            self.assert_clean(source, path, "\x01 ../share" + "d\n")
        self.assert_finds(source, "tests/fuzz/proc/a.c", TAG + "int a = system(b);\n", "system()")

    def test_clean(self):
        self.assert_clean(source, "base/a.c", TAG + '/* no sprintf() here */ int a = snprintf("gets(");\n'
                          "int b = my_system(1) + x.system(2);\n")


class Names(Tree):
    def test_the_same_name_in_two_files(self):
        self.write("base/a.c", "static int a_grow(int b)\n{\n}\n")
        self.assert_finds(names, "base/b.c", "\nstatic struct b *a_grow(\n\tint b)\n{\n}\n",
                          "base/b.c:2: a_grow() is also in base/a.c")

    def test_a_stand_in(self):
        self.write("daemon/a-absent.c", "void a_grow(int b)\n{\n}\n")
        self.assert_clean(names, "daemon/a.c", "void a_grow(int b)\n{\n}\n")
        self.assert_finds(names, "daemon/b-absent.c", "void a_grow(int b)\n{\n}\n", "a_grow() is also in daemon/a.c")

    def test_one_word(self):
        self.assert_finds(names, "base/a.c", "static void grow(int b)\n{\n}\n", "base/a.c:1: grow() is one word")

    def test_other_heads(self):
        for head in ("__attribute__((format(printf, 1, 2))) static int", "static long long", "static const char *const *",
                     "static unsigned long"):
            self.assert_finds(names, "base/a.c", f"{head} grow(int b)\n{{\n}}\n", "base/a.c:1: grow() is one word")

    def test_declarations_and_programs(self):
        self.write("base/a.h", "int a_grow(int b);\n")
        self.write("web/main.c", "int main(int argc)\n{\n}\n")
        self.write("ledger/main.c", "int main(int argc)\n{\n}\n")
        self.assert_clean(names, "base/a.c", "static int a_grow(int);\n\nint a_grow(int b)\n{\n}\n")


class Linking(Tree):
    """With programs and archives that the test compiles."""

    def setUp(self):
        super().setUp()
        self.saved = linking.PROGRAMS
        self.addCleanup(setattr, linking, "PROGRAMS", self.saved)
        linking.PROGRAMS = {"program": ([], ["libcollectors.a"])}
        self.write("pass.c", "int pass_run(void); int pass_run(void) { return 0; }\n")
        self.run_in("cc", "-c", "pass.c")
        self.run_in("ar", "cr", "libcollectors.a", "pass.o")

    def run_in(self, *command):
        subprocess.run(command, cwd=self.folder.name, check=True)

    def link(self, text, *libraries):
        self.write("main.c", text)
        self.run_in("cc", "-o", "program", "main.c", "-L.", *libraries)

    def test_clean(self):
        self.link("int main(void) { return 0; }\n", "-lcollectors")
        self.assertEqual(self.found(linking), [])

    def test_archive(self):
        self.link("int pass_run(void); int main(void) { return pass_run(); }\n", "-lcollectors")
        self.assertEqual(self.found(linking), ["program contains pass_run() of libcollectors.a"])

    def test_library(self):
        self.link("int main(void) { return 0; }\n", "-Wl,--no-as-needed", "-lz")
        found = self.found(linking)
        self.assertEqual(len(found), 1, found)
        self.assertIn("program links libz.", found[0])

    def test_nothing_built(self):
        self.assertEqual(self.found(linking), ["program is not built"])

    def test_parts_left_out(self):
        linking.PROGRAMS = {"memtally": (["libz."], []), "memtally-ledger": ([], [])}
        self.link("int main(void) { return 0; }\n", "-Wl,--no-as-needed", "-lz")
        os.rename(os.path.join(self.folder.name, "program"), os.path.join(self.folder.name, "memtally"))
        self.assertEqual(self.found(linking), ["memtally-ledger is not built"])
        self.write("config.h", "#define ENABLE_INSPECT 0\n#define ENABLE_LEDGER 0\n")
        found = self.found(linking)
        self.assertEqual(len(found), 1, found)
        self.assertIn("memtally links libz.", found[0])


class Documents(Tree):
    """Each comparison alone, with tables of one or two lines."""

    METRICS = [["user", "memtally_user_pss_bytes", "gauge", "-", "-", "both", "pss_bytes", "PSS."]]
    OWNERS = [["user", "users", "user", "Users."], ["user_unit", "user_units", "unit user", "Units."]]
    OPTIONS = [["memtallyd", "interval", "duration", "file", "10s", "a duration", "How often.", "-"]]

    def test_tables(self):
        text = "<!-- BEGIN a -->\nold\n<!-- END a -->\n"
        self.write("docs/metrics.md", text)
        self.write("docs/api.md", documents.renewed(text, {"a": "new\n"}))
        found = documents.check_blocks(self.folder.name, {"a": "new\n", "b": "more\n"})
        self.assertEqual(len(found), 2, found)
        self.assertIn("docs/metrics.md: its tables", found[0])
        self.assertIn("no table of b", found[1])

    ROUTES = [["/metrics", "-", "-", "Metrics."], ["/api/v1/users", "-", "sort limit user", "Users: by name."],
              ["/api/v1/units", "-", "unit", "Units."], ["/healthz", "-", "-", "Runs."], ["/livez", "/healthz", "-", "Same."],
              ["/api/v1/processes/PID", "-", "-", "One."]]
    ERRORS = "".join(f"| {status} | when `it` is [so](x.md) |\n" for status in ("400", "401, 403", "404", "421", "429", "503", "503"))

    def interface(self):
        self.write("docs/api.md", "| 400 | other |\n## Errors\n\n| status | when |\n" + self.ERRORS)
        metrics = self.METRICS + [["unit", "memtally_unit_cgroup_bytes", "gauge", "kind", value, "both", "cgroup_bytes",
                                   "Charged, " + "long " * 30] for value in ("a", "b")]
        owners = [["user", "users", "user", "Users."], ["unit", "units", "unit user", "Units."]]
        return documents.describe_interface(self.folder.name, metrics, owners, self.ROUTES)

    def test_interface(self):
        text = self.interface()
        self.assertEqual(len(documents.check_interface(self.folder.name, text)), 1)
        self.write("docs/openapi.yaml", text)
        self.assertEqual(documents.check_interface(self.folder.name, text), [])
        self.assertLessEqual(max(map(len, text.splitlines())), documents.openapi.WIDTH)

    @unittest.skipUnless(importlib.util.find_spec("yaml"), "python3-yaml is not installed")
    def test_interface_as_yaml(self):
        import yaml
        found = yaml.safe_load(self.interface())
        self.assertEqual(list(found["paths"]), ["/metrics", "/api/v1/users", "/api/v1/units", "/healthz", "/livez",
                                                "/api/v1/processes/{pid}"])
        users, live = found["paths"]["/api/v1/users"]["get"], found["paths"]["/livez"]["get"]
        self.assertEqual(users["summary"], "Users: by name.")
        self.assertEqual(users["parameters"], [{"$ref": f"#/components/parameters/{name}"} for name in ("sort", "limit", "user")])
        self.assertEqual(list(users["responses"]), ["200", "304", "400", "401", "403", "421", "429", "503"])
        self.assertEqual(live["responses"]["200"]["content"], {"text/plain": {"schema": {"type": "string"}}})
        schemas = found["components"]["schemas"]
        self.assertEqual(schemas["sums"]["properties"]["pss_bytes"], {"type": "integer", "description": "PSS."})
        self.assertEqual(schemas["charges"]["properties"]["cgroup_bytes"]["properties"], {"a": {"type": "integer"}, "b": {"type": "integer"}})
        self.assertEqual(schemas["charges"]["properties"]["cgroup_bytes"]["description"], ("Charged, " + "long " * 30).strip())
        self.assertEqual(schemas["unit"]["allOf"][:2], [{"$ref": "#/components/schemas/sums"}, {"$ref": "#/components/schemas/charges"}])
        self.assertEqual(list(schemas["unit"]["allOf"][2]["properties"]), ["unit", "exported", "user"])
        self.assertEqual(list(schemas["user"]["allOf"][1]["properties"]), ["user", "exported", "uid"])
        self.assertEqual(found["components"]["responses"]["error503"]["description"], "when it is so; or when it is so")

    def test_metric_names(self):
        self.write("docs/metrics.md", "`memtally_user_pss_bytes` `memtally_user_uss_bytes` `memtally_(user|unit)_.+` `memtally_unit_`\n")
        self.write("web/a.c", 'add("memtally_web_requests"); add("process_open_fds");\n')
        found = documents.check_metric_names(self.folder.name, self.METRICS, self.OWNERS)
        self.assertEqual(found, ["docs/metrics.md: does not mention memtally_web_requests",
                                 "docs/metrics.md: does not mention process_open_fds",
                                 "docs/metrics.md:1: there is no metric memtally_user_uss_bytes"])

    def test_options(self):
        for page in documents.PAGES.values():
            self.write(page, ".It Fl \\-intervals\n")
        self.write(documents.FILE_PAGE, "")
        options = self.OPTIONS + [["memtally", "intervals", "path", "-", "-", "a path", "Some path.", name]
                                  for name in ("MEMTALLY_A", "MEMTALLY_B")]
        self.write(documents.PAGES["memtally"], ".It Fl \\-intervals\n.It Ev MEMTALLY_B\n")
        found = documents.check_options(self.folder.name, self.folder.name, options)
        self.assertEqual(found, ["docs/man/memtallyd.8: does not mention --interval",
                                 "docs/man/memtally.1: ENVIRONMENT does not mention MEMTALLY_A",
                                 "docs/man/memtally.yaml.5: does not mention interval"])

    def test_views(self):
        self.write("cli/common/cli-option.c", '{"diff", ONLY(MAP)},\n{"since", ONLY(USAGE) | ONLY(MAP)},\n{"json", ALL},\n'
                                       '{"by", ROWS & ~(ONLY(FILES) | ONLY(EXPLAIN))},\n{"pid", ROWS & ~ONLY(USAGE)},\n'
                                       '{"process-exporter", ONLY(COMPARE)},\n')
        always = ".It Fl j , Fl \\-json\n"
        taken = {"usage": "since by", "map": "diff since by pid", "files": "pid", "pages": "by pid",
                 "sharing": "by pid", "explain": "pid", "compare": "by pid process-exporter", "diff": "by pid", "history": ""}
        self.write("docs/man/memtally-status.1.in", always)
        for view, options in taken.items():
            self.write(f"docs/man/memtally-{view}.1.in",
                       always + ".It Fl \\-" + " , \\-".join(options.split()) + " Ns = Ns Ar X\n")
        self.assertEqual(documents.check_views(self.folder.name), [])
        self.write("docs/man/memtally-files.1.in", always + ".It Fl \\-by Ns = Ns Ar KIND\n")
        self.assertEqual(documents.check_views(self.folder.name),
                         ["docs/man/memtally-files.1.in: does not mention --pid",
                          "docs/man/memtally-files.1.in: files does not take --by"])

    def test_unknown_option(self):
        self.write("README.md", "run with --web.listen-adress=:80\n")
        self.assertEqual(documents.check_mentioned_options(self.folder.name, self.OPTIONS),
                         ["README.md:1: there is no option --web.listen-adress"])

    def test_sample(self):
        self.write(documents.SAMPLE, "#interval: 20s\n")
        self.assertEqual(len(documents.check_sample(self.folder.name, self.OPTIONS)), 1)

    def test_routes(self):
        self.write("docs/api.md", "`GET /api/v1/users` `GET /api/v1/gone`, `GET /`\n")
        self.write(documents.WEB_PAGE, ".It Pa / , /-/ready\n.It Pa /api/v1/ Ns Ar users\n")
        routes = [[path, "-", "-", "It."] for path in ("/", "/-/ready", "/api/v1/users", "/api/v1/user_units")]
        self.assertEqual(documents.check_routes(self.folder.name, routes),
                         ["docs/api.md: does not mention GET /-/ready", "docs/api.md: does not mention GET /api/v1/user_units",
                          "docs/api.md: web/ has no path /api/v1/gone",
                          "docs/man/memtally-web.8.in: does not mention /api/v1/user_units"])

    def test_map(self):
        self.write("docs/ARCHITECTURE.md", "| `base/` | a |\n| `tests/`, `web/` | b |\n| `procfs/` | c |\n")
        for path in ("base/a.c", "web/a.c", "daemon/a.c", "collectors/procfs/a.c", "collectors/pass/a.h",
                     "cli/Makefile.inc"):
            self.write(path, "")
        self.assertEqual(documents.check_map(self.folder.name),
                         ["docs/ARCHITECTURE.md: does not mention collectors/",
                          "docs/ARCHITECTURE.md: does not mention collectors/pass/",
                          "docs/ARCHITECTURE.md: does not mention daemon/"])

    def test_constants(self):
        head = "## All constants\n\n| constant | file | value | for what |\n|---|---|---|---|\n"
        self.write("collectors/model/a.c", "enum { ONE = 1 };\n#define TWO 2\n/* LOST = 3 */\n"
                   "T t = {.FIELD = SEEN == x};\n")
        self.write("collectors/model/b.h", "enum {\n\tB_THREE = 3,\n\tB_FOUR = 4,\n};\n")
        self.write("daemon/c.c", "static const double FIVE = 5;\n")
        good = ("| `ONE`, `TWO` | model/a | 1, 2 | a |\n| `B_THREE`, `_FOUR` | model/b | 3, 4 | b |\n"
                "| `FIVE` | daemon/c | 5 | c |\n| `ONE`, `B_FOUR` | model/a, model/b | 1 | d |\n"
                "| priors | model/a | | e |\n")
        for rows, expected in (
                (good, []),
                ("| `LOST` | model/a |\n", ["model/a does not define LOST"]),
                ("| `FIELD`, `SEEN` | model/a |\n", ["model/a does not define FIELD",
                                                     "model/a does not define SEEN"]),
                ("| `ONE` | model/b |\n", ["model/b does not define ONE"]),
                ("| `B_THREE`, `_TWO` | model/b |\n", ["model/b does not define B_TWO"]),
                ("| `TW` | model/a |\n", ["model/a does not define TW"]),
                ("| `ONE` | model/a, model/b |\n", ["collectors/model/b defines none of these"]),
                ("| priors | model/gone |\n", ["there is no model/gone"])):
            self.write("docs/estimator/constants.md", head + rows + "\n| `X` | no | row |\n")
            self.assertEqual(documents.check_constants(self.folder.name),
                             [f"docs/estimator/constants.md:5: {text}" for text in expected])
        self.write("docs/estimator/constants.md", "nothing\n")
        self.assertEqual(documents.check_constants(self.folder.name),
                         ["docs/estimator/constants.md: has no table of constants"])

    def test_usage(self):
        self.write("cli/usage/usage-table.c", '\t{QUANTITY("pss", USAGE_PSS)},\n\t{QUANTITY("max", USAGE_MAX)},\n"{\\"late\\":%s}"')
        self.write("snapshot/usage.c", "\t[USAGE_USER] = OWNER_USER,\n")
        head = "\n    since,until,covered_ratio,own_only,user,uid,pss,max\n"
        rows = "## As JSON\n| `user`, `users` | |\n| `uid`, `gid` | |\n| `late` | `no` |\n| `pss` | |\n"
        for text, expected in ((f"\n{rows}| `max` | |\n{head}", []),
                               (f"\n{rows}| `mean` | |\n{head}\n## Next\n| `max` | |\n",
                                ["docs/usage.md: does not mention the field max",
                                 "docs/usage.md: memtally usage has no field mean"]),
                               (f"\n{rows}| `max` | |\n{head.replace('pss,max', 'max,pss')}",
                                [f"docs/usage.md: no line '{head.strip()}'"])):
            self.write("docs/usage.md", text)
            self.assertEqual(documents.check_usage(self.folder.name, self.OWNERS), expected)

    def test_operations(self):
        self.write("docs/install.md", "| a | `restart memtallyd memtally-web` |\n\n| to do what | how |\n|---|---|\n"
                   "| begin | `start memtallyd memtally-web` |\n| listen | `edit memtally-web` |\n"
                   "| stop | `stop memtallyd memtally-web memtally-ledger memtally-recorder` |\n")
        self.assertEqual(documents.check_operations(self.folder.name),
                         ["docs/install.md: 'begin' lacks memtally-ledger", "docs/install.md: 'begin' lacks memtally-recorder"])

    def test_links(self):
        self.write("docs/a.md", "[b](b.md) [c](../c.md#x-and-y_z) [d](https://example.org/#e)\n## Here: `a`\n"
                   "[e](#here-a) [f](#there) [g](../c.md#z) [h](h.png#i)\n")
        self.write("c.md", "# X, and [`y_z`](docs/a.md)\n")
        self.write("docs/h.png", "")
        self.assertEqual(documents.check_links(self.folder.name),
                         ["docs/a.md:1: there is no b.md", "docs/a.md:3: there is no #there",
                          "docs/a.md:3: there is no ../c.md#z"])

    def test_index(self):
        for path, text in (("docs/README.md", "[a](a.md) [f](n/f.md)\n"), ("docs/a.md", ""), ("docs/b.md", ""),
                           ("docs/m/README.md", "[c](c.md)\n"), ("docs/m/c.md", ""), ("docs/m/d.md", ""),
                           ("docs/n/e.md", ""), ("docs/n/f.md", ""),
                           ("docs/Makefile.inc", "A = \\\n\tdocs/README.md \\\n\tdocs/a.md \\\n\tdocs/b.md\n"
                            "B = \\\n\tdocs/m/README.md \\\n\tdocs/m/d.md\nC = \\\n\tdocs/n/e.md \\\n\tdocs/n/f.md\n")):
            self.write(path, text)
        self.assertEqual(documents.check_index(self.folder.name),
                         ["docs/README.md: does not mention b.md", "docs/Makefile.inc: does not mention docs/m/c.md",
                          "docs/m/README.md: does not mention d.md", "docs/README.md: does not mention n/e.md"])

    def test_tests(self):
        self.write("docs/security.md", "`tests/unit/test-a`, `tests/b`, `tests/unit/test-c`\n`tests/d`\n")
        self.write("docs/security/threats.md", "`tests/b`, `tests/e`\n")
        self.write("docs/faults/README.md", "`tests/b`\nmake check TESTS=tests/f\n`tests/unit/test-a.log`\n")
        self.write("contrib/quickstart/a.sh", "tests/unit/test-{a,b} tests/b tests/unit/ \"$dir/tests/g\"\n")
        for path in ("tests/unit/test-a.c", "tests/b"):
            self.write(path, "")
        self.assertEqual(documents.check_tests(self.folder.name),
                         ["docs/faults/README.md:2: there is no tests/f",
                          "docs/security.md:1: there is no tests/unit/test-c", "docs/security.md:2: there is no tests/d",
                          "docs/security/threats.md:1: there is no tests/e",
                          "contrib/quickstart/a.sh:1: there is no tests/unit/test-"])

    def test_faults(self):
        head = "## A. Names\n\n"
        first = "* **A1. A fault.** What holds.\n  Tests: `tests/a`.\n"
        second = "* **A2. A fault.** What holds. Not tested: no moon.\n"
        self.write("docs/faults/daemons.md", "")
        self.write("docs/faults/ledger.md", "")
        self.write("docs/faults/recorder.md", "")
        for rows, expected in (
                (first + second, []),
                (second, ["docs/faults/processes.md:3: A2 does not follow"]),
                (first + first, ["docs/faults/processes.md:5: A1 does not follow"]),
                (first + "* **B1. A fault.** What holds.\n  Tests: `tests/a`.\n",
                 ["docs/faults/processes.md:5: B1 does not follow"]),
                ("* **A1. A fault.** What holds.\n",
                 ["docs/faults/processes.md:3: A1 has neither a test nor a reason"]),
                ("* **A1. A fault of `tests/a`.** What holds. Not tested:\n",
                 ["docs/faults/processes.md:3: A1 has neither a test nor a reason"]),
                ("", ["docs/faults/processes.md: section A has no faults"])):
            self.write("docs/faults/processes.md", head + rows)
            self.assertEqual(documents.check_faults(self.folder.name), expected)


class Rules(Tree):
    """Alerts compared with their pages, and recorded names."""

    ALERT = """      - alert: MemtallyA
        expr: memtally:a:ratio > 1
        for: 5m
        labels:
          severity: warning
        annotations:
          summary: 'A.'
          description: 'A.'
          runbook_url: file:///usr/share/doc/memtally/docs/runbooks.md#memtallya
"""
    RECORD = "      - record: memtally:a:ratio\n        expr: a / b\n"
    SELECTORS = "- '{__name__=~\"memtally:.+\"}'\n- '{__name__=\"ALERTS\",alertname=~\"Memtally.+\"}'\n"
    WRITTEN = "source_labels: [__name__, alertname]\nregex: 'memtally:.+;.*|ALERTS;Memtally.+'\n"

    def look(self, rule_text, page="## MemtallyA\n", when="**MemtallyA** fires.\n", selectors=SELECTORS,
             written=WRITTEN):
        self.write("contrib/prometheus/federation.yml", selectors)
        self.write("contrib/prometheus/remote_write.yml", written)
        self.write("contrib/prometheus/a.alerts.yml", "groups:\n  - rules:\n" + self.RECORD + rule_text)
        self.write("docs/runbooks.md", page)
        self.write("docs/alerts.md", when)
        return self.found(rules)

    def test_clean(self):
        self.assertEqual(self.look(self.ALERT), [])
        self.assertEqual(self.look(self.ALERT, "## MemtallyA\n`memtally:a:ratio` and memtally:host_.* or memtally:(a|b)_.+\n"), [])

    def test_lacks(self):
        for line, lack in (("for: 5m", "does not wait"), ("severity: warning", "no severity"), ("summary: 'A.'", "no summary"),
                           ("description: 'A.'", "no description"), ("runbook_url: file:///usr/share/doc/memtally/docs/runbooks.md#memtallya", "no runbook_url")):
            found = self.look(self.ALERT.replace(line, "job: x"))
            self.assertEqual(len(found), 1, found)
            self.assertIn("contrib/prometheus/a.alerts.yml:5: MemtallyA: " + lack, found[0])

    def test_page(self):
        self.assertEqual(self.look(self.ALERT, "## MemtallyB\n"),
                         ["docs/runbooks.md: does not describe MemtallyA", "docs/runbooks.md:1: there is no alert MemtallyB"])
        self.assertEqual(self.look(self.ALERT, when="MemtallyA.\n\n**MemtallyB.** Fires.\n"),
                         ["docs/alerts.md: does not describe MemtallyA", "docs/alerts.md:3: there is no alert MemtallyB"])

    def test_unrecorded(self):
        self.assertEqual(self.look(self.ALERT.replace("memtally:a:ratio", "memtally:a:sum")),
                         ["contrib/prometheus/a.alerts.yml:6: nothing records memtally:a:sum"])

    def test_ways_up(self):
        federation, remote_write = "contrib/prometheus/federation.yml", "contrib/prometheus/remote_write.yml"
        self.assertEqual(self.look(self.ALERT, written="source_labels: [__name__]\nregex: 'memtally:.+|ALERTS'\n"),
                         [f"{remote_write} alone takes ALERTS InstanceDown"])
        self.assertEqual(self.look(self.ALERT, written="source_labels: [__name__]\nregex: 'memtally:.+'\n"),
                         [f"{federation} alone takes ALERTS MemtallyA"])
        nothing = {"selectors": self.SELECTORS.split("\n", maxsplit=1)[0] + "\n",
                   "written": "source_labels: [__name__]\nregex: 'memtally:.+'\n"}
        self.assertEqual(self.look(self.ALERT, **nothing), [f"neither {federation} nor {remote_write} takes ALERTS MemtallyA"])
        everything = {"selectors": "- '{__name__=~\".+\"}'\n", "written": "source_labels: [__name__]\nregex: '.+'\n"}
        self.assertEqual(len(self.look(self.ALERT, **everything)), len(rules.FOREIGN))


class Dashboards(Tree):
    """A dashboard with one panel, for process-exporter's metrics or for memtally's."""

    SOURCE = {"type": "prometheus", "uid": "${datasource}"}
    THEIRS = "namedprocess_namegroup_num_procs"
    OURS = "memtally_user_pss_bytes"

    def setUp(self):
        super().setUp()
        self.write(dashboards.SERVED, "# TYPE namedprocess_namegroup_num_procs gauge\n"
                   "# TYPE namedprocess_namegroup_memory_bytes gauge\n"
                   'namedprocess_namegroup_memory_bytes{groupname="a",memtype="resident"} 1\n')
        self.write("docs/metrics.md", "<!-- BEGIN owner_scopes -->\n| `user` | `user` | Users. |\n<!-- END owner_scopes -->\n"
                   "| `memtally_SCOPE_pss_bytes` | gauge | PSS. |\n")
        self.write("contrib/prometheus/a.rules.yml", "- record: memtally:user_pss:ratio\n  expr: 1\n")

    def look(self, query=THEIRS, variable=THEIRS, board=None, defaults=None, overrides=(), **panel):
        """Returns what is found in a dashboard with a panel, changed as the arguments say, in a row."""
        panel = {"id": 2, "title": "A", "type": "timeseries", "description": "A.", "datasource": self.SOURCE,
                 "targets": [{"expr": query, "refId": "A", "legendFormat": "all"}],
                 "fieldConfig": {"defaults": {"unit": "bytes", **(defaults or {})}, "overrides": list(overrides)}, **panel}
        variable = {"name": "group", "type": "query", "datasource": self.SOURCE, "query": {"query": f"label_values({variable}, a)"}}
        self.write("contrib/grafana/a.json", json.dumps({
            "uid": "a", "tags": ["process-exporter"], "templating": {"list": [variable]},
            "panels": [{"id": 1, "type": "row", "panels": [panel]}], **(board or {})}))
        return [finding.removeprefix("contrib/grafana/a.json: ").removeprefix("A: ")
                for finding in dashboards.check_boards(self.folder.name)]

    def look_ours(self, query=OURS, **changes):
        board = {"tags": ["memtally"], **changes.pop("board", {})}
        return self.look(query, self.OURS, board, **changes)

    def test_clean(self):
        self.assertEqual(self.look('namedprocess_namegroup_memory_bytes{memtype="resident", groupname=~"$group"}'), [])
        self.assertEqual(self.look_ours('sum(memtally_host_pss_bytes) / memtally:user_pss:ratio{user=~"$group"}'), [])
        self.assertEqual(self.look_ours('up{job="a"}'), [])

    def test_their_names(self):
        self.assertEqual(self.look("up"), ["names no metric"])
        self.assertEqual(self.look("memtally_user_pss_bytes"), ["process-exporter has no memtally_user_pss_bytes"])
        self.assertEqual(self.look("namedprocess_namegroup_states"),
                         ["memtally does not serve namedprocess_namegroup_states"])

    def test_our_names(self):
        self.assertEqual(self.look_ours("vector(1)"), ["names no metric"])
        for name in ("memtally_unit_pss_bytes", "memtally_user_rss_bytes", "memtally:user_pss", "process_open_fds", self.THEIRS):
            self.assertEqual(self.look_ours(name), [f"there is no metric {name}"])
        marked = {"name": "A", "datasource": self.SOURCE, "expr": "memtally_user_rss_bytes"}
        self.assertEqual(self.look_ours(board={"annotations": {"list": [marked]}}), ["there is no metric memtally_user_rss_bytes"])

    def test_absence(self):
        for query in ("{} or vector(0)", "{}\nor on () vector(1)"):
            number = query[query.index("vector"):]
            self.assertEqual(self.look_ours(query.format(self.OURS)), [f"shows {number} without data"])
            self.assertEqual(self.look(query.format(self.THEIRS)), [f"shows {number} without data"])
        self.assertEqual(self.look_ours("sum(memtally_user_pss_bytes == bool 0)"), [])

    def test_memtypes(self):
        query = 'namedprocess_namegroup_memory_bytes{memtype="%s"}'
        self.assertEqual(self.look(query % "rss"), ["process-exporter has no memtype rss"])
        self.assertEqual(self.look(query % "virtual"), ["memtally does not serve memtype virtual"])

    def test_variables(self):
        self.assertEqual(self.look('namedprocess_namegroup_num_procs{job="$job"}'), ["there is no variable job"])

    def test_parts(self):
        self.assertEqual(self.look(type="piechart-panel"), ["a panel of type piechart-panel"])
        self.assertEqual(self.look(datasource={"type": "prometheus", "uid": "abc"}), ["another data source"])
        self.assertEqual(self.look(description=""), ["no description"])
        self.assertEqual(self.look(fieldConfig={"defaults": {}, "overrides": []}), ["no unit"])
        self.assertEqual(self.look(defaults={"unit": "byte"}), ["there is no unit byte"])
        self.assertEqual(self.look(id=1), ["two panels have the id 1"])
        self.assertEqual(self.look(targets=[{"expr": self.THEIRS, "refId": "A"}] * 2), ["two queries have one refId"])

    def test_overrides(self):
        def of(name, key="unit", value="s"):
            return [{"matcher": {"id": "byName", "options": name}, "properties": [{"id": key, "value": value}]}]
        self.assertEqual(self.look(overrides=of("all")), [])
        self.assertEqual(self.look(overrides=of("al")), ["has no series or column 'al'"])
        self.assertEqual(self.look(overrides=of("all", "custom.fillBelowTo", "low")), ["has no series or column 'low'"])
        self.assertEqual(self.look(overrides=of("all", value="seconds")), ["there is no unit seconds"])
        self.assertEqual(self.look(overrides=of("User"), transformations=[{"options": {"renameByName": {"user": "User"}}}]), [])

    def test_colors(self):
        def of(color):
            return {"thresholds": {"steps": [{"color": color, "value": None}]}}
        self.assertEqual(self.look(defaults=of(dashboards.grafana.BAD)), [])
        self.assertEqual(self.look(defaults=of("red")), ["a threshold has the colour red"])

    def test_links(self):
        self.assertEqual(self.look(defaults={"links": [{"url": "/d/a?var-group=b&${__url_time_range}"}]}), [])
        self.assertEqual(self.look(defaults={"links": [{"url": "/d/a?var-user=b"}]}), ["a has no variable user"])
        self.assertEqual(self.look(defaults={"links": [{"url": "/d/b?var-user=b"}]}), ["there is no dashboard /d/b?var-user=b"])
        self.assertEqual(self.look(board={"links": [{"tags": ["b"]}]}), ["no other dashboard has the tags b"])
        self.write("contrib/grafana/b.json", json.dumps({"uid": "b", "tags": ["b"], "templating": {"list": []}, "panels": []}))
        self.assertEqual(self.look(board={"links": [{"tags": ["b"]}]}), [])
        self.assertEqual(self.look(board={"uid": "b"}), ["contrib/grafana: two dashboards have one uid"])

    def test_made(self):
        self.write("contrib/grafana/a.json", "{}\n")
        self.assertEqual(dashboards.check_made(self.folder.name, {"contrib/grafana/a.json": "{}\n"}), [])
        for made in ({"contrib/grafana/a.json": "[]\n"}, {"contrib/grafana/b.json": "{}\n"}):
            self.assertEqual(len(dashboards.check_made(self.folder.name, made)), 1)

    def test_new_metric(self):
        """A new row of the table of metrics appears, unless another panel shows it."""
        def of(*names):
            families = [[name, "gauge", "-", ["-"], "both", "a", "A."] for name in names]
            tables = dashboards.boards.Metrics(lambda scope: families if scope == "host" else [], [], [])
            return dashboards.boards.made(tables)["contrib/grafana/host.json"]
        self.assertEqual(of(), of("memtally_host_pss_bytes"))
        self.assertIn('"title": "memtally_host_new_bytes"', of("memtally_host_new_bytes"))


class Units(Tree):
    """The interpretation of systemd's output by units.py."""

    SETS = {"@default": {"read"}, "@service": {"write", "@more"}, "@more": {"kcmp", "ptrace"}, "@known": {"open"}}

    def test_sets(self):
        text = "\x1b[0;1m@a\x1b[0m\n    # What it is\n    @b\n    read\n\n@b\n    # That\n    write\n"
        self.assertEqual(units.parse_sets(text), {"@a": {"@b", "read"}, "@b": {"write"}})

    def test_allowed(self):
        unit = "SystemCallFilter=@service\nSystemCallFilter=~@more write\nSystemCallFilter=kcmp\n"
        self.assertEqual(units.allowed_by(unit, self.SETS), {"read", "kcmp"})

    def test_refused(self):
        calls = {"base_calls": "write", "unix_calls": "setrlimit", "pass_calls": "open", "serve_calls": "open"}
        tables = {place for places in units.TABLES.values() for place in places}
        for path in {path for path, _ in tables}:
            self.write(path, "".join(
                f'struct c {table}[] = {{\n\tCALL("read"),\n\tFILTER_CALL_IS("{calls.get(table, "read")}", 1, 2),\n}};\n'
                for its, table in sorted(tables) if its == path))
        names = " ".join(units.NARROWING["memtally-web"])
        for program in units.PROGRAMS:
            self.write(f"{units.UNITS}/{program}.service.in", f"SystemCallFilter={names}\nSystemCallFilter=open\n")
        unit = f"{units.UNITS}/%s.service.in: refuses write, which the program's own filter allows"
        sets = {**self.SETS, "@known": {"write"}}
        self.assertEqual(units.check_filters(self.folder.name, sets), [unit % p for p in units.PROGRAMS])
        self.assertEqual(units.check_filters(self.folder.name, self.SETS), [])

    def test_pauses(self):
        for program in units.PROGRAMS:
            self.write(f"{units.UNITS}/{program}.service.in",
                       """ExecStopPost=-sh -c 'test "$$EXIT_STATUS" != 2 || sleep 4'\n""")
        found = units.check_pauses(self.folder.name)
        part = f"{units.UNITS}/memtallyd.service.in: ExecStopPost= has no pause after "
        self.assertIn(part + "exit-code/1", found)
        self.assertNotIn(part + "exit-code/2", found)
        self.write(f"{units.UNITS}/memtallyd.service.in", "Restart=always\n")
        self.assertIn(f"{units.UNITS}/memtallyd.service.in: no ExecStopPost= with a pause",
                      units.check_pauses(self.folder.name))

    def test_target(self):
        for program in units.PROGRAMS:
            self.write(f"{units.UNITS}/{program}.service.in", "PartOf=a memtally.target\nWantedBy=a b memtally.target\n")
            self.write(f"{units.UNITS}/{program}.socket", "PartOf=memtally.target\n")
        services = [f"{program}.service" for program in units.PROGRAMS]
        for path in units.TARGET_FILES:
            self.write(f"{units.UNITS}/{path}", "Also=" + " ".join(services) + "\n")
        self.assertEqual(units.check_target(self.folder.name), [])
        self.write(f"{units.UNITS}/memtallyd.service.in", "WantedBy=multi-user.target\n")
        self.write(f"{units.UNITS}/memtally-web.socket", "PartOf=\n")
        for path in units.TARGET_FILES:
            self.write(f"{units.UNITS}/{path}", "Also=" + " ".join(services[:2]) + "\n")
        self.assertEqual(units.check_target(self.folder.name),
                         [f"{units.UNITS}/memtallyd.service.in: is not PartOf=memtally.target",
                          f"{units.UNITS}/memtallyd.service.in: is not WantedBy=memtally.target",
                          f"{units.UNITS}/memtally-web.socket: is not PartOf=memtally.target",
                          f"{units.UNITS}/memtally.target: no Also=memtally-ledger.service",
                          f"{units.UNITS}/memtally.target: no Also=memtally-recorder.service"])

    def test_exposure(self):
        self.assertEqual(units.check_exposure({"a": (9, "")}), [])
        for exposure in ((10, "\u2717 PrivateUsers="), (None, "no such unit")):
            found = units.check_exposure({"a": exposure})
            self.assertEqual(len(found), 1)
            self.assertIn(exposure[1], found[0])
        for tenths, count in ((11, 0), (12, 1)):
            found = units.check_exposure({"memtallyd.service with tmpfs.conf": (tenths, "")})
            self.assertEqual(len(found), count, found)

    def test_page(self):
        text = "of systemd 252\n| `a` | 0.8 | x |\n"
        self.assertEqual(units.check_page(text, "252", {"a": (8, "")}), [])
        self.assertEqual(len(units.check_page(text, "252", {"a": (7, ""), "b": (8, "")})), 2)
        self.assertEqual(units.check_page(text, "253", {"a": (7, "")}), [])


if __name__ == "__main__":
    unittest.main()
