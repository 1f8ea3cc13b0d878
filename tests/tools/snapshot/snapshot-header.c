/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot-header SOCKET NAME...: prints the values NAME of memtallyd's current snapshot, one on
 * each line
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "snapshot/client.h"

static uint64_t self_count(const struct view *v, unsigned int i)
{
	return view_self(v)->q[i];
}

/* Finds the value of NAME. Returns false if there is no such name. */
static bool find(const struct view *v, const char *name, uint64_t *ret)
{
	const struct {
		const char *name;
		uint64_t value;
	} facts[] = {
		{"sequence", v->header->sequence},
		{"interval_ns", v->header->interval_ns},
		{"complete", view_is_complete(v)},
		{"public", view_is_public(v)},
		{"flags", view_self(v)->flags},
		{"processes", view_count(v, METRIC_PROCESS)},
		{"users", view_count(v, METRIC_USER)},
		{"open_fds", self_count(v, SELF_OPEN_FDS)},
		{"resident", self_count(v, SELF_RESIDENT)},
		{"cpu_ns", self_count(v, SELF_CPU)},
	};

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		if (!strcmp(facts[i].name, name)) {
			*ret = facts[i].value;
			return true;
		}
	for (unsigned int i = 0; i < OUTCOME_COUNT_; i++)
		if (!strcmp(metric_outcome_name(i), name)) {
			*ret = self_count(v, snapshot_outcome_count((enum process_outcome)i));
			return true;
		}
	return false;
}

int main(int argc, char *argv[])
{
	AUTO_VIEW struct view *view = NULL;
	const char *reason;

	if (argc < 3 || client_fetch(argv[1], 30000, &view, &reason) < 0) {
		fprintf(stderr, "snapshot-header: %s\n", argc < 3 ? "usage" : reason);
		return 1;
	}
	for (int i = 2; i < argc; i++) {
		uint64_t value;

		if (!find(view, argv[i], &value)) {
			fprintf(stderr, "snapshot-header: there is no %s\n", argv[i]);
			return 1;
		}
		printf("%" PRIu64 "\n", value);
	}
	return 0;
}
