/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/frames/frame-mappers.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "inspect/pages/pagemap.h"

enum {
	SWAP_AREA_BITS = 5, /* of a place in swap: MAX_SWAPFILES_SHIFT */
	/*
	 * A gap of as many frames is read along, which is cheaper than another call: each frame
	 * takes the kernel some 50 ns.
	 */
	NEAR_FRAMES = 5,
};

/*
 * Bytes of empty address space that take some 50 ms to read page by page, and bytes of memory that
 * the kernel walks in 20 ms.
 */
#define SPARSE_MIN (UINT64_C(64) << 30)
#define WALKED_MAX (UINT64_C(4) << 30)

static void frame_mappers_tick(const struct frame_mappers *m)
{
	if (m->tick)
		m->tick(m->context);
}

static int frame_mappers_join(struct frame_mappers *m, uint32_t *number)
{
	return owner_sets_join(&m->sets, *number, m->group, number);
}

/* After frame_mappers_seek() only places count that a group has. */
static int take_swapped(struct frame_mappers *m, uint64_t place)
{
	uint64_t area = place & ((1U << SWAP_AREA_BITS) - 1), offset = place >> SWAP_AREA_BITS;
	uint32_t *number;
	int r;

	if (area >= FRAME_MAPPERS_SWAP_AREAS)
		return 0;
	m->has_swap = true;
	if (m->walk.swapped_alone) {
		number = frame_map_find(&m->swap[area], offset);
		return number && *number ? frame_mappers_join(m, number) : 0;
	}
	r = frame_map_touch(&m->swap[area], offset, &number);
	return r == 0 ? frame_mappers_join(m, number) : r;
}

/*
 * Records the file in .unmapped that FRAME belongs to, if any. FRAME is found for the first time,
 * at ADDRESS.
 */
static int note_origin(struct frame_mappers *m, uint64_t frame, uint64_t address)
{
	uint32_t file = shmem_files_meet(&m->unmapped.files, address), *number;
	int r = file ? frame_map_touch(&m->origin, frame, &number) : 0;

	if (file && r == 0)
		*number = file;
	return r;
}

/* IS_FILES: the page belongs to a file or shared memory, and is no private copy. */
static int take_frame(struct frame_mappers *m, uint64_t frame, uint64_t address, bool is_files)
{
	uint32_t *number;
	int r;

	if (m->walk.swapped_alone)
		return 0;
	m->mapped++;
	r = frame_map_touch(&m->frames, frame, &number);
	if (r == 0 && !*number && is_files)
		r = note_origin(m, frame, address);
	return r == 0 ? frame_mappers_join(m, number) : r;
}

static int frame_mappers_take_pages(
	uint64_t start, const uint64_t *entry, size_t count, void *context)
{
	struct frame_mappers *m = context;
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++) {
		uint64_t frame = pagemap_frame(entry[i]), place = pagemap_swap(entry[i]);

		if (frame)
			r = take_frame(m, frame, start + i * page_bytes, entry[i] & PAGEMAP_FILE);
		else if (place)
			r = take_swapped(m, place);
	}
	frame_mappers_tick(m);
	return r;
}

static int see_mapping(const struct mapping *mapping, void *context)
{
	struct frame_mappers *m = context;

	return unmapped_shmem_map(mapping, &m->unmapped);
}

int frame_mappers_open(struct frame_mappers *m, int procfs_fd, const char **ret_what)
{
	int r;

	*m = (struct frame_mappers){.kpage = {.counts = -1, .flags = -1},
		.walk = {.take = frame_mappers_take_pages, .see = see_mapping, .context = m}};
	*ret_what = "cannot find out whether page frames are shown (pagemap)";
	r = pagemap_shows_frames(procfs_fd);
	if (r <= 0)
		return r < 0 ? r : FRAME_MAPPERS_NO_FRAMES;
	*ret_what = "cannot read mapping counts of pages (kpagecount, kpageflags: take root, or "
		    "CAP_DAC_READ_SEARCH)";
	r = kpage_open(procfs_fd, &m->kpage);
	if (r < 0)
		return r;
	*ret_what = "cannot find out which files are in memory (memfd_create, mountinfo)";
	return unmapped_shmem_open(&m->unmapped, procfs_fd);
}

void frame_mappers_done(struct frame_mappers *m)
{
	kpage_close(&m->kpage);
	frame_map_done(&m->frames);
	frame_map_done(&m->origin);
	for (size_t i = 0; i < FRAME_MAPPERS_SWAP_AREAS; i++)
		frame_map_done(&m->swap[i]);
	owner_sets_done(&m->sets);
	unmapped_shmem_done(&m->unmapped);
	frame_owners_done(&m->owners);
}

/*
 * Whether the address space of T is nearly empty and so large that it takes long to read if holes
 * cannot be skipped. A walk of its mappings takes less.
 */
static bool is_sparse(const struct target *t)
{
	return ROW_HAS(&t->sample, PROCESS_VM_SIZE) && ROW_HAS(&t->sample, PROCESS_RSS) &&
	       t->sample.q[PROCESS_VM_SIZE] >= SPARSE_MIN && t->sample.q[PROCESS_RSS] <= WALKED_MAX;
}

int frame_mappers_take(struct frame_mappers *m, struct target *t, uint32_t group)
{
	bool by_smaps = m->walk.cannot_scan && is_sparse(t);
	bool has_pages = !m->walk.swapped_alone || m->has_swap;
	AUTO_CLOSE int maps = -1, pagemap = -1;
	int r = target_file(t, by_smaps ? "smaps" : "maps", &maps);

	m->group = group;
	unmapped_shmem_begin(&m->unmapped, t->process.pid, group);
	if (r == 0 && has_pages)
		r = target_file(t, "pagemap", &pagemap);
	if (r == 0)
		r = pagesweep_read(&m->walk, maps, pagemap);
	if (r == 0)
		r = unmapped_shmem_hold(&m->unmapped, t);
	frame_mappers_tick(m);
	return r == -ERANGE ? r : target_end(t, r);
}

int frame_mappers_hold(struct frame_mappers *m, struct target *t, uint32_t group)
{
	int r;

	m->group = group;
	unmapped_shmem_begin(&m->unmapped, t->process.pid, group);
	r = unmapped_shmem_hold(&m->unmapped, t);
	frame_mappers_tick(m);
	return target_end(t, r);
}

int frame_mappers_seek(struct frame_mappers *m)
{
	m->walk.swapped_alone = true;
	return unmapped_shmem_weigh(&m->unmapped);
}

bool frame_mappers_is_seeking(const struct frame_mappers *m)
{
	return m->has_swap || unmapped_shmem_has_any(&m->unmapped);
}

bool frame_mappers_seeks_holders(const struct frame_mappers *m)
{
	return unmapped_shmem_seeks_sockets(&m->unmapped);
}

/* Returns the kind of a frame with FLAGS; FRAME_OWNER_KINDS: not memory of a process. */
static enum frame_owner_kind kind_of_frame(uint64_t flags)
{
	if (flags & (KPAGE_ZERO | KPAGE_NOPAGE))
		return FRAME_OWNER_KINDS;
	if (flags & KPAGE_HUGE)
		return FRAME_OWNER_HUGETLB;
	if (flags & KPAGE_ANON)
		return FRAME_OWNER_ANON;
	if (flags & KPAGE_SWAPBACKED)
		return FRAME_OWNER_SHMEM;
	/*
	 * The page cache maps only pages that are up to date. Other pages, such as drivers' memory,
	 * do not have this flag.
	 */
	return flags & (KPAGE_UPTODATE | KPAGE_RESERVED) ? FRAME_OWNER_FILE : FRAME_OWNER_DRIVER;
}

/* Neighbouring frames; those without a set may be left unread. */
struct chunk {
	uint64_t mapped[FRAME_MAP_CHUNK];
	uint64_t flags[FRAME_MAP_CHUNK];
};

/* Reads the values of COUNT frames from FIRST on. Frames beyond the last one of the host get 0. */
static int read_frames(int fd, uint64_t first, size_t count, uint64_t *ret)
{
	size_t n;
	int r = kpage_read(fd, first, ret, count, &n);

	if (r == 0)
		memset(ret + n, 0, (count - n) * sizeof(*ret));
	return r;
}

/* Returns the end of the run of frames from AT on, in which no gap is larger than NEAR_FRAMES. */
static size_t end_of_run(const uint32_t *number, size_t at)
{
	size_t end = at + 1;

	for (size_t i = end; i < FRAME_MAP_CHUNK && i < end + NEAR_FRAMES; i++)
		if (number[i])
			end = i + 1;
	return end;
}

static int read_runs(
	const struct kpage *frames, uint64_t first, const uint32_t *number, struct chunk *ret)
{
	size_t end;
	int r = 0;

	for (size_t i = 0; r == 0 && i < FRAME_MAP_CHUNK; i = end) {
		end = number[i] ? end_of_run(number, i) : i + 1;
		if (!number[i])
			continue;
		r = read_frames(frames->flags, first + i, end - i, &ret->flags[i]);
		if (r == 0)
			r = read_frames(frames->counts, first + i, end - i, &ret->mapped[i]);
	}
	return r;
}

/*
 * Old kernels do not show some flags of the head of a large folio for its tails, such as
 * KPAGE_UPTODATE, which all mapped pages have. The head is before the tails in the same chunk.
 */
static int complete_tails(
	const struct kpage *frames, uint64_t first, const uint32_t *number, struct chunk *chunk)
{
	const uint64_t told = KPAGE_ANON | KPAGE_SWAPBACKED | KPAGE_UPTODATE;
	uint64_t head = 0;
	bool lacks = false;
	int r;

	for (size_t i = 0; i < FRAME_MAP_CHUNK; i++)
		lacks |= number[i] && chunk->flags[i] & KPAGE_COMPOUND_TAIL &&
		         !(chunk->flags[i] & (told | KPAGE_HUGE));
	if (!lacks)
		return 0;
	r = read_frames(frames->flags, first, FRAME_MAP_CHUNK, chunk->flags);
	for (size_t i = 0; r == 0 && i < FRAME_MAP_CHUNK; i++) {
		if (chunk->flags[i] & KPAGE_COMPOUND_HEAD)
			head = chunk->flags[i];
		if (chunk->flags[i] & KPAGE_COMPOUND_TAIL)
			chunk->flags[i] |= head & told;
	}
	return r;
}

/*
 * Returns KIND, refined by whether the page in FRAME is freed when the processes that map it exit.
 * If that is not known, shared memory counts as kept, and files as cached. Drivers' memory without
 * a known file has a kind of its own: the kernel does not say what keeps it, such as the name or
 * the program of a BPF map.
 */
static enum frame_owner_kind by_keeper(
	struct frame_mappers *m, enum frame_owner_kind kind, uint64_t frame)
{
	const uint32_t *file = frame_map_find(&m->origin, frame);
	bool is_known = file && *file;
	bool stays = !is_known || unmapped_shmem_stays(&m->unmapped, *file);

	switch (kind) {
	case FRAME_OWNER_SHMEM: return stays ? FRAME_OWNER_SHMEM_KEPT : kind;
	case FRAME_OWNER_DRIVER:
		if (!is_known)
			return FRAME_OWNER_DRIVER_UNTOLD;
		return stays ? FRAME_OWNER_DRIVER_KEPT : kind;
	case FRAME_OWNER_FILE: break;
	default: return kind;
	}
	if (is_known && shmem_files_at(&m->unmapped.files, *file)->what == SHMEM_FILE_SECRET)
		return stays ? FRAME_OWNER_SHMEM_KEPT : FRAME_OWNER_SHMEM;
	return stays ? kind : FRAME_OWNER_UNLINKED;
}

/* Adds the frames of a chunk, from FIRST on, to .owners. */
static int count_chunk(struct frame_mappers *m, uint64_t first, const uint32_t *number)
{
	struct chunk chunk;
	int r = read_runs(&m->kpage, first, number, &chunk);

	if (r == 0)
		r = complete_tails(&m->kpage, first, number, &chunk);
	for (size_t i = 0; r == 0 && i < FRAME_MAP_CHUNK; i++) {
		enum frame_owner_kind kind = number[i] ? kind_of_frame(chunk.flags[i])
		                                       : FRAME_OWNER_KINDS;

		if (kind < FRAME_OWNER_RSS_KINDS)
			kind = by_keeper(m, kind, first + i);
		if (kind != FRAME_OWNER_KINDS)
			frame_owners_add(&m->owners, number[i], kind, chunk.mapped[i]);
	}
	frame_mappers_tick(m);
	return r;
}

static void count_swap(struct frame_mappers *m)
{
	for (size_t i = 0; i < FRAME_MAPPERS_SWAP_AREAS; i++) {
		const uint32_t *number;
		uint64_t at = 0;

		for (; (number = frame_map_next(&m->swap[i], &at)); at += FRAME_MAP_CHUNK)
			for (size_t k = 0; k < FRAME_MAP_CHUNK; k++)
				frame_owners_add(
					&m->owners, number[k], FRAME_OWNER_SWAP, UINT64_MAX);
	}
}

int frame_mappers_count(struct frame_mappers *m, uint32_t groups)
{
	const uint32_t *number;
	uint64_t at = 0;
	int r = frame_owners_init(&m->owners, &m->sets, groups, (uint64_t)sysconf(_SC_PAGESIZE));

	for (; r == 0 && (number = frame_map_next(&m->frames, &at)); at += FRAME_MAP_CHUNK)
		r = count_chunk(m, at, number);
	if (r < 0)
		return r;
	count_swap(m);
	unmapped_shmem_count(&m->unmapped, &m->owners);
	return frame_owners_end(&m->owners);
}

uint64_t frame_mappers_bytes(const struct frame_mappers *m)
{
	uint64_t bytes = m->frames.bytes + m->origin.bytes + owner_sets_bytes(&m->sets) +
	                 unmapped_shmem_bytes(&m->unmapped) +
	                 m->sets.count * sizeof(*m->owners.pages);

	for (size_t i = 0; i < FRAME_MAPPERS_SWAP_AREAS; i++)
		bytes += m->swap[i].bytes;
	return bytes;
}
