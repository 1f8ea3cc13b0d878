/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/owners/owner-names.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"

/* With ":4294967295" behind it, which tells users of one name apart, it still fits a name. */
enum { NAME_MAX_BYTES = SNAPSHOT_NAME_MAX - 11 };

bool owner_names_next(const struct owner_table *table, uint32_t *cursor, uint32_t *ret)
{
	while (*cursor < table->slots) {
		struct scope *named = table->slot[(*cursor)++];

		if (named && named->id != OWNER_NO_ID && named->name_state == SCOPE_NAME_WANTED) {
			named->name_state = SCOPE_NAME_ASKED;
			*ret = named->id;
			return true;
		}
	}
	*cursor = 0;
	return false;
}

void owner_names_set(
	const struct owner_table *table, uint32_t id, const char *name, uint64_t now_ns)
{
	AUTO_BUFFER struct buffer text = {0};
	struct scope *named = owner_table_find(table, &id, sizeof(id));

	if (!named)
		return; /* it has left the table since it was asked for */
	named->name_state = SCOPE_NAME_ANSWERED;
	named->named_ns = now_ns;
	if (name && *name) {
		text_add_clean_max(&text, name, strlen(name), NAME_MAX_BYTES);
		buffer_add_char(&text, '\0');
		if (text.error)
			return; /* the old name stays, and is asked for again when it is too old */
	}
	free(named->name);
	named->name = TAKE_PTR(text.data);
}

void owner_names_fail(const struct owner_table *table, uint32_t id, uint64_t now_ns)
{
	struct scope *named = owner_table_find(table, &id, sizeof(id));

	if (!named)
		return;
	named->name_state = SCOPE_NAME_WANTED;
	named->named_ns = now_ns;
}

void owner_names_give_up(const struct owner_table *table, uint64_t now_ns)
{
	for (struct scope *named = NULL; (named = owner_table_next(table, named));)
		if (named->name_state == SCOPE_NAME_ASKED && !named->named_ns)
			named->named_ns = now_ns;
}

bool owner_names_are_awaited(const struct owner_table *table)
{
	for (struct scope *named = NULL; (named = owner_table_next(table, named));)
		if (named->name_state == SCOPE_NAME_ASKED && !named->named_ns)
			return true;
	return false;
}

void owner_names_renew(const struct owner_table *table, uint64_t now_ns)
{
	for (struct scope *named = NULL; (named = owner_table_next(table, named));)
		if (named->name_state == SCOPE_NAME_ANSWERED &&
			now_ns - named->named_ns >= OWNER_NAMES_MAX_AGE_NS)
			named->name_state = SCOPE_NAME_WANTED;
}
