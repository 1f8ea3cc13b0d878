/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout of an image: where its rows are
 *
 * The codec takes images apart by the strides that they state, so that it also codes images of
 * other minor versions, with sections and quantities that it does not know. Pure.
 */
#ifndef MEMTALLY_RECORDER_CODEC_LAYOUT_H
#define MEMTALLY_RECORDER_CODEC_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/image.h"

enum {
	LAYOUT_WORDS_MAX = 512, /* 64-bit words of a row or of the header */
	LAYOUT_REFS_MAX = OWNERS_MAX,
};

/* A kind of section, as far as the codec knows it. */
struct layout_kind {
	bool is_scope;                 /* struct snapshot_scope */
	bool has_present;              /* .present_word counts */
	uint8_t refs;                  /* names in a row: offsets into the string table */
	uint16_t ref[LAYOUT_REFS_MAX]; /* in the row, in units of 4 bytes */
	uint16_t id[2];                /* fields that identify a row, as .ref; LAYOUT_NO_ID: none */
	uint16_t present_word;         /* the mask of the quantities, which follow it */
};

enum { LAYOUT_NO_ID = UINT16_MAX };

/* Returns what is known of KIND; nothing of kinds of newer versions. */
struct layout_kind layout_kind_of(uint32_t kind);

/* The parts of an image that seldom change. Images with the same layout can be coded as differences. */
struct layout {
	uint32_t header_size;
	uint32_t sections;
	struct {
		uint32_t kind, stride;
	} section[IMAGE_SECTIONS_MAX];
};

/* Returns whether A and B are the same. */
bool layout_is_same(const struct layout *a, const struct layout *b);

/* Returns whether L is one that layout_parse() gives: for a layout from a file. */
bool layout_is_valid(const struct layout *l);

struct layout_rows {
	const unsigned char *data;
	size_t count; /* of rows; bytes of SECTION_STRINGS */
};

enum layout_outcome {
	LAYOUT_UNUSUAL = 1, /* the image is valid, but not laid out as builder_seal() does */
};

/*
 * Writes the layout and the sections of the valid image of SIZE bytes at IMAGE to *RET and RET_ROWS.
 * Returns 0 or LAYOUT_UNUSUAL. After 0 the image consists of its header, its section table and the
 * rows, with zeros to align each section: layout_write_table() makes the table again.
 */
int layout_parse(const void *image, size_t size, struct layout *ret,
	struct layout_rows ret_rows[static IMAGE_SECTIONS_MAX]);

/*
 * Writes the section table of an image with layout L and COUNT rows in each section to TABLE.
 * Returns the size of the whole image in bytes; 0: it is above LIMIT.
 */
size_t layout_write_table(const struct layout *l, const size_t *count, size_t limit,
	struct image_section table[static IMAGE_SECTIONS_MAX]);

#endif
