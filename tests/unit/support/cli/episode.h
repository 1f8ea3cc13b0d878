/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Episodes: a series of snapshots of a small host, for tests of `memtally why`. Rows of owners are
 * the sums of the processes, as memtallyd makes them.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_CLI_EPISODE_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_CLI_EPISODE_H

#include "cli/why/facts/moments.h"

enum {
	EPISODE_SNAPSHOTS = 8,
	EPISODE_PROCESSES = 64,
	EPISODE_COUNTERS = 8,
	EPISODE_ABSENT = -1, /* as an amount in a snapshot: the row lacks it */
};

/* 2023-11-23T03:12:46Z: time 0 of an episode. */
#define EPISODE_TIME_S INT64_C(1700709166)

/* A process. Amounts in MiB, by snapshot. NULL: it has no such owner. */
struct episode_process {
	uint32_t pid, uid;
	const char *program, *user, *unit, *user_unit, *slice, *container;
	int64_t start_s;                /* relative to time 0 */
	int pss_mib[EPISODE_SNAPSHOTS]; /* 0: it is not in the snapshot */
	int pss_kib[EPISODE_SNAPSHOTS]; /* in addition, in KiB */
	int swap_mib[EPISODE_SNAPSHOTS];
	int doubt_mib;  /* its PSS is an estimate, and its bounds are so far away */
	bool is_denied; /* it has RSS alone, .pss_mib */
	int zombie_at;  /* from this snapshot on it is a zombie; 0: never */
};

/* The kernel's counters of an owner that is a cgroup, by snapshot. */
struct episode_counter {
	enum owner_kind kind;
	const char *name, *user; /* .user may be NULL */
	int kills[EPISODE_SNAPSHOTS], max_events[EPISODE_SNAPSHOTS], waited_s[EPISODE_SNAPSHOTS];
	int age_s[EPISODE_SNAPSHOTS]; /* they were read so long before the snapshot */
};

struct episode {
	size_t snapshots, befores;         /* of these, how many are before the event */
	int64_t at_s[EPISODE_SNAPSHOTS];   /* relative to time 0 */
	int64_t boot_s[EPISODE_SNAPSHOTS]; /* 0: an hour more than .at_s; else CLOCK_BOOTTIME */
	char instance[EPISODE_SNAPSHOTS];
	struct episode_process process[EPISODE_PROCESSES];
	size_t processes;
	struct episode_counter counter[EPISODE_COUNTERS];
	size_t counters;
	int kills[EPISODE_SNAPSHOTS]; /* of the host */
	int waited_s[EPISODE_SNAPSHOTS];
	int available_mib[EPISODE_SNAPSHOTS], total_mib; /* .total_mib 0: neither is known */
	int anon_mib[EPISODE_SNAPSHOTS], cache_mib[EPISODE_SNAPSHOTS]; /* of the balance sheet */
	int unsplit_mib[EPISODE_SNAPSHOTS];                            /* too; 0: absent */
	int swap_used_mib[EPISODE_SNAPSHOTS], swap_free_mib[EPISODE_SNAPSHOTS];
	bool is_brief[EPISODE_SNAPSHOTS]; /* it is of a brief pass */
	bool has_balance, is_public;
};

/* Makes the snapshots of E in *RET, which the caller gives to episode_close(). */
void episode_open(const struct episode *e, struct moments *ret);
void episode_close(struct moments *m);
#define AUTO_EPISODE CLEANUP(episode_close)

/*
 * Fills E with an OOM kill at time 0: python3 (pid 4711, uid 1003 without a name) in session-7.scope
 * grew by 42 GiB since -480 s, got the kill and is gone. postgres shrank, sshd is unchanged, and a
 * shell of root is gone, too. Six snapshots are before the kill, two after it.
 */
void episode_of_kill(struct episode *e);

/* Adds P to E. Returns the process in E. */
struct episode_process *episode_add(struct episode *e, const struct episode_process *p);

/* Returns a sealed memfd with snapshot AT of E. The caller closes it. */
int episode_seal(const struct episode *e, size_t at);

/* Returns the time of snapshot I of E in nanoseconds since the epoch. */
uint64_t episode_time_ns(const struct episode *e, size_t i);

#endif
