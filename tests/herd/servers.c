/* SPDX-License-Identifier: Apache-2.0 */
/*
 * servers - processes that fork workers, and bursts of memory that counters hardly show
 *
 * Each server holds private memory, which its workers inherit and copy page by page, and a segment
 * that it shares with them. Commands are lines on standard input. Each is answered by "OK" when it
 * is done:
 *
 *   fork N      each server forks N workers; each maps the whole segment
 *   write       each worker writes the next --write-kib of the inherited memory
 *   burst N     each server forks N workers that write at once
 *   halve       every second worker of each server exits
 *   churn N     from now on N workers a second, of all servers together, are forked and write, and
 *               as many exit, in an order in which their number goes up and down by half
 *   still       ends churn
 *   out, in     each server has its private memory paged out, and touches it again
 *
 * Any other line is answered by "WHAT". "READY {...}" names the pids of the servers. The end of
 * standard input ends all processes.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "tests/herd/options.h"
#include "tests/herd/self.h"
#include "tests/herd/tape.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21 /* Linux 5.4 and later */
#endif

enum {
	SERVERS_MAX = 1000,
	WORKERS_MAX = 10000, /* of a server */
	NAME_SIZE = 16,
};

/* Addresses without other mappings nearby, so that a segment never merges with a neighbour. */
#define PRIVATE_AT UINT64_C(0x300000000000)
#define SEGMENT_AT UINT64_C(0x320000000000)

struct options {
	uint64_t servers, private_kib, segment_kib, write_kib, first_uid, uids;
	const char *name;
};

enum verb {
	VERB_FORK,
	VERB_BURST,
	VERB_WRITE,
	VERB_HALVE,
	VERB_CHURN,
	VERB_STILL,
	VERB_OUT,
	VERB_IN
};

struct command {
	enum verb verb;
	uint64_t number;
};

struct server {
	const struct options *options;
	uint64_t private_pages, segment_pages;
	pid_t worker[WORKERS_MAX]; /* oldest first */
	size_t workers;
	uint64_t churn_ns; /* time between two births or exits; 0: none */
	uint64_t steady;   /* number of workers when churn began */
	uint32_t random;
	int done[2]; /* a pipe: a worker writes a byte when it has done a command */
};

static const struct options_number numbers[] = {
	{"servers", offsetof(struct options, servers), 1, SERVERS_MAX, "servers (1)"},
	{"private-kib", offsetof(struct options, private_kib), 0, 1 << 30,
		"private memory of each server (1024)"},
	{"segment-kib", offsetof(struct options, segment_kib), 0, 1 << 30,
		"segment that each server shares with its workers (0)"},
	{"write-kib", offsetof(struct options, write_kib), 0, 1 << 30,
		"memory that a worker writes at a time (256)"},
	{"uids", offsetof(struct options, uids), 1, 1000000,
		"users, server by server, if root (1)"},
	{"first-uid", offsetof(struct options, first_uid), 1, 1 << 30, "first user ID (40000)"},
};

static const struct options_text texts[] = {
	{"name", offsetof(struct options, name),
		"prefix of the programs' names, followed by a number (server)"},
};

static const struct options_table option_table = {
	.program = "servers",
	.numbers = numbers,
	.number_count = ARRAY_SIZE(numbers),
	.texts = texts,
	.text_count = ARRAY_SIZE(texts),
};

static void fail(const char *what)
{
	fprintf(stderr, "servers: process %d: %s: %s\n", (int)getpid(), what, strerror(errno));
	exit(EXIT_FAILURE);
}

static uint64_t pages_of_kib(uint64_t kib)
{
	return kib * 1024 / TAPE_PAGE_SIZE;
}

static void say_done(const struct server *server)
{
	if (write(server->done[1], "", 1) != 1)
		_exit(EXIT_FAILURE);
}

/* A worker: exits with its server, which also kills it. */
__attribute__((noreturn)) static void work(const struct server *server, pid_t parent, bool writes)
{
	uint64_t step = pages_of_kib(server->options->write_kib), at = 0;
	sigset_t wanted;
	int signal;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(EXIT_FAILURE);
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGUSR1);
	self_touch(SEGMENT_AT, server->segment_pages, true);
	for (;;) {
		if (writes && step) {
			uint64_t left = server->private_pages - at;

			self_touch(
				PRIVATE_AT + at * TAPE_PAGE_SIZE, step < left ? step : left, false);
			at = step < left ? at + step : 0;
		}
		say_done(server);
		if (sigwait(&wanted, &signal) != 0)
			_exit(EXIT_FAILURE);
		writes = true;
	}
}

static void await_done(const struct server *server, uint64_t count)
{
	char byte;

	for (uint64_t i = 0; i < count; i++)
		if (read(server->done[0], &byte, 1) != 1)
			fail("a worker");
}

static void fork_worker(struct server *server, bool writes)
{
	pid_t parent = getpid();
	pid_t pid;

	if (server->workers == WORKERS_MAX) {
		errno = E2BIG;
		fail("workers");
	}
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (pid == 0)
		work(server, parent, writes);
	server->worker[server->workers++] = pid;
}

static void end_worker(struct server *server, size_t i)
{
	pid_t pid = server->worker[i];

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	memmove(server->worker + i, server->worker + i + 1,
		(--server->workers - i) * sizeof(*server->worker));
}

/* The same numbers in every run (xorshift). */
static uint32_t next_random(struct server *server)
{
	server->random ^= server->random << 13;
	server->random ^= server->random >> 17;
	server->random ^= server->random << 5;
	return server->random;
}

static void change_workers(struct server *server)
{
	bool is_low = server->workers <= server->steady / 2;
	bool is_high = server->workers >= server->steady + (server->steady + 1) / 2;

	if (is_low || (!is_high && next_random(server) >> 31)) {
		fork_worker(server, true);
		await_done(server, 1);
	} else {
		end_worker(server, next_random(server) % server->workers);
	}
}

static void page_out(const struct server *server)
{
	if (server->private_pages &&
		madvise((void *)PRIVATE_AT, server->private_pages * TAPE_PAGE_SIZE, MADV_PAGEOUT) <
			0)
		fail("MADV_PAGEOUT");
}

static void carry_out(struct server *server, const struct command *command)
{
	switch (command->verb) {
	case VERB_FORK:
	case VERB_BURST:
		for (uint64_t i = 0; i < command->number; i++)
			fork_worker(server, command->verb == VERB_BURST);
		await_done(server, command->number);
		break;
	case VERB_WRITE:
		for (size_t i = 0; i < server->workers; i++)
			kill(server->worker[i], SIGUSR1);
		await_done(server, server->workers);
		break;
	case VERB_HALVE:
		for (size_t i = server->workers / 2 * 2; i > 0; i -= 2)
			end_worker(server, i - 1);
		break;
	case VERB_CHURN:
		server->churn_ns = NS_PER_SEC * server->options->servers / command->number / 2;
		server->steady = server->workers;
		break;
	case VERB_STILL: server->churn_ns = 0; break;
	case VERB_OUT: page_out(server); break;
	case VERB_IN: self_touch(PRIVATE_AT, server->private_pages, true); break;
	}
}

/* Returns how long to wait for a command before the next worker is due; -1: without limit. */
static int patience_ms(const struct server *server, uint64_t due_ns)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	if (!server->churn_ns)
		return -1;
	return now_ns >= due_ns ? 0 : (int)((due_ns - now_ns + NS_PER_MSEC - 1) / NS_PER_MSEC);
}

/* A server that was stopped for a while does not make up for the lost births and exits. */
static uint64_t next_due_ns(const struct server *server, uint64_t due_ns)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	due_ns += server->churn_ns;
	return due_ns < now_ns ? now_ns + server->churn_ns : due_ns;
}

static void obey(struct server *server, int commands)
{
	struct pollfd poller = {.fd = commands, .events = POLLIN};
	struct command command;
	uint64_t due_ns = 0;

	for (;;) {
		int n = poll(&poller, 1, patience_ms(server, due_ns));

		if (n == 0) {
			change_workers(server);
			due_ns = next_due_ns(server, due_ns);
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (recv(commands, &command, sizeof(command), 0) != sizeof(command))
			exit(EXIT_SUCCESS);
		carry_out(server, &command);
		if (send(commands, "", 1, MSG_NOSIGNAL) != 1)
			exit(EXIT_SUCCESS);
	}
}

static void map_memory(struct server *server)
{
	if (server->private_pages) {
		self_map(PRIVATE_AT, server->private_pages, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1);
		self_touch(PRIVATE_AT, server->private_pages, false);
	}
	if (server->segment_pages) {
		self_map(SEGMENT_AT, server->segment_pages, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1);
		self_touch(SEGMENT_AT, server->segment_pages, false);
	}
}

__attribute__((noreturn)) static void serve(
	const struct options *options, uint64_t i, pid_t parent, int commands)
{
	static struct server server;
	char name[NAME_SIZE];

	server = (struct server){
		.options = options,
		.private_pages = pages_of_kib(options->private_kib),
		.segment_pages = pages_of_kib(options->segment_kib),
		.random = (uint32_t)(options->first_uid + i) + 1,
	};
	snprintf(name, sizeof(name), "%.10s%u", options->name, (unsigned int)(i % SERVERS_MAX));
	if (prctl(PR_SET_NAME, name) < 0 || pipe(server.done) < 0)
		fail(name);
	self_settle((uid_t)(options->first_uid + i % options->uids), parent);
	map_memory(&server);
	if (send(commands, "", 1, MSG_NOSIGNAL) != 1)
		exit(EXIT_FAILURE);
	obey(&server, commands);
	exit(EXIT_SUCCESS);
}

static pid_t start_server(const struct options *options, uint64_t i, int *ret_commands)
{
	pid_t parent = getpid();
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		fail("socketpair");
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (pid == 0) {
		close(ends[0]);
		serve(options, i, parent, ends[1]);
	}
	close(ends[1]);
	*ret_commands = ends[0];
	return pid;
}

static void await_servers(const struct options *options, const int *commands)
{
	char byte;

	for (uint64_t i = 0; i < options->servers; i++)
		if (recv(commands[i], &byte, 1, 0) != 1) {
			fputs("servers: a server has failed\n", stderr);
			exit(EXIT_FAILURE);
		}
}

static void tell_servers(const struct options *options, const int *commands, struct command command)
{
	for (uint64_t i = 0; i < options->servers; i++)
		if (send(commands[i], &command, sizeof(command), MSG_NOSIGNAL) != sizeof(command))
			fail("a server");
	await_servers(options, commands);
}

static const struct word {
	const char *text;
	bool has_number;
	enum verb verb;
} words[] = {
	{"fork", true, VERB_FORK},
	{"write", false, VERB_WRITE},
	{"burst", true, VERB_BURST},
	{"halve", false, VERB_HALVE},
	{"churn", true, VERB_CHURN},
	{"still", false, VERB_STILL},
	{"out", false, VERB_OUT},
	{"in", false, VERB_IN},
};

/* Runs the command in LINE. Returns false if there is no such command. */
static bool obey_line(const struct options *options, const int *commands, const char *line)
{
	size_t len = strcspn(line, "\n"), word_len = strcspn(line, " \n");

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const struct word *word = &words[i];
		struct command command = {0};

		if (word_len != strlen(word->text) || memcmp(line, word->text, word_len) != 0)
			continue;
		if (word->has_number != (word_len < len))
			return false;
		if (word->has_number && (number_parse_u64(line + word_len + 1, len - word_len - 1,
						 &command.number) < 0 ||
						!command.number || command.number > WORKERS_MAX))
			return false;
		command.verb = word->verb;
		tell_servers(options, commands, command);
		return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	static int commands[SERVERS_MAX];
	struct options options = {
		.servers = 1,
		.private_kib = 1024,
		.write_kib = 256,
		.first_uid = 40000,
		.uids = 1,
		.name = "server",
	};
	char line[64];
	sigset_t usr1;

	options_parse(&option_table, argc, argv, &options);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	self_leave_files();
	printf("READY {\"pids\": [");
	fflush(stdout);
	for (uint64_t i = 0; i < options.servers; i++) {
		int pid = (int)start_server(&options, i, &commands[i]);

		printf("%s%d", i ? ", " : "", pid);
		fflush(stdout);
	}
	await_servers(&options, commands);
	puts("]}");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		puts(obey_line(&options, commands, line) ? "OK" : "WHAT");
		fflush(stdout);
	}
	return EXIT_SUCCESS;
}
