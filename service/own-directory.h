/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sandbox of a service that keeps files in a directory of its own (service/renounce.h). The
 * service enters it before it opens its files.
 */
#ifndef MEMTALLY_SERVICE_OWN_DIRECTORY_H
#define MEMTALLY_SERVICE_OWN_DIRECTORY_H

#include "confine/filter.h"

struct own_directory {
	const char *user;                   /* of the service */
	unsigned int mask;                  /* umask() of its files */
	const struct filter_list *calls[2]; /* that only this service needs; NULL: none */
};

/*
 * Enters the sandbox, for good. If the process is root, it becomes the user O->user, or, if there is
 * no such user, the owner of DIRECTORY: tomorrow's process must be able to use today's files. It has
 * no capabilities afterwards, and 512 MiB of private memory at most. It may use the files in
 * DIRECTORY (an absolute path) and remove SOCKET (NULL: none), which it has made. Logs each
 * restriction that the kernel does not support.
 *
 * Returns 0 or a negative errno, which is logged: then some rights may be left, and the program
 * must end.
 */
int own_directory_confine(const struct own_directory *o, const char *directory, const char *socket);

#endif
