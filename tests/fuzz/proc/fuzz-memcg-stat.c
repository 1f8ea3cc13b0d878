/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "collectors/procfs/cgroup/memcg-stat.h"

/* Present values are numbers of bytes. A refused text leaves no value. */
static void check(int r, const struct memcg_stat *c)
{
	fuzz_check(r == 0 || r == -EBADMSG);
	fuzz_check(r == 0 || !c->present);
	fuzz_check(c->present >> MEMCG_STAT_FIELDS == 0);
	for (unsigned int i = 0; i < MEMCG_STAT_FIELDS; i++)
		fuzz_check(c->q[i] <= INT64_MAX);
}

/* Fuzzes the parsers of the memory controller's files. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct memcg_stat v1 = {0}, v2 = {0}, value = {0}, events = {0}, oom_control = {0};

	check(memcg_stat_parse_stat(text, size, MEMCG_STAT_V1, &v1), &v1);
	check(memcg_stat_parse_stat(text, size, MEMCG_STAT_V2, &v2), &v2);
	check(memcg_stat_parse_events(text, size, MEMCG_STAT_V2, &events), &events);
	check(memcg_stat_parse_events(text, size, MEMCG_STAT_V1, &oom_control), &oom_control);
	check(memcg_stat_parse_value(text, size, MEMCG_STAT_TOTAL, &value), &value);
	return 0;
}
