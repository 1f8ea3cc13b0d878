/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/history/history-sight.h: which callers see which rows of the past. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "base/os/userns.h"
#include "snapshot/owner.h"
#include "tests/unit/support/snapshot/sample.h"
#include "web/history/history-sight.h"

/* The caller, the snapshot, and what the caller may see. */
static const struct {
	const char *what;
	struct caller caller;
	enum tcp_scope scope;
	bool is_restricted;
	enum sight_kind recent, older;
} cases[] = {
	{"root", {.kind = CALLER_TRUSTED}, TCP_SCOPE_AUTO, false, SIGHT_ALL, SIGHT_ALL},
	{"root, with hidepid", {.kind = CALLER_TRUSTED}, TCP_SCOPE_AGGREGATES, true, SIGHT_ALL,
		SIGHT_ALL},
	{"a user", {.kind = CALLER_USER, .uid = 1000, .userns = USERNS_INITIAL}, TCP_SCOPE_AUTO,
		false, SIGHT_OWN, SIGHT_OWN},
	{"a user, with all at TCP", {.kind = CALLER_USER, .uid = 1000, .userns = USERNS_INITIAL},
		TCP_SCOPE_PROCESSES, false, SIGHT_OWN, SIGHT_OWN},
	{"a user of another user namespace", {.kind = CALLER_USER, .uid = 1000, .userns = 5},
		TCP_SCOPE_AUTO, false, SIGHT_NONE, SIGHT_NONE},
	{"a stranger", {.kind = CALLER_STRANGER}, TCP_SCOPE_PROCESSES, false, SIGHT_NONE,
		SIGHT_NONE},
	{"TCP", {.kind = CALLER_ANYBODY}, TCP_SCOPE_AUTO, false, SIGHT_ALL, SIGHT_NONE},
	{"TCP, processes", {.kind = CALLER_ANYBODY}, TCP_SCOPE_PROCESSES, false, SIGHT_ALL,
		SIGHT_ALL},
	{"TCP, with hidepid", {.kind = CALLER_ANYBODY}, TCP_SCOPE_AUTO, true, SIGHT_ALL,
		SIGHT_NONE},
	{"TCP, processes, with hidepid", {.kind = CALLER_ANYBODY}, TCP_SCOPE_PROCESSES, true,
		SIGHT_ALL, SIGHT_ALL},
	{"TCP, aggregates", {.kind = CALLER_ANYBODY}, TCP_SCOPE_AGGREGATES, false, SIGHT_ALL,
		SIGHT_NONE},
};

/* Returns whether rows of SCOPE belong to users, as in docs/visibility.md. */
static bool has_users(enum metric_scope scope)
{
	return scope == METRIC_USER || scope == METRIC_USER_UNIT || scope == METRIC_SESSION ||
	       scope == METRIC_CONTAINER;
}

static void callers_see_what_the_ledger_shows_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct sample_options options = {.is_restricted = cases[i].is_restricted};
		AUTO_VIEW struct view *view = sample_open(&options);
		struct history_sight s;

		history_sight_of(&cases[i].caller, cases[i].scope, view, &s);
		if (s.recent != cases[i].recent || s.older != cases[i].older)
			fail_msg("%s: %d, %d", cases[i].what, (int)s.recent, (int)s.older);
		for (unsigned int scope = METRIC_HOST; scope < METRIC_OWNERS_END; scope++) {
			bool is_refused = history_sight_refuse(&s, (enum metric_scope)scope);
			bool expected = scope != METRIC_HOST &&
			                (s.recent == SIGHT_NONE ||
						(s.recent == SIGHT_OWN &&
							!has_users((enum metric_scope)scope)));

			if (is_refused != expected)
				fail_msg("%s, %u", cases[i].what, scope);
		}
	}
}

/* A user's rows are those of the uid, and owners of the user's name or number. */
static void users_see_their_own_rows(void **state)
{
	static const struct caller caller = {
		.kind = CALLER_USER, .uid = 1000, .userns = USERNS_INITIAL};
	AUTO_VIEW struct view *view = sample_open(NULL);
	const char *name = NULL, *other = NULL;
	struct history_sight s;

	(void)state;
	for (uint32_t i = 0; i < view_count(view, METRIC_USER); i++) {
		const struct snapshot_scope *row = view_scope(view, METRIC_USER, i);

		if (row->id == 1000)
			name = view_text(view, row->name);
		else if (!(row->flags & SCOPE_OTHER))
			other = view_text(view, row->name);
	}
	assert_true(name && other);
	history_sight_of(&caller, TCP_SCOPE_AUTO, view, &s);
	{
		const struct {
			struct ring_row row;
			bool is_visible;
		} rows[] = {
			{{.scope = METRIC_HOST, .user = ""}, true},
			{{.scope = METRIC_USER, .id = 1000, .user = ""}, true},
			{{.scope = METRIC_USER, .id = 1001, .user = ""}, false},
			{{.scope = METRIC_USER, .id = 0, .user = ""}, false},
			{{.scope = METRIC_CONTAINER, .id = 1000, .user = other}, false},
			{{.scope = METRIC_CONTAINER, .id = 1000, .user = ""}, false},
			{{.scope = METRIC_CONTAINER, .user = name}, true},
			{{.scope = METRIC_CONTAINER, .user = "1000"}, true},
			{{.scope = METRIC_SESSION, .user = "10000"}, false},
			{{.scope = METRIC_SESSION, .user = "100"}, false},
		};

		for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
			if (history_sight_has(&s, &rows[i].row) != rows[i].is_visible)
				fail_msg("row %zu", i);
	}
	history_sight_of(&(struct caller){.kind = CALLER_STRANGER}, TCP_SCOPE_AUTO, view, &s);
	assert_false(history_sight_has(
		&s, &(struct ring_row){.scope = METRIC_USER, .id = 0, .user = ""}));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_see_what_the_ledger_shows_them),
		cmocka_unit_test(users_see_their_own_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
