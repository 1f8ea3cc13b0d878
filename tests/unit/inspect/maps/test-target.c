/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of inspect/maps/target.h with real processes in each state in which one may be read. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/os/file.h"
#include "inspect/maps/target.h"
#include "tests/unit/support/process/waiter.h"

static struct procfs procfs;

/* Returns the name of PID's executable, which under valgrind is valgrind's. */
static void check_program(const struct target *t, pid_t pid)
{
	char link[64], path[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	len = readlink(link, path, sizeof(path) - 1);
	assert_true(len > 0);
	path[len] = '\0';
	assert_string_equal(target_program(t), strrchr(path, '/') + 1);
}

static void opens_a_process_and_its_files(void **state)
{
	AUTO_BUFFER struct buffer text = {0};
	AUTO_TARGET struct target t;
	AUTO_CLOSE int fd = -1;
	pid_t pid = waiter_start(NULL, NULL);
	char path[64];

	(void)state;
	assert_int_equal(target_open(&procfs, pid, &t), 0);
	check_program(&t, pid);
	assert_true(t.sample.q[PROCESS_RSS] > 0);
	assert_int_equal(target_file(&t, "smaps", &fd), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(file_read_all(AT_FDCWD, path, 1 << 24, &text), 0);
	assert_true(text.len > 1000);
	assert_int_equal(target_file(&t, "nothing", &fd), TARGET_GONE);
	assert_int_equal(target_confirm(&t), 0);
	waiter_end(pid);
	assert_int_equal(target_confirm(&t), TARGET_GONE);
	assert_int_equal(target_file(&t, "smaps", &fd), TARGET_GONE);
}

static void reports_why_it_cannot_be_opened(void **state)
{
	struct target t;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
	assert_int_equal(target_open(&procfs, pid, &t), TARGET_ENDED);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(target_open(&procfs, pid, &t), TARGET_GONE);
	for (unsigned int i = 1; i < TARGET_OUTCOMES; i++)
		assert_true(*target_text((enum target_outcome)i));
}

/* kthreadd, if this is the host's pid namespace. */
static void a_kernel_thread_has_no_memory(void **state)
{
	AUTO_BUFFER struct buffer name = {0};
	struct target t;

	(void)state;
	if (file_read_all(AT_FDCWD, "/proc/2/comm", 64, &name) < 0 ||
		strncmp(name.data, "kthreadd\n", name.len) != 0)
		skip();
	assert_int_equal(target_open(&procfs, 2, &t), TARGET_KERNEL_THREAD);
}

static void reports_an_exec(void **state)
{
	AUTO_TARGET struct target t;
	int told[2], fd;
	pid_t pid;
	char byte;

	(void)state;
	assert_int_equal(pipe2(told, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		close(told[0]);
		raise(SIGSTOP);
		execlp("sleep", "sleep", "1000", NULL);
		_exit(99);
	}
	close(told[1]);
	assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
	assert_int_equal(target_open(&procfs, pid, &t), 0);
	kill(pid, SIGCONT);
	assert_int_equal(read(told[0], &byte, 1), 0); /* closed by exec */
	close(told[0]);
	assert_int_equal(target_confirm(&t), TARGET_CHANGED);
	assert_int_equal(target_file(&t, "smaps", &fd), 0);
	close(fd);
	waiter_end(pid);
}

/* The target to walk, and whether to kill its process at the first mapping. */
struct walk {
	pid_t pid;
	bool ends;
	size_t mappings;
	int result; /* result of take() */
};

static int count(const struct mapping *m, void *context)
{
	struct walk *w = context;

	assert_true(m->end > m->start && mapping_has(m, MAPPING_RSS));
	if (!w->mappings++ && w->ends)
		waiter_end(w->pid);
	return w->result;
}

static void walks_through_its_mappings(void **state)
{
	AUTO_TARGET struct target t;
	struct walk w = {.pid = waiter_start(NULL, NULL)};

	(void)state;
	assert_int_equal(target_open(&procfs, w.pid, &t), 0);
	assert_int_equal(target_walk(&t, count, &w), 0);
	assert_true(w.mappings > 10);
	w = (struct walk){.pid = w.pid, .result = -E2BIG};
	assert_int_equal(target_walk(&t, count, &w), -E2BIG);
	assert_int_equal(w.mappings, 1);
	w = (struct walk){.pid = w.pid, .ends = true};
	assert_int_equal(target_walk(&t, count, &w), TARGET_GONE);
	assert_int_equal(target_walk(&t, count, &w), TARGET_GONE);
}

static void *wait_for_ever(void *context)
{
	for (;;)
		pause();
	return context;
}

/* Ends the main thread, as pthread_exit() in main() does, but reports first that it is ready. */
static void *outlive_leader(void *context)
{
	pthread_join(*(pthread_t *)context, NULL);
	return wait_for_ever(NULL);
}

static void reads_a_process_with_a_dead_leader(void **state)
{
	AUTO_TARGET struct target t;
	AUTO_CLOSE int fd = -1;
	char path[64];
	pid_t pid = fork();
	int r;

	(void)state;
	if (!pid) {
		static pthread_t leader, other;

		leader = pthread_self();
		if (pthread_create(&other, NULL, outlive_leader, &leader) != 0)
			_exit(99);
		pthread_exit(NULL);
	}
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	for (int i = 0; i < 1000; i++) {
		AUTO_BUFFER struct buffer text = {0};

		assert_int_equal(file_read_all(AT_FDCWD, path, 1 << 16, &text), 0);
		buffer_add_char(&text, '\0');
		if (strstr(text.data, "\nState:\tZ"))
			break;
		usleep(10000);
	}
	r = target_open(&procfs, pid, &t);
	assert_int_equal(r, 0);
	assert_int_equal(target_file(&t, "smaps", &fd), 0);
	assert_true(read(fd, path, sizeof(path)) > 0);
	assert_int_equal(target_confirm(&t), 0);
	waiter_end(pid);
}

static void reports_a_lack_of_rights(void **state)
{
	struct target t;
	pid_t pid, child;
	int status;

	(void)state;
	if (geteuid() != 0)
		skip();
	pid = waiter_start(NULL, NULL);
	child = fork();
	if (!child) {
		int fd;

		if (setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0)
			_exit(99);
		if (target_open(&procfs, pid, &t) != 0)
			_exit(98);
		_exit(target_file(&t, "smaps", &fd) == TARGET_DENIED ? 0 : 97);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	waiter_end(pid);
}

static int open_procfs(void **state)
{
	(void)state;
	return procfs_open("/proc", &procfs);
}

static int close_procfs(void **state)
{
	(void)state;
	procfs_close(&procfs);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_a_process_and_its_files),
		cmocka_unit_test(reports_why_it_cannot_be_opened),
		cmocka_unit_test(a_kernel_thread_has_no_memory),
		cmocka_unit_test(reports_an_exec),
		cmocka_unit_test(walks_through_its_mappings),
		cmocka_unit_test(reads_a_process_with_a_dead_leader),
		cmocka_unit_test(reports_a_lack_of_rights),
	};

	return cmocka_run_group_tests(tests, open_procfs, close_procfs);
}
