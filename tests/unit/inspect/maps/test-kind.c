/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the kinds and names of mappings, with lines as Linux prints them. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/text.h"
#include "inspect/maps/kind.h"

struct sample {
	const char *perms;
	uint64_t inode, anonymous;
	uint32_t major, minor;
	const char *path, *flags;
};

static struct mapping mapping_of(const struct sample *s)
{
	struct mapping m = {
		.inode = s->inode,
		.major = s->major,
		.minor = s->minor,
		.path = s->path,
		.path_len = strlen(s->path),
		.flags = s->flags,
		.flags_len = strlen(s->flags),
		.q[MAPPING_ANONYMOUS] = s->anonymous,
	};

	snprintf(m.perms, sizeof(m.perms), "%s", s->perms);
	return m;
}

static void finds_the_kind_of_a_mapping(void **state)
{
	static const struct {
		struct sample s;
		enum kind kind;
		bool is_deleted;
		const char *name;
	} cases[] = {
		{{"rw-p", 0, 0, 0, 0, "[heap]", "rd wr"}, KIND_HEAP, false, "[heap]"},
		{{"rw-p", 0, 0, 0, 0, "[stack]", "rd wr gd"}, KIND_STACK, false, "[stack]"},
		{{"rw-p", 0, 0, 0, 0, "[stack:123]", "rd wr"}, KIND_STACK, false, "[stack:123]"},
		{{"rw-p", 0, 4096, 0, 0, "", "rd wr"}, KIND_ANON, false, "[anon]"},
		{{"rw-p", 0, 4096, 0, 0, "[anon:arena\033]", "rd"}, KIND_ANON, false,
			"[anon:arena\\x1b]"},
		{{"r-xp", 0, 0, 0, 0, "[vdso]", "rd ex de"}, KIND_KERNEL, false, "[vdso]"},
		{{"r--p", 0, 0, 0, 0, "[vvar]", "rd io pf de"}, KIND_KERNEL, false, "[vvar]"},
		{{"r-xp", 7, 0, 8, 1, "/usr/lib/libc.so.6", "rd ex"}, KIND_CODE, false,
			"/usr/lib/libc.so.6"},
		{{"r--p", 7, 0, 8, 1, "/usr/lib/libc.so.6", "rd"}, KIND_FILE, false,
			"/usr/lib/libc.so.6"},
		{{"r--p", 7, 4096, 8, 1, "/usr/lib/libc.so.6", "rd"}, KIND_DATA, false,
			"/usr/lib/libc.so.6"},
		{{"rw-p", 7, 0, 8, 1, "/usr/lib/libc.so.6 (deleted)", "rd"}, KIND_DATA, true,
			"/usr/lib/libc.so.6"},
		{{"rw-s", 7, 0, 8, 1, "/var/db", "rd wr sh"}, KIND_FILE, false, "/var/db"},
		/* On overlayfs and NFS, which have no block device either. */
		{{"r-xp", 7, 0, 0, 40, "/bin/true", "rd ex"}, KIND_CODE, false, "/bin/true"},
		{{"rw-s", 9, 0, 0, 1, "/dev/zero (deleted)", "rd wr sh"}, KIND_SHMEM, false,
			"[shared]"},
		{{"rw-s", 42, 0, 0, 1, "/SYSV0000002a (deleted)", "rd"}, KIND_SHMEM, false,
			"SysV 42"},
		{{"rw-s", 9, 0, 0, 1, "/memfd:my \nthing (deleted)", "rd"}, KIND_SHMEM, false,
			"memfd:my \\x0athing"},
		{{"r-xp", 9, 0, 0, 1, "/memfd:code (deleted)", "rd ex"}, KIND_SHMEM, false,
			"memfd:code"},
		{{"rw-s", 9, 0, 0, 25, "/dev/shm/x", "rd wr sh"}, KIND_SHMEM, false, "/dev/shm/x"},
		{{"rw-s", 9, 0, 0, 25, "/dev/shm/x (deleted)", "rd"}, KIND_SHMEM, false,
			"/dev/shm/x"},
		{{"rw-s", 9, 0, 0, 18, "/[aio] (deleted)", "rd"}, KIND_FILE, false, "/[aio]"},
		/* a name that ends like one of memtally's marks */
		{{"r--p", 7, 0, 8, 1, "/x [deleted]", "rd"}, KIND_FILE, false, "/x \\x5bdeleted]"},
		{{"r--p", 7, 0, 8, 1, "/x [deleted] (deleted)", "rd"}, KIND_FILE, true,
			"/x \\x5bdeleted]"},
		{{"rw-s", 9, 0, 0, 1, "/drm mm object (deleted)", "rd"}, KIND_SHMEM, false,
			"/drm mm object"},
		/* The kernel prints newlines as "\012". All other backslashes are literal. */
		{{"r--p", 7, 0, 8, 1, "/\\012two\\012\\012li\\nes\\01\\012", "rd"}, KIND_FILE,
			false, "/\\x0atwo\\x0a\\x0ali\\nes\\01\\x0a"},
		{{"r--p", 7, 0, 8, 1, "/\xc3\\012\xa9 (deleted)", "rd"}, KIND_FILE, true,
			"/\xef\xbf\xbd\\x0a\xef\xbf\xbd"},
		{{"rw-s", 9, 0, 0, 1, "/memfd:\\012 (deleted)", "rd"}, KIND_SHMEM, false,
			"memfd:\\x0a"},
		/* File names on disk that look like special mappings. */
		{{"rw-s", 9, 0, 8, 1, "/memfd:x", "rd"}, KIND_FILE, false, "/memfd:x"},
		{{"rw-s", 9, 0, 8, 1, "/SYSV0 (deleted)", "rd"}, KIND_FILE, true, "/SYSV0"},
		{{"rw-p", 9, 0, 0, 15, "/anon_hugepage (deleted)", "rd wr ht"}, KIND_HUGETLB, false,
			"/anon_hugepage"},
		{{"rw-s", 9, 0, 0, 15, "/dev/hugepages/a", "rd wr ht"}, KIND_HUGETLB, false,
			"/dev/hugepages/a"},
		{{"rw-s", 9, 0, 0, 5, "/dev/fb0", "rd wr sh io pf"}, KIND_DEVICE, false,
			"/dev/fb0"},
		{{"rw-s", 1, 0, 0, 14, "anon_inode:[perf_event]", "rd wr"}, KIND_DEVICE, false,
			"anon_inode:[perf_event]"},
		{{"rw-s", 764544, 0, 0, 9, "socket:[764544]", "rd wr sh mr mw me ms mm"},
			KIND_DEVICE, false, "socket:[764544]"},
		{{"rw-s", 1038, 0, 0, 16, "anon_inode:bpf-map", "rd wr sh mr mw me ms de dd mm"},
			KIND_DEVICE, false, "anon_inode:bpf-map"},
		{{"rw-s", 5, 0, 0, 5, "/dev/driver", "rd wr sh mm"}, KIND_DEVICE, false,
			"/dev/driver"},
		{{"rw-s", 764548, 0, 0, 14, "/secretmem (deleted)", "rd wr sh lo"}, KIND_SHMEM,
			false, "/secretmem"},
		{{"r--s", 7, 0, 8, 1, "/secretmem (deleted)", "rd sh"}, KIND_FILE, true,
			"/secretmem"},
		/* Programs that create and unlink temporary files give them such names. */
		{{"r-xs", 7, 0, 8, 1, "/srv/a/ffiAb3dEf (deleted)", "rd ex"}, KIND_CODE, false,
			"/srv/a/ffiAb3dEf"},
		{{"r-xp", 7, 0, 8, 1, "/srv/a/.cache/JNA/temp/jna123.tmp (deleted)", "rd ex"},
			KIND_CODE, false, "/srv/a/.cache/JNA/temp/jna123.tmp"},
		/* Flags are whole words: none matches across two. */
		{{"rw-p", 0, 0, 0, 0, "", "xh tx"}, KIND_ANON, false, "[anon]"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct mapping m = mapping_of(&cases[i].s);
		AUTO_BUFFER struct buffer name = {0};

		kind_add_name(&m, &name);
		buffer_add_char(&name, '\0');
		if (kind_of(&m) != cases[i].kind)
			fail_msg("%zu: %s", i, kind_name(kind_of(&m)));
		assert_int_equal(kind_is_deleted(&m), cases[i].is_deleted);
		assert_string_equal(name.data, cases[i].name);
	}
}

/* If the file was checked, the result counts; otherwise the kernel's " (deleted)" does. */
static void a_name_may_look_deleted(void **state)
{
	static const struct sample s = {"r--p", 7, 0, 8, 1, "/a (deleted)", "rd"};
	static const struct {
		enum mapping_fate fate;
		bool is_deleted;
		const char *name, *note;
	} cases[] = {
		{MAPPING_NOT_ASKED, true, "/a", " [deleted]"},
		{MAPPING_DELETED, true, "/a", " [deleted]"},
		{MAPPING_REPLACED, true, "/a", " [replaced]"},
		{MAPPING_UNCERTAIN, true, "/a", " [deleted?]"},
		{MAPPING_THERE, false, "/a", ""},
		{MAPPING_LITERAL, false, "/a (deleted)", ""},
		{MAPPING_UNLINKED, false, "/a", " [unlinked]"},
	};

	(void)state;
	assert_int_equal(ARRAY_SIZE(cases), MAPPING_FATES);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct mapping m = mapping_of(&s);
		AUTO_BUFFER struct buffer name = {0};

		m.fate = cases[i].fate;
		kind_add_name(&m, &name);
		buffer_add_char(&name, '\0');
		assert_string_equal(name.data, cases[i].name);
		assert_int_equal(kind_path_len(&m), strlen(cases[i].name));
		assert_int_equal(kind_is_deleted(&m), cases[i].is_deleted);
		assert_string_equal(kind_note(kind_is_deleted(&m), kind_fate(&m)), cases[i].note);
	}
}

static void temporary_files_are_identified_by_name(void **state)
{
	static const struct {
		const char *path;
		enum kind_temporary expected;
	} cases[] = {
		{"/tmp/ffiAb3dEf (deleted)", KIND_TEMPORARY},
		{"/srv/a/ffi000000", KIND_TEMPORARY},
		{"/srv/a/ffi00000", KIND_NOT_TEMPORARY},
		{"/usr/lib/ffi-12345", KIND_NOT_TEMPORARY},
		{"/usr/lib/libffi.so.8 (deleted)", KIND_NOT_TEMPORARY},
		{"/tmp/jna--123/jna4567890.tmp (deleted)", KIND_TEMPORARY},
		{"/srv/a/jna.tmp (deleted)", KIND_NOT_TEMPORARY},
		{"/srv/a/jna12x.tmp (deleted)", KIND_NOT_TEMPORARY},
		{"/run/user/1000/orcexec.Ab3dEf (deleted)", KIND_TEMPORARY},
		{"/#12345 (deleted)", KIND_TEMPORARY},
		{"/var/#12345 (deleted) (deleted)", KIND_NOT_TEMPORARY},
		{"/tmp/#a (deleted)", KIND_NOT_TEMPORARY},
		{"/tmp/libnetty_tcnative123.so (deleted)", KIND_MAYBE_TEMPORARY},
		{"/var/tmp/a/libb.so.1 (deleted)", KIND_MAYBE_TEMPORARY},
		{"/tmp/a.so/program (deleted)", KIND_NOT_TEMPORARY},
		{"/tmp/data (deleted)", KIND_NOT_TEMPORARY},
		{"/usr/lib/tmp/liba.so (deleted)", KIND_NOT_TEMPORARY},
		{"/", KIND_NOT_TEMPORARY},
		{"", KIND_NOT_TEMPORARY},
		{" (deleted)", KIND_NOT_TEMPORARY},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (kind_temporary(cases[i].path, strlen(cases[i].path)) != cases[i].expected)
			fail_msg("%s", cases[i].path);
}

static void each_kind_has_a_name(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < KIND_END; i++) {
		assert_int_equal(kind_find(kind_name((enum kind)i)), i);
		for (unsigned int k = 0; k < i; k++)
			assert_string_not_equal(kind_name((enum kind)i), kind_name((enum kind)k));
	}
}

/* No file name can look as if one of memtally's notes followed it. */
static void no_name_ends_like_a_note(void **state)
{
	(void)state;
	for (unsigned int fate = 0; fate < MAPPING_FATES; fate++) {
		AUTO_BUFFER struct buffer path = {0}, name = {0};
		const char *note = kind_note(true, (enum mapping_fate)fate);

		if (!note || !*note)
			continue;
		buffer_add_text(&path, "/x");
		buffer_add_text(&path, note);
		kind_add_path(path.data, path.len, &name);
		assert_int_equal(name.len, path.len + TEXT_RESERVED_MORE);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_name_ends_like_a_note),
		cmocka_unit_test(finds_the_kind_of_a_mapping),
		cmocka_unit_test(a_name_may_look_deleted),
		cmocka_unit_test(temporary_files_are_identified_by_name),
		cmocka_unit_test(each_kind_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
