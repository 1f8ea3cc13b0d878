/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of cli/sharing/sharing-walk.h on this host. Skipped if the kernel does not show frame
 * numbers.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "cli/sharing/sharing-walk.h"
#include "collectors/process/self/mapcounts.h"
#include "inspect/pages/pagemap.h"
#include "tests/unit/support/cli/asked.h"

/* The map count trial finds averages, and the walk is cancelled. */
static bool is_averaged;

/* Outside of this process memfd_create() fails. */
static bool is_refused = true;

/* The walk ends with so many shared memory objects of which it did not find out what keeps them. */
static uint64_t untold;

static pid_t tester; /* this process */

int __real_memfd_create(const char *name, unsigned int flags);
int __wrap_memfd_create(const char *name, unsigned int flags);

int __wrap_memfd_create(const char *name, unsigned int flags)
{
	if (getpid() == tester || !is_refused)
		return __real_memfd_create(name, flags);
	errno = EPERM;
	return -1;
}

int __real_sharing_walk_all(struct sharing_walk *w);
int __wrap_sharing_walk_all(struct sharing_walk *w);
void __real_mapcounts_await(struct mapcounts *m, int timeout_ms);
void __wrap_mapcounts_await(struct mapcounts *m, int timeout_ms);

int __wrap_sharing_walk_all(struct sharing_walk *w)
{
	int r = is_averaged ? -ECANCELED : __real_sharing_walk_all(w);

	w->mappers.unmapped.untold += untold;
	return r;
}

void __wrap_mapcounts_await(struct mapcounts *m, int timeout_ms)
{
	if (!is_averaged) {
		__real_mapcounts_await(m, timeout_ms);
		return;
	}
	mapcounts_done(m);
	m->verdict = MAPCOUNTS_AVERAGED;
}

static bool shows_frames(void)
{
	AUTO_CLOSE int procfs = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return pagemap_shows_frames(procfs) == 1 && access("/proc/kpagecount", R_OK) == 0;
}

/*
 * Asserts that A has printed TEXT, and otherwise only warnings about processes of this host that
 * block their readers.
 */
static void assert_says(const struct asked *a, const char *text)
{
	if (strstr(a->err.data, "because the kernel blocks readers of"))
		assert_non_null(strstr(a->err.data, text));
	else
		assert_string_equal(a->err.data, text);
}

/* If the kernel or a filter refuses memfd_create(), this is reported, and nothing else. */
static void reports_a_refused_memfd_create(void **state)
{
	const struct tree host = {.path = "/proc", .fd = -1};
	AUTO_ASKED struct asked a = {0};

	(void)state;
	if (!shows_frames())
		skip();
	ASKED(&host, NULL, &a, "sharing", "1");
	assert_int_equal(a.status, 1);
	assert_null(a.json);
	assert_says(&a,
		"memtally: error: cannot find out which files are in memory (memfd_create, mountinfo): Operation not permitted\n");
}

static void reports_averaged_map_counts(void **state)
{
	const struct tree host = {.path = "/proc", .fd = -1};
	AUTO_ASKED struct asked a = {0};

	(void)state;
	if (!shows_frames())
		skip();
	is_averaged = true;
	is_refused = false;
	ASKED(&host, NULL, &a, "sharing", "1");
	is_averaged = false;
	is_refused = true;
	assert_int_equal(a.status, 1);
	assert_says(&a, "memtally: warning: this kernel averages the map counts of large folios "
			"(CONFIG_NO_PAGE_MAPCOUNT): PSS and USS are approximations\n");
}

static void counts_objects_that_it_knows_too_little_of(void **state)
{
	static const char *const texts[] = {
		"memtally: warning: 1 shared memory object does not count as freed on exit: it "
		"disappeared, or there were too many to examine\n",
		"memtally: warning: 2 shared memory objects do not count as freed on exit: they "
		"disappeared, or there were too many to examine\n",
	};
	const struct tree host = {.path = "/proc", .fd = -1};
	char pid[16];

	(void)state;
	if (!shows_frames())
		skip();
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		AUTO_ASKED struct asked a = {0};

		untold = i + 1;
		is_refused = false;
		ASKED(&host, NULL, &a, "sharing", pid);
		untold = 0;
		is_refused = true;
		assert_int_equal(a.status, 0);
		assert_non_null(strstr(a.err.data, texts[i]));
	}
}

static void names_the_filter_that_nothing_matches(void **state)
{
	const struct tree host = {.path = "/proc", .fd = -1};
	AUTO_ASKED struct asked a = {0};

	(void)state;
	if (!shows_frames())
		skip();
	is_refused = false;
	ASKED(&host, NULL, &a, "sharing", "--user=none-such");
	is_refused = true;
	assert_int_equal(a.status, 1);
	assert_non_null(strstr(
		a.err.data, "memtally: error: no process with memory matches --user=none-such\n"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_a_refused_memfd_create),
		cmocka_unit_test(reports_averaged_map_counts),
		cmocka_unit_test(counts_objects_that_it_knows_too_little_of),
		cmocka_unit_test(names_the_filter_that_nothing_matches),
	};

	tester = getpid();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
