/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the ledger's writer, with a simulated memtallyd (feed.h). Its clocks also replace the
 * kernel's.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/os/file.h"
#include "ledger/writer.h"
#include "tests/unit/support/ledger/keeping.h"

static struct feed feed;

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	uint64_t ns = clock == CLOCK_REALTIME   ? feed.realtime_ns
	              : clock == CLOCK_BOOTTIME ? feed.monotonic_ns + feed.suspended_ns
	                                        : feed.monotonic_ns;

	*ret = (struct timespec){
		.tv_sec = (time_t)(ns / NS_PER_SEC), .tv_nsec = (long)(ns % NS_PER_SEC)};
	return 0;
}

/* errno of renameat(); 0: it works */
static int rename_error;

int __real_renameat(int from_dir, const char *from, int to_dir, const char *to);
int __wrap_renameat(int from_dir, const char *from, int to_dir, const char *to);

int __wrap_renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	if (rename_error == ENOENT) /* removed by an administrator just now */
		unlinkat(from_dir, from, 0);
	errno = rename_error;
	return rename_error ? -1 : __real_renameat(from_dir, from, to_dir, to);
}

/*
 * SQLite's result if a write returns free pages after its transaction, and for the first statement
 * after a file was opened. SQLITE_OK: the statements are executed.
 */
static int vacuum_error, opening_error;

typedef int exec_row(void *, int, char **, char **);
int __real_sqlite3_exec(sqlite3 *db, const char *sql, exec_row *row, void *context, char **error);
int __wrap_sqlite3_exec(sqlite3 *db, const char *sql, exec_row *row, void *context, char **error);

int __wrap_sqlite3_exec(sqlite3 *db, const char *sql, exec_row *row, void *context, char **error)
{
	if (vacuum_error && sqlite3_get_autocommit(db) && strstr(sql, "incremental_vacuum"))
		return vacuum_error;
	if (opening_error && strstr(sql, "locking_mode"))
		return opening_error;
	return __real_sqlite3_exec(db, sql, row, context, error);
}

/* which of the next reads of SQLite fails, from 1; 0: none */
static unsigned int read_to_fail;

static ssize_t read_or_fail(int fd, void *to, size_t len, off_t at)
{
	if (read_to_fail == 0 || --read_to_fail > 0)
		return pread(fd, to, len, at);
	errno = EIO;
	return -1;
}

/*
 * errno of fdatasync(), or 0. SQLite calls this function, too, because symbols of the program come
 * first.
 */
static int sync_error;

int fdatasync(int fildes)
{
	errno = sync_error;
	return sync_error ? -1 : (int)syscall(SYS_fdatasync, fildes);
}

/* bytes that SQLite has allocated in blocks of a page or more, and their limit */
static int bytes, bytes_max = INT_MAX;
static sqlite3_mem_methods memory;

static int in_pages(int size)
{
	return size >= 4096 ? size : 0;
}

static void *get_memory(int size)
{
	void *data = in_pages(size) > bytes_max - bytes ? NULL : memory.xMalloc(size);

	bytes += data ? in_pages(memory.xSize(data)) : 0;
	return data;
}

static void free_memory(void *data)
{
	bytes -= data ? in_pages(memory.xSize(data)) : 0;
	memory.xFree(data);
}

static void *resize_memory(void *data, int size)
{
	int before = in_pages(memory.xSize(data));
	void *resized = in_pages(size) - before > bytes_max - bytes ? NULL
	                                                            : memory.xRealloc(data, size);

	bytes += resized ? in_pages(memory.xSize(resized)) - before : 0;
	return resized;
}

static int make_sqlite_fail(void **state)
{
	sqlite3_syscall_ptr call = (sqlite3_syscall_ptr)read_or_fail;
	sqlite3_mem_methods methods;
	sqlite3_vfs *vfs;

	(void)state;
	assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory), SQLITE_OK);
	methods = memory;
	methods.xMalloc = get_memory;
	methods.xFree = free_memory;
	methods.xRealloc = resize_memory;
	assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods), SQLITE_OK);
	vfs = sqlite3_vfs_find(NULL);
	assert_int_equal(vfs->xSetSystemCall(vfs, "pread", call), SQLITE_OK);
	assert_int_equal(vfs->xSetSystemCall(vfs, "pread64", call), SQLITE_OK);
	return 0;
}

struct fixture {
	struct keeping keeping;
	struct writer writer;
	struct feed_owner *alice;
};

static void open_keeper(struct fixture *f)
{
	assert_int_equal(writer_open(&f->writer, f->keeping.dir, &f->keeping.limits), 0);
}

static int begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	keeping_begin(&f->keeping);
	keeping_start(&feed);
	f->alice = feed_add(&feed, USAGE_USER, 1000, "alice", "");
	feed_set(f->alice, GIB, 1);
	open_keeper(f);
	*state = f;
	return 0;
}

static int end(void **state)
{
	struct fixture *f = *state;

	writer_close(&f->writer);
	keeping_end(&f->keeping);
	free(f);
	return 0;
}

static void pass(void *fixture)
{
	struct fixture *f = fixture;
	AUTO_VIEW struct view *view = feed_pass(&feed);

	writer_take(&f->writer, view, feed.monotonic_ns);
	writer_run(&f->writer, feed.monotonic_ns);
}

static void run(struct fixture *f, double seconds)
{
	keeping_run(&feed, seconds, pass, f);
}

/* first row of the last answer; its texts are freed */
static struct usage_row largest;

/* Asks for the usage of KIND. Returns the sum in KiB seconds, and the head of the answer. */
static double ask_of(struct fixture *f, enum usage_kind kind, struct usage_head *head)
{
	const struct usage_request request = {.kind = kind,
		.since_s = (int64_t)FEED_START_S,
		.until_s = (int64_t)FEED_START_S + 1000000};
	const struct store_reader reader = {.sees_all = true};
	AUTO_BUFFER struct buffer text = {0};
	size_t at = USAGE_HEAD_SIZE;
	struct usage_row row;
	double sum = 0;

	writer_answer(&f->writer, &request, &reader, &text);
	assert_int_equal(usage_check(text.data, text.len, head), 0);
	while (usage_next(text.data, text.len, &at, &row)) {
		if (!sum)
			largest = row;
		sum += (double)row.q[USAGE_PSS];
	}
	return sum;
}

/* Asks for the usage of users, as ask_of(). */
static double ask(struct fixture *f, struct usage_head *head)
{
	return ask_of(f, USAGE_USER, head);
}

static void check_near(double found, double expected)
{
	keeping_check_near(found, expected, 1e-6);
}

/* A client sees all usage until now. Frequent requests do not cause a write each. */
static void answers_are_up_to_date(void **state)
{
	struct fixture *f = *state;
	struct usage_head head;

	pass(f);
	run(f, 40);
	check_near(ask(f, &head), 40 * GIB_S);
	assert_int_equal(head.covered_ms, 40000);
	feed_wait(&feed, 5);
	pass(f);
	check_near(ask(f, &head), 40 * GIB_S);
	feed_wait(&feed, 5);
	pass(f);
	check_near(ask(f, &head), 50 * GIB_S);
	assert_int_equal(head.write_failures, 0);
}

/* Usage that is in the file already needs no write. */
static void a_question_about_the_past_writes_nothing(void **state)
{
	const struct store_reader reader = {.sees_all = true};
	struct usage_request request = {.kind = USAGE_USER, .since_s = (int64_t)FEED_START_S};
	struct fixture *f = *state;
	AUTO_BUFFER struct buffer text = {0};
	uint64_t written_ns;

	pass(f);
	run(f, 700);
	written_ns = f->writer.written_ns;
	assert_true(bucket_has_content(&f->writer.bucket));
	request.until_s = (int64_t)(written_ns / NS_PER_SEC) / 300 * 300;
	assert_true(request.since_s < request.until_s);
	writer_answer(&f->writer, &request, &reader, &text);
	assert_true(f->writer.written_ns == written_ns);
	request.until_s += 301;
	writer_answer(&f->writer, &request, &reader, &text);
	assert_true(f->writer.written_ns > written_ns);
}

/* The ledger is killed before it wrote the latest usage. memtallyd's counters hold the rest. */
static void an_early_end_loses_nothing(void **state)
{
	struct fixture *f = *state;
	struct usage_head head;

	pass(f);
	run(f, 100);
	f->writer.store = store_close(f->writer.store); /* without the write of writer_close() */
	bucket_done(&f->writer.bucket);
	open_keeper(f);
	run(f, 50);
	check_near(ask(f, &head), 150 * GIB_S);
	assert_int_equal(head.covered_ms, 150000);
}

/* If no more snapshots come, the known usage is written all the same. */
static void a_slot_ends_without_a_snapshot(void **state)
{
	struct fixture *f = *state;

	pass(f);
	run(f, 200);
	assert_true(bucket_has_content(&f->writer.bucket));
	assert_true(writer_due_ns(&f->writer, feed.monotonic_ns) <=
		    feed.monotonic_ns + 15 * NS_PER_SEC);
	feed_wait(&feed, 110);
	writer_run(&f->writer, feed.monotonic_ns);
	assert_true(bucket_has_content(&f->writer.bucket)); /* a snapshot may still come */
	feed_wait(&feed, 30);
	writer_run(&f->writer, feed.monotonic_ns);
	assert_false(bucket_has_content(&f->writer.bucket));
	assert_int_equal(writer_due_ns(&f->writer, feed.monotonic_ns), UINT64_MAX);
}

static void limit_files(bool is_full)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = is_full ? 0 : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/*
 * As run(), but with a full disk. Images are files, too, so the limit applies to the writer alone.
 */
static void run_full(struct fixture *f, double seconds)
{
	for (unsigned int at = 0; at < seconds; at += 10) {
		AUTO_VIEW struct view *view = NULL;

		feed_wait(&feed, 10);
		view = feed_pass(&feed);
		limit_files(true);
		writer_take(&f->writer, view, feed.monotonic_ns);
		writer_run(&f->writer, feed.monotonic_ns);
		limit_files(false);
	}
}

static void a_full_disk_loses_nothing(void **state)
{
	struct fixture *f = *state;
	struct usage_head head;

	pass(f);
	run(f, 600);
	run_full(f, 3000);
	assert_true(f->writer.is_failing);
	assert_true(f->writer.write_failures > 1 && f->writer.write_failures <= 300);
	run(f, 600);
	assert_false(f->writer.is_failing);
	check_near(ask(f, &head), 4200 * GIB_S);
	assert_int_equal(head.covered_ms, 4200000);
	assert_int_equal(head.write_failures, f->writer.write_failures);
}

static void count_beat(void *beats)
{
	++*(unsigned int *)beats;
}

/* A long report tells the watchdog that the ledger is alive, beginning with the first report. */
static void a_report_keeps_the_watchdog_alive(void **state)
{
	struct fixture *f = *state;
	unsigned int beats = 0;
	struct usage_head head;

	feed.crowd = (struct feed_crowd){.kind = USAGE_PROGRAM, .count = 450, .pss_bytes = MIB};
	for (unsigned int day = 0; day < 10; day++) {
		feed_wait(&feed, 86400);
		pass(f);
	}
	writer_close(&f->writer);
	open_keeper(f);
	writer_set_beat(&f->writer, (struct store_beat){.call = count_beat, .context = &beats});
	/* otherwise it would be written first */
	assert_false(bucket_has_content(&f->writer.bucket));
	ask_of(f, USAGE_PROGRAM, &head);
	assert_int_equal(head.rows, 450);
	assert_true(beats > 0);
}

/* Late means: two slots without new usage, or two intervals if memtallyd's interval is longer. */
static void a_lack_of_snapshots_is_reported(void **state)
{
	struct fixture *f = *state;
	struct usage_head head;

	ask(f, &head); /* before the first snapshot ever */
	assert_int_equal(head.written_s, -1);
	assert_int_equal(head.flags, USAGE_LATE);
	pass(f);
	run(f, 600);
	ask(f, &head);
	assert_int_equal(head.written_s, FEED_START_S + 600);
	assert_int_equal(head.flags, 0);
	feed_wait(&feed, 600);
	ask(f, &head);
	assert_int_equal(head.flags, 0);
	feed_wait(&feed, 1);
	ask(f, &head);
	assert_int_equal(head.flags, USAGE_LATE);
	writer_close(&f->writer); /* the next ledger knows it, too */
	open_keeper(f);
	ask(f, &head);
	assert_int_equal(head.written_s, FEED_START_S + 600);
	assert_int_equal(head.flags, USAGE_LATE);
	run_full(f, 20);
	ask(f, &head);
	assert_int_equal(head.flags & USAGE_FAILING, USAGE_FAILING);
	feed.interval_ns = 3600 * NS_PER_SEC;
	feed_wait(&feed, 10);
	pass(f);
	ask(f, &head);
	assert_int_equal(head.flags, 0);
	feed_wait(&feed, 7200);
	ask(f, &head);
	assert_int_equal(head.flags, 0);
	feed_wait(&feed, 1);
	ask(f, &head);
	assert_int_equal(head.flags, USAGE_LATE);
}

static void put(const char *path, const char *text, size_t len, off_t at)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, text, len, at), len);
	close(fd);
}

static void spoil(const char *path)
{
	static const char noise[512] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	off_t size;

	assert_true(fd >= 0);
	size = lseek(fd, 0, SEEK_END);
	for (off_t at = 0; at < size; at += 512)
		assert_int_equal(pwrite(fd, noise, sizeof(noise), at), sizeof(noise));
	close(fd);
}

/*
 * Damages the file while it is open, and drops SQLite's cache: SQLite does not notice damage to
 * what it has cached.
 */
static void spoil_open(struct fixture *f)
{
	char wal[80];

	snprintf(wal, sizeof(wal), "%s-wal", f->keeping.path);
	assert_int_equal(truncate(wal, 0), 0);
	spoil(f->keeping.path);
	sqlite3_db_release_memory(*(sqlite3 **)f->writer.store);
}

/*
 * Damage at the start, and while the ledger runs: a new file begins, and usage in memory is not
 * lost.
 */
static void damage_is_set_aside(void **state)
{
	struct fixture *f = *state;
	struct usage_head head;
	double rest;

	pass(f);
	run(f, 1200);
	writer_close(&f->writer);
	spoil(f->keeping.path);
	open_keeper(f);
	assert_int_equal(f->writer.set_aside, 1);
	pass(f);
	run(f, 600);
	check_near(ask(f, &head), 600 * GIB_S);
	assert_int_equal(head.set_aside, 1);
	spoil_open(f);
	run(f, 600);
	assert_int_equal(f->writer.set_aside, 2);
	rest = ask(f, &head);
	assert_true(rest >= 300 * GIB_S && rest <= 1200 * GIB_S);
}

/* If a request finds damage, its client gets an error. The next one is answered from a new file. */
static void damage_found_by_a_request_is_set_aside(void **state)
{
	struct fixture *f = *state;
	struct usage_head head;

	pass(f);
	run(f, 1200);
	ask(f, &head);
	assert_int_equal(head.status, USAGE_GOOD);
	spoil_open(f);
	ask(f, &head); /* the answer is fresh enough, so nothing is written before it */
	assert_int_equal(head.status, USAGE_BROKEN);
	assert_int_equal(head.set_aside, 1);
	ask(f, &head);
	assert_int_equal(head.status, USAGE_GOOD);
	/* Counting continues from the former counters, even if the ledger ends now. */
	f->writer.store = store_close(f->writer.store);
	bucket_done(&f->writer.bucket);
	open_keeper(f);
	run(f, 300);
	check_near(ask(f, &head), 300 * GIB_S);
}

/* The file is found damaged right after a write, and the ledger ends without new usage. */
static void lose_file(struct fixture *f)
{
	struct usage_head head;

	ask(f, &head);
	spoil_open(f);
	ask(f, &head);
	assert_int_equal(head.status, USAGE_BROKEN);
	f->writer.store = store_close(f->writer.store);
	bucket_done(&f->writer.bucket);
	open_keeper(f);
}

/* The new file has no usage, but all counters: no owner continues from another's. */
static void a_new_file_keeps_all_counters(void **state)
{
	struct feed_owner *bob = feed_add(&feed, USAGE_USER, 1001, "bob", "");
	struct fixture *f = *state;
	struct usage_head head;

	pass(f);
	run(f, 3600);
	feed_set(f->alice, 0, 1);
	feed_set(bob, GIB, 1);
	run(f, 600);
	lose_file(f);
	run(f, 300);
	check_near(ask(f, &head), 300 * GIB_S);
	assert_int_equal(head.rows, 2);
	check_near((double)largest.q[USAGE_PSS], 300 * GIB_S);
	assert_int_equal(largest.id, 1001);
}

/*
 * The same for owners that share one counter because they have no names of their own, and that no
 * snapshot since the start contained.
 */
static void a_new_file_keeps_the_counter_of_unnamed_owners(void **state)
{
	struct fixture *f = *state;
	struct usage_head head;

	feed.crowd = (struct feed_crowd){.kind = USAGE_PROGRAM, .count = 900, .pss_bytes = MIB};
	pass(f);
	run(f, 1200);
	ask(f, &head);
	writer_close(&f->writer);
	open_keeper(f);
	lose_file(f);
	run(f, 300);
	keeping_check_near(ask_of(f, USAGE_PROGRAM, &head), 300.0 * 900 * 1024, 1e-3);
}

/*
 * Users of another user namespace: a local account and one of the directory service have one name,
 * and differ by uid alone.
 */
static void two_users_with_one_name_are_no_damage(void **state)
{
	struct fixture *f = *state;
	struct usage_head head;

	feed.userns = f->writer.userns + 1;
	pass(f);
	run(f, 300); /* the names of the day are stored */
	feed_set(feed_add(&feed, USAGE_USER, 2000, "dup", ""), GIB, 1);
	feed_set(feed_add(&feed, USAGE_USER, 5000, "dup", ""), 2 * GIB, 1);
	run(f, 590);
	ask(f, &head);
	assert_int_equal(head.set_aside, 0);
	assert_int_equal(head.write_failures, 0);
	/* each user continues from its own counter */
	f->writer.store = store_close(f->writer.store);
	bucket_done(&f->writer.bucket);
	open_keeper(f);
	run(f, 310);
	/* new users rise from 0 */
	check_near(ask(f, &head), 1200 * GIB_S + 895 * 3 * GIB_S);
	assert_int_equal(head.set_aside, 0);
	assert_int_equal(head.rows, 2);
}

static size_t lines_with(const char *path, const char *text)
{
	char line[1024];
	size_t count = 0;
	FILE *file = fopen(path, "re");

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		count += strstr(line, text) != NULL;
	fclose(file);
	return count;
}

/* Sends the log to a file, and stores its path in LOG. Returns the descriptor for end_log(). */
static int begin_log(const struct fixture *f, char log[static 64])
{
	int saved = dup(STDERR_FILENO), fd;

	snprintf(log, 64, "%s/log", f->keeping.dir);
	fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	assert_true(saved >= 0 && fd >= 0);
	dup2(fd, STDERR_FILENO);
	close(fd);
	return saved;
}

static void end_log(int saved)
{
	dup2(saved, STDERR_FILENO);
	close(saved);
}

static void pass_slots(struct fixture *f, unsigned int slots)
{
	for (unsigned int i = 0; i < slots; i++) {
		feed_wait(&feed, 300);
		pass(f);
	}
}

/*
 * Writes 400 slots of many programs, and then keeps so few slots that the next writes return free
 * pages.
 */
static void have_pages_to_give_back(struct fixture *f)
{
	feed.crowd = (struct feed_crowd){
		.kind = USAGE_PROGRAM, .count = 300, .name_bytes = 60, .pss_bytes = MIB};
	f->keeping.limits.slots[SLOT_HOUR] = 1000000;
	writer_close(&f->writer);
	open_keeper(f);
	pass(f);
	pass_slots(f, 400);
	writer_close(&f->writer);
	f->keeping.limits.slots[SLOT_BUCKET] = 12;
	open_keeper(f);
}

/*
 * The damage is found before the next start. The slot that was just written is in the new file,
 * too.
 */
static void damage_found_by_vacuum_is_set_aside(void **state)
{
	struct fixture *f = *state;
	struct usage_head head;
	char log[64];
	int saved;

	have_pages_to_give_back(f);
	keeping_spoil_map(&f->keeping, f->writer.store);
	saved = begin_log(f, log);
	for (unsigned int i = 0; i < 6 && !f->writer.set_aside; i++)
		pass_slots(f, 1);
	end_log(saved);
	assert_int_equal(f->writer.set_aside, 1);
	assert_int_equal(f->writer.write_failures, 0);
	assert_int_equal(lines_with(log, "was set aside as"), 1);
	assert_int_equal(lines_with(log, "error"), 1);
	feed_wait(&feed, 10);
	check_near(ask(f, &head), 600 * GIB_S);
	assert_int_equal(head.covered_ms, 600000);
	pass_slots(f, 3);
	assert_int_equal(f->writer.set_aside, 1);
}

/* Checks that the file has all usage until now exactly once, and was not set aside. */
static void check_all(struct fixture *f)
{
	double used = f->alice->true_byte_s / 1024;
	uint64_t until_s = feed.realtime_ns / NS_PER_SEC;
	struct usage_head head;

	feed_wait(&feed, 10); /* so that the request causes a write */
	check_near(ask(f, &head), used);
	assert_int_equal(head.status, USAGE_GOOD);
	assert_int_equal(head.covered_ms / 1000, until_s - FEED_START_S);
	assert_int_equal(head.set_aside, 0);
}

/* Damage is reported after a write, and not found when the file is opened again. */
static void written_usage_counts_once(void **state)
{
	struct fixture *f = *state;
	char log[64];
	int saved;

	have_pages_to_give_back(f);
	f->writer.bucket.clock_sets = f->writer.clock_sets = 3;
	vacuum_error = SQLITE_CORRUPT;
	saved = begin_log(f, log);
	pass_slots(f, 6);
	end_log(saved);
	vacuum_error = 0;
	assert_true(lines_with(log, "warning: the ledger seemed to be damaged, but is whole") > 0);
	assert_int_equal(lines_with(log, "error"), 0);
	pass_slots(f, 3);
	check_all(f);
	assert_int_equal(f->writer.write_failures, 0);
	assert_int_equal(f->writer.bucket.clock_sets, 3);
}

/* The same if for a while the file can neither be opened nor set aside. */
static void written_usage_counts_once_if_the_file_stays(void **state)
{
	struct fixture *f = *state;

	have_pages_to_give_back(f);
	rename_error = EPERM;
	vacuum_error = opening_error = SQLITE_CORRUPT;
	for (unsigned int i = 0; i < 6 && f->writer.store; i++)
		pass_slots(f, 1);
	assert_null(f->writer.store);
	rename_error = vacuum_error = opening_error = 0;
	pass_slots(f, 3);
	check_all(f);
	assert_int_equal(f->writer.write_failures, 1);
}

/*
 * The write is in the log that could not be synchronized, and is found there when the file is
 * opened again.
 */
static void unsynchronized_usage_counts_once(void **state)
{
	struct fixture *f = *state;

	pass(f);
	run(f, 600);
	sync_error = EIO;
	run(f, 300);
	sync_error = 0;
	assert_true(f->writer.is_failing);
	sqlite3_db_release_memory(*(sqlite3 **)f->writer.store);
	read_to_fail = 1;
	run(f, 20);
	assert_int_equal(read_to_fail, 0);
	assert_false(f->writer.is_failing);
	run(f, 300);
	check_all(f);
}

/* Returns whether the read that was to fail was reached. From now on no read fails. */
static bool has_read_failed(void)
{
	bool failed = !read_to_fail;

	read_to_fail = 0;
	return failed;
}

static void a_read_that_fails_at_the_start_is_no_damage(void **state)
{
	struct fixture *f = *state;
	unsigned int reads = 0;
	char log[64];
	int saved, r;

	pass(f);
	run(f, 600);
	saved = begin_log(f, log);
	do {
		writer_close(&f->writer);
		read_to_fail = ++reads;
		r = writer_open(&f->writer, f->keeping.dir, &f->keeping.limits);
		assert_int_equal(f->writer.set_aside, 0);
		if (r == 0)
			continue;
		assert_int_equal(r, STORE_UNWRITABLE);
		writer_close(&f->writer);
		open_keeper(f);
	} while (has_read_failed());
	end_log(saved);
	assert_true(reads > 10);
	assert_true(lines_with(log, "warning: the ledger seemed to be damaged, but is whole") > 5);
	run(f, 300);
	check_all(f);
}

static void a_read_that_fails_is_no_damage(void **state)
{
	struct fixture *f = *state;
	struct usage_head head;
	unsigned int reads = 0;

	pass(f);
	do {
		sqlite3_db_release_memory(*(sqlite3 **)f->writer.store);
		read_to_fail = ++reads;
		run(f, 310);
		assert_int_equal(f->writer.set_aside, 0);
	} while (has_read_failed());
	assert_true(reads > 5);
	reads = 0;
	do {
		assert_non_null(f->writer.store);
		sqlite3_db_release_memory(*(sqlite3 **)f->writer.store);
		read_to_fail = ++reads;
		ask(f, &head); /* the request is answered all the same */
		assert_int_equal(head.status, USAGE_GOOD);
		assert_int_equal(head.set_aside, 0);
	} while (has_read_failed());
	assert_true(reads > 3);
	check_all(f);
}

/* Lack of memory for a page is no damage, however often the file is opened. */
static void a_lack_of_memory_is_no_damage(void **state)
{
	struct fixture *f = *state;
	int r = -1, saved;
	char log[64];

	have_pages_to_give_back(f);
	saved = begin_log(f, log);
	for (int more = 0; r != 0; more += 50000) {
		writer_close(&f->writer);
		bytes_max = bytes + more;
		r = writer_open(&f->writer, f->keeping.dir, &f->keeping.limits);
		bytes_max = INT_MAX;
		assert_int_equal(f->writer.set_aside, 0);
		assert_in_range(more, 0, 4 * MIB);
	}
	end_log(saved);
	assert_true(lines_with(log, strerror(ENOMEM)) > 5);
	assert_true(lines_with(log, "seems to be damaged, and cannot be set aside") > 5);
	pass_slots(f, 1);
	check_all(f);
}

/* The database was removed, but not its log. */
static void a_remaining_log_is_set_aside(void **state)
{
	struct fixture *f = *state;
	struct usage_head head;
	char log[64];
	int saved;

	pass(f);
	run(f, 600);
	f->writer.store = store_abandon(f->writer.store); /* as after a crash */
	bucket_done(&f->writer.bucket);
	assert_int_equal(unlink(f->keeping.path), 0);
	saved = begin_log(f, log);
	open_keeper(f);
	end_log(saved);
	assert_int_equal(lines_with(log, "error"), 1);
	assert_int_equal(lines_with(log, "gone, and its log was left: that was set aside as"), 1);
	assert_int_equal(lines_with(log, "Z-wal, and a new one begins"), 1);
	assert_int_equal(f->writer.set_aside, 1);
	pass(f);
	run(f, 100);
	check_near(ask(f, &head), 100 * GIB_S);
	assert_int_equal(head.set_aside, 1);
}

/* The file and its log are removed just before they are set aside. Nothing is, and none counts. */
static void a_removed_file_is_not_set_aside(void **state)
{
	struct fixture *f = *state;
	struct usage_head head;
	char log[64];
	int saved;

	pass(f);
	run(f, 600);
	writer_close(&f->writer);
	spoil(f->keeping.path);
	saved = begin_log(f, log);
	rename_error = ENOENT;
	open_keeper(f);
	rename_error = 0;
	end_log(saved);
	assert_int_equal(lines_with(log, "error"), 1);
	assert_int_equal(lines_with(log, "the ledger's file is gone: a new one begins"), 1);
	pass(f);
	run(f, 100);
	check_near(ask(f, &head), 100 * GIB_S);
	assert_int_equal(head.set_aside, 0);
}

/* Returns the number of slots with usage in the file at PATH. */
static int slots_in(const char *path)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *count = NULL;
	int slots;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(
		sqlite3_prepare_v2(db, "SELECT count(DISTINCT slot) FROM bucket", -1, &count, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_step(count), SQLITE_ROW);
	slots = sqlite3_column_int(count, 0);
	sqlite3_finalize(count);
	sqlite3_close(db);
	return slots;
}

/*
 * A user who moves the file away while it is open wants to keep it, or to begin a new one. The
 * ledger must not go on writing to it.
 */
static void a_moved_file_is_left_alone(void **state)
{
	struct fixture *f = *state;
	struct usage_head head;
	char log[64], away[128];
	int saved;

	snprintf(away, sizeof(away), "%s-of-last-year", f->keeping.path);
	pass(f);
	run(f, 900);
	assert_int_equal(rename(f->keeping.path, away), 0);
	saved = begin_log(f, log);
	run(f, 600);
	assert_int_equal(unlink(f->keeping.path), 0);
	run(f, 600);
	end_log(saved);
	assert_int_equal(lines_with(log, "was removed or renamed"), 2);
	assert_int_equal(lines_with(log, "error"), 0);
	/*
	 * Slots are written when their five minutes are over: the last slot of each file's time is
	 * in the next file.
	 */
	assert_int_equal(slots_in(away), 2);
	check_near(ask(f, &head), 900 * GIB_S);
	assert_int_equal(head.set_aside, 0);
	assert_int_equal(head.write_failures, 0);
	unlink(away);
}

static void copy_file(const char *from, const char *to)
{
	AUTO_BUFFER struct buffer text = {0};
	AUTO_CLOSE int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0 && file_read_all(AT_FDCWD, from, SIZE_MAX, &text) >= 0);
	assert_int_equal(write(fd, text.data, text.len), text.len);
}

/*
 * The file is replaced by an older copy: usage written since the copy is gone, as intended, and the
 * ledger continues after it.
 */
static void a_replaced_file_is_continued(void **state)
{
	struct fixture *f = *state;
	struct usage_head head;
	char log[64], copy[128];
	int saved;

	snprintf(copy, sizeof(copy), "%s-copy", f->keeping.path);
	pass(f);
	run(f, 600);
	writer_close(&f->writer);
	copy_file(f->keeping.path, copy);
	open_keeper(f);
	run(f, 900);
	assert_int_equal(rename(copy, f->keeping.path), 0);
	saved = begin_log(f, log);
	run(f, 900);
	end_log(saved);
	assert_int_equal(lines_with(log, "was removed or renamed"), 1);
	check_near(ask(f, &head), 1800 * GIB_S); /* of 2400, without 600 to 1200 */
	assert_int_equal(head.set_aside, 0);
}

/*
 * Setting aside is tried again and again, although each attempt reads the whole file. It is logged
 * once, and again for another reason.
 */
static void a_failed_setting_aside_is_logged_once(void **state)
{
	struct fixture *f = *state;
	char log[64];
	int saved = begin_log(f, log);

	pass(f);
	run(f, 600);
	f->writer.store = store_close(f->writer.store);
	spoil(f->keeping.path);
	rename_error = EPERM;
	run(f, 900);
	rename_error = EROFS;
	run(f, 400);
	rename_error = 0;
	run(f, 400);
	end_log(saved);
	assert_int_equal(lines_with(log, "cannot be set aside"), 2);
	assert_int_equal(lines_with(log, strerror(EROFS)), 1);
	assert_int_equal(lines_with(log, "cannot write the ledger"), 1);
	assert_int_equal(lines_with(log, "was set aside as"), 1);
	assert_int_equal(f->writer.set_aside, 1);
	assert_in_range(f->writer.write_failures, 6, 10);
}

/* Adds many rows and damages the end of the file. */
static void enlarge_and_spoil(const struct keeping *k)
{
	static const char noise[4096] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
	struct stat st;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(k->path, &db), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(db,
			"WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t"
			" WHERE i < 100000) INSERT INTO bucket SELECT 1, i, 1, 1, 1, 1, 1 FROM t",
			NULL, NULL, NULL),
		SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(stat(k->path, &st), 0);
	assert_true(st.st_size > (off_t)MIB);
	put(k->path, noise, sizeof(noise), st.st_size - (off_t)sizeof(noise));
}

/* Reading the whole file is not taken for a hang. */
static void a_failed_setting_aside_keeps_the_watchdog_alive(void **state)
{
	struct fixture *f = *state;
	unsigned int beats = 0;

	pass(f);
	run(f, 600);
	writer_set_beat(&f->writer, (struct store_beat){.call = count_beat, .context = &beats});
	f->writer.store = store_close(f->writer.store);
	enlarge_and_spoil(&f->keeping);
	beats = 0;
	rename_error = EPERM;
	run(f, 310);
	rename_error = 0;
	assert_true(f->writer.write_failures > 0);
	assert_true(beats >= f->writer.write_failures);
	run(f, 330);
	assert_int_equal(f->writer.set_aside, 1);
}

/* A large file takes longer to open. The service manager is told so beforehand. */
static void a_large_file_may_take_longer_to_open(void **state)
{
	struct fixture *f = *state;
	uint64_t small_ns = writer_opening_ns(f->keeping.dir);

	assert_true(small_ns >= 30 * NS_PER_SEC);
	writer_close(&f->writer);
	assert_int_equal(truncate(f->keeping.path, (off_t)1 << 38), 0);
	assert_true(writer_opening_ns(f->keeping.dir) >= 3600 * NS_PER_SEC);
	assert_int_equal(unlink(f->keeping.path), 0);
	open_keeper(f);
}

static void foreign_and_locked_files_are_refused(void **state)
{
	struct fixture *f = *state;
	const struct store_limits limits = f->keeping.limits;
	struct writer second;

	assert_int_equal(writer_open(&second, f->keeping.dir, &limits), STORE_LOCKED);
	writer_close(&second);
	writer_close(&f->writer);
	assert_int_equal(unlink(f->keeping.path), 0);
	{
		sqlite3 *db;

		assert_int_equal(sqlite3_open(f->keeping.path, &db), SQLITE_OK);
		assert_int_equal(
			sqlite3_exec(db, "CREATE TABLE t(x)", NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
	}
	assert_int_equal(writer_open(&second, f->keeping.dir, &limits), STORE_FOREIGN);
	assert_int_equal(second.set_aside, 0);
	writer_close(&second);
	assert_int_equal(unlink(f->keeping.path), 0);
	open_keeper(f);
}

static void an_invalid_request_is_answered(void **state)
{
	const struct store_reader reader = {.sees_all = true};
	struct fixture *f = *state;
	AUTO_BUFFER struct buffer text = {0};
	struct usage_head head;

	writer_answer(&f->writer, NULL, &reader, &text);
	assert_int_equal(usage_check(text.data, text.len, &head), 0);
	assert_int_equal(head.status, USAGE_BAD_REQUEST);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	static const struct CMUnitTest tests[] = {
		TEST(answers_are_up_to_date),
		TEST(a_question_about_the_past_writes_nothing),
		TEST(an_early_end_loses_nothing),
		TEST(a_slot_ends_without_a_snapshot),
		TEST(a_full_disk_loses_nothing),
		TEST(a_report_keeps_the_watchdog_alive),
		TEST(a_lack_of_snapshots_is_reported),
		TEST(damage_is_set_aside),
		TEST(damage_found_by_a_request_is_set_aside),
		TEST(a_new_file_keeps_all_counters),
		TEST(a_new_file_keeps_the_counter_of_unnamed_owners),
		TEST(two_users_with_one_name_are_no_damage),
		TEST(damage_found_by_vacuum_is_set_aside),
		TEST(written_usage_counts_once),
		TEST(written_usage_counts_once_if_the_file_stays),
		TEST(unsynchronized_usage_counts_once),
		TEST(a_read_that_fails_at_the_start_is_no_damage),
		TEST(a_read_that_fails_is_no_damage),
		TEST(a_lack_of_memory_is_no_damage),
		TEST(a_remaining_log_is_set_aside),
		TEST(a_removed_file_is_not_set_aside),
		TEST(a_moved_file_is_left_alone),
		TEST(a_replaced_file_is_continued),
		TEST(a_failed_setting_aside_is_logged_once),
		TEST(a_failed_setting_aside_keeps_the_watchdog_alive),
		TEST(a_large_file_may_take_longer_to_open),
		TEST(foreign_and_locked_files_are_refused),
		TEST(an_invalid_request_is_answered),
	};

	return cmocka_run_group_tests(tests, make_sqlite_fail, NULL);
}
