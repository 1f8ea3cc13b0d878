/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands in for surveyor.c in a build without inspect/: reads no smaps, so snapshots have no survey
 * of mapped files.
 */
#include "config.h"

#include "base/log.h"
#include "daemon/surveyor.h"

void surveyor_init(struct surveyor *s, struct pass *pass, uint64_t seed, uint64_t now_ns)
{
	(void)seed, (void)now_ns;
	*s = (struct surveyor){.pass = pass};
}

void surveyor_done(struct surveyor *s)
{
	(void)s;
}

void surveyor_set(struct surveyor *s, uint64_t interval_ns, uint32_t cpu_ppm, uint64_t now_ns)
{
	(void)cpu_ppm, (void)now_ns;
	if (interval_ns && interval_ns != s->interval_ns)
		log_warning(
			"files.interval has no effect: this build surveys no mapped files (it was "
			"configured with --disable-inspect)");
	s->interval_ns = interval_ns;
}

uint64_t surveyor_next_ns(const struct surveyor *s)
{
	(void)s;
	return UINT64_MAX;
}

int surveyor_turn(struct surveyor *s)
{
	(void)s;
	return 0;
}
