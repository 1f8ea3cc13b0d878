/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/past-files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "recorder/archive/archive-reader.h"
#include "recorder/series.h"

struct past_files {
	struct archive_reader *reader; /* owned */
};

static void past_files_say_fault(void *context, enum archive_fault_kind kind, const char *text)
{
	(void)context;
	(void)kind;
	log_warning("%s", text);
}

static const struct archive_listener listener = {.call = past_files_say_fault};

struct past_files *past_files_close(struct past_files *f)
{
	if (f)
		archive_reader_close(f->reader);
	free(f);
	return NULL;
}

/* Begins HEAD with what each answer says. */
static int past_files_begin(struct past_files *f, struct past_head *head)
{
	struct archive_coverage coverage;
	int r = archive_reader_coverage(f->reader, &coverage);

	if (r == 0)
		*head = (struct past_head){.first_ns = coverage.first_ns,
			.last_ns = coverage.last_ns,
			.lost = coverage.skipped};
	return r;
}

int past_files_open(const char *directory, struct past_files **ret, struct buffer *reason)
{
	AUTO_PAST_FILES struct past_files *f = calloc(1, sizeof(*f));
	char why[ARCHIVE_REASON_SIZE] = "";
	struct past_head head;
	int r = f ? archive_reader_open(directory, &listener, &f->reader, why) : -ENOMEM;

	if (r == 0)
		r = past_files_begin(f, &head);
	if (r == 0 && !head.first_ns) {
		buffer_printf(reason, "nothing is recorded in %s", directory);
		return -ENODATA;
	}
	if (r < 0) {
		if (*why)
			buffer_add_text(reason, why);
		else
			buffer_printf(reason, "cannot read the recording in %s: %s", directory,
				strerror(-r));
		return r;
	}
	*ret = TAKE_PTR(f);
	return 0;
}

/* Copies the image of VIEW into a view that lasts. */
static int past_files_copy(const struct view *view, struct view **ret, const char **ret_why)
{
	AUTO_CLOSE int fd = -1;
	int r = archive_reader_seal(view, &fd);

	*ret_why = "no memory for the snapshot";
	return r == 0 ? view_open(fd, ret, ret_why) : r;
}

static int past_files_find(struct past_files *f, const struct past_request *q,
	struct past_answer *ret, const char **ret_why)
{
	struct archive_found found;
	int r = archive_reader_find(f->reader, q->pick, q->at_ns, &found, ret_why);

	if (r == ARCHIVE_NONE || r == ARCHIVE_DAMAGED) {
		ret->head.status = r == ARCHIVE_NONE ? PAST_NONE : PAST_DAMAGED;
		return 0;
	}
	if (r == 0)
		r = past_files_copy(found.view, &ret->view, ret_why);
	if (r < 0)
		return r;
	ret->head.marks = found.marks;
	ret->head.at_ns = found.at_ns;
	ret->head.before_ns = found.before_ns;
	ret->head.after_ns = found.after_ns;
	ret->head.oom_ns = found.oom_ns;
	return 0;
}

/* Makes the series that Q asks for, as memtally-recorder does. */
static int past_files_list(struct past_files *f, const struct past_request *q,
	struct past_answer *ret, const char **ret_why)
{
	static const struct sight all = {.kind = SIGHT_ALL};
	uint64_t from_ns = q->at_ns, until_ns = q->until_ns;
	struct past_point *points = (void *)buffer_reserve(
		&ret->bytes, PAST_POINTS_MAX * sizeof(struct past_point));
	struct archive_series series;
	struct archive_found found;
	int r = 0;

	*ret_why = "no memory for the series";
	if (!points)
		return -ENOMEM;
	ret->points = points;
	series_clamp(ret->head.first_ns, ret->head.last_ns, &from_ns, &until_ns);
	series = archive_reader_series(
		from_ns, until_ns, series_step_ns(from_ns, until_ns, q->step_ns));
	while (ret->head.points < PAST_POINTS_MAX &&
		(r = archive_reader_next(f->reader, &series, &found, ret_why)) == 0) {
		struct past_point point;

		series_point(found.view, q, &all, &point);
		point.at_ns = found.at_ns;
		point.marks = found.marks;
		series_add(points, &ret->head.points, &point);
	}
	if (r == ARCHIVE_DAMAGED)
		ret->head.status = PAST_DAMAGED;
	return r < 0 ? r : 0;
}

/* Lists the marks of the time that Q asks for. */
static int past_files_list_marks(struct past_files *f, const struct past_request *q,
	struct past_answer *ret, const char **ret_why)
{
	AUTO_FREE struct archive_mark *marks = calloc(PAST_POINTS_MAX, sizeof(*marks));
	struct past_point *points = (void *)buffer_reserve(
		&ret->bytes, PAST_POINTS_MAX * sizeof(struct past_point));
	size_t count = 0;
	int r;

	*ret_why = "no memory for the marks";
	if (!marks || !points)
		return -ENOMEM;
	ret->points = points;
	r = archive_reader_marks(f->reader, q->at_ns, q->until_ns, q->marks ? q->marks : UINT32_MAX,
		marks, PAST_POINTS_MAX, &count);
	if (r < 0) {
		*ret_why = strerror(-r);
		return r;
	}
	if (count > PAST_POINTS_MAX)
		ret->head.flags |= PAST_CUT;
	for (size_t i = 0; i < count && i < PAST_POINTS_MAX; i++)
		points[ret->head.points++] = (struct past_point){
			.at_ns = marks[i].at_ns, .marks = marks[i].marks};
	return 0;
}

int past_files_ask(struct past_files *f, const struct past_request *q, struct past_answer *ret,
	const char **ret_why)
{
	int r;

	*ret = (struct past_answer){.points = NULL};
	r = past_files_begin(f, &ret->head);
	if (r < 0) {
		*ret_why = strerror(-r);
		return r;
	}
	switch (q->pick) {
	case PAST_COVERAGE:
	case PAST_GROWTH: return 0;
	case PAST_SERIES: return past_files_list(f, q, ret, ret_why);
	case PAST_MARKS: return past_files_list_marks(f, q, ret, ret_why);
	default: return past_files_find(f, q, ret, ret_why);
	}
}
