/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/ledger/feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/os/userns.h"
#include "snapshot/builder.h"
#include "snapshot/owner.h"

#define AHEAD_NS (1000 * NS_PER_SEC)

enum { CROWD_NUMBER = 100000 }; /* number of the first owner of a crowd; no other owner has it */

void feed_init(struct feed *f)
{
	*f = (struct feed){
		.monotonic_ns = AHEAD_NS,
		.realtime_ns = FEED_START_S * NS_PER_SEC,
		.interval_ns = 10 * NS_PER_SEC,
		.userns = USERNS_INITIAL,
	};
}

struct feed_owner *feed_add(
	struct feed *f, enum usage_kind kind, uint32_t number, const char *name, const char *user)
{
	struct feed_owner *o = &f->owner[f->owners++];

	if (f->owners > FEED_OWNERS)
		abort();
	*o = (struct feed_owner){.kind = kind, .number = number, .name = name, .user = user};
	return o;
}

void feed_set(struct feed_owner *o, uint64_t pss_bytes, uint64_t processes)
{
	o->pss_bytes = pss_bytes;
	o->processes = processes;
}

void feed_restart(struct feed *f)
{
	f->instance++;
	f->sequence = 0;
	f->created_ns = f->realtime_ns;
	for (unsigned int i = 0; i < f->owners; i++) {
		f->owner[i].has_row = false;
		f->owner[i].last_pss_bytes = 0;
		f->owner[i].byte_s = 0;
	}
	f->crowd.has_row = false;
}

void feed_rename(struct feed *f)
{
	f->crowd.generation++;
	f->crowd.has_row = false;
}

void feed_wait(struct feed *f, double seconds)
{
	uint64_t ns = (uint64_t)(seconds * (double)NS_PER_SEC + 0.5);

	f->monotonic_ns += ns;
	f->realtime_ns += ns;
	for (unsigned int i = 0; i < f->owners; i++) {
		struct feed_owner *o = &f->owner[i];

		o->true_byte_s += (double)o->pss_bytes * seconds;
		o->true_swap_byte_s += (double)o->swap_bytes * seconds;
		o->true_process_s += (double)o->processes * seconds;
	}
}

void feed_suspend(struct feed *f, double seconds)
{
	f->suspended_ns += (uint64_t)(seconds * NS_PER_SEC);
	f->realtime_ns += (uint64_t)(seconds * NS_PER_SEC);
}

int64_t feed_now_s(const struct feed *f)
{
	return (int64_t)(f->realtime_ns / NS_PER_SEC);
}

/*
 * Integrates as collectors/owners/owner-sums.c does. An owner without processes loses its row, and
 * so what the last step would have added.
 */
static void integrate(struct feed *f, struct feed_owner *o)
{
	double seconds = (double)(f->monotonic_ns - f->last_ns) / (double)NS_PER_SEC;

	if (!o->processes) {
		o->has_row = false;
		o->last_pss_bytes = 0;
		o->byte_s = 0;
		return;
	}
	if (!o->has_row) {
		o->has_row = true;
		o->created_ns = f->realtime_ns;
		o->byte_s = 0;
		o->last_pss_bytes = 0;
	}
	if (f->sequence > 1)
		o->byte_s += ((double)o->last_pss_bytes + (double)o->pss_bytes) * seconds / 2;
	o->last_pss_bytes = o->pss_bytes;
}

static void add_owner(struct builder *b, const struct feed_owner *o)
{
	enum metric_scope scope = metric_owner_scope(usage_owner(o->kind));
	uint32_t name = builder_add_text(b, o->name, strlen(o->name));
	uint32_t user = *o->user ? builder_add_text(b, o->user, strlen(o->user)) : 0;
	struct snapshot_scope *row = builder_add_scope(b, scope);

	if (!row)
		abort();
	row->name = name;
	row->user = user;
	row->id = o->number;
	row->created_ns = o->created_ns;
	row->flags = SCOPE_EXPORTED;
	if (!o->is_denied) {
		ROW_SET(row, SCOPE_PSS, o->pss_bytes);
		ROW_SET(row, SCOPE_SWAP_PSS, o->swap_bytes);
	}
	ROW_SET(row, SCOPE_PROCESSES, o->processes);
	ROW_SET(row, SCOPE_PSS_BYTE_SECONDS, metric_real_bits(o->byte_s));
}

static void add_crowd(struct feed *f, struct builder *b)
{
	struct feed_crowd *c = &f->crowd;
	double seconds = (double)(f->monotonic_ns - f->last_ns) / (double)NS_PER_SEC;
	char name[SNAPSHOT_NAME_MAX + 1];

	if (!c->has_row) {
		c->byte_s = 0;
		c->created_ns = f->realtime_ns;
	}
	/* Members of a new crowd rise from 0: the trapezoid has half the area. */
	if (f->sequence > 1)
		c->byte_s += (double)c->pss_bytes * seconds / (c->has_row ? 1 : 2);
	c->has_row = true;
	memset(name, '-', sizeof(name));
	for (unsigned int i = 0; i < c->count; i++) {
		int n = snprintf(name, sizeof(name), "crowd-%u-%u", c->generation, i);
		struct feed_owner o = {.kind = c->kind,
			.number = CROWD_NUMBER + i,
			.name = name,
			.user = "",
			.pss_bytes = c->pss_bytes,
			.processes = 1,
			.created_ns = c->created_ns,
			.byte_s = c->byte_s};

		if ((size_t)n < c->name_bytes) {
			name[n] = '-';
			name[c->name_bytes] = '\0';
		}
		add_owner(b, &o);
	}
}

static int seal(struct feed *f, struct builder *b)
{
	struct image_header head = {
		.sequence = f->sequence,
		.flags = IMAGE_COMPLETE,
		.realtime_ns = f->realtime_ns,
		.boottime_ns = f->monotonic_ns + f->suspended_ns,
		.interval_ns = f->interval_ns,
		.userns = f->userns,
	};
	int fd, r;

	memset(head.instance, f->instance, sizeof(head.instance));
	head.stale_ns = head.boottime_ns + 3 * head.interval_ns;
	head.pass_begin_ns = head.boottime_ns;
	r = builder_seal(b, &head, &fd);
	if (r == 0)
		return fd;
	fprintf(stderr, "feed: cannot be built: %s\n", strerror(-r));
	exit(99);
}

int feed_image(struct feed *f)
{
	struct builder b = {0};
	struct snapshot_scope *host;
	int fd;

	f->sequence++;
	builder_begin(&b);
	host = builder_add_scope(&b, METRIC_HOST);
	if (!host || !builder_add_self(&b))
		abort();
	host->created_ns = f->created_ns;
	for (unsigned int i = 0; i < f->owners; i++) {
		integrate(f, &f->owner[i]);
		if (f->owner[i].has_row)
			add_owner(&b, &f->owner[i]);
	}
	if (f->crowd.count)
		add_crowd(f, &b);
	f->last_ns = f->monotonic_ns;
	fd = seal(f, &b);
	builder_done(&b);
	return fd;
}

struct view *feed_pass(struct feed *f)
{
	AUTO_CLOSE int fd = feed_image(f);
	const char *reason;
	struct view *view;

	if (view_open(fd, &view, &reason) == 0)
		return view;
	fprintf(stderr, "feed: %s\n", reason);
	exit(99);
}
