/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger-year - size and cost of a ledger after a year
 *
 *     ledger-year DIRECTORY DAYS USERS
 *
 * Writes a bucket for every five minutes of DAYS through the real store, with random values. There
 * are as many groups as users, half as many programs and units, and a tenth as many containers,
 * which differ each day. All exist all the time. Prints the size of the file, the CPU of a write,
 * and the duration of reports.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/number.h"
#include "ledger/store/store.h"

#define FIRST_S UINT64_C(1704067200) /* 2024-01-01: a year of 366 days */

enum { BUCKET_S = 300, DAY_S = 86400, REPORTS = 20, MONTH = 31 };

static uint64_t cpu_ns(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return ((uint64_t)r.ru_utime.tv_sec + (uint64_t)r.ru_stime.tv_sec) * NS_PER_SEC +
	       ((uint64_t)r.ru_utime.tv_usec + (uint64_t)r.ru_stime.tv_usec) * NS_PER_USEC;
}

static uint64_t next(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	return z ^ (z >> 31);
}

static void die(const char *what)
{
	fprintf(stderr, "ledger-year: %s\n", what);
	exit(EXIT_FAILURE);
}

static void use(struct bucket *b, enum usage_kind kind, uint32_t number, const char *name,
	const char *user, uint64_t *random)
{
	struct row *row = rows_get(&b->rows, kind, number, name, user);

	if (!row)
		die("out of memory");
	row->id = number;
	row->now.is_known = true;
	row->counted += 1e12;
	row->now.pss_bytes = next(random) % (UINT64_C(8) << 30);
	row->now.has_pss = row->now.has_swap = row->has_pss_max = row->has_swap_s = true;
	row->now.processes = 1 + next(random) % 60;
	row->pss_byte_s = (double)row->now.pss_bytes * BUCKET_S * 0.9;
	row->pss_max_bytes = row->now.pss_bytes;
	row->swap_byte_s = number % 4 ? 0 : (double)(next(random) % (UINT64_C(1) << 30)) * BUCKET_S;
	row->process_s = (double)row->now.processes * BUCKET_S;
	row->processes_max = row->now.processes;
}

static void fill(struct bucket *b, uint64_t users, uint64_t day, uint64_t *random)
{
	char name[96], user[32];

	for (uint32_t i = 0; i < users; i++) {
		snprintf(name, sizeof(name), "user-%u", i);
		use(b, USAGE_USER, 1000 + i, name, "", random);
		use(b, USAGE_GROUP, 1000 + i, name, "", random);
	}
	for (uint32_t i = 0; i < users / 2; i++) {
		snprintf(name, sizeof(name), "program-%u", i);
		use(b, USAGE_PROGRAM, 0, name, "", random);
		snprintf(name, sizeof(name), "some-service-%u.service", i);
		use(b, USAGE_UNIT, 0, name, "", random);
	}
	for (uint32_t i = 0; i < users / 10; i++) {
		snprintf(name, sizeof(name), "%032x%032llx", i, (unsigned long long)day);
		snprintf(user, sizeof(user), "user-%u", i);
		use(b, USAGE_CONTAINER, 0, name, user, random);
	}
}

static bool is_left(const struct row *row)
{
	return row->now.is_known;
}

static void fill_slot(struct bucket *b, uint64_t slot, uint64_t users, uint64_t *random)
{
	uint64_t begin_ns = (FIRST_S + slot * BUCKET_S) * NS_PER_SEC;

	for (size_t i = 0; i < b->rows.count; i++)
		b->rows.row[i]->now.is_known = false;
	fill(b, users, slot * BUCKET_S / DAY_S, random);
	rows_sweep(&b->rows, is_left);
	b->mark = (struct bucket_mark){.is_set = true,
		.sequence = slot + 1,
		.monotonic_ns = begin_ns,
		.boottime_ns = begin_ns,
		.realtime_ns = begin_ns};
	b->is_open = true;
	b->from_ns = begin_ns;
	b->to_ns = begin_ns + BUCKET_S * NS_PER_SEC;
	b->covered_ns = b->sampled_ns = BUCKET_S * NS_PER_SEC;
}

static void report(struct store *store, const char *what, uint64_t since_s, uint64_t until_s,
	uint64_t step_s, uint64_t now_s)
{
	const struct store_reader all = {.sees_all = true};
	uint64_t begin = clock_now_ns(CLOCK_MONOTONIC), most = 0;
	uint32_t rows = 0;

	for (int i = 0; i < REPORTS; i++) {
		uint64_t one = clock_now_ns(CLOCK_MONOTONIC);

		rows = 0;
		for (uint64_t s = since_s; s < until_s; s += step_s) {
			const struct usage_request request = {.kind = USAGE_USER,
				.since_s = (int64_t)s,
				.until_s = (int64_t)(s + step_s)};
			struct usage_head head = {.status = USAGE_GOOD};
			AUTO_BUFFER struct buffer text = {0};

			usage_begin(&text);
			if (store_report(store, &request, &all, (int64_t)now_s, &head, &text) != 0)
				die(store_error(store));
			usage_end(&text, &head);
			rows += head.rows;
		}
		one = clock_now_ns(CLOCK_MONOTONIC) - one;
		if (one > most)
			most = one;
	}
	printf("%-34s %6u rows, %7.1f ms on average of %d, %7.1f ms at most\n", what, rows,
		(double)(clock_now_ns(CLOCK_MONOTONIC) - begin) / 1e6 / REPORTS, REPORTS,
		(double)most / 1e6);
}

int main(int argc, char *argv[])
{
	static const struct store_limits limits = {
		.slots = {864, 1488, 732}, .bytes = UINT64_C(200) << 20};
	uint64_t days = 366, users = 200, random = 1, cpu = 0, now_s, most = 0;
	struct bucket b = {.rows = {.count = 0}};
	char error[STORE_ERROR_SIZE];
	struct store *store = NULL;
	size_t owners = 0;

	if (argc != 4 || number_parse_u64(argv[2], strlen(argv[2]), &days) < 0 ||
		number_parse_u64(argv[3], strlen(argv[3]), &users) < 0 || !days || !users)
		die("usage: ledger-year DIRECTORY DAYS USERS");
	if (store_open(argv[1], &limits, NULL, &store, error) != 0)
		die(error);
	for (uint64_t slot = 0; slot < days * (DAY_S / BUCKET_S); slot++) {
		uint64_t begin;

		fill_slot(&b, slot, users, &random);
		owners = b.rows.count;
		begin = cpu_ns();
		if (store_write(store, &b) != 0)
			die(store_error(store));
		bucket_clear(&b);
		cpu += cpu_ns() - begin;
		if (store_bytes(store) > most)
			most = store_bytes(store);
	}
	now_s = FIRST_S + days * DAY_S;
	printf("%llu days of %llu users, %zu owners in all\n", (unsigned long long)days,
		(unsigned long long)users, owners);
	printf("%-34s %.1f MiB, at most %.1f MiB\n", "the file",
		(double)store_bytes(store) / 1048576, (double)most / 1048576);
	printf("%-34s %.2f ms of CPU, %.4f %% of a core\n", "a write, every five minutes",
		(double)cpu / 1e6 / ((double)days * DAY_S / BUCKET_S),
		(double)cpu / (double)(days * DAY_S) / 1e9 * 100);
	if (days > MONTH + 1) {
		report(store, "a month, in all", now_s - MONTH * DAY_S, now_s, MONTH * DAY_S,
			now_s);
		report(store, "a month, an hour east of UTC", now_s - MONTH * DAY_S - 3600,
			now_s - 3600, MONTH * DAY_S, now_s);
		report(store, "a month, each day of it there", now_s - MONTH * DAY_S - 3600,
			now_s - 3600, DAY_S, now_s);
		report(store, "all days, in all", FIRST_S, now_s, days * DAY_S, now_s);
	}
	report(store, "a day, each hour of it", now_s - DAY_S, now_s, 3600, now_s);
	store_close(store);
	bucket_done(&b);
	return 0;
}
