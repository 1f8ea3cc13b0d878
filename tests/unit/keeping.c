/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "tests/unit/keeping.h"

#include <math.h>

void keeping_begin(struct keeping *k)
{
	*k = (struct keeping){.limits = {.slots = {864, 1488, 732}, .bytes = 64 * MIB}};
	snprintf(k->dir, sizeof(k->dir), "%s/memtally-ledger-XXXXXX",
		access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	assert_non_null(mkdtemp(k->dir));
	snprintf(k->path, sizeof(k->path), "%s/" STORE_FILE, k->dir);
}

void keeping_end(struct keeping *k)
{
	struct dirent *entry;
	DIR *dir = opendir(k->dir);

	while (dir && (entry = readdir(dir))) {
		char path[320];

		snprintf(path, sizeof(path), "%s/%s", k->dir, entry->d_name);
		unlink(path);
	}
	if (dir)
		closedir(dir);
	rmdir(k->dir);
}

void keeping_start(struct feed *f)
{
	feed_init(f);
	feed_restart(f);
}

void keeping_run(struct feed *f, double seconds, void (*take)(void *context), void *context)
{
	for (unsigned int at = 0; at < seconds; at += 10) {
		feed_wait(f, 10);
		take(context);
	}
}

void keeping_check_near(double found, double expected, double part)
{
	if (fabs(found - expected) > part * expected + 2)
		fail_msg("%.0f is not %.0f", found, expected);
}
