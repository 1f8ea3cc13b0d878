/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/children/lookup.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * Without a result, errno is 0 or one of those that getpwnam(3) warns of if there is no such entry.
 */
static enum lookup_result result_of(const char *name, int error)
{
	if (name)
		return LOOKUP_FOUND;
	return error == 0 || error == ENOENT || error == ESRCH ? LOOKUP_ABSENT : LOOKUP_FAILED;
}

static void lookup_answer(struct lookup_message *m)
{
	const char *name = NULL;

	errno = 0;
	if (m->principal.kind == OWNER_GROUP) {
		const struct group *group = getgrgid(m->principal.id);

		name = group ? group->gr_name : NULL;
	} else {
		const struct passwd *user = getpwuid(m->principal.id);

		name = user ? user->pw_name : NULL;
	}
	m->result = result_of(name, errno);
	if (name && snprintf(m->name, sizeof(m->name), "%s", name) >= (int)sizeof(m->name))
		m->result = LOOKUP_ABSENT;
}

_Noreturn void lookup_serve(int fd)
{
	for (;;) {
		struct lookup_message m;
		ssize_t n = recv(fd, &m, sizeof(m), 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof(m))
			_exit(n == 0 ? 0 : 1);
		lookup_answer(&m);
		if (send(fd, &m, sizeof(m), MSG_NOSIGNAL) != sizeof(m))
			_exit(1);
	}
}
