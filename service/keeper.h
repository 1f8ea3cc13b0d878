/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keepers
 *
 * A keeper is a service that receives snapshots, keeps files in a directory of its own, and answers
 * questions from them: memtally-ledger and memtally-recorder. Here are its start, its loop and its
 * end. The service itself enters its sandbox between keeper_open() and the opening of its files.
 */
#ifndef MEMTALLY_SERVICE_KEEPER_H
#define MEMTALLY_SERVICE_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/os/peer.h"
#include "service/loop.h"
#include "service/question-server.h"

struct keeper {
	char *directory;    /* owned; absolute, without symbolic links */
	const char *socket; /* path of the socket that it has made; NULL: systemd passed it */
	struct peer_rules rules;
	struct loop loop;
	struct question_server server;
	bool stops; /* a signal to stop has come */
};

/* All are borrowed for the life of the keeper. */
struct keeper_options {
	const char *name;      /* of the service, in messages: "ledger" */
	const char *snapshots; /* path of memtallyd's socket */
	const char *directory;
	size_t directory_max; /* longest path of the directory, in bytes */
	const char *socket;   /* path of the socket for questions */
	const struct question_service *service;
	void *context; /* of .service */
};

/*
 * Opens K: looks up the directory, the sockets, and the users that see more than others. A write
 * beyond RLIMIT_FSIZE fails from now on. Returns 0 or a negative errno, which is logged. The caller
 * gives K to keeper_done() in any case.
 */
int keeper_open(struct keeper *k, const struct keeper_options *o);

/* Call when all rights are given up and the files are open: tells the service manager. */
void keeper_ready(struct keeper *k);

/*
 * Waits for signals, snapshots, questions, or until DUE_NS (CLOCK_MONOTONIC; UINT64_MAX: no limit).
 * Sets *RET_NOW_NS to the time after it. Returns true, also once with K->stops set after a signal;
 * then false, or if waiting is impossible, which is logged: the service must end.
 */
bool keeper_wait(struct keeper *k, uint64_t due_ns, uint64_t *ret_now_ns);

/* Receives and answers questions at NOW_NS (CLOCK_MONOTONIC), and sends the watchdog message. */
void keeper_answer(struct keeper *k, uint64_t now_ns);

/*
 * Disconnects the clients and removes the socket that K has made, for a service that may wait long while
 * it closes its files.
 */
void keeper_leave(struct keeper *k);

/* Closes K, after keeper_leave() if that was not called. Call it when the files are closed. */
void keeper_done(struct keeper *k);

#endif
