/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtally shows a snapshot of memtallyd: output, messages and exit status.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/os/channel.h"
#include "base/os/memfd.h"
#include "cli/memtally.h"
#include "tests/unit/support/cli/invoked.h"
#include "tests/unit/support/process/stand-in.h"

/* If memtallyd counts users in another way than the command line asks for, memtally says so. */
static void says_how_users_are_counted(void **state)
{
	static const struct {
		const char *args[INVOKED_ARGS];
		const char *says, *not_says;
		bool by_login;
	} cases[] = {
		{{"users"}, "snapshot of 3 s ago", "accounting.user", false},
		{{"users", "--accounting.user=ruid"},
			" ago; users by euid (accounting.user of memtallyd)\n", NULL, false},
		{{"users"}, "; users by loginuid (accounting.user of memtallyd)\n", NULL, true},
		{{"users", "--accounting.user=loginuid"}, "snapshot of 3 s ago", "accounting.user",
			true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sample_options options = invoked_sample();
		AUTO_RUNNING struct running r = {0};

		options.by_login = cases[i].by_login;
		invoked_run_served(&options, cases[i].args, &r);
		assert_int_equal(r.status, 0);
		running_check_says(&r, cases[i].says);
		assert_true(!cases[i].not_says || !strstr(r.err.data, cases[i].not_says));
	}
}

static void shows_memtallyds_snapshot(void **state)
{
	static const char *const args[INVOKED_ARGS] = {"users", "--limit=2"};
	struct sample_options options = invoked_sample();
	AUTO_RUNNING struct running r = {0};

	(void)state;
	invoked_run_served(&options, args, &r);
	assert_int_equal(r.status, 0);
	assert_string_equal(r.out.data,
		"      PSS %MEM       USS       RSS    SWAP PROCESSES USER  NOTE\n"
		"489.7 MiB  3.1 430.9 MiB 700.2 MiB 1.0 MiB         4 alice\n"
		" 69.7 MiB  0.4  69.4 MiB  74.2 MiB 0.0 KiB         2 bob\n"
		"--------------------------------------------------------------\n"
		"596.3 MiB  3.7 534.0 MiB 829.6 MiB       -        16 total of 8 users (6 not shown), "
		"MemTotal 15.6 GiB, 4 unmeasured, PSS at least 596.3 MiB\n");
	running_check_says(&r, "memtally: from memtallyd's snapshot of 3 s ago\n");
	running_check_says(&r, "warning: 1 of 16 processes could not be read");
	running_check_says(&r, "1 malformed, 1 changing, 1 error\n");
}

/* Runs memtally with standard output and standard error in one file. */
static int print_into_one(void *context)
{
	static char *argv[] = {(char *)(uintptr_t) "memtally",
		(char *)(uintptr_t) "--snapshot.socket=socket",
		(char *)(uintptr_t) "--config.file=/dev/null", NULL, NULL};

	argv[3] = context;
	if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return 99;
	return memtally_run(4, argv);
}

/* The origin of the figures stands before them, what is missing behind them. */
static void warnings_come_after_the_table(void **state)
{
	static const char *const lists[] = {"users", "processes", "host"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct sample_options options = invoked_sample();
		pid_t server = stand_in_start(INVOKED_SOCKET, invoked_serve, &options);
		AUTO_RUNNING struct running r = {0};
		const char *table, *warning;

		running_do(print_into_one, (void *)(uintptr_t)lists[i], -1, &r);
		stand_in_end(server, INVOKED_SOCKET);
		assert_int_equal(r.status, 0);
		table = strstr(r.err.data, "\n--------");
		warning = strstr(r.err.data, "\nmemtally: warning: ");
		assert_true(table && warning && strstr(r.err.data, "from memtallyd's") < table);
		assert_true(warning > table);
		for (; warning && warning[1]; warning = strchr(warning + 1, '\n'))
			assert_int_equal(strncmp(warning + 1, "memtally: warning: ", 19), 0);
	}
}

/* Runs memtally with ARGS on a sample. Returns 0 or 1, its exit status. */
static int show(const char *const args[static INVOKED_ARGS], struct running *ret)
{
	struct sample_options options = invoked_sample();

	invoked_run_served(&options, args, ret);
	return ret->status;
}

/* --all adds the other tables. JSON and CSV have all of it anyway. */
static void host_is_the_balance_sheet(void **state)
{
	static const char *const sheet[INVOKED_ARGS] = {"host"},
				 *const all[INVOKED_ARGS] = {"host", "--all"},
				 *const one[INVOKED_ARGS] = {"host", "--user=alice"},
				 *const json[INVOKED_ARGS] = {"host", "--json"},
				 *const all_json[INVOKED_ARGS] = {"host", "--json", "--all"},
				 *const csv[INVOKED_ARGS] = {"host", "--csv"},
				 *const all_csv[INVOKED_ARGS] = {"host", "--csv", "--all"};
	struct running r[7] = {0};
	const char *const *const args[] = {sheet, all, one, json, all_json, csv, all_csv};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(args); i++)
		assert_int_equal(show(args[i], &r[i]), 0);
	running_check_prints(&r[0], " MemTotal\n");
	assert_null(strstr(r[0].out.data, "\n\n"));
	running_check_prints(&r[1], r[0].out.data);
	running_check_prints(&r[1], " FIELD ");
	assert_null(strstr(r[2].out.data, " MemTotal\n"));
	running_check_prints(&r[2], " FIELD ");
	assert_string_equal(r[3].out.data, r[4].out.data);
	assert_string_equal(r[5].out.data, r[6].out.data);
	for (size_t i = 0; i < ARRAY_SIZE(args); i++)
		running_done(&r[i]);
}

/* Only unmeasured processes of the selection cause a warning. */
static void warns_about_the_selection_only(void **state)
{
	static const struct {
		const char *args[INVOKED_ARGS];
		const char *said; /* NULL: no warning */
	} cases[] = {
		{{"processes", "--program=bash"}, NULL},
		{{"users", "--user=alice"}, NULL},
		{{"programs", "--user=alice"}, NULL},
		{{"host", "--user=alice"}, NULL},
		{{"processes", "--user=root"}, "warning: 1 of 4 processes could not be read"},
		{{"users", "--user=root", "--json"}, "warning: 1 of 4 processes could not be read"},
		{{"programs", "--user=root"}, "warning: 1 of 4 processes could not be read"},
		{{"host"}, "warning: 1 of 16 processes could not be read"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sample_options options = invoked_sample();
		AUTO_RUNNING struct running r = {0};

		invoked_run_served(&options, cases[i].args, &r);
		assert_int_equal(r.status, 0);
		if (cases[i].said)
			running_check_says(&r, cases[i].said);
		else
			assert_null(strstr(r.err.data, "warning"));
	}
}

static void json_is_complete(void **state)
{
	static const char *const lists[] = {"users", "programs", "units", "processes"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		const char *const args[INVOKED_ARGS] = {lists[i], "--json"};
		struct sample_options options = invoked_sample();
		AUTO_RUNNING struct running r = {0};
		json_t *json;

		options.more = 1000;
		invoked_run_served(&options, args, &r);
		json = invoked_load(&r, lists[i]);
		assert_true(json_array_size(json_object_get(json, lists[i])) > 8);
		if (!strcmp(lists[i], "processes"))
			assert_int_equal(json_array_size(json_object_get(json, lists[i])),
				1000 + SAMPLE_PROCESSES);
		assert_int_equal(r.out.data[r.out.len - 2], '\n');
		json_decref(json);
	}
}

static void json_has_the_selection(void **state)
{
	static const char *const args[INVOKED_ARGS] = {
		"users", "--program=bash", "--json", "--limit=1"};
	struct sample_options options = invoked_sample();
	AUTO_RUNNING struct running r = {0};
	json_t *json, *row;

	(void)state;
	invoked_run_served(&options, args, &r);
	json = invoked_load(&r, "users");
	assert_int_equal(json_array_size(json_object_get(json, "users")), 1);
	row = json_array_get(json_object_get(json, "users"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "user")), "alice");
	assert_int_equal(json_integer_value(json_object_get(row, "pss_bytes")), 1500 * 1024);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(json, "snapshot"), "sequence")),
		SAMPLE_SEQUENCE);
	assert_true(invoked_has_interval(json));
	json_decref(json);
}

static void uses_the_public_snapshot_for_sums(void **state)
{
	static const char *const args[INVOKED_ARGS] = {"programs", "--program=firefox", "--bytes"};
	struct sample_options options = invoked_sample();
	AUTO_RUNNING struct running r = {0};

	(void)state;
	options.is_public = true;
	invoked_run_served(&options, args, &r);
	assert_int_equal(r.status, 0);
	running_check_prints(
		&r, "\n512003072  3.1 450561024 729088000 1048576         3 firefox\n");
	running_check_says(&r, "from memtallyd's snapshot of ");
}

static const char *const status_args[INVOKED_ARGS] = {"status"};

static void status_shows_memtallyds_snapshot(void **state)
{
	struct sample_options options = invoked_sample();
	AUTO_RUNNING struct running r = {0};

	(void)state;
	invoked_run_served(&options, status_args, &r);
	assert_int_equal(r.status, 0);
	assert_string_equal(r.err.data, "");
	running_check_prints(&r, "memtallyd 1.2.3: adaptive, ");
	running_check_prints(&r, "; snapshot 3 s old\n");
	running_check_prints(&r, "\nRights ");
}

static void status_shows_a_public_snapshot(void **state)
{
	static const char *const args[INVOKED_ARGS] = {"status", "--json"};
	struct sample_options options = invoked_sample();
	AUTO_RUNNING struct running r = {0};
	json_t *json;

	(void)state;
	options.is_public = true;
	invoked_run_served(&options, args, &r);
	json = invoked_load(&r, "status");
	assert_non_null(json_object_get(json_object_get(json, "host"), "pss_measured_bytes"));
	assert_non_null(json_object_get(json_object_get(json, "status"), "estimate_error_ratio"));
	assert_true(invoked_has_interval(json));
	json_decref(json);
}

static void status_reports_a_stale_snapshot(void **state)
{
	struct sample_options options = invoked_sample();
	AUTO_RUNNING struct running r = {0};

	(void)state;
	options.is_public = true;
	options.boottime_ns -= 120 * NS_PER_SEC;
	invoked_run_served(&options, status_args, &r);
	assert_int_equal(r.status, 1);
	running_check_prints(&r, "; snapshot 2 min 3 s old: stale (limit ");
	running_check_says(&r, "memtally: error: memtallyd runs, but ");
}

static void status_reports_that_memtallyd_does_not_run(void **state)
{
	AUTO_RUNNING struct running r = {0};

	(void)state;
	invoked_run(status_args, &r);
	assert_int_equal(r.status, 1);
	assert_string_equal(r.out.data, "");
	assert_string_equal(r.err.data,
		"memtally: error: no snapshot from memtallyd: socket: No such file or directory "
		"(start memtallyd, or set --snapshot.socket)\n");
}

static void send_newer_version(int client, const void *context)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	struct image_header header = *view->header;
	struct iovec iov = {.iov_base = &header, .iov_len = sizeof(header)};
	AUTO_CLOSE int image = -1;

	(void)context;
	header.major++;
	if (memfd_new_sealed("newer", &iov, 1, &image) < 0 || channel_send_fd(client, image) < 0)
		_exit(1);
	stand_in_await_end(client);
}

static void send_greeting(int client, const void *context)
{
	(void)context;
	stand_in_send_text(client, "hello");
	stand_in_await_end(client);
}

/* Another version and another program have different remedies. */
static void status_tells_another_version_from_another_program(void **state)
{
	static const struct {
		void (*serve)(int client, const void *context);
		const char *said;
	} cases[] = {
		{send_newer_version,
			"memtally: error: no snapshot from memtallyd: socket: another major version "
			"(restart memtallyd after the upgrade)\n"},
		{send_greeting,
			"memtally: error: no snapshot from memtallyd: socket: not a message of "
			"memtallyd's (check --snapshot.socket)\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		pid_t server = stand_in_start(INVOKED_SOCKET, cases[i].serve, NULL);
		AUTO_RUNNING struct running r = {0};

		invoked_run(status_args, &r);
		stand_in_end(server, INVOKED_SOCKET);
		assert_int_equal(r.status, 1);
		assert_string_equal(r.err.data, cases[i].said);
	}
}

/*
 * Whether the name is unknown or its processes just exited, no total of zeros is printed. In JSON
 * a program that exited keeps its row.
 */
static void exited_programs_match_nothing(void **state)
{
	static const struct {
		const char *args[INVOKED_ARGS];
		size_t rows; /* rows in JSON; as a table nothing is printed */
	} cases[] = {
		{{"programs", "--program=ended"}, 0},
		{{"programs", "--program=nowhere"}, 0},
		{{"programs", "--program=ended", "--sort=vm_swap_growth_bytes_total"}, 0},
		{{"programs", "--program=nowhere", "--sort=processes"}, 0},
		{{"users", "--program=ended"}, 0},
		{{"programs", "--program=ended", "--json"}, 1},
		{{"programs", "--program=nowhere", "--json"}, 0},
		{{"users", "--program=ended", "--json"}, 0},
		{{"processes", "--program=ended", "--json"}, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sample_options options = invoked_sample();
		AUTO_RUNNING struct running r = {0};

		invoked_run_served(&options, cases[i].args, &r);
		assert_int_equal(r.status, 1);
		running_check_says(&r, "error: no process with memory matches --");
		if (strstr(r.out.data, "{\"snapshot\"")) {
			json_t *json = json_loads(r.out.data, JSON_REJECT_DUPLICATES, NULL);
			json_t *list = json_object_get(json, cases[i].args[0]);

			assert_true(json_is_array(list));
			assert_int_equal(json_array_size(list), cases[i].rows);
			assert_string_equal(cases[i].args[2], "--json");
			json_decref(json);
		} else {
			assert_string_equal(r.out.data, "");
			assert_true(!cases[i].args[2] || strcmp(cases[i].args[2], "--json") != 0);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_how_users_are_counted),
		cmocka_unit_test(shows_memtallyds_snapshot),
		cmocka_unit_test(warnings_come_after_the_table),
		cmocka_unit_test(host_is_the_balance_sheet),
		cmocka_unit_test(warns_about_the_selection_only),
		cmocka_unit_test(json_is_complete),
		cmocka_unit_test(json_has_the_selection),
		cmocka_unit_test(uses_the_public_snapshot_for_sums),
		cmocka_unit_test(status_shows_memtallyds_snapshot),
		cmocka_unit_test(status_shows_a_public_snapshot),
		cmocka_unit_test(status_reports_a_stale_snapshot),
		cmocka_unit_test(status_reports_that_memtallyd_does_not_run),
		cmocka_unit_test(status_tells_another_version_from_another_program),
		cmocka_unit_test(exited_programs_match_nothing),
	};

	return cmocka_run_group_tests(tests, invoked_enter, invoked_leave);
}
