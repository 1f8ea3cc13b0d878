/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "render/shares.h"

#include "render/human.h"

bool shares_of(const struct snapshot_scope *row, struct shares *ret)
{
	uint64_t pss = row->q[SCOPE_PSS], measured = row->q[SCOPE_PSS_MEASURED];
	uint64_t guessed = ROW_HAS(row, SCOPE_PSS_GUESSED) ? row->q[SCOPE_PSS_GUESSED] : 0;

	if (!ROW_HAS(row, SCOPE_PSS) || !pss || !ROW_HAS(row, SCOPE_PSS_MEASURED) ||
		measured > pss || guessed > pss - measured)
		return false;
	*ret = (struct shares){
		.pss_bytes = pss,
		.measured_bytes = measured,
		.estimated_bytes = pss - measured - guessed,
		.guessed_bytes = guessed,
	};
	return true;
}

void shares_add_percent(struct buffer *to, const struct shares *s, uint64_t bytes)
{
	human_add_percent(to, (double)bytes / (double)s->pss_bytes);
}

void shares_add_measured(
	struct buffer *to, const struct shares *s, const struct snapshot_scope *row)
{
	bool has_blocked = ROW_HAS(row, SCOPE_UNMEASURED_BLOCKED) &&
	                   row->q[SCOPE_UNMEASURED_BLOCKED];

	if (has_blocked && s->measured_bytes == s->pss_bytes)
		buffer_add_text(to, "all that could be read");
	else
		shares_add_percent(to, s, s->measured_bytes);
}

void shares_add_bounds(struct buffer *to, const char *before, const struct snapshot_scope *row)
{
	struct shares s;
	bool is_sure = shares_of(row, &s) && s.measured_bytes == s.pss_bytes;

	if (!ROW_HAS(row, SCOPE_PSS_LOW))
		return;
	if (!ROW_HAS(row, SCOPE_PSS_HIGH)) {
		buffer_add_text(to, before);
		buffer_add_text(to, "at least ");
		human_add_bytes(to, row->q[SCOPE_PSS_LOW]);
	} else if (!human_is_alike(row->q[SCOPE_PSS_LOW], row->q[SCOPE_PSS_HIGH])) {
		buffer_add_text(to, before);
		buffer_add_text(to, is_sure ? "between " : "likely between ");
		human_add_range(to, row->q[SCOPE_PSS_LOW], "and", row->q[SCOPE_PSS_HIGH]);
	}
}
