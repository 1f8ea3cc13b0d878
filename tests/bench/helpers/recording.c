/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording - size and cost of a recording
 *
 *     recording DIRECTORY BYTES IMAGE...
 *
 * The images are successive snapshots at intervals of 10 s. Prints, as JSON, what a record of each
 * tier takes, and the CPU of recording. Then records the images again and again, forth and back, with
 * later times, until the archive in DIRECTORY has BYTES and its oldest files have been removed. Prints
 * how long it takes to find snapshots at random times, the memory of the recording process, and what a
 * round of verdicts on growth takes.
 */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/os/file.h"
#include "base/saturate.h"
#include "base/scan.h"
#include "recorder/archive/archive-reader.h"
#include "recorder/archive/archive.h"
#include "recorder/archive/segment.h"
#include "recorder/codec/codec.h"
#include "recorder/verdicts.h"

enum {
	IMAGES_MAX = 1000,
	STEP_S = 10,
	SEEKS = 300,
	CHAIN_MAX = 128, /* as in recorder/archive/tier.c, as the next one */
	CHAIN_KEYS_MAX = 16,
	RECORDS_MAX = 2000000,
};

static void die(const char *what)
{
	fprintf(stderr, "recording: %s\n", what);
	exit(EXIT_FAILURE);
}

static uint64_t next(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	return z ^ (z >> 31);
}

struct images {
	struct buffer bytes[IMAGES_MAX];
	size_t count;
};

static struct view *view_of(const struct buffer *image)
{
	struct view *view;
	const char *reason;

	if (view_from_bytes(image->data, image->len, &view, &reason) < 0)
		die(reason);
	return view;
}

/* Returns how many rows of processes differ in more than their ages. */
static unsigned int changed_rows(const struct view *a, const struct view *b)
{
	const uint64_t ages = UINT64_C(1) << PROCESS_ELAPSED | UINT64_C(1) << PROCESS_SEEN |
	                      UINT64_C(1) << PROCESS_PSS_AGE;
	unsigned int changed = 0;

	for (uint32_t i = 0; i < view_count(b, METRIC_PROCESS); i++) {
		const struct snapshot_process *now = view_process(b, i);
		const struct snapshot_process *old = view_find_process(a, now->pid);
		bool is_same = old && old->present == now->present;

		for (unsigned int q = 0; is_same && q < PROCESS_QUANTITIES; q++)
			is_same = (ages >> q & 1) || old->q[q] == now->q[q];
		changed += !is_same;
	}
	return changed;
}

/* Bytes and CPU of the records of a tier. */
struct cost {
	size_t keys, deltas;
	uint64_t key_bytes, delta_bytes;
	uint64_t cpu_ns; /* of a delta: validation and encoding */
	unsigned int changed;
};

/* Encodes each EVERYth image. */
static struct cost measure(const struct images *images, size_t every)
{
	struct cost c = {0};
	struct encoder *encoder;

	if (encoder_new(ARCHIVE_IMAGE_MAX, &encoder) < 0)
		die("out of memory");
	for (size_t i = 0; i < images->count; i += every) {
		uint64_t begin_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID);
		AUTO_VIEW struct view *view = view_of(&images->bytes[i]);
		AUTO_BUFFER struct buffer payload = {0};
		enum codec_form form;

		if (encoder_add(encoder, view, false, &payload, &form) < 0)
			die("cannot encode");
		if (form == CODEC_DELTA) {
			AUTO_VIEW struct view *last = view_of(&images->bytes[i - every]);

			c.deltas++;
			c.delta_bytes += segment_record_bytes((uint32_t)payload.len);
			c.cpu_ns += clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns;
			c.changed += changed_rows(last, view);
		} else {
			c.keys++;
			c.key_bytes += segment_record_bytes((uint32_t)payload.len);
		}
	}
	encoder_free(encoder);
	return c;
}

/* Returns the bytes of a record with its part of a key, as recorder/archive/tier.c makes chains. */
static double record_bytes(const struct cost *c)
{
	double key = (double)c->key_bytes / (double)c->keys;
	double delta = c->deltas ? (double)c->delta_bytes / (double)c->deltas : key;
	double chain = CHAIN_KEYS_MAX * key / delta + 1;

	chain = chain < CHAIN_MAX ? chain : CHAIN_MAX;
	return (key + (chain - 1) * delta) / chain;
}

static void print_costs(const struct images *images, const struct archive_limits *limits)
{
	AUTO_VIEW struct view *first = view_of(&images->bytes[0]);

	printf("{\"processes\": %u, \"image_bytes\": %zu, \"tiers\": [",
		view_count(first, METRIC_PROCESS), images->bytes[0].len);
	for (size_t i = 0; i < ARCHIVE_TIERS; i++) {
		uint64_t span_s = limits->tier[i].span_ns / NS_PER_SEC;
		uint64_t step_s = span_s ? span_s : STEP_S;
		struct cost c = measure(images, step_s / STEP_S);
		double share = (double)limits->bytes * limits->tier[i].percent / 100;

		printf("%s{\"step_s\": %" PRIu64 ", \"deltas\": %zu, \"key_bytes\": %.0f, "
		       "\"delta_bytes\": %.0f, \"record_bytes\": %.0f, \"changed_rows\": %.1f, "
		       "\"cpu_us\": %.0f, \"days\": %.2f}",
			i ? ", " : "", step_s, c.deltas, (double)c.key_bytes / (double)c.keys,
			c.deltas ? (double)c.delta_bytes / (double)c.deltas : 0, record_bytes(&c),
			c.deltas ? (double)c.changed / (double)c.deltas : 0,
			c.deltas ? (double)c.cpu_ns / 1e3 / (double)c.deltas : 0,
			share / record_bytes(&c) * (double)step_s / 86400);
	}
	printf("]");
}

/* Returns the value of KEY of /proc/self/status, in KiB. */
static uint64_t status_kib(const char *key)
{
	char text[8192];
	struct scan s;
	uint64_t kib = 0;
	size_t len;

	if (file_read(AT_FDCWD, "/proc/self/status", text, sizeof(text) - 1, &len) < 0)
		die("cannot read /proc/self/status");
	text[len] = '\0';
	s.at = strstr(text, key);
	s.end = text + len;
	if (!s.at || !scan_text(&s, key))
		die("no such line in /proc/self/status");
	while (scan_char(&s, ' ') || scan_char(&s, '\t'))
		;
	if (!scan_decimal(&s, &kib))
		die("no number in /proc/self/status");
	return kib;
}

/* Records until the oldest files are removed. Returns how many snapshots were recorded. */
static uint64_t fill(const char *directory, const struct archive_limits *limits,
	const struct images *images, uint64_t *ret_last_ns)
{
	char reason[ARCHIVE_REASON_SIZE];
	AUTO_ARCHIVE struct archive *a = NULL;
	uint64_t begin_ns, cpu_ns = 0, i = 0;
	struct archive_counts counts;
	struct image_header *first = (void *)images->bytes[0].data;
	uint64_t realtime_ns = first->realtime_ns, boottime_ns = first->boottime_ns;

	if (archive_open(directory, limits, &a, reason) < 0)
		die(reason);
	for (; i < RECORDS_MAX && archive_counts(a).removed < 8; i++) {
		size_t period = 2 * images->count - 2, at = i % period;
		const struct buffer *image = &images->bytes[at < images->count ? at : period - at];
		struct image_header *h = (void *)image->data;

		h->sequence = i + 1;
		h->realtime_ns = realtime_ns + i * STEP_S * NS_PER_SEC;
		h->boottime_ns = boottime_ns + i * STEP_S * NS_PER_SEC;
		h->pass_begin_ns = h->boottime_ns - NS_PER_SEC;
		h->stale_ns = h->boottime_ns + 3 * STEP_S * NS_PER_SEC;
		begin_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID);
		{
			AUTO_VIEW struct view *view = view_of(image);

			if (archive_add(a, view, 0, i) < 0)
				die(archive_reason(a));
		}
		cpu_ns += clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns;
		*ret_last_ns = h->realtime_ns;
	}
	counts = archive_counts(a);
	printf(", \"recorded\": %" PRIu64 ", \"cpu_us\": %.0f, \"core_percent\": %.4f, "
	       "\"bytes\": %" PRIu64 ", \"record_bytes\": %.0f, \"records_per_key\": %.1f",
		i, (double)cpu_ns / 1e3 / (double)i,
		(double)cpu_ns / (double)i / (STEP_S * 1e9) * 100, counts.bytes,
		(double)counts.record_bytes / (double)counts.records,
		(double)counts.records / (double)counts.keys);
	return i;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Finds snapshots at random times from FIRST_NS to LAST_NS, each with a reader of its own if OPENS. */
static void seek(
	const char *directory, uint64_t first_ns, uint64_t last_ns, bool opens, const char *name)
{
	static double ms[SEEKS];
	AUTO_ARCHIVE_READER struct archive_reader *r = NULL;
	uint64_t state = 1;

	for (size_t i = 0; i < SEEKS; i++) {
		uint64_t at_ns = first_ns + next(&state) % (last_ns - first_ns);
		uint64_t begin_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID);
		char reason[ARCHIVE_REASON_SIZE];
		struct archive_found found;
		const char *why;

		if (opens)
			r = archive_reader_close(r);
		if (!r && archive_reader_open(directory, NULL, &r, reason) < 0)
			die(reason);
		if (archive_reader_find(r, PAST_AT, at_ns, &found, &why) != 0)
			die(why);
		ms[i] = (double)(clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns) / 1e6;
	}
	qsort(ms, SEEKS, sizeof(ms[0]), compare);
	printf(", \"%s_ms\": {\"median\": %.2f, \"p95\": %.2f, \"max\": %.2f}", name, ms[SEEKS / 2],
		ms[SEEKS * 95 / 100], ms[SEEKS - 1]);
}

/* Makes a round of verdicts on the recording of READER; its newest snapshot is of NEWEST_NS. */
static void judge(const struct archive_reader *reader, uint64_t newest_ns)
{
	uint64_t begin_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID), longest_ns = 0,
		 last_ns = begin_ns;
	struct past_growth growth[PAST_GROWTH_SCOPES];
	uint64_t most_kib = 0, before_kib = status_kib("VmRSS:");
	unsigned int steps = 0, judged = 0;
	struct verdicts_now now = {.realtime_ns = newest_ns, .boottime_ns = newest_ns};
	struct verdicts v;

	verdicts_init(&v, reader);
	do {
		uint64_t now_ns;

		now.monotonic_ns = verdicts_due_ns(&v);
		verdicts_run(&v, &now);
		now_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID);
		longest_ns = saturate_max(longest_ns, now_ns - last_ns);
		most_kib = saturate_max(most_kib, status_kib("VmRSS:"));
		last_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID);
		steps++;
	} while (v.round);
	if (!verdicts_count(&v, 0, growth))
		die("no verdicts");
	for (size_t i = 0; i < PAST_GROWTH_SCOPES; i++)
		judged += (unsigned int)(growth[i].none + growth[i].watch + growth[i].leak);
	printf(", \"verdicts\": {\"cpu_ms\": %.0f, \"steps\": %u, \"longest_ms\": %.1f, "
	       "\"judged\": %u, \"resident_kib\": %" PRIu64 "}",
		(double)(last_ns - begin_ns) / 1e6, steps, (double)longest_ns / 1e6, judged,
		most_kib - before_kib);
	verdicts_done(&v);
}

int main(int argc, char **argv)
{
	static struct images images;
	struct archive_limits limits;
	struct archive_coverage coverage;
	struct archive_reader *r;
	char reason[ARCHIVE_REASON_SIZE];
	uint64_t bytes, last_ns = 0;

	if (argc < 5 || argc - 3 > IMAGES_MAX ||
		number_parse_u64(argv[2], strlen(argv[2]), &bytes) < 0)
		die("usage: recording DIRECTORY BYTES IMAGE...");
	limits = archive_default_limits(bytes);
	for (int i = 3; i < argc; i++) {
		struct buffer *b = &images.bytes[images.count++];

		if (file_read_all(AT_FDCWD, argv[i], ARCHIVE_IMAGE_MAX, b) < 0)
			die(argv[i]);
	}
	print_costs(&images, &limits);
	{
		uint64_t before_kib = status_kib("VmRSS:");

		fill(argv[1], &limits, &images, &last_ns);
		printf(", \"resident_kib\": %" PRIu64, status_kib("VmRSS:") - before_kib);
	}
	if (archive_reader_open(argv[1], NULL, &r, reason) < 0 ||
		archive_reader_coverage(r, &coverage) < 0)
		die("cannot read the recording");
	seek(argv[1], coverage.first_ns, last_ns, true, "open_and_find");
	seek(argv[1], coverage.tier[0].first_ns, last_ns, false, "find");
	judge(r, last_ns);
	archive_reader_close(r);
	printf("}\n");
	return 0;
}
