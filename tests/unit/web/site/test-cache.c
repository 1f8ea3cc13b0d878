/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the cache of response bodies: one rendering for each snapshot. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/snapshot/sample.h"
#include "web/site/cache.h"

static void renders_once(void **state)
{
	struct cache c = {0};

	(void)state;
	cache_replace(&c, sample_open(NULL));
	for (int i = 0; i < CACHE_BODIES; i++) {
		AUTO_BODY struct body *first = NULL, *second = NULL;

		assert_null(c.body[i]);
		assert_int_equal(cache_get(&c, (enum cache_body)i, &first), 0);
		assert_int_equal(cache_get(&c, (enum cache_body)i, &second), 0);
		assert_ptr_equal(first, second);
		assert_int_equal(first->refs, 3);
		assert_true(first->data.len > 100);
		assert_int_equal(first->data.capacity, first->data.len);
	}
	cache_done(&c);
}

/* A response that is being sent keeps its bytes when the next snapshot comes. */
static void outlives_its_snapshot(void **state)
{
	const struct sample_options next = {.sequence = 43};
	AUTO_BODY struct body *old = NULL, *new = NULL;
	struct cache c = {0};

	(void)state;
	cache_replace(&c, sample_open(NULL));
	assert_int_equal(cache_get(&c, CACHE_OWNERS + OWNER_USER, &old), 0);
	cache_replace(&c, sample_open(&next));
	assert_int_equal(c.view->header->sequence, 43);
	assert_null(c.body[CACHE_OWNERS + OWNER_USER]);
	assert_int_equal(old->refs, 1);
	assert_memory_equal(old->data.data, ",\"users\":[", 10);
	assert_int_equal(cache_get(&c, CACHE_OWNERS + OWNER_USER, &new), 0);
	assert_ptr_not_equal(old, new);
	cache_drop(&c);
	assert_non_null(c.view);
	assert_int_equal(new->refs, 1);
	cache_done(&c);
}

static void finds_bodies(void **state)
{
	const struct sample_options small = {.more = 400}, large = {.more = 600},
				    many = {.more = 600, .exported = 510};
	const struct sight all = {.kind = SIGHT_ALL}, exported = {.kind = SIGHT_EXPORTED},
			   own = {.kind = SIGHT_OWN, .uid = 1000};
	struct cache c = {0};

	(void)state;
	assert_int_equal(cache_metrics(PROMETHEUS_TEXT, false, true), CACHE_TEXT);
	assert_int_equal(cache_metrics(PROMETHEUS_TEXT, true, false), CACHE_SUMS_TEXT_GZIP);
	assert_int_equal(
		cache_metrics(PROMETHEUS_OPENMETRICS, false, false), CACHE_SUMS_OPENMETRICS);
	assert_int_equal(cache_metrics(PROMETHEUS_OPENMETRICS, true, true), CACHE_OPENMETRICS_GZIP);
	assert_int_equal(cache_list(METRIC_USER, &all), CACHE_OWNERS + OWNER_USER);
	assert_int_equal(cache_list(METRIC_USER, &exported), CACHE_OWNERS + OWNER_USER);
	assert_int_equal(cache_list(METRIC_PROCESS, &all), CACHE_PROCESSES);
	assert_int_equal(cache_list(METRIC_PROCESS, &exported), CACHE_EXPORTED);
	cache_replace(&c, sample_open(&small));
	assert_true(cache_keeps_list(&c, METRIC_PROCESS, &all));
	assert_true(cache_keeps_list(&c, METRIC_PROCESS, &exported));
	assert_false(cache_keeps_list(&c, METRIC_PROCESS, &own));
	assert_true(cache_keeps_list(&c, METRIC_USER, &own));
	cache_replace(&c, sample_open(&large));
	assert_false(cache_keeps_list(&c, METRIC_PROCESS, &all));
	assert_true(cache_keeps_list(&c, METRIC_PROCESS, &exported));
	assert_true(cache_keeps_list(&c, METRIC_USER, &all));
	cache_replace(&c, sample_open(&many));
	assert_false(cache_keeps_list(&c, METRIC_PROCESS, &exported));
	cache_done(&c);
}

static bool has_text(const struct body *body, const char *text)
{
	return memmem(body->data.data, body->data.len, text, strlen(text)) != NULL;
}

/* Bodies for clients that may not see processes are separate, in whatever order bodies are made. */
static void keeps_processes_apart(void **state)
{
	static const enum cache_body order[] = {CACHE_TEXT, CACHE_SUMS_TEXT, CACHE_SUMS_OPENMETRICS,
		CACHE_OPENMETRICS, CACHE_SUMS_TEXT, CACHE_TEXT};
	struct cache c = {0};

	(void)state;
	cache_replace(&c, sample_open(NULL));
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		AUTO_BODY struct body *body = NULL;

		assert_int_equal(cache_get(&c, order[i], &body), 0);
		assert_int_equal(
			has_text(body, "memtally_process_pss_bytes{"), order[i] < CACHE_SUMS_TEXT);
		assert_true(has_text(body, "memtally_user_pss_bytes{"));
		assert_int_equal(has_text(body, "# UNIT"),
			order[i] == CACHE_OPENMETRICS || order[i] == CACHE_SUMS_OPENMETRICS);
	}
	cache_done(&c);
}

/* A compressed body is the same whether or not the plain one was made before. */
static void compresses_the_same(void **state)
{
	static const enum cache_body zipped[] = {CACHE_TEXT_GZIP, CACHE_OPENMETRICS_GZIP,
		CACHE_SUMS_TEXT_GZIP, CACHE_SUMS_OPENMETRICS_GZIP};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(zipped); i++) {
		AUTO_BODY struct body *first = NULL, *second = NULL;
		struct cache c = {0};

		cache_replace(&c, sample_open(NULL));
		assert_int_equal(cache_get(&c, zipped[i], &first), 0);
		cache_drop(&c);
		for (size_t j = 0; j < ARRAY_SIZE(zipped); j++) {
			AUTO_BODY struct body *plain = NULL;

			assert_int_equal(
				cache_get(
					&c, (enum cache_body)(zipped[j] - CACHE_TEXT_GZIP), &plain),
				0);
		}
		assert_int_equal(cache_get(&c, zipped[i], &second), 0);
		assert_int_equal(first->data.len, second->data.len);
		assert_memory_equal(first->data.data, second->data.data, first->data.len);
		assert_int_equal(first->front.crc, second->front.crc);
		cache_done(&c);
	}
}

static void reports_lack_of_memory(void **state)
{
	(void)state;
	for (int i = 0; i < CACHE_BODIES; i++) {
		struct cache c = {0};
		bool failed = true;

		cache_replace(&c, sample_open(NULL));
		for (unsigned int n = 1; failed; n++) {
			struct body *body = NULL;
			int r;

			allocation_fail_at(n);
			r = cache_get(&c, (enum cache_body)i, &body);
			failed = allocation_end();
			assert_true(r == 0 || (failed && r == -ENOMEM));
			assert_int_equal(r == 0, body != NULL);
			body_unref(body);
			cache_drop(&c); /* so that the next round renders again */
		}
		cache_done(&c);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(renders_once),
		cmocka_unit_test(outlives_its_snapshot),
		cmocka_unit_test(finds_bodies),
		cmocka_unit_test(keeps_processes_apart),
		cmocka_unit_test(compresses_the_same),
		cmocka_unit_test(reports_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
