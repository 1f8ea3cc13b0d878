/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The questions of the recorder's socket: service/question-server.h with the protocol of
 * snapshot/past.h. Trusted clients get whole images. memtally-web does, too, or asks in the name of a
 * client of its own. Other users get images with the rows of their own processes. Images that clients
 * hold are limited (service/leases.h); memtally-web, which asks for many users, has a share of its own.
 * Series and lists of marks are
 * made in parts of a few milliseconds, a series by a reader of
 * its own: one reader for several series would decode the same records again for each part. Strangers
 * get PAST_BUSY if too many series are being made.
 */
#ifndef MEMTALLY_RECORDER_PAST_SERVER_H
#define MEMTALLY_RECORDER_PAST_SERVER_H

#include <stdint.h>

#include "recorder/recording.h"
#include "recorder/verdicts.h"
#include "service/leases.h"
#include "service/question-server.h"

enum {
	PAST_SERVER_SERIES_MAX = 6,  /* series for strangers */
	PAST_SERVER_SERIES_EACH = 2, /* of one uid */
};

struct past_job;

struct past_server {
	struct recording *recording;     /* borrowed */
	const struct verdicts *verdicts; /* borrowed */
	struct leases leases;
	uint64_t userns;       /* our user namespace, by userns_id() */
	struct past_job *jobs; /* series that are being made, a list; their clients own them */
};

/* The service of a question_server with a struct past_server. */
extern const struct question_service past_server_service;

/* Initializes S, which answers from RECORDING and VERDICTS (borrowed). */
void past_server_init(
	struct past_server *s, struct recording *recording, const struct verdicts *verdicts);

/* Forgets the images that clients hold. */
void past_server_done(struct past_server *s);

#endif
