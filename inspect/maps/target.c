/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/maps/target.h"

#include <errno.h>

#include "base/clock.h"
#include "base/os/file.h"

const char *target_text(enum target_outcome outcome)
{
	static const char *const texts[TARGET_OUTCOMES] = {
		[TARGET_KERNEL_THREAD] = "is a kernel thread, which has no memory of its own",
		[TARGET_ENDED] = "has exited: it has no memory",
		[TARGET_GONE] = "was not found",
		[TARGET_DENIED] = "is refused by the kernel",
		[TARGET_CHANGED] = "executed another program while it was read",
		[TARGET_BLOCKED] =
			"is blocked: the kernel keeps the readers of its files in /proc waiting",
	};

	return texts[outcome];
}

static int outcome_of_error(int error)
{
	switch (error) {
	case -ESRCH:
	case -ENOENT: return TARGET_GONE;
	case -EACCES:
	case -EPERM: return TARGET_DENIED;
	default: return error;
	}
}

/*
 * Tells why T has no memory: it is a kernel thread, or it has exited. The kernel may take seconds
 * until the state shows an exit.
 */
static int why_without(struct target *t)
{
	AUTO_CLOSE int fd = process_open(&t->reader, &t->process, "stat");
	char text[4096];
	struct stat_info stat;
	size_t len;
	int r = fd < 0 ? fd : file_read_fd(fd, text, sizeof(text), &len);

	if (r == 0)
		r = stat_parse(text, len, &stat);
	if (r != 0)
		return outcome_of_error(r);
	return stat.is_kernel_thread ? TARGET_KERNEL_THREAD : TARGET_ENDED;
}

static int target_look(struct target *t, struct sample *ret)
{
	int r = process_look(&t->reader, &t->process, clock_now_ns(CLOCK_MONOTONIC), ret);

	if (r < 0)
		return r;
	switch (ret->outcome) {
	case OUTCOME_MEASURED: return 0;
	case OUTCOME_DENIED: return TARGET_DENIED;
	case OUTCOME_GONE: return TARGET_GONE;
	case OUTCOME_NO_MM: return why_without(t);
	case OUTCOME_CHANGING: return TARGET_CHANGED;
	case OUTCOME_BLOCKED: return TARGET_BLOCKED;
	case OUTCOME_MALFORMED: return -EBADMSG;
	default: return -EIO;
	}
}

int target_open(const struct procfs *procfs, pid_t pid, struct target *ret)
{
	int r;

	*ret = (struct target){.reader = {.procfs = procfs, .kept_max = 1}};
	process_init(&ret->process, pid);
	r = target_look(ret, &ret->sample);
	buffer_add(&ret->program, ret->reader.program.data, ret->reader.program.len);
	buffer_add_char(&ret->program, '\0');
	if (r == 0)
		r = ret->program.error;
	if (r != 0)
		target_done(ret);
	return r;
}

void target_done(struct target *t)
{
	process_release(&t->reader, &t->process);
	process_done(&t->process);
	process_reader_done(&t->reader);
	buffer_done(&t->program);
}

const char *target_program(const struct target *t)
{
	return t->program.data;
}

int target_file(struct target *t, const char *file, int *ret_fd)
{
	int fd = process_open(&t->reader, &t->process, file);

	if (fd < 0)
		return outcome_of_error(fd);
	*ret_fd = fd;
	return 0;
}

int target_confirm(struct target *t)
{
	struct sample sample;
	int r = target_look(t, &sample);

	return r == 0 && sample.is_new_image ? TARGET_CHANGED : r;
}

static int target_read_file(struct target *t, const char *file, mapping_taker take, void *context)
{
	AUTO_CLOSE int fd = -1;
	int r = target_file(t, file, &fd);

	return r == 0 ? mapping_read(fd, take, context) : r;
}

int target_mappings(struct target *t, mapping_taker take, void *context)
{
	return target_read_file(t, "smaps", take, context);
}

int target_places(struct target *t, mapping_taker take, void *context)
{
	return target_read_file(t, "maps", take, context);
}

int target_end(struct target *t, int r)
{
	int confirmed = r == -ENOMEM ? 0 : target_confirm(t);

	/* the thread by which the process was read has exited, but not the process */
	if (r == -ESRCH || r == TARGET_GONE)
		r = TARGET_CHANGED;
	return confirmed > 0 || (confirmed < 0 && r == 0) ? confirmed : r;
}

int target_walk(struct target *t, mapping_taker take, void *context)
{
	return target_end(t, target_mappings(t, take, context));
}
