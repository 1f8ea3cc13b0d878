/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens fuzzed bytes as a snapshot
 *
 * If the first byte is 0, the rest is an image. The size that its header states is corrected, since
 * nearly every mutation would break it. Otherwise the rest is a list of changes to the sample image
 * of the unit tests, which so stays valid enough for the deeper checks.
 */
#ifndef MEMTALLY_TESTS_FUZZ_IMAGE_H
#define MEMTALLY_TESTS_FUZZ_IMAGE_H

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "snapshot/view.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/support/snapshot/sample.h"

/* One change: 1 << WIDTH % 4 bytes of VALUE (1 to 8) replace those at OFFSET. */
struct image_change {
	uint8_t width;
	uint8_t offset[2];
	uint8_t value[8];
};

static inline uint8_t *image_read_sample(size_t *ret_size)
{
	AUTO_CLOSE int fd = -1;
	struct stat st;
	uint8_t *image;

	if (sample_seal(NULL, &fd) < 0 || fstat(fd, &st) < 0)
		exit(99);
	*ret_size = (size_t)st.st_size;
	image = malloc(*ret_size);
	if (!image || pread(fd, image, *ret_size, 0) != st.st_size)
		exit(99);
	return image;
}

static inline uint8_t *image_change_sample(const uint8_t *data, size_t size, size_t *ret_size)
{
	static uint8_t *sample;
	static size_t sample_size;
	struct image_change change;
	uint8_t *image;

	if (!sample)
		sample = image_read_sample(&sample_size);
	image = malloc(sample_size);
	if (!image)
		exit(99);
	memcpy(image, sample, sample_size);
	for (; size >= sizeof(change); data += sizeof(change), size -= sizeof(change)) {
		size_t at;

		memcpy(&change, data, sizeof(change));
		at = (size_t)(change.offset[0] | change.offset[1] << 8) % (sample_size - 8);
		memcpy(image + at, change.value, (size_t)1 << change.width % 4);
	}
	*ret_size = sample_size;
	return image;
}

/*
 * Returns the image, which the caller frees after the view, since the view borrows it. *RET is the
 * view, or NULL if the image is refused.
 */
static inline uint8_t *image_open(const uint8_t *data, size_t size, struct view **ret)
{
	const char *reason = NULL;
	uint8_t *image;
	int r;

	*ret = NULL;
	if (!size)
		return NULL;
	if (data[0]) {
		image = image_change_sample(data + 1, size - 1, &size);
	} else {
		size--;
		image = malloc(size ? size : 1);
		if (!image)
			exit(99);
		memcpy(image, data + 1, size);
	}
	if (size >= sizeof(struct image_header))
		((struct image_header *)(void *)image)->image_size = size;
	r = view_from_bytes(image, size, ret, &reason);
	fuzz_check(r == 0 || r == -EBADMSG || r == -EPROTO);
	fuzz_check((r == 0) == (*ret != NULL) && (r == 0) == (reason == NULL));
	return image;
}

#endif
