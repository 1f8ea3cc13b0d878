/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds images. One builder serves all passes: its buffers are emptied, not freed, so that in the
 * steady state a pass allocates nothing. A failed allocation is remembered and told at the end.
 */
#ifndef MEMTALLY_SNAPSHOT_BUILDER_H
#define MEMTALLY_SNAPSHOT_BUILDER_H

#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/image.h"
#include "snapshot/metric.h"
#include "snapshot/record.h"

struct builder {
	struct buffer section[SECTION_KIND_END_];
};

void builder_done(struct builder *b);

/* Starts the next image. */
void builder_begin(struct builder *b);

/* The last image was sealed, and its rows are not needed any more: its memory rests until the next one. */
void builder_rest(struct builder *b);

/* Adds a name and returns its reference. The text must be clean (base/text.h). Texts are not merged. */
uint32_t builder_add_text(struct builder *b, const char *text, size_t len);

/* Adds a zeroed row; the pointer is good until the next row of the same kind. NULL: out of memory. */
struct snapshot_scope *builder_add_scope(struct builder *b, enum metric_scope scope);
struct snapshot_process *builder_add_process(struct builder *b);
struct snapshot_self *builder_add_self(struct builder *b);
struct snapshot_histogram *builder_add_histogram(struct builder *b);
struct snapshot_balance *builder_add_balance(struct builder *b); /* at most one */
struct snapshot_holding *builder_add_holding(struct builder *b);
struct snapshot_survey *builder_add_survey(struct builder *b); /* at most one */
struct snapshot_file *builder_add_file(struct builder *b);

/* Rows of processes so far, by index; NULL where there are none. */
uint32_t builder_process_count(const struct builder *b);
struct snapshot_process *builder_process(struct builder *b, uint32_t i);

/*
 * Seals the image into a memfd, which the caller owns. HEAD brings what the header says of the pass
 * (instance, sequence, flags, times); the rest of the header is filled in. With IMAGE_PUBLIC among the
 * flags the rows of processes and of files are left out. Texts may be added, and it be sealed again. -ENOMEM, -EFBIG, or the errors of memfd_new_sealed().
 */
int builder_seal(struct builder *b, const struct image_header *head, int *ret_fd);

#endif
