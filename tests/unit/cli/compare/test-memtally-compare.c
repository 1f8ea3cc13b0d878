/* SPDX-License-Identifier: Apache-2.0 */
/* memtally compare: output, messages and exit status. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/os/channel.h"
#include "cli/memtally.h"
#include "snapshot/owner.h"
#include "tests/unit/support/cli/compared.h"
#include "tests/unit/support/cli/invoked.h"

#define SCRAPE "scrape.txt"

#define GROUP(name, processes, rss, pss)                                                           \
	"namedprocess_namegroup_num_procs{groupname=\"" name "\"} " processes "\n"                 \
	"namedprocess_namegroup_memory_bytes{groupname=\"" name "\",memtype=\"resident\"} " rss    \
	"\n"                                                                                       \
	"namedprocess_namegroup_memory_bytes{groupname=\"" name                                    \
	"\",memtype=\"proportionalResident\"} " pss "\n"

#define BASH GROUP("bash", "2", "8.192e+06", "2.048e+06")
#define JAVA GROUP("java", "1", "4.096e+08", "4.096e+08")

/* The namegroups of a snapshot; none: the snapshot has no rules. */
struct served {
	const struct compared_group *group;
	size_t count;
};

static const struct compared_group groups[] = {
	{OWNER_NONE, 5, 9000, 5000, 5000, 5005},
	{"java", 1, 400000, 400000, 400000, 400001},
	{"bash", 2, 8000, 2000, 2000, 2002},
};
static const struct served all = {groups, ARRAY_SIZE(groups)}, none = {NULL, 0};

static void send_snapshot(int client, const void *context)
{
	const struct served *served = context;
	uint64_t now_ns = clock_now_ns(CLOCK_BOOTTIME);
	const struct image_header head = {.sequence = 1,
		.boottime_ns = now_ns - 8 * NS_PER_SEC,
		.interval_ns = 10 * NS_PER_SEC,
		.stale_ns = now_ns + 20 * NS_PER_SEC};
	AUTO_SMALL struct small s = {0};
	AUTO_CLOSE int fd = -1;

	small_begin(&s);
	compared_fill(&s.builder, served->group, served->count);
	if (builder_seal(&s.builder, &head, &fd) < 0 || channel_send_fd(client, fd) < 0)
		_exit(1);
	stand_in_await_end(client);
}

static void write_scrape(const char *text)
{
	AUTO_CLOSE int fd = open(SCRAPE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
}

/* Runs memtally with ARGS on SERVED and the answer SCRAPED. */
static void run(const struct served *served, const char *scraped,
	const char *const args[static INVOKED_ARGS], struct running *ret)
{
	pid_t server = stand_in_start(INVOKED_SOCKET, send_snapshot, served);

	write_scrape(scraped);
	invoked_run(args, ret);
	unlink(SCRAPE);
	stand_in_end(server, INVOKED_SOCKET);
}

static const char *const plain[INVOKED_ARGS] = {"compare", "--process-exporter=" SCRAPE};

static void succeeds_if_all_is_explained(void **state)
{
	AUTO_RUNNING struct running r = {0};

	(void)state;
	run(&all, BASH JAVA, plain, &r);
	assert_int_equal(r.status, 0);
	running_check_prints(&r, " java      equal\n");
	running_check_prints(&r, " bash      equal\n");
	running_check_prints(&r, "total of 2 namegroups\n");
	assert_null(strstr(r.out.data, OWNER_NONE));
	running_check_says(&r, "memtally: from memtallyd's snapshot of 8 s ago");
	assert_null(strstr(r.err.data, "warning"));
}

/* Figures without some processes are not those of all. */
static void says_what_was_not_measured(void **state)
{
	static const struct compared_group partial[] = {
		{"java", 2, 400000, 300000, 300000, 400001, 0, 0, 1},
		{"bash", 2, 8000, COMPARED_ABSENT, COMPARED_ABSENT, 8000, 0, 0, 2},
	};
	static const struct served served = {partial, ARRAY_SIZE(partial)};
	AUTO_RUNNING struct running r = {0};

	(void)state;
	run(&served, BASH GROUP("java", "2", "4.096e+08", "4.096e+08"), plain, &r);
	assert_int_equal(r.status, 1);
	running_check_prints(&r, " ours could not be measured: 2 denied\n");
	running_check_prints(&r,
		" within the bounds of ours, snapshot of 8 s ago; of ours not measured: 1 denied\n");
	running_check_prints(&r, "total of 2 namegroups, 1 not explained\n");
	running_check_says(&r,
		"warning: 3 of 4 processes could not be read: the sums do not contain their PSS; "
		"memtallyd needs CAP_SYS_PTRACE to read them\n");
	running_check_says(&r,
		"warning: 1 of 2 namegroups could not be compared: none of their processes was measured\n");
	assert_null(strstr(r.err.data, "run it again"));
}

static void fails_if_a_difference_is_not_explained(void **state)
{
	AUTO_RUNNING struct running r = {0};

	(void)state;
	run(&all, BASH GROUP("java", "2", "8.192e+08", "8.192e+08"), plain, &r);
	assert_int_equal(r.status, 1);
	running_check_prints(&r, "not explained: theirs has 1 process more");
	running_check_prints(&r, "total of 2 namegroups, 1 not explained\n");
	running_check_says(&r,
		"warning: 1 of 2 namegroups differ without an explanation; run it again with --live: ");
	assert_null(strstr(r.err.data, "of one program only"));
}

/* Another measurement does not help if the rules differ. */
static void fails_if_a_group_is_of_one_program(void **state)
{
	AUTO_RUNNING struct running r = {0};

	(void)state;
	run(&all, BASH GROUP("httpd", "1", "4096", "4096"), plain, &r);
	assert_int_equal(r.status, 1);
	running_check_prints(&r, "only ours: is naming.process_exporter the same file?");
	running_check_prints(&r, "total of 3 namegroups, 2 not explained\n");
	running_check_says(&r, "warning: 2 of 3 namegroups are of one program only: check that ");
	assert_null(strstr(r.err.data, "run it again"));
}

static void prints_json_and_csv(void **state)
{
	static const char *const json[INVOKED_ARGS] = {
		"compare", "--process-exporter=" SCRAPE, "--json"};
	static const char *const csv[INVOKED_ARGS] = {
		"compare", ("--process-exporter=" SCRAPE), "--csv", "-n", "1"};
	AUTO_RUNNING struct running r = {0}, s = {0};
	json_t *parsed;

	(void)state;
	run(&all, BASH JAVA, json, &r);
	assert_int_equal(r.status, 0);
	parsed = json_loads(r.out.data, JSON_REJECT_DUPLICATES, NULL);
	assert_int_equal(json_array_size(json_object_get(parsed, "namegroups")), 2);
	assert_int_equal(json_integer_value(json_object_get(parsed, "unexplained")), 0);
	json_decref(parsed);
	run(&all, BASH JAVA, csv, &s);
	assert_int_equal(s.status, 0);
	assert_int_equal(strncmp(s.out.data, "namegroup,processes,", 20), 0);
	running_check_prints(&s, "\njava,1,1,409600000,");
	assert_null(strstr(s.out.data, "bash"));
	running_check_says(&s, "memtally: 1 of 2 rows shown\n");
}

static void says_what_is_missing(void **state)
{
	static const char *const away[INVOKED_ARGS] = {
		"compare", "--process-exporter=http://127.0.0.1:1/metrics"};
	static const struct {
		const struct served *served;
		const char *scraped;
		const char *const *args;
		const char *said;
	} cases[] = {
		{&none, BASH, plain,
			"error: no process is in a namegroup: set naming.process_exporter to the "
			"configuration file of process-exporter\n"},
		{&all, "<html>\n", plain,
			"error: " SCRAPE ": expected the metrics of process-exporter, found none"},
		{&all, BASH "namedprocess_namegroup_num_procs 1\n", plain,
			"error: " SCRAPE ": line 4: expected a metric of a group"},
		{&all, BASH, away, "error: http://127.0.0.1:1/metrics: "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_RUNNING struct running r = {0};

		run(cases[i].served, cases[i].scraped, cases[i].args, &r);
		assert_int_equal(r.status, 1);
		assert_string_equal(r.out.data, "");
		running_check_says(&r, cases[i].said);
	}
}

static void refuses_options_of_other_commands(void **state)
{
	static const struct {
		const char *args[INVOKED_ARGS];
		const char *said;
	} cases[] = {
		{{"compare", "x"}, "unexpected argument 'x' after compare"},
		{{"compare", "--sort=pss"}, "--sort does not go with compare"},
		{{"compare", "--user=alice"}, "--user does not go with compare"},
		{{"compare", "--process-exporter="}, "--process-exporter"},
		{{"users", "--process-exporter=x"}, "--process-exporter is for compare"},
		{{"compare", "--json", "--csv"}, "--csv does not go with --json"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_RUNNING struct running r = {0};

		invoked_run(cases[i].args, &r);
		assert_int_equal(r.status, 2);
		running_check_says(&r, cases[i].said);
	}
}

/* Without memtallyd a user sees only some of the processes, so all groups would differ. */
static void needs_all_processes(void **state)
{
	static const char *const args[INVOKED_ARGS] = {"compare", "--process-exporter=" SCRAPE};
	AUTO_RUNNING struct running r = {0};

	(void)state;
	if (geteuid() != 0)
		skip();
	write_scrape(BASH);
	assert_int_equal(chmod(".", 0755), 0);
	invoked_run_as(65534, args, &r);
	unlink(SCRAPE);
	assert_int_equal(r.status, 1);
	running_check_says(&r, "error: a comparison needs the processes of all users");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(succeeds_if_all_is_explained),
		cmocka_unit_test(says_what_was_not_measured),
		cmocka_unit_test(fails_if_a_difference_is_not_explained),
		cmocka_unit_test(fails_if_a_group_is_of_one_program),
		cmocka_unit_test(prints_json_and_csv),
		cmocka_unit_test(says_what_is_missing),
		cmocka_unit_test(refuses_options_of_other_commands),
		cmocka_unit_test(needs_all_processes),
	};

	return cmocka_run_group_tests(tests, invoked_enter, invoked_leave);
}
