/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "snapshot/restrict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot/builder.h"

struct restriction {
	const struct view *view;
	struct builder builder;
	uint32_t *text; /* by reference in .view: the reference in .builder; 0: not added yet */
};

static void restriction_done(struct restriction *r)
{
	builder_done(&r->builder);
	free(r->text);
}

/* Changes *REF, a text of the view, to the same text of the new image. */
static void move_text(struct restriction *r, uint32_t *ref)
{
	uint32_t *to = &r->text[*ref];

	if (*ref && !*to) {
		const char *text = view_text(r->view, *ref);

		*to = builder_add_text(&r->builder, text, strlen(text));
	}
	*ref = *to;
}

/* Leaves out of the mask PRESENT the quantities from KNOWN on: the new row has no room for them. */
static void mask_unknown(uint64_t *present, unsigned int known)
{
	if (known < 64)
		*present &= (UINT64_C(1) << known) - 1;
}

static int restrict_add_scopes(struct restriction *r, enum metric_scope scope)
{
	for (uint32_t i = 0; i < view_count(r->view, scope); i++) {
		struct snapshot_scope *row = builder_add_scope(&r->builder, scope);

		if (!row)
			return -ENOMEM;
		memcpy(row, view_scope(r->view, scope, i), sizeof(*row));
		mask_unknown(&row->present, SCOPE_QUANTITIES);
		move_text(r, &row->name);
		move_text(r, &row->above);
		move_text(r, &row->user);
	}
	return 0;
}

static int add_processes(struct restriction *r, const struct sight *sight)
{
	for (uint32_t i = 0; i < view_count(r->view, METRIC_PROCESS); i++) {
		const struct snapshot_process *from = view_process(r->view, i);
		struct snapshot_process *row;

		if (!sight_has(sight, from))
			continue;
		row = builder_add_process(&r->builder);
		if (!row)
			return -ENOMEM;
		memcpy(row, from, sizeof(*row));
		mask_unknown(&row->present, PROCESS_QUANTITIES);
		for (unsigned int kind = 0; kind < OWNERS_MAX; kind++)
			if (kind < OWNER_KINDS)
				move_text(r, &row->owner[kind]);
			else
				row->owner[kind] = 0;
	}
	return 0;
}

static int restrict_add_holdings(struct restriction *r)
{
	for (uint32_t i = 0; i < view_holding_count(r->view); i++) {
		const struct snapshot_holding *from = view_holding(r->view, i);
		struct snapshot_holding *row;

		if (from->kind >= HOLDING_KINDS)
			continue; /* from a newer minor version */
		row = builder_add_holding(&r->builder);
		if (!row)
			return -ENOMEM;
		memcpy(row, from, sizeof(*row));
		mask_unknown(&row->present, HOLDING_QUANTITIES);
		move_text(r, &row->name);
	}
	return 0;
}

static int add_histograms(struct restriction *r)
{
	for (uint32_t i = 0; i < r->view->section[SECTION_HISTOGRAMS].count; i++) {
		struct snapshot_histogram *row = builder_add_histogram(&r->builder);

		if (!row)
			return -ENOMEM;
		memcpy(row, view_histogram(r->view, i), sizeof(*row));
	}
	return 0;
}

/* Adds the rows of kinds with one row at most. */
static int add_single_rows(struct restriction *r)
{
	const struct snapshot_balance *balance = view_balance(r->view);
	const struct snapshot_survey *survey = view_survey(r->view);
	struct snapshot_self *self = builder_add_self(&r->builder);
	struct snapshot_balance *to_balance = balance ? builder_add_balance(&r->builder) : NULL;
	struct snapshot_survey *to_survey = survey ? builder_add_survey(&r->builder) : NULL;

	if (!self || (balance && !to_balance) || (survey && !to_survey))
		return -ENOMEM;
	memcpy(self, view_self(r->view), sizeof(*self));
	mask_unknown(&self->present, SELF_QUANTITIES);
	move_text(r, &self->version);
	if (balance) {
		memcpy(to_balance, balance, sizeof(*balance));
		mask_unknown(&to_balance->present, BALANCE_QUANTITIES);
	}
	if (survey) {
		memcpy(to_survey, survey, sizeof(*survey));
		mask_unknown(&to_survey->present, SURVEY_QUANTITIES);
	}
	return 0;
}

int restrict_seal(const struct view *view, const struct sight *sight, int *ret_fd)
{
	CLEANUP(restriction_done) struct restriction r = {.view = view};
	struct image_header head = *view->header;
	int e = 0;

	r.text = calloc(view->section[SECTION_STRINGS].count, sizeof(*r.text));
	if (!r.text)
		return -ENOMEM;
	builder_begin(&r.builder);
	for (int scope = METRIC_HOST; e == 0 && scope < METRIC_OWNERS_END; scope++)
		e = restrict_add_scopes(&r, (enum metric_scope)scope);
	if (e == 0)
		e = add_processes(&r, sight);
	if (e == 0)
		e = restrict_add_holdings(&r);
	if (e == 0)
		e = add_histograms(&r);
	if (e == 0)
		e = add_single_rows(&r);
	if (e < 0)
		return e;
	head.flags &= ~(uint64_t)(IMAGE_PUBLIC | IMAGE_OWN);
	head.flags |= sight->kind == SIGHT_NONE || view_is_public(view) ? IMAGE_PUBLIC : IMAGE_OWN;
	return builder_seal(&r.builder, &head, ret_fd);
}
