/* SPDX-License-Identifier: Apache-2.0 */
/* A small snapshot: the rows of the host and of memtallyd, and the few that a test adds. */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_SNAPSHOT_SMALL_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_SNAPSHOT_SMALL_H

#include "snapshot/builder.h"
#include "snapshot/view.h"
#include "tests/unit/support/unit.h"

struct small {
	struct builder builder; /* for more rows */
	/* zeroed rows of the image; valid until small_view() */
	struct snapshot_scope *host;
	struct snapshot_self *self;
};

/* Frees the memory of S. */
static inline void small_done(struct small *s)
{
	builder_done(&s->builder);
}
#define AUTO_SMALL CLEANUP(small_done)

/* Begins an image in S, which starts zeroed. If there is no memory, the test fails. */
static inline void small_begin(struct small *s)
{
	builder_begin(&s->builder);
	s->host = builder_add_scope(&s->builder, METRIC_HOST);
	s->self = builder_add_self(&s->builder);
	assert_true(s->host && s->self);
}

/*
 * Seals the rows of B and returns a view of the image, which the caller unrefs. HEAD is as for
 * builder_seal(); NULL: the first image, with the time 0 and an interval of 1 ns. If the image is
 * invalid, the test fails.
 */
static inline struct view *small_view(struct builder *b, const struct image_header *head)
{
	static const struct image_header first = {.sequence = 1, .interval_ns = 1, .stale_ns = 1};
	struct view *view = NULL;
	AUTO_CLOSE int fd = -1;
	const char *reason = "";

	assert_int_equal(builder_seal(b, head ? head : &first, &fd), 0);
	if (view_open(fd, &view, &reason) < 0)
		fail_msg("%s", reason);
	return view;
}

#endif
