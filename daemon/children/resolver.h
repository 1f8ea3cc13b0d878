/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Name-service client
 *
 * Names of users and groups from NSS, looked up by a process without rights, the child of a child
 * (fork-server.h): a name service that hangs, crashes or is broken into does no harm to memtallyd.
 * Answers arrive at any time; memtallyd does not wait for them. That process may only read files
 * and use UNIX sockets, as to nscd, sssd or systemd: a name service that itself needs the network
 * does not work.
 */
#ifndef MEMTALLY_DAEMON_CHILDREN_RESOLVER_H
#define MEMTALLY_DAEMON_CHILDREN_RESOLVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "collectors/owners/owner-names.h"
#include "confine/account.h"
#include "daemon/children/lookup.h"

struct resolver;

/*
 * Forks the fork server as ACCOUNT, and orders the first child. Call it while memtallyd has all its
 * rights, since all later children come from the same fork server. MASTER is the uid that memtallyd
 * will have (fork_server_open()). The caller gives *RET to resolver_stop(). Returns 0; -ENOMEM; or
 * a negative errno of socketpair(), fork() or sendmsg().
 */
int resolver_start(const struct account *account, uid_t master, struct resolver **ret);

/*
 * Orders that the child is killed, if it runs, and another forked. Questions in flight are lost:
 * resolver_lost() gives them. Never waits. If no other child can be forked, for example because a
 * killed one still hangs in the kernel, resolver_answer() returns -EPIPE.
 *
 * Returns 0; -EPIPE if the fork server has exited: there will be no other child; -EBUSY if the fork
 * server has not read its last order; or a negative errno of socketpair() or sendmsg(). After an
 * error there is no child; except after -EPIPE this may be called again.
 */
int resolver_replace(struct resolver *r);

/*
 * Gives in *RET the next user or group whose question was lost by resolver_replace(), each once.
 * Returns false if there is none. The next resolver_replace() drops those not taken.
 */
bool resolver_lost(struct resolver *r, struct principal *ret);

/* Returns the number of questions without an answer. */
unsigned int resolver_in_flight(const struct resolver *r);
/* Kills the fork server and its child, and frees R. Accepts NULL; returns NULL. */
struct resolver *resolver_stop(struct resolver *r);

/*
 * Returns whether PID, a process of memtallyd's own uid, is the fork server or one of its children,
 * as fork_server_has() says. R may be NULL: false.
 */
bool resolver_has(const struct resolver *r, pid_t pid);

/*
 * Returns the descriptor to poll for input: answers, or the child's exit. It is another one after
 * resolver_replace(); -1: there is no child.
 */
int resolver_fd(const struct resolver *r);

/* Returns whether another question may be asked: at most 32 are in flight. */
bool resolver_has_room(const struct resolver *r);

/*
 * Asks for the name of PRINCIPAL. Returns 0; -EAGAIN if there is no room for another question;
 * -EPIPE if the child has exited.
 */
int resolver_ask(struct resolver *r, const struct principal *principal);

/*
 * Takes the answer to the oldest question into *RET. Returns 0; -EAGAIN if none has arrived; -EPIPE
 * if the child has exited: no answers will come; -EPROTO if the message is no such answer: the
 * child is killed, and no answers are to be read from it.
 *
 * A name service may have broken into the child: use nothing of its answers but names, as unsafe
 * text.
 */
int resolver_answer(struct resolver *r, struct lookup_message *ret);

static inline void cleanup_resolver(struct resolver **r)
{
	resolver_stop(*r);
}
#define AUTO_RESOLVER CLEANUP(cleanup_resolver)

#endif
