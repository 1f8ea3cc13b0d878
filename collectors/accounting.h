/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose a process is: by which of its numbers it is counted for a user.
 */
#ifndef MEMTALLY_COLLECTORS_ACCOUNTING_H
#define MEMTALLY_COLLECTORS_ACCOUNTING_H

enum accounting_user {
	ACCOUNTING_EFFECTIVE, /* and for the group of its effective gid, as with the last */
	ACCOUNTING_REAL,      /* and for that of its real gid */
	ACCOUNTING_LOGIN, /* of the login that it comes from, whoever it became since: /proc/PID/loginuid */
};

#endif
