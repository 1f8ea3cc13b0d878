/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/procfs/host/sysvipc.h: the parser of /proc/sysvipc/shm. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#include "base/cleanup.h"
#include "collectors/procfs/host/sysvipc.h"

#define HEAD                                                                                       \
	"       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  " \
	"cgid      atime      dtime      ctime                   rss                  swap\n"
#define FIRST                                                                                      \
	"         0          1   600               1048577  2181  2181      2  1000   100     0  " \
	"   0 1700000000          0 1700000000               8192                  4096\n"
#define SECOND                                                                                        \
	"-559038737 2147483647 1777             4294967296     1     0      0 4294967294   0     0  " \
	"   0          0          0 1700000000                  0                     0\n"

/* More columns than there is room for. */
static const char many[] =
	"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33\n";

/* Parses all of TEXT. Returns the number of segments or a negative errno. */
static int parse(const char *text, struct sysvipc_segment ret[static 2])
{
	struct sysvipc s;
	int count = 0, r = sysvipc_begin(&s, text, strlen(text));

	while (r == 0) {
		struct sysvipc_segment one = {.uid = 777};

		r = sysvipc_next(&s, &one);
		if (r != 0)
			assert_int_equal(one.uid, 777);
		else if (count < 2)
			ret[count++] = one;
	}
	return r == SYSVIPC_END ? count : r;
}

static void parses_segments(void **state)
{
	struct sysvipc_segment s[2];

	(void)state;
	assert_int_equal(parse(HEAD FIRST SECOND, s), 2);
	assert_int_equal(s[0].uid, 1000);
	assert_int_equal(s[0].attached, 2);
	assert_int_equal(s[0].size_bytes, 1048577);
	assert_int_equal(s[0].rss_bytes, 8192);
	assert_int_equal(s[0].swap_bytes, 4096);
	assert_int_equal(s[1].uid, 4294967294);
	assert_int_equal(s[1].attached, 0);
	assert_int_equal(s[1].size_bytes, UINT64_C(4294967296));
	assert_int_equal(parse(HEAD, s), 0);
}

/* By their names, so that kernels may add columns in between. */
static void finds_columns_by_name(void **state)
{
	struct sysvipc_segment s[2];

	(void)state;
	assert_int_equal(parse("swap new rss uid size nattch\n1 x 2 3 4 5 \n", s), 1);
	assert_int_equal(s[0].swap_bytes, 1);
	assert_int_equal(s[0].rss_bytes, 2);
	assert_int_equal(s[0].uid, 3);
	assert_int_equal(s[0].size_bytes, 4);
	assert_int_equal(s[0].attached, 5);
}

static void refuses_malformed_texts(void **state)
{
	static const char *const bad[] = {
		"",
		"swap rss uid size nattch",
		"swap rss uid size\n",
		"swap rss uid size nattch uid\n",
		many,
		"swap rss uid size nattch\n\n",
		"swap rss uid size nattch\n1 2 3 4\n",
		"swap rss uid size nattch\n1 2 3 4 5",
		"swap rss uid size nattch\n1 2 -3 4 5\n",
		"swap rss uid size nattch\n1 2 4294967296 4 5\n",
		"swap rss uid size nattch\n9223372036854775808 2 3 4 5\n",
		"swap rss uid size nattch\n1 2 3 4x 5\n",
		"swap rss uid size nattch\n1\t2 3 4 5\n",
	};
	struct sysvipc_segment s[2];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(parse(bad[i], s), -EBADMSG);
}

/* A segment of this process is listed with what was written to it and its owner. */
static void finds_its_own_segment(void **state)
{
	AUTO_CLOSE int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int none = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_BUFFER struct buffer text = {0};
	const size_t size = 3 << 20 | 123;
	int id = shmget(IPC_PRIVATE, size, 0600);
	struct sysvipc_segment one;
	bool is_there = false;
	struct sysvipc s;
	char *at;

	(void)state;
	if (id < 0)
		skip();
	at = shmat(id, NULL, 0);
	assert_true(at != (char *)-1);
	memset(at, 1, 1 << 20);
	assert_int_equal(shmctl(id, IPC_RMID, NULL), 0);
	assert_int_equal(sysvipc_read(proc, &text), 0);
	shmdt(at);
	assert_int_equal(sysvipc_begin(&s, text.data, text.len), 0);
	while (sysvipc_next(&s, &one) == 0)
		is_there = is_there ||
		           (one.size_bytes == size && one.uid == geteuid() &&
				   one.rss_bytes + one.swap_bytes >= 1 << 20 && one.attached == 1);
	assert_true(is_there);
	assert_int_equal(sysvipc_read(none, &text), -ENOENT);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_segments),
		cmocka_unit_test(finds_columns_by_name),
		cmocka_unit_test(refuses_malformed_texts),
		cmocka_unit_test(finds_its_own_segment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
