/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot reader
 *
 * view_open() checks a whole image once. Afterwards every offset, name and value in it is valid and
 * is used without further checks. An image with one invalid byte in its structure is refused as a
 * whole: it means a bug or a break-in.
 *
 * Images of other minor versions are read, too. Sections and quantities of newer versions are
 * ignored; quantities that an older version lacks are absent.
 */
#ifndef MEMTALLY_SNAPSHOT_VIEW_H
#define MEMTALLY_SNAPSHOT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "snapshot/image.h"
#include "snapshot/metric.h"
#include "snapshot/record.h"

/* The rows of one kind of section. */
struct view_section {
	const unsigned char *data;
	uint32_t stride; /* size of a row in bytes */
	uint32_t count;  /* of rows; bytes of SECTION_STRINGS */
};

struct view {
	const unsigned char *data; /* the image */
	size_t size;               /* of the image in bytes */
	size_t mapped;             /* bytes to unmap at the end; 0: .data is borrowed */
	unsigned int refs;
	const struct image_header *header;
	struct view_section section[SECTION_KIND_END_];
	void *widened[SECTION_KIND_END_]; /* owned: copies of sections of an older minor version */
};

/*
 * Maps and validates the image in FD (borrowed; it may be closed afterwards), a sealed memfd. The
 * caller gives *RET to view_unref(). The mapping is private: a write-sealed memfd cannot be mapped
 * shared before Linux 6.7.
 *
 * Returns 0; -EINVAL if FD is no sealed memfd; -EFBIG if it is larger than IMAGE_SIZE_MAX; -EPROTO
 * if the image has another major version; -EBADMSG if it is invalid; -ENOMEM; or a negative errno
 * of fstat() or mmap(). After an error *RET_REASON (static) says what is wrong.
 */
int view_open(int fd, struct view **ret, const char **ret_reason);

/* As view_open(), for an image of SIZE bytes at DATA, which is aligned to 8 and stays borrowed. */
int view_from_bytes(const void *data, size_t size, struct view **ret, const char **ret_reason);

/* Gives the pages of a mapped image back to the kernel until they are used again. */
void view_rest(const struct view *view);

/* Takes another reference to VIEW, and returns VIEW. */
struct view *view_ref(struct view *view);

/*
 * Gives up a reference; the last one frees VIEW and unmaps the image. Accepts NULL; returns NULL.
 */
struct view *view_unref(struct view *view);

static inline void cleanup_view(struct view **view)
{
	view_unref(*view);
}
#define AUTO_VIEW CLEANUP(cleanup_view)

/* Returns the kind of section with the rows of SCOPE. */
enum image_section_kind view_section_kind(enum metric_scope scope);

/* Returns the size of a row of KIND in bytes, in this version; 1 for SECTION_STRINGS. */
uint32_t view_row_size(enum image_section_kind kind);

/*
 * Returns the number of rows of SCOPE: owners (with "(other)"), processes or files; 1 for the host.
 * For METRIC_SHMEM and METRIC_TMPFS that is the number of holdings of all kinds.
 */
static inline uint32_t view_count(const struct view *view, enum metric_scope scope)
{
	return view->section[view_section_kind(scope)].count;
}

/* Returns row I of SCOPE, the host or a kind of owners; I is below view_count(). */
static inline const struct snapshot_scope *view_scope(
	const struct view *view, enum metric_scope scope, uint32_t i)
{
	const struct view_section *s = &view->section[view_section_kind(scope)];

	return (const void *)(s->data + (size_t)s->stride * i);
}

/* Returns process I, below view_count() of METRIC_PROCESS, by ascending pid. */
static inline const struct snapshot_process *view_process(const struct view *view, uint32_t i)
{
	const struct view_section *s = &view->section[SECTION_PROCESSES];

	return (const void *)(s->data + (size_t)s->stride * i);
}

/* Returns the index of ROW, a process of VIEW: view_process() returns ROW for it. */
static inline uint32_t view_process_index(
	const struct view *view, const struct snapshot_process *row)
{
	const struct view_section *s = &view->section[SECTION_PROCESSES];

	return (uint32_t)((size_t)((const unsigned char *)row - s->data) / s->stride);
}

static inline const struct snapshot_scope *view_host(const struct view *view)
{
	return (const void *)view->section[SECTION_HOST].data;
}

static inline const struct snapshot_self *view_self(const struct view *view)
{
	return (const void *)view->section[SECTION_SELF].data;
}

/* Returns the host's balance sheet; NULL: the image has none. */
static inline const struct snapshot_balance *view_balance(const struct view *view)
{
	return (const void *)view->section[SECTION_BALANCE].data;
}

/* Returns the number of holdings of all kinds, kinds of newer versions included. */
static inline uint32_t view_holding_count(const struct view *view)
{
	return view->section[SECTION_HOLDINGS].count;
}

/* Returns holding I, below view_holding_count(). */
static inline const struct snapshot_holding *view_holding(const struct view *view, uint32_t i)
{
	const struct view_section *s = &view->section[SECTION_HOLDINGS];

	return (const void *)(s->data + (size_t)s->stride * i);
}

/* Returns the last survey of mapped files; NULL: there was none yet, or surveys are off. */
static inline const struct snapshot_survey *view_survey(const struct view *view)
{
	return (const void *)view->section[SECTION_SURVEY].data;
}

/* Returns file I, below view_count() of METRIC_FILE. */
static inline const struct snapshot_file *view_file(const struct view *view, uint32_t i)
{
	const struct view_section *s = &view->section[SECTION_FILES];

	return (const void *)(s->data + (size_t)s->stride * i);
}

static inline const struct snapshot_histogram *view_histogram(const struct view *view, uint32_t i)
{
	const struct view_section *s = &view->section[SECTION_HISTOGRAMS];

	return (const void *)(s->data + (size_t)s->stride * i);
}

/*
 * Returns the text at REF, a name in a row of the same image: clean (base/text.h) and terminated.
 */
static inline const char *view_text(const struct view *view, uint32_t ref)
{
	return (const char *)view->section[SECTION_STRINGS].data + ref;
}

/* Returns the name of the owner of KIND of ROW, a process. */
static inline const char *view_owner(
	const struct view *view, const struct snapshot_process *row, enum owner_kind kind)
{
	return view_text(view, row->owner[kind]);
}

/*
 * Gives in *RET the number of rows of SCOPE (that of owners, or METRIC_PROCESS) without series of
 * their own. Returns false if that is not known: the image lacks processes (IMAGE_PUBLIC, IMAGE_OWN).
 */
bool view_count_dropped(const struct view *view, enum metric_scope scope, uint32_t *ret);

/* Returns the row of process PID, by binary search; NULL: there is none. */
const struct snapshot_process *view_find_process(const struct view *view, uint32_t pid);

/* Returns the histogram with ID, an enum snapshot_histogram_id; NULL: there is none. */
const struct snapshot_histogram *view_find_histogram(const struct view *view, uint32_t id);

/*
 * Returns whether VIEW is stale at NOW (CLOCK_BOOTTIME): readers must no longer show its figures as
 * present.
 */
static inline bool view_is_stale(const struct view *view, uint64_t now_boottime_ns)
{
	return now_boottime_ns >= view->header->stale_ns;
}

/* Returns the nanoseconds from the end of VIEW's pass to NOW (CLOCK_BOOTTIME). */
static inline uint64_t view_age_ns(const struct view *view, uint64_t now_boottime_ns)
{
	uint64_t at = view->header->boottime_ns;

	return now_boottime_ns > at ? now_boottime_ns - at : 0;
}

/* Returns whether every process with memory was measured: see IMAGE_COMPLETE. */
static inline bool view_is_complete(const struct view *view)
{
	return view->header->flags & IMAGE_COMPLETE;
}

/* Returns whether the image has the processes of one user alone, and no files. */
static inline bool view_is_own(const struct view *view)
{
	return view->header->flags & IMAGE_OWN;
}

/* Returns whether a brief pass has made the image: see IMAGE_PRESSURE. */
static inline bool view_is_brief(const struct view *view)
{
	return view->header->flags & IMAGE_PRESSURE;
}

/* Returns whether the image has no rows of processes and files. */
static inline bool view_is_public(const struct view *view)
{
	return view->header->flags & IMAGE_PUBLIC;
}

enum { VIEW_INSTANCE_TEXT_SIZE = 2 * IMAGE_INSTANCE_SIZE + 1 };

/* Writes the instance of VIEW in hexadecimal, terminated. */
void view_format_instance(const struct view *view, char to[static VIEW_INSTANCE_TEXT_SIZE]);

#endif
