/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images that were handed out and that somebody still has, by whom they were handed to. Their memory is memtallyd's until the last
 * descriptor, mapping and message with one is gone, whoever has it: so there is a bound to what is lent.
 */
#ifndef MEMTALLY_DAEMON_LENT_H
#define MEMTALLY_DAEMON_LENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

/* To whom: a stranger's uid, or one of these. */
#define LENT_PRIVILEGED ((int64_t)-1) /* all of them, who share images */
#define LENT_TOGETHER                                                                              \
	((int64_t)-2) /* strangers who share one: of whom nobody knows which one has it */

#define LENT_BYTES (UINT64_C(64) << 20)

enum {
	LENT_USER_MAX =
		8, /* images of one stranger: his connections may have an old one and a new one each */
	LENT_STRANGERS_MAX = 64,
	LENT_PRIVILEGED_SURE =
		8, /* however large; memtally-web keeps one for each list that is on its way */
	LENT_PRIVILEGED_MAX = 256,
	LENT_MAX = LENT_STRANGERS_MAX + LENT_PRIVILEGED_MAX,
};

/* How much strangers, or the privileged, have. */
struct lent_sum {
	unsigned int count;
	uint64_t bytes;
};

struct lent_image {
	int watch;
	int64_t who;
	uint64_t bytes;
};

struct lent {
	int fd; /* of the watches; -1: there is none yet */
	unsigned int count;
	struct lent_image image[LENT_MAX];
};

enum lent_outcome {
	LENT_USER_FULL = 1, /* that stranger has to give something back first */
	LENT_FULL = 2,      /* strangers, or the privileged, have as much as they may */
};

void lent_init(struct lent *l);
void lent_done(struct lent *l);

/* Whether WHO may be handed one more, of the size of FD: 0, an outcome, or fstat()'s error. */
int lent_judge(struct lent *l, int64_t who, int fd);

/*
 * FD (borrowed, a memfd) is handed to WHO from now on, and counts until it is closed everywhere, here too. An outcome, or an
 * error of fstat() and inotify: it does not count and may not be handed out.
 */
int lent_add(struct lent *l, int64_t who, int fd);

/* What all strangers (WHO is any of them), or LENT_PRIVILEGED, have not given back. */
void lent_sum(struct lent *l, int64_t who, struct lent_sum *ret);

/*
 * Whether strangers have so much already that more of them are to share one: else a crowd of users, of whom each keeps but one,
 * would leave nothing to others within a pass.
 */
bool lent_is_crowded(struct lent *l);

/* Pure: whether one more of BYTES may be lent to whom SUM is of. Each has at least something, however large images are. */
int lent_fits(int64_t who, const struct lent_sum *sum, unsigned int of_user, uint64_t bytes);

#define AUTO_LENT CLEANUP(lent_done)

#endif
