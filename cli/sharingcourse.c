/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/sharingcourse.h"

#include "base/log.h"
#include "render/human.h"

static void add_amount(struct buffer *to, const char *before, uint64_t bytes, const char *after)
{
	buffer_add_text(to, before);
	human_add_bytes(to, bytes);
	buffer_add_text(to, after);
}

static void say_course(const struct sharing_walk *w)
{
	AUTO_BUFFER struct buffer text = {0};

	buffer_printf(&text, "%llu %s in ", (unsigned long long)w->course.read,
		w->course.read == 1 ? "process" : "processes");
	human_add_span(&text, w->course.span_ns);
	if (w->course.ended)
		buffer_printf(&text, "; %llu ended or executed another program meanwhile",
			(unsigned long long)w->course.ended);
	if (w->muster.stakes.changed + w->muster.stakes.gone)
		add_amount(&text, "; ", w->muster.stakes.changed + w->muster.stakes.gone,
			" were given up by some who had them");
	add_amount(&text, "; ", w->course.memory_bytes, " to keep pages apart");
	if (!text.error)
		log_info("%.*s", (int)text.len, text.data);
}

static void say_doubts(const struct sharing_walk *w)
{
	AUTO_BUFFER struct buffer text = {0};
	bool is_one = w->course.refused == 1;

	if (w->muster.stakes.many) {
		human_add_bytes(&text, w->muster.stakes.many);
		log_warning(
			"%.*s are shared in more ways than are kept apart: they are in no group's figures",
			(int)text.len, text.data ? text.data : "");
	}
	if (w->refused)
		log_warning("%llu %s could not be read, %spid %d: what %s, too, is not counted "
			    "as anybody's alone; of swap, and of shared memory in nobody's "
			    "page tables, that can't be told",
			(unsigned long long)w->course.refused, is_one ? "process" : "processes",
			is_one ? "" : "one of them ", (int)w->refused,
			is_one ? "it maps" : "they map");
	if (w->muster.remnants.untold)
		log_warning(
			"%llu pieces of shared memory went, or were too many, before it was found out "
			"what keeps them: they are not counted as what comes back",
			(unsigned long long)w->muster.remnants.untold);
	buffer_clear(&text);
	if (sharing_asked_is_set(w->asked) || stake_resident(&w->muster.stakes.others) * 100 <=
						      stake_resident(&w->muster.stakes.all))
		return;
	human_add_bytes(&text, stake_resident(&w->muster.stakes.others));
	log_info(
		"%.*s are mapped besides by others, who came later, can't be seen from here or could not be read",
		(int)text.len, text.data ? text.data : "");
}

void sharing_course_say(const struct sharing_walk *w)
{
	say_course(w);
	say_doubts(w);
}
