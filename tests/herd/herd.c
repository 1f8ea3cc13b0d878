/* SPDX-License-Identifier: Apache-2.0 */
/*
 * herd - processes with known RSS, PSS and USS
 *
 * A page that m processes map adds floor(2^24 / m) to the sum that the kernel, shifted right by 22,
 * shows as KiB of PSS. Members hold known pages and nothing else, so the values in /proc follow
 * without reading them. Prints "READY {...}" when all members run. SIGTERM or SIGINT ends them.
 * SIGUSR1 stops replacing members, answered by "STILL". SIGUSR2 pauses it, answered by "HELD",
 * until the next SIGUSR2; all members are then complete.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "tests/herd/layout.h"
#include "tests/herd/member.h"
#include "tests/herd/options.h"
#include "tests/herd/self.h"
#include "tests/herd/tape.h"

enum { EXIT_SKIP = 77 };

struct herd {
	struct herd_options options;
	struct herd_layout layout;
	char *argv;
	size_t argv_size;
	pid_t *pid; /* of each member; 0: it has exited */
	int file;   /* -1: no file is mapped */
	sigset_t signals;
};

static const struct options_number numbers[] = {
	{"members", offsetof(struct herd_options, members), 1, 1000000, "processes (10)"},
	{"group", offsetof(struct herd_options, group), 1, 1000000,
		"members that share copy-on-write and memfd pages (10)"},
	{"private-kib", offsetof(struct herd_options, private_kib), 0, 1 << 30,
		"private memory of each member (1024)"},
	{"cow-kib", offsetof(struct herd_options, cow_kib), 0, 1 << 30,
		"copy-on-write memory of each group (0)"},
	{"file-kib", offsetof(struct herd_options, file_kib), 0, 1 << 30,
		"file mapped by all members (0)"},
	{"memfd-kib", offsetof(struct herd_options, memfd_kib), 0, 1 << 30,
		"memfd mapped by each group (0)"},
	{"vmas", offsetof(struct herd_options, vmas), 1, 60000, "mappings of the private part (1)"},
	{"uids", offsetof(struct herd_options, uids), 1, 1000000,
		"users, member by member, if root (1)"},
	{"first-uid", offsetof(struct herd_options, first_uid), 1, 1 << 30,
		"first user ID (30000)"},
	{"programs", offsetof(struct herd_options, programs), 1, HERD_PROGRAMS_MAX,
		"names, group by group (1)"},
	{"churn", offsetof(struct herd_options, churn), 0, 100000,
		"members replaced a second, group by group (0)"},
	{"active", offsetof(struct herd_options, active), 0, 1000000,
		"members that allocate and free memory all the time (0)"},
	{"work-kib", offsetof(struct herd_options, work_kib), 0, 1 << 20,
		"memory that each active member works on, in addition to the memfd (2048)"},
	{"work-ms", offsetof(struct herd_options, work_ms), 1, 1000000,
		"mean time between two steps of the work (100)"},
};

static const struct options_text texts[] = {
	{"name", offsetof(struct herd_options, name),
		"name of the program; a prefix if there are several (flock)"},
	{"truth", offsetof(struct herd_options, truth),
		"file for the expected values of each member, as JSON; rewritten when members change"},
	{"folder", offsetof(struct herd_options, folder), "folder of the mapped file (/tmp)"},
};

static const struct options_table option_table = {
	.program = "herd",
	.numbers = numbers,
	.number_count = ARRAY_SIZE(numbers),
	.texts = texts,
	.text_count = ARRAY_SIZE(texts),
};

static void fail(const char *what)
{
	fprintf(stderr, "herd: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static void fill(int fd, const char *path, uint64_t pages)
{
	char page[TAPE_PAGE_SIZE];

	memset(page, 'h', sizeof(page));
	for (uint64_t i = 0; i < pages; i++)
		if (write(fd, page, sizeof(page)) != (ssize_t)sizeof(page))
			fail(path);
}

/* Returns an unlinked file. Its pages are written back, so that they count as clean from now on. */
static int open_file(const struct herd *herd)
{
	AUTO_FREE char *path = NULL;
	AUTO_CLOSE int fd = -1;

	if (!herd->layout.file.pages)
		return -1;
	if (asprintf(&path, "%s/herd-XXXXXX", herd->options.folder) < 0)
		fail("memory");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		fail(path);
	unlink(path);
	fill(fd, path, herd->layout.file.pages);
	if (fsync(fd) < 0)
		fail(path);
	return TAKE_FD(fd);
}

static int open_memfd(const struct herd *herd)
{
	int fd;

	if (!herd->layout.memfd.pages)
		return -1;
	fd = memfd_create("herd", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, (off_t)(herd->layout.memfd.pages * TAPE_PAGE_SIZE)) < 0)
		fail("memfd");
	return fd;
}

static void end_member(struct herd *herd, uint64_t i)
{
	if (herd->pid[i] > 0 && kill(herd->pid[i], SIGKILL) == 0)
		waitpid(herd->pid[i], NULL, 0);
	herd->pid[i] = 0;
}

static void end_all(struct herd *herd)
{
	for (uint64_t i = 0; i < herd->options.members; i++)
		if (herd->pid[i] > 0)
			kill(herd->pid[i], SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

static void fork_member(struct herd *herd, const struct member_place *place, uint64_t i)
{
	pid_t pid = fork();

	if (pid == 0)
		member_become(place, i);
	if (pid < 0) {
		int saved = errno;

		end_all(herd);
		errno = saved;
		fail("fork");
	}
	herd->pid[i] = pid;
}

/*
 * Forks the members of GROUP. This process maps the inherited pages only meanwhile, so that only
 * the members share them.
 */
static void fork_group(struct herd *herd, uint64_t group, int ready)
{
	const struct herd_part *cow = &herd->layout.cow;
	AUTO_CLOSE int memfd = open_memfd(herd);
	struct member_place place = {
		.options = &herd->options,
		.layout = &herd->layout,
		.argv = herd->argv,
		.argv_size = herd->argv_size,
		.parent = getpid(),
		.file = herd->file,
		.memfd = memfd,
		.ready = ready,
	};

	if (cow->pages) {
		self_map(cow->begin, cow->pages, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1);
		self_touch(cow->begin, cow->pages, false);
	}
	for (uint64_t i = 0; i < layout_group_size(&herd->options, group); i++)
		fork_member(herd, &place, group * herd->options.group + i);
	if (cow->pages)
		munmap((void *)cow->begin, cow->pages * TAPE_PAGE_SIZE);
}

/* The pipe ends when no member holds it any more. Each has then written its byte or has failed. */
static void await_members(struct herd *herd, int ready, uint64_t expected)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(ready, bytes, sizeof(bytes))) > 0)
		expected -= (uint64_t)n;
	if (!expected)
		return;
	end_all(herd);
	fprintf(stderr, "herd: %" PRIu64 " members failed\n", expected);
	exit(EXIT_FAILURE);
}

static void spawn_groups(struct herd *herd, uint64_t first, uint64_t count)
{
	AUTO_CLOSE int reader = -1;
	uint64_t expected = 0;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		fail("pipe");
	reader = ends[0];
	for (uint64_t group = first; group < first + count; group++) {
		fork_group(herd, group, ends[1]);
		expected += layout_group_size(&herd->options, group);
	}
	close(ends[1]);
	await_members(herd, reader, expected);
}

static void print_truth(const struct herd *herd, FILE *to)
{
	const char *separator = "[\n";

	for (uint64_t i = 0; i < herd->options.members; i++) {
		uint64_t group = i / herd->options.group;
		struct herd_truth truth = layout_truth(&herd->layout, &herd->options, group);
		char name[MEMBER_NAME_SIZE];

		if (herd->pid[i] <= 0)
			continue;
		member_name(&herd->options, i, name);
		fprintf(to,
			"%s{\"pid\": %d, \"uid\": %u, \"comm\": \"%s\", \"group\": %" PRIu64
			", \"exact\": %s, \"active\": %s, \"rss_kib\": %" PRIu64
			", \"pss_kib\": %" PRIu64 ", \"uss_kib\": %" PRIu64
			", \"pss_unrounded_bytes\": %" PRIu64 "}",
			separator, (int)herd->pid[i], (unsigned int)member_uid(&herd->options, i),
			name, group,
			layout_group_is_active(&herd->options, group) ? "false" : "true",
			layout_is_active(&herd->options, i) ? "true" : "false", truth.rss_kib,
			truth.pss_kib, truth.uss_kib, truth.pss_unrounded_bytes);
		separator = ",\n";
	}
	fputs(separator[0] == '[' ? "[]\n" : "\n]\n", to);
}

/* A reader sees the old truth or the new one, never a part of one. */
static void write_truth(const struct herd *herd)
{
	const char *path = herd->options.truth;
	AUTO_FREE char *fresh = NULL;
	FILE *to;

	if (!path)
		return;
	if (asprintf(&fresh, "%s.new", path) < 0)
		fail("memory");
	to = fopen(fresh, "we");
	if (!to)
		fail(fresh);
	print_truth(herd, to);
	if (fclose(to) != 0 || rename(fresh, path) < 0)
		fail(path);
}

static void print_ready(const struct herd *herd)
{
	struct herd_truth sum = {0};

	for (uint64_t group = 0; group < layout_groups(&herd->options); group++) {
		struct herd_truth one = layout_truth(&herd->layout, &herd->options, group);
		uint64_t members = layout_group_size(&herd->options, group);

		sum.rss_kib += members * one.rss_kib;
		sum.pss_kib += members * one.pss_kib;
		sum.uss_kib += members * one.uss_kib;
	}
	printf("READY {\"pid\": %d, \"members\": %" PRIu64 ", \"groups\": %" PRIu64
	       ", \"rss_kib\": %" PRIu64 ", \"pss_kib\": %" PRIu64 ", \"uss_kib\": %" PRIu64 "}\n",
		(int)getpid(), herd->options.members, layout_groups(&herd->options), sum.rss_kib,
		sum.pss_kib, sum.uss_kib);
	fflush(stdout);
}

/*
 * A test may kill a member. The truth of the rest of its group is then wrong and is not corrected.
 */
static void reap(struct herd *herd)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		for (uint64_t i = 0; i < herd->options.members; i++)
			if (herd->pid[i] == pid)
				herd->pid[i] = 0;
}

static void replace_group(struct herd *herd, uint64_t group)
{
	uint64_t first = group * herd->options.group;

	for (uint64_t i = 0; i < layout_group_size(&herd->options, group); i++)
		end_member(herd, first + i);
	spawn_groups(herd, group, 1);
	write_truth(herd);
}

/* From now on members are not replaced, and the written truth covers all of them. */
static void end_churn(struct herd *herd)
{
	herd->options.churn = 0;
	puts("STILL");
	fflush(stdout);
}

static int await_signal(const struct herd *herd)
{
	uint64_t churn = herd->options.churn;
	uint64_t ns = churn ? herd->options.group * NS_PER_SEC / churn : 0;
	struct timespec pause = {
		.tv_sec = (time_t)(ns / NS_PER_SEC),
		.tv_nsec = (long)(ns % NS_PER_SEC),
	};

	return sigtimedwait(&herd->signals, NULL, churn ? &pause : NULL);
}

/* Waits for SIGTERM, SIGINT or the next SIGUSR2. Returns the signal. */
static int hold(const struct herd *herd)
{
	sigset_t ends = herd->signals;

	puts("HELD");
	fflush(stdout);
	sigdelset(&ends, SIGCHLD);
	sigdelset(&ends, SIGUSR1);
	return sigwaitinfo(&ends, NULL);
}

static void run(struct herd *herd)
{
	uint64_t group = 0;

	for (;;) {
		int signal = await_signal(herd);

		if (signal == SIGUSR2)
			signal = hold(herd);
		if (signal == SIGTERM || signal == SIGINT)
			return;
		reap(herd);
		if (signal == SIGUSR1) {
			end_churn(herd);
		} else if (signal < 0 && errno == EAGAIN) {
			replace_group(herd, group);
			group = (group + 1) % layout_groups(&herd->options);
		}
	}
}

static void require_memory(const struct herd *herd)
{
	enum { KERNEL_KIB = 64 }; /* page tables, stack and task of each process */
	const struct herd_options *o = &herd->options;
	uint64_t need = o->members * (o->private_kib + KERNEL_KIB) +
	                layout_groups(o) * (o->cow_kib + o->memfd_kib) + o->file_kib +
	                o->active * o->work_kib;
	uint64_t have = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (TAPE_PAGE_SIZE / 1024);

	if (need <= have / 10 * 9)
		return;
	printf("SKIP: the herd needs %" PRIu64 " MiB, %" PRIu64 " MiB are free\n", need / 1024,
		have / 1024);
	exit(EXIT_SKIP);
}

static bool can_populate(void)
{
	void *page = mmap(
		NULL, TAPE_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool can = page != MAP_FAILED && madvise(page, TAPE_PAGE_SIZE, MADV_POPULATE_WRITE) == 0;

	if (page != MAP_FAILED)
		munmap(page, TAPE_PAGE_SIZE);
	return can;
}

/* Ignores members that are stopped and continued. */
static void hear_of_ends_alone(void)
{
	struct sigaction action = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};

	sigaction(SIGCHLD, &action, NULL);
}

static void prepare(struct herd *herd, int argc, char **argv)
{
	char *end = argv[argc - 1] + strlen(argv[argc - 1]) + 1;

	herd->argv = argv[0];
	herd->argv_size = (size_t)(end - argv[0]);
	layout_init(&herd->layout, &herd->options, (uintptr_t)argv[0], (uintptr_t)end);
	require_memory(herd);
	herd->pid = calloc(herd->options.members + 1, sizeof(*herd->pid));
	if (!herd->pid)
		fail("memory");
	sigemptyset(&herd->signals);
	sigaddset(&herd->signals, SIGTERM);
	sigaddset(&herd->signals, SIGINT);
	sigaddset(&herd->signals, SIGCHLD);
	sigaddset(&herd->signals, SIGUSR1);
	sigaddset(&herd->signals, SIGUSR2);
	sigprocmask(SIG_BLOCK, &herd->signals, NULL);
	hear_of_ends_alone();
	herd->file = open_file(herd);
}

int main(int argc, char **argv)
{
	struct herd herd = {
		.options =
			{
				.members = 10,
				.group = 10,
				.private_kib = 1024,
				.vmas = 1,
				.uids = 1,
				.first_uid = 30000,
				.programs = 1,
				.work_kib = 2048,
				.work_ms = 100,
				.name = "flock",
				.folder = "/tmp",
			},
		.file = -1,
	};

	options_parse(&option_table, argc, argv, &herd.options);
	if (herd.options.active > herd.options.members)
		herd.options.active = herd.options.members;
	if (!tape_is_supported()) {
		puts("SKIP: members are made for x86-64, pages of 4 KiB and glibc 2.35 or later");
		return EXIT_SKIP;
	}
	if (herd.options.active && !can_populate()) {
		puts("SKIP: active members need a kernel with MADV_POPULATE_WRITE (5.14)");
		return EXIT_SKIP;
	}
	prepare(&herd, argc, argv);
	spawn_groups(&herd, 0, layout_groups(&herd.options));
	write_truth(&herd);
	print_ready(&herd);
	run(&herd);
	end_all(&herd);
	free(herd.pid);
	fd_close(herd.file);
	return EXIT_SUCCESS;
}
