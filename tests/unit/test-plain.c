/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "cli/plain.h"
#include "tests/unit/explained.h"

enum { MIB = 1 << 20 };

static void check_text(const struct explained *p, const char *expected)
{
	AUTO_BUFFER struct buffer text = {0};

	plain_add_page(&p->e, &text);
	buffer_add_char(&text, '\0');
	assert_int_equal(text.error, 0);
	assert_string_equal(text.data, expected);
}

static void says_all_that_is_known(void **state)
{
	struct explained p;

	(void)state;
	explained_open(&p);
	explained_see(&p, "cat", 0, 5);
	explained_see(&p, "server", 0, 5);
	explained_see(&p, "server", 0x1000, 0);
	explained_grows(&p, 512.0, 16.0);
	p.e.refused = 3;
	check_text(&p,
		"42 is server, of alice: 16.0 MiB resident (RSS), of which 13.0 MiB are its fair share (PSS)\n"
		"\n"
		"Alone       11.0 MiB nobody else maps (USS): 8.0 MiB anonymous, 2.0 MiB shared memory, 1.0 MiB of files\n"
		"            64.0 KiB of page tables come on top, which are in no RSS\n"
		"Shared      5.0 MiB others map, too: 2.0 MiB anonymous, 3.0 MiB of files\n"
		"            by 2.5 processes in the mean, of which its share is 2.0 MiB\n"
		"                 3.0 MiB  /lib/a\\u0085b, which 2 other processes have, too\n"
		"                 2.0 MiB  [heap], which at the same address 1 other process has, too\n"
		"            with whom, and how much of it that can be at most:\n"
		"                 3.0 MiB  cat, 1 process\n"
		"                 3.0 MiB  server, 2 processes, 1 of them related by fork: 2.0 MiB anonymous\n"
		"            3 of 10 other processes could not be looked at\n"
		"Swapped     5.0 MiB are in swap space; its share of what is anonymous in it is 3.0 MiB\n"
		"                 4.0 MiB  heap\n"
		"                 1.0 MiB  shmem\n"
		"Grown       by 5.0 MiB of anonymous memory, resident or swapped out, since memtallyd saw it first, 2 h 1 min ago\n"
		"            over the last hour it grew by 1.8 MiB an hour, give or take 112.5 KiB\n"
		"Most        20.0 MiB were resident at one time (VmHWM), 4.0 MiB more than now: given back, taken by the kernel, or swapped out\n"
		"Largest     by kind, in PSS:\n"
		"                 9.0 MiB  heap\n"
		"                 2.0 MiB  data\n"
		"            by file or name, in PSS:\n"
		"                 9.0 MiB  [heap]\n"
		"                 2.0 MiB  /lib/a\\u0085b\n"
		"Ended       if it ended, 8.1 MiB would come back at once, what is anonymous and alone and the page tables\n"
		"            2.0 MiB of shared memory, too, unless it has a name or is held open\n"
		"            1.0 MiB of files would stay cached until others need memory\n"
		"            2.0 MiB would count for others, who have what it shares\n"
		"            3.0 MiB of swap space would be free at most\n"
		"How         RSS, PSS, alone, shared and swapped: the sum of 3 mappings in /proc/42/smaps,\n"
		"            each PSS rounded down to a KiB; page tables and VmHWM: its status\n"
		"            with whom: the maps of 7 other processes, files by device and inode, anonymous\n"
		"            memory by its address, since who was forked has it at the same one\n"
		"            growth: memtallyd's snapshot of 3 s ago; its bounds are twice the standard error\n");
	explained_close(&p);
}

static void says_what_is_not_known(void **state)
{
	struct explained p;

	(void)state;
	explained_open(&p);
	portrait_done(&p.portrait);
	portrait_init(&p.portrait);
	p.e.present = 0;
	p.e.user = NULL;
	check_text(&p,
		"42 is server: 0.0 KiB resident (RSS), of which 0.0 KiB are its fair share (PSS)\n"
		"\n"
		"Alone       the kernel does not say what nobody else maps\n"
		"Swapped     the kernel does not say\n"
		"Grown       not known: nothing from memtallyd: it is not there\n"
		"Most        the kernel does not say\n"
		"Largest     by kind, in PSS:\n"
		"            by file or name, in PSS:\n"
		"Ended       not known\n"
		"How         RSS, PSS, alone, shared and swapped: the sum of 0 mappings in /proc/42/smaps,\n"
		"            each PSS rounded down to a KiB; page tables and VmHWM: its status\n"
		"            with whom: the maps of 7 other processes, files by device and inode, anonymous\n"
		"            memory by its address, since who was forked has it at the same one\n");
	explained_close(&p);
}

static void check_line(const struct explained *p, const char *line)
{
	AUTO_BUFFER struct buffer text = {0};

	plain_add_page(&p->e, &text);
	buffer_add_char(&text, '\0');
	if (!strstr(text.data, line))
		fail_msg("no '%s' in\n%s", line, text.data);
}

static void hugetlb_is_besides(void **state)
{
	struct mapping m = {
		.start = 0x4000, .end = 0x5000, .path = "", .flags = "ht", .flags_len = 2};
	struct explained p;

	(void)state;
	explained_open(&p);
	memcpy(m.perms, "rw-p", sizeof(m.perms));
	m.present = p.portrait.total.present | UINT64_C(1) << MAPPING_PRIVATE_HUGETLB |
	            UINT64_C(1) << MAPPING_SHARED_HUGETLB;
	m.q[MAPPING_PRIVATE_HUGETLB] = 6 * MIB;
	m.q[MAPPING_SHARED_HUGETLB] = 2 * MIB;
	assert_int_equal(portrait_add(&p.portrait, 42, &m), 0);
	check_line(&p, "\n            6.0 MiB of hugetlb pages, too, which are in no RSS either\n");
	check_line(&p, "\n            2.0 MiB of hugetlb pages, too, which are in no RSS\n");
	check_line(&p,
		"\n            6.0 MiB of hugetlb pages would go back to their pool, unless a file has them\n");
	explained_close(&p);
}

/* Nothing comes back while another has the very same. */
static void who_has_the_same_address_space_keeps_it(void **state)
{
	char name[] = "worker";
	struct explanation_twin twins[] = {{43, name}, {44, name}, {45, name}};
	struct explained p;

	(void)state;
	explained_open(&p);
	p.e.twin = twins;
	p.e.twins = 1;
	check_line(&p,
		"(PSS)\n\nSame        43 worker has the same address space: all that is said here is theirs, too\nAlone ");
	check_line(&p,
		"\nEnded       if it ended, nothing would come back while another has its address space\nHow ");
	check_line(&p, " in the mean, of which its share is 2.0 MiB\n");
	p.e.twins = 3;
	check_line(&p, "\nSame        43 worker, 44 worker and 1 more have the same address space");
	explained_close(&p);
}

static void a_bound_is_called_one(void **state)
{
	struct explained p;

	(void)state;
	explained_open(&p);
	p.portrait.doubt = 4096;
	check_line(&p, "\nEnded       if it ended, at most 8.1 MiB would come back at once");
	explained_close(&p);
}

/* Who only has it mapped keeps it, though all of it was touched by who ends. */
static void shared_memory_stays_with_others(void **state)
{
	struct explained p;

	(void)state;
	explained_open(&p);
	explained_see(&p, "other", 0, 6);
	explained_see(&p, "other", 0, 6);
	check_line(&p,
		"page tables\n            2.0 MiB of shared memory would stay while others have it mapped, too\n"
		"            1.0 MiB of files");
	check_line(&p, "\n            nobody is to be seen who maps any of it\n");
	explained_close(&p);
}

static void what_is_left_out_is_counted(void **state)
{
	struct explained p;

	(void)state;
	explained_open(&p);
	explained_see(&p, "cat", 0, 5);
	explained_see(&p, "dog", 0, 5);
	explained_see(&p, "server", 0x1000, 0);
	check_line(&p, "\n            and 1 more program\n");
	p.e.limit = 1;
	check_line(&p, "\n            and 2 more programs\n");
	p.e.limit = 3;
	check_line(&p, "  server, 1 process, related by fork: 2.0 MiB anonymous\n");
	explained_close(&p);
}

static void nothing_swapped_is_said(void **state)
{
	struct explained p;

	(void)state;
	explained_open(&p);
	p.portrait.total.q[MAPPING_SWAP] = 0;
	check_line(&p, "\nSwapped     nothing\nGrown ");
	explained_close(&p);
}

static void doubts_have_words(void **state)
{
	struct explained p;

	(void)state;
	explained_open(&p);
	explained_grows(&p, -512.0, 300.0);
	check_line(&p,
		"\n            over the last hour it shrank by 1.8 MiB an hour, give or take 2.1 MiB: which may be nothing\n");
	p.row.present = UINT64_C(1) << PROCESS_RSS;
	check_line(&p, "\nGrown       not known: memtallyd has seen it once\n");
	p.q[PROCESS_VM_HWM] = p.q[PROCESS_RSS];
	check_line(
		&p, "\nMost        16.0 MiB were resident at one time (VmHWM), as much as now\n");
	check_line(&p, "\n            nobody is to be seen who maps any of it\n");
	p.e.hides = true;
	check_line(&p,
		"\n            /proc is mounted with hidepid: other users' processes are not seen\n");
	p.e.is_inside = true;
	check_line(&p,
		"\n            processes outside of this pid namespace, as of the host, are not seen\n");
	p.e.limit = 1;
	check_line(&p, "\n            and 1 more\n");
	p.e.bytes = true;
	check_line(&p,
		"\n                   3145728 bytes  /lib/a\\u0085b, which 0 other processes have, too\n");
	explained_close(&p);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_all_that_is_known),
		cmocka_unit_test(says_what_is_not_known),
		cmocka_unit_test(hugetlb_is_besides),
		cmocka_unit_test(who_has_the_same_address_space_keeps_it),
		cmocka_unit_test(a_bound_is_called_one),
		cmocka_unit_test(shared_memory_stays_with_others),
		cmocka_unit_test(what_is_left_out_is_counted),
		cmocka_unit_test(nothing_swapped_is_said),
		cmocka_unit_test(doubts_have_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
