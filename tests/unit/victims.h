/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an attacker inside of one of the daemons meets (attempts.h): processes of root's, of a uid that many share and of his
 * own, files, sockets and connections. What is tried by way of files and sockets is tried on the first two, whose uids others
 * share: who has one of his own gets at neither. What is tried by system calls is tried on the third, to which the kernel would
 * let him: there it is the filter that refuses.
 */
#ifndef MEMTALLY_TESTS_UNIT_VICTIMS_H
#define MEMTALLY_TESTS_UNIT_VICTIMS_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

enum { VICTIMS_NOBODY = 65534 };

/* Those who are forked later have the same addresses as we, and know where all of it is. */
extern struct victims {
	pid_t victim;  /* root's, and not undumpable */
	pid_t nobodys; /* of a uid that many share */
	pid_t fellow;  /* of the attacker's own uid, and open to him for the kernel; 0: none yet */
	pid_t master;  /* of the uid of whom he serves, if that is another; 0: none */
	char secret[16];
	int secret_fd; /* the victim has it, too */
	char directory[64], file[96];
	char elsewhere[64], target[96];
	char link[96];               /* beside the file; leads to the target */
	char other[96];              /* beside the file */
	char own[64], own_file[96];  /* the attacker's, who may remove it */
	char kept[64];               /* a directory, of a ledger's; empty */
	struct sockaddr_in listener; /* somebody else's */
	int listener_fd;
	int accepted_fd; /* a client's connection */
	struct sockaddr_un roots, abstract;
	socklen_t abstract_size;
	int roots_fd, abstract_fd;
} victims;

/* For cmocka: all of it but the fellow. */
int victims_open(void **state);
int victims_done(void **state);

/* In the attacker, as root: gives him a fellow of UID, and makes the directory .own UID's. Ends him with status 97 if it can't. */
void victims_meet_fellow(uid_t uid);

/* In the attacker, before his fellow: gives him a master, too. */
void victims_meet_master(uid_t uid);

/* In the test: ends whom an attacker has left behind. The attacker himself may not, in his Landlock domain. */
void victims_end_orphans(void);

#endif
