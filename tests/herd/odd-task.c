/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/herd/odd.h"

#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/herd/self.h"

void odd_named(struct odd *odd)
{
	char names[ODD_NAMES_MAX][ODD_NAME_SIZE];

	odd_parse_names(odd->argument, names);
	odd_begin(odd, names[0], ODD_KIB);
	odd_report(odd, TAPE_ALWAYS, odd_own_cell);
	odd_play(odd);
}

void odd_renaming(struct odd *odd)
{
	char names[ODD_NAMES_MAX][ODD_NAME_SIZE];
	size_t count = odd_parse_names(odd->argument, names);

	odd_begin(odd, names[0], ODD_KIB);
	/* keeps the signal blocked before the report; the next line removes the wait */
	odd_add_wait(odd);
	odd->tape.calls--;
	odd_report(odd, TAPE_ALWAYS, odd_own_cell);
	tape_mark_loop(&odd->tape);
	for (size_t i = 1; i <= count; i++) {
		odd_add_wait(odd);
		tape_add(&odd->tape, TAPE_ALWAYS, SYS_prctl, PR_SET_NAME,
			tape_put(&odd->tape, names[i % count], ODD_NAME_SIZE), 0, 0, 0);
	}
	odd_play(odd);
}

void odd_growing(struct odd *odd)
{
	odd_begin(odd, "grower", ODD_KIB);
	odd_add_wait(odd);
	odd->tape.calls--;
	odd_report(odd, TAPE_ALWAYS, odd_own_cell);
	tape_mark_loop(&odd->tape);
	odd_add_wait(odd);
	tape_add(&odd->tape, TAPE_ALWAYS, SYS_mmap, 0,
		odd_pages_of_kib(odd->number) * TAPE_PAGE_SIZE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, (uint64_t)-1);
	odd_play(odd);
}

/*
 * Keeps the other user's ID as its saved ID, and so the right to change back. Its memory does not
 * change.
 */
void odd_becoming(struct odd *odd)
{
	const uint64_t same = (uint64_t)-1;
	uid_t other = odd->uid + (uid_t)odd->number;

	if (setgroups(0, NULL) < 0 || setresgid(odd->uid, odd->uid, other) < 0 ||
		setresuid(odd->uid, odd->uid, other) < 0 || prctl(PR_SET_DUMPABLE, 1) < 0)
		self_fail("setresuid");
	odd_begin(odd, "becomer", ODD_KIB);
	odd_add_wait(odd);
	odd->tape.calls--;
	odd_report(odd, TAPE_ALWAYS, odd_own_cell);
	tape_mark_loop(&odd->tape);
	for (int i = 0; i < 2; i++) {
		uid_t next = i == 0 ? other : odd->uid, now = i == 0 ? odd->uid : other;

		odd_add_wait(odd);
		tape_add(&odd->tape, TAPE_ALWAYS, SYS_setresgid, same, next, now, 0, 0);
		tape_add(&odd->tape, TAPE_ALWAYS, SYS_setresuid, same, next, now, 0, 0);
	}
	odd_play(odd);
}

void odd_dead_leader(struct odd *odd)
{
	odd_begin(odd, "deadleader", odd->number);
	odd_report(odd, TAPE_ALWAYS, odd_own_cell);
	odd_add_clone(odd,
		CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM);
	odd_report(odd, TAPE_CHILD, odd_child_cell);
	tape_add(&odd->tape, TAPE_PARENT, SYS_exit, 0, 0, 0, 0, 0);
	odd_play(odd);
}

void odd_sharing(struct odd *odd)
{
	odd_begin(odd, "sharer", odd->number);
	odd_report(odd, TAPE_ALWAYS, odd_own_cell);
	odd_add_clone(odd, CLONE_VM | SIGCHLD);
	odd_report(odd, TAPE_PARENT, odd_child_cell);
	odd_play(odd);
}

void odd_vforking(struct odd *odd)
{
	odd_begin(odd, "vforker", odd->number);
	odd_report(odd, TAPE_ALWAYS, odd_own_cell);
	odd_add_clone(odd, CLONE_VM | CLONE_VFORK | SIGCHLD);
	odd_report(odd, TAPE_CHILD, odd_child_cell);
	odd_play(odd);
}

void odd_sibling(struct odd *odd)
{
	odd_begin(odd, "sibling", ODD_KIB);
	odd_report(odd, TAPE_ALWAYS, odd_own_cell);
	odd_play(odd);
}
