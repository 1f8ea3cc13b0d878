/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the detection of drivers' memory in lines of smaps. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "inspect/pages/drivermemory.h"

enum { KIB = 1024 };

struct line {
	const char *path, *flags;
	uint64_t inode, offset;
	uint32_t major, minor;
	uint64_t pss_kib, anonymous_kib;
	uint64_t driver_kib, vmalloc_kib; /* expected */
};

static void add(struct drivermemory *d, const struct line *l)
{
	struct mapping m = {
		.path = l->path,
		.path_len = strlen(l->path),
		.flags = l->flags,
		.flags_len = strlen(l->flags),
		.perms = "rw-s",
		.offset = l->offset,
		.inode = l->inode,
		.major = l->major,
		.minor = l->minor,
	};

	m.q[MAPPING_PSS] = l->pss_kib * KIB;
	m.q[MAPPING_ANONYMOUS] = l->anonymous_kib * KIB;
	drivermemory_add(d, &m);
}

/* Lines as Linux 6.18 prints them, and similar ones. */
static void distinguishes_drivers_memory_from_files(void **state)
{
	static const struct line lines[] = {
		{"socket:[27609]", "rd wr sh mr mw me ms mm", 27609, 0, 0, 9, 64, 0, 64, 0},
		{"anon_inode:bpf-map", "rd wr sh mr mw me ms de dd mm", 1038, 0, 0, 16, 32, 0, 32,
			32},
		{"anon_inode:bpf-map", "rd sh mr me ms de dd mm", 1038, 4096, 0, 16, 32, 0, 32, 0},
		{"anon_inode:[io_uring]", "rd wr sh mr mw me ms mm", 1038, 0, 0, 16, 8, 0, 8, 0},
		{"anon_inode:kvm-vcpu:0", "rd wr sh mr mw me ms", 1038, 0, 0, 16, 12, 0, 12, 0},
		{"/dev/video0", "rd wr sh mr mw me ms mm", 300, 0, 0, 6, 512, 0, 512, 0},
		{"/dev/private", "rd wr mr mw me mm", 301, 0, 0, 6, 512, 500, 12, 0},
		{"/dev/private", "rd wr mr mw me mm", 301, 0, 0, 6, 500, 512, 0, 0},
		{"/dev/io", "rd wr sh mr mw me ms io pf", 302, 0, 0, 6, 0, 0, 0, 0},
		/* Page cache, or shared memory: */
		{"anon_inode:[kvm-gmem]", "rd wr sh mr mw me ms", 1038, 0, 0, 16, 64, 0, 0, 0},
		{"/secretmem (deleted)", "rd wr sh mr mw me ms lo", 2, 0, 0, 15, 64, 0, 0, 0},
		{"/[aio] (deleted)", "rd wr sh mr mw me ms", 3, 0, 0, 17, 64, 0, 0, 0},
		{"/memfd:socket:[1] (deleted)", "rd wr sh mr mw me ms", 4, 0, 0, 1, 64, 0, 0, 0},
		{"/drm mm object (deleted)", "rd wr sh mr mw me ms mm", 5, 0, 0, 1, 64, 0, 0, 0},
		{"/tmp/anon_inode:bpf-map", "rd wr sh mr mw me ms", 6, 0, 8, 1, 64, 0, 0, 0},
		{"[heap]", "rd wr mr mw me ac", 0, 0, 0, 0, 64, 64, 0, 0},
		{"", "rd wr mr mw me ac", 0, 0, 0, 0, 64, 64, 0, 0},
	};
	struct drivermemory all = {0};
	uint64_t pss_kib = 0, vmalloc_kib = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct drivermemory d = {0};

		add(&d, &lines[i]);
		add(&all, &lines[i]);
		if (d.pss != lines[i].driver_kib * KIB || d.vmalloc != lines[i].vmalloc_kib * KIB)
			fail_msg("%zu: %s: %llu %llu", i, lines[i].path, (unsigned long long)d.pss,
				(unsigned long long)d.vmalloc);
		pss_kib += lines[i].driver_kib;
		vmalloc_kib += lines[i].vmalloc_kib;
	}
	assert_int_equal(all.pss, pss_kib * KIB);
	assert_int_equal(all.vmalloc, vmalloc_kib * KIB);
}

static void does_not_wrap(void **state)
{
	const struct line most = {
		.path = "socket:[1]", .flags = "mm", .inode = 1, .pss_kib = INT64_MAX / KIB};
	struct drivermemory d = {0};

	(void)state;
	for (unsigned int i = 0; i < 4; i++)
		add(&d, &most);
	assert_true(d.pss == UINT64_MAX);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(distinguishes_drivers_memory_from_files),
		cmocka_unit_test(does_not_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
