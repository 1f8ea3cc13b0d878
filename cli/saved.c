/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/saved.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "cli/maprow.h"

enum { FILE_MAX = 1 << 30, SAID_MAX = 200 };

static void cleanup_json(json_t **json)
{
	json_decref(*json);
}

__attribute__((format(printf, 3, 4))) static int refuse(
	char error[static SAVED_ERROR_SIZE], const char *path, const char *format, ...)
{
	va_list args;
	int n = snprintf(error, SAVED_ERROR_SIZE, "%.200s: ", path);

	va_start(args, format);
	vsnprintf(error + n, SAVED_ERROR_SIZE - (size_t)n, format, args);
	va_end(args);
	return -EINVAL;
}

/* What jansson says has some of the file in it, which may be anything. */
static int refuse_json(char error[static SAVED_ERROR_SIZE], const char *path, const json_error_t *e)
{
	AUTO_BUFFER struct buffer said = {0};

	text_add_clean_max(&said, e->text, strlen(e->text), SAID_MAX);
	buffer_add_char(&said, '\0');
	return refuse(error, path, "line %d: expected what memtally map --json prints: %s", e->line,
		said.error ? "" : said.data);
}

static bool get_address(const json_t *row, const char *name, uint64_t *ret)
{
	const char *text = json_string_value(json_object_get(row, name));

	return text && *text && number_scan_hex(text, strlen(text), ret) == (int)strlen(text);
}

/* Of which file; of what is of none neither is there. */
static bool get_file(const json_t *row, struct atlas_row *ret)
{
	const char *device = json_string_value(json_object_get(row, "device")), *colon;
	const json_t *inode = json_object_get(row, "inode");
	uint64_t major, minor;

	if (!device && !inode)
		return true;
	colon = device ? strchr(device, ':') : NULL;
	if (!colon || !colon[1] || !json_is_integer(inode) || json_integer_value(inode) <= 0 ||
		number_scan_hex(device, (size_t)(colon - device), &major) != colon - device ||
		number_scan_hex(colon + 1, strlen(colon + 1), &minor) != (int)strlen(colon + 1) ||
		major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	ret->inode = (uint64_t)json_integer_value(inode);
	ret->major = (uint32_t)major;
	ret->minor = (uint32_t)minor;
	return true;
}

/* What only single mappings have. */
static bool get_place(const json_t *row, struct atlas_row *ret)
{
	const char *perms = json_string_value(json_object_get(row, "perms"));

	if (!perms || strlen(perms) != sizeof(ret->perms) - 1 ||
		!get_address(row, "start", &ret->start) || !get_address(row, "end", &ret->end))
		return false;
	memcpy(ret->perms, perms, sizeof(ret->perms));
	return true;
}

static bool get_amounts(const json_t *row, struct atlas_row *ret)
{
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++) {
		const json_t *value = json_object_get(row, maprow_name((enum mapping_field)i));

		if (!value)
			continue;
		if (!json_is_integer(value) || json_integer_value(value) < 0)
			return false;
		ret->q[i] = (uint64_t)json_integer_value(value);
		ret->present |= UINT64_C(1) << i;
	}
	return true;
}

/* Its name is the JSON's. False: it is no row. */
static bool get_row(const json_t *row, enum atlas_by by, struct atlas_row *ret)
{
	const json_t *mappings = json_object_get(row, "mappings");
	const char *name = json_string_value(json_object_get(row, "name"));
	const char *kind = json_string_value(json_object_get(row, "kind"));

	*ret = (struct atlas_row){.is_deleted = json_is_true(json_object_get(row, "deleted"))};
	if (!name || !text_is_clean(name, strlen(name)) || !json_is_integer(mappings) ||
		json_integer_value(mappings) <= 0)
		return false;
	ret->name = (char *)(uintptr_t)name;
	ret->mappings = (uint64_t)json_integer_value(mappings);
	ret->kind = kind ? kind_find(kind) : KIND_END;
	if (ret->kind == KIND_END)
		return false;
	return get_file(row, ret) && get_amounts(row, ret) &&
	       (by != ATLAS_BY_MAPPING || get_place(row, ret));
}

static int add_rows(const char *path, const json_t *json, enum atlas_by by, struct atlas *ret,
	char error[static SAVED_ERROR_SIZE])
{
	const json_t *rows = json_object_get(json, "rows");
	int r = 0;

	if (!json_is_array(rows))
		return refuse(error, path,
			"expected what memtally map --json prints, but it has no rows");
	for (size_t i = 0; r == 0 && i < json_array_size(rows); i++) {
		struct atlas_row row;

		if (!get_row(json_array_get(rows, i), by, &row))
			return refuse(error, path,
				"row %zu is none that memtally map --json prints", i + 1);
		r = atlas_add_row(ret, &row);
		if (r == -EOVERFLOW)
			return refuse(error, path, "row %zu has more than there can be", i + 1);
	}
	return r;
}

int saved_parse(const char *path, const char *text, size_t len, struct atlas *ret,
	char error[static SAVED_ERROR_SIZE])
{
	json_error_t e;
	CLEANUP(cleanup_json) json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);
	const json_t *version = json_object_get(json, "version");
	const char *by = json_string_value(json_object_get(json, "by"));
	enum atlas_by found = by ? atlas_find_by(by) : ATLAS_BYS;

	if (!json)
		return refuse_json(error, path, &e);
	if (!json_is_integer(version))
		return refuse(error, path, "expected what memtally map --json prints");
	if (json_integer_value(version) != SAVED_VERSION)
		return refuse(error, path,
			"expected version %d of what memtally map --json prints, got %lld",
			SAVED_VERSION, (long long)json_integer_value(version));
	if (found == ATLAS_BYS || (found != ATLAS_BY_MAPPING && found != ret->by))
		return refuse(error, path, "expected rows by mapping or by %s, got rows by %s",
			atlas_by_name(ret->by),
			found < ATLAS_BYS ? atlas_by_name(found) : "nothing that is known");
	return add_rows(path, json, found, ret, error);
}

int saved_load(const char *path, struct atlas *ret, char error[static SAVED_ERROR_SIZE])
{
	AUTO_BUFFER struct buffer text = {0};
	int r = file_read_all(AT_FDCWD, path, FILE_MAX, &text);

	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return refuse(error, path, "%s", strerror(-r));
	return saved_parse(path, text.data ? text.data : "", text.len, ret, error);
}
