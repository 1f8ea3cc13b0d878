/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of collectors/adaptive/smaps-slices.h: reading a process's smaps in slices over several
 * turns.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>

#include "base/clock.h"
#include "collectors/adaptive/smaps-slices.h"
#include "tests/unit/support/tree/subject.h"
#include "tests/unit/support/tree/tree.h"

enum { MAPPINGS = 40 };

/* The next read() of a text in slices fails with this errno; 0: none. */
static int read_error;

ssize_t __real_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size);

ssize_t __wrap_read(int fd, void *buf, size_t size)
{
	if (!read_error)
		return __real_read(fd, buf, size);
	errno = read_error;
	read_error = 0;
	return -1;
}

struct scene {
	struct subject *of;
	struct smaps_slices slices;
};

/*
 * Writes COUNT mappings of 100 KiB, and of 500 KiB for the eighth. The text of each has 256 bytes,
 * so that a slice ends with a mapping.
 */
static void write_smaps(const struct tree *t, unsigned int count)
{
	char text[MAPPINGS * 256 + 1] = "";
	size_t n = 0;

	for (unsigned int i = 0; i < count; i++) {
		unsigned int kib = i == 7 ? 500 : 100;

		n += (size_t)snprintf(text + n, sizeof(text) - n,
			"%02x000-%02x000 rw-p 00000000 00:00 0 %*s\nRss: %u kB\nPss: %u kB\n"
			"Shared_Clean: 0 kB\nShared_Dirty: 0 kB\nPrivate_Clean: 0 kB\n"
			"Private_Dirty: %u kB\nSwapPss: 0 kB\n",
			8 + i, 9 + i, 103, "/some/where", kib, kib, kib);
	}
	assert_int_equal(n, count * 256);
	tree_write(t, "42/smaps", text);
}

static struct scene *scene_of(struct subject *of)
{
	struct scene *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->of = of;
	smaps_slices_init(&s->slices);
	return s;
}

static struct scene *scene_new(void)
{
	static const struct tree_process bash = {.pid = 42,
		.name = "bash",
		.start_ticks = 500,
		.image = 7,
		.rss_kib = 4400,
		.pss_kib = 4400,
		.uss_kib = 4400,
		.exe = "/usr/bin/bash"};
	struct scene *s = scene_of(subject_new(&bash));

	write_smaps(&s->of->tree, MAPPINGS);
	return s;
}

static void scene_done(struct scene **s)
{
	smaps_slices_done(&(*s)->slices);
	subject_done(&(*s)->of);
	free(*s);
}
#define AUTO_SCENE CLEANUP(scene_done)

static void begin(struct scene *s)
{
	assert_int_equal(smaps_slices_begin(&s->slices, &s->of->reader, &s->of->process, false, 1,
				 &s->of->sample),
		0);
}

static int step(struct scene *s)
{
	return smaps_slices_step(&s->slices, &s->of->reader, 0, 1, &s->of->sample);
}

static void step_all(struct scene *s)
{
	int r;

	do
		r = step(s);
	while (r == SMAPS_SLICES_MORE);
	assert_int_equal(r, 0);
	assert_false(smaps_slices_are_under_way(&s->slices));
}

#define MAPPING(range_and_name, rss, pss, clean, own, anon)                                        \
	range_and_name "\nRss: " #rss " kB\nPss: " #pss " kB\nShared_Clean: " #clean               \
		       " kB\nShared_Dirty: 0 kB\nPrivate_Clean: 0 kB\nPrivate_Dirty: " #own        \
		       " kB\nAnonymous: " #anon " kB\n"
#define HEAP         MAPPING("1000-2000 rw-p 00000000 00:00 0", 100, 100, 0, 100, 100)
#define SHARED(name) MAPPING("2000-3000 rw-s 00000000 00:1b 7   " name, 80, 40, 80, 0, 0)

/* smaps does not print parts of the PSS. The mappings tell them where they agree with status. */
static void finds_the_parts_of_the_pss(void **state)
{
	static const char data[] = MAPPING(
		"3000-4000 rw-p 00000000 fe:01 7   /lib", 130, 30, 130, 0, 0);
	/* which of its pages are shared is unknown */
	static const char mixed[] = MAPPING(
		"3000-4000 rw-p 00000000 fe:01 7   /lib", 130, 30, 120, 10, 60);
	static const struct {
		const char *shared, *last;
		unsigned int rss_shmem;
		bool is_known;
		unsigned int anon, shmem;
	} cases[] = {
		{SHARED("/memfd:x (deleted)"), data, 80, true, 100, 40},
		{SHARED("/memfd:x (deleted)"), data, 84, false, 100, 40},
		{SHARED("/memfd:x (deleted)"), data, 0, false, 100, 0}, /* status only reports it */
		{SHARED("/x\\012Pss_Anon: 1 kB"), data, 0, true, 100, 0},
		{SHARED("/Anonymous: 80 kB"), data, 80, true, 100, 40},
		{SHARED("/memfd:x (deleted)"), mixed, 80, false, 118, 40},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SCENE struct scene *s = scene_new();
		char text[2048];

		snprintf(text, sizeof(text),
			"Name:\tbash\nState:\tS (sleeping)\nTgid:\t42\nPid:\t42\nUid:\t0\t0\t0\t0\n"
			"VmSize:\t900 kB\nVmRSS:\t310 kB\nRssAnon:\t100 kB\nRssFile:\t130 kB\n"
			"RssShmem:\t%u kB\nThreads:\t1\n",
			cases[i].rss_shmem);
		tree_write(&s->of->tree, "42/status", text);
		snprintf(text, sizeof(text), HEAP "%s%s", cases[i].shared, cases[i].last);
		tree_write(&s->of->tree, "42/smaps", text);
		begin(s);
		step_all(s);
		assert_int_equal(s->of->sample.outcome, OUTCOME_MEASURED);
		assert_int_equal(s->of->sample.q[PROCESS_PSS], 170 * 1024);
		assert_int_equal(ROW_HAS(&s->of->sample, PROCESS_PSS_ANON), cases[i].is_known);
		assert_int_equal(ROW_HAS(&s->of->sample, PROCESS_PSS_FILE), cases[i].is_known);
		assert_int_equal(ROW_HAS(&s->of->sample, PROCESS_PSS_SHMEM), cases[i].is_known);
		assert_int_equal(s->of->sample.guesses_parts, !cases[i].is_known);
		assert_int_equal(s->of->sample.q[PROCESS_PSS_ANON] / 1024, cases[i].anon);
		assert_int_equal(s->of->sample.q[PROCESS_PSS_SHMEM], cases[i].shmem * 1024);
		assert_int_equal(s->of->sample.q[PROCESS_PSS_ANON] +
					 s->of->sample.q[PROCESS_PSS_FILE] +
					 s->of->sample.q[PROCESS_PSS_SHMEM],
			170 * 1024);
	}
}

static void sums_up_in_many_slices(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	for (unsigned int round = 0; round < 2; round++) {
		begin(s);
		assert_true(smaps_slices_are_under_way(&s->slices));
		assert_false(ROW_HAS(&s->of->sample, PROCESS_PSS));
		step_all(s);
		assert_true(s->slices.count > 5);
		/* Without the last slice, which only finds the end. */
		assert_int_equal(
			s->of->reader.holds.times.count, (s->slices.count - 1) * (round + 1));
		assert_int_equal(s->slices.largest_rss, 500 * 1024);
		assert_int_equal(s->of->sample.outcome, OUTCOME_MEASURED);
		assert_int_equal(s->of->sample.source, SOURCE_SMAPS);
		assert_int_equal(s->of->sample.q[PROCESS_PSS], 4400 * 1024);
		assert_int_equal(s->of->sample.q[PROCESS_USS], 4400 * 1024);
		assert_int_equal(s->of->sample.mappings, MAPPINGS);
		assert_int_equal(s->of->sample.rounding, 0);
		assert_false(s->of->sample.is_new_image);
		assert_true(s->of->process.measured);
		assert_int_equal(s->of->process.range_end, (8 + MAPPINGS) << 12);
	}
}

/* An exec halfway ends the text early, and the text looks complete. */
static void discards_a_text_cut_by_exec(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	begin(s);
	assert_int_equal(step(s), SMAPS_SLICES_MORE);
	s->of->p.image++;
	tree_add(&s->of->tree, &s->of->p);
	write_smaps(&s->of->tree, 2);
	step_all(s);
	assert_int_equal(s->of->sample.outcome, OUTCOME_CHANGING);
	assert_true(s->of->sample.is_new_image);
	for (unsigned int i = PROCESS_PSS; i <= PROCESS_USS; i++)
		assert_false(ROW_HAS(&s->of->sample, i));
	assert_true(ROW_HAS(&s->of->sample, PROCESS_RSS));
	assert_false(s->of->process.measured);
	assert_false(s->of->process.known); /* the next sample uses nothing of it */
}

static void discards_a_text_cut_by_exit(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	begin(s);
	assert_int_equal(step(s), SMAPS_SLICES_MORE);
	s->of->p.state = 'Z';
	s->of->p.rss_kib = s->of->p.pss_kib = s->of->p.uss_kib = 0;
	tree_add(&s->of->tree, &s->of->p);
	write_smaps(&s->of->tree, 0);
	step_all(s);
	assert_int_equal(s->of->sample.outcome, OUTCOME_NO_MM);
	assert_false(s->of->sample.is_member);
}

static void is_refused_or_malformed(void **state)
{
	static const struct {
		int error;
		enum process_outcome outcome;
	} cases[] = {{EACCES, OUTCOME_DENIED}, {EPERM, OUTCOME_DENIED}, {ESRCH, OUTCOME_CHANGING},
		{EMFILE, OUTCOME_ERROR}};
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tree_event event = {.suffix = "smaps", .error = cases[i].error};

		tree_expect(&event, 1);
		begin(s);
		assert_false(smaps_slices_are_under_way(&s->slices));
		assert_int_equal(s->of->sample.outcome, cases[i].outcome);
		assert_true(s->of->sample.is_member);
	}
	tree_expect(NULL, 0);
	tree_write(&s->of->tree, "42/smaps", "1000-2000 rw-p 00000000 00:00 0\nRss: 1 MB\n");
	begin(s);
	step_all(s);
	assert_int_equal(s->of->sample.outcome, OUTCOME_MALFORMED);
	tree_write(
		&s->of->tree, "42/smaps", "1000-2000 rw-p 00000000 00:00 0\nRss: 1 kB\nPss: 1 kB");
	begin(s);
	step_all(s);
	assert_int_equal(s->of->sample.outcome, OUTCOME_MALFORMED);
	assert_true(s->of->sample.is_member);
}

/* During a walk an error of the kernel says nothing about the process. */
static void says_why_a_walk_fails(void **state)
{
	static const struct {
		int error;
		enum process_outcome outcome;
	} cases[] = {{EIO, OUTCOME_ERROR}, {EACCES, OUTCOME_DENIED}};
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(s);
		assert_int_equal(step(s), SMAPS_SLICES_MORE);
		read_error = cases[i].error;
		step_all(s);
		assert_int_equal(read_error, 0);
		assert_int_equal(s->of->sample.outcome, cases[i].outcome);
		assert_false(ROW_HAS(&s->of->sample, PROCESS_PSS));
		assert_true(s->of->sample.is_member);
	}
}

/*
 * A slice that blocks counts for the process's user, like any other read. The process is not read
 * again at once.
 */
static void counts_a_blocked_slice(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	struct process *p = &s->of->process;

	(void)state;
	begin(s);
	assert_int_equal(step(s), SMAPS_SLICES_MORE);
	read_error = ETIMEDOUT;
	assert_int_equal(step(s), 0);
	assert_int_equal(s->of->sample.outcome, OUTCOME_BLOCKED);
	assert_true(block_is_on(&p->block));
	assert_true(p->block.is_walk);
	assert_string_equal(p->block.file, "smaps");
	assert_int_equal(s->of->reader.attempts.total, 1);
	assert_int_equal(s->of->reader.attempts.user[0].uid, p->ruid);

	begin(s);
	read_error = ESTALE; /* not an answer of the kernel */
	assert_int_equal(step(s), SMAPS_SLICES_LOST);
	assert_true(block_is_on(&p->block));
	assert_int_equal(smaps_slices_again(&s->slices, &s->of->reader, &s->of->sample), 0);
	assert_int_equal(step(s), SMAPS_SLICES_MORE);
	assert_false(block_is_on(&p->block));
	assert_int_equal(s->of->reader.attempts.total, 1);
}

static void can_be_abandoned(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	begin(s);
	assert_int_equal(step(s), SMAPS_SLICES_MORE);
	smaps_slices_drop(&s->slices);
	assert_false(smaps_slices_are_under_way(&s->slices));
	begin(s); /* the earlier part of the text is not included */
	step_all(s);
	assert_int_equal(s->of->sample.q[PROCESS_PSS], 4400 * 1024);
}

/* A slice uses its time and no more: the clock is read after each read(). */
static void uses_the_time_of_its_slice(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	unsigned int steps = 0;
	int r;

	(void)state;
	begin(s);
	do {
		r = smaps_slices_step(
			&s->slices, &s->of->reader, UINT64_C(1000000000), 1, &s->of->sample);
		steps++;
	} while (r == SMAPS_SLICES_MORE);
	assert_int_equal(r, 0);
	assert_int_equal(steps, 1);
	assert_int_equal(s->of->sample.q[PROCESS_PSS], 4400 * 1024);
}

/* A lost worker says nothing about the process. The text is read again from its beginning. */
static void restarts_after_losing_its_worker(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	tree_write(&s->of->tree, "42/maps", "1000-2000 rw-p 00000000 00:00 0 \n");
	for (unsigned int has_maps = 0; has_maps < 2; has_maps++) {
		assert_int_equal(smaps_slices_begin(&s->slices, &s->of->reader, &s->of->process,
					 has_maps, 1, &s->of->sample),
			0);
		for (unsigned int lost = 0; lost < 3; lost++) {
			if (!has_maps)
				assert_int_equal(step(s), SMAPS_SLICES_MORE);
			read_error = ESTALE;
			assert_int_equal(step(s), SMAPS_SLICES_LOST);
			assert_true(smaps_slices_are_under_way(&s->slices));
			assert_int_equal(
				smaps_slices_again(&s->slices, &s->of->reader, &s->of->sample), 0);
			assert_true(smaps_slices_are_under_way(&s->slices));
			assert_int_equal(s->slices.is_mapping, has_maps);
		}
		if (has_maps) {
			int r;

			while ((r = step(s)) == SMAPS_SLICES_MORE)
				;
			assert_int_equal(r, SMAPS_SLICES_MAPPED);
			assert_int_equal(smaps_slices_largest(&s->slices), 4096);
			assert_int_equal(
				smaps_slices_walk(&s->slices, &s->of->reader, &s->of->sample), 0);
		}
		step_all(s);
		assert_int_equal(s->of->sample.outcome, OUTCOME_MEASURED);
		assert_int_equal(s->of->sample.q[PROCESS_PSS], 4400 * 1024);
		assert_int_equal(s->of->sample.mappings, MAPPINGS);
		assert_int_equal(s->slices.largest_rss, 500 * 1024);
	}
	begin(s); /* including the count of losses */
	read_error = ESTALE;
	assert_int_equal(step(s), SMAPS_SLICES_LOST);
	tree_remove(&s->of->tree, "42");
	assert_int_equal(smaps_slices_again(&s->slices, &s->of->reader, &s->of->sample), 0);
	assert_false(smaps_slices_are_under_way(&s->slices));
	assert_int_not_equal(s->of->sample.outcome, OUTCOME_MEASURED);
}

/*
 * Losses during maps and smaps count together. After too many the walk ends, through no fault of
 * the process.
 */
static void gives_up_after_many_losses(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	tree_write(&s->of->tree, "42/maps", "1000-2000 rw-p 00000000 00:00 0 \n");
	for (unsigned int in_maps = 0; in_maps <= SMAPS_SLICES_LOSSES; in_maps++) {
		int r;

		assert_int_equal(smaps_slices_begin(&s->slices, &s->of->reader, &s->of->process,
					 true, 1, &s->of->sample),
			0);
		for (unsigned int lost = 0; lost < SMAPS_SLICES_LOSSES; lost++) {
			while (lost == in_maps && (r = step(s)) != SMAPS_SLICES_MAPPED)
				assert_int_equal(r, SMAPS_SLICES_MORE);
			if (lost == in_maps)
				assert_int_equal(smaps_slices_walk(&s->slices, &s->of->reader,
							 &s->of->sample),
					0);
			read_error = ESTALE;
			assert_int_equal(step(s), SMAPS_SLICES_LOST);
			assert_int_equal(
				smaps_slices_again(&s->slices, &s->of->reader, &s->of->sample), 0);
		}
		assert_int_equal(s->slices.is_mapping, in_maps >= SMAPS_SLICES_LOSSES);
		read_error = ESTALE;
		assert_int_equal(step(s), 0);
		assert_false(smaps_slices_are_under_way(&s->slices));
		assert_int_equal(s->of->sample.outcome, OUTCOME_ERROR);
		assert_true(s->of->sample.is_member);
		assert_false(ROW_HAS(&s->of->sample, PROCESS_PSS));
		assert_true(ROW_HAS(&s->of->sample, PROCESS_RSS)); /* status was read */
		assert_false(block_is_on(&s->of->process.block));
	}
}

/* Before the walk maps tells which mapping is the largest, whatever the length of the text. */
static void reads_maps_before_smaps(void **state)
{
	enum { LINES = 30000 };
	AUTO_SCENE struct scene *s = scene_new();
	char *text = malloc(LINES * 64);
	unsigned int steps = 0;
	size_t n = 0;
	int r;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < LINES; i++)
		n += (size_t)snprintf(text + n, 64, "%zx000-%zx000 rw-p 00000000 00:00 0 \n",
			i * 16 + 16, i * 16 + (i == LINES - 1 ? 30 : 17));
	tree_write(&s->of->tree, "42/maps", text);
	free(text);
	assert_true(n > 1 << 20);
	assert_int_equal(smaps_slices_begin(&s->slices, &s->of->reader, &s->of->process, true, 1,
				 &s->of->sample),
		0);
	while ((r = step(s)) == SMAPS_SLICES_MORE)
		steps++;
	assert_int_equal(r, SMAPS_SLICES_MAPPED);
	assert_true(steps > 100);
	assert_int_equal(smaps_slices_largest(&s->slices), 14 * 4096);
	assert_true(smaps_slices_are_under_way(&s->slices));
	assert_int_equal(smaps_slices_walk(&s->slices, &s->of->reader, &s->of->sample), 0);
	step_all(s);
	assert_int_equal(s->of->sample.outcome, OUTCOME_MEASURED);
	assert_int_equal(s->of->sample.q[PROCESS_PSS], 4400 * 1024);

	/* Without maps, or with malformed maps, the largest mapping is unknown. */
	tree_write(&s->of->tree, "42/maps", "10000-20000 rw-p 00000000 00:00 0 \nnonsense\n");
	assert_int_equal(smaps_slices_begin(&s->slices, &s->of->reader, &s->of->process, true, 1,
				 &s->of->sample),
		0);
	assert_int_equal(step(s), SMAPS_SLICES_MAPPED);
	assert_int_equal(smaps_slices_largest(&s->slices), 0);
	smaps_slices_drop(&s->slices);
	tree_remove(&s->of->tree, "42/maps");
	assert_int_equal(smaps_slices_begin(&s->slices, &s->of->reader, &s->of->process, true, 1,
				 &s->of->sample),
		0);
	step_all(s);
	assert_int_equal(s->of->sample.q[PROCESS_PSS], 4400 * 1024);
}

/*
 * The kernel's own text, with [vsyscall]: the range equals that of smaps_rollup, so that both may
 * be used alternately.
 */
static void range_equals_that_of_rollup(void **state)
{
	AUTO_SCENE struct scene *s = scene_of(subject_live());
	struct process_reader *reader = &s->of->reader;
	struct process *p = &s->of->process;
	const struct sample *walked = &s->of->sample;
	struct sample rollup, again;
	uint64_t start, end;

	(void)state;
	assert_int_equal(process_read(reader, p, 1, &rollup), 0);
	assert_int_equal(rollup.outcome, OUTCOME_MEASURED);
	start = p->range_start;
	end = p->range_end;
	begin(s);
	step_all(s);
	assert_int_equal(walked->outcome, OUTCOME_MEASURED);
	assert_true(p->range_start == start && p->range_end == end);
	assert_int_equal(process_read(reader, p, 1, &again), 0);
	assert_true(p->range_start == start && p->range_end == end);
	/* The child is idle, but this process writes to memory that both share. */
	assert_true(walked->q[PROCESS_PSS] + walked->rounding >= rollup.q[PROCESS_PSS]);
	assert_true(walked->q[PROCESS_PSS] <= again.q[PROCESS_PSS] + 1024);
	assert_true(s->slices.count > 3);
}

/*
 * What the kernel returns for a process that calls exec or exits while smaps is read: 0 bytes, or
 * ESRCH.
 */
static void discards_texts_cut_by_the_kernel(void **state)
{
	static const struct {
		void (*meet)(struct subject *s);
		enum process_outcome outcome;
	} cases[] = {
		{subject_execute, OUTCOME_CHANGING},
		{subject_end, OUTCOME_NO_MM},
		{subject_kill, OUTCOME_GONE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SCENE struct scene *s = scene_of(subject_live());
		const struct sample *walked = &s->of->sample;

		begin(s);
		assert_int_equal(step(s), SMAPS_SLICES_MORE);
		cases[i].meet(s->of);
		step_all(s);
		assert_int_equal(walked->outcome, cases[i].outcome);
		for (unsigned int q = PROCESS_PSS; q <= PROCESS_USS; q++)
			assert_false(ROW_HAS(walked, q));
		assert_int_equal(walked->is_member, cases[i].outcome == OUTCOME_CHANGING);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_up_in_many_slices),
		cmocka_unit_test(finds_the_parts_of_the_pss),
		cmocka_unit_test(discards_a_text_cut_by_exec),
		cmocka_unit_test(discards_a_text_cut_by_exit),
		cmocka_unit_test(is_refused_or_malformed),
		cmocka_unit_test(says_why_a_walk_fails),
		cmocka_unit_test(restarts_after_losing_its_worker),
		cmocka_unit_test(gives_up_after_many_losses),
		cmocka_unit_test(counts_a_blocked_slice),
		cmocka_unit_test(can_be_abandoned),
		cmocka_unit_test(uses_the_time_of_its_slice),
		cmocka_unit_test(reads_maps_before_smaps),
		cmocka_unit_test(range_equals_that_of_rollup),
		cmocka_unit_test(discards_texts_cut_by_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
