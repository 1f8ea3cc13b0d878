/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/slices.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"

enum {
	/* seq_file stops at the first mapping whose text reaches this: one or two of them, each of 700 bytes */
	SLICE_SIZE = 1024,
};

void slices_init(struct slices *s)
{
	*s = (struct slices){.fd = -1};
}

void slices_done(struct slices *s)
{
	slices_drop(s);
	smaps_parser_done(&s->parser);
}

void slices_drop(struct slices *s)
{
	s->fd = fd_close(s->fd);
	s->process = NULL;
}

/* No walk: what the look found stays, but that it is no measurement. */
static int fail(struct slices *s, int error, struct sample *ret)
{
	slices_drop(s);
	if (error == -ENOMEM)
		return error;
	ret->outcome = error == -EACCES || error == -EPERM ? OUTCOME_DENIED
	               : error == -ESRCH                   ? OUTCOME_CHANGING
	               : error == -EBADMSG                 ? OUTCOME_MALFORMED
	                                                   : OUTCOME_ERROR;
	return 0;
}

int slices_begin(struct slices *s, struct process_reader *r, struct process *p, uint64_t now_ns,
	struct sample *ret)
{
	char path[PROCESS_PATH_SIZE];
	bool is_owned;
	int e = process_look(r, p, now_ns, ret), dirfd;

	slices_drop(s);
	if (e < 0 || ret->outcome != OUTCOME_MEASURED)
		return e;
	dirfd = process_directory(r, p, &is_owned);
	if (dirfd < 0)
		return fail(s, dirfd, ret);
	s->fd = openat(dirfd, process_path(p, "smaps", path), O_RDONLY | O_CLOEXEC);
	e = s->fd < 0 ? -errno : 0;
	if (is_owned)
		close(dirfd);
	if (e < 0)
		return fail(s, e, ret);
	s->process = p;
	s->count = s->largest_rss = 0;
	smaps_parser_init(&s->parser);
	return 0;
}

/* The end of the text, or of the process: process_take() finds out. */
static int end(struct slices *s, struct process_reader *r, uint64_t now_ns, struct sample *ret)
{
	struct process *p = s->process;
	struct smaps walked;
	int e = smaps_parser_end(&s->parser, &walked);

	s->largest_rss = s->parser.largest_rss;
	slices_drop(s);
	if (e == 0)
		return process_take(r, p, now_ns, &walked, ret);
	/* Cut off within a line, or empty: of a live process that would be malformed. */
	e = process_look(r, p, now_ns, ret);
	if (e == 0 && ret->outcome == OUTCOME_MEASURED)
		ret->outcome = ret->is_new_image ? OUTCOME_CHANGING : OUTCOME_MALFORMED;
	return e;
}

int slices_step(struct slices *s, struct process_reader *r, uint64_t now_ns, struct sample *ret)
{
	char text[SLICE_SIZE];
	ssize_t n;
	int e;

	do
		n = read(s->fd, text, sizeof(text));
	while (n < 0 && errno == EINTR);
	s->count++;
	if (n > 0) {
		e = smaps_parser_feed(&s->parser, text, (size_t)n);
		if (e == 0)
			return SLICES_MORE;
	} else if (n == 0 || errno == ESRCH) {
		return end(s, r, now_ns, ret);
	} else {
		e = -errno;
	}
	*ret = (struct sample){.is_member = s->process->known, .uid = s->process->uid};
	return fail(s, e, ret);
}
