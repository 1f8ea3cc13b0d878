/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Password Checks
 *
 * Checks the users of the web configuration and their passwords. A bcrypt hash takes a tenth of a
 * second or more, so one thread computes them one after the other while the loop serves other
 * requests. At most PASSWORDS_WAITING checks wait or run at a time. A name and password that were
 * right once are recognized at once from then on, by a hash with a random key of this process. The
 * time of a check does not tell whether name or password was wrong.
 */
#ifndef MEMTALLY_WEB_AUTH_PASSWORDS_H
#define MEMTALLY_WEB_AUTH_PASSWORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/webconfig.h"
#include "web/auth/credentials.h"

/* The most checks that may wait or run at a time. */
enum { PASSWORDS_WAITING = 16 };

enum passwords_verdict {
	PASSWORDS_RIGHT,
	PASSWORDS_WRONG,
	PASSWORDS_LATER, /* the check has begun; passwords_take() tells the result */
	PASSWORDS_BUSY,  /* too many checks at the moment, or no memory */
	PASSWORDS_AGAIN, /* passwords_set() was called during the check: ask again */
};

struct passwords;

/*
 * Makes *RET, which has no users yet. Returns 0; -ENOMEM; -EIO if there are no random numbers; or a
 * negative errno of eventfd().
 */
int passwords_new(struct passwords **ret);

/*
 * Frees P and discards unfinished checks. May wait up to half a second for the thread. Accepts
 * NULL; returns NULL.
 */
struct passwords *passwords_free(struct passwords *p);

static inline void cleanup_passwords(struct passwords **p)
{
	passwords_free(*p);
}
#define AUTO_PASSWORDS CLEANUP(cleanup_passwords)

/*
 * Makes the users of CONFIG the ones to check; NULL: there are none. CONFIG stays borrowed until
 * the next call. Forgets the passwords that were right. Creates the thread when there are users for
 * the first time; it has the rights that the caller has at that moment. Returns 0; -ENOMEM, -EIO,
 * or a negative errno of pthread_create(), and then the users stay as they were.
 */
int passwords_set(struct passwords *p, const struct webconfig *config);

/* Returns a descriptor that is readable when passwords_take() has a result. P owns it. */
int passwords_fd(const struct passwords *p);

/*
 * Checks whether C has the name and the password of a user. Returns RIGHT if this combination was
 * right before; LATER if the check has begun, and then passwords_take() hands CONTEXT back with the
 * result; or BUSY. Call it only if there are users.
 */
enum passwords_verdict passwords_ask(
	struct passwords *p, const struct credentials *c, void *context);

/*
 * Takes the result of the next finished check: RIGHT, WRONG or AGAIN in *RET, and its context in
 * *RET_CONTEXT. Returns false if there is none.
 */
bool passwords_take(struct passwords *p, void **ret_context, enum passwords_verdict *ret);

#endif
