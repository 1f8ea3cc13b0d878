/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/procfs/stat.h"

#include <errno.h>
#include <string.h>

#include "base/number.h"

enum {
	FIELD_STATE = 3, /* the field behind the ')' */
	FIELD_PARENT = 4,
	FIELD_FLAGS = 9,
	FIELD_MINOR_FAULTS = 10,
	FIELD_MAJOR_FAULTS = 12,
	FIELD_USER_TIME = 14,
	FIELD_SYSTEM_TIME = 15,
	FIELD_START_TIME = 22,
	FIELD_START_CODE = 26,
	FIELD_START_STACK = 28,
	FIELDS, /* that are looked at, and those before the state, which are not */
	/*
	 * bytes behind the ')': 26 or more fields of at least two bytes each are longer than any
	 * name
	 */
	FIELDS_LEN_MIN = 64,
};

/* From <linux/sched.h>, which programs cannot include; unchanged since Linux 2.6.27. */
#define PF_KTHREAD UINT64_C(0x00200000)

struct field {
	const char *text;
	size_t len;
};

/* Finds the fields behind the name. Returns 0, or -EBADMSG if there are not enough. */
static int find_fields(const char *text, size_t len, struct field ret[static FIELDS])
{
	const char *at = memrchr(text, ')', len), *end = text + len;

	if (!at)
		return -EBADMSG;
	at++;
	for (unsigned int i = FIELD_STATE; i < FIELDS; i++) {
		const char *next;

		if (at == end || *at != ' ')
			return -EBADMSG;
		at++;
		next = memchr(at, ' ', (size_t)(end - at));
		if (!next)
			return -EBADMSG;
		ret[i] = (struct field){.text = at, .len = (size_t)(next - at)};
		at = next;
	}
	return 0;
}

static bool stat_parse_number(const struct field *field, uint64_t *ret)
{
	return number_parse_u64(field->text, field->len, ret) == 0;
}

static pid_t stat_parse_pid(const struct field *field)
{
	uint64_t pid;

	return !stat_parse_number(field, &pid) || pid > INT32_MAX ? 0 : (pid_t)pid;
}

int stat_parse(const char *text, size_t len, struct stat_info *ret)
{
	struct field field[FIELDS];
	struct stat_info info;
	uint64_t flags;

	if (find_fields(text, len, field) < 0 || !stat_parse_number(&field[FIELD_FLAGS], &flags) ||
		!stat_parse_number(&field[FIELD_MINOR_FAULTS], &info.faults) ||
		!stat_parse_number(&field[FIELD_START_TIME], &info.start_ticks) ||
		!stat_parse_number(&field[FIELD_START_CODE], &info.start_code) ||
		!stat_parse_number(&field[FIELD_START_STACK], &info.start_stack))
		return -EBADMSG;
	info.parent = stat_parse_pid(&field[FIELD_PARENT]);
	info.is_kernel_thread = flags & PF_KTHREAD;
	*ret = info;
	return 0;
}

int stat_parse_activity(const char *text, size_t len, struct stat_activity *ret)
{
	struct field field[FIELDS];
	struct stat_activity a;

	if (find_fields(text, len, field) < 0 ||
		!stat_parse_number(&field[FIELD_MINOR_FAULTS], &a.minor_faults) ||
		!stat_parse_number(&field[FIELD_MAJOR_FAULTS], &a.major_faults) ||
		!stat_parse_number(&field[FIELD_USER_TIME], &a.user_ticks) ||
		!stat_parse_number(&field[FIELD_SYSTEM_TIME], &a.system_ticks) ||
		!stat_parse_number(&field[FIELD_START_TIME], &a.start_ticks))
		return -EBADMSG;
	a.state = *field[FIELD_STATE].text;
	*ret = a;
	return 0;
}

bool stat_is_whole(const char *text, size_t len, const void *context)
{
	const char *at = memrchr(text, ')', len);

	(void)context;
	return at && text[len - 1] == '\n' && text + len - at > FIELDS_LEN_MIN;
}

bool stat_is_same_image(const struct stat_info *a, const struct stat_info *b)
{
	return a->start_ticks == b->start_ticks && a->start_code == b->start_code &&
	       a->start_stack == b->start_stack;
}
