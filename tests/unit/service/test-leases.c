/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of service/leases.h: snapshots that clients still hold, counted per uid. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/os/channel.h"
#include "base/os/memfd.h"
#include "service/leases.h"

enum { SIZE = 100, UID = 4711 };

static bool has_no_inotify;

int __real_inotify_init1(int flags);
int __wrap_inotify_init1(int flags);

int __wrap_inotify_init1(int flags)
{
	if (has_no_inotify) {
		errno = EMFILE;
		return -1;
	}
	return __real_inotify_init1(flags);
}

static int make_file(size_t size)
{
	AUTO_FREE char *content = calloc(size, 1);
	struct iovec iov = {.iov_base = content, .iov_len = size};
	int fd;

	assert_non_null(content);
	assert_int_equal(memfd_new_sealed("test", &iov, 1, &fd), 0);
	return fd;
}

static unsigned int count_of(struct leases *l, int64_t uid)
{
	struct leases_sum sum;

	leases_sum(l, uid, &sum);
	assert_int_equal(sum.bytes, sum.count * (uint64_t)SIZE);
	return sum.count;
}

/* Opens the file of FD again with FLAGS. */
static int open_again(int fd, int flags)
{
	char path[64];
	int again;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, flags | O_CLOEXEC);
	assert_true(again >= 0);
	return again;
}

/* Ways in which a client may keep a snapshot; the descriptor is then closed here. */
static void counts_a_file_while_anything_refers_to_it(void **state)
{
	AUTO_LEASES struct leases l;
	int fd, kept, pair[2];
	char path[64];
	void *map;

	(void)state;
	leases_init(&l);
	assert_int_equal(count_of(&l, UID), 0);
	for (int way = 0; way < 6; way++) {
		fd = make_file(SIZE);
		assert_int_equal(leases_add(&l, UID, fd), 0);
		assert_int_equal(count_of(&l, UID), 1);
		switch (way) {
		case 0: close(fd); break;
		case 1:
			kept = fcntl(fd, F_DUPFD_CLOEXEC, 0);
			close(fd);
			assert_int_equal(count_of(&l, UID), 1);
			close(kept);
			break;
		case 2: /* a lease does not see O_PATH descriptors */
			kept = open_again(fd, O_PATH);
			close(fd);
			assert_int_equal(count_of(&l, UID), 1);
			close(kept);
			break;
		case 3:
			map = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, fd, 0);
			assert_ptr_not_equal(map, MAP_FAILED);
			close(fd);
			assert_int_equal(count_of(&l, UID), 1);
			munmap(map, SIZE);
			break;
		/* in a message that was not received, though the sender has closed its socket */
		case 4:
			assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
			assert_int_equal(channel_send_fd(pair[0], fd), 0);
			close(fd);
			close(pair[0]);
			assert_int_equal(count_of(&l, UID), 1);
			close(pair[1]);
			break;
		case 5: /* an inotify watch does not keep the file */
			kept = __real_inotify_init1(IN_CLOEXEC);
			snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
			assert_true(inotify_add_watch(kept, path, IN_ALL_EVENTS) >= 0);
			close(fd);
			assert_int_equal(count_of(&l, UID), 0);
			close(kept);
			break;
		}
		assert_int_equal(count_of(&l, UID), 0);
		assert_int_equal(l.count, 0);
	}
}

/* A mapping of a process that shares nothing else with this one counts too. */
static void counts_mappings_of_other_processes(void **state)
{
	AUTO_LEASES struct leases l;
	int fd = make_file(SIZE);
	pid_t child;

	(void)state;
	leases_init(&l);
	assert_int_equal(leases_add(&l, UID, fd), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
			_exit(1);
		close(fd);
		leases_done(&l);
		pause();
		_exit(0);
	}
	close(fd);
	assert_int_equal(count_of(&l, UID), 1);
	usleep(20 * 1000);
	assert_int_equal(count_of(&l, UID), 1);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(count_of(&l, UID), 0);
}

/*
 * Lends files to UID until one is refused. Keeps their descriptors in FDS and the refusal in *RET.
 * Returns their number.
 */
static unsigned int hoard(struct leases *l, int64_t uid, int *fds, int *ret)
{
	unsigned int n = 0;

	for (;; n++) {
		int fd = make_file(SIZE), judged = leases_judge(l, uid, fd);

		*ret = leases_add(l, uid, fd);
		assert_int_equal(judged, *ret);
		if (*ret != 0) {
			close(fd);
			return n;
		}
		fds[n] = fd;
	}
}

/*
 * The files that one user holds limit that user only, until the total is reached. Privileged
 * clients and the service are not affected.
 */
static void limits_each_user_and_the_total(void **state)
{
	int fds[LEASES_MAX], full, n = 0, privileged[LEASES_PRIVILEGED_MAX];
	int service[LEASES_SERVICE_MAX];
	AUTO_LEASES struct leases l;
	unsigned int before;

	(void)state;
	leases_init(&l);
	for (int64_t uid = UID; n < LEASES_STRANGERS_MAX; uid++) {
		assert_int_equal(hoard(&l, uid, fds + n, &full), LEASES_USER_MAX);
		assert_int_equal(full, LEASES_USER_FULL);
		n += LEASES_USER_MAX;
		assert_int_equal(leases_is_crowded(&l), n >= LEASES_STRANGERS_MAX / 2);
	}
	assert_int_equal(hoard(&l, 5000, fds + n, &full), 0);
	assert_int_equal(full, LEASES_FULL);
	assert_int_equal(hoard(&l, LEASES_PRIVILEGED, privileged, &full), LEASES_PRIVILEGED_MAX);
	assert_int_equal(full, LEASES_FULL);
	assert_int_equal(hoard(&l, LEASES_SERVICE, service, &full), LEASES_SERVICE_MAX);
	assert_int_equal(full, LEASES_FULL);
	assert_int_equal(l.count, LEASES_MAX);
	before = unit_descriptors();

	/* One file is given back. */
	fds[3] = fd_close(fds[3]);
	assert_int_equal(hoard(&l, UID + 1, fds + 3, &full), 0);
	assert_int_equal(full, LEASES_USER_FULL);
	assert_int_equal(hoard(&l, 5000, fds + 3, &full), 1);
	assert_int_equal(full, LEASES_FULL);
	privileged[0] = fd_close(privileged[0]);
	assert_int_equal(hoard(&l, LEASES_PRIVILEGED, privileged, &full), 1);
	assert_int_equal(unit_descriptors(), before);
	for (int i = 0; i < n; i++)
		close(fds[i]);
	for (int i = 0; i < LEASES_PRIVILEGED_MAX; i++)
		close(privileged[i]);
	for (int i = 0; i < LEASES_SERVICE_MAX; i++)
		close(service[i]);
	assert_int_equal(count_of(&l, UID), 0);
	assert_int_equal(count_of(&l, LEASES_PRIVILEGED), 0);
	assert_int_equal(l.count, 0);
}

static void limits_count_files_and_bytes(void **state)
{
	static const struct {
		int64_t uid;
		struct leases_sum sum;
		unsigned int of_user;
		uint64_t bytes;
		int fits;
	} cases[] = {
		{UID, {0, 0}, 0, LEASES_BYTES + 1, 0},
		{UID, {1, LEASES_BYTES - 10}, 0, 10, 0},
		{UID, {1, LEASES_BYTES - 10}, 0, 11, LEASES_FULL},
		{UID, {2, 20}, 2, LEASES_BYTES, LEASES_FULL},
		{UID, {7, 70}, 7, 10, 0},
		{UID, {8, 80}, 8, 10, LEASES_USER_FULL},
		{UID, {63, 63}, 0, 1, 0},
		{UID, {64, 64}, 0, 1, LEASES_FULL},
		{LEASES_TOGETHER, {63, 63}, 63, 1, 0},
		{LEASES_TOGETHER, {64, 64}, 64, 1, LEASES_FULL},
		{LEASES_PRIVILEGED, {7, 7 * LEASES_BYTES}, 7, LEASES_BYTES, 0},
		{LEASES_PRIVILEGED, {8, 8 * LEASES_BYTES}, 8, 1, LEASES_FULL},
		{LEASES_PRIVILEGED, {8, LEASES_BYTES - 10}, 8, 10, 0},
		{LEASES_PRIVILEGED, {8, LEASES_BYTES - 10}, 8, 11, LEASES_FULL},
		{LEASES_PRIVILEGED, {255, 255}, 255, 1, 0},
		{LEASES_PRIVILEGED, {256, 256}, 256, 1, LEASES_FULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(
			leases_fits(cases[i].uid, &cases[i].sum, cases[i].of_user, cases[i].bytes),
			cases[i].fits);
}

/* A file that cannot be watched is neither lent nor counted. The next attempt may succeed. */
static void refuses_files_that_cannot_be_watched(void **state)
{
	AUTO_LEASES struct leases l;
	AUTO_CLOSE int fd = make_file(SIZE);

	(void)state;
	leases_init(&l);
	has_no_inotify = true;
	assert_int_equal(leases_add(&l, UID, fd), -EMFILE);
	assert_int_equal(count_of(&l, UID), 0);
	has_no_inotify = false;
	assert_int_equal(leases_add(&l, UID, -1), -EBADF);
	assert_int_equal(leases_judge(&l, UID, -1), -EBADF);
	assert_int_equal(leases_add(&l, UID, fd), 0);
	assert_int_equal(count_of(&l, UID), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_a_file_while_anything_refers_to_it),
		cmocka_unit_test(counts_mappings_of_other_processes),
		cmocka_unit_test(limits_each_user_and_the_total),
		cmocka_unit_test(limits_count_files_and_bytes),
		cmocka_unit_test(refuses_files_that_cannot_be_watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
