/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "snapshot/usage.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "snapshot/owner.h"

#define REQUEST_MAGIC "MTUSAGE1"
#define ANSWER_MAGIC  "MTUSAGR1"

/*
 * The largest sum and the largest amount of memory. No host comes near. Two values of VALUE_MAX can
 * be added without overflow, and MEMORY_MAX KiB are less than 2^63 bytes.
 */
#define VALUE_MAX  (UINT64_C(1) << 61)
#define MEMORY_MAX (UINT64_C(1) << 50)

enum {
	REQUEST_HAS_UID = 1,
	ALIGN = 8,
	MAGIC_NAME_LEN = 7, /* the last byte of a magic is the version */
};

struct request {
	char magic[8];
	uint32_t kind, flags; /* flags: REQUEST_HAS_UID or 0 */
	int64_t since_s, until_s;
	uint64_t uid;     /* 0 without REQUEST_HAS_UID */
	uint64_t more[3]; /* 0 */
};

struct head {
	char magic[8];
	uint64_t size;
	struct usage_head head;
	uint64_t more[2]; /* 0 */
};

/* Followed by the name and the user, each terminated, and zero bytes up to a multiple of 8. */
struct row {
	uint64_t q[USAGE_QUANTITIES];
	uint32_t present, id;
	uint16_t name_len, user_len;
	uint32_t reserved;
};

static_assert(sizeof(struct request) == USAGE_REQUEST_SIZE, "a question has no gaps");
static_assert(sizeof(struct head) == USAGE_HEAD_SIZE, "a head has no gaps");
static_assert(sizeof(struct row) % ALIGN == 0, "rows are aligned");
static_assert(USAGE_QUANTITIES < 32, "a mask has 32 bits");

static const enum owner_kind owners[USAGE_KINDS_END] = {
	[USAGE_USER] = OWNER_USER,
	[USAGE_PROGRAM] = OWNER_PROGRAM,
	[USAGE_UNIT] = OWNER_UNIT,
	[USAGE_GROUP] = OWNER_GROUP,
	[USAGE_CONTAINER] = OWNER_CONTAINER,
};

enum owner_kind usage_owner(enum usage_kind kind)
{
	return owners[kind];
}

enum usage_kind usage_find(const char *name)
{
	enum usage_kind kind = USAGE_USER;

	while (kind < USAGE_KINDS_END && strcmp(owner_of(owners[kind])->name, name) != 0)
		kind++;
	return kind;
}

bool usage_is_possible(enum usage_quantity quantity, uint64_t value)
{
	return value <= (quantity == USAGE_PSS_MAX ? MEMORY_MAX : VALUE_MAX);
}

static bool is_time(int64_t s)
{
	return s >= 0 && s <= USAGE_TIME_MAX;
}

void usage_request_write(const struct usage_request *r, unsigned char to[static USAGE_REQUEST_SIZE])
{
	struct request raw = {.kind = (uint32_t)r->kind,
		.flags = r->has_uid ? REQUEST_HAS_UID : 0,
		.since_s = r->since_s,
		.until_s = r->until_s,
		.uid = r->has_uid ? r->uid : 0};

	memcpy(raw.magic, REQUEST_MAGIC, sizeof(raw.magic));
	memcpy(to, &raw, sizeof(raw));
}

int usage_request_parse(const void *data, size_t len, struct usage_request *ret)
{
	struct request raw;

	if (len != sizeof(raw))
		return -EBADMSG;
	memcpy(&raw, data, sizeof(raw));
	if (memcmp(raw.magic, REQUEST_MAGIC, sizeof(raw.magic)) != 0 || raw.kind < USAGE_USER ||
		raw.kind >= USAGE_KINDS_END || raw.flags > REQUEST_HAS_UID ||
		raw.uid > (raw.flags ? UINT32_MAX : 0) || raw.more[0] || raw.more[1] || raw.more[2])
		return -EBADMSG;
	if (!is_time(raw.since_s) || !is_time(raw.until_s) || raw.since_s >= raw.until_s)
		return -EBADMSG;
	*ret = (struct usage_request){.kind = (enum usage_kind)raw.kind,
		.since_s = raw.since_s,
		.until_s = raw.until_s,
		.has_uid = raw.flags,
		.uid = (uint32_t)raw.uid};
	return 0;
}

void usage_begin(struct buffer *to)
{
	buffer_clear(to);
	buffer_add_zero(to, sizeof(struct head));
}

void usage_add(struct buffer *to, const struct usage_row *row)
{
	struct row raw = {
		.present = row->present,
		.id = row->id,
		.name_len = (uint16_t)strlen(row->name),
		.user_len = (uint16_t)strlen(row->user),
	};

	for (size_t i = 0; i < USAGE_QUANTITIES; i++)
		raw.q[i] = (row->present >> i) & 1 ? row->q[i] : 0;
	buffer_add(to, &raw, sizeof(raw));
	buffer_add(to, row->name, (size_t)raw.name_len + 1);
	buffer_add(to, row->user, (size_t)raw.user_len + 1);
	buffer_align(to, ALIGN);
}

void usage_end(struct buffer *to, const struct usage_head *head)
{
	struct head raw = {.size = to->len, .head = *head};

	memcpy(raw.magic, ANSWER_MAGIC, sizeof(raw.magic));
	if (!to->error)
		memcpy(to->data, &raw, sizeof(raw));
}

int usage_size(const void *data, size_t len, size_t *ret)
{
	struct head raw;

	*ret = 0;
	if (len < sizeof(raw))
		return 0;
	memcpy(&raw, data, sizeof(raw));
	if (memcmp(raw.magic, ANSWER_MAGIC, MAGIC_NAME_LEN) != 0)
		return -EBADMSG;
	if (raw.magic[MAGIC_NAME_LEN] != ANSWER_MAGIC[MAGIC_NAME_LEN])
		return -EPROTO;
	if (raw.size < sizeof(raw) || raw.size > USAGE_SIZE_MAX || raw.size % ALIGN)
		return -EBADMSG;
	*ret = (size_t)raw.size;
	return 0;
}

static bool is_possible(const struct usage_head *h)
{
	return h->status < USAGE_STATUS_END && !(h->flags & ~(uint32_t)USAGE_FLAGS) &&
	       !h->reserved && is_time(h->since_s) && is_time(h->until_s) &&
	       h->since_s <= h->until_s && is_time(h->now_s) &&
	       (h->first_s == -1 || is_time(h->first_s)) &&
	       (h->written_s == -1 || is_time(h->written_s)) && h->covered_ms <= VALUE_MAX &&
	       h->sampled_ms <= VALUE_MAX;
}

/* Checks the text of LEN bytes at *AT, which must be terminated there, and moves *AT behind it. */
static bool check_text(const char *data, size_t end, size_t len, size_t *at)
{
	if (len > SNAPSHOT_NAME_MAX || end - *at < len + 1 || data[*at + len] ||
		!text_is_clean(data + *at, len))
		return false;
	*at += len + 1;
	return true;
}

static bool check_row(const char *data, size_t len, size_t *at)
{
	struct row raw;

	if (len - *at < sizeof(raw))
		return false;
	memcpy(&raw, data + *at, sizeof(raw));
	*at += sizeof(raw);
	if (raw.reserved || raw.present >> USAGE_QUANTITIES)
		return false;
	for (size_t i = 0; i < USAGE_QUANTITIES; i++)
		if (!usage_is_possible((enum usage_quantity)i, raw.q[i]) ||
			(raw.q[i] && !((raw.present >> i) & 1)))
			return false;
	if (!check_text(data, len, raw.name_len, at) || !check_text(data, len, raw.user_len, at))
		return false;
	for (; *at % ALIGN; ++*at)
		if (*at >= len || data[*at])
			return false;
	return true;
}

int usage_check(const void *data, size_t len, struct usage_head *ret)
{
	size_t at = sizeof(struct head), size;
	struct head raw;
	int r = usage_size(data, len, &size);

	if (r == 0)
		r = size && size == len ? 0 : -EBADMSG;
	if (r < 0)
		return r;
	memcpy(&raw, data, sizeof(raw));
	if (!is_possible(&raw.head) || raw.more[0] || raw.more[1])
		return -EBADMSG;
	for (uint32_t i = 0; r == 0 && i < raw.head.rows; i++)
		r = check_row(data, len, &at) ? 0 : -EBADMSG;
	if (r == 0 && at != len)
		r = -EBADMSG;
	if (r == 0)
		*ret = raw.head;
	return r;
}

bool usage_next(const void *data, size_t len, size_t *at, struct usage_row *ret)
{
	const char *bytes = data;
	struct row raw;

	if (*at >= len)
		return false;
	memcpy(&raw, bytes + *at, sizeof(raw));
	*ret = (struct usage_row){.id = raw.id, .present = raw.present};
	memcpy(ret->q, raw.q, sizeof(raw.q));
	ret->name = bytes + *at + sizeof(raw);
	ret->user = ret->name + raw.name_len + 1;
	*at += sizeof(raw) + raw.name_len + raw.user_len + 2;
	*at += (ALIGN - *at % ALIGN) % ALIGN;
	return true;
}
