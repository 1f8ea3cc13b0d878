/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/assets/assets.h"

#include <string.h>

const struct asset *assets_of(enum assets_kind kind)
{
	return assets_embedded[kind].path ? &assets_embedded[kind] : NULL;
}

const struct asset *assets_find(const char *path, size_t len)
{
	for (enum assets_kind kind = 0; kind < ASSETS_KINDS; kind++) {
		const struct asset *a = assets_of(kind);

		if (a && strlen(a->path) == len && !memcmp(a->path, path, len))
			return a;
	}
	return NULL;
}
