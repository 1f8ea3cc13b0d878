/* SPDX-License-Identifier: Apache-2.0 */
/*
 * floor - the CPU that the kernel charges for reading files in /proc
 *
 * No program that measures processes can cost less. Each FILE of each process is opened, read to
 * its end and closed. Nothing is parsed.
 *
 *   floor [--proc=DIR] [--children-of=PID] [--passes=N] [--pause-ms=N] [--on-demand] FILE...
 *
 * Prints one JSON object: CPU (user and system) of a pass, median and minimum. With --on-demand it
 * makes a pass for each line on standard input and answers with a line of JSON, so that its passes
 * can alternate with those of another program.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/os/file.h"
#include "tests/bench/helpers/quantile.h"
#include "tests/herd/options.h"

enum { READ_SIZE = 1 << 16, PASSES_MAX = 100000, CHILDREN_MAX = 1 << 24 };

struct settings {
	const char *proc;
	uint64_t children_of; /* 0: all processes */
	uint64_t passes, pause_ms;
	bool on_demand;
	char *const *files;
};

/* Cost and results of one pass. */
struct pass {
	uint64_t cpu_ns, wall_ns;
	uint64_t processes, read, bytes, failed;
};

struct reader {
	int proc;
	char *text;
	uint32_t *pid;
	size_t pids, capacity;
};

static void fail(const char *what)
{
	fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static void add_pid(struct reader *reader, uint64_t pid)
{
	if (reader->pids == reader->capacity) {
		reader->capacity = reader->capacity ? 2 * reader->capacity : 1024;
		reader->pid = realloc(reader->pid, reader->capacity * sizeof(*reader->pid));
		if (!reader->pid)
			fail("memory");
	}
	reader->pid[reader->pids++] = (uint32_t)pid;
}

static void list_all(struct reader *reader)
{
	int fd = openat(reader->proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSEDIR DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir)
		fail("proc");
	while ((entry = readdir(dir))) {
		uint64_t pid;

		if (number_parse_u64(entry->d_name, strlen(entry->d_name), &pid) == 0 && pid)
			add_pid(reader, pid);
	}
}

static void list_children(struct reader *reader, uint64_t parent)
{
	AUTO_BUFFER struct buffer text = {0};
	char path[64];
	size_t at = 0;

	snprintf(path, sizeof(path), "%" PRIu64 "/task/%" PRIu64 "/children", parent, parent);
	if (file_read_all(reader->proc, path, CHILDREN_MAX, &text) < 0)
		fail(path);
	while (at < text.len) {
		uint64_t pid;
		int n = number_scan_u64(text.data + at, text.len - at, &pid);

		if (n > 0)
			add_pid(reader, pid);
		at += (n > 0 ? (size_t)n : 0) + 1;
	}
}

static void read_file(struct reader *reader, const char *path, struct pass *pass)
{
	AUTO_CLOSE int fd = openat(reader->proc, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	while (fd >= 0 && (n = read(fd, reader->text, READ_SIZE)) > 0)
		pass->bytes += (uint64_t)n;
	if (n < 0)
		pass->failed++;
	else
		pass->read++;
}

static void read_process(struct reader *reader, uint32_t pid, char *const *files, struct pass *pass)
{
	char path[256];

	for (; *files; files++) {
		snprintf(path, sizeof(path), "%" PRIu32 "/%s", pid, *files);
		read_file(reader, path, pass);
	}
}

static void run_pass(const struct settings *settings, struct reader *reader, struct pass *ret)
{
	uint64_t cpu_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t wall_ns = clock_now_ns(CLOCK_MONOTONIC);
	struct pass pass = {0};

	reader->pids = 0;
	if (settings->children_of)
		list_children(reader, settings->children_of);
	else
		list_all(reader);
	for (size_t i = 0; i < reader->pids; i++)
		read_process(reader, reader->pid[i], settings->files, &pass);
	pass.processes = reader->pids;
	pass.cpu_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
	pass.wall_ns = clock_now_ns(CLOCK_MONOTONIC) - wall_ns;
	*ret = pass;
}

static void print_pass(const struct pass *pass)
{
	printf("{\"cpu_us\": %.1f, \"wall_us\": %.1f, \"processes\": %" PRIu64
	       ", \"read\": %" PRIu64 ", \"failed\": %" PRIu64 ", \"bytes\": %" PRIu64 "}\n",
		(double)pass->cpu_ns / 1e3, (double)pass->wall_ns / 1e3, pass->processes,
		pass->read, pass->failed, pass->bytes);
	fflush(stdout);
}

static void serve(const struct settings *settings, struct reader *reader)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		struct pass pass;

		run_pass(settings, reader, &pass);
		print_pass(&pass);
	}
}

static void measure(const struct settings *settings, struct reader *reader)
{
	struct timespec pause = {
		.tv_sec = (time_t)(settings->pause_ms / 1000),
		.tv_nsec = (long)(settings->pause_ms % 1000 * NS_PER_MSEC),
	};
	AUTO_FREE uint64_t *cpu_ns = calloc(settings->passes, sizeof(*cpu_ns));
	double median_us;
	struct pass pass;

	if (!cpu_ns)
		fail("memory");
	run_pass(settings, reader, &pass); /* warms up */
	for (uint64_t i = 0; i < settings->passes; i++) {
		nanosleep(&pause, NULL);
		run_pass(settings, reader, &pass);
		cpu_ns[i] = pass.cpu_ns;
	}
	quantile_sort(cpu_ns, settings->passes);
	median_us = quantile_us(cpu_ns, settings->passes, 0.5);
	printf("{\"passes\": %" PRIu64 ", \"processes\": %" PRIu64 ", \"failed\": %" PRIu64
	       ", \"cpu_us_median\": %.1f, \"cpu_us_min\": %.1f, \"cpu_us_per_process\": %.2f}\n",
		settings->passes, pass.processes, pass.failed, median_us,
		quantile_us(cpu_ns, settings->passes, 0),
		pass.processes ? median_us / (double)pass.processes : 0.0);
}

static void usage(void)
{
	fputs("usage: floor [--proc=DIR] [--children-of=PID] [--passes=N] [--pause-ms=N] "
	      "[--on-demand] FILE...\n",
		stderr);
	exit(OPTIONS_USAGE);
}

static uint64_t parse_number(const char *text, uint64_t min, uint64_t max)
{
	uint64_t value;

	if (!options_read(text, min, max, &value))
		usage();
	return value;
}

static void parse_settings(int argc, char **argv, struct settings *ret)
{
	static const struct option options[] = {
		{"proc", required_argument, NULL, 'd'},
		{"children-of", required_argument, NULL, 'c'},
		{"passes", required_argument, NULL, 'n'},
		{"pause-ms", required_argument, NULL, 'p'},
		{"on-demand", no_argument, NULL, 'o'},
		{NULL, 0, NULL, 0},
	};
	int c;

	*ret = (struct settings){.proc = "/proc", .passes = 9};
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'd': ret->proc = optarg; break;
		case 'c': ret->children_of = parse_number(optarg, 1, INT32_MAX); break;
		case 'n': ret->passes = parse_number(optarg, 1, PASSES_MAX); break;
		case 'p': ret->pause_ms = parse_number(optarg, 0, 3600000); break;
		case 'o': ret->on_demand = true; break;
		default: usage();
		}
	}
	ret->files = argv + optind;
	if (!*ret->files)
		usage();
}

int main(int argc, char **argv)
{
	AUTO_FREE char *text = malloc(READ_SIZE);
	struct reader reader = {.text = text};
	struct settings settings;

	parse_settings(argc, argv, &settings);
	reader.proc = open(settings.proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (reader.proc < 0 || !text)
		fail(settings.proc);
	if (settings.on_demand)
		serve(&settings, &reader);
	else
		measure(&settings, &reader);
	free(reader.pid);
	fd_close(reader.proc);
	return EXIT_SUCCESS;
}
