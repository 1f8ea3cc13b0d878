/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/sharing/sharing-statistics.h"

#include "base/log.h"
#include "render/human.h"

static void sharing_statistics_add_amount(
	struct buffer *to, const char *before, uint64_t bytes, const char *after)
{
	buffer_add_text(to, before);
	human_add_bytes(to, bytes);
	buffer_add_text(to, after);
}

static void say_course(const struct sharing_walk *w)
{
	AUTO_BUFFER struct buffer text = {0};

	/* Processes with the same address space are read once; the table counts all of them. */
	buffer_printf(&text, "read %llu address space%s in ",
		(unsigned long long)w->statistics.read, w->statistics.read == 1 ? "" : "s");
	human_add_span(&text, w->statistics.span_ns);
	if (w->statistics.ended)
		buffer_printf(&text,
			"; %llu process%s exited or executed another program during the scan",
			(unsigned long long)w->statistics.ended,
			w->statistics.ended == 1 ? "" : "es");
	if (w->mappers.owners.changed + w->mappers.owners.gone)
		sharing_statistics_add_amount(&text, "; ",
			w->mappers.owners.changed + w->mappers.owners.gone,
			" were unmapped during the scan");
	sharing_statistics_add_amount(&text, "; ", w->statistics.memory_bytes, " of memory used");
	if (!text.error)
		log_info("%.*s", (int)text.len, text.data);
}

static void say_doubts(const struct sharing_walk *w)
{
	AUTO_BUFFER struct buffer text = {0};
	bool is_one = w->statistics.refused == 1, is_alone = w->mappers.unmapped.untold == 1;

	if (w->mappers.owners.many) {
		human_add_bytes(&text, w->mappers.owners.many);
		log_warning(
			"%.*s are shared by too many different sets of groups: only the total contains "
			"them",
			(int)text.len, text.data ? text.data : "");
	}
	if (w->refused)
		log_warning("%llu %s could not be read, %spid %d: pages that %s count as shared; "
			    "sharers of swap and of unmapped shared memory are not known",
			(unsigned long long)w->statistics.refused, is_one ? "process" : "processes",
			is_one ? "" : "one of them ", (int)w->refused,
			is_one ? "it maps" : "they map");
	if (w->mappers.unmapped.untold)
		log_warning(
			"%llu shared memory object%s not count as freed on exit: %s disappeared, or "
			"there were too many to examine",
			(unsigned long long)w->mappers.unmapped.untold, is_alone ? " does" : "s do",
			is_alone ? "it" : "they");
	buffer_clear(&text);
	if (sharing_options_is_set(w->options) ||
		frame_owner_resident(&w->mappers.owners.others) * 100 <=
			frame_owner_resident(&w->mappers.owners.all))
		return;
	human_add_bytes(&text, frame_owner_resident(&w->mappers.owners.others));
	log_info("%.*s are also mapped by processes that started during the scan, cannot be seen "
		 "from here or could not be read",
		(int)text.len, text.data ? text.data : "");
}

void sharing_statistics_say(const struct sharing_walk *w)
{
	say_course(w);
	say_doubts(w);
}
