/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may ask: the users of the web configuration and their passwords. A hash of bcrypt takes a tenth of a second or more,
 * so they are made in a thread of its own, one after the other, while the loop goes on to serve; as many wait at most as
 * PASSWORDS_WAITING says. Who was found right once is known at once from then on, by a hash with a key that no other
 * process has. What a wrong name or password takes does not tell which of the two is wrong.
 */
#ifndef MEMTALLY_WEB_PASSWORDS_H
#define MEMTALLY_WEB_PASSWORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/webconfig.h"
#include "web/credentials.h"

enum { PASSWORDS_WAITING = 16 };

enum passwords_verdict {
	PASSWORDS_RIGHT,
	PASSWORDS_WRONG,
	PASSWORDS_LATER, /* it is being looked into; passwords_take() will tell */
	PASSWORDS_BUSY,  /* as many are being looked into as may be */
	PASSWORDS_AGAIN, /* the users are others meanwhile: it has to be asked again */
};

struct passwords;

/* Nobody to be known yet. -ENOMEM; errors of eventfd() and getrandom(). */
int passwords_new(struct passwords **ret);

/* What is still being looked into comes to nothing. Accepts NULL; returns NULL. */
struct passwords *passwords_free(struct passwords *p);

static inline void cleanup_passwords(struct passwords **p)
{
	passwords_free(*p);
}
#define AUTO_PASSWORDS CLEANUP(cleanup_passwords)

/*
 * From now on the users are those of CONFIG, which is borrowed until the next call; NULL: there are none. Forgets who was
 * right. Starts the thread when there first are any, which then has the rights that the caller has left. -ENOMEM, errors
 * of pthread_create(): the users are then what they were.
 */
int passwords_set(struct passwords *p, const struct webconfig *config);

/* Readable when passwords_take() has something to say; owned by P. */
int passwords_fd(const struct passwords *p);

/* Whether C is one of the users. CONTEXT is handed back by passwords_take(). Never PASSWORDS_AGAIN. */
enum passwords_verdict passwords_ask(
	struct passwords *p, const struct credentials *c, void *context);

/* The next that has been looked into: RIGHT, WRONG or AGAIN in *ret, and its context; false: none. */
bool passwords_take(struct passwords *p, void **ret_context, enum passwords_verdict *ret);

#endif
