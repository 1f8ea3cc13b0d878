/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <linux/fuse.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "tests/tools/processes/blocked.h"

enum {
	ROOT_NODE = 1, /* the file of process i is node ROOT_NODE + 1 + i */
	REQUEST_SIZE = 1 << 17,
	WRITE_SIZE = 1 << 16,
};

static void answer(int dev, uint64_t request, int error, const void *data, size_t len)
{
	char text[sizeof(struct fuse_out_header) + PAGE];
	struct fuse_out_header head = {
		.len = (uint32_t)(sizeof(head) + len), .error = error, .unique = request};

	memcpy(text, &head, sizeof(head));
	if (len)
		memcpy(text + sizeof(head), data, len);
	if (write(dev, text, head.len) < 0 && errno != ENOENT)
		fprintf(stderr, "blocked: answer: %s\n", strerror(errno));
}

static struct fuse_attr attributes(uint64_t node)
{
	bool is_root = node == ROOT_NODE;

	return (struct fuse_attr){
		.ino = node,
		.mode = is_root ? S_IFDIR | 0755 : S_IFREG | 0644,
		.nlink = 1,
		.size = is_root ? 0 : PAGE,
		.blksize = PAGE,
	};
}

static void look_up(int dev, uint64_t request, const char *name)
{
	struct fuse_entry_out entry = {.entry_valid = 1000, .attr_valid = 1000};
	uint64_t index;

	if (number_parse_u64(name, strlen(name), &index) < 0 || index >= COUNT_MAX) {
		answer(dev, request, -ENOENT, NULL, 0);
		return;
	}
	entry.nodeid = ROOT_NODE + 1 + index;
	entry.attr = attributes(entry.nodeid);
	answer(dev, request, 0, &entry, sizeof(entry));
}

static void release(int dev, struct victim *v)
{
	static const char zeros[PAGE];

	if (v->pending[0])
		answer(dev, v->pending[0], 0, NULL, 0);
	if (v->pending[1])
		answer(dev, v->pending[1], 0, zeros, sizeof(zeros));
	v->pending[0] = v->pending[1] = 0;
}

static void keep(int dev, struct shared *s, struct victim *v, uint64_t request, bool is_read)
{
	v->pending[is_read] = request;
	v->holds = true;
	if (s->released)
		release(dev, v);
}

/*
 * A first read that fails leaves a page that is not up to date. The kernel asks again, and may
 * release the mmap lock for such a wait only once.
 */
static void serve_read(int dev, struct shared *s, struct victim *v, uint64_t request)
{
	if (++v->reads == 1)
		answer(dev, request, -EIO, NULL, 0);
	else
		keep(dev, s, v, request, true);
}

static void serve_one(int dev, struct shared *s, const struct fuse_in_header *in, const void *body)
{
	struct victim *v =
		&s->victim[in->nodeid > ROOT_NODE ? (in->nodeid - ROOT_NODE - 1) % COUNT_MAX : 0];

	switch (in->opcode) {
	case FUSE_INIT: {
		struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION,
			.minor = 31, /* the part of the protocol used here is of this version */
			.max_write = WRITE_SIZE};

		answer(dev, in->unique, 0, &out, sizeof(out));
		break;
	}
	case FUSE_LOOKUP: look_up(dev, in->unique, body); break;
	case FUSE_GETATTR: {
		struct fuse_attr_out out = {.attr_valid = 1000, .attr = attributes(in->nodeid)};

		answer(dev, in->unique, 0, &out, sizeof(out));
		break;
	}
	case FUSE_OPEN: {
		struct fuse_open_out out = {0};

		answer(dev, in->unique, 0, &out, sizeof(out));
		break;
	}
	case FUSE_READ: serve_read(dev, s, v, in->unique); break;
	case FUSE_FLUSH: keep(dev, s, v, in->unique, false); break;
	case FUSE_RELEASE: answer(dev, in->unique, 0, NULL, 0); break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT: break;
	default: answer(dev, in->unique, -ENOSYS, NULL, 0);
	}
}

void blocked_serve(int dev, struct shared *s)
{
	static _Alignas(struct fuse_in_header) char request[REQUEST_SIZE];
	struct pollfd ready = {.fd = dev, .events = POLLIN};

	for (;;) {
		ssize_t len = poll(&ready, 1, 50) > 0 ? read(dev, request, sizeof(request) - 1) : 0;

		if (len < 0 && errno != EINTR && errno != ENOENT && errno != EAGAIN)
			_exit(EXIT_SUCCESS);
		if (len >= (ssize_t)sizeof(struct fuse_in_header)) {
			request[len] = '\0';
			serve_one(dev, s, (const void *)request,
				request + sizeof(struct fuse_in_header));
		}
		for (size_t i = 0; s->released && i < COUNT_MAX; i++)
			release(dev, &s->victim[i]);
	}
}
