/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/why/why-words.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/when.h"
#include "cli/table/cell.h"
#include "cli/table/line.h"
#include "snapshot/owner.h"

enum {
	CONTAINER_ID_LENGTH = 64, /* hexadecimal digits */
	CONTAINER_ID_SHOWN = 12,  /* as Docker and Podman show it */
	SECONDS_SHOWN = 120,      /* from here on spans are in minutes, */
	MINUTES_SHOWN = 120,      /* and from here on in hours */
};

void why_words_add_time(struct buffer *to, uint64_t at_ns, uint64_t now_ns)
{
	struct tm at = when_local((int64_t)(at_ns / NS_PER_SEC));
	struct tm now = when_local((int64_t)(now_ns / NS_PER_SEC));
	bool is_today = at.tm_year == now.tm_year && at.tm_yday == now.tm_yday;
	char text[64];

	strftime(text, sizeof(text), is_today ? "%H:%M:%S" : "%Y-%m-%d %H:%M:%S", &at);
	buffer_add_text(to, text);
}

void why_words_add_span(struct buffer *to, uint64_t ns)
{
	uint64_t seconds = (ns + NS_PER_SEC / 2) / NS_PER_SEC, minutes = (seconds + 30) / 60;

	if (seconds < SECONDS_SHOWN)
		line_add_count(to, seconds, " second", " seconds");
	else if (minutes < MINUTES_SHOWN)
		line_add_count(to, minutes, " minute", " minutes");
	else
		line_add_count(to, (minutes + 30) / 60, " hour", " hours");
}

static bool why_words_is_number(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

static void why_words_add_user(struct buffer *to, const char *name)
{
	if (why_words_is_number(name))
		buffer_add_text(to, "uid ");
	cell_add_printable(to, name);
}

static void why_words_add_container(struct buffer *to, const char *id)
{
	bool is_long = strlen(id) == CONTAINER_ID_LENGTH &&
	               strspn(id, "0123456789abcdef") == CONTAINER_ID_LENGTH;

	buffer_add_text(to, "container ");
	if (is_long)
		buffer_add(to, id, CONTAINER_ID_SHOWN);
	else
		cell_add_printable(to, id);
}

void why_words_add_place(struct buffer *to, const struct cause_place *p)
{
	const char *name = view_text(p->of, p->row->name), *user = view_text(p->of, p->row->user);

	switch (p->kind) {
	case OWNER_UNIT:
	case OWNER_SLICE:
	case OWNER_USER_UNIT: cell_add_printable(to, name); break;
	case OWNER_CONTAINER: why_words_add_container(to, name); break;
	case OWNER_USER:
		buffer_add_text(to, why_words_is_number(name) ? "" : "user ");
		why_words_add_user(to, name);
		break;
	default: buffer_printf(to, "%s ", owner_of(p->kind)->name); cell_add_printable(to, name);
	}
	if (owner_of(p->kind)->has_user && *user) {
		buffer_add_text(to, " of ");
		why_words_add_user(to, user);
	}
}

void why_words_add_program(
	struct buffer *to, const struct view *view, const struct snapshot_process *row)
{
	const char *user = view_owner(view, row, OWNER_USER);

	cell_add_printable(to, view_owner(view, row, OWNER_PROGRAM));
	buffer_add_text(to, " of ");
	if (*user)
		why_words_add_user(to, user);
	else
		buffer_printf(to, "uid %u", row->uid);
}
