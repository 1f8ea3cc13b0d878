/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/herd/odd.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/number.h"
#include "tests/herd/self.h"

uint64_t odd_pages_of_kib(uint64_t kib)
{
	return kib * 1024 / TAPE_PAGE_SIZE;
}

void odd_report(struct odd *odd, enum tape_when when, const pid_t *cell)
{
	tape_add(&odd->tape, when, SYS_write, 0, (uintptr_t)cell, sizeof(*cell), 0, 0);
}

void odd_begin(struct odd *odd, const char *name, uint64_t kib)
{
	uintptr_t argv_end = (uintptr_t)odd->argv + odd->argv_size;
	struct tape_keep keep = {
		.begin = {ODD_TAPE_AT, (uintptr_t)odd->argv & ~(TAPE_PAGE_SIZE - 1)},
		.end = {ODD_PARTS_END, (argv_end + TAPE_PAGE_SIZE - 1) & ~(TAPE_PAGE_SIZE - 1)},
	};
	const uint64_t pages = odd_pages_of_kib(kib);

	self_unblock_signals();
	if (tape_init(&odd->tape, ODD_TAPE_AT) < 0)
		self_fail("mmap of the tape");
	self_map(ODD_CELLS_AT, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (pages) {
		self_map(ODD_PAYLOAD_AT, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1);
		self_touch(ODD_PAYLOAD_AT, pages, false);
	}
	self_show_name(odd->argv, odd->argv_size, "oddity");
	prctl(PR_SET_NAME, name);
	self_settle(odd->uid, odd->parent);
	self_close_all_but(odd->ready);
	*odd_own_cell = getpid();
	tape_add_unmap(&odd->tape, &keep);
}

void odd_play(struct odd *odd)
{
	tape_play(&odd->tape);
}

void odd_add_clone(struct odd *odd, uint64_t flags)
{
	tape_add(&odd->tape, TAPE_ALWAYS, SYS_clone, flags | CLONE_PARENT_SETTID, 0,
		(uintptr_t)odd_child_cell, 0, 0);
	tape_add(&odd->tape, TAPE_CHILD, SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

size_t odd_parse_names(const char *text, char names[static ODD_NAMES_MAX][ODD_NAME_SIZE])
{
	size_t count = 0, len = 0;

	memset(names, 0, (size_t)ODD_NAMES_MAX * ODD_NAME_SIZE);
	while (*text && count < ODD_NAMES_MAX) {
		uint64_t byte;

		if (*text == ',') {
			count++;
			len = 0;
			text++;
			continue;
		}
		if (!text[1] || number_scan_hex(text, 2, &byte) != 2 || len == ODD_NAME_SIZE - 1)
			return 0;
		names[count][len++] = (char)byte;
		text += 2;
	}
	return *text ? 0 : count + 1;
}

void odd_add_wait(struct odd *odd)
{
	sigset_t usr1;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	tape_add(&odd->tape, TAPE_ALWAYS, SYS_rt_sigtimedwait,
		tape_put(&odd->tape, &usr1, sizeof(uint64_t)), 0, 0, sizeof(uint64_t), 0);
}
