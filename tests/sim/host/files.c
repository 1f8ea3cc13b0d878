/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/sim/host/files.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"

/* Start addresses of text, other mappings and stack. Each image has a range of its own. */
#define TEXT_START  UINT64_C(0x500000000000)
#define PARTS_START UINT64_C(0x560000000000)
#define STACK_START UINT64_C(0x7ffc00000000)
#define TEXT_SIZE   UINT64_C(0x100000)
#define STACK_SIZE  UINT64_C(0x21000)

enum { IMAGE_SHIFT = 21 };

/* Adds the line "NAME:<tab>KIB kB". */
static void add_kib(struct buffer *to, const char *name, double bytes)
{
	buffer_add_text(to, name);
	buffer_add_text(to, ":\t");
	buffer_add_u64(to, (uint64_t)bytes / 1024);
	buffer_add_text(to, " kB\n");
}

static void add_number(struct buffer *to, uint64_t value)
{
	buffer_add_u64(to, value);
	buffer_add_char(to, ' ');
}

/* Adds VALUE in hexadecimal. With printf(), this would take most of the time of a simulation. */
static void add_hex(struct buffer *to, uint64_t value)
{
	char digits[16];
	size_t at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	buffer_add(to, digits + at, sizeof(digits) - at);
}

static uint64_t text_start(const struct host_process *p)
{
	return TEXT_START + ((uint64_t)p->image << IMAGE_SHIFT);
}

static uint64_t range_start(const struct host_process *p)
{
	return text_start(p) - p->below * HOST_PAGE;
}

static uint64_t stack_start(const struct host_process *p)
{
	return STACK_START + ((uint64_t)p->image % 4096 << IMAGE_SHIFT);
}

static uint64_t size_of(const struct host_process *p)
{
	return p->size + TEXT_SIZE + STACK_SIZE;
}

void files_statm(const struct host *h, size_t slot, struct buffer *to)
{
	const struct host_process *p = &h->process[slot];

	if (p->is_exiting) {
		buffer_add_text(to, "0 0 0 0 0 0 0\n");
		return;
	}
	buffer_add_u64(to, size_of(p) / HOST_PAGE);
	buffer_add_text(to, " ");
	buffer_add_u64(to, (p->anon + p->file) / HOST_PAGE);
	buffer_add_text(to, " ");
	buffer_add_u64(to, p->file / HOST_PAGE);
	buffer_add_text(to, " 256 0 1000 0\n");
}

/* Returns the pid of P's parent; 0: it has exited, and nothing is above it. */
static uint32_t parent_of(const struct host *h, const struct host_process *p)
{
	const struct host_process *parent = &h->process[p->parent_slot];

	return p->parent && parent->pid == p->parent && !parent->is_exiting ? p->parent : 0;
}

void files_status(const struct host *h, size_t slot, struct buffer *to)
{
	const struct host_process *p = &h->process[slot];

	buffer_add_text(to, "Name:\tprogram-");
	buffer_add_u64(to, p->program);
	buffer_add_text(to, "\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t");
	buffer_add_u64(to, p->pid);
	buffer_add_text(to, "\nPPid:\t");
	buffer_add_u64(to, parent_of(h, p));
	buffer_add_text(to, "\nUid:\t");
	for (int i = 0; i < 4; i++) {
		buffer_add_u64(to, p->user + 1000);
		buffer_add_text(to, i < 3 ? "\t" : "\n");
	}
	buffer_add_text(to, "Gid:\t0\t0\t0\t0\n");
	if (p->is_exiting) {
		buffer_add_text(to, "Threads:\t1\n");
		return;
	}
	add_kib(to, "VmPeak", (double)size_of(p));
	add_kib(to, "VmSize", (double)size_of(p));
	add_kib(to, "VmHWM", (double)(p->anon + p->file));
	add_kib(to, "VmRSS", (double)(p->anon + p->file));
	add_kib(to, "RssAnon", (double)p->anon);
	add_kib(to, "RssFile", (double)(p->file - p->shmem));
	add_kib(to, "RssShmem", (double)p->shmem);
	add_kib(to, "VmPTE", 65536);
	add_kib(to, "VmSwap", (double)p->swap);
	buffer_add_text(to, "Threads:\t1\n");
}

void files_stat(const struct host *h, size_t slot, struct buffer *to)
{
	const struct host_process *p = &h->process[slot];
	uint64_t text_end = text_start(p) + TEXT_SIZE;
	uint64_t stack_end = stack_start(p) + STACK_SIZE;

	add_number(to, p->pid);
	buffer_add_text(to, "(program-");
	buffer_add_u64(to, p->program);
	buffer_add_text(to, ") S ");
	add_number(to, parent_of(h, p));
	add_number(to, p->pid);
	add_number(to, p->pid);
	buffer_add_text(to, "0 -1 4194560 ");
	add_number(to, p->faults);
	buffer_add_text(to, "0 0 0 1 2 0 0 20 0 1 0 ");
	add_number(to, p->born_ns / (10 * NS_PER_MSEC));
	if (p->is_exiting) {
		buffer_add_text(to, "0 0 18446744073709551615 0 0 0 0 0\n");
		return;
	}
	add_number(to, size_of(p));
	add_number(to, (p->anon + p->file) / HOST_PAGE);
	buffer_add_text(to, "18446744073709551615 ");
	add_number(to, text_start(p));
	add_number(to, text_end);
	add_number(to, stack_end);
	buffer_add_text(to, "0 0\n");
}

void files_cgroup(const struct host *h, size_t slot, struct buffer *to)
{
	buffer_add_text(to, "0::/system.slice/program-");
	buffer_add_u64(to, h->process[slot].program);
	buffer_add_text(to, ".service\n");
}

static void add_head(struct buffer *to, uint64_t start, uint64_t end, const char *rights,
	const char *device, uint32_t inode, const char *path)
{
	add_hex(to, start);
	buffer_add_char(to, '-');
	add_hex(to, end);
	buffer_add_char(to, ' ');
	buffer_add_text(to, rights);
	buffer_add_text(to, " 00000000 ");
	buffer_add_text(to, device);
	buffer_add_char(to, ' ');
	add_number(to, inode);
	buffer_add_text(to, path);
	buffer_add_char(to, '\n');
}

void files_rollup(const struct host *h, size_t slot, struct buffer *to)
{
	const struct host_process *p = &h->process[slot];
	struct host_truth t;

	host_walk(h, slot, &t);
	add_head(to, range_start(p), stack_start(p) + STACK_SIZE, "---p", "00:00", 0, "[rollup]");
	add_kib(to, "Rss", (double)(p->anon + p->file));
	add_kib(to, "Pss", t.pss);
	add_kib(to, "Pss_Dirty", t.pss_anon);
	add_kib(to, "Pss_Anon", t.pss_anon);
	add_kib(to, "Pss_File", t.pss_file);
	add_kib(to, "Pss_Shmem", t.pss_shmem);
	add_kib(to, "Shared_Clean", 0);
	add_kib(to, "Shared_Dirty", (double)(p->anon + p->file - t.uss));
	add_kib(to, "Private_Clean", 0);
	add_kib(to, "Private_Dirty", (double)t.uss);
	add_kib(to, "Anonymous", (double)p->anon);
	add_kib(to, "AnonHugePages", 0);
	add_kib(to, "ShmemPmdMapped", 0);
	add_kib(to, "FilePmdMapped", 0);
	add_kib(to, "Shared_Hugetlb", 0);
	add_kib(to, "Private_Hugetlb", 0);
	add_kib(to, "Swap", (double)p->swap);
	add_kib(to, "SwapPss", t.swap_pss);
}

void files_btime(const struct host *h, struct buffer *to)
{
	(void)h;
	buffer_add_text(to, "cpu  1 2 3\nbtime 1700000000\n");
}

void files_meminfo(const struct host *h, struct buffer *to)
{
	add_kib(to, "MemTotal", 1e12);
	add_kib(to, "MemAvailable", 1e11);
	add_kib(to, "AnonPages", (double)h->anon_pages);
	add_kib(to, "Mapped", (double)h->mapped);
}

void files_vmstat(const struct host *h, struct buffer *to)
{
	buffer_add_text(to, "pswpin ");
	buffer_add_u64(to, h->swapped_in);
	buffer_add_text(to, "\npswpout ");
	buffer_add_u64(to, h->swapped_out);
	buffer_add_text(to, "\n");
}

void files_pressure(const struct host *h, struct buffer *to)
{
	buffer_printf(to, "some avg10=%u.%02u avg60=0.00 avg300=0.00 total=%llu\n",
		h->pressure / 100, h->pressure % 100, (unsigned long long)h->now_ns / 1000);
	buffer_add_text(to, "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
}

/* Returns the first part, or mapping, at PLACE or above; the count if there is none. */
static size_t part_at(const struct host_process *p, uint64_t place)
{
	size_t low = 0, high = p->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->part[middle].place < place)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t mapping_at(const struct host_process *p, uint64_t place)
{
	size_t i = 0;

	while (i < p->mappings && p->mapping[i].place < place)
		i++;
	return i;
}

static bool next_part(
	const struct host *h, size_t slot, struct files_cursor *c, struct files_mapping *ret)
{
	const struct host_process *p = &h->process[slot];
	size_t i = part_at(p, c->place);

	if (i == p->count)
		return false;
	*ret = (struct files_mapping){.start = PARTS_START + p->part[i].place * HOST_PAGE};
	ret->end = ret->start + h->extent[p->part[i].extent].pages * HOST_PAGE;
	host_look_at_part(h, slot, i, &ret->piece);
	c->place = p->part[i].place + 1;
	return true;
}

static bool next_mapping(
	const struct host *h, size_t slot, struct files_cursor *c, struct files_mapping *ret)
{
	const struct host_process *p = &h->process[slot];
	size_t i = mapping_at(p, c->place);
	const struct host_inode *inode;

	if (i == p->mappings)
		return false;
	inode = &h->inode[p->mapping[i].inode];
	*ret = (struct files_mapping){
		.start = PARTS_START + p->mapping[i].place * HOST_PAGE,
		.inode = p->mapping[i].inode,
		.is_shmem = h->extent[inode->first].kind == HOST_SHMEM,
	};
	ret->end = ret->start + inode->pages * HOST_PAGE;
	host_look_at_mapping(h, slot, i, &ret->piece);
	c->place = p->mapping[i].place + 1;
	return true;
}

bool files_next(
	const struct host *h, size_t slot, struct files_cursor *c, struct files_mapping *ret)
{
	const struct host_process *p = &h->process[slot];

	if (c->at == FILES_TEXT) {
		*ret = (struct files_mapping){
			.start = range_start(p), .end = text_start(p) + TEXT_SIZE};
		c->at = FILES_PARTS;
		return true;
	}
	if (c->at == FILES_PARTS && next_part(h, slot, c, ret))
		return true;
	if (c->at == FILES_PARTS)
		*c = (struct files_cursor){.at = FILES_MAPPINGS};
	if (c->at == FILES_MAPPINGS && next_mapping(h, slot, c, ret))
		return true;
	if (c->at == FILES_END)
		return false;
	*ret = (struct files_mapping){.start = stack_start(p), .end = stack_start(p) + STACK_SIZE};
	c->at = FILES_END;
	return true;
}

void files_map(const struct files_mapping *m, struct buffer *to)
{
	if (!m->inode)
		add_head(to, m->start, m->end, "rw-p", "00:00", 0, "");
	else if (m->is_shmem) /* of a file system without a block device */
		add_head(to, m->start, m->end, "rw-s", "00:01", m->inode, "/dev/zero (deleted)");
	else
		add_head(to, m->start, m->end, "rw-p", "08:01", m->inode, "/usr/lib/library.so");
}

/* The lines of smaps for one mapping. The fields of 8 digits are overwritten. */
static const char smap_text[] = "Size:           ######## kB\n"
				"KernelPageSize:        4 kB\n"
				"MMUPageSize:           4 kB\n"
				"Rss:            ######## kB\n"
				"Pss:            ######## kB\n"
				"Pss_Dirty:             0 kB\n"
				"Shared_Clean:          0 kB\n"
				"Shared_Dirty:   ######## kB\n"
				"Private_Clean:         0 kB\n"
				"Private_Dirty:  ######## kB\n"
				"Referenced:            0 kB\n"
				"Anonymous:      ######## kB\n"
				"KSM:                   0 kB\n"
				"LazyFree:              0 kB\n"
				"AnonHugePages:         0 kB\n"
				"ShmemPmdMapped:        0 kB\n"
				"FilePmdMapped:         0 kB\n"
				"Shared_Hugetlb:        0 kB\n"
				"Private_Hugetlb:       0 kB\n"
				"Swap:           ######## kB\n"
				"SwapPss:        ######## kB\n"
				"Locked:                0 kB\n"
				"THPeligible:           0\n"
				"VmFlags: rd wr mr mw me ac sd\n";

/* Writes BYTES in KiB over the 8 characters at TO, aligned to the right. */
static void fill_in_kib(char *to, uint64_t bytes)
{
	uint64_t kib = bytes / 1024;
	int at = 8;

	assert(kib < 100000000);
	do {
		to[--at] = (char)('0' + kib % 10);
		kib /= 10;
	} while (kib);
	memset(to, ' ', (size_t)at);
}

void files_smap(const struct files_mapping *m, struct buffer *to)
{
	enum { LINE = 28, FIELD = 16 }; /* all lines before the last field are of this length */
	const struct host_piece *p = &m->piece;
	char *text;

	files_map(m, to);
	text = buffer_reserve(to, sizeof(smap_text) - 1);
	assert(text);
	memcpy(text, smap_text, sizeof(smap_text) - 1);
	fill_in_kib(text + FIELD, m->end - m->start);
	fill_in_kib(text + 3 * LINE + FIELD, p->rss);
	fill_in_kib(text + 4 * LINE + FIELD, (uint64_t)p->pss);
	fill_in_kib(text + 7 * LINE + FIELD, p->rss - p->private);
	fill_in_kib(text + 9 * LINE + FIELD, p->private);
	fill_in_kib(text + 11 * LINE + FIELD, m->inode ? 0 : p->rss);
	fill_in_kib(text + 19 * LINE + FIELD, p->swap);
	fill_in_kib(text + 20 * LINE + FIELD, (uint64_t)p->swap_pss);
	to->len += sizeof(smap_text) - 1;
}
