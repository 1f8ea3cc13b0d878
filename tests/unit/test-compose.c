/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "collectors/compose.h"
#include "snapshot/view.h"

/* Makes the image of T; what a reader needs besides is filled in. */
static struct view *compose(struct tally *t, struct builder *b)
{
	AUTO_BUFFER struct buffer scratch = {0};
	AUTO_CLOSE int fd = -1;
	struct meminfo meminfo = {.present = 1 << MEMINFO_TOTAL, .q = {[MEMINFO_TOTAL] = 1 << 30}};
	struct image_header head = {.sequence = 1, .interval_ns = 1, .stale_ns = 1};
	struct view *view;
	const char *reason = "";

	builder_begin(b);
	assert_int_equal(compose_scopes(t, &meminfo, b, &scratch), 0);
	assert_non_null(builder_add_self(b));
	assert_int_equal(builder_seal(b, &head, &fd), 0);
	if (view_open(fd, &view, &reason) < 0)
		fail_msg("%s", reason);
	return view;
}

static void add_user(struct tally *t, uid_t uid, const char *name)
{
	struct scope *s = scopes_get(tally_table(t, METRIC_USER), &uid, sizeof(uid));

	s->uid = uid;
	s->name = name ? strdup(name) : NULL;
	s->exported = true;
}

static const char *name_of(const struct view *view, uint32_t uid)
{
	for (uint32_t i = 0; i < view_count(view, METRIC_USER); i++) {
		const struct snapshot_scope *row = view_scope(view, METRIC_USER, i);

		if (row->uid == uid && !(row->flags & SCOPE_OTHER))
			return view_text(view, row->name);
	}
	return NULL;
}

static void users_have_names_of_their_own(void **state)
{
	struct builder b = {0};
	struct tally t;
	struct view *view;

	(void)state;
	tally_init(&t, 1);
	add_user(&t, 1000, "alice");
	add_user(&t, 1001, "bob");
	add_user(&t, 1002, "bob");
	add_user(&t, 1003, NULL);
	add_user(&t, 1004, "1003"); /* as if it were the number of another */
	add_user(&t, 1005, "bob:1001");
	add_user(&t, 1006, "(other)");
	view = compose(&t, &b);
	assert_string_equal(name_of(view, 1000), "alice");
	assert_string_equal(name_of(view, 1001), "bob:1001");
	assert_string_equal(name_of(view, 1002), "bob:1002");
	assert_string_equal(name_of(view, 1003), "1003");
	assert_string_equal(name_of(view, 1004), "1003:1004");
	assert_string_equal(name_of(view, 1005), "bob:1001:1005");
	assert_string_equal(name_of(view, 1006), "(other):1006");
	view_unref(view);
	builder_done(&b);
	tally_done(&t);
}

static void rows_are_marked(void **state)
{
	struct builder b = {0};
	struct tally t;
	struct view *view;
	struct scope *s;
	unsigned int others = 0, exported = 0;

	(void)state;
	tally_init(&t, 77);
	s = scopes_get(tally_table(&t, METRIC_PROGRAM), "big", 3);
	s->exported = true;
	ROW_SET(&s->sums, SCOPE_PSS, 5);
	scopes_get(tally_table(&t, METRIC_PROGRAM), "small", 5);
	/* Without members and without series: not in the image. */
	scopes_get(tally_table(&t, METRIC_PROGRAM), "gone", 4)->empty_ns = 1;
	assert_int_equal(compose_dropped(&t, METRIC_PROGRAM), 2);
	view = compose(&t, &b);
	assert_int_equal(view_count(view, METRIC_PROGRAM), 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct snapshot_scope *row = view_scope(view, METRIC_PROGRAM, i);

		others += (row->flags & SCOPE_OTHER) != 0;
		exported += (row->flags & SCOPE_EXPORTED) != 0;
		assert_string_not_equal(view_text(view, row->name), "gone");
	}
	assert_int_equal(others, 1);
	assert_int_equal(exported, 1);
	assert_int_equal(view_host(view)->created_ns, 77);
	assert_int_equal(view_host(view)->q[SCOPE_MEM_TOTAL], 1 << 30);
	assert_false(ROW_HAS(view_host(view), SCOPE_MEM_AVAILABLE));
	view_unref(view);
	builder_done(&b);
	tally_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(users_have_names_of_their_own),
		cmocka_unit_test(rows_are_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
