/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of snapshot/metric.h: the metric table. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <ctype.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "snapshot/metric.h"
#include "snapshot/record.h"
#include "snapshot/sums.h"

static const unsigned int quantities[METRIC_SCOPES] = {
	[METRIC_HOST... METRIC_OWNERS_END - 1] = SCOPE_QUANTITIES,
	[METRIC_PROCESS] = PROCESS_QUANTITIES,
	[METRIC_SELF] = SELF_QUANTITIES,
	[METRIC_BALANCE] = BALANCE_QUANTITIES,
	[METRIC_SURVEY] = SURVEY_QUANTITIES,
	[METRIC_FILE] = FILE_QUANTITIES,
	[METRIC_SHMEM] = SHMEM_QUANTITIES,
	[METRIC_TMPFS] = TMPFS_QUANTITIES,
};

/* Each quantity of a row is in the table exactly once. */
static void has_each_quantity_once(void **state)
{
	(void)state;
	for (int scope = 0; scope < METRIC_SCOPES; scope++) {
		size_t count;
		const struct metric *m = metric_table((enum metric_scope)scope, &count);
		uint64_t seen = 0;

		for (size_t i = 0; i < count; i++) {
			assert_true(m[i].index < quantities[scope]);
			assert_false(seen >> m[i].index & 1);
			seen |= UINT64_C(1) << m[i].index;
		}
		assert_int_equal(seen, UINT64_MAX >> (64 - quantities[scope]));
	}
}

static bool is_name(const char *name)
{
	if (!islower((unsigned char)*name))
		return false;
	for (; *name; name++)
		if (!islower((unsigned char)*name) && !isdigit((unsigned char)*name) &&
			*name != '_')
			return false;
	return true;
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

/* Requirements of promtool and OpenMetrics for every name. */
static void names_are_well_formed(void **state)
{
	(void)state;
	for (int scope = 0; scope < METRIC_SCOPES; scope++) {
		size_t count;
		const struct metric *m = metric_table((enum metric_scope)scope, &count);

		for (size_t i = 0; i < count; i++) {
			char name[METRIC_NAME_SIZE], family[METRIC_NAME_SIZE],
				field[METRIC_NAME_SIZE];

			metric_name(&m[i], (enum metric_scope)scope, false, name);
			metric_name(&m[i], (enum metric_scope)scope, true, family);
			metric_field(&m[i], field);
			assert_true(is_name(name) && is_name(field));
			assert_true(strlen(name) < METRIC_NAME_SIZE - 1);
			assert_true(!strncmp(name, "memtally_", 9));
			assert_int_equal(ends_with(name, "_total"), m[i].type == METRIC_COUNTER);
			assert_false(ends_with(family, "_total"));
			if (m[i].unit)
				assert_true(ends_with(family, m[i].unit));
			assert_int_equal(m[i].kind == METRIC_NANOSECONDS,
				m[i].unit && !strcmp(m[i].unit, "seconds"));
			assert_int_equal(m[i].label != NULL, m[i].value != NULL);
			assert_int_not_equal(
				m[i].flags & (METRIC_IN_JSON | METRIC_IN_PROMETHEUS), 0);
		}
	}
}

static void help_is_a_sentence(void **state)
{
	(void)state;
	for (int scope = 0; scope < METRIC_SCOPES; scope++) {
		size_t count;
		const struct metric *m = metric_table((enum metric_scope)scope, &count);

		for (size_t i = 0; i < count; i++) {
			assert_true(isupper((unsigned char)m[i].help[0]));
			assert_true(ends_with(m[i].help, "."));
			assert_null(strchr(m[i].help, '\n'));
		}
	}
}

/* Rows of a family are adjacent and agree. A family without a label has one row. */
static void families_are_adjacent(void **state)
{
	(void)state;
	for (int scope = 0; scope < METRIC_SCOPES; scope++) {
		size_t count;
		const struct metric *m = metric_table((enum metric_scope)scope, &count);

		for (size_t i = 0; i < count; i++)
			for (size_t k = i + 1; k < count; k++) {
				char a[METRIC_NAME_SIZE], b[METRIC_NAME_SIZE];
				bool same;

				metric_name(&m[i], (enum metric_scope)scope, true, a);
				metric_name(&m[k], (enum metric_scope)scope, true, b);
				same = !strcmp(a, b);
				metric_field(&m[i], a);
				metric_field(&m[k], b);
				assert_int_equal(!strcmp(a, b), same);
				if (!same)
					continue;
				metric_field(&m[k - 1], b);
				assert_string_equal(a, b);
				assert_non_null(m[i].label);
				assert_string_equal(m[i].label, m[k].label);
				assert_string_not_equal(m[i].value, m[k].value);
				assert_string_equal(m[i].help, m[k].help);
				assert_int_equal(m[i].type, m[k].type);
				assert_int_equal(m[i].flags, m[k].flags);
			}
	}
}

static bool has_name(enum metric_scope scope, const char *wanted, unsigned int flags)
{
	size_t count;
	const struct metric *m = metric_table(scope, &count);

	for (size_t i = 0; i < count; i++) {
		char name[METRIC_NAME_SIZE];

		if (flags == METRIC_IN_PROMETHEUS)
			metric_name(&m[i], scope, false, name);
		else
			metric_field(&m[i], name);
		if ((m[i].flags & flags) && metric_applies(&m[i], scope) && !strcmp(name, wanted))
			return true;
	}
	return false;
}

/* The published names. Names may be added, never removed. */
static void published_names_stay(void **state)
{
	static const char *const of_scopes[] = {"pss_bytes", "pss_low_bytes", "pss_high_bytes",
		"uss_bytes", "rss_bytes", "swap_pss_bytes", "vm_swap_bytes", "hugetlb_bytes",
		"pagetable_bytes", "processes", "unmeasured_processes", "vm_hwm_max_bytes",
		"vm_hwm_growth_bytes_total", "vm_swap_growth_bytes_total",
		"pss_byte_seconds_total"};
	static const char *const of_processes[] = {"pss_bytes", "pss_low_bytes", "pss_high_bytes",
		"pss_anon_bytes", "pss_file_bytes", "pss_shmem_bytes", "uss_bytes", "rss_bytes",
		"swap_pss_bytes", "vm_swap_bytes", "vm_hwm_bytes", "vm_peak_bytes", "vm_size_bytes",
		"vm_data_bytes", "vm_pte_bytes", "start_time_seconds", "pss_age_seconds"};
	static const char *const in_json_only[] = {"age_seconds", "vm_lck_bytes", "vm_pin_bytes",
		"vm_stk_bytes", "vm_exe_bytes", "vm_lib_bytes", "rss_anon_bytes", "rss_file_bytes",
		"rss_shmem_bytes"};
	static const char *const of_self[] = {"memtally_last_pass_duration_seconds",
		"memtally_processes", "memtally_collector_cpu_seconds_total",
		"memtally_collector_resident_memory_bytes", "memtally_collector_open_fds",
		"memtally_collector_max_fds", "memtally_collector_start_time_seconds"};
	char name[METRIC_NAME_SIZE];

	(void)state;
	for (int scope = METRIC_HOST; scope < METRIC_OWNERS_END; scope++)
		for (size_t i = 0; i < ARRAY_SIZE(of_scopes); i++) {
			snprintf(name, sizeof(name), "memtally_%s_%s",
				metric_scope_name((enum metric_scope)scope), of_scopes[i]);
			assert_true(has_name((enum metric_scope)scope, name, METRIC_IN_PROMETHEUS));
			assert_true(
				has_name((enum metric_scope)scope, of_scopes[i], METRIC_IN_JSON));
		}
	for (size_t i = 0; i < ARRAY_SIZE(of_processes); i++) {
		snprintf(name, sizeof(name), "memtally_process_%s", of_processes[i]);
		assert_true(has_name(METRIC_PROCESS, name, METRIC_IN_PROMETHEUS));
	}
	for (size_t i = 0; i < ARRAY_SIZE(in_json_only); i++)
		assert_true(has_name(METRIC_PROCESS, in_json_only[i], METRIC_IN_JSON));
	for (size_t i = 0; i < ARRAY_SIZE(of_self); i++)
		assert_true(has_name(METRIC_SELF, of_self[i], METRIC_IN_PROMETHEUS));
}

static void only_the_host_has_mem_total(void **state)
{
	(void)state;
	assert_true(has_name(METRIC_HOST, "memtally_host_mem_total_bytes", METRIC_IN_PROMETHEUS));
	assert_true(
		has_name(METRIC_HOST, "memtally_host_mem_available_bytes", METRIC_IN_PROMETHEUS));
	for (int scope = METRIC_USER; scope < METRIC_OWNERS_END; scope++) {
		assert_false(has_name((enum metric_scope)scope, "mem_total_bytes", METRIC_IN_JSON));
		assert_null(metric_find_field((enum metric_scope)scope, "mem_total_bytes"));
		assert_null(metric_find_field((enum metric_scope)scope, "mem_available_bytes"));
	}
}

/* Only owners that are cgroups have charges and counters of the kernel. */
static void only_cgroups_are_charged(void **state)
{
	static const char *const names[] = {"cgroup_bytes", "cgroup_anon_bytes",
		"cgroup_file_bytes", "cgroup_shmem_bytes", "cgroup_kernel_bytes",
		"cgroup_swap_bytes", "cgroup_peak_bytes", "cgroup_high_events_total",
		"cgroup_max_events_total", "oom_kills_total", "memory_waiting_seconds_total",
		"memory_stalled_seconds_total"};
	char name[METRIC_NAME_SIZE];

	(void)state;
	for (int scope = 0; scope < METRIC_SCOPES; scope++)
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			bool is_cgroup = scope == METRIC_UNIT || scope == METRIC_USER_UNIT ||
			                 scope == METRIC_SESSION || scope == METRIC_SLICE ||
			                 scope == METRIC_MACHINE || scope == METRIC_POD ||
			                 scope == METRIC_CONTAINER;

			/* The host has the last ones, too. */
			is_cgroup |= scope == METRIC_HOST && i >= ARRAY_SIZE(names) - 3;
			snprintf(name, sizeof(name), "memtally_%s_%s",
				metric_scope_name((enum metric_scope)scope), names[i]);
			assert_int_equal(
				has_name((enum metric_scope)scope, name, METRIC_IN_PROMETHEUS),
				is_cgroup);
			assert_int_equal(
				metric_find_field((enum metric_scope)scope, names[i]) != NULL,
				is_cgroup);
		}
	assert_non_null(metric_find_field(METRIC_UNIT, "cgroup_age_seconds"));
	assert_false(metric_is_exposed(
		metric_find_field(METRIC_UNIT, "cgroup_age_seconds"), METRIC_UNIT));
}

static void finds_fields(void **state)
{
	(void)state;
	for (int scope = 0; scope < METRIC_SCOPES; scope++) {
		size_t count;
		const struct metric *m = metric_table((enum metric_scope)scope, &count);

		for (size_t i = 0; i < count; i++) {
			char field[METRIC_NAME_SIZE];
			bool expected = !m[i].label && (m[i].flags & METRIC_IN_JSON) &&
			                metric_applies(&m[i], (enum metric_scope)scope);

			metric_field(&m[i], field);
			assert_ptr_equal(metric_find_field((enum metric_scope)scope, field),
				expected ? &m[i] : NULL);
		}
	}
	assert_null(metric_find_field(METRIC_PROCESS, ""));
	assert_null(metric_find_field(METRIC_PROCESS, "pss"));
	assert_null(metric_find_field(METRIC_PROCESS, "pss_age_seconds"));
}

static void gets_present_values(void **state)
{
	struct snapshot_process row = {0};
	const struct metric *pss = metric_find_field(METRIC_PROCESS, "pss_bytes");
	const struct metric *last = metric_find_field(METRIC_PROCESS, "vm_swap_growth_bytes");
	uint64_t v = 777;

	(void)state;
	row.q[PROCESS_PSS] = 5;
	assert_false(metric_get(pss, row.present, row.q, &v));
	assert_int_equal(v, 777);
	ROW_SET(&row, PROCESS_PSS, 0);
	assert_true(metric_get(pss, row.present, row.q, &v));
	assert_int_equal(v, 0);
	assert_false(metric_get(last, row.present, row.q, &v));
	ROW_SET(&row, PROCESS_VM_SWAP_GROWTH, 6);
	assert_true(metric_get(last, row.present, row.q, &v));
	assert_int_equal(v, 6);
}

static void reals_keep_every_bit(void **state)
{
	static const double values[] = {0, 1, 0.1, 1e300, 5e-324};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		assert_true(metric_real(metric_real_bits(values[i])) == values[i]);
	assert_int_equal(metric_real_bits(1), UINT64_C(0x3ff0000000000000));
}

static void enumerations_have_names(void **state)
{
	static const char *const sources[] = {"none", "rollup", "smaps", "rss", "estimate"};
	static const char *const outcomes[] = {"measured", "denied", "gone", "no-mm", "malformed",
		"changing", "shared-mm", "error", "blocked"};

	(void)state;
	assert_int_equal(ARRAY_SIZE(sources), SOURCE_COUNT_);
	assert_int_equal(ARRAY_SIZE(outcomes), OUTCOME_COUNT_);
	for (unsigned int i = 0; i < SOURCE_COUNT_; i++)
		assert_string_equal(metric_source_name(i), sources[i]);
	for (unsigned int i = 0; i < OUTCOME_COUNT_; i++)
		assert_string_equal(metric_outcome_name(i), outcomes[i]);
	assert_string_equal(metric_source_name(SOURCE_COUNT_), "none");
	assert_string_equal(metric_outcome_name(UINT32_MAX), "error");
}

/*
 * Each label of memtally_processes is the name of the outcome counted there, except for those that
 * are no measurement.
 */
static void outcome_labels_are_outcome_names(void **state)
{
	size_t count;
	const struct metric *m = metric_table(METRIC_SELF, &count);

	(void)state;
	for (unsigned int outcome = 0; outcome < OUTCOME_COUNT_; outcome++) {
		unsigned int rows = 0;

		for (size_t i = 0; i < count; i++) {
			if (!m[i].label || strcmp(m[i].label, "outcome") != 0 ||
				m[i].index != snapshot_outcome_count((enum process_outcome)outcome))
				continue;
			assert_string_equal(m[i].what, "processes");
			assert_string_equal(m[i].value, metric_outcome_name(outcome));
			rows++;
		}
		assert_int_equal(rows, 1);
	}
}

/*
 * Each label of the unmeasured processes and of their RSS is the name of the outcome counted
 * there.
 */
static void reason_labels_are_outcome_names(void **state)
{
	size_t count, rows = 0;
	const struct metric *m = metric_table(METRIC_HOST, &count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const struct sums_reason *reason = NULL;

		if (!m[i].label || strcmp(m[i].label, "reason") != 0)
			continue;
		for (size_t k = 0; k < SUMS_REASONS; k++)
			if (m[i].index == sums_reason(k)->count ||
				m[i].index == sums_reason(k)->rss)
				reason = sums_reason(k);
		assert_non_null(reason);
		assert_string_equal(m[i].value, metric_outcome_name(reason->outcome));
		rows++;
	}
	assert_int_equal(rows, 2 * SUMS_REASONS);
}

static void histogram_bounds_ascend(void **state)
{
	(void)state;
	for (unsigned int id = 0; id < HISTOGRAM_COUNT_; id++) {
		const struct metric_histogram *h = metric_histogram(id);

		assert_non_null(h);
		assert_true(is_name(h->name) && ends_with(h->name, h->unit));
		assert_true(h->bounds[0] > 0);
		for (size_t i = 1; i < HISTOGRAM_BUCKETS - 1; i++)
			assert_true(h->bounds[i] > h->bounds[i - 1]);
	}
	assert_null(metric_histogram(HISTOGRAM_COUNT_));
}

/* Bounds are inclusive ("le"). */
static void values_are_counted_in_their_buckets(void **state)
{
	const struct metric_histogram *h = metric_histogram(HISTOGRAM_PASS_DURATION);

	(void)state;
	assert_int_equal(metric_histogram_bucket(h, 0), 0);
	for (size_t i = 0; i < HISTOGRAM_BUCKETS - 1; i++) {
		uint64_t ns = (uint64_t)(h->bounds[i] * (double)NS_PER_SEC + 0.5);

		assert_int_equal(metric_histogram_bucket(h, ns), i);
		assert_int_equal(metric_histogram_bucket(h, ns + 1), i + 1);
	}
	assert_int_equal(metric_histogram_bucket(h, UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_each_quantity_once),
		cmocka_unit_test(names_are_well_formed),
		cmocka_unit_test(help_is_a_sentence),
		cmocka_unit_test(families_are_adjacent),
		cmocka_unit_test(published_names_stay),
		cmocka_unit_test(only_the_host_has_mem_total),
		cmocka_unit_test(only_cgroups_are_charged),
		cmocka_unit_test(finds_fields),
		cmocka_unit_test(gets_present_values),
		cmocka_unit_test(reals_keep_every_bit),
		cmocka_unit_test(enumerations_have_names),
		cmocka_unit_test(outcome_labels_are_outcome_names),
		cmocka_unit_test(reason_labels_are_outcome_names),
		cmocka_unit_test(histogram_bounds_ascend),
		cmocka_unit_test(values_are_counted_in_their_buckets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
