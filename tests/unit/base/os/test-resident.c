/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/os/resident.h: giving unused memory back to the kernel. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/os/resident.h"

static int in_use = 42; /* written, so that it is not the file's content */
static const char *const sealed[] = {"relocated", "and then sealed"};

/* Resident file pages: the third number of statm. */
static uint64_t resident_pages(void)
{
	AUTO_CLOSE int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	char text[256];
	ssize_t n = read(fd, text, sizeof(text));
	const char *at = text;
	uint64_t pages = 0;

	assert_true(n > 0);
	for (int i = 0; i < 3; i++) {
		int used = number_scan_u64(at, (size_t)(text + n - at), &pages);

		assert_true(used > 0);
		at += used + 1;
	}
	return pages;
}

static int touch(struct dl_phdr_info *info, size_t size, void *sum)
{
	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const volatile unsigned char *bytes = (const void *)(info->dlpi_addr +
								     segment->p_vaddr);

		if (segment->p_type == PT_LOAD && !(segment->p_flags & PF_W))
			for (size_t at = 0; at < segment->p_filesz; at += 4096)
				*(unsigned int *)sum += bytes[at];
	}
	return 0;
}

static void releases_unused_pages(void **state)
{
	unsigned int sum = 0, again = 0;
	uint64_t before, after;

	(void)state;
	in_use++;
	dl_iterate_phdr(touch, &sum);
	before = resident_pages();
	resident_rest();
	after = resident_pages();
	/* Writable pages stay. Code that this test executes returns at once. */
	assert_true(after < before * 3 / 4);
	assert_int_equal(in_use, 43);
	assert_string_equal(sealed[1], "and then sealed");
	dl_iterate_phdr(touch, &again);
	assert_int_equal(again, sum);
}

/* After a peak, small blocks that are kept must not keep the rest fragmented. */
static void joins_freed_pieces(void **state)
{
	enum { BLOCKS = 3000, APART = 101, LARGE = 8000, SIZES = 60 };
	char *large[BLOCKS], *small[BLOCKS];
	size_t pieces;

	(void)state;
	for (size_t i = 0; i < BLOCKS; i++) {
		large[i] = malloc(LARGE);
		small[i] = malloc(24 + i % SIZES * 16);
		assert_non_null(large[i]);
		assert_non_null(small[i]);
	}
	for (size_t i = 0; i < BLOCKS; i++)
		/* freed in another order than that of their addresses */
		free(small[i * APART % BLOCKS]);
	for (size_t i = 0; i < BLOCKS; i++)
		free(large[i]);
	malloc_trim(0);
	pieces = mallinfo2().ordblks;
	resident_trim();
	if (pieces < SIZES) {
		print_message("this allocator keeps no freed memory\n");
		skip();
	}
	assert_true(mallinfo2().ordblks < pieces / 4);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(releases_unused_pages),
		cmocka_unit_test(joins_freed_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
