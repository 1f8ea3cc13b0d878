/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Targets for attacks from inside a compromised daemon (attempts.h): processes, files, sockets and
 * connections.
 * Attacks on files and sockets use the processes of root and of uid 65534, because several
 * services may share these uids; a daemon with a uid of its own can reach neither. Attacks by
 * system calls use a process of the attacker's own uid: the kernel would allow them, so only the
 * seccomp filter can refuse them.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_CONFINE_VICTIMS_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_CONFINE_VICTIMS_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

enum { VICTIMS_NOBODY = 65534 };

/* The targets. Processes that are forked later have the same addresses and values. */
extern struct victims {
	pid_t victim;  /* root's, dumpable */
	pid_t nobodys; /* of uid 65534, which services may share */
	pid_t fellow;  /* of the attacker's uid, dumpable; 0: not started yet */
	pid_t master;  /* of the uid that the attacker's daemon serves, if different; 0: none */
	char secret[16];
	int secret_fd; /* also open in the victim */
	char directory[64], file[96];
	char elsewhere[64], target[96];
	char link[96];               /* beside the file; a symbolic link to the target */
	char other[96];              /* a path beside the file that does not exist */
	char own[64], own_file[96];  /* owned by the attacker, who may remove it */
	char kept[64];               /* an empty directory, for the daemon's files */
	struct sockaddr_in listener; /* address of another process's socket */
	int listener_fd;
	int accepted_fd; /* an accepted client connection */
	struct sockaddr_un roots, abstract;
	socklen_t abstract_size;
	int roots_fd, abstract_fd;
} victims;

/* Setup and teardown for cmocka: all targets but .fellow and .master. Return 0 on success. */
int victims_open(void **state);
int victims_done(void **state);

/*
 * Called in the attacker as root: starts a fellow process of UID and gives UID the directory .own.
 * Exits with status 97 on errors.
 */
void victims_meet_fellow(uid_t uid);

/*
 * Called in the attacker before victims_meet_fellow(): starts .master with UID. Exits with status
 * 97 on errors.
 */
void victims_meet_master(uid_t uid);

/*
 * Called in the test: kills the processes that an attacker left behind. The attacker cannot,
 * inside its Landlock domain.
 */
void victims_end_orphans(void);

#endif
