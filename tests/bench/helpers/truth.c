/* SPDX-License-Identifier: Apache-2.0 */
/*
 * truth - PSS of every process of some users or of a cgroup, from smaps_rollup
 *
 *   truth [--proc=DIR] --first-uid=N --last-uid=N
 *   truth [--proc=DIR] --procs=FILE
 *
 * Makes a pass for each line on standard input and answers with a line of JSON: its begin and end
 * (CLOCK_BOOTTIME), its CPU, and [pid, uid, KiB] of each process. Processes that exit during a pass
 * and processes without memory are left out. Shares no measuring code with the programs that it is
 * compared with.
 *
 * The uid is the owner of /proc/PID. With --procs, which names a cgroup.procs, it is the effective
 * uid in status, because root owns the files of a process that is not dumpable.
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
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/os/file.h"

enum { EXIT_USAGE = 2, TEXT_SIZE = 4096, PATH_SIZE = 64, PIDS_MAX = 1 << 24 };

struct settings {
	const char *proc, *procs; /* .procs: path of a cgroup.procs; NULL: the users */
	uint64_t first_uid, last_uid;
};

static void fail(const char *what)
{
	fprintf(stderr, "truth: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

/* Finds the number after KEY at the beginning of a line. */
static bool find_kib(const char *text, size_t len, const char *key, uint64_t *ret)
{
	size_t key_len = strlen(key);

	for (const char *end = text + len; text < end;) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t line = newline ? (size_t)(newline - text) : (size_t)(end - text);

		if (line > key_len && memcmp(text, key, key_len) == 0) {
			while (key_len < line && text[key_len] == ' ')
				key_len++;
			return number_scan_u64(text + key_len, line - key_len, ret) > 0;
		}
		text += line + 1;
	}
	return false;
}

static bool read_pss_kib(int proc, const char *pid, uint64_t *ret)
{
	char path[PATH_SIZE], text[TEXT_SIZE];
	size_t len;

	snprintf(path, sizeof(path), "%s/smaps_rollup", pid);
	return file_read(proc, path, text, sizeof(text), &len) == 0 &&
	       find_kib(text, len, "Pss:", ret);
}

static bool is_of(const struct settings *settings, int proc, const char *pid, uid_t *ret_uid)
{
	struct stat status;

	if (fstatat(proc, pid, &status, 0) < 0 || status.st_uid < settings->first_uid ||
		status.st_uid > settings->last_uid)
		return false;
	*ret_uid = status.st_uid;
	return true;
}

static void print_process(const char *pid, uid_t uid, uint64_t kib, const char **separator)
{
	printf("%s[%s, %u, %" PRIu64 "]", *separator, pid, (unsigned int)uid, kib);
	*separator = ", ";
}

static void print_users(const struct settings *settings, int proc)
{
	int fd = openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSEDIR DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	const char *separator = "";

	if (!dir)
		fail(settings->proc);
	while ((entry = readdir(dir))) {
		uint64_t pid, kib;
		uid_t uid;

		if (number_parse_u64(entry->d_name, strlen(entry->d_name), &pid) < 0 ||
			!is_of(settings, proc, entry->d_name, &uid) ||
			!read_pss_kib(proc, entry->d_name, &kib))
			continue;
		print_process(entry->d_name, uid, kib, &separator);
	}
}

/* Finds the second number of the line "Uid:" of status. */
static bool read_effective_uid(int proc, const char *pid, uid_t *ret)
{
	static const char key[] = "\nUid:\t";
	char path[PATH_SIZE], text[TEXT_SIZE];
	const char *at;
	uint64_t uid;
	size_t len;

	snprintf(path, sizeof(path), "%s/status", pid);
	if (file_read(proc, path, text, sizeof(text), &len) < 0)
		return false;
	at = memmem(text, len, key, sizeof(key) - 1);
	if (at)
		at = memchr(at + sizeof(key), '\t', len - (size_t)(at + sizeof(key) - text));
	if (!at || number_scan_u64(at + 1, len - (size_t)(at + 1 - text), &uid) <= 0)
		return false;
	*ret = (uid_t)uid;
	return true;
}

static void print_cgroup(const char *path, int proc)
{
	AUTO_BUFFER struct buffer pids = {0};
	const char *separator = "";
	char *rest, *pid;

	if (file_read_all(AT_FDCWD, path, PIDS_MAX, &pids) < 0)
		fail(path);
	buffer_add(&pids, "", 1);
	if (pids.error)
		fail("memory");
	for (pid = strtok_r(pids.data, "\n", &rest); pid; pid = strtok_r(NULL, "\n", &rest)) {
		uint64_t kib;
		uid_t uid;

		/* 0: a process of another pid namespace. */
		if (strcmp(pid, "0") != 0 && read_effective_uid(proc, pid, &uid) &&
			read_pss_kib(proc, pid, &kib))
			print_process(pid, uid, kib, &separator);
	}
}

static void run_pass(const struct settings *settings, int proc)
{
	uint64_t cpu_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID);

	printf("{\"begin_ns\": %" PRIu64 ", \"processes\": [", clock_now_ns(CLOCK_BOOTTIME));
	if (settings->procs)
		print_cgroup(settings->procs, proc);
	else
		print_users(settings, proc);
	cpu_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
	printf("], \"end_ns\": %" PRIu64 ", \"cpu_us\": %.1f}\n", clock_now_ns(CLOCK_BOOTTIME),
		(double)cpu_ns / 1e3);
	fflush(stdout);
}

static void usage(void)
{
	fputs("usage: truth [--proc=DIR] --first-uid=N --last-uid=N | --procs=FILE\n", stderr);
	exit(EXIT_USAGE);
}

static uint64_t parse_uid(const char *text)
{
	uint64_t value;

	if (number_parse_u64(text, strlen(text), &value) < 0 || value > UINT32_MAX)
		usage();
	return value;
}

static void parse_settings(int argc, char **argv, struct settings *ret)
{
	static const struct option options[] = {
		{"proc", required_argument, NULL, 'd'},
		{"first-uid", required_argument, NULL, 'f'},
		{"last-uid", required_argument, NULL, 'l'},
		{"procs", required_argument, NULL, 'g'},
		{NULL, 0, NULL, 0},
	};
	int c;

	*ret = (struct settings){.proc = "/proc", .first_uid = UINT32_MAX};
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'd': ret->proc = optarg; break;
		case 'f': ret->first_uid = parse_uid(optarg); break;
		case 'l': ret->last_uid = parse_uid(optarg); break;
		case 'g': ret->procs = optarg; break;
		default: usage();
		}
	}
	if (optind < argc || (!ret->procs && ret->last_uid < ret->first_uid))
		usage();
}

int main(int argc, char **argv)
{
	struct settings settings;
	char line[64];
	int proc;

	parse_settings(argc, argv, &settings);
	proc = open(settings.proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (proc < 0)
		fail(settings.proc);
	while (fgets(line, sizeof(line), stdin))
		run_pass(&settings, proc);
	fd_close(proc);
	return EXIT_SUCCESS;
}
