/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/map/saved.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/os/file.h"
#include "base/text.h"
#include "cli/map/maprow.h"

enum { FILE_MAX = 1 << 30, SAID_MAX = 200 };

static void cleanup_json(json_t **json)
{
	json_decref(*json);
}

__attribute__((format(printf, 3, 4))) static int saved_refuse(
	char error[static SAVED_ERROR_SIZE], const char *path, const char *format, ...)
{
	va_list args;
	int n = snprintf(error, SAVED_ERROR_SIZE, "%.200s: ", path);

	va_start(args, format);
	vsnprintf(error + n, SAVED_ERROR_SIZE - (size_t)n, format, args);
	va_end(args);
	return -EINVAL;
}

/* Messages of jansson quote the file, which may contain any bytes. */
static int refuse_json(char error[static SAVED_ERROR_SIZE], const char *path, const json_error_t *e)
{
	AUTO_BUFFER struct buffer said = {0};

	text_add_clean_max(&said, e->text, strlen(e->text), SAID_MAX);
	buffer_add_char(&said, '\0');
	return saved_refuse(error, path, "line %d: expected the output of memtally map --json: %s",
		e->line, said.error ? "" : said.data);
}

/* Returns true if PID is in ENDED, an array of pids. */
static bool saved_has_ended(const struct buffer *ended, json_int_t pid)
{
	const json_int_t *item = (const void *)ended->data;

	for (size_t i = 0; i < ended->len / sizeof(pid); i++)
		if (item[i] == pid)
			return true;
	return false;
}

static int refuse_process(
	char error[static SAVED_ERROR_SIZE], const char *path, json_int_t pid, const char *why)
{
	AUTO_BUFFER struct buffer said = {0};

	text_add_clean_max(&said, why ? why : "", why ? strlen(why) : 0, SAID_MAX);
	buffer_add_char(&said, '\0');
	return saved_refuse(error, path, "incomplete: pid %lld %s", (long long)pid,
		said.error ? "" : said.data);
}

/*
 * Checks that every process is complete. Adds to ENDED the pids of processes that exited while they
 * were read.
 */
static int saved_check_processes(const char *path, const json_t *json, struct buffer *ended,
	char error[static SAVED_ERROR_SIZE])
{
	const json_t *processes = json_object_get(json, "processes");

	if (!json_is_array(processes))
		return saved_refuse(error, path,
			"expected the output of memtally map --json, but it has no processes");
	for (size_t i = 0; i < json_array_size(processes); i++) {
		const json_t *process = json_array_get(processes, i);
		json_int_t pid = json_integer_value(json_object_get(process, "pid"));

		if (pid <= 0)
			return saved_refuse(error, path,
				"process %zu is not valid output of memtally map --json", i + 1);
		if (json_is_true(json_object_get(process, "complete")))
			continue;
		if (!json_is_true(json_object_get(process, "ended")))
			return refuse_process(error, path, pid,
				json_string_value(json_object_get(process, "error")));
		buffer_add(ended, &pid, sizeof(pid));
	}
	return ended->error;
}

static bool get_address(const json_t *row, const char *name, uint64_t *ret)
{
	const char *text = json_string_value(json_object_get(row, name));

	return text && *text && number_scan_hex(text, strlen(text), ret) == (int)strlen(text);
}

/* Numbers up to INT64_MAX, jansson's limit. */
static bool get_amount(const json_t *value, uint64_t *ret)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return false;
	*ret = (uint64_t)json_integer_value(value);
	return true;
}

/*
 * saved_parse_text() has turned numbers that are too large for jansson into strings, and only
 * those.
 */
static bool get_u64(const json_t *value, uint64_t *ret)
{
	const char *text = json_string_value(value);

	if (text)
		return number_parse_u64(text, strlen(text), ret) == 0 && *ret > INT64_MAX;
	return get_amount(value, ret);
}

/* Gets device and inode; a mapping without a file has neither. */
static bool get_file(const json_t *row, struct mapping_table_row *ret)
{
	const char *device = json_string_value(json_object_get(row, "device")), *colon;
	const json_t *inode = json_object_get(row, "inode");
	uint64_t major, minor;

	if (!device && !inode)
		return true;
	colon = device ? strchr(device, ':') : NULL;
	if (!colon || !colon[1] || !get_u64(inode, &ret->inode) || !ret->inode ||
		number_scan_hex(device, (size_t)(colon - device), &major) != colon - device ||
		number_scan_hex(colon + 1, strlen(colon + 1), &minor) != (int)strlen(colon + 1) ||
		major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	ret->major = (uint32_t)major;
	ret->minor = (uint32_t)minor;
	return true;
}

/* Gets the state of a deleted or unlinked file; absent if it was not looked up. */
static bool get_fate(const json_t *row, struct mapping_table_row *ret)
{
	const json_t *state = json_object_get(row, "state");
	const char *name = json_string_value(state);

	if (!state)
		return true;
	ret->fate = name ? maprow_find_state(name) : MAPPING_NOT_ASKED;
	return ret->fate == MAPPING_UNLINKED || (ret->is_deleted && ret->fate != MAPPING_NOT_ASKED);
}

/* Gets the members that only single mappings have. */
static bool get_place(const json_t *row, struct mapping_table_row *ret)
{
	const char *perms = json_string_value(json_object_get(row, "perms"));

	if (!perms || strlen(perms) != sizeof(ret->perms) - 1 || !mapping_is_access(perms) ||
		!get_address(row, "start", &ret->start) || !get_address(row, "end", &ret->end))
		return false;
	memcpy(ret->perms, perms, sizeof(ret->perms));
	return true;
}

static bool get_amounts(const json_t *row, struct mapping_table_row *ret)
{
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++) {
		const json_t *value = json_object_get(row, maprow_name((enum mapping_field)i));

		if (!value)
			continue;
		if (!get_amount(value, &ret->q[i]))
			return false;
		ret->present |= UINT64_C(1) << i;
	}
	return true;
}

/* Parses ROW into *RET, which borrows its name from the JSON. Returns false if it is not valid. */
static bool get_row(const json_t *row, enum mapping_table_by by, struct mapping_table_row *ret)
{
	const json_t *mappings = json_object_get(row, "mappings");
	const char *name = json_string_value(json_object_get(row, "name"));
	const char *kind = json_string_value(json_object_get(row, "kind"));

	*ret = (struct mapping_table_row){
		.is_deleted = json_is_true(json_object_get(row, "deleted"))};
	if (!name || !text_is_clean(name, strlen(name)) || !json_is_integer(mappings) ||
		json_integer_value(mappings) <= 0)
		return false;
	ret->name = (char *)(uintptr_t)name;
	ret->mappings = (uint64_t)json_integer_value(mappings);
	ret->kind = kind ? kind_find(kind) : KIND_END;
	if (ret->kind == KIND_END)
		return false;
	return get_file(row, ret) && get_fate(row, ret) && get_amounts(row, ret) &&
	       (by != MAPPING_TABLE_BY_MAPPING || get_place(row, ret));
}

static int check_count(const char *path, const json_t *json, char error[static SAVED_ERROR_SIZE])
{
	const json_t *rows = json_object_get(json, "rows"), *count = json_object_get(json, "count");

	if (!json_is_array(rows) || !json_is_integer(count))
		return saved_refuse(error, path,
			"expected the output of memtally map --json, but it has no rows, or no count of them");
	if (json_integer_value(count) == (json_int_t)json_array_size(rows))
		return 0;
	return saved_refuse(error, path, "incomplete: %zu of %lld rows, as with --limit",
		json_array_size(rows), (long long)json_integer_value(count));
}

static int saved_add_rows(const char *path, const json_t *json, enum mapping_table_by by,
	const struct buffer *ended, struct mapping_table *ret, char error[static SAVED_ERROR_SIZE])
{
	const json_t *rows = json_object_get(json, "rows");
	int r = 0;

	for (size_t i = 0; r == 0 && i < json_array_size(rows); i++) {
		const json_t *from = json_array_get(rows, i);
		struct mapping_table_row row;

		if (!get_row(from, by, &row))
			return saved_refuse(error, path,
				"row %zu is not valid output of memtally map --json", i + 1);
		if (saved_has_ended(ended, json_integer_value(json_object_get(from, "pid"))))
			continue;
		r = mapping_table_add_row(ret, &row);
		if (r == -EOVERFLOW)
			return saved_refuse(
				error, path, "row %zu has amounts that are too large", i + 1);
	}
	return r;
}

static const char *end_of_string(const char *at, const char *end)
{
	while (++at < end && *at != '"')
		at += *at == '\\';
	return at < end ? at + 1 : end;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_of_number(char c)
{
	return is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/*
 * Returns true if a number with DIGITS digits is too large for jansson. A number with a leading
 * zero is invalid JSON, and is left alone.
 */
static bool is_large(const char *number, size_t digits)
{
	uint64_t value;

	if (*number == '0')
		return false;
	return number_parse_u64(number, digits, &value) == -ERANGE || value > INT64_MAX;
}

/* Appends TEXT with all numbers that are too large for jansson as strings. */
static void quote_large(const char *text, size_t len, struct buffer *to)
{
	const char *at = text, *end = text + len;

	while (at < end) {
		const char *from = at;
		size_t digits = 0;
		bool quoted;

		while (at < end && *at != '-' && !is_digit(*at))
			at = *at == '"' ? end_of_string(at, end) : at + 1;
		buffer_add(to, from, (size_t)(at - from));
		for (from = at; at < end && is_of_number(*at); at++)
			digits += is_digit(*at);
		quoted = digits && digits == (size_t)(at - from) && is_large(from, digits);
		buffer_add(to, "\"", quoted);
		buffer_add(to, from, (size_t)(at - from));
		buffer_add(to, "\"", quoted);
	}
}

/*
 * Parses TEXT. Inode numbers have 64 bits, as on 9p or CephFS, and so have offsets in devices;
 * jansson has 63, and refuses a text with a larger number. Returns NULL with the error in *E, or
 * with -ENOMEM in *RET.
 */
static json_t *saved_parse_text(const char *text, size_t len, json_error_t *e, int *ret)
{
	json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES, e);
	AUTO_BUFFER struct buffer quoted = {0};

	*ret = 0;
	if (json || json_error_code(e) != json_error_numeric_overflow)
		return json;
	quote_large(text, len, &quoted);
	*ret = quoted.error;
	return quoted.error ? NULL : json_loadb(quoted.data, quoted.len, JSON_REJECT_DUPLICATES, e);
}

int saved_parse(const char *path, const char *text, size_t len, struct mapping_table *ret,
	struct process_list *processes, char error[static SAVED_ERROR_SIZE])
{
	json_error_t e;
	int r;
	CLEANUP(cleanup_json) json_t *json = saved_parse_text(text, len, &e, &r);
	const json_t *version = json_object_get(json, "version");
	const char *by = json_string_value(json_object_get(json, "by"));
	enum mapping_table_by found = by ? mapping_table_find_by(by) : MAPPING_TABLE_BYS;
	AUTO_BUFFER struct buffer ended = {0};

	if (r < 0)
		return r;
	if (!json)
		return refuse_json(error, path, &e);
	if (!json_is_integer(version))
		return saved_refuse(error, path, "expected the output of memtally map --json");
	if (json_integer_value(version) != SAVED_VERSION)
		return saved_refuse(error, path,
			"expected version %d of the output of memtally map --json, got %lld",
			SAVED_VERSION, (long long)json_integer_value(version));
	if (found == MAPPING_TABLE_BYS || (found != MAPPING_TABLE_BY_MAPPING && found != ret->by))
		return saved_refuse(error, path,
			"expected rows by mapping or by %s, got rows by %s",
			mapping_table_by_name(ret->by),
			found < MAPPING_TABLE_BYS ? mapping_table_by_name(found)
						  : "something unknown");
	r = check_count(path, json, error);
	if (r == 0)
		r = saved_check_processes(path, json, &ended, error);
	if (r == 0)
		r = process_list_add(processes, json_object_get(json, "processes"));
	return r == 0 ? saved_add_rows(path, json, found, &ended, ret, error) : r;
}

int saved_load(const char *path, struct mapping_table *ret, struct process_list *processes,
	char error[static SAVED_ERROR_SIZE])
{
	AUTO_BUFFER struct buffer text = {0};
	int r = file_read_all(AT_FDCWD, path, FILE_MAX, &text);

	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return saved_refuse(error, path, "%s", strerror(-r));
	return saved_parse(path, text.data ? text.data : "", text.len, ret, processes, error);
}
