/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Image builder
 *
 * Collects rows and texts, and seals them into an image. One builder serves all passes: its buffers
 * are emptied, not freed, so that a pass usually allocates nothing. A failed allocation is
 * remembered, and builder_seal() reports it.
 */
#ifndef MEMTALLY_SNAPSHOT_BUILDER_H
#define MEMTALLY_SNAPSHOT_BUILDER_H

#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/image.h"
#include "snapshot/metric.h"
#include "snapshot/record.h"

/* Starts zeroed. */
struct builder {
	struct buffer section[SECTION_KIND_END_];
};

/* Frees the memory of B. */
void builder_done(struct builder *b);

/* Starts the next image: empties all sections. */
void builder_begin(struct builder *b);

/*
 * Call when the image is sealed and its rows are not needed any more: gives memory back to the
 * kernel until the next builder_begin().
 */
void builder_rest(struct builder *b);

/*
 * Adds LEN bytes of TEXT, which must be clean (base/text.h). Returns its reference, for names in
 * rows; 0, the empty text, if LEN is 0 or there is no memory. Equal texts are not merged.
 */
uint32_t builder_add_text(struct builder *b, const char *text, size_t len);

/*
 * These add a zeroed row. They return a pointer that is valid until the next row of the same kind
 * is added; NULL: out of memory. SCOPE is METRIC_HOST or a kind of owners.
 */
struct snapshot_scope *builder_add_scope(struct builder *b, enum metric_scope scope);
struct snapshot_process *builder_add_process(struct builder *b);
struct snapshot_self *builder_add_self(struct builder *b);
struct snapshot_histogram *builder_add_histogram(struct builder *b);
struct snapshot_balance *builder_add_balance(struct builder *b); /* at most one */
struct snapshot_holding *builder_add_holding(struct builder *b);
struct snapshot_survey *builder_add_survey(struct builder *b); /* at most one */
struct snapshot_file *builder_add_file(struct builder *b);

/* Returns the number of rows of processes so far. */
uint32_t builder_process_count(const struct builder *b);

/* Returns row I of the processes, below builder_process_count(); NULL if there are no rows. */
struct snapshot_process *builder_process(struct builder *b, uint32_t i);

/*
 * Seals the image into a memfd *RET_FD, which the caller owns. HEAD has the header's instance,
 * sequence, flags, times and user namespace; the other fields are filled in. With IMAGE_PUBLIC in
 * the flags, rows of processes and files are left out. Afterwards texts may be added, and the image
 * sealed again.
 *
 * Returns 0; -ENOMEM, also if an earlier call had no memory; -EFBIG if the image is larger than
 * IMAGE_SIZE_MAX; or an error of memfd_new_sealed().
 */
int builder_seal(struct builder *b, const struct image_header *head, int *ret_fd);

#endif
