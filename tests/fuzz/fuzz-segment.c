/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "recorder/archive/archive-reader.h"
#include "recorder/archive/segment.h"
#include "tests/unit/support/snapshot/walk.h"

/* In memory, if possible */
static char folder[64];

static void leave(void)
{
	char name[SEGMENT_NAME_SIZE], path[sizeof(folder) + SEGMENT_NAME_SIZE];

	segment_name(0, 1, name);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
	rmdir(folder);
}

static void hear(void *context, enum archive_fault_kind kind, const char *text)
{
	(void)context;
	fuzz_check(kind < ARCHIVE_FAULTS && text_is_clean(text, strlen(text)));
}

/* Makes the checks of heads right, since nearly every mutation would break them. */
static void mend(uint8_t *data, size_t size)
{
	struct segment_head head = segment_head_make(0, 1, 0);
	struct segment_record record;

	if (size < sizeof(head))
		return;
	memcpy(data, &head, sizeof(head));
	for (size_t at = sizeof(head); at + sizeof(record) <= size;) {
		memcpy(&record, data + at, sizeof(record));
		segment_record_seal(&record);
		memcpy(data + at, &record, sizeof(record));
		if (segment_record_bytes(record.size) > size - at)
			break;
		at += segment_record_bytes(record.size);
	}
}

static void write_segment(const uint8_t *data, size_t size)
{
	char name[SEGMENT_NAME_SIZE];
	int dirfd, fd;

	if (!folder[0]) {
		snprintf(folder, sizeof(folder), "%s/memtally-fuzz-XXXXXX",
			access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
		if (!mkdtemp(folder))
			exit(99);
		atexit(leave);
	}
	segment_name(0, 1, name);
	dirfd = open(folder, O_RDONLY | O_DIRECTORY);
	fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (write(fd, data, size) != (ssize_t)size)
		exit(99);
	close(fd);
	close(dirfd);
}

/*
 * Fuzzes the reader of recordings with a segment file. If the first byte is odd, the checks in
 * the rest are made right. All that is found is a valid snapshot.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct archive_listener listener = {.call = hear};
	struct archive_series s = archive_reader_series(0, UINT64_MAX, 0);
	AUTO_ARCHIVE_READER struct archive_reader *r = NULL;
	char reason[ARCHIVE_REASON_SIZE];
	struct archive_coverage coverage;
	struct archive_found found;
	struct archive_mark mark[4];
	const char *why;
	uint64_t last_ns = 0;
	uint8_t *file;
	size_t count;

	if (!size)
		return 0;
	file = malloc(size);
	if (!file)
		exit(99);
	memcpy(file, data + 1, size - 1);
	if (data[0] & 1)
		mend(file, size - 1);
	write_segment(file, size - 1);
	free(file);
	fuzz_check(archive_reader_open(folder, &listener, &r, reason) == 0);
	fuzz_check(archive_reader_coverage(r, &coverage) == 0);
	for (unsigned int i = 0; i < 64 && archive_reader_next(r, &s, &found, &why) == 0; i++) {
		fuzz_check(!walk_view(found.view));
		fuzz_check(found.at_ns > last_ns || !i);
		last_ns = found.at_ns;
	}
	for (int pick = PAST_AT; pick <= PAST_OOM; pick++)
		archive_reader_find(r, (enum past_pick)pick, last_ns, &found, &why);
	fuzz_check(archive_reader_marks(r, 0, UINT64_MAX, UINT32_MAX, mark, 4, &count) == 0);
	return 0;
}
