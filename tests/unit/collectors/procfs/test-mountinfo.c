/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/procfs/mountinfo.h: the parser of /proc/PID/mountinfo. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "collectors/procfs/mountinfo.h"

/* Parses TEXT, which has one mount and is modified. */
static int parse(char *text, size_t len, struct mountinfo *ret)
{
	char *at = text;
	int r = mountinfo_next(&at, text + len, ret);

	assert_true(r < 0 || at == text + len);
	return r;
}

static void parses_a_line(void **state)
{
	char text[] =
		"36 35 254:1048575 /srv/data /mnt/data rw,noatime shared:7 master:1 - ext4 /dev/vda "
		"rw,discard\n";
	struct mountinfo m;

	(void)state;
	assert_int_equal(parse(text, sizeof(text) - 1, &m), 0);
	assert_int_equal(m.id, 36);
	assert_int_equal(m.parent_id, 35);
	assert_int_equal(m.major, 254);
	assert_int_equal(m.minor, 1048575);
	assert_string_equal(m.root, "/srv/data");
	assert_string_equal(m.mountpoint, "/mnt/data");
	assert_string_equal(m.options, "rw,noatime");
	assert_string_equal(m.fstype, "ext4");
	assert_string_equal(m.source, "/dev/vda");
	assert_string_equal(m.super_options, "rw,discard");
}

/* There may be no optional fields, or unknown ones of later kernels. */
static void skips_optional_fields(void **state)
{
	static const char *const optional[] = {"", "shared:7 ", "master:1 propagate_from:3 ",
		"unbindable ", "shared:7 from:a-tomorrow -- "};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(optional); i++) {
		char text[128];
		int n = snprintf(
			text, sizeof(text), "1 0 0:5 / / rw %s- tmpfs none rw\n", optional[i]);
		struct mountinfo m;

		assert_int_equal(parse(text, (size_t)n, &m), 0);
		assert_string_equal(m.options, "rw");
		assert_string_equal(m.fstype, "tmpfs");
	}
}

/* Every byte of a name is restored, including text that looks like an escape. */
static void unescapes_names(void **state)
{
	char text[] = "1 0 0:5 /a\\040b\\011c\\012d\\134e /\\134040\\040-\\040x\xff rw - "
		      "fuse.a\\040\\043b \\043\\040s rw,lower=a\\054b\\134c x\n";
	struct mountinfo m;

	(void)state;
	assert_int_equal(parse(text, sizeof(text) - 1, &m), 0);
	assert_string_equal(m.root, "/a b\tc\nd\\e");
	assert_string_equal(m.mountpoint, "/\\040 - x\xff");
	assert_string_equal(m.fstype, "fuse.a #b");
	assert_string_equal(m.source, "# s");
	assert_string_equal(m.super_options, "rw,lower=a\\054b\\134c x");
}

/* mount("", "/tmp", "tmpfs", ...) */
static void takes_an_empty_source(void **state)
{
	char text[] = "1 0 0:5 / /tmp rw - tmpfs  rw,size=4k\n";
	struct mountinfo m;

	(void)state;
	assert_int_equal(parse(text, sizeof(text) - 1, &m), 0);
	assert_string_equal(m.source, "");
	assert_string_equal(m.super_options, "rw,size=4k");
}

/* Roots that are no path in this mount namespace. */
static void takes_roots_of_any_kind(void **state)
{
	static const char *const roots[] = {"net:[4026531840]", "/../..", "/a//deleted"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
		char text[128];
		int n = snprintf(
			text, sizeof(text), "1 0 0:4 %s /run/x rw - nsfs nsfs rw\n", roots[i]);
		struct mountinfo m;

		assert_int_equal(parse(text, (size_t)n, &m), 0);
		assert_string_equal(m.root, roots[i]);
	}
}

/* Other lines are skipped and leave the result unchanged. */
static void skips_other_lines(void **state)
{
	static const char *const lines[] = {
		"\n",
		"x\n",
		"1 0 0:5 / / rw - tmpfs none\n",
		"1 0 0:5 / / rw - tmpfs none \n",
		"1 0 0:5 / / rw - tmpfs\n",
		"1 0 0:5 / / rw -\n",
		"1 0 0:5 / / rw tmpfs none rw\n",
		"1 0 0:5 / / rw  - tmpfs none rw\n",
		"1 0 0:5 / /  - tmpfs none rw\n",
		"1 0 0:5  / rw - tmpfs none rw\n",
		"1 0 0:5 /  rw - tmpfs none rw\n",
		"1 0 0:5 / / rw -  none rw\n",
		"1 0 05 / / rw - tmpfs none rw\n",
		"1 0 0:5/ / rw - tmpfs none rw\n",
		"1 -1 0:5 / / rw - tmpfs none rw\n",
		" 1 0 0:5 / / rw - tmpfs none rw\n",
		"1 0 0:4294967296 / / rw - tmpfs none rw\n",
		"1 0 4294967296:5 / / rw - tmpfs none rw\n",
		"18446744073709551616 0 0:5 / / rw - tmpfs none rw\n",
		"1 0 0:5 /\\ / rw - tmpfs none rw\n",
		"1 0 0:5 /\\04 / rw - tmpfs none rw\n",
		"1 0 0:5 / /\\048 rw - tmpfs none rw\n",
		"1 0 0:5 / /\\000 rw - tmpfs none rw\n",
		"1 0 0:5 / / rw - tmp\\400 none rw\n",
		"1 0 0:5 / / rw - tmpfs \\04 rw\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct mountinfo m = {.id = 777};
		char text[128];
		int n = snprintf(text, sizeof(text), "%s", lines[i]);

		assert_int_equal(parse(text, (size_t)n, &m), MOUNTINFO_OTHER);
		assert_int_equal(m.id, 777);
	}
	{
		char text[] = "1 0 0:5 /\0 / rw - tmpfs none rw\n";
		struct mountinfo m;

		assert_int_equal(parse(text, sizeof(text) - 1, &m), MOUNTINFO_OTHER);
	}
}

/* The fields of a mount stay valid while the walk goes on. */
static void walks_to_the_end(void **state)
{
	char text[] = "1 0 8:1 / / rw - ext4 /dev/sda rw\n"
		      "what is this\n"
		      "2 1 0:5 / /tmp rw - tmpfs none rw,size=4k\n";
	char *at = text, *end = text + sizeof(text) - 1;
	struct mountinfo first, second;

	(void)state;
	assert_int_equal(mountinfo_next(&at, end, &first), 0);
	assert_int_equal(mountinfo_next(&at, end, &second), MOUNTINFO_OTHER);
	assert_int_equal(mountinfo_next(&at, end, &second), 0);
	assert_string_equal(first.super_options, "rw");
	assert_string_equal(first.fstype, "ext4");
	assert_string_equal(second.super_options, "rw,size=4k");
	assert_int_equal(mountinfo_next(&at, end, &second), MOUNTINFO_END);
	assert_int_equal(mountinfo_next(&at, end, &second), MOUNTINFO_END);
}

/* Nothing past the end is read: the text is allocated to its exact size. */
static void refuses_a_cut_text(void **state)
{
	static const char line[] = "1 0 0:5 / /tmp rw - tmpfs none rw";

	(void)state;
	for (size_t len = 1; len < sizeof(line); len++) {
		AUTO_FREE char *text = malloc(len);
		struct mountinfo m;
		char *at = text;

		assert_non_null(text);
		memcpy(text, line, len);
		assert_int_equal(mountinfo_next(&at, text + len, &m), -EBADMSG);
	}
}

static void matches_whole_option_names(void **state)
{
	(void)state;
	assert_true(mountinfo_has_option("rw,memory", "memory"));
	assert_true(mountinfo_has_option("memory,cpu", "memory"));
	assert_true(mountinfo_has_option("rw,memory,cpu", "memory"));
	assert_true(mountinfo_has_option("rw,name=systemd", "name=systemd"));
	assert_false(mountinfo_has_option("rw,memory_x,xmemory", "memory"));
	assert_false(mountinfo_has_option("", "memory"));
	assert_false(mountinfo_has_option("rw", "memory"));
}

/* Every mount of this host has the known form, and its device is that of stat(). */
static void reads_this_kernels_mountinfo(void **state)
{
	AUTO_CLOSE int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int none = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_BUFFER struct buffer text = {0};
	struct mountinfo m;
	unsigned int mounts = 0;
	bool has_proc = false;
	char *at;
	int r;

	(void)state;
	assert_int_equal(mountinfo_read(proc, &text), 0);
	at = text.data;
	while ((r = mountinfo_next(&at, text.data + text.len, &m)) == 0) {
		struct stat st;

		mounts++;
		if (strcmp(m.fstype, "proc") != 0 || strcmp(m.mountpoint, "/proc") != 0)
			continue;
		assert_int_equal(stat("/proc", &st), 0);
		/* Another mount may cover it, later in the list. */
		has_proc = m.major == major(st.st_dev) && m.minor == minor(st.st_dev);
	}
	assert_int_equal(r, MOUNTINFO_END);
	assert_true(mounts > 0);
	assert_true(has_proc);
	assert_int_equal(mountinfo_read(none, &text), -ENOENT);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_a_line),
		cmocka_unit_test(skips_optional_fields),
		cmocka_unit_test(unescapes_names),
		cmocka_unit_test(takes_an_empty_source),
		cmocka_unit_test(takes_roots_of_any_kind),
		cmocka_unit_test(skips_other_lines),
		cmocka_unit_test(walks_to_the_end),
		cmocka_unit_test(refuses_a_cut_text),
		cmocka_unit_test(matches_whole_option_names),
		cmocka_unit_test(reads_this_kernels_mountinfo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
