/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/cli/explained.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"

enum { KIB = 1024, MIB = 1024 * KIB };

#define RESIDENT                                                                                   \
	(UINT64_C(1) << MAPPING_RSS | UINT64_C(1) << MAPPING_PSS |                                 \
		UINT64_C(1) << MAPPING_SHARED_CLEAN | UINT64_C(1) << MAPPING_SHARED_DIRTY |        \
		UINT64_C(1) << MAPPING_PRIVATE_CLEAN | UINT64_C(1) << MAPPING_PRIVATE_DIRTY |      \
		UINT64_C(1) << MAPPING_ANONYMOUS | UINT64_C(1) << MAPPING_SWAP |                   \
		UINT64_C(1) << MAPPING_SWAP_PSS)

static void add(struct explained *p, struct mapping m)
{
	m.flags = "";
	m.present = RESIDENT;
	m.path_len = strlen(m.path);
	m.end = m.start + 0x1000;
	memcpy(m.perms, "rw-p", sizeof(m.perms));
	assert_int_equal(breakdown_add(&p->breakdown, 42, &m), 0);
	assert_int_equal(sharers_learn(&p->sharers, &m), 0);
}

static void fill(struct explained *p)
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

void explained_see(struct explained *p, const char *program, uint64_t start, uint64_t inode)
{
	const struct mapping m = {.start = start, .inode = inode, .major = inode == 5 ? 8 : 0};
	const struct sharers_object key = sharers_key(&m);

	sharers_begin(&p->sharers);
	for (size_t i = 0; i < p->sharers.objects; i++)
		if (!sharers_compare(&p->sharers.object[i], &key))
			sharers_see(&p->sharers, i);
	assert_int_equal(sharers_end(&p->sharers, program), 0);
}

void explained_open(struct explained *p)
{
	*p = (struct explained){.sharers = {.objects = 0}};
	breakdown_init(&p->breakdown);
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
		.breakdown = &p->breakdown,
		.sharers = &p->sharers,
		.looked = 7,
		.unknown = "no snapshot from memtallyd: it is not there",
		.limit = 2,
	};
}

void explained_close(struct explained *p)
{
	breakdown_done(&p->breakdown);
	sharers_done(&p->sharers);
}

void explained_grows(struct explained *p, double slope, double error)
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
