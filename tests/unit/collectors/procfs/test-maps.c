/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/procfs/maps.h: which large objects a process maps. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "collectors/workers/maps-read.h"
#include "tests/unit/support/tree/tree.h"

static int read_below(int procfs_fd, int fd, char *text, size_t size, struct maps_parser *p)
{
	struct stream stream = STREAM_CLOSED;

	stream.fd = fd; /* owned by the caller */
	return maps_read(&stream, text, size, procfs_fd, p);
}

static int read_maps(int fd, char *text, size_t size, struct maps_parser *p)
{
	return read_below(-1, fd, text, size, p);
}

static int parse(
	const char *text, size_t len, size_t piece, struct maps_object *ret, size_t *ret_count)
{
	struct maps_parser p;
	int r = 0;

	maps_parser_init(&p);
	for (size_t at = 0; r == 0 && at < len; at += piece)
		r = maps_parser_feed(&p, text + at, len - at < piece ? len - at : piece);
	return r ? r : maps_parser_end(&p, ret, ret_count);
}

static const char plain[] =
	"55d0c0000000-55d0c0080000 r--p 00000000 fd:01 131                        /usr/bin/postgres\n"
	"55d0c0080000-55d0c0200000 r-xp 00080000 fd:01 131                        /usr/bin/postgres\n"
	"55d0c1000000-55d0c9000000 rw-p 00000000 00:00 0                          [heap]\n"
	"7f1000000000-7f1040000000 rw-s 00000000 00:01 2056                       /dev/zero (deleted)\n"
	"7f1040000000-7f104003f000 r-xp 00000000 fd:01 132                        /usr/lib/small.so\n"
	"7f1050000000-7f1050040000 rw-s 00000000 00:01 131                        /SYSV00000000 (deleted)\n"
	"7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n";

/*
 * For pieces of any size: objects of at least 256 KiB, largest first. All mappings of a file count
 * as one object, and two files as two.
 */
static void finds_large_objects(void **state)
{
	(void)state;
	for (size_t piece = 1; piece <= sizeof(plain); piece++) {
		struct maps_object s[MAPS_OBJECTS];
		size_t count = 99;

		assert_int_equal(parse(plain, sizeof(plain) - 1, piece, s, &count), 0);
		assert_int_equal(count, 3);
		assert_int_equal(s[0].bytes, 1 << 30);
		assert_int_equal(s[0].device, 1);
		assert_int_equal(s[0].inode, 2056);
		assert_int_equal(s[1].bytes, 2 << 20);
		assert_true(s[1].device == (UINT64_C(0xfd) << 32 | 1) && s[1].inode == 131);
		assert_int_equal(s[2].bytes, 256 << 10);
		assert_int_equal(s[2].inode, 131);
	}
}

/* The range of addresses and the count distinguish a complete text from one that ended early. */
static void keeps_the_range(void **state)
{
	struct maps_parser p;

	(void)state;
	maps_parser_init(&p);
	assert_int_equal(maps_parser_feed(&p, plain, sizeof(plain) - 1), 0);
	assert_true(p.start == UINT64_C(0x55d0c0000000) && p.end == UINT64_C(0xffffffffff601000));
	assert_int_equal(p.mappings, 8);
}

static void takes_an_empty_text(void **state)
{
	struct maps_object s[MAPS_OBJECTS];
	size_t count = 99;

	(void)state;
	assert_int_equal(parse("", 0, 1, s, &count), 0);
	assert_int_equal(count, 0);
}

/*
 * If there are more objects than candidates, the largest stay. The result has the largest of
 * these.
 */
static void keeps_the_largest_of_many_objects(void **state)
{
	struct maps_object s[MAPS_OBJECTS];
	struct maps_parser p;
	char line[128];
	size_t count;

	(void)state;
	maps_parser_init(&p);
	for (unsigned int i = 0; i < 1000; i++) {
		unsigned int mib = 1 + i * 7 % 1000;
		int n = snprintf(line, sizeof(line),
			"%x000000-%x000000 r--s 00000000 08:01 %u /x\n", 0x1000, 0x1000 + mib,
			i + 1);

		assert_int_equal(maps_parser_feed(&p, line, (size_t)n), 0);
	}
	assert_int_equal(maps_parser_end(&p, s, &count), 0);
	assert_int_equal(count, MAPS_OBJECTS);
	for (unsigned int i = 0; i < MAPS_OBJECTS; i++)
		assert_int_equal(s[i].bytes, (uint64_t)(1000 - i) << 24);
}

/* Feeds a mapping of PAGES pages of the file with INODE. */
static void feed(struct maps_parser *p, unsigned int pages, unsigned int inode)
{
	char line[128];
	int n = snprintf(line, sizeof(line), "10000000-%x000 r--s 00000000 08:01 %u /x\n",
		0x10000 + pages, inode);

	assert_int_equal(maps_parser_feed(p, line, (size_t)n), 0);
}

/* A file mapped in 5,000 single pages among 100,000 single pages of other files is still found. */
static void keeps_a_file_mapped_in_many_pieces(void **state)
{
	struct maps_object s[MAPS_OBJECTS];
	struct maps_parser p;
	size_t count;

	(void)state;
	maps_parser_init(&p);
	for (unsigned int i = 0; i < 105000; i++)
		feed(&p, 1, i % 21 ? 1000 + i : 7);
	assert_int_equal(maps_parser_end(&p, s, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(s[0].inode, 7);
	assert_in_range(s[0].bytes, (5000 - 2 * 105000 / MAPS_CANDIDATES) * 4096, 5000 * 4096);
}

/* If all places are taken, a smaller object does not replace a larger one. */
static void small_objects_replace_no_larger_ones(void **state)
{
	struct maps_object s[MAPS_OBJECTS];
	struct maps_parser p;
	char line[128];
	size_t count;

	(void)state;
	maps_parser_init(&p);
	for (unsigned int i = 0; i < MAPS_CANDIDATES + 5; i++) {
		int n = snprintf(line, sizeof(line), "0-%x00000 r--s 00000000 08:01 %u /x\n",
			i < MAPS_CANDIDATES ? 2 + i : 1, i + 1);

		assert_int_equal(maps_parser_feed(&p, line, (size_t)n), 0);
	}
	assert_int_equal(p.count, MAPS_CANDIDATES);
	assert_int_equal(maps_parser_end(&p, s, &count), 0);
	assert_int_equal(count, MAPS_OBJECTS);
	for (unsigned int i = 0; i < MAPS_OBJECTS; i++)
		assert_int_equal(s[i].inode, MAPS_CANDIDATES - i);
}

enum { MANY_MAPPINGS = 60000, SHARED_BYTES = 4 << 20 };

/*
 * Forks a child with MANY_MAPPINGS mappings of alternating permissions and, above them, a mapping
 * of FD.
 */
static pid_t fork_many(int fd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (MANY_MAPPINGS + 1) * page;
	int ready[2];
	char c = 0;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		char *at = mmap(NULL, SHARED_BYTES + bytes, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		bool is_good = at != MAP_FAILED && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;

		for (size_t i = 0; is_good && i < MANY_MAPPINGS; i += 2)
			is_good = mprotect(at + i * page, page, PROT_READ) == 0;
		is_good = is_good && mmap(at + bytes, SHARED_BYTES, PROT_READ,
					     MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
		c = is_good;
		if (write(ready[1], &c, 1) == 1)
			pause();
		_exit(0);
	}
	close(ready[1]); /* first: else the read never ends if the child does */
	if (read(ready[0], &c, 1) != 1)
		c = 0;
	close(ready[0]);
	if (!c) { /* vm.max_map_count is lower here, or valgrind has no room for so many mappings */
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		skip();
	}
	return pid;
}

/* A text of several MiB is read to its end: the mapping with the highest addresses is found. */
static void reads_the_maps_of_a_process_with_60000_mappings(void **state)
{
	AUTO_CLOSE int file = memfd_create("shared", MFD_CLOEXEC), maps = -1;
	struct maps_object s[MAPS_OBJECTS];
	char path[64], text[4096];
	struct maps_parser p;
	size_t count = 0, i = 0;
	struct stat st;
	pid_t pid;

	(void)state;
	assert_true(file >= 0);
	assert_int_equal(ftruncate(file, SHARED_BYTES), 0);
	assert_int_equal(fstat(file, &st), 0);
	pid = fork_many(file);
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(read_maps(maps, text, sizeof(text), &p), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_true(p.mappings > MANY_MAPPINGS);
	assert_int_equal(maps_parser_end(&p, s, &count), 0);
	while (i < count && s[i].inode != st.st_ino)
		i++;
	assert_true(i < count);
	assert_int_equal(s[i].bytes, SHARED_BYTES);
}

/* A text without an end is read up to MAPS_TEXT_MAX, and what was read counts. */
static void reads_no_more_than_the_limit(void **state)
{
	static const char line[] = "10000000-20000000 r--s 00000000 08:01 7 /a\n";
	AUTO_CLOSE int fd = memfd_create("maps", MFD_CLOEXEC);
	AUTO_FREE char *text = malloc(MAPS_TEXT_MAX + sizeof(line));
	struct maps_object s[MAPS_OBJECTS];
	struct maps_parser p;
	char piece[5000];
	size_t count, len = 0;

	(void)state;
	assert_non_null(text);
	for (; len < MAPS_TEXT_MAX; len += sizeof(line) - 1)
		memcpy(text + len, line, sizeof(line) - 1);
	assert_int_equal(write(fd, text, len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(read_maps(fd, piece, sizeof(piece), &p), MAPS_CUT);
	assert_int_equal(maps_parser_end(&p, s, &count), 0);
	assert_int_equal(count, 1);
	assert_in_range(p.mappings, (MAPS_TEXT_MAX - sizeof(piece)) / (sizeof(line) - 1),
		(MAPS_TEXT_MAX + sizeof(piece)) / (sizeof(line) - 1));
}

/* If processes may have more mappings, longer texts are read to their end. */
static void limit_follows_max_map_count(void **state)
{
	static const char line[] = "10000000-20000000 r--p 00000000 00:00 0\n",
			  last[] = "20000000-30000000 r--s 00000000 08:01 7 /shared\n";
	static const struct {
		const char *count;
		int result;
	} cases[] = {{"200000\n", 0}, {"65530\n", MAPS_CUT}, {"many\n", MAPS_CUT}};
	AUTO_CLOSE int fd = memfd_create("maps", MFD_CLOEXEC);
	AUTO_FREE char *text = malloc(MAPS_TEXT_MAX + sizeof(line));
	struct maps_object s[MAPS_OBJECTS];
	AUTO_TREE struct tree t = {.fd = -1};
	struct maps_parser p;
	char piece[4096];
	size_t count, len = 0;

	(void)state;
	assert_non_null(text);
	for (; len < MAPS_TEXT_MAX; len += sizeof(line) - 1)
		memcpy(text + len, line, sizeof(line) - 1);
	assert_int_equal(write(fd, text, len), len);
	assert_int_equal(write(fd, last, sizeof(last) - 1), sizeof(last) - 1);
	tree_open(&t);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		tree_write(&t, "sys/vm/max_map_count", cases[i].count);
		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		assert_int_equal(read_below(t.fd, fd, piece, sizeof(piece), &p), cases[i].result);
		assert_int_equal(maps_parser_end(&p, s, &count), 0);
		assert_int_equal(count, cases[i].result == 0);
	}
}

/* Paths of any content and length are skipped. */
static void passes_over_paths(void **state)
{
	static const char head[] =
		"10000000-20000000 rw-s 0000000000000000 103:fffff 18446744073709551615 ";
	struct maps_object s[MAPS_OBJECTS] = {0};
	char text[sizeof(head) + 9000];
	size_t count = 0;

	(void)state;
	memcpy(text, head, sizeof(head) - 1);
	memset(text + sizeof(head) - 1, 0xff, 9000);
	memcpy(text + 200, "7f00-7f01 r--p 0 00:01 1 (deleted)\\012", 36);
	text[sizeof(head) - 1 + 8999] = '\n';
	assert_int_equal(parse(text, sizeof(head) - 1 + 9000, 1024, s, &count), 0);
	assert_int_equal(count, 1);
	assert_true(s[0].inode == UINT64_MAX && s[0].device == (UINT64_C(0x103) << 32 | 0xfffff));
}

static void refuses_malformed_texts(void **state)
{
	static const char *const bad[] = {
		"\n",
		"x\n",
		"10-20 rw-p 0 00:01 5 /x", /* cut */
		"10-20 rw-p 0 00:01 \n",
		"10-20 rw-p 0 00:01 5x\n",
		"10-20 rw-p 0 00:01 18446744073709551616 /x\n",
		"10-20 rw-p 0 0001 5 /x\n",
		"10-20 rw-p 0 100000000:01 5 /x\n",
		"10-20 rw-p 0 00:100000000 5 /x\n",
		"10-20 rwp 0 00:01 5 /x\n",
		"10-20 r -p 0 00:01 5 /x\n",
		"10-20 rwxsp 0 00:01 5 /x\n",
		"20-10 rw-p 0 00:01 5 /x\n",
		"10 20 rw-p 0 00:01 5 /x\n",
		"10-20rw-p 0 00:01 5 /x\n",
		"11111111111111111-22222222222222222 rw-p 0 00:01 5 /x\n",
		"10-20 rw-p 000000000000000000000000000000000000000000000000000000000000000000000000000 00:01 55555\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct maps_object s[MAPS_OBJECTS];
		size_t count;

		for (size_t piece = 1; piece < 100; piece++)
			assert_int_equal(parse(bad[i], strlen(bad[i]), piece, s, &count), -EBADMSG);
	}
}

/* A reserved mapping without access has no resident memory. */
static void finds_the_largest_accessible_mapping(void **state)
{
	static const char text[] = "1000-9000 r-xp 00000000 08:01 5 /x\n"
				   "10000-90000 ---p 00000000 00:00 0\n"
				   "100000-120000 rw-p 00000000 00:00 0\n"
				   "200000-201000 r--p 00000000 00:00 0\n";
	struct maps_parser p;

	(void)state;
	maps_parser_init(&p);
	assert_int_equal(maps_parser_feed(&p, text, sizeof(text) - 1), 0);
	assert_int_equal(p.largest, 0x20000);
	assert_int_equal(p.mappings, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_largest_accessible_mapping),
		cmocka_unit_test(finds_large_objects),
		cmocka_unit_test(keeps_the_range),
		cmocka_unit_test(takes_an_empty_text),
		cmocka_unit_test(keeps_the_largest_of_many_objects),
		cmocka_unit_test(small_objects_replace_no_larger_ones),
		cmocka_unit_test(keeps_a_file_mapped_in_many_pieces),
		cmocka_unit_test(reads_the_maps_of_a_process_with_60000_mappings),
		cmocka_unit_test(reads_no_more_than_the_limit),
		cmocka_unit_test(limit_follows_max_map_count),
		cmocka_unit_test(passes_over_paths),
		cmocka_unit_test(refuses_malformed_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
