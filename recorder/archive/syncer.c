/* SPDX-License-Identifier: Apache-2.0 */
/* The thread allocates nothing, so that malloc() creates no second arena. */
#include "config.h"

#include "recorder/archive/syncer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

enum { STACK_SIZE = 256 * 1024 };

/*
 * Closes FD, which no longer waits: the last close of a removed file may take long. The caller has the
 * lock, which others get meanwhile.
 */
static void syncer_close(struct syncer *s, int fd)
{
	s->is_closing = true;
	pthread_cond_broadcast(&s->changed); /* another file can wait */
	pthread_mutex_unlock(&s->lock);
	fd_close(fd);
	pthread_mutex_lock(&s->lock);
	s->is_closing = false;
}

static bool is_busy(const struct syncer *s)
{
	return s->files || s->is_closing;
}

/* Synchronizes the file that waits longest. The caller has the lock, which others get meanwhile. */
static void syncer_next(struct syncer *s)
{
	struct syncer_file file = s->file[0];
	int error;

	s->is_begun = true;
	pthread_mutex_unlock(&s->lock);
	error = (file.owner == SYNCER_FOLDER ? fsync(file.fd) : fdatasync(file.fd)) < 0 ? -errno
	                                                                                : 0;
	pthread_mutex_lock(&s->lock);
	s->is_begun = false;
	if (error) {
		s->failure[file.owner].error = error;
		s->failure[file.owner].number = file.number;
		s->failure[file.owner].is_new = true;
	}
	file.is_released = s->file[0].is_released;
	s->files--;
	memmove(s->file, s->file + 1, s->files * sizeof(s->file[0]));
	if (file.is_released)
		syncer_close(s, file.fd);
	pthread_cond_broadcast(&s->changed);
}

static void *syncer_work(void *syncer)
{
	struct syncer *s = syncer;

	pthread_mutex_lock(&s->lock);
	while (s->files || !s->ends) {
		if (s->files)
			syncer_next(s);
		else
			pthread_cond_wait(&s->changed, &s->lock);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

int syncer_init(struct syncer *s)
{
	pthread_attr_t attributes;
	int error = pthread_attr_init(&attributes);

	if (error)
		return -error;
	*s = (struct syncer){.files = 0};
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	error = pthread_create(&s->thread, &attributes, syncer_work, s);
	pthread_attr_destroy(&attributes);
	return -error;
}

void syncer_done(struct syncer *s)
{
	pthread_mutex_lock(&s->lock);
	s->ends = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
}

void syncer_add(struct syncer *s, int fd, unsigned int owner, uint64_t number)
{
	bool waits = false;

	pthread_mutex_lock(&s->lock);
	while (s->files == SYNCER_WAITING)
		pthread_cond_wait(&s->changed, &s->lock);
	/* A call that has begun may miss what was written since. */
	for (size_t i = s->is_begun; i < s->files; i++)
		waits |= s->file[i].fd == fd;
	if (!waits)
		s->file[s->files++] = (struct syncer_file){fd, owner, number, false};
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

int syncer_release(struct syncer *s, int fd)
{
	struct syncer_file *last = NULL;

	if (fd < 0)
		return fd;
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->files; i++)
		if (s->file[i].fd == fd)
			last = &s->file[i];
	if (last)
		last->is_released = true;
	pthread_mutex_unlock(&s->lock);
	return last ? -1 : fd_close(fd);
}

bool syncer_is_busy(struct syncer *s)
{
	bool busy;

	pthread_mutex_lock(&s->lock);
	busy = is_busy(s);
	pthread_mutex_unlock(&s->lock);
	return busy;
}

void syncer_wait(struct syncer *s)
{
	pthread_mutex_lock(&s->lock);
	while (is_busy(s))
		pthread_cond_wait(&s->changed, &s->lock);
	pthread_mutex_unlock(&s->lock);
}

int syncer_failure(struct syncer *s, unsigned int owner, uint64_t *ret_number)
{
	int error;

	pthread_mutex_lock(&s->lock);
	error = s->failure[owner].is_new ? s->failure[owner].error : 0;
	if (error)
		*ret_number = s->failure[owner].number;
	s->failure[owner].is_new = false;
	pthread_mutex_unlock(&s->lock);
	return error;
}

bool syncer_has_failed(struct syncer *s, unsigned int owner, uint64_t number)
{
	bool has_failed;

	pthread_mutex_lock(&s->lock);
	has_failed = s->failure[owner].error && s->failure[owner].number == number;
	pthread_mutex_unlock(&s->lock);
	return has_failed;
}
