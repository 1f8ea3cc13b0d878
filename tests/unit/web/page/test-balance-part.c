/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/page/balance-part.h: the balance sheet on the page. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "snapshot/balance.h"
#include "tests/unit/support/snapshot/sample.h"
#include "web/page/balance-part.h"

static char *render(const struct view *view)
{
	struct buffer b = {0};

	balance_part_render(view, &b);
	buffer_add_char(&b, 0);
	assert_int_equal(b.error, 0);
	return b.data;
}

/* Returns the number of rows of TEXT with line NAME. */
static size_t groups_with(const char *text, const char *name)
{
	static const char attribute[] = "data-lines=\"";
	size_t found = 0;

	while ((text = strstr(text, attribute))) {
		text += strlen(attribute);
		while (*text != '"') {
			size_t len = strcspn(text, "\" ");

			found += len == strlen(name) && !memcmp(text, name, len);
			text += len + (text[len] == ' ');
		}
	}
	return found;
}

/* Each line of the sheet is in exactly one group, and has a row of its own. */
static void has_each_line_once(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_FREE char *text = render(view);
	char *details = strstr(text, "<details>");

	(void)state;
	assert_non_null(details);
	*details++ = 0;
	for (unsigned int n = 0; n < BALANCE_KINDS; n++) {
		const struct balance_kind *kind = balance_kind(n);
		bool is_known = ROW_HAS(view_balance(view), kind->line);
		char row[100];

		snprintf(row, sizeof(row), "<tr%s data-lines=\"%s\">", is_known ? "" : " hidden",
			kind->name);
		assert_int_equal(groups_with(text, kind->name), 1);
		assert_non_null(strstr(details, row));
	}
}

/* An unknown line has a hidden row without an amount: the script shows the row when it gets one. */
static void hides_unknown_lines(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	struct snapshot_balance row = *view_balance(view);
	AUTO_FREE char *text = NULL;

	(void)state;
	row.present &= ~(UINT64_C(1) << BALANCE_HUGETLB | UINT64_C(1) << BALANCE_RESIDUAL);
	view->section[SECTION_BALANCE].data = (const void *)&row;
	text = render(view);
	assert_non_null(strstr(text, "<tr hidden data-lines=\"hugetlb\"><th scope=\"row\"><svg"));
	assert_non_null(strstr(text, "<tr hidden data-lines=\"hugetlb\"><th scope=\"row\"><code>"));
	assert_non_null(strstr(text, "<tr hidden data-lines=\"residual\">"));
	assert_non_null(strstr(text,
		"in pools, used or not</span></th><td class=\"number\">\u2013</td><td class=\"number\"></td>"));
}

/* The sample's residual is negative: it is shown as what it is. */
static void shows_negative_residual(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_FREE char *text = render(view);

	(void)state;
	assert_true((int64_t)view_balance(view)->q[BALANCE_RESIDUAL] < 0);
	assert_non_null(strstr(text, "Not accounted for"));
	assert_non_null(strstr(text, "<td class=\"number\">\xe2\x88\x92"));
}

static void has_no_figures_without_a_sheet(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_FREE char *text = NULL;

	(void)state;
	view->section[SECTION_BALANCE].data = NULL;
	text = render(view);
	assert_non_null(strstr(text, "The balance sheet of the host is not known."));
	assert_null(strstr(text, "<table"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_each_line_once),
		cmocka_unit_test(hides_unknown_lines),
		cmocka_unit_test(shows_negative_residual),
		cmocka_unit_test(has_no_figures_without_a_sheet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
