/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "base/clock.h"
#include "cli/explanation.h"
#include "snapshot/metric.h"

enum { KIB = 1024, MIB = 1024 * KIB };

#define RESIDENT                                                                                   \
	(UINT64_C(1) << MAPPING_RSS | UINT64_C(1) << MAPPING_PSS |                                 \
		UINT64_C(1) << MAPPING_SHARED_CLEAN | UINT64_C(1) << MAPPING_SHARED_DIRTY |        \
		UINT64_C(1) << MAPPING_PRIVATE_CLEAN | UINT64_C(1) << MAPPING_PRIVATE_DIRTY |      \
		UINT64_C(1) << MAPPING_ANONYMOUS | UINT64_C(1) << MAPPING_SWAP |                   \
		UINT64_C(1) << MAPPING_SWAP_PSS)

/* What is explained, with all that belongs to it. */
struct page {
	struct portrait portrait;
	struct sharers sharers;
	uint64_t q[PROCESS_QUANTITIES];
	struct snapshot_process row;
	struct explanation e;
};

static void add(struct page *p, struct mapping m)
{
	m.flags = "";
	m.present = RESIDENT;
	m.path_len = strlen(m.path);
	m.end = m.start + 0x1000;
	memcpy(m.perms, "rw-p", sizeof(m.perms));
	assert_int_equal(portrait_add(&p->portrait, 42, &m), 0);
	assert_int_equal(sharers_learn(&p->sharers, &m), 0);
}

static void fill(struct page *p)
{
	add(p, (struct mapping){.start = 0x1000,
		       .path = "[heap]",
		       .q = {[MAPPING_RSS] = 10 * MIB,
			       [MAPPING_PSS] = 9 * MIB,
			       [MAPPING_PRIVATE_DIRTY] = 8 * MIB,
			       [MAPPING_SHARED_DIRTY] = 2 * MIB,
			       [MAPPING_ANONYMOUS] = 10 * MIB,
			       [MAPPING_SWAP] = 4 * MIB,
			       [MAPPING_SWAP_PSS] = 3 * MIB}});
	add(p, (struct mapping){.start = 0x2000,
		       .inode = 5,
		       .major = 8,
		       .path = "/lib/a\xc2\x85"
			       "b",
		       .q = {[MAPPING_RSS] = 4 * MIB,
			       [MAPPING_PSS] = 2 * MIB,
			       [MAPPING_PRIVATE_CLEAN] = MIB,
			       [MAPPING_SHARED_CLEAN] = 3 * MIB}});
	add(p, (struct mapping){.start = 0x3000,
		       .inode = 6,
		       .path = "/memfd:cache (deleted)",
		       .q = {[MAPPING_RSS] = 2 * MIB,
			       [MAPPING_PSS] = 2 * MIB,
			       [MAPPING_PRIVATE_DIRTY] = 2 * MIB,
			       [MAPPING_SWAP] = MIB}});
}

static void see(struct page *p, const char *program, uint64_t start, uint64_t inode)
{
	const struct mapping m = {.start = start, .inode = inode, .major = inode ? 8 : 0};

	sharers_begin(&p->sharers);
	sharers_see(&p->sharers, &m);
	assert_int_equal(sharers_end(&p->sharers, program), 0);
}

static void open_page(struct page *p)
{
	*p = (struct page){.sharers = {.things = 0}};
	portrait_init(&p->portrait);
	fill(p);
	p->q[PROCESS_RSS] = 16 * MIB;
	p->q[PROCESS_VM_HWM] = 20 * MIB;
	p->q[PROCESS_VM_PTE] = 64 * KIB;
	p->e = (struct explanation){
		.pid = 42,
		.program = "server",
		.user = "alice",
		.present = UINT64_C(1) << PROCESS_RSS | UINT64_C(1) << PROCESS_VM_HWM |
	                   UINT64_C(1) << PROCESS_VM_PTE,
		.q = p->q,
		.portrait = &p->portrait,
		.sharers = &p->sharers,
		.looked = 7,
		.unknown = "nothing from memtallyd: it is not there",
		.limit = 2,
	};
}

static void close_page(struct page *p)
{
	portrait_done(&p->portrait);
	sharers_done(&p->sharers);
}

static void see_growth(struct page *p, double slope, double error)
{
	p->row.q[PROCESS_ANON_GROWTH] = 5 * MIB;
	p->row.q[PROCESS_SEEN] = 7260 * NS_PER_SEC;
	memcpy(&p->row.q[PROCESS_ANON_SLOPE], &slope, sizeof(slope));
	memcpy(&p->row.q[PROCESS_ANON_SLOPE_ERROR], &error, sizeof(error));
	p->row.present = UINT64_C(1) << PROCESS_ANON_GROWTH | UINT64_C(1) << PROCESS_SEEN |
	                 UINT64_C(1) << PROCESS_ANON_SLOPE |
	                 UINT64_C(1) << PROCESS_ANON_SLOPE_ERROR;
	p->e.grown = &p->row;
	p->e.snapshot_age_ns = 3 * NS_PER_SEC;
}

static void check_text(const struct page *p, const char *expected)
{
	AUTO_BUFFER struct buffer text = {0};

	explanation_add_text(&p->e, &text);
	buffer_add_char(&text, '\0');
	assert_int_equal(text.error, 0);
	assert_string_equal(text.data, expected);
}

static void says_all_that_is_known(void **state)
{
	struct page p;

	(void)state;
	open_page(&p);
	see(&p, "cat", 0, 5);
	see(&p, "server", 0, 5);
	see(&p, "server", 0x1000, 0);
	see_growth(&p, 512.0, 16.0);
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
		"                 3.0 MiB  server, 2 processes, related by fork: 2.0 MiB anonymous\n"
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
	close_page(&p);
}

static void says_what_is_not_known(void **state)
{
	struct page p;

	(void)state;
	open_page(&p);
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
	close_page(&p);
}

static void check_line(const struct page *p, const char *line)
{
	AUTO_BUFFER struct buffer text = {0};

	explanation_add_text(&p->e, &text);
	buffer_add_char(&text, '\0');
	if (!strstr(text.data, line))
		fail_msg("no '%s' in\n%s", line, text.data);
}

static void doubts_have_words(void **state)
{
	struct page p;

	(void)state;
	open_page(&p);
	see_growth(&p, -512.0, 300.0);
	check_line(&p,
		"\n            over the last hour it shrank by 1.8 MiB an hour, give or take 2.1 MiB: which may be nothing\n");
	p.row.present = UINT64_C(1) << PROCESS_RSS;
	check_line(&p, "\nGrown       not known: memtallyd has seen it once\n");
	p.q[PROCESS_VM_HWM] = p.q[PROCESS_RSS];
	check_line(
		&p, "\nMost        16.0 MiB were resident at one time (VmHWM), as many as now\n");
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
	close_page(&p);
}

static json_int_t integer_of(const json_t *json, const char *object, const char *name)
{
	const json_t *value = json_object_get(object ? json_object_get(json, object) : json, name);

	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

static void json_has_exact_figures(void **state)
{
	struct page p;
	json_t *json;

	(void)state;
	open_page(&p);
	see(&p, "server", 0x1000, 0);
	see_growth(&p, 512.0, 16.0);
	json = explanation_json(&p.e);
	assert_non_null(json);
	assert_int_equal(integer_of(json, NULL, "rss_bytes"), 16 * MIB);
	assert_int_equal(integer_of(json, NULL, "uss_bytes"), 11 * MIB);
	assert_int_equal(integer_of(json, "alone", "anon_bytes"), 8 * MIB);
	assert_int_equal(integer_of(json, "shared", "file_bytes"), 3 * MIB);
	assert_int_equal(integer_of(json, "if_ended", "freed_bytes"), 8 * MIB + 64 * KIB);
	assert_int_equal(integer_of(json, "if_ended", "cached_bytes"), MIB);
	assert_int_equal(integer_of(json, "if_ended", "others_pss_bytes"), 2 * MIB);
	assert_int_equal(integer_of(json, "growth", "anon_growth_bytes"), 5 * MIB);
	assert_int_equal(integer_of(json, NULL, "vm_hwm_bytes"), 20 * MIB);
	assert_int_equal(json_array_size(json_object_get(json, "kinds")), 3);
	assert_int_equal(json_array_size(json_object_get(json, "shared_things")), 2);
	assert_int_equal(integer_of(json_array_get(json_object_get(json, "shared_with"), 0), NULL,
				 "forked_bytes_max"),
		2 * MIB);
	assert_null(json_object_get(json, "growth_unknown"));
	json_decref(json);
	p.e.grown = NULL;
	json = explanation_json(&p.e);
	assert_string_equal(json_string_value(json_object_get(json, "growth_unknown")),
		"nothing from memtallyd: it is not there");
	assert_null(json_object_get(json, "growth"));
	json_decref(json);
	close_page(&p);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_all_that_is_known),
		cmocka_unit_test(says_what_is_not_known),
		cmocka_unit_test(doubts_have_words),
		cmocka_unit_test(json_has_exact_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
