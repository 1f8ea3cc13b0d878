/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names from NSS, asked by a process without rights, a child's child (nursery.h): a name service that hangs, crashes or is
 * broken into takes nothing of memtallyd along. Answers come when they come; nobody waits for them. That process makes
 * no system calls but those of reading files and talking over UNIX sockets, as to nscd, sssd or systemd: a name service
 * that would go out to the network itself is refused that.
 */
#ifndef MEMTALLY_DAEMON_RESOLVER_H
#define MEMTALLY_DAEMON_RESOLVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "collectors/names.h"
#include "confine/account.h"

struct resolver;

/*
 * Has a child forked, which works as ACCOUNT. MASTER is the uid that we have later. To be called while we have all rights:
 * all the others are made in the same way. Errors of socketpair and fork.
 */
int resolver_start(const struct account *account, uid_t master, struct resolver **ret);

/*
 * Has the child ended, if it has not ended, and another forked, which takes over none of the questions under way:
 * resolver_lost() gives them. Never waits: where there can't be another, as one that was ended before still hangs in the kernel,
 * its channel ends at once. -EPIPE: there will never be another, since who forks them has ended; -EBUSY: that one does
 * not listen; errors of socketpair and sendmsg. After any of these there is no child; but for -EPIPE this may be tried again.
 */
int resolver_replace(struct resolver *r);

/* Takes the next whose question was lost; false: none is left. */
bool resolver_lost(struct resolver *r, struct principal *ret);

/* How many questions are under way. */
unsigned int resolver_in_flight(const struct resolver *r);
struct resolver *resolver_stop(struct resolver *r); /* accepts NULL; returns NULL */

/* Whether PID, of our own uid, works for R, which may be NULL; see nursery_has(). */
bool resolver_has(const struct resolver *r, pid_t pid);

int resolver_fd(const struct resolver *r); /* readable when an answer has come */

/* Whether another question may be put: few are under way at a time. */
bool resolver_has_room(const struct resolver *r);

enum { RESOLVER_NAME_SIZE = 256 };

enum resolver_result {
	RESOLVER_FOUND,
	RESOLVER_ABSENT, /* there is none */
	RESOLVER_FAILED, /* the name service could not say: ask again later */
};

/* What a user or a group is called. */
struct resolver_message {
	struct principal who;
	enum resolver_result result;
	char name[RESOLVER_NAME_SIZE];
};

/* Asks what WHO is called. -EAGAIN: no room; -EPIPE: the child is gone. */
int resolver_ask(struct resolver *r, const struct principal *who);

/*
 * Takes an answer, to the oldest question under way. 0; -EAGAIN: none has come; -EPIPE: the child is gone, and nothing
 * more will come; -EPROTO: neither, for it has said something else than that, and is ended. The child may be anybody's
 * who answers for a name service, and nothing but what a user is called is to be taken from it.
 */
int resolver_answer(struct resolver *r, struct resolver_message *ret);

static inline void cleanup_resolver(struct resolver **r)
{
	resolver_stop(*r);
}
#define AUTO_RESOLVER CLEANUP(cleanup_resolver)

#endif
