/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A change of a file is noticed by what stat() says, not by its content: a program that replaces a
 * file makes another inode or another time, and keys should not be read twice a second without
 * need. stat() is called before the file is read, so that a change during the read is noticed, too.
 */
#include "config.h"

#include "web/auth/access.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/faults.h"
#include "base/os/file.h"
#include "config/settings.h"

enum {
	FILES = 4,          /* configuration, certificate, key, client authorities */
	FILE_MAX = 1 << 20, /* bytes */
};

/* Identifies one version of a file; all 0 if there is no file. */
struct identity {
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec written, changed; /* mtime, ctime */
};

struct access_file {
	char *path; /* owned */
	struct identity identity;
};

struct access {
	struct access_file file[FILES];
	size_t files;
	struct webconfig config;
	struct tls *tls;
};

struct access *access_free(struct access *a)
{
	if (!a)
		return NULL;
	for (size_t i = 0; i < a->files; i++)
		free(a->file[i].path);
	webconfig_done(&a->config);
	tls_unref(a->tls);
	free(a);
	return NULL;
}

/* Compares field by field: the padding is undefined. */
static struct identity access_identify(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return (struct identity){0};
	return (struct identity){st.st_dev, st.st_ino, st.st_size, st.st_mtim, st.st_ctim};
}

static bool is_same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool access_is_same(const struct identity *a, const struct identity *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       is_same_time(a->written, b->written) && is_same_time(a->changed, b->changed);
}

/* Reads the file at PATH and adds it to the files of A. */
static int access_read_file(struct access *a, const char *path, struct buffer *to)
{
	struct access_file *f = &a->file[a->files];

	f->path = strdup(path);
	if (!f->path)
		return -ENOMEM;
	a->files++;
	f->identity = access_identify(path);
	return file_read_all(AT_FDCWD, path, FILE_MAX, to);
}

/*
 * Makes *RET, PATH relative to the directory of the file CONFIG. The caller frees it. Returns 0 or
 * -ENOMEM.
 */
static int access_resolve(const char *config, const char *path, char **ret)
{
	const char *slash = strrchr(config, '/');

	if (path[0] == '/' || !slash)
		*ret = strdup(path);
	else if (asprintf(ret, "%.*s/%s", (int)(slash - config), config, path) < 0)
		*ret = NULL;
	return *ret ? 0 : -ENOMEM;
}

/*
 * Appends the text of PEM to TO. Returns 0 or a negative errno; unless it is -ENOMEM, one more
 * fault is in FAULTS.
 */
static int read_pem(struct access *a, const struct webconfig_pem *pem, const char *key,
	struct buffer *to, struct faults *faults)
{
	AUTO_FREE char *path = NULL;
	int r;

	if (pem->text)
		buffer_add_text(to, pem->text);
	if (!pem->path)
		return to->error;
	r = access_resolve(faults->path, pem->path, &path);
	if (r == 0)
		r = access_read_file(a, path, to);
	if (r < 0 && r != -ENOMEM)
		faults_add(faults, pem->line, "%s: expected a file that can be read: %s: %s", key,
			path, strerror(-r));
	return r;
}

/* Reads all three texts, so that every file that cannot be read is reported. */
static int read_texts(struct access *a, struct tls_texts *to, struct faults *faults)
{
	const struct webconfig_tls *c = &a->config.tls;
	const int results[] = {
		read_pem(a, &c->cert, "cert_file", &to->cert, faults),
		read_pem(a, &c->key, "key_file", &to->key, faults),
		read_pem(a, &c->client_ca, "client_ca_file", &to->client_ca, faults),
	};

	for (size_t i = 0; i < ARRAY_SIZE(results); i++)
		if (results[i] < 0)
			return results[i];
	return 0;
}

/* Frees B after its bytes are overwritten: they may be a key or a hash of a password. */
static void wipe_buffer(struct buffer *b)
{
	if (b->data)
		explicit_bzero(b->data, b->len);
	buffer_done(b);
}

static void texts_done(struct tls_texts *t)
{
	wipe_buffer(&t->cert);
	wipe_buffer(&t->key);
	wipe_buffer(&t->client_ca);
}

static int load_tls(struct access *a, char error[static SETTINGS_ERROR_SIZE])
{
	CLEANUP(texts_done) struct tls_texts texts = {0};
	struct faults faults;
	int r;

	faults_init(&faults, a->file[0].path, error, SETTINGS_ERROR_SIZE);
	r = read_texts(a, &texts, &faults);
	return r == 0 ? tls_new(&a->config.tls, &texts, &faults, &a->tls) : r;
}

static int access_load_files(
	struct access *a, const char *path, char error[static SETTINGS_ERROR_SIZE])
{
	CLEANUP(wipe_buffer) struct buffer text = {0};
	int r = access_read_file(a, path, &text);

	if (r < 0) {
		snprintf(error, SETTINGS_ERROR_SIZE, "%.300s: %s", path, strerror(-r));
		return r;
	}
	r = webconfig_parse(path, text.data, text.len, &a->config, error);
	return r == 0 && a->config.tls.is_on ? load_tls(a, error) : r;
}

int access_load(const char *path, struct access **ret, struct access **ret_refused,
	char error[static SETTINGS_ERROR_SIZE])
{
	AUTO_ACCESS struct access *a = calloc(1, sizeof(*a));
	int r = a ? 0 : -ENOMEM;

	error[0] = 0;
	if (r == 0 && path)
		r = access_load_files(a, path, error);
	if (r == -ENOMEM)
		snprintf(error, SETTINGS_ERROR_SIZE, "out of memory");
	if (r < 0 && ret_refused)
		*ret_refused = TAKE_PTR(a);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(a);
	return 0;
}

/*
 * Goes by the ctime, which rename() also sets. A ctime in the future counts as settled, since
 * waiting for it may take for ever.
 */
static bool access_is_settled(const struct identity *i, uint64_t now_realtime_ns)
{
	uint64_t changed_ns = (uint64_t)i->changed.tv_sec * NS_PER_SEC +
	                      (uint64_t)i->changed.tv_nsec;

	return changed_ns > now_realtime_ns || now_realtime_ns - changed_ns >= ACCESS_SETTLE_NS;
}

bool access_has_changed(const struct access *a, uint64_t now_realtime_ns)
{
	bool has_changed = false;

	for (size_t i = 0; i < a->files; i++) {
		struct identity now = access_identify(a->file[i].path);

		if (access_is_same(&now, &a->file[i].identity))
			continue;
		if (!access_is_settled(&now, now_realtime_ns))
			return false;
		has_changed = true;
	}
	return has_changed;
}

const char *access_file(const struct access *a, size_t index)
{
	return index < a->files ? a->file[index].path : NULL;
}

const struct webconfig *access_config(const struct access *a)
{
	return &a->config;
}

struct tls *access_tls(const struct access *a)
{
	return a->tls;
}

bool access_authenticates(const struct access *a)
{
	return a->config.users || (a->tls && tls_authenticates(a->tls));
}

bool access_is_fit_for(const struct access *a, const struct listen_set *set, const char **ret_name)
{
	if (a->tls && access_authenticates(a))
		return true;
	for (size_t i = 0; i < set->count; i++)
		if (!set->socket[i].is_local) {
			*ret_name = set->socket[i].name;
			return false;
		}
	return true;
}
