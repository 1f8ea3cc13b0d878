/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulated host: processes whose memory is really shared, in extents of pages that count how many map
 * them, as the kernel's pages do. So the true PSS of every process is known at every moment, and so are the
 * counters that a reader would see. Time is what the caller says. Everything comes from one seed.
 *
 * True to the kernel: fork shares all anonymous memory, a write to what is shared copies it and leaves RSS
 * where it was, the last owner's PSS grows without any counter of its own, what is swapped out is so for
 * all its owners and comes back for each alone, a file's pages count once in Mapped. A file is mapped whole, and
 * counts where it is touched. A process that exits stays listed without memory until the kernel has freed its pages, one extent
 * after the other; until then they are mapped and count in the host's sums. exec frees the former memory in the same way.
 *
 * The kernel can average map counts over large folios, as with CONFIG_NO_PAGE_MAPCOUNT (Linux 6.15): of an extent in a folio a
 * walk then finds what the folio's rounded mean makes of it, and the host's sums count the folio whole while any of it is mapped.
 */
#ifndef MEMTALLY_TESTS_SIM_HOST_H
#define MEMTALLY_TESTS_SIM_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOST_PAGE UINT64_C(4096)

enum host_kind { HOST_ANON, HOST_FILE, HOST_SHMEM };

/* What a process does of itself in host_live(). */
enum host_role {
	HOST_IDLE,
	HOST_ACTIVE, /* allocates, frees and dirties all the time */
	HOST_LEAK,   /* grows */
	HOST_SERVER, /* forks workers, and new ones for those that ended */
	HOST_WORKER, /* writes to what it has from its parent, and ends at times */
	HOST_SHARER, /* touches, and gives back, parts of the segment of shared memory that it maps */
	HOST_CACHE, /* maps and unmaps files */
	HOST_SHORT, /* ends soon */
	HOST_BACKEND, /* of a database: touches pages of the segment at random, and has more and less of its own */
	HOST_ROLES,
};

struct host_extent {
	uint32_t pages;
	uint32_t maps; /* by how many processes; anonymous ones with 0 are free */
	uint32_t
		twin; /* of a swapped one: what it is for those for whom it came back, and back; 0: none */
	uint8_t kind;
	bool is_swapped;
	uint32_t inode; /* of files and shmem; 0: none */
	uint32_t folio; /* 0: small pages, with exact map counts */
};

#define HOST_SEVERAL UINT64_MAX

/* A large folio, of several extents. */
struct host_folio {
	uint64_t pages;
	uint64_t maps; /* of all its pages together */
	/* The image of the only process that has mapped it, 0 if none has; HOST_SEVERAL: others have, since it was mapped first. */
	uint64_t mapper;
	bool is_anon;
};

struct host_part {
	uint32_t extent;
	uint64_t place; /* the page at which it lies in the address space */
};

struct host_mapping {
	uint32_t inode;
	uint64_t place;
};

struct host_process {
	uint32_t pid;    /* never used again; 0: this slot is free */
	bool is_exiting; /* its memory is in struct host_remains */
	uint32_t parent, user;
	size_t parent_slot; /* it may have ended */
	enum host_role role;
	uint32_t program; /* what it is called; forks are called as their parents are */
	uint32_t image;   /* another one after each exec; forks have their parent's */
	uint64_t born_ns, image_ns;
	uint32_t workers;  /* of a server: how many it wants */
	bool has_backends; /* and those are not workers */
	uint32_t children;
	uint32_t segment;       /* of a sharer or backend: its inode; 0: none */
	struct host_part *part; /* anonymous memory, each a mapping of its own, by place */
	size_t count, capacity;
	uint32_t *touched; /* extents of files that it has resident */
	size_t touches, touch_capacity;
	struct host_mapping *mapping; /* files, by place */
	size_t mappings, mapping_capacity;
	uint64_t last_place;
	uint64_t below; /* pages that it has mapped below its program, none of them resident */
	/* Its counters, bytes: RssAnon, RssFile + RssShmem, RssShmem alone, VmSwap, VmSize. */
	uint64_t anon, file, shmem, swap, size;
	uint64_t faults; /* minor ones */
	/* What was done to it by whoever reads it. */
	uint64_t walked_ns; /* the last walk of all its page tables; 0: none of this image */
	uint64_t held_ns;   /* its lock, for longer than is allowed; 0: never */
};

/* How much happens, each as a chance in a pass, for those whose role it is. */
struct host_rates {
	double churn;          /* of active ones, caches and sharers to do something */
	double write;          /* of workers to write to some of what is shared */
	double leave;          /* of workers and sharers to end */
	double births;         /* short-lived processes, how many */
	double forks;          /* the same, that begin as forks of others */
	double pressure;       /* of a bout of memory pressure that swaps out */
	double pressure_share; /* of all anonymous memory, then */
	double exec;           /* of short-lived ones to execute another program */
	double touches; /* by backends, of extents of their segment, each: how many in a pass */
};

/* Memory of a process that has called exit or exec, while the kernel frees it. */
struct host_remains {
	struct host_part *part; /* the remaining ones; the last is freed next */
	uint32_t *touched;
	size_t count, touches;
	uint32_t pid; /* of the process, in SLOT, that exits; 0: it has called exec */
	size_t slot;
	uint64_t due_ns; /* when the next extent is free */
};

struct host_inode {
	uint32_t first, count; /* of its extents */
	uint64_t pages;
};

/* A process that maps and frees memory too often for events. */
struct host_flutter {
	size_t slot;
	uint32_t pid;
	uint64_t pages, period_ns; /* of the latter 0: there is none */
	bool is_there;
	bool was_seen; /* the memory was there at a look at the process's counters; the reader of this field sets it to false */
};

struct host {
	uint64_t seed, now_ns;
	struct host_process *process;
	size_t slots, living;
	struct host_extent *extent;
	size_t extents, free_extents;
	uint32_t *free_extent;
	size_t extent_capacity;
	struct host_folio *folio; /* only if .averages */
	size_t folios, folio_capacity;
	bool averages; /* set after host_init(): half of the memory is large folios, and the kernel averages their map counts */
	struct host_inode *inode;
	size_t inode_capacity;
	uint32_t inodes;    /* and one more: 0 is none */
	uint32_t libraries; /* the inodes from 1 to this one: what newborns map */
	uint32_t last_pid, last_image;
	uint64_t anon_pages, mapped;      /* bytes: as meminfo says */
	uint64_t swapped_out, swapped_in; /* pages, since the start */
	uint32_t
		pressure; /* hundredths of a percent of the time in which somebody waits for memory */
	uint64_t events;
	uint64_t changes; /* of which processes map which extents, and what is swapped */
	uint64_t
		exit_slowness; /* how many times longer than usual freeing memory takes; 0: no time */
	struct host_remains *remains;
	size_t remaining, remains_capacity;
	uint64_t next_free_ns; /* when the first of them is due; UINT64_MAX: there are none */
	struct host_flutter flutter;
};

static inline bool host_is_alive(const struct host_process *p)
{
	return p->pid && !p->is_exiting;
}

static inline uint64_t host_extent_bytes(const struct host_extent *e)
{
	return e->pages * HOST_PAGE;
}

/* Whether P maps INODE. */
bool host_is_mapped(const struct host_process *p, uint32_t inode);

/* True figures of a process, in bytes. */
struct host_truth {
	double pss_anon, pss_file, pss_shmem;
	double pss, swap_pss;
	uint64_t uss, pages, mappings, largest_pages;
};

/* The result of a walk of one mapping: anonymous memory, or a file. */
struct host_piece {
	uint64_t rss, private, swap; /* bytes */
	double pss, swap_pss;
};
void host_look_at_part(const struct host *h, size_t slot, size_t part, struct host_piece *ret);
void host_look_at_mapping(
	const struct host *h, size_t slot, size_t mapping, struct host_piece *ret);

void host_init(struct host *h, uint64_t seed);
void host_done(struct host *h);

/* The next of the random numbers that begin with *SEED. */
uint64_t random_next(uint64_t *seed);
double random_part(uint64_t *seed); /* in [0, 1) */

/* The host's own: below N; in [0, 1). */
uint64_t host_random(struct host *h, uint64_t n);
double host_chance(struct host *h);

/* Slots of new processes, valid until the next birth. They map ANON_PAGES in PARTS extents. */
size_t host_spawn(
	struct host *h, uint32_t user, enum host_role role, uint64_t anon_pages, uint32_t parts);
size_t host_fork(struct host *h, size_t parent);
void host_exec(struct host *h, size_t slot, uint64_t anon_pages, uint32_t parts);
/* SLOT has no memory any more, and is free as soon as all of that is (host_advance()). */
void host_exit(struct host *h, size_t slot);

/* Time passes until NOW_NS: what is due by then is freed. */
void host_advance(struct host *h, uint64_t now_ns);

/* A file, or a segment of shared memory: its inode. It lies in PARTS extents. */
uint32_t host_create(struct host *h, enum host_kind kind, uint64_t pages, uint32_t parts);
/* Has SLOT map INODE, if it does not yet, and touch up to PARTS extents that it has not. */
void host_map(struct host *h, size_t slot, uint32_t inode, uint32_t parts);
/* Has SLOT, which maps INODE, touch an extent of it, if it has not. */
void host_touch(struct host *h, size_t slot, uint32_t inode, uint64_t at);
/* Gives back up to PARTS extents, and goes on to map it. */
void host_give_back(struct host *h, size_t slot, uint32_t inode, uint32_t parts);
void host_unmap(struct host *h, size_t slot, uint32_t inode);
/* SLOT maps some libraries, as every program does, and touches most of them. */
void host_map_libraries(struct host *h, size_t slot);

void host_grow(struct host *h, size_t slot, uint64_t pages, uint32_t parts);
/* Gives back one anonymous extent, if it has any. */
void host_shrink(struct host *h, size_t slot);
/* Gives back what it has allocated last, if nobody else has it. */
void host_free_last(struct host *h, size_t slot);
/*
 * From now on SLOT has PAGES more in a quarter of all periods of PERIOD_NS, at random. It must have no other events. There can be one
 * such process.
 */
void host_flutter(struct host *h, size_t slot, uint64_t pages, uint64_t period_ns);
/* The counters of SLOT are read. */
void host_look(struct host *h, size_t slot);
/* A walk of SLOT begins. If SLOT has memory that comes and goes, the walk finds the memory of a period later. */
void host_begin_walk(struct host *h, size_t slot);
/* SLOT maps PAGES below its program, and touches none of them: its address range is another than that of its relatives. */
void host_map_below(struct host *h, size_t slot, uint64_t pages);
/* Writes to PARTS extents that it shares: gets copies of its own. How many it did. */
uint32_t host_write(struct host *h, size_t slot, uint32_t parts);
/* Writes to PARTS extents from the one at AT on, by place: gets copies of those that it shares. */
void host_write_at(struct host *h, size_t slot, size_t at, size_t parts);
/* SHARE of all anonymous extents go to swap. Not with averaged map counts, since swap would split folios. */
void host_swap_out(struct host *h, double share);
/* PARTS extents of SLOT come back. */
void host_swap_in(struct host *h, size_t slot, uint32_t parts);

/* All processes do what their roles are, for PART of a pass (host-life.c). */
void host_live(struct host *h, const struct host_rates *rates, double part);

/* What SLOT has exactly, and what a walk finds, which differs if the kernel averages map counts. */
void host_truth(const struct host *h, size_t slot, struct host_truth *ret);
void host_walk(const struct host *h, size_t slot, struct host_truth *ret);

/* Bytes of all large anonymous folios. */
uint64_t host_large_anon(const struct host *h);

/* Whether counters and sums are what a recount gives. For the simulation's own sake. */
bool host_is_sound(const struct host *h);

#endif
