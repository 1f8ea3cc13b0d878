/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/procfs/stat.h"

#include <errno.h>
#include <string.h>

#include "base/number.h"

enum {
	FIELD_FIRST = 3, /* the field behind the ')' */
	FIELD_PARENT = 4,
	FIELD_FLAGS = 9,
	FIELD_FAULTS = 10,
	FIELD_START_TIME = 22,
	FIELD_START_CODE = 26,
	FIELD_START_STACK = 28,
	/*
	 * bytes behind the ')': 26 or more fields of at least two bytes each are longer than any
	 * name
	 */
	FIELDS_LEN_MIN = 64,
};

/* From <linux/sched.h>, which programs cannot include; unchanged since Linux 2.6.27. */
#define PF_KTHREAD UINT64_C(0x00200000)

static pid_t stat_parse_pid(const char *text, size_t len)
{
	uint64_t pid;

	return number_parse_u64(text, len, &pid) < 0 || pid > INT32_MAX ? 0 : (pid_t)pid;
}

int stat_parse(const char *text, size_t len, struct stat_info *ret)
{
	const char *at = memrchr(text, ')', len), *end = text + len;
	struct stat_info info = {0};
	uint64_t flags = 0;

	if (!at)
		return -EBADMSG;
	at++;
	for (unsigned int field = FIELD_FIRST; field <= FIELD_START_STACK; field++) {
		const char *next;
		uint64_t *to = field == FIELD_FLAGS         ? &flags
		               : field == FIELD_FAULTS      ? &info.faults
		               : field == FIELD_START_TIME  ? &info.start_ticks
		               : field == FIELD_START_CODE  ? &info.start_code
		               : field == FIELD_START_STACK ? &info.start_stack
		                                            : NULL;

		if (at == end || *at != ' ')
			return -EBADMSG;
		at++;
		next = memchr(at, ' ', (size_t)(end - at));
		if (!next)
			return -EBADMSG;
		if (field == FIELD_PARENT)
			info.parent = stat_parse_pid(at, (size_t)(next - at));
		if (to && number_parse_u64(at, (size_t)(next - at), to) < 0)
			return -EBADMSG;
		at = next;
	}
	info.is_kernel_thread = flags & PF_KTHREAD;
	*ret = info;
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
