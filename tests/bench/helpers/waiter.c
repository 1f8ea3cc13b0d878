/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waiter - a process with much memory that measures how long its address space is locked
 *
 *   waiter [--mib=N] [--mappings=N] [--seconds=N] [--period-us=N]
 *
 * Prints "READY" when its memory is filled with pages of 4 KiB. For each line on standard input it
 * calls mmap and munmap once in a period for the given seconds and answers with a line of JSON.
 * Latency counts from the moment at which a call was due, so a stall counts for every call that it
 * delays; late calls are made up for at once. The process sleeps until shortly before a call is
 * due.
 *
 * Only waiting for the lock of the address space may count, not waiting for a processor. So time in
 * which the process could have run and did not (/proc/self/schedstat) counts neither as latency nor
 * as time until a call is due. A real-time priority would distort the result: the kernel hands a
 * contended lock to such a writer at once, while other readers take it away from an ordinary writer
 * for 4 ms.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "tests/bench/helpers/quantile.h"
#include "tests/herd/options.h"
#include "tests/herd/self.h"
#include "tests/herd/tape.h"

enum { MAPPINGS_MAX = 60000, PAGES_A_MIB = 256 };

#define MEMORY_AT UINT64_C(0x300000000000)
#define SPIN_NS   (200 * NS_PER_USEC)

struct settings {
	uint64_t mib, mappings, seconds, period_us;
};

static const uint64_t stall_us[] = {300, 1000, 2000, 5000, 10000, 20000};

enum { STALLS = ARRAY_SIZE(stall_us) };

static void fail(const char *what)
{
	fprintf(stderr, "waiter: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

/* A free page between two mappings keeps the kernel from merging them. */
static void fill_memory(const struct settings *settings)
{
	uint64_t pages = settings->mib * PAGES_A_MIB / settings->mappings;
	uintptr_t at = MEMORY_AT;

	for (uint64_t i = 0; i < settings->mappings && pages; i++) {
		self_map(at, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
		self_touch(at, pages, false);
		at += (pages + 1) * TAPE_PAGE_SIZE;
	}
}

/* Returns how long this process has waited for a processor; 0 if the kernel does not show it. */
static uint64_t waited_for_cpu_ns(int schedstat)
{
	char text[128];
	ssize_t n = schedstat < 0 ? -1 : pread(schedstat, text, sizeof(text), 0);
	const char *space = n > 0 ? memchr(text, ' ', (size_t)n) : NULL;
	uint64_t ns = 0;

	if (space)
		number_scan_u64(space + 1, (size_t)(text + n - space - 1), &ns);
	return ns;
}

/* A clock that stands still while this process waits for a processor. */
static uint64_t now_ns(int schedstat)
{
	uint64_t before_ns = waited_for_cpu_ns(schedstat), now, after_ns;

	/* If the processor is taken away between the two readings, that would count as latency. */
	for (;;) {
		now = clock_now_ns(CLOCK_MONOTONIC);
		after_ns = waited_for_cpu_ns(schedstat);
		if (after_ns == before_ns)
			return now - after_ns;
		before_ns = after_ns;
	}
}

static void await(int schedstat, uint64_t due_ns)
{
	uint64_t wake_ns = due_ns - SPIN_NS + waited_for_cpu_ns(schedstat);
	struct timespec wake = {
		.tv_sec = (time_t)(wake_ns / NS_PER_SEC),
		.tv_nsec = (long)(wake_ns % NS_PER_SEC),
	};

	if (wake_ns > clock_now_ns(CLOCK_MONOTONIC))
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
	while (now_ns(schedstat) < due_ns)
		;
}

static void map_and_unmap(void)
{
	void *page = mmap(
		NULL, TAPE_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED || munmap(page, TAPE_PAGE_SIZE) < 0)
		fail("mmap");
}

static void run_calls(const struct settings *settings, uint64_t *late_ns, uint64_t calls)
{
	AUTO_CLOSE int schedstat = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
	uint64_t due_ns = now_ns(schedstat) + NS_PER_MSEC;

	for (uint64_t i = 0; i < calls; i++) {
		await(schedstat, due_ns);
		map_and_unmap();
		late_ns[i] = now_ns(schedstat) - due_ns;
		due_ns += settings->period_us * NS_PER_USEC;
	}
}

/*
 * Calls delayed by one stall are late by less and less. A later call that is late by more met
 * another stall.
 */
static uint64_t count_stalls(const uint64_t *late_ns, uint64_t calls, uint64_t above_ns)
{
	uint64_t count = 0, before_ns = 0;

	for (uint64_t i = 0; i < calls; i++) {
		if (late_ns[i] > above_ns && (before_ns <= above_ns || late_ns[i] > before_ns))
			count++;
		before_ns = late_ns[i];
	}
	return count;
}

static void print_figures(uint64_t *late_ns, uint64_t calls)
{
	printf("{\"calls\": %" PRIu64 ", \"stalls\": {", calls);
	for (size_t i = 0; i < STALLS; i++)
		printf("%s\"%" PRIu64 "\": %" PRIu64, i ? ", " : "", stall_us[i],
			count_stalls(late_ns, calls, stall_us[i] * NS_PER_USEC));
	quantile_sort(late_ns, calls);
	printf("}, \"p50_us\": %.1f, \"p99_us\": %.1f, \"p99.9_us\": %.1f, \"worst_us\": %.1f}\n",
		quantile_us(late_ns, calls, 0.5), quantile_us(late_ns, calls, 0.99),
		quantile_us(late_ns, calls, 0.999), quantile_us(late_ns, calls, 1));
	fflush(stdout);
}

static const struct options_number numbers[] = {
	{"mib", offsetof(struct settings, mib), 1, 1 << 20, "memory (4096)"},
	{"mappings", offsetof(struct settings, mappings), 1, MAPPINGS_MAX,
		"number of mappings (256)"},
	{"seconds", offsetof(struct settings, seconds), 1, 86400, "duration of the calls (60)"},
	{"period-us", offsetof(struct settings, period_us), 100, 1000000,
		"time between two calls (1000)"},
};

static const struct options_table option_table = {
	.program = "waiter", .numbers = numbers, .number_count = ARRAY_SIZE(numbers)};

int main(int argc, char **argv)
{
	AUTO_FREE uint64_t *late_ns = NULL;
	struct settings settings = {.mib = 4096, .mappings = 256, .seconds = 60, .period_us = 1000};
	uint64_t calls;
	char line[64];

	options_parse(&option_table, argc, argv, &settings);
	calls = settings.seconds * 1000000 / settings.period_us;
	late_ns = malloc(calls * sizeof(*late_ns));
	if (!late_ns)
		fail("memory");
	/* The pages must exist before the calls, since a fault would also make a call late. */
	memset(late_ns, 1, calls * sizeof(*late_ns));
	fill_memory(&settings);
	puts("READY");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		run_calls(&settings, late_ns, calls);
		print_figures(late_ns, calls);
	}
	return EXIT_SUCCESS;
}
