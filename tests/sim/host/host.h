/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulated host
 *
 * Processes share memory in extents of pages, and each extent counts the processes that map it, as
 * the kernel's pages do. So the true PSS of every process is known at any moment, and so are the
 * counters in /proc. The caller sets the time. All random events come from one seed. Functions
 * abort if there is no memory.
 *
 * As in the kernel: fork shares all anonymous memory. A write to a shared extent copies it, leaves
 * RSS unchanged, and raises the PSS of the last owner without any event in that process's counters.
 * Memory is swapped out for all owners and comes back for each separately. A page of a file counts
 * once in Mapped. A file is mapped as a whole, and the extents that a process touches count for it.
 * A process that exits stays listed without memory while the kernel frees its pages, one extent
 * after the other; until then these pages are mapped and count in the host's sums. exec frees the
 * former memory in the same way.
 *
 * The kernel can average map counts over large folios, as with CONFIG_NO_PAGE_MAPCOUNT (Linux
 * 6.15). A walk then takes the folio's rounded mean as the map count of each extent, and the host's
 * sums count the whole folio while any part of it is mapped.
 */
#ifndef MEMTALLY_TESTS_SIM_HOST_HOST_H
#define MEMTALLY_TESTS_SIM_HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOST_PAGE UINT64_C(4096)

enum host_kind { HOST_ANON, HOST_FILE, HOST_SHMEM };

/* How a process behaves in host_live(). */
enum host_role {
	HOST_IDLE,
	HOST_ACTIVE, /* allocates, frees and dirties all the time */
	HOST_LEAK,   /* grows */
	HOST_SERVER, /* forks workers, and replaces those that exited */
	HOST_WORKER, /* writes to memory inherited from its parent, and exits at times */
	HOST_SHARER, /* maps a segment of shared memory; touches parts of it and gives them back */
	HOST_CACHE,  /* maps and unmaps files */
	HOST_SHORT,  /* exits soon */
	/* a database's: touches random extents of the segment; its own memory grows and shrinks */
	HOST_BACKEND,
	HOST_ROLES,
};

struct host_extent {
	uint32_t pages;
	uint32_t maps; /* number of processes that map it; an anonymous extent with 0 is free */
	/*
	 * of a swapped extent: its copy in memory for processes that swapped it in, and vice versa;
	 * 0: none
	 */
	uint32_t twin;
	uint8_t kind;
	bool is_swapped;
	uint32_t inode; /* of files and shmem; 0: none */
	uint32_t folio; /* 0: small pages, with exact map counts */
};

#define HOST_SEVERAL UINT64_MAX

/* A large folio of several extents. */
struct host_folio {
	uint64_t pages;
	uint64_t maps; /* map counts of all its pages together */
	/*
	 * The only process that has mapped it: image << 32 | pid. 0: none. HOST_SEVERAL: several
	 * have, since it was first mapped.
	 */
	uint64_t mapper;
	bool is_anon;
};

/* A mapped anonymous extent. */
struct host_part {
	uint32_t extent; /* index in struct host.extent */
	uint64_t place;  /* page number in the address space */
};

/* A mapped file or segment of shared memory. */
struct host_mapping {
	uint32_t inode;
	uint64_t place;
};

struct host_process {
	uint32_t pid;    /* never used again; 0: this slot is free */
	bool is_exiting; /* exits; its memory is in struct host_remains */
	uint32_t parent, user;
	size_t parent_slot; /* that process may have exited */
	enum host_role role;
	uint32_t program; /* number of its name; forks inherit it */
	uint32_t image;   /* differs after each exec; forks inherit it */
	uint64_t born_ns, image_ns;
	uint32_t workers;  /* of a server: how many workers it wants */
	bool has_backends; /* its workers are backends */
	uint32_t children;
	uint32_t segment; /* of a sharer or backend: inode of its segment; 0: none */
	/* anonymous memory, each a mapping of its own; in ascending .place */
	struct host_part *part;
	size_t count, capacity;
	uint32_t *touched; /* resident extents of files and shared memory */
	size_t touches, touch_capacity;
	struct host_mapping *mapping; /* mapped files */
	size_t mappings, mapping_capacity;
	uint64_t last_place; /* where the next mapping begins: above all others */
	uint64_t below;      /* pages mapped below its program, none of them resident */
	/* Its counters, bytes: RssAnon, RssFile + RssShmem, RssShmem alone, VmSwap, VmSize. */
	uint64_t anon, file, shmem, swap, size;
	uint64_t faults; /* minor ones */
	/* Effects of readers. */
	uint64_t walked_ns; /* last walk of all its page tables; 0: none since exec */
	uint64_t held_ns;   /* last hold of its lock above the limit; 0: never */
};

/*
 * Rates of events in host_live() with PART 1, which the simulated daemon takes for 10 s. Each is
 * the probability for a process of the role, except where the comment says a number.
 */
struct host_rates {
	double churn;          /* active processes, caches and sharers do something */
	double write;          /* workers write to some shared memory */
	double leave;          /* workers and sharers exit */
	double births;         /* number of new short-lived processes */
	double forks;          /* number of new processes that are forks of others */
	double pressure;       /* memory pressure that swaps memory out */
	double pressure_share; /* the part of all anonymous memory that is then swapped out */
	double exec;           /* short-lived processes call exec */
	double touches;        /* number of extents of its segment that each backend touches */
};

/* Memory of a process that has called exit or exec, while the kernel frees it. */
struct host_remains {
	struct host_part *part; /* extents not yet freed; the last is freed next */
	uint32_t *touched;
	size_t count, touches;
	uint32_t pid; /* of the exiting process in .slot; 0: the process has called exec */
	size_t slot;
	uint64_t due_ns; /* when the next extent is free */
};

struct host_inode {
	uint32_t first, count; /* its extents */
	uint64_t pages;
};

/* A process that maps and frees memory too often for struct host_rates. */
struct host_flutter {
	size_t slot;
	uint32_t pid;
	uint64_t pages, period_ns; /* .period_ns is 0: no such process */
	bool is_there;
	/*
	 * the memory was present at a read of the process's counters; the user of this field clears
	 * it
	 */
	bool was_seen;
};

struct host {
	uint64_t seed, now_ns;        /* state of the random numbers; time, set by host_advance() */
	struct host_process *process; /* by slot */
	/* all slots, including free ones; processes without those that are exiting */
	size_t slots, living;
	struct host_extent *extent;
	size_t extents, free_extents;
	uint32_t *free_extent;
	size_t extent_capacity;
	struct host_folio *folio; /* only if .averages */
	size_t folios, folio_capacity;
	/*
	 * set after host_init(): half of the memory is large folios, and the kernel averages their
	 * map counts
	 */
	bool averages;
	struct host_inode *inode;
	size_t inode_capacity;
	uint32_t inodes;    /* number of inodes and 1, since inode 0 means none */
	uint32_t libraries; /* inodes from 1 to this one; new processes map some of them */
	uint32_t last_pid, last_image;
	uint64_t anon_pages, mapped;      /* bytes, as AnonPages and Mapped in meminfo */
	uint64_t swapped_out, swapped_in; /* pages, since the start */
	/* time in which any process waits for memory, in hundredths of a percent */
	uint32_t pressure;
	uint64_t events;  /* births, execs, exits and calls of host_swap_out() */
	uint64_t changes; /* of which processes map which extents, and of swapped memory */
	/* how many times longer than usual it takes to free memory; 0: no time */
	uint64_t exit_slowness;
	struct host_remains *remains;
	size_t remaining, remains_capacity;
	uint64_t next_free_ns; /* .due_ns of the first of .remains; UINT64_MAX: none */
	struct host_flutter flutter;
};

/* Whether P exists and has not begun to exit. */
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

/* True values of a process in bytes; counts of pages and mappings. */
struct host_truth {
	double pss_anon, pss_file, pss_shmem;
	double pss, swap_pss;
	/* largest_pages: of the largest mapping with resident memory; of a file all pages count */
	uint64_t uss, pages, mappings, largest_pages;
};

/* The result of a walk of one mapping: an anonymous extent, or a file. */
struct host_piece {
	uint64_t rss, private, swap; /* bytes */
	double pss, swap_pss;
};
/* Walk anonymous extent PART, or file MAPPING, of the process in SLOT, as the kernel would. */
void host_look_at_part(const struct host *h, size_t slot, size_t part, struct host_piece *ret);
void host_look_at_mapping(
	const struct host *h, size_t slot, size_t mapping, struct host_piece *ret);

/* Initializes H without processes and files, at time 0. The same SEED gives the same events. */
void host_init(struct host *h, uint64_t seed);
void host_done(struct host *h);

/* Returns the next random number and advances *SEED. */
uint64_t random_next(uint64_t *seed);
double random_part(uint64_t *seed); /* in [0, 1) */

/* Random numbers of H: below N, and in [0, 1). */
uint64_t host_random(struct host *h, uint64_t n);
double host_chance(struct host *h);

/*
 * host_spawn() and host_fork() return the slot of the new process. Pointers to processes are
 * invalid afterwards. host_spawn() maps ANON_PAGES as PARTS extents of equal size. The child of
 * host_fork() is a HOST_WORKER: it maps what PARENT maps, has touched about half of its extents of
 * files and shared memory, and has 30 anonymous pages of its own. host_exec() replaces the memory
 * of SLOT by ANON_PAGES in PARTS extents and by some libraries.
 */
size_t host_spawn(
	struct host *h, uint32_t user, enum host_role role, uint64_t anon_pages, uint32_t parts);
size_t host_fork(struct host *h, size_t parent);
void host_exec(struct host *h, size_t slot, uint64_t anon_pages, uint32_t parts);
/*
 * Begins the exit of SLOT, unless it has begun. host_advance() frees its memory and then the slot.
 */
void host_exit(struct host *h, size_t slot);

/* Sets the time to NOW_NS and frees memory that is due by then. */
void host_advance(struct host *h, uint64_t now_ns);

/*
 * Creates a file or a segment of shared memory (KIND) of PAGES, at least PARTS, in PARTS extents of
 * equal size. Returns its inode. No process maps it yet.
 */
uint32_t host_create(struct host *h, enum host_kind kind, uint64_t pages, uint32_t parts);
/* Maps INODE into SLOT, unless it is mapped, and touches up to PARTS extents not yet touched. */
void host_map(struct host *h, size_t slot, uint32_t inode, uint32_t parts);
/*
 * Touches an extent (AT modulo their number) of INODE, unless it is touched. SLOT must map INODE.
 */
void host_touch(struct host *h, size_t slot, uint32_t inode, uint64_t at);
/* Gives back up to PARTS extents of INODE, which stays mapped. */
void host_give_back(struct host *h, size_t slot, uint32_t inode, uint32_t parts);
/* Gives back all extents of INODE and unmaps it. Does nothing if SLOT does not map it. */
void host_unmap(struct host *h, size_t slot, uint32_t inode);
/* Maps up to four random libraries into SLOT and touches one to four extents of each. */
void host_map_libraries(struct host *h, size_t slot);

/* Maps PAGES of new anonymous memory as PARTS extents of equal size; nothing if PAGES < PARTS. */
void host_grow(struct host *h, size_t slot, uint64_t pages, uint32_t parts);
/* Gives back one random anonymous extent, if SLOT has any. */
void host_shrink(struct host *h, size_t slot);
/* Gives back the anonymous extent that was allocated last, unless it is shared. */
void host_free_last(struct host *h, size_t slot);
/*
 * From now on SLOT has PAGES more in a quarter of all periods of PERIOD_NS, at random. It must have
 * no other events. There can be one such process.
 */
void host_flutter(struct host *h, size_t slot, uint64_t pages, uint64_t period_ns);
/* Records that the counters of SLOT are read. */
void host_look(struct host *h, size_t slot);
/*
 * Begins a walk of SLOT. If SLOT has memory of host_flutter(), the walk finds the memory of one
 * period later.
 */
void host_begin_walk(struct host *h, size_t slot);
/*
 * Maps PAGES below the program of SLOT and touches none of them. Its address range then differs
 * from those of its relatives.
 */
void host_map_below(struct host *h, size_t slot, uint64_t pages);
/* Writes to up to PARTS random shared extents and so copies them. Returns how many it copied. */
uint32_t host_write(struct host *h, size_t slot, uint32_t parts);
/* Writes to PARTS extents, from extent number AT on, and copies those that are shared. */
void host_write_at(struct host *h, size_t slot, size_t at, size_t parts);
/*
 * Swaps out each anonymous extent with probability SHARE, except copies of swapped extents. Not
 * with .averages, since swap would split folios.
 */
void host_swap_out(struct host *h, double share);
/* Swaps in up to PARTS extents of SLOT. */
void host_swap_in(struct host *h, size_t slot, uint32_t parts);

/* All processes behave by their roles for PART of a pass (host-life.c). */
void host_live(struct host *h, const struct host_rates *rates, double part);

/*
 * host_truth() returns the exact values of SLOT. host_walk() returns what a walk finds, which
 * differs if the kernel averages map counts.
 */
void host_truth(const struct host *h, size_t slot, struct host_truth *ret);
void host_walk(const struct host *h, size_t slot, struct host_truth *ret);

/* Returns the bytes of all mapped large anonymous folios. */
uint64_t host_large_anon(const struct host *h);

/* Returns whether a recount confirms all counters and sums. Tests the simulation itself. */
bool host_is_sound(const struct host *h);

#endif
