/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of inspect/files/survey-reader.h, the survey reader. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "inspect/files/survey-reader.h"
#include "tests/unit/support/faults/allocation.h"

enum { KIB = 1024, ALICE = 1000, BOB = 1001 };

/* A mapping as smaps prints it, with the fields that matter here; amounts in KiB. */
struct line {
	const char *perms, *path;
	unsigned int inode, rss, pss, dirty, anonymous;
};

static void add_line(struct buffer *to, const struct line *l)
{
	buffer_printf(to, "7f0000000000-7f0000100000 %s 00000000 %s %u %*s%s\n", l->perms,
		l->inode ? "08:01" : "00:00", l->inode, 20, "", l->path);
	buffer_printf(to,
		"Size:               1024 kB\nRss:            %8u kB\nPss:            %8u kB\n",
		l->rss, l->pss);
	buffer_printf(to, "Private_Clean:         0 kB\nPrivate_Dirty:  %8u kB\n", l->dirty);
	buffer_printf(to, "Anonymous:      %8u kB\nSwap:                  0 kB\n", l->anonymous);
	buffer_add_text(to, "SwapPss:               0 kB\nVmFlags: rd mr mw\n");
}

/* Returns a file with the smaps text of LINES, which end with one without permissions. */
static int smaps_of(const struct line *lines)
{
	AUTO_BUFFER struct buffer text = {0};
	int fd = memfd_create("smaps", MFD_CLOEXEC);

	assert_true(fd >= 0);
	for (; lines->perms; lines++)
		add_line(&text, lines);
	assert_int_equal(text.error, 0);
	assert_int_equal(pwrite(fd, text.data, text.len, 0), text.len);
	return fd;
}

static const struct line app[] = {
	{"r-xp", "/usr/bin/app", 10, 400, 200, 0, 0},
	{"rw-p", "/usr/bin/app", 10, 8, 8, 8, 8},
	{"rw-p", "[heap]", 0, 900, 900, 900, 900},
	{"r-xp", "/lib/a.so", 11, 100, 50, 0, 0},
	{"rw-p", "/lib/a.so", 11, 12, 12, 12, 12},
	{0},
};

static const struct line other[] = {
	{"r-xp", "/usr/bin/other", 12, 40, 40, 0, 0},
	{"r-xp", "/lib/a.so", 11, 100, 50, 0, 0},
	{"rw-p", "/lib/a.so", 11, 12, 12, 12, 12},
	{"rw-s", "/tmp/scratch (deleted)", 13, 4, 4, 0, 0},
	{0},
};

/* Mappings of files that a package upgrade has replaced. */
static const struct line old[] = {
	{"r-xp", "/usr/bin/app (deleted)", 9, 16, 16, 0, 0},
	{"rw-p", "/usr/bin/app (deleted)", 9, 4, 4, 4, 4},
	{0},
};

static void enter(struct survey_reader *s, int fd, uint32_t uid)
{
	struct stream stream;

	stream_set(&stream, fd);
	survey_reader_enter(s, &stream, uid);
}

/* Reads the process of FD, of user UID, to its end. Returns the number of steps. */
static unsigned int read_all(struct survey_reader *s, int fd, uint32_t uid)
{
	unsigned int steps = 1;

	enter(s, fd, uid);
	assert_true(survey_reader_is_reading(s));
	while (survey_reader_step(s, 0) == SURVEY_READER_MORE)
		steps++;
	assert_false(survey_reader_is_reading(s));
	return steps;
}

static const struct snapshot_file *row_of(const struct survey_result *c, const char *path)
{
	const struct snapshot_file *rows = (const void *)c->rows.data, *found = NULL;

	for (size_t i = 0; i < c->rows.len / sizeof(*rows); i++)
		if (!strcmp(c->texts.data + rows[i].path, path)) {
			assert_null(found);
			found = &rows[i];
		}
	return found;
}

static size_t rows_of(const struct survey_result *c)
{
	return c->rows.len / sizeof(struct snapshot_file);
}

static void sums_up_processes(void **state)
{
	AUTO_SURVEY_RESULT struct survey_result c = {0};
	AUTO_SURVEY_READER struct survey_reader s;
	const struct snapshot_file *lib, *scratch;

	(void)state;
	survey_reader_init(&s, 1);
	survey_reader_begin(&s, 7 * NS_PER_SEC);
	read_all(&s, smaps_of(app), ALICE);
	read_all(&s, smaps_of(app), BOB);
	read_all(&s, smaps_of(other), BOB);
	survey_reader_count(&s, SURVEY_DENIED);
	survey_reader_count(&s, SURVEY_LEFT_OUT);
	assert_int_equal(survey_reader_end(&s, 9 * NS_PER_SEC, &c), 0);
	assert_true(c.is_there);
	assert_int_equal(c.begun_ns, 7 * NS_PER_SEC);
	assert_int_equal(c.ended_ns, 9 * NS_PER_SEC);
	assert_int_equal(rows_of(&c), 4);
	lib = row_of(&c, "/lib/a.so");
	assert_non_null(lib);
	assert_int_equal(lib->major, 8);
	assert_int_equal(lib->minor, 1);
	assert_int_equal(lib->inode, 11);
	assert_int_equal(lib->flags, FILE_EXECUTABLE);
	assert_int_equal(lib->q[FILE_PROCESSES], 3);
	assert_int_equal(lib->q[FILE_USERS], 2);
	assert_int_equal(lib->q[FILE_MAPPINGS], 6);
	assert_int_equal(lib->q[FILE_RSS], 3 * 112 * KIB);
	assert_int_equal(lib->q[FILE_PSS], 3 * 62 * KIB);
	assert_int_equal(lib->q[FILE_RESIDENT], 3 * 50 * KIB);
	assert_int_equal(lib->q[FILE_PRIVATE_DIRTY], 3 * 12 * KIB);
	assert_int_equal(lib->present, (1 << FILE_QUANTITIES) - 1);
	scratch = row_of(&c, "/tmp/scratch");
	assert_non_null(scratch);
	assert_int_equal(scratch->flags, FILE_DELETED);
	assert_int_equal(c.q[SURVEY_READ], 3);
	assert_int_equal(c.q[SURVEY_DENIED], 1);
	assert_int_equal(c.q[SURVEY_LEFT_OUT], 1);
	assert_int_equal(c.q[SURVEY_GONE], 0);
	assert_int_equal(c.q[SURVEY_FILES], 4);
	assert_int_equal(c.q[SURVEY_DELETED], 1);
	/* a deleted scratch file is no program */
	assert_int_equal(c.q[SURVEY_PROCESSES_DELETED], 0);
	assert_int_equal(c.q[SURVEY_PSS], (2 * 208 + 3 * 62 + 40 + 4) * KIB);
	assert_int_equal(c.q[SURVEY_PRIVATE_DIRTY], (2 * 8 + 3 * 12) * KIB);
	assert_int_equal(c.q[SURVEY_UNLISTED], 0);
	assert_int_equal(c.q[SURVEY_UNLISTED_PSS], 0);
}

/* A process with a deleted program or library counts once, whatever it maps of it. */
static void counts_processes_with_deleted_programs(void **state)
{
	AUTO_SURVEY_RESULT struct survey_result c = {0};
	AUTO_SURVEY_READER struct survey_reader s;

	(void)state;
	survey_reader_init(&s, 1);
	survey_reader_begin(&s, 1);
	read_all(&s, smaps_of(old), ALICE);
	read_all(&s, smaps_of(app), ALICE);
	read_all(&s, smaps_of(old), BOB);
	assert_int_equal(survey_reader_end(&s, 2, &c), 0);
	assert_int_equal(c.q[SURVEY_PROCESSES_DELETED], 2);
	assert_int_equal(c.q[SURVEY_DELETED], 1);
	assert_int_equal(c.q[SURVEY_FILES], 3); /* the file that replaced it is another one */
	/* The next survey starts empty. */
	survey_reader_begin(&s, 3);
	read_all(&s, smaps_of(app), ALICE);
	assert_int_equal(survey_reader_end(&s, 4, &c), 0);
	assert_int_equal(c.q[SURVEY_PROCESSES_DELETED], 0);
	assert_int_equal(c.q[SURVEY_READ], 1);
	assert_int_equal(rows_of(&c), 2);
}

/*
 * A process that exits or calls exec halfway does not count, even if the text up to there is
 * complete.
 */
static void counts_complete_processes_only(void **state)
{
	AUTO_SURVEY_RESULT struct survey_result c = {0};
	AUTO_SURVEY_READER struct survey_reader s;

	(void)state;
	survey_reader_init(&s, 1);
	survey_reader_begin(&s, 1);
	read_all(&s, smaps_of(other), BOB);
	for (unsigned int steps = 0; steps < 3; steps++) {
		int fd = smaps_of(app), same = dup(fd);

		enter(&s, fd, ALICE);
		for (unsigned int i = 0; i < steps; i++)
			assert_int_equal(survey_reader_step(&s, 0), SURVEY_READER_MORE);
		assert_int_equal(ftruncate(same, 0), 0);
		while (survey_reader_step(&s, 0) == SURVEY_READER_MORE)
			;
		assert_false(survey_reader_is_reading(&s));
		close(same);
	}
	read_all(&s, smaps_of(other), BOB);
	/* A process that is still being read when the survey ends. */
	enter(&s, smaps_of(app), ALICE);
	assert_int_equal(survey_reader_step(&s, 0), SURVEY_READER_MORE);
	assert_int_equal(survey_reader_end(&s, 2, &c), 0);
	assert_int_equal(c.q[SURVEY_READ], 2);
	assert_int_equal(c.q[SURVEY_GONE], 3);
	assert_int_equal(c.q[SURVEY_FILES], 3);
	assert_null(row_of(&c, "/usr/bin/app"));
	assert_int_equal(row_of(&c, "/lib/a.so")->q[FILE_PROCESSES], 2);
	assert_int_equal(row_of(&c, "/lib/a.so")->q[FILE_USERS], 1);
	assert_int_equal(c.q[SURVEY_PSS], 2 * (40 + 62 + 4) * KIB);
}

/* A child that waits for a byte and then calls exec; its copies of the pipes are close-on-exec. */
struct offspring {
	pid_t pid;
	int go, gone;
};

static struct offspring start(void)
{
	struct offspring o;
	int go[2], gone[2];

	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	assert_int_equal(pipe2(gone, O_CLOEXEC), 0);
	o.pid = fork();
	assert_true(o.pid >= 0);
	if (!o.pid) {
		char byte;

		close(gone[0]);
		(void)!read(go[0], &byte, 1);
		execl("/bin/sh", "sh", "-c", "kill -STOP $$", NULL);
		_exit(99);
	}
	close(go[0]);
	close(gone[1]);
	o.go = go[1];
	o.gone = gone[0];
	return o;
}

static int smaps_of_child(const struct offspring *o)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/smaps", o->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void execute(const struct offspring *o)
{
	char byte;

	assert_int_equal(write(o->go, "x", 1), 1);
	assert_int_equal(read(o->gone, &byte, 1), 0);
}

static void kill_child(const struct offspring *o)
{
	siginfo_t info;

	assert_int_equal(kill(o->pid, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, (id_t)o->pid, &info, WEXITED | WNOWAIT), 0); /* a zombie */
}

static void bury(const struct offspring *o)
{
	kill(o->pid, SIGKILL);
	assert_int_equal(waitpid(o->pid, NULL, 0), o->pid);
}

static void leave_alone(const struct offspring *o)
{
	(void)o;
}

/*
 * What the kernel prints of an address space that goes away while it is read must not be taken for
 * a complete text.
 */
static void detects_real_processes_that_exec_or_exit(void **state)
{
	static const struct {
		void (*happens)(const struct offspring *o);
		bool is_buried;
		enum survey_quantity counted;
	} cases[] = {{leave_alone, false, SURVEY_READ}, {execute, false, SURVEY_GONE},
		{kill_child, false, SURVEY_GONE}, {bury, true, SURVEY_GONE}};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		AUTO_SURVEY_RESULT struct survey_result c = {0};
		AUTO_SURVEY_READER struct survey_reader s;
		struct offspring o = start();
		bool is_late = i >= ARRAY_SIZE(cases);
		unsigned int n = (unsigned int)(i % ARRAY_SIZE(cases));

		survey_reader_init(&s, 1);
		survey_reader_begin(&s, 1);
		enter(&s, smaps_of_child(&o), ALICE);
		if (is_late)
			assert_int_equal(survey_reader_step(&s, 0), SURVEY_READER_MORE);
		cases[n].happens(&o);
		while (survey_reader_step(&s, 0) == SURVEY_READER_MORE)
			;
		assert_int_equal(survey_reader_end(&s, 2, &c), 0);
		for (unsigned int k = SURVEY_READ; k <= SURVEY_ERROR; k++)
			assert_int_equal(c.q[k], k == (unsigned int)cases[n].counted);
		assert_int_equal(rows_of(&c) > 0, cases[n].counted == SURVEY_READ);
		close(o.go);
		close(o.gone);
		if (!cases[n].is_buried)
			bury(&o);
	}
}

/* Error of the next stream_read(), and of the next stream_probe(); 0: none. */
static int read_error, probe_error;

ssize_t __real_stream_read(
	struct stream *s, char *to, size_t size, uint64_t slice_ns, struct stream_piece *ret);
ssize_t __wrap_stream_read(
	struct stream *s, char *to, size_t size, uint64_t slice_ns, struct stream_piece *ret);
int __real_stream_probe(struct stream *s);
int __wrap_stream_probe(struct stream *s);

static int take_error(int *error)
{
	int e = *error;

	*error = 0;
	return e;
}

ssize_t __wrap_stream_read(
	struct stream *s, char *to, size_t size, uint64_t slice_ns, struct stream_piece *ret)
{
	return read_error ? take_error(&read_error)
	                  : __real_stream_read(s, to, size, slice_ns, ret);
}

int __wrap_stream_probe(struct stream *s)
{
	return probe_error ? take_error(&probe_error) : __real_stream_probe(s);
}

/*
 * A blocked read counts its process as blocked. If the worker is gone, the process does not count
 * and may be read again.
 */
static void distinguishes_blocked_reads_from_lost_workers(void **state)
{
	AUTO_SURVEY_RESULT struct survey_result c = {0};
	AUTO_SURVEY_READER struct survey_reader s;

	(void)state;
	survey_reader_init(&s, 1);
	survey_reader_begin(&s, 1);
	for (unsigned int is_late = 0; is_late < 2; is_late++) {
		enter(&s, smaps_of(other), ALICE);
		*(is_late ? &probe_error : &read_error) = -ETIMEDOUT;
		assert_int_equal(survey_reader_step(&s, NS_PER_SEC), SURVEY_READER_BLOCKED);
		assert_false(survey_reader_is_reading(&s));
		enter(&s, smaps_of(other), ALICE);
		*(is_late ? &probe_error : &read_error) = -ESTALE;
		assert_int_equal(survey_reader_step(&s, NS_PER_SEC), SURVEY_READER_LOST);
		assert_false(survey_reader_is_reading(&s));
	}
	read_all(&s, smaps_of(other), BOB);
	assert_int_equal(survey_reader_end(&s, 2, &c), 0);
	assert_int_equal(c.q[SURVEY_BLOCKED], 2);
	assert_int_equal(c.q[SURVEY_READ], 1);
	assert_int_equal(c.q[SURVEY_ERROR] + c.q[SURVEY_GONE], 0);
	assert_int_equal(row_of(&c, "/lib/a.so")->q[FILE_PROCESSES], 1);
}

static void counts_unreadable_processes(void **state)
{
	static const char cut[] =
		"7f0000000000-7f0000100000 r-xp 00000000 08:01 5 /lib/b.so\nRss: 4 k";
	static const char foreign[] = "nothing that a kernel prints\n";
	AUTO_SURVEY_RESULT struct survey_result c = {0};
	AUTO_SURVEY_READER struct survey_reader s;
	int fd;

	(void)state;
	survey_reader_init(&s, 1);
	survey_reader_begin(&s, 1);
	fd = smaps_of(&app[5]);
	assert_int_equal(write(fd, cut, sizeof(cut) - 1), sizeof(cut) - 1);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	read_all(&s, fd, ALICE);
	fd = smaps_of(&app[5]);
	assert_int_equal(write(fd, foreign, sizeof(foreign) - 1), sizeof(foreign) - 1);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	read_all(&s, fd, ALICE);
	read_all(&s, open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ALICE); /* EISDIR */
	read_all(&s, smaps_of(&app[5]), ALICE);                             /* empty: a zombie */
	read_all(&s, smaps_of(other), BOB);
	assert_int_equal(survey_reader_end(&s, 2, &c), 0);
	assert_int_equal(c.q[SURVEY_ERROR], 3);
	assert_int_equal(c.q[SURVEY_GONE], 1);
	assert_int_equal(c.q[SURVEY_READ], 1);
	assert_int_equal(rows_of(&c), 3);
}

/* With an expired deadline one read() per step, otherwise all of the text in one step. */
static void reads_in_pieces(void **state)
{
	AUTO_SURVEY_READER struct survey_reader s;
	struct line many[51] = {{0}};
	unsigned int steps;
	int fd;

	(void)state;
	for (size_t i = 0; i < 50; i++)
		many[i] = (struct line){"r--p", "/lib/a.so", 11, 4, 4, 0, 0};
	survey_reader_init(&s, 1);
	survey_reader_begin(&s, 1);
	fd = smaps_of(many);
	steps = (unsigned int)(lseek(fd, 0, SEEK_END) / KIB);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_in_range(read_all(&s, fd, ALICE), steps + 1, steps + 2);
	assert_true(s.hold_ns > 0);
	enter(&s, smaps_of(many), ALICE);
	assert_int_equal(survey_reader_step(&s, 3600 * NS_PER_SEC), 0);
}

/* A process that keeps mapping more above the current position is abandoned; the others count. */
static void abandons_texts_without_end(void **state)
{
	AUTO_SURVEY_RESULT struct survey_result c = {0};
	AUTO_SURVEY_READER struct survey_reader s;
	AUTO_BUFFER struct buffer more = {0};
	int fd = smaps_of(app), same = dup(fd), r;
	off_t size = lseek(same, 0, SEEK_END);
	unsigned int steps = 0;

	(void)state;
	assert_int_equal(lseek(same, 0, SEEK_SET), 0);
	add_line(&more, &app[0]);
	survey_reader_init(&s, 1);
	assert_int_equal(s.max_bytes, 128 * KIB * KIB);
	s.max_bytes = 16 * KIB;
	survey_reader_begin(&s, 1);
	enter(&s, fd, ALICE);
	do {
		for (unsigned int i = 0; i < 4; i++, size += (off_t)more.len)
			assert_int_equal(pwrite(same, more.data, more.len, size), more.len);
		r = survey_reader_step(&s, 0);
	} while (r == SURVEY_READER_MORE && ++steps < 100);
	assert_int_equal(r, 0);
	assert_int_equal(steps, 16);
	assert_false(survey_reader_is_reading(&s));
	close(same);
	/* The limit applies to each process, and is inclusive. */
	s.max_bytes = (uint64_t)lseek(same = smaps_of(other), 0, SEEK_END);
	assert_int_equal(lseek(same, 0, SEEK_SET), 0);
	read_all(&s, same, BOB);
	read_all(&s, smaps_of(other), BOB);
	assert_int_equal(survey_reader_end(&s, 2, &c), 0);
	assert_int_equal(c.q[SURVEY_LEFT_OUT], 1);
	assert_int_equal(c.q[SURVEY_READ], 2);
	assert_int_equal(c.q[SURVEY_ERROR] + c.q[SURVEY_GONE], 0);
	assert_null(row_of(&c, "/usr/bin/app"));
	assert_int_equal(row_of(&c, "/lib/a.so")->q[FILE_PROCESSES], 2);
}

/*
 * Of a thousand files the first by each of the two figures are listed, and the first deleted ones.
 * The sums cover all.
 */
static void lists_the_first_files(void **state)
{
	enum { FILES = 1000, DELETED = 300 };
	AUTO_SURVEY_RESULT struct survey_result c = {0};
	AUTO_SURVEY_READER struct survey_reader s;
	uint64_t shown_pss = 0, shown_dirty = 0, deleted = 0;
	const struct snapshot_file *rows;

	(void)state;
	survey_reader_init(&s, 1);
	survey_reader_begin(&s, 1);
	for (unsigned int i = 0; i < FILES; i++) {
		char path[64];
		/* The largest files are not those with the most dirty pages. */
		const struct line lines[] = {{"r--p", path, 100 + i, 5 + i, 5 + i, 0, 0},
			{"rw-p", path, 100 + i, FILES - i, 0, FILES - i, 0}, {0}};

		snprintf(path, sizeof(path), "/data/%u%s", i,
			i >= 400 && i < 400 + DELETED ? " (deleted)" : "");
		read_all(&s, smaps_of(lines), ALICE);
	}
	assert_int_equal(survey_reader_end(&s, 2, &c), 0);
	assert_int_equal(rows_of(&c), 3 * SURVEY_READER_SHOWN);
	assert_non_null(row_of(&c, "/data/999"));
	assert_non_null(row_of(&c, "/data/800"));
	assert_null(row_of(&c, "/data/799"));
	assert_non_null(row_of(&c, "/data/0"));
	assert_non_null(row_of(&c, "/data/199"));
	assert_null(row_of(&c, "/data/200"));
	assert_non_null(row_of(&c, "/data/699"));
	assert_non_null(row_of(&c, "/data/500"));
	assert_null(row_of(&c, "/data/499"));
	rows = (const void *)c.rows.data;
	for (size_t i = 0; i < rows_of(&c); i++) {
		shown_pss += rows[i].q[FILE_PSS];
		shown_dirty += rows[i].q[FILE_PRIVATE_DIRTY];
		deleted += rows[i].flags & FILE_DELETED;
	}
	assert_int_equal(deleted, SURVEY_READER_SHOWN);
	assert_int_equal(c.q[SURVEY_FILES], FILES);
	assert_int_equal(c.q[SURVEY_DELETED], DELETED);
	assert_int_equal(c.q[SURVEY_UNLISTED], FILES - 3 * SURVEY_READER_SHOWN);
	assert_int_equal(c.q[SURVEY_PSS], (FILES * 5 + FILES * (FILES - 1) / 2) * KIB);
	assert_int_equal(c.q[SURVEY_UNLISTED_PSS], c.q[SURVEY_PSS] - shown_pss);
	assert_int_equal(
		c.q[SURVEY_UNLISTED_PRIVATE_DIRTY], c.q[SURVEY_PRIVATE_DIRTY] - shown_dirty);
}

/* Files without room are in the sums. The number of files is then unknown. */
static void number_of_files_is_limited(void **state)
{
	AUTO_SURVEY_RESULT struct survey_result c = {0};
	AUTO_SURVEY_READER struct survey_reader s;

	(void)state;
	survey_reader_init(&s, 1);
	s.files.max.rows = 2;
	survey_reader_begin(&s, 1);
	read_all(&s, smaps_of(app), ALICE);
	read_all(&s, smaps_of(other), BOB);
	assert_int_equal(survey_reader_end(&s, 2, &c), 0);
	assert_int_equal(rows_of(&c), 2);
	assert_int_equal(row_of(&c, "/lib/a.so")->q[FILE_PROCESSES], 2);
	assert_int_equal(c.q[SURVEY_PSS], (208 + 2 * 62 + 40 + 4) * KIB);
	assert_int_equal(c.q[SURVEY_UNLISTED_PSS], (40 + 4) * KIB);
	assert_false(ROW_HAS(&c, SURVEY_FILES));
	assert_false(ROW_HAS(&c, SURVEY_DELETED));
	assert_false(ROW_HAS(&c, SURVEY_UNLISTED));
	assert_false(ROW_HAS(&c, SURVEY_PROCESSES_DELETED));
	assert_true(ROW_HAS(&c, SURVEY_READ));
}

/* If not all users can be told apart, their number is unknown. */
static void omits_users_that_cannot_be_told_apart(void **state)
{
	AUTO_SURVEY_RESULT struct survey_result c = {0};
	AUTO_SURVEY_READER struct survey_reader s;

	(void)state;
	survey_reader_init(&s, 1);
	s.files.max.users = 2;
	survey_reader_begin(&s, 1);
	read_all(&s, smaps_of(app), ALICE);
	read_all(&s, smaps_of(app), BOB);
	assert_int_equal(survey_reader_end(&s, 2, &c), 0);
	assert_false(ROW_HAS(row_of(&c, "/lib/a.so"), FILE_USERS));
	assert_true(ROW_HAS(row_of(&c, "/lib/a.so"), FILE_PROCESSES));
}

static int survey_two(struct survey_reader *s, struct survey_result *c)
{
	static const struct line *const texts[] = {app, other};
	int r = 0;

	survey_reader_begin(s, 1);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(texts); i++) {
		int fd;

		allocation_fail_at(0);
		fd = smaps_of(texts[i]);
		enter(s, fd, ALICE);
		do
			r = survey_reader_step(s, 0);
		while (r == SURVEY_READER_MORE);
	}
	return r < 0 ? r : survey_reader_end(s, 2, c);
}

/* Each allocation of a survey fails in turn. That survey is lost, and the next one is complete. */
static void recovers_from_each_failed_allocation(void **state)
{
	unsigned int before = unit_descriptors(), failures = 0;

	(void)state;
	for (unsigned int n = 1;; n++) {
		AUTO_SURVEY_RESULT struct survey_result c = {0};
		AUTO_SURVEY_READER struct survey_reader s;
		int fds[] = {smaps_of(app), smaps_of(other)}, r = 0;
		bool failed;

		survey_reader_init(&s, 1);
		survey_reader_begin(&s, 1);
		allocation_fail_at(n);
		for (size_t i = 0; i < 2; i++) {
			if (r < 0) {
				close(fds[i]);
				continue;
			}
			enter(&s, fds[i], ALICE);
			do
				r = survey_reader_step(&s, 0);
			while (r == SURVEY_READER_MORE);
		}
		if (r == 0)
			r = survey_reader_end(&s, 2, &c);
		failed = allocation_end();
		/*
		 * Text that does not fit into the file table is in the remainder; nothing is lost.
		 */
		assert_true(r == 0 || r == -ENOMEM);
		assert_int_equal(c.is_there, r == 0);
		failures += r == -ENOMEM;
		assert_int_equal(survey_two(&s, &c), 0);
		assert_int_equal(rows_of(&c), 4);
		assert_int_equal(c.q[SURVEY_READ], 2);
		if (!failed) {
			assert_int_equal(r, 0);
			break;
		}
	}
	assert_true(failures > 8);
	assert_int_equal(unit_descriptors(), before);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_up_processes),
		cmocka_unit_test(counts_processes_with_deleted_programs),
		cmocka_unit_test(counts_complete_processes_only),
		cmocka_unit_test(detects_real_processes_that_exec_or_exit),
		cmocka_unit_test(counts_unreadable_processes),
		cmocka_unit_test(distinguishes_blocked_reads_from_lost_workers),
		cmocka_unit_test(reads_in_pieces),
		cmocka_unit_test(abandons_texts_without_end),
		cmocka_unit_test(lists_the_first_files),
		cmocka_unit_test(number_of_files_is_limited),
		cmocka_unit_test(omits_users_that_cannot_be_told_apart),
		cmocka_unit_test(recovers_from_each_failed_allocation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
