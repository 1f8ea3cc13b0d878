/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "snapshot/builder.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/os/memfd.h"
#include "snapshot/view.h"

void builder_done(struct builder *b)
{
	for (size_t i = 0; i < SECTION_KIND_END_; i++)
		buffer_done(&b->section[i]);
}

void builder_begin(struct builder *b)
{
	for (size_t i = 0; i < SECTION_KIND_END_; i++)
		buffer_clear(&b->section[i]);
	buffer_add_char(&b->section[SECTION_STRINGS], '\0');
}

void builder_rest(struct builder *b)
{
	for (size_t i = 0; i < SECTION_KIND_END_; i++)
		buffer_rest(&b->section[i]);
}

uint32_t builder_add_text(struct builder *b, const char *text, size_t len)
{
	struct buffer *strings = &b->section[SECTION_STRINGS];
	size_t ref = strings->len;

	if (!len)
		return 0;
	buffer_add(strings, text, len);
	buffer_add_char(strings, '\0');
	if (strings->len > UINT32_MAX)
		strings->error = -EFBIG;
	return strings->error ? 0 : (uint32_t)ref;
}

static void *builder_add_row(struct builder *b, enum image_section_kind kind)
{
	struct buffer *section = &b->section[kind];
	size_t size = view_row_size(kind);

	buffer_add_zero(section, size);
	return section->error ? NULL : section->data + section->len - size;
}

struct snapshot_scope *builder_add_scope(struct builder *b, enum metric_scope scope)
{
	assert(scope < METRIC_OWNERS_END);
	return builder_add_row(b, view_section_kind(scope));
}

struct snapshot_process *builder_add_process(struct builder *b)
{
	return builder_add_row(b, SECTION_PROCESSES);
}

struct snapshot_self *builder_add_self(struct builder *b)
{
	return builder_add_row(b, SECTION_SELF);
}

struct snapshot_histogram *builder_add_histogram(struct builder *b)
{
	return builder_add_row(b, SECTION_HISTOGRAMS);
}

struct snapshot_balance *builder_add_balance(struct builder *b)
{
	return builder_add_row(b, SECTION_BALANCE);
}

struct snapshot_holding *builder_add_holding(struct builder *b)
{
	return builder_add_row(b, SECTION_HOLDINGS);
}

struct snapshot_survey *builder_add_survey(struct builder *b)
{
	return builder_add_row(b, SECTION_SURVEY);
}

struct snapshot_file *builder_add_file(struct builder *b)
{
	return builder_add_row(b, SECTION_FILES);
}

uint32_t builder_process_count(const struct builder *b)
{
	return (uint32_t)(b->section[SECTION_PROCESSES].len / sizeof(struct snapshot_process));
}

struct snapshot_process *builder_process(struct builder *b, uint32_t i)
{
	struct snapshot_process *rows = (void *)b->section[SECTION_PROCESSES].data;

	return rows ? rows + i : NULL;
}

static bool is_left_out(unsigned int kind, uint64_t flags)
{
	return (flags & IMAGE_PUBLIC) && (kind == SECTION_PROCESSES || kind == SECTION_FILES);
}

int builder_seal(struct builder *b, const struct image_header *head, int *ret_fd)
{
	struct {
		struct image_header header;
		struct image_section table[IMAGE_KINDS];
	} top = {.header = *head};
	struct iovec iov[IMAGE_KINDS + 1] = {{.iov_base = &top, .iov_len = sizeof(top)}};
	uint64_t at = sizeof(top);
	size_t n = 0;

	static_assert(
		sizeof(top) == sizeof(top.header) + sizeof(top.table), "no gap before the table");
	for (unsigned int kind = 0; (kind = image_next_kind(kind));) {
		struct buffer *section = &b->section[kind];
		uint32_t stride = view_row_size((enum image_section_kind)kind);
		size_t len = section->len;

		if (is_left_out(kind, head->flags))
			len = 0;
		/* Zeros after the last string belong to no string */
		buffer_align(section, IMAGE_ALIGN);
		if (section->error)
			return section->error;
		top.table[n] = (struct image_section){
			.kind = kind,
			.stride = stride,
			.offset = at,
			.count = len / stride,
		};
		iov[++n] = (struct iovec){
			.iov_base = section->data,
			.iov_len = len ? section->len : 0,
		};
		at += iov[n].iov_len;
	}
	if (at > IMAGE_SIZE_MAX)
		return -EFBIG;
	memcpy(top.header.magic, IMAGE_MAGIC, sizeof(top.header.magic));
	top.header.byte_order = IMAGE_BYTE_ORDER;
	top.header.major = IMAGE_MAJOR;
	top.header.minor = IMAGE_MINOR;
	top.header.header_size = sizeof(top.header);
	top.header.section_count = (uint32_t)n;
	top.header.image_size = at;
	return memfd_new_sealed("memtally-snapshot", iov, n + 1, ret_fd);
}
