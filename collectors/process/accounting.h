/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The IDs by which a process is counted for a user and a group (option accounting.user).
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_ACCOUNTING_H
#define MEMTALLY_COLLECTORS_PROCESS_ACCOUNTING_H

enum accounting_user {
	ACCOUNTING_EFFECTIVE, /* the effective UID, and the effective GID */
	ACCOUNTING_REAL,      /* the real UID, and the real GID */
	/*
	 * the login UID (/proc/PID/loginuid), which su and sudo do not change, and the effective
	 * GID
	 */
	ACCOUNTING_LOGIN,
};

#endif
