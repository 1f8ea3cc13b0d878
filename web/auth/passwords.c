/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread works on jobs only; users, passwords that were right, and connections belong to the
 * loop. The thread allocates nothing, so that malloc() creates no second arena. A hash cannot be
 * interrupted, and the end of the program should not wait for it. So whichever of thread and loop
 * leaves last frees what they share.
 */
#include "config.h"

#include "web/auth/passwords.h"

#include <errno.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "web/auth/bcrypt.h"

enum {
	DIGEST_SIZE = 32, /* SHA-256 */
	STACK_SIZE = 256 * 1024,
	END_WAIT_MS = 500,
};

struct digest {
	unsigned char byte[DIGEST_SIZE];
};

struct job {
	struct job *next;
	void *context;
	unsigned int generation;
	unsigned int most; /* cost of the costliest hash */
	size_t user;       /* index */
	bool is_known;
	bool is_right; /* the result */
	char password[CREDENTIALS_PASSWORD_SIZE];
	char hash[WEBCONFIG_HASH_LEN + 1];
	struct digest digest; /* of name and password */
};

struct queue {
	struct job *first, **end;
};

/* Shared by loop and thread, and protected by .lock. */
struct workshop {
	pthread_mutex_t lock;
	pthread_cond_t has_work, is_left;
	struct queue waiting, done;
	int event_fd;
	bool ends;
	bool has_thread; /* the thread runs */
	bool has_owner;
	struct crypt_data memory; /* for the thread only */
};

/* One user of the configuration. */
struct known {
	struct digest name;
	struct digest right; /* of the name and the last password that was right */
	bool was_right;
};

struct passwords {
	const struct webconfig *config; /* borrowed */
	struct known *known;            /* owned; one for each user of .config */
	unsigned int most;
	unsigned int generation;
	size_t asked; /* jobs that passwords_take() has not taken yet */
	unsigned char key[DIGEST_SIZE];
	struct workshop *workshop;
};

static void queue_init(struct queue *q)
{
	q->first = NULL;
	q->end = &q->first;
}

static void queue_add(struct queue *q, struct job *job)
{
	job->next = NULL;
	*q->end = job;
	q->end = &job->next;
}

static struct job *queue_take(struct queue *q)
{
	struct job *job = q->first;

	if (!job)
		return NULL;
	q->first = job->next;
	if (!q->first)
		q->end = &q->first;
	return job;
}

static void job_free(struct job *job)
{
	explicit_bzero(job, sizeof(*job));
	free(job);
}

/* Frees W. Called by whichever of loop and thread leaves last. */
static void workshop_free(struct workshop *w)
{
	struct job *job;

	while ((job = queue_take(&w->waiting)))
		job_free(job);
	while ((job = queue_take(&w->done)))
		job_free(job);
	fd_close(w->event_fd);
	pthread_cond_destroy(&w->has_work);
	pthread_cond_destroy(&w->is_left);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

static void *passwords_work(void *workshop)
{
	const uint64_t one = 1;
	struct workshop *w = workshop;
	bool is_last;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		struct job *job;

		while (!w->waiting.first && !w->ends)
			pthread_cond_wait(&w->has_work, &w->lock);
		if (w->ends)
			break;
		job = queue_take(&w->waiting);
		pthread_mutex_unlock(&w->lock);
		job->is_right = bcrypt_check(
			job->password, job->is_known ? job->hash : NULL, job->most, &w->memory);
		pthread_mutex_lock(&w->lock);
		queue_add(&w->done, job);
		(void)!write(w->event_fd, &one, sizeof(one));
	}
	w->has_thread = false;
	is_last = !w->has_owner;
	pthread_cond_signal(&w->is_left);
	pthread_mutex_unlock(&w->lock);
	if (is_last)
		workshop_free(w);
	return NULL;
}

static int workshop_new(struct workshop **ret)
{
	struct workshop *w = calloc(1, sizeof(*w));
	pthread_condattr_t monotonic;

	if (!w)
		return -ENOMEM;
	w->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->event_fd < 0) {
		int r = -errno;

		free(w);
		return r;
	}
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&w->has_work, NULL);
	pthread_cond_init(&w->is_left, &monotonic);
	pthread_condattr_destroy(&monotonic);
	queue_init(&w->waiting);
	queue_init(&w->done);
	w->has_owner = true;
	*ret = w;
	return 0;
}

static int start_thread(struct workshop *w)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int r = pthread_attr_init(&attributes);

	if (r)
		return -r;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	w->has_thread = true;
	r = pthread_create(&thread, &attributes, passwords_work, w);
	if (r)
		w->has_thread = false;
	pthread_attr_destroy(&attributes);
	return -r;
}

static void passwords_leave(struct workshop *w)
{
	struct timespec until;
	bool is_last;
	int r = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += END_WAIT_MS * 1000 * 1000;
	if (until.tv_nsec >= 1000 * 1000 * 1000) {
		until.tv_nsec -= 1000 * 1000 * 1000;
		until.tv_sec++;
	}
	pthread_mutex_lock(&w->lock);
	w->ends = true;
	pthread_cond_signal(&w->has_work);
	while (w->has_thread && r == 0)
		r = pthread_cond_timedwait(&w->is_left, &w->lock, &until);
	w->has_owner = false;
	is_last = !w->has_thread;
	pthread_mutex_unlock(&w->lock);
	if (is_last)
		workshop_free(w);
}

int passwords_new(struct passwords **ret)
{
	struct passwords *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return -ENOMEM;
	r = getrandom(p->key, sizeof(p->key), 0) == (ssize_t)sizeof(p->key) ? 0 : -EIO;
	if (r == 0)
		r = workshop_new(&p->workshop);
	if (r < 0) {
		free(p);
		return r;
	}
	*ret = p;
	return 0;
}

struct passwords *passwords_free(struct passwords *p)
{
	if (!p)
		return NULL;
	passwords_leave(p->workshop);
	free(p->known);
	explicit_bzero(p, sizeof(*p));
	free(p);
	return NULL;
}

int passwords_fd(const struct passwords *p)
{
	return p->workshop->event_fd;
}

/*
 * Hashes NAME, its terminator and PASSWORD with P's key. Neither contains a NUL, so different pairs
 * give different input. PASSWORD may be NULL. Returns 0, -ENOMEM or -EIO.
 */
static int make_digest(
	const struct passwords *p, const char *name, const char *password, struct digest *ret)
{
	gnutls_hmac_hd_t hmac;
	int r = gnutls_hmac_init(&hmac, GNUTLS_MAC_SHA256, p->key, sizeof(p->key));

	if (r < 0)
		return -ENOMEM;
	r = gnutls_hmac(hmac, name, strlen(name) + 1);
	if (r == 0 && password)
		r = gnutls_hmac(hmac, password, strlen(password));
	gnutls_hmac_deinit(hmac, ret->byte);
	return r < 0 ? -EIO : 0;
}

static bool is_digest(const struct digest *a, const struct digest *b)
{
	return gnutls_memcmp(a->byte, b->byte, sizeof(a->byte)) == 0;
}

static bool has_thread(struct workshop *w)
{
	bool has;

	pthread_mutex_lock(&w->lock);
	has = w->has_thread;
	pthread_mutex_unlock(&w->lock);
	return has;
}

int passwords_set(struct passwords *p, const struct webconfig *config)
{
	size_t users = config ? config->users : 0;
	AUTO_FREE struct known *known = calloc(users + 1, sizeof(*known));
	unsigned int most = WEBCONFIG_COST_MIN;
	int r = known ? 0 : -ENOMEM;

	for (size_t i = 0; i < users && r == 0; i++) {
		unsigned int cost = bcrypt_cost(config->user[i].hash);

		most = cost > most ? cost : most;
		r = make_digest(p, config->user[i].name, NULL, &known[i].name);
	}
	if (r == 0 && users && !has_thread(p->workshop))
		r = start_thread(p->workshop);
	if (r < 0)
		return r;
	free(p->known);
	p->known = TAKE_PTR(known);
	p->config = config;
	p->most = most;
	p->generation++;
	return 0;
}

/* Compares all users, so that the time does not depend on the position of the name. */
static bool passwords_find(const struct passwords *p, const struct digest *name, size_t *ret)
{
	size_t users = p->config ? p->config->users : 0;
	bool found = false;

	for (size_t i = 0; i < users; i++)
		if (is_digest(&p->known[i].name, name)) {
			*ret = i;
			found = true;
		}
	return found;
}

static void passwords_give(struct workshop *w, struct job *job)
{
	pthread_mutex_lock(&w->lock);
	queue_add(&w->waiting, job);
	pthread_cond_signal(&w->has_work);
	pthread_mutex_unlock(&w->lock);
}

enum passwords_verdict passwords_ask(
	struct passwords *p, const struct credentials *c, void *context)
{
	struct digest name, both;
	struct job *job;
	size_t user = 0;
	bool is_known;

	if (make_digest(p, c->name, NULL, &name) < 0 ||
		make_digest(p, c->name, c->password, &both) < 0)
		return PASSWORDS_BUSY;
	is_known = passwords_find(p, &name, &user);
	if (is_known && p->known[user].was_right && is_digest(&p->known[user].right, &both))
		return PASSWORDS_RIGHT;
	job = p->asked < PASSWORDS_WAITING ? calloc(1, sizeof(*job)) : NULL;
	if (!job)
		return PASSWORDS_BUSY;
	job->context = context;
	job->generation = p->generation;
	job->most = p->most;
	job->user = user;
	job->is_known = is_known;
	job->digest = both;
	memcpy(job->password, c->password, sizeof(job->password));
	if (is_known)
		memcpy(job->hash, p->config->user[user].hash, sizeof(job->hash));
	p->asked++;
	passwords_give(p->workshop, job);
	return PASSWORDS_LATER;
}

bool passwords_take(struct passwords *p, void **ret_context, enum passwords_verdict *ret)
{
	struct workshop *w = p->workshop;
	struct job *job;
	uint64_t count;

	(void)!read(w->event_fd, &count, sizeof(count));
	pthread_mutex_lock(&w->lock);
	job = queue_take(&w->done);
	pthread_mutex_unlock(&w->lock);
	if (!job)
		return false;
	p->asked--;
	*ret_context = job->context;
	*ret = job->generation != p->generation ? PASSWORDS_AGAIN
	       : job->is_known && job->is_right ? PASSWORDS_RIGHT
	                                        : PASSWORDS_WRONG;
	if (*ret == PASSWORDS_RIGHT) {
		p->known[job->user].right = job->digest;
		p->known[job->user].was_right = true;
	}
	job_free(job);
	return true;
}
