/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/pages/loaded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "base/text.h"
#include "inspect/elf/elf-load.h"
#include "inspect/elf/elf-open.h"
#include "inspect/files/file-state.h"
#include "inspect/maps/kind.h"

#define DEBUG_FOLDER "/usr/lib/debug"

/* A private mapping of a file, or without one. */
struct loaded_area {
	struct elf_load_area place;
	uint64_t inode; /* 0: no file */
	uint32_t major, minor;
	uint64_t first; /* the lowest address of all mappings of the file */
	size_t path;    /* offset in .paths, terminated */
	bool is_deleted;
	enum mapping_fate fate;
};

/* The file that is being read. */
struct looking {
	struct loaded *p;
	const char *path;   /* terminated */
	struct buffer name; /* clean, terminated */
};

void loaded_init(struct loaded *p)
{
	p->budget = ELF_OPEN_BUDGET;
	p->placed.page_size = p->other.page_size = pagewalk_page_size();
}

void loaded_done(struct loaded *p)
{
	free(p->area);
	buffer_done(&p->paths);
	buffer_done(&p->name);
	mounts_done(&p->mounts);
	resident_ranges_done(&p->placed);
	resident_ranges_done(&p->other);
}

static int loaded_end_all(struct loaded *p, int r)
{
	if (r < 0)
		p->fatal = r;
	return r;
}

/* Sets the amounts of ROW from sums of pages. */
static void loaded_fill(struct partrow *row, const uint64_t sum[static RESIDENT_RANGES_FIELDS])
{
	row->q[PARTROW_RESIDENT] = sum[RESIDENT_RANGES_RESIDENT];
	row->q[PARTROW_PRIVATE] = sum[RESIDENT_RANGES_PRIVATE];
	row->q[PARTROW_SHARED] = sum[RESIDENT_RANGES_RESIDENT] - sum[RESIDENT_RANGES_PRIVATE];
	row->q[PARTROW_WRITTEN] = sum[RESIDENT_RANGES_WRITTEN];
	row->q[PARTROW_DIRTY] = sum[RESIDENT_RANGES_DIRTY];
	row->q[PARTROW_SWAPPED] = sum[RESIDENT_RANGES_SWAPPED];
}

/* Adds ROW with the name NAME, as in the file; NULL: the rest of the file. */
static int loaded_add_row(struct looking *l, struct partrow *row, const char *name)
{
	struct loaded *p = l->p;

	buffer_clear(&p->name);
	if (name)
		text_add_clean_max(
			&p->name, name, strnlen(name, ELFFILE_NAME_MAX), ELFFILE_NAME_MAX);
	text_escape_reserved(&p->name, 0);
	buffer_add_char(&p->name, '\0');
	if (p->name.error)
		return loaded_end_all(p, p->name.error);
	row->pid = p->pid;
	row->name = name ? p->name.data : NULL;
	row->object = l->name.data;
	return loaded_end_all(p, partlist_add(p->list, row));
}

static int take_placed(const struct page *page, void *context)
{
	return resident_ranges_add(&((struct loaded *)context)->placed, page);
}

static int take_other(const struct page *page, void *context)
{
	return resident_ranges_add(&((struct loaded *)context)->other, page);
}

/* Walks the pages of loading L that are within the addresses to report on. */
static int walk_pieces(struct loaded *p, struct elf_load *l)
{
	int r = 0;

	resident_ranges_clear(&p->placed);
	resident_ranges_clear(&p->other);
	elf_load_cut(l, p->start, p->end);
	for (size_t i = 0; r == 0 && i < l->pieces; i++) {
		const struct elf_load_piece *piece = &l->piece[i];

		if (piece->start < piece->end)
			r = pagewalk(p->walk, piece->start, piece->end, false,
				piece->is_placed ? take_placed : take_other, p);
	}
	return r;
}

/*
 * Adds the rest of a loading, which no part contains: headers, gaps, and pages that are mapped but
 * not loaded.
 */
static int add_rest(struct looking *l, const struct elffile *f, const struct elf_load *loading)
{
	struct loaded *p = l->p;
	uint64_t sum[RESIDENT_RANGES_FIELDS] = {0}, covered[RESIDENT_RANGES_FIELDS] = {0},
		 mapped = 0, size = 0, until = 0, end = loading->piece[loading->pieces - 1].end;
	struct partrow row = {.name = NULL};

	for (size_t i = 0; i < loading->pieces; i++)
		size += loading->piece[i].end - loading->piece[i].start;
	resident_ranges_sum(&p->placed, 0, UINT64_MAX, sum);
	resident_ranges_sum(&p->other, 0, UINT64_MAX, sum);
	for (size_t i = 0; i < f->parts; i++) {
		uint64_t from = f->part[i].address + loading->bias, to = from + f->part[i].size;

		from = from > until ? from : until;
		to = to < end ? to : end;
		if (from >= to)
			continue;
		resident_ranges_sum(&p->placed, from, to, covered);
		mapped += elf_load_placed(loading, from, to);
		until = to;
	}
	loaded_fill(&row, sum);
	row.q[PARTROW_SIZE] = size;
	partlist_sum(p->list, &row);
	for (unsigned int i = 0; i < RESIDENT_RANGES_FIELDS; i++)
		sum[i] -= covered[i];
	loaded_fill(&row, sum);
	row.q[PARTROW_SIZE] = size - mapped;
	return row.q[PARTROW_SIZE] ? loaded_add_row(l, &row, NULL) : 0;
}

static int add_loading(struct looking *l, const struct elffile *f, struct elf_load *loading)
{
	struct loaded *p = l->p;
	int r = walk_pieces(p, loading);

	for (size_t i = 0; r == 0 && i < f->parts; i++) {
		const struct elffile_part *part = &f->part[i];
		uint64_t start = part->address + loading->bias, end = start + part->size;
		struct partrow row = {.address = start, .aliases = part->aliases};
		uint64_t sum[RESIDENT_RANGES_FIELDS] = {0};

		start = start > p->start ? start : p->start;
		end = end < p->end ? end : p->end;
		/* A process that maps a file only to read it has no part at its address. */
		if (start >= end || !elf_load_placed(loading, start, end))
			continue;
		resident_ranges_sum(&p->placed, start, end, sum);
		loaded_fill(&row, sum);
		row.q[PARTROW_SIZE] = end - start;
		r = loaded_add_row(l, &row, part->name);
	}
	return r == 0 ? add_rest(l, f, loading) : r;
}

static void loaded_add_file(struct looking *l, const char *symbols)
{
	partlist_add_file(l->p->list, l->p->pid, l->name.data, symbols, NULL);
}

/* Logs that the file could not be read, and why. Returns 0. */
static int loaded_refuse(struct looking *l, const char *what, const char *why)
{
	log_error("pid %d: %s %s%s", (int)l->p->pid, l->name.data, what, why);
	l->p->has_failed = true;
	partlist_add_file(l->p->list, l->p->pid, l->name.data, NULL, why);
	return 0;
}

/*
 * Reads the symbols of F; if F has only exported ones, those of its debugging file, DEBUG, if there
 * is one.
 */
static int read_symbols(struct looking *l, struct elffile *f, struct elffile *debug, int *debug_fd,
	const struct elffile **ret, const char **ret_why)
{
	int r = elffile_read_symbols(f, ret_why), other;

	*ret = f;
	l->p->looked_into++;
	if (r == 1) {
		other = elf_open_debug(
			f, &l->p->mounts, l->path, DEBUG_FOLDER, &l->p->budget, debug, debug_fd);
		if (other == 0 && elffile_read_symbols(debug, ret_why) == 0) {
			*ret = debug;
			loaded_add_file(l, "debug");
			return 0;
		}
		l->p->without_symtab++;
	}
	if (r >= 0)
		loaded_add_file(l, r == 0 ? "symtab" : f->parts ? "dynsym" : "none");
	return r < 0 ? r : 0;
}

static int read_parts(struct looking *l, struct elffile *f, struct elffile *debug, int *debug_fd,
	const struct elffile **ret, const char **ret_why)
{
	int r;

	if (l->p->list->format.of_symbols)
		return read_symbols(l, f, debug, debug_fd, ret, ret_why);
	*ret = f;
	r = elffile_read_sections(f, ret_why);
	if (r == 0)
		loaded_add_file(l, NULL);
	return r;
}

/*
 * Returns true if a file is loaded so often that its rows and names exceed those of the largest
 * file: rows may be kept. Mappings without loaded bytes do not count.
 */
static bool is_too_often(const struct elf_loads *found, const struct elffile *parts)
{
	size_t times = 0;

	for (size_t i = 0; i < found->count; i++) {
		const struct elf_load *l = &found->item[i];
		size_t k = 0;

		while (k < l->pieces && !l->piece[k].is_placed)
			k++;
		times += k < l->pieces;
	}
	return times * (uint64_t)parts->parts > ELFFILE_SYMBOLS_MAX ||
	       times * (uint64_t)parts->names > ELFFILE_NAMES_MAX;
}

/* AREA and AREAS are the mappings of the file; BARE and BARES those without a file. */
static int load_all(struct looking *l, const struct elffile *f, const struct elffile *parts,
	const struct elf_load_area *area, size_t areas, struct elf_load_area *bare, size_t bares)
{
	AUTO_ELF_LOADS struct elf_loads found = {.count = 0};
	int r = elf_loads_find(f, pagewalk_page_size(), area, areas, bare, bares, &found);

	if (r == -E2BIG || (r == 0 && is_too_often(&found, parts)))
		return loaded_refuse(l, "", "has too many mappings for sections or symbols");
	for (size_t i = 0; r == 0 && i < found.count; i++)
		r = add_loading(l, parts, &found.item[i]);
	return r;
}

static const char *why_not_opened(int r, bool is_deleted)
{
	if (r == ELF_OPEN_MAY_WAIT)
		return "it is on a file system that may not answer (FUSE, network) or of an unknown type";
	if (is_deleted)
		return "it is deleted, and opening it requires CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE";
	return r == -ESTALE ? "another file is at its path now" : strerror(-r);
}

static int look_into_file(struct looking *l, const struct loaded_area *first,
	const struct elf_load_area *area, size_t areas, struct elf_load_area *bare, size_t bares)
{
	const struct elf_open_mapping m = {.pid = l->p->pid,
		.start = first->place.start,
		.end = first->place.end,
		.inode = first->inode,
		.major = first->major,
		.minor = first->minor,
		.path = l->path};
	AUTO_ELFFILE struct elffile f = {.segments = 0};
	AUTO_ELFFILE struct elffile debug = {.segments = 0};
	AUTO_CLOSE int fd = -1, debug_fd = -1;
	const struct elffile *parts = &f;
	const char *why = "";
	int r = elf_open_file(l->p->procfs->fd, &l->p->mounts, &m, &fd), gone;

	if (r == -ENOMEM)
		return r;
	/* An exited process has no files any more, which is reported once, for the process. */
	gone = r == 0 ? 0 : target_confirm(l->p->target);
	if (gone != 0)
		return gone;
	if (r != 0)
		return loaded_refuse(l, "cannot be opened: ", why_not_opened(r, first->is_deleted));
	r = elffile_open(fd, &f, &why);
	if (r == -ENOEXEC)
		return 0;
	if (r == 0)
		r = read_parts(l, &f, &debug, &debug_fd, &parts, &why);
	if (r == -EBADMSG)
		return loaded_refuse(l, "", why);
	if (r < 0)
		return r == -ENOMEM ? r : loaded_refuse(l, "cannot be read: ", strerror(-r));
	return load_all(l, &f, parts, area, areas, bare, bares);
}

/* Orders by file, then by address. */
static int loaded_compare_files(const void *a, const void *b)
{
	const struct loaded_area *x = a, *y = b;

	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	if (x->major != y->major)
		return x->major < y->major ? -1 : 1;
	if (x->minor != y->minor)
		return x->minor < y->minor ? -1 : 1;
	return (x->place.start > y->place.start) - (x->place.start < y->place.start);
}

/* Orders by the file's lowest address; memory without a file comes last. */
static int loaded_compare_places(const void *a, const void *b)
{
	const struct loaded_area *x = a, *y = b;

	if (!x->inode != !y->inode)
		return x->inode ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return loaded_compare_files(a, b);
}

static bool is_of_one_file(const struct loaded_area *a, const struct loaded_area *b)
{
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor;
}

/* Brings the mappings of each file together. */
static void loaded_arrange(struct loaded *p)
{
	struct loaded_area *area = p->area;

	if (!p->areas)
		return;
	qsort(area, p->areas, sizeof(*area), loaded_compare_files);
	for (size_t i = 0; i < p->areas; i++)
		area[i].first = i && area[i].inode && is_of_one_file(&area[i - 1], &area[i])
		                        ? area[i - 1].first
		                        : area[i].place.start;
	qsort(area, p->areas, sizeof(*area), loaded_compare_places);
}

static int look_into_group(struct loaded *p, const struct loaded_area *first,
	const struct elf_load_area *area, size_t areas, struct elf_load_area *bare, size_t bares)
{
	struct looking l = {.p = p, .path = p->paths.data + first->path};
	int r;

	text_add_clean_max(&l.name, l.path, strlen(l.path), ELFFILE_NAME_MAX);
	text_escape_reserved(&l.name, 0);
	buffer_add_text(&l.name, kind_note(first->is_deleted, first->fate));
	buffer_add_char(&l.name, '\0');
	r = l.name.error;
	if (r == 0)
		r = look_into_file(&l, first, area, areas, bare, bares);
	buffer_done(&l.name);
	return r;
}

static int look_into_files(struct loaded *p)
{
	AUTO_FREE struct elf_load_area *place = calloc(p->areas + 1, sizeof(*place));
	size_t files = 0, next;
	int r = place ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < p->areas; i++) {
		place[i] = p->area[i].place;
		files += p->area[i].inode != 0;
	}
	for (size_t i = 0; r == 0 && i < files; i = next) {
		for (next = i + 1; next < files && is_of_one_file(&p->area[i], &p->area[next]);)
			next++;
		r = look_into_group(
			p, &p->area[i], place + i, next - i, place + files, p->areas - files);
	}
	return r;
}

/*
 * Stores the path of M without " (deleted)" and with the newlines that the kernel escapes. Returns
 * its offset.
 */
static size_t loaded_add_path(struct loaded *p, const struct mapping *m)
{
	static const char newline[] = "\\012";
	size_t len = kind_path_len(m), at = p->paths.len;

	for (size_t i = 0; i < len; i++) {
		bool is_newline = len - i >= 4 && !memcmp(m->path + i, newline, 4);

		buffer_add_char(&p->paths, is_newline ? '\n' : m->path[i]);
		i += is_newline ? 3 : 0;
	}
	buffer_add_char(&p->paths, '\0');
	return at;
}

static struct loaded_area *add_area(struct loaded *p)
{
	if (ARRAY_RESERVE(p->area, p->areas_room, p->areas + 1) < 0)
		return NULL;
	return &p->area[p->areas++];
}

/*
 * Returns true for memory without a file that a loader may have made. The kernel does not name it;
 * bionic's linker names its .bss.
 */
static bool is_bare_memory(const struct mapping *m, enum kind kind)
{
	static const char bss[] = "[anon:.bss]";

	if (kind == KIND_ANON && m->path_len)
		return m->path_len == sizeof(bss) - 1 && !memcmp(m->path, bss, sizeof(bss) - 1);
	return kind == KIND_ANON || kind == KIND_HEAP;
}

static int loaded_take_mapping(const struct mapping *m, void *context)
{
	struct loaded *p = context;
	enum kind kind = kind_of(m);
	bool is_bare = is_bare_memory(m, kind);
	bool is_file = kind == KIND_CODE || kind == KIND_DATA || kind == KIND_FILE;
	struct loaded_area *area, *last;

	if (m->perms[3] != 'p' || (!is_bare && !is_file) || m->start >= m->end)
		return 0;
	area = add_area(p);
	if (!area)
		return loaded_end_all(p, -ENOMEM);
	*area = (struct loaded_area){
		.place = {.start = m->start,
			.end = m->end,
			.offset = m->offset,
			.is_executable = m->perms[2] == 'x'},
	};
	if (is_bare)
		return 0;
	area->inode = m->inode ? m->inode : UINT64_MAX;
	area->major = m->major;
	area->minor = m->minor;
	area->is_deleted = kind_is_deleted(m);
	area->fate = m->fate;
	last = area > p->area ? area - 1 : NULL;
	area->path = last && is_of_one_file(last, area) ? last->path : loaded_add_path(p, m);
	return p->paths.error ? loaded_end_all(p, p->paths.error) : 0;
}

int loaded_look_into(struct loaded *p, struct target *t, pid_t pid)
{
	int r;

	p->target = t;
	p->pid = pid;
	p->areas = 0;
	buffer_clear(&p->paths);
	r = file_state_mappings(t, loaded_take_mapping, p);
	if (r == 0)
		r = mounts_read(&p->mounts, p->procfs->fd, pid);
	if (r == 0) {
		loaded_arrange(p);
		r = look_into_files(p);
	}
	return r == -ENOMEM ? loaded_end_all(p, r) : r;
}

void loaded_finish(const struct loaded *p)
{
	if (p->without_symtab)
		log_info(
			"%zu of %zu files have exported symbols only: packages with debugging information have more",
			p->without_symtab, p->looked_into);
}
