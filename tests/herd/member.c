/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/herd/member.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/herd/self.h"

/* At most 8 letters and 6 digits, so that two programs never have one name. */
void member_name(const struct herd_options *options, uint64_t i, char to[static MEMBER_NAME_SIZE])
{
	unsigned int number = (unsigned int)(i / options->group % options->programs %
					     HERD_PROGRAMS_MAX);

	if (options->programs == 1)
		snprintf(to, MEMBER_NAME_SIZE, "%s", options->name);
	else
		snprintf(to, MEMBER_NAME_SIZE, "%.8s%u", options->name, number);
}

uid_t member_uid(const struct herd_options *options, uint64_t i)
{
	return geteuid() == 0 ? (uid_t)(options->first_uid + i % options->uids) : geteuid();
}

static void map_private(const struct member_place *place)
{
	for (uint64_t v = 0; v < place->options->vmas; v++) {
		struct herd_part part = layout_private(place->layout, place->options, v);

		self_map(part.begin, part.pages ? part.pages : 1, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1);
		self_touch(part.begin, part.pages, false);
	}
}

static void map_shared(const struct herd_part *part, int prot, int fd)
{
	if (!part->pages)
		return;
	self_map(part->begin, part->pages, prot, MAP_SHARED, fd);
	self_touch(part->begin, part->pages, !(prot & PROT_WRITE));
}

__attribute__((noreturn)) static void wait_on_tape(
	const struct member_place *place, struct tape *tape)
{
	const struct herd_layout *layout = place->layout;
	struct tape_keep keep = {
		.begin = {layout->tape.begin, layout->argv.begin},
		.end = {layout->end, layout->argv.begin + layout->argv.pages * TAPE_PAGE_SIZE},
	};
	uintptr_t byte = tape_put(tape, "", 1);

	tape_add_unmap(tape, &keep);
	tape_add(tape, TAPE_ALWAYS, SYS_write, 0, byte, 1, 0, 0);
	tape_add(tape, TAPE_ALWAYS, SYS_close, 0, 0, 0, 0, 0);
	tape_play(tape);
}

void member_become(const struct member_place *place, uint64_t i)
{
	char name[MEMBER_NAME_SIZE];
	struct tape tape;
	int r;

	member_name(place->options, i, name);
	self_unblock_signals();
	r = tape_init(&tape, place->layout->tape.begin);
	if (r < 0) {
		errno = -r;
		self_fail("mmap of the tape");
	}
	map_private(place);
	map_shared(&place->layout->file, PROT_READ, place->file);
	map_shared(&place->layout->memfd, PROT_READ | PROT_WRITE, place->memfd);
	self_show_name(place->argv, place->argv_size, name);
	if (prctl(PR_SET_NAME, name) < 0)
		self_fail("prctl");
	self_settle(member_uid(place->options, i), place->parent);
	self_close_all_but(place->ready);
	wait_on_tape(place, &tape);
}
