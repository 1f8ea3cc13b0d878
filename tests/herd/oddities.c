/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oddities - processes in unusual states, with known memory where possible
 *
 * Each argument makes one. When all are complete, it prints "READY {...}" with their pids. SIGTERM
 * or SIGINT ends them. If "kib" is printed, the process holds that much private memory in one
 * address space, and /proc must show it for the process (or for one of the processes that share the
 * address space).
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/os/file.h"
#include "tests/herd/odd.h"
#include "tests/herd/tape.h"

enum {
	EXIT_USAGE = 2,
	EXIT_SKIP = 77,
	PIDS_MAX = 64,
};

static void fail(const char *what)
{
	fprintf(stderr, "oddities: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static const struct kind {
	const char *name;
	void (*become)(struct odd *odd);
	int pids;      /* number of pids that each forked process reports */
	bool is_exact; /* all its memory is known */
	/* the argument is the size of the known memory in KiB; otherwise ODD_KIB */
	bool payload_is_known;
	bool takes_names;
	uint64_t min, max; /* of a numeric argument; 0: no numeric argument */
	/* if the process cannot be made: reason to skip the test; NULL: the test fails */
	const char *skip;
	const char *help;
} kinds[] = {
	{"name", odd_named, 1, true, false, true, 0, 0, NULL,
		"=HEX: a process with these bytes as its name"},
	{"rename", odd_renaming, 1, true, false, true, 0, 0, NULL,
		"=HEX,HEX...: goes on to the next name at each SIGUSR1"},
	{"grow", odd_growing, 1, true, false, false, 4, 1 << 24, NULL,
		"=KIB: grows by KIB at each SIGUSR1"},
	{"become", odd_becoming, 1, true, false, false, 1, 1 << 24, "only root can change its user",
		"=N: changes its effective uid and gid to the IDs plus N, and back, at each SIGUSR1"},
	{"dead-leader", odd_dead_leader, 2, true, true, false, 4, 1 << 24, NULL,
		"=KIB: a process with an exited leader, and its live thread"},
	{"clone-vm", odd_sharing, 2, true, true, false, 4, 1 << 24, NULL,
		"=KIB: two processes with one address space"},
	{"vfork", odd_vforking, 2, true, true, false, 4, 1 << 24, NULL,
		"=KIB: a process that waits for its vfork child, and the child"},
	{"siblings", odd_sibling, 1, true, false, false, 1, PIDS_MAX, NULL,
		"=N: processes with identical smaps_rollup"},
	{"vmas", odd_mapping, 1, false, false, false, 1, 65000, NULL,
		"=N: a process with N mappings"},
	{"repeated", odd_repeating, 1, true, false, false, 1, 4096, NULL,
		"=N: maps the same 64 MiB N times"},
	{"swapped", odd_swapped, 1, false, false, false, 4, 1 << 24,
		"nothing can be swapped out here", "=KIB: a process with KIB swapped out"},
	{"zombie", odd_zombie, 1, false, false, false, 0, 0, NULL, ": a zombie"},
	{"exec", odd_executing, 1, false, false, false, 1, 10000000, NULL,
		"=US: executes itself repeatedly, with pauses of US"},
	{"forks", odd_forking, 1, false, false, false, 2, 100000, NULL,
		"=N: starts N children a second, each for 20 ms and with a different hostile name"},
	{"crowd", odd_crowd, 1, false, false, false, 1, 1000000, NULL,
		"=N: a process with N children of 100 users, each with a different hostile name"},
	{"hugetlb", odd_huge, 1, true, false, false, 2048, 1 << 24,
		"there are no huge pages of 2 MiB to be had",
		"=KIB: also has KIB in hugetlb pages"},
	{"hugetlb-shared", odd_sharing_huge, 2, true, false, false, 2048, 1 << 24,
		"there are no huge pages of 2 MiB to be had",
		"=KIB: parent and child also share KIB in hugetlb pages"},
	{"thp", odd_transparent, 2, true, false, false, 2048, 1 << 24,
		"no transparent huge pages are to be had",
		"=KIB: parent and child share KIB in transparent huge pages"},
	{"thp-split", odd_splitting, 2, true, false, false, 2048, 1 << 24,
		"no transparent huge pages are to be had",
		"=KIB: the same, but the child has written to the first page"},
	{"mergeable", odd_mergeable, 1, true, true, false, 4, 1 << 24,
		"this kernel merges no equal pages (CONFIG_KSM)",
		"=KIB: KIB that can be merged with pages of other such processes"},
	{"reuse", odd_reusing, 2, false, false, false, 1, 1000000,
		"no pid can be chosen here (clone3 with set_tid)",
		"=US: processes of two users in turn have the second of the reported pids, "
		"each for US"},
};

/* One argument of the command line, and the pids of its processes. */
struct request {
	const struct kind *kind;
	const char *text, *argument;
	uint64_t number;
	uid_t uid;
	pid_t pid[PIDS_MAX];
	int pids;
};

static void usage(FILE *to)
{
	fputs("usage: oddities KIND[=ARGUMENT]...\n", to);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		fprintf(to, "  %s%s\n", kinds[i].name, kinds[i].help);
	fputs("  uid=N: user of the following processes (root only)\n", to);
}

static bool takes_argument(const struct kind *kind)
{
	return kind->takes_names || kind->max;
}

static bool parse_argument(struct request *request)
{
	const struct kind *kind = request->kind;
	char names[ODD_NAMES_MAX][ODD_NAME_SIZE];

	if (!request->argument)
		return !takes_argument(kind);
	if (kind->takes_names)
		return odd_parse_names(request->argument, names) > 0;
	return kind->max &&
	       number_parse_u64(request->argument, strlen(request->argument), &request->number) ==
	               0 &&
	       request->number >= kind->min && request->number <= kind->max;
}

static bool parse_request(const char *text, struct request *request)
{
	const char *equals = strchr(text, '=');
	size_t len = equals ? (size_t)(equals - text) : strlen(text);

	request->text = text;
	request->argument = equals ? equals + 1 : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		request->kind = &kinds[i];
		if (strlen(kinds[i].name) == len && !memcmp(kinds[i].name, text, len))
			return parse_argument(request);
	}
	return false;
}

__attribute__((noreturn)) static void fail_request(const struct request *request)
{
	if (request->kind->skip) {
		printf("SKIP: %s\n", request->kind->skip);
		exit(EXIT_SKIP);
	}
	fprintf(stderr, "oddities: %s failed\n", request->text);
	exit(EXIT_FAILURE);
}

/* Reads PIDS pids from one forked process into REQUEST. */
static void await_reports(struct request *request, int reader, int pids)
{
	for (int i = 0; i < pids; i++) {
		pid_t pid;

		if (read(reader, &pid, sizeof(pid)) != (ssize_t)sizeof(pid)) {
			fail_request(request);
		}
		request->pid[request->pids++] = pid;
	}
}

static void make_one(struct request *request, struct odd *odd)
{
	AUTO_CLOSE int reader = -1;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		fail("pipe");
	reader = ends[0];
	odd->ready = ends[1];
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (pid == 0)
		request->kind->become(odd);
	close(ends[1]);
	await_reports(request, reader, request->kind->pids);
}

/*
 * Waits until PID is a zombie. A process that is to be one, or to have one as its leader, may not
 * be there yet.
 */
static void await_zombie(pid_t pid)
{
	struct timespec pause = {.tv_nsec = 1000000};
	char path[64], text[1024];
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	for (;;) {
		if (file_read(AT_FDCWD, path, text, sizeof(text), &len) < 0)
			fail(path);
		if (memmem(text, len, ") Z ", 4))
			return;
		nanosleep(&pause, NULL);
	}
}

static void make(struct request *request, char *argv, size_t argv_size)
{
	const struct kind *kind = request->kind;
	uint64_t processes = kind->become == odd_sibling ? request->number : 1;
	struct odd odd = {
		.argument = request->argument,
		.number = request->number,
		.uid = request->uid,
		.parent = getpid(),
		.argv = argv,
		.argv_size = argv_size,
	};

	for (uint64_t i = 0; i < processes; i++)
		make_one(request, &odd);
	if (kind->become == odd_zombie || kind->become == odd_dead_leader)
		await_zombie(request->pid[0]);
}

static void print_request(const struct request *request, size_t argv_size, uintptr_t argv)
{
	const struct kind *kind = request->kind;
	uint64_t argv_pages = (argv + argv_size - 1) / TAPE_PAGE_SIZE - argv / TAPE_PAGE_SIZE + 1;
	uint64_t kib = kind->payload_is_known ? request->number / 4 * 4 : ODD_KIB;

	printf("{\"kind\": \"%s\", \"uid\": %u, \"pids\": [", kind->name,
		(unsigned int)request->uid);
	for (int i = 0; i < request->pids; i++)
		printf("%s%d", i ? ", " : "", (int)request->pid[i]);
	fputs("]", stdout);
	if (kind->is_exact) /* includes the pages of the tape and of the cells */
		printf(", \"kib\": %" PRIu64, kib + 4 * (2 + argv_pages));
	fputs("}", stdout);
}

static void end_all(const struct request *requests, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (int k = 0; k < requests[i].pids; k++)
			kill(requests[i].pid[k], SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

static void run(struct request *requests, size_t count, char *argv, size_t argv_size)
{
	sigset_t signals;
	int signal;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	for (size_t i = 0; i < count; i++)
		make(&requests[i], argv, argv_size);
	fputs("READY [", stdout);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ", " : "", stdout);
		print_request(&requests[i], argv_size, (uintptr_t)argv);
	}
	puts("]");
	fflush(stdout);
	sigwait(&signals, &signal);
	end_all(requests, count);
}

static size_t parse_requests(int argc, char **argv, struct request *requests)
{
	uid_t uid = geteuid();
	uint64_t number;
	size_t count = 0;

	for (int i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "uid=", 4) &&
			number_parse_u64(argv[i] + 4, strlen(argv[i] + 4), &number) == 0) {
			uid = geteuid() == 0 ? (uid_t)number : geteuid();
			continue;
		}
		requests[count].uid = uid;
		if (!parse_request(argv[i], &requests[count++])) {
			usage(stderr);
			exit(EXIT_USAGE);
		}
	}
	return count;
}

int main(int argc, char **argv)
{
	AUTO_FREE struct request *requests = NULL;
	size_t count, argv_size = (size_t)(argv[argc - 1] + strlen(argv[argc - 1]) + 1 - argv[0]);
	uint64_t pause_us;

	if (argc == 3 && !strcmp(argv[1], ODD_AGAIN) &&
		number_parse_u64(argv[2], strlen(argv[2]), &pause_us) == 0) {
		usleep((useconds_t)pause_us);
		odd_execute_again(argv[2]);
	}
	if (!tape_is_supported()) {
		puts("SKIP: oddities are made for x86-64, pages of 4 KiB and glibc 2.35 or later");
		return EXIT_SKIP;
	}
	requests = calloc((size_t)argc, sizeof(*requests));
	if (!requests)
		fail("memory");
	count = parse_requests(argc, argv, requests);
	if (!count) {
		usage(stderr);
		return EXIT_USAGE;
	}
	run(requests, count, argv[0], argv_size);
	return EXIT_SUCCESS;
}
