/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reread PID COUNT KEPT: reads one process COUNT times, as memtallyd does once in a pass
 *
 * KEPT is 1 if its directory may be kept open between readings, 0 otherwise. Each reading prints a
 * line: outcome, new (1: another image than before), uid, RSS and PSS in bytes, name. Unknown
 * values are "-".
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/number.h"
#include "collectors/process/process.h"
#include "snapshot/metric.h"

static void print_quantity(const struct sample *s, enum process_quantity i)
{
	if (ROW_HAS(s, i))
		printf(" %" PRIu64, s->q[i]);
	else
		fputs(" -", stdout);
}

static void print(const struct sample *s, const struct process *p)
{
	printf("%s %d %u", metric_outcome_name(s->outcome), s->is_new_image, (unsigned int)s->uid);
	print_quantity(s, PROCESS_RSS);
	print_quantity(s, PROCESS_PSS);
	printf(" %.*s\n", p->name_len ? (int)p->name_len : 1, p->name_len ? p->name : "-");
}

static bool parse(int argc, char **argv, uint64_t *ret_pid, uint64_t *ret_count, uint64_t *ret_kept)
{
	return argc == 4 && number_parse_u64(argv[1], strlen(argv[1]), ret_pid) == 0 &&
	       number_parse_u64(argv[2], strlen(argv[2]), ret_count) == 0 &&
	       number_parse_u64(argv[3], strlen(argv[3]), ret_kept) == 0;
}

int main(int argc, char **argv)
{
	static struct process_reader reader;
	struct procfs procfs;
	struct process process;
	uint64_t pid, count, kept;
	int e = 0;

	if (!parse(argc, argv, &pid, &count, &kept)) {
		fputs("usage: reread PID COUNT KEPT\n", stderr);
		return 2;
	}
	if (procfs_open("/proc", &procfs) < 0)
		return 1;
	reader.procfs = &procfs;
	reader.kept_max = kept;
	reader.cgroup_max_age_ns = 60 * NS_PER_SEC;
	process_init(&process, (pid_t)pid);
	for (uint64_t i = 0; e == 0 && i < count; i++) {
		struct sample sample;

		e = process_read(&reader, &process, clock_now_ns(CLOCK_MONOTONIC), &sample);
		if (e == 0)
			print(&sample, &process);
	}
	process_release(&reader, &process);
	process_done(&process);
	process_reader_done(&reader);
	procfs_close(&procfs);
	return e < 0;
}
