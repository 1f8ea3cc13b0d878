/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/explain/explain-page.h: the page that `memtally explain` prints. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/explain/explain-page.h"
#include "tests/unit/support/cli/explained.h"

enum { MIB = 1 << 20 };

static void check_text(const struct explained *p, const char *expected)
{
	AUTO_BUFFER struct buffer text = {0};

	explain_page_add_page(&p->e, &text);
	buffer_add_char(&text, '\0');
	assert_int_equal(text.error, 0);
	assert_string_equal(text.data, expected);
}

static void prints_everything_known(void **state)
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
		"42 is server, of alice: 16.0 MiB resident (RSS), of which 13.0 MiB are its share (PSS)\n"
		"\n"
		"Alone       11.0 MiB mapped by no other process (USS): 8.0 MiB anonymous, 2.0 MiB shared memory, 1.0 MiB of files\n"
		"            64.0 KiB of page tables in addition, which are not in RSS\n"
		"Shared      5.0 MiB mapped by other processes, too: 2.0 MiB anonymous, 3.0 MiB of files\n"
		"            mapped by 2.5 processes on average; the share of this process is 2.0 MiB\n"
		"                 3.0 MiB  /lib/a\\u0085b, also in 2 other processes\n"
		"                 2.0 MiB  [heap], also in 1 other process at the same address\n"
		"            sharers by program, each with the most that it can share:\n"
		"                 3.0 MiB  cat, 1 process\n"
		"                 3.0 MiB  server, 2 processes, 1 of them related by fork: 2.0 MiB anonymous\n"
		"            3 of 10 other processes could not be read\n"
		"Swapped     5.0 MiB in swap space; its share of the anonymous part is 3.0 MiB\n"
		"                 4.0 MiB  heap\n"
		"                 1.0 MiB  shmem\n"
		"Growth      5.0 MiB of anonymous memory, resident or swapped out, since memtallyd first saw it, 2 h 1 min ago\n"
		"            over the last hour it grew by 1.8 MiB an hour, plus or minus 112.5 KiB\n"
		"Peak        20.0 MiB resident at one time (VmHWM), 4.0 MiB more than now: given back, reclaimed by the kernel, or swapped out\n"
		"Largest     by kind, in PSS:\n"
		"                 9.0 MiB  heap\n"
		"                 2.0 MiB  data\n"
		"            by file or name, in PSS:\n"
		"                 9.0 MiB  [heap]\n"
		"                 2.0 MiB  /lib/a\\u0085b\n"
		"On exit     8.1 MiB are freed: its unshared anonymous memory and page tables\n"
		"            also 2.0 MiB of shared memory, unless it has a name or is held open\n"
		"            1.0 MiB of files stay in the page cache until the kernel needs the memory\n"
		"            the PSS of other processes grows by 2.0 MiB\n"
		"            at most 3.0 MiB of swap space are freed\n"
		"Sources     RSS, PSS, alone, shared and swapped: the sum of 3 mappings in /proc/42/smaps,\n"
		"            each PSS rounded down to a KiB; page tables and VmHWM: its status\n"
		"            sharers: the maps of 7 other processes, files by device and inode, anonymous\n"
		"            memory by its address, since fork keeps addresses\n"
		"            growth: memtallyd's snapshot of 3 s ago; its bounds are twice the standard error\n");
	explained_close(&p);
}

static void reports_unknown_values(void **state)
{
	struct explained p;

	(void)state;
	explained_open(&p);
	breakdown_done(&p.breakdown);
	breakdown_init(&p.breakdown);
	p.e.present = 0;
	p.e.user = NULL;
	check_text(&p,
		"42 is server: 0.0 KiB resident (RSS), of which 0.0 KiB are its share (PSS)\n"
		"\n"
		"Alone       the kernel does not tell private from shared memory\n"
		"Swapped     the kernel does not say\n"
		"Growth      not known: no snapshot from memtallyd: it is not there\n"
		"Peak        the kernel does not say\n"
		"Largest     by kind, in PSS:\n"
		"            by file or name, in PSS:\n"
		"On exit     not known\n"
		"Sources     RSS, PSS, alone, shared and swapped: the sum of 0 mappings in /proc/42/smaps,\n"
		"            each PSS rounded down to a KiB; page tables and VmHWM: its status\n"
		"            sharers: the maps of 7 other processes, files by device and inode, anonymous\n"
		"            memory by its address, since fork keeps addresses\n");
	explained_close(&p);
}

static void check_line(const struct explained *p, const char *line)
{
	AUTO_BUFFER struct buffer text = {0};

	explain_page_add_page(&p->e, &text);
	buffer_add_char(&text, '\0');
	if (!strstr(text.data, line))
		fail_msg("no '%s' in\n%s", line, text.data);
}

static void hugetlb_is_in_addition(void **state)
{
	struct mapping m = {
		.start = 0x4000, .end = 0x5000, .path = "", .flags = "ht", .flags_len = 2};
	struct explained p;

	(void)state;
	explained_open(&p);
	memcpy(m.perms, "rw-p", sizeof(m.perms));
	m.present = p.breakdown.total.present | UINT64_C(1) << MAPPING_PRIVATE_HUGETLB |
	            UINT64_C(1) << MAPPING_SHARED_HUGETLB;
	m.q[MAPPING_PRIVATE_HUGETLB] = 6 * MIB;
	m.q[MAPPING_SHARED_HUGETLB] = 2 * MIB;
	assert_int_equal(breakdown_add(&p.breakdown, 42, &m), 0);
	check_line(
		&p, "\n            6.0 MiB of hugetlb pages in addition, which are not in RSS\n");
	check_line(
		&p, "\n            2.0 MiB of hugetlb pages in addition, which are not in RSS\n");
	check_line(&p,
		"\n            6.0 MiB of hugetlb pages return to their pool, unless a file has them\n");
	explained_close(&p);
}

/* Nothing is freed while another process has the same address space. */
static void shared_address_space_frees_nothing(void **state)
{
	char name[] = "worker";
	struct explanation_twin twins[] = {{43, name}, {44, name}, {45, name}};
	struct explained p;

	(void)state;
	explained_open(&p);
	p.e.twin = twins;
	p.e.twins = 1;
	check_line(&p,
		"(PSS)\n\nSame        43 worker has the same address space: all figures here are theirs, too\nAlone ");
	check_line(&p,
		"\nOn exit     nothing is freed while another process has the same address space\nSources ");
	check_line(&p, " on average; the share of this process is 2.0 MiB\n");
	p.e.twins = 3;
	check_line(&p, "\nSame        43 worker, 44 worker and 1 more have the same address space");
	explained_close(&p);
}

static void bounds_are_marked(void **state)
{
	struct explained p;

	(void)state;
	explained_open(&p);
	p.breakdown.doubt = 4096;
	check_line(&p, "\nOn exit     at most 8.1 MiB are freed: ");
	p.breakdown.doubt = 0;
	p.e.is_averaged = true;
	check_line(&p, "\nOn exit     about 8.1 MiB are freed: ");
	check_line(&p,
		"\n            map counts: averaged over large folios by this kernel, so that PSS,\n"
		"            alone, shared and freed memory are approximations\n");
	explained_close(&p);
}

/* Another process that has it mapped keeps it, even if only the exiting process has touched it. */
static void shared_memory_stays_with_others(void **state)
{
	struct explained p;

	(void)state;
	explained_open(&p);
	explained_see(&p, "other", 0, 6);
	explained_see(&p, "other", 0, 6);
	check_line(&p,
		"page tables\n            2.0 MiB of shared memory stay, since other processes map the object, although not these pages\n"
		"            1.0 MiB of files");
	check_line(&p, "\n            no longer mapped by another process\n");
	explained_close(&p);
}

/*
 * An unprivileged user sees that memory is shared, but cannot read the maps of others. The page
 * must not claim that there are no other processes.
 */
static void processes_that_were_refused_are_not_counted_as_none(void **state)
{
	struct explained p;
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	explained_open(&p);
	p.e.looked = 0;
	p.e.refused = 12;
	explain_page_add_page(&p.e, &text);
	buffer_add_char(&text, '\0');
	assert_null(strstr(text.data, " 0 other process"));
	assert_non_null(
		strstr(text.data, "\n            12 of 12 other processes could not be read\n"));
	explained_close(&p);
}

/* Of 3 MiB of a driver's memory another process maps 1 MiB, which it has not touched. */
static void drivers_and_unlinked_files_are_freed(void **state)
{
	struct explained p;

	(void)state;
	explained_open(&p);
	p.breakdown.alone[BREAKDOWN_UNLINKED] = 512 << 20;
	p.breakdown.alone[BREAKDOWN_DRIVER] = 3 << 20;
	p.sharers.kept_bytes[BREAKDOWN_DRIVER] = 1 << 20;
	p.sharers.kept_bytes[BREAKDOWN_UNLINKED] = 2 << 20;
	check_line(&p,
		"also 510.0 MiB of unlinked files, unless they have another name or are held open\n"
		"            also 2.0 MiB of drivers (packet rings, BPF maps), unless another reference keeps it\n"
		"            1.0 MiB of drivers stay, since other processes map the object, although not these pages\n"
		"            3.0 MiB of files stay in the page cache until the kernel needs the memory\n");
	check_line(&p, ", 3.0 MiB of drivers, 513.0 MiB of files\n");
	explained_close(&p);
}

static void files_on_tmpfs_stay(void **state)
{
	struct explained p;

	(void)state;
	explained_open(&p);
	p.breakdown.alone[BREAKDOWN_NAMED] = 5 << 20;
	check_line(&p,
		"\n            also 2.0 MiB of shared memory, unless it has a name or is held open\n"
		"            5.0 MiB of files on tmpfs stay until the files are removed\n"
		"            1.0 MiB of files stay in the page cache until the kernel needs the memory\n");
	check_line(&p, ", 7.0 MiB shared memory, 1.0 MiB of files\n");
	explained_close(&p);
}

static void counts_omitted_rows(void **state)
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

static void says_that_nothing_is_swapped(void **state)
{
	struct explained p;

	(void)state;
	explained_open(&p);
	p.breakdown.total.q[MAPPING_SWAP] = 0;
	check_line(&p, "\nSwapped     nothing\nGrowth ");
	explained_close(&p);
}

static void states_uncertainty(void **state)
{
	struct explained p;

	(void)state;
	explained_open(&p);
	explained_grows(&p, -512.0, 300.0);
	check_line(&p,
		"\n            over the last hour it shrank by 1.8 MiB an hour, plus or minus 2.1 MiB: so it may be 0\n");
	p.row.present = UINT64_C(1) << PROCESS_RSS;
	check_line(&p, "\nGrowth      not known: memtallyd has read the process only once\n");
	p.q[PROCESS_VM_HWM] = p.q[PROCESS_RSS];
	check_line(&p, "\nPeak        16.0 MiB resident at one time (VmHWM), as much as now\n");
	check_line(&p, "\n            no longer mapped by another process\n");
	p.e.hides = true;
	check_line(&p,
		"\n            /proc is mounted with hidepid: other users' processes are not seen\n");
	p.e.is_inside = true;
	check_line(&p,
		"\n            processes outside of this pid namespace, such as the host's, are not seen\n");
	p.e.limit = 1;
	check_line(&p, "\n            and 1 more\n");
	p.e.bytes = true;
	check_line(&p,
		"\n                   3145728 bytes  /lib/a\\u0085b, mapped more than once, perhaps by processes that could not be read\n");
	check_line(&p, "\n            mapped by no process that could be read\n");
	p.e.looked = 0;
	check_line(&p, "sharers: not known, since the maps of no other process could be read\n");
	explained_close(&p);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_everything_known),
		cmocka_unit_test(reports_unknown_values),
		cmocka_unit_test(hugetlb_is_in_addition),
		cmocka_unit_test(shared_address_space_frees_nothing),
		cmocka_unit_test(bounds_are_marked),
		cmocka_unit_test(shared_memory_stays_with_others),
		cmocka_unit_test(processes_that_were_refused_are_not_counted_as_none),
		cmocka_unit_test(drivers_and_unlinked_files_are_freed),
		cmocka_unit_test(files_on_tmpfs_stay),
		cmocka_unit_test(counts_omitted_rows),
		cmocka_unit_test(says_that_nothing_is_swapped),
		cmocka_unit_test(states_uncertainty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
