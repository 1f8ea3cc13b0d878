/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each page is known by the number of its frame, or by its place in swap, which the kernel shows to CAP_SYS_ADMIN alone. All
 * processes are walked, one after the other and group by group, and each frame is noted with the party that maps it. Then
 * all frames that were met are gone over once: how often the kernel says that each is mapped tells whether anybody else
 * does, and its flags what it is.
 *
 * A set of processes whose pages alone are asked for needs no more than that: whoever else maps one of them shows in the
 * kernel's count. Of places in swap there is no count, so where the set has some all others are asked for those.
 */
#include "config.h"

#include "cli/sharing.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/crowd.h"
#include "cli/flag.h"
#include "cli/output.h"
#include "cli/print.h"
#include "cli/source.h"
#include "inside/frames.h"
#include "inside/pagemap.h"
#include "inside/pagesweep.h"
#include "inside/sparse.h"
#include "inside/target.h"
#include "render/human.h"
#include "snapshot/owner.h"

enum {
	/*
	 * Kinds of places in swap: the areas, MAX_SWAPFILES of them at least, and behind these what the kernel keeps in the same
	 * way and is no swap, such as guard pages (include/linux/swap.h).
	 */
	SWAP_AREAS = 23,
	SWAP_AREA_BITS = 5,
};

#define FRAME_UPTODATE (UINT64_C(1) << 3) /* of kpageflags */

#define PROGRESS_FIRST_NS NS_PER_SEC
#define PROGRESS_EVERY_NS (NS_PER_SEC / 5)

void sharing_asked_done(struct sharing_asked *a)
{
	chosen_done(&a->chosen);
}

static int parse_form(
	const struct settings *c, struct sharing_asked *a, char error[static CHOSEN_ERROR_SIZE])
{
	if (c->by) {
		a->kind = owner_find(c->by);
		if (a->kind == OWNER_KINDS)
			return flag_refuse("--by", c->by,
				"user, program, unit or another kind of owner", error);
	}
	if (c->sort) {
		a->sort = sharing_find_field(c->sort);
		if (a->sort == SHARING_FIELDS)
			return flag_refuse("--sort", c->sort,
				"a field of the rows in JSON, such as comes_back_bytes or fair_bytes",
				error);
	}
	return flag_parse_order(c, &a->ascending, error);
}

/* Whom it is about: where nobody is named, everybody. */
static int parse_chosen(
	const struct settings *c, struct sharing_asked *a, char error[static CHOSEN_ERROR_SIZE])
{
	struct selection selection = {0};
	bool has_filters = false;
	int r = selection_parse_processes(c, &selection, &has_filters, error);

	if (r < 0 || (!has_filters && c->operands.count < 2 && !c->pid.count))
		return r;
	if (!c->by)
		a->kind = OWNER_KINDS;
	return chosen_parse(c, &a->chosen, error);
}

int sharing_parse(const struct settings *settings, struct sharing_asked *ret,
	char error[static CHOSEN_ERROR_SIZE])
{
	struct sharing_asked a = {
		.kind = OWNER_USER,
		.sort = SHARING_COMES_BACK,
		.json = settings->json,
		.csv = settings->csv,
		.matrix = settings->matrix,
		.bytes = settings->bytes,
		.limit = settings->limit,
	};
	int r = flag_check(settings, FLAG_SHARING, error);

	if (r == 0)
		r = parse_form(settings, &a, error);
	if (r == 0)
		r = parse_chosen(settings, &a, error);
	if (r == 0 && a.matrix && a.kind == OWNER_KINDS) {
		snprintf(error, CHOSEN_ERROR_SIZE,
			"--matrix needs groups to compare: give --by, too");
		r = -EINVAL;
	}
	if (r == 0)
		*ret = a;
	else
		sharing_asked_done(&a);
	return r;
}

/* How far it is, for whoever waits at a terminal. */
struct progress {
	bool is_shown, has_line;
	uint64_t begin_ns, next_ns;
	size_t done, all; /* processes */
	uint64_t pages;
};

static void progress_begin(struct progress *p, size_t all)
{
	*p = (struct progress){.is_shown = isatty(STDERR_FILENO),
		.begin_ns = clock_now_ns(CLOCK_MONOTONIC),
		.all = all};
	p->next_ns = p->begin_ns + PROGRESS_FIRST_NS;
}

static void progress_print(struct progress *p, const char *what)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
	AUTO_BUFFER struct buffer text = {0};

	if (!p->is_shown || now_ns < p->next_ns)
		return;
	p->next_ns = now_ns + PROGRESS_EVERY_NS;
	p->has_line = true;
	human_add_bytes(&text, p->pages * (uint64_t)sysconf(_SC_PAGESIZE));
	fprintf(stderr, "\r\033[K%s: %zu of %zu processes, %.*s", what, p->done, p->all,
		(int)text.len, text.data ? text.data : "");
}

static void progress_end(struct progress *p)
{
	if (p->has_line)
		fprintf(stderr, "\r\033[K");
	p->has_line = false;
}

/* All that is found out. */
struct looking {
	const struct sharing_asked *asked;
	const struct view *view; /* who is there */
	struct procfs procfs;
	struct crowd crowd;
	uint64_t *page_tables; /* owned; bytes, by group */
	struct sparse frames;
	struct sparse swap[SWAP_AREAS];
	struct parties parties;
	struct stakes stakes;
	struct pagesweep walk;
	struct progress progress;
	struct sharing_course course;
	uint32_t group;  /* of whom is being walked */
	bool has_swap;   /* somebody has pages there */
	bool has_failed; /* one of those who were asked for could not be looked at */
	pid_t refused;   /* one who could not be; 0: there is none */
};

static void cleanup_looking(struct looking *l)
{
	progress_end(&l->progress);
	procfs_close(&l->procfs);
	crowd_done(&l->crowd);
	free(l->page_tables);
	sparse_done(&l->frames);
	for (size_t i = 0; i < SWAP_AREAS; i++)
		sparse_done(&l->swap[i]);
	parties_done(&l->parties);
	stakes_done(&l->stakes);
}

static int join(struct looking *l, uint32_t *number)
{
	return parties_join(&l->parties, *number, l->group, number);
}

/* Of whom only swap is asked places alone count that one of the set has. */
static int take_swapped(struct looking *l, uint64_t place)
{
	uint64_t area = place & ((1U << SWAP_AREA_BITS) - 1), offset = place >> SWAP_AREA_BITS;
	uint32_t *number;
	int r;

	if (area >= SWAP_AREAS)
		return 0;
	l->has_swap = true;
	if (l->walk.swapped_alone) {
		number = sparse_find(&l->swap[area], offset);
		return number && *number ? join(l, number) : 0;
	}
	r = sparse_touch(&l->swap[area], offset, &number);
	return r == 0 ? join(l, number) : r;
}

static int take_frame(struct looking *l, uint64_t frame)
{
	uint32_t *number;
	int r;

	if (l->walk.swapped_alone)
		return 0;
	l->progress.pages++;
	r = sparse_touch(&l->frames, frame, &number);
	return r == 0 ? join(l, number) : r;
}

static int take_pages(uint64_t start, const uint64_t *entry, size_t count, void *context)
{
	struct looking *l = context;
	int r = 0;

	(void)start;
	for (size_t i = 0; r == 0 && i < count; i++) {
		uint64_t frame = pagemap_frame(entry[i]), place = pagemap_swap(entry[i]);

		if (frame)
			r = take_frame(l, frame);
		else if (place)
			r = take_swapped(l, place);
	}
	progress_print(&l->progress, "looking");
	return r;
}

/* The pages of T, which is of one image. 0; a target_outcome; or an error. */
static int walk_target(struct looking *l, struct target *t)
{
	AUTO_CLOSE int maps = -1, pagemap = -1;
	int r = target_file(t, "maps", &maps), confirmed;

	if (r == 0)
		r = target_file(t, "pagemap", &pagemap);
	if (r == 0)
		r = pagesweep_read(&l->walk, maps, pagemap);
	if (r == -ENOMEM || r == -ERANGE)
		return r;
	confirmed = target_confirm(t);
	if (r == -ESRCH)
		r = confirmed ? confirmed : TARGET_CHANGED;
	return confirmed && r == 0 ? confirmed : r;
}

/* What became of MEMBER: R is what walking it returned. 0, or an error that ends all. */
static int note(struct looking *l, const struct crowd_member *member, int r)
{
	const struct crowd_group *group = &l->crowd.group[member->group];

	if (r == -ENOMEM || r == -ERANGE)
		return r;
	if (r == 0) {
		l->course.read++;
		return 0;
	}
	if (r == TARGET_GONE || r == TARGET_ENDED || r == TARGET_CHANGED) {
		l->course.ended++;
		return 0;
	}
	l->course.refused++;
	l->refused = member->pid;
	if (!group->is_chosen || (!l->asked->chosen.count && !l->asked->chosen.has_filters))
		return 0;
	l->has_failed = true;
	progress_end(&l->progress);
	log_error("pid %d %s%s", (int)member->pid, r < 0 ? "can't be read: " : "",
		r < 0 ? strerror(-r) : target_text((enum target_outcome)r));
	return 0;
}

static int walk_member(struct looking *l, const struct crowd_member *member)
{
	AUTO_TARGET struct target t = {.process.dirfd = -1, .process.statm_fd = -1};
	const struct chosen_process known = {.pid = member->pid, .start_ns = member->start_ns};
	int r = target_open(&l->procfs, member->pid, &t);

	l->group = member->group;
	if (r == 0 && !chosen_is(&known, t.sample.q[PROCESS_START_TIME]))
		r = TARGET_GONE;
	if (r == 0)
		r = walk_target(l, &t);
	if (r == 0 && ROW_HAS(&t.sample, PROCESS_VM_PTE))
		l->page_tables[member->group] += t.sample.q[PROCESS_VM_PTE];
	l->progress.done++;
	return note(l, member, r);
}

/* Whether only the pages of those who are chosen are to be told from all others'. */
static bool is_set(const struct looking *l)
{
	return l->asked->kind == OWNER_KINDS;
}

static int walk_all(struct looking *l)
{
	size_t i = 0;
	int r = 0;

	progress_begin(&l->progress, l->crowd.members);
	for (; r == 0 && i < l->crowd.members; i++) {
		if (is_set(l) && !l->crowd.group[l->crowd.member[i].group].is_chosen)
			break;
		r = walk_member(l, &l->crowd.member[i]);
	}
	l->walk.swapped_alone = true;
	for (; r == 0 && l->has_swap && i < l->crowd.members; i++)
		r = walk_member(l, &l->crowd.member[i]);
	return r;
}

/* What is in a frame whose flags are FLAGS; STAKE_KINDS: nothing of anybody's. */
static enum stake_kind kind_of_frame(uint64_t flags)
{
	if (flags & (FRAME_ZERO | FRAME_NOPAGE))
		return STAKE_KINDS;
	if (flags & FRAME_HUGE)
		return STAKE_HUGETLB;
	if (flags & FRAME_ANON)
		return STAKE_ANON;
	return flags & FRAME_SWAPBACKED ? STAKE_SHMEM : STAKE_FILE;
}

/* Frames that lie side by side. */
struct chunk {
	uint64_t mapped[SPARSE_CHUNK]; /* 0 of those that nobody was seen to map, too */
	uint64_t flags[SPARSE_CHUNK];
};

/*
 * Old kernels do not say of the tail of a large folio what they say of its head, which is before it, in the same chunk, such as
 * that it is up to date, as all is that is mapped. So where one is like that all frames are looked at (IS_WHOLE), and not just
 * those in NUMBER. 0; 1: that is to be done; or an error.
 */
static int read_chunk(struct frames *frames, uint64_t first, const uint32_t *number, bool is_whole,
	struct chunk *ret)
{
	const uint64_t told = FRAME_ANON | FRAME_SWAPBACKED;
	uint64_t head = 0;

	for (size_t i = 0; i < SPARSE_CHUNK; i++) {
		uint64_t *flags = &ret->flags[i];
		int r = 0;

		ret->mapped[i] = *flags = 0;
		if (is_whole || number[i])
			r = frames_flags(frames, first + i, flags);
		if (r == 0 && number[i])
			r = frames_count(frames, first + i, &ret->mapped[i]);
		if (r < 0 && r != -ENXIO) /* behind the last frame there is nothing */
			return r;
		if (*flags & FRAME_COMPOUND_HEAD)
			head = *flags;
		if (!(*flags & FRAME_COMPOUND_TAIL))
			continue;
		if (!is_whole && !(*flags & (told | FRAME_HUGE | FRAME_UPTODATE)))
			return 1;
		*flags |= head & told;
	}
	return 0;
}

/* What the kernel says of the frames from FIRST on that were met. */
static int count_chunk(
	struct looking *l, struct frames *frames, uint64_t first, const uint32_t *number)
{
	struct chunk chunk;
	int r = read_chunk(frames, first, number, false, &chunk);

	if (r > 0)
		r = read_chunk(frames, first, number, true, &chunk);
	for (size_t i = 0; r == 0 && i < SPARSE_CHUNK; i++) {
		enum stake_kind kind = kind_of_frame(chunk.flags[i]);

		if (number[i] && kind != STAKE_KINDS)
			stakes_add(&l->stakes, number[i], kind, chunk.mapped[i]);
	}
	progress_print(&l->progress, "counting");
	return r;
}

static void count_swap(struct looking *l)
{
	for (size_t i = 0; i < SWAP_AREAS; i++) {
		const uint32_t *number;
		uint64_t at = 0;

		for (; (number = sparse_next(&l->swap[i], &at)); at += SPARSE_CHUNK)
			for (size_t k = 0; k < SPARSE_CHUNK; k++)
				stakes_add(&l->stakes, number[k], STAKE_SWAP, UINT64_MAX);
	}
}

static int count_all(struct looking *l, struct frames *frames)
{
	const uint32_t *number;
	uint64_t at = 0;
	int r = stakes_init(
		&l->stakes, &l->parties, l->crowd.groups, (uint64_t)sysconf(_SC_PAGESIZE));

	frames_forget(frames);
	for (; r == 0 && (number = sparse_next(&l->frames, &at)); at += SPARSE_CHUNK)
		r = count_chunk(l, frames, at, number);
	if (r < 0)
		return r;
	count_swap(l);
	return stakes_end(&l->stakes);
}

/* What may not be seen without rights of root's. 0, or -ECANCELED: it was said which are missing. */
static int open_frames(struct looking *l, const struct settings *settings, struct frames *ret)
{
	int r = procfs_open(settings->path_procfs, &l->procfs);

	if (r < 0) {
		log_error("can't read %s: %s", settings->path_procfs, strerror(-r));
		return -ECANCELED;
	}
	r = pagemap_shows_frames(l->procfs.fd);
	if (r == 0) {
		log_error(
			"which pages are the same is shown to CAP_SYS_ADMIN alone, of the host's first user "
			"namespace: run it as root");
		return -ECANCELED;
	}
	r = r < 0 ? r : frames_open(l->procfs.fd, ret);
	if (r >= 0)
		return 0;
	log_error("how often each page is mapped can't be had (kpagecount, kpageflags: root's, or "
		  "CAP_DAC_READ_SEARCH): %s",
		strerror(-r));
	return -ECANCELED;
}

/* Marks the rows of those who are named; one who is not there is a failure, but none of the others'. */
static int mark_named(struct looking *l, bool *is_chosen)
{
	const struct chosen *chosen = &l->asked->chosen;
	uint32_t count = view_count(l->view, METRIC_PROCESS);

	for (size_t i = 0; i < chosen->count; i++) {
		const struct snapshot_process *row = crowd_find(l->view, chosen->process[i].pid);

		if (!row) {
			log_error("pid %d is not there, or has no memory",
				(int)chosen->process[i].pid);
			l->has_failed = true;
			continue;
		}
		for (uint32_t k = 0; k < count; k++)
			if (view_process(l->view, k) == row)
				is_chosen[k] = true;
	}
	return 0;
}

static int mark_found(struct looking *l, bool *is_chosen)
{
	const struct chosen *chosen = &l->asked->chosen;
	AUTO_FREE uint32_t *rows = NULL;
	size_t count = 0;
	int r = chosen->has_filters ? query_run(&chosen->selection.query, l->view, &rows, &count)
	                            : 0;

	for (size_t i = 0; r == 0 && i < count; i++)
		is_chosen[rows[i]] = true;
	return r;
}

static bool is_anybody_chosen(const struct crowd *c)
{
	for (uint32_t i = 0; i < c->groups; i++)
		if (c->group[i].is_chosen)
			return true;
	return false;
}

static int gather(struct looking *l)
{
	const struct chosen *chosen = &l->asked->chosen;
	bool is_everybody = !chosen->count && !chosen->has_filters;
	AUTO_FREE bool *is_chosen = calloc(
		(size_t)view_count(l->view, METRIC_PROCESS) + 1, sizeof(*is_chosen));
	int r = is_chosen ? 0 : -ENOMEM;

	if (r == 0)
		r = mark_named(l, is_chosen);
	if (r == 0)
		r = mark_found(l, is_chosen);
	if (r == 0)
		r = crowd_make(l->view, l->asked->kind, is_everybody ? NULL : is_chosen, &l->crowd);
	if (r == 0) {
		l->page_tables = calloc((size_t)l->crowd.groups + 1, sizeof(*l->page_tables));
		r = l->page_tables ? 0 : -ENOMEM;
	}
	if (r < 0 || is_anybody_chosen(&l->crowd))
		return r;
	log_error("nothing matches: there is no process with memory for that");
	return -ECANCELED;
}

/* What a set is called: as the one filter is that it was chosen by, if it is one. */
static const char *name_of_set(const struct settings *c)
{
	const struct text_list *lists[] = {&c->user, &c->program, &c->unit, &c->user_unit,
		&c->session, &c->slice, &c->machine, &c->pod, &c->container, &c->group, &c->pid};
	const char *name = NULL;
	size_t count = c->operands.count - 1;

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		count += lists[i]->count;
		if (lists[i]->count)
			name = lists[i]->item[0];
	}
	return count == 1 ? name ? name : c->operands.item[1] : "(chosen)";
}

/* Whether nobody could have pages in swap that are somebody's, too, and was not asked: the kernel does not count these. */
static bool tells_swap(const struct looking *l)
{
	return !l->refused && l->procfs.is_whole;
}

/* Of everybody, whoever is shown. */
static void add_total(const struct looking *l, struct sharing_report *to)
{
	struct stake all = l->stakes.all;
	uint64_t page_tables = 0;
	uint32_t processes = 0;

	for (uint32_t i = 0; i < l->crowd.groups; i++) {
		if (is_set(l) && !l->crowd.group[i].is_chosen)
			continue;
		page_tables += l->page_tables[i];
		processes += l->crowd.group[i].processes;
		all.fair += l->stakes.group[i].fair;
		to->groups++;
	}
	sharing_fill(&to->total, &all, page_tables, processes, !is_set(l), tells_swap(l));
}

static int add_rows(struct looking *l, const struct settings *settings, struct sharing_report *to)
{
	to->row = calloc((size_t)l->crowd.groups + 1, sizeof(*to->row));
	if (!to->row)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->crowd.groups; i++) {
		const struct crowd_group *group = &l->crowd.group[i];
		struct sharing_row *row = &to->row[to->rows];

		if (!group->is_chosen)
			continue;
		row->name = group->name ? group->name : name_of_set(settings);
		row->group = i;
		sharing_fill(row, &l->stakes.group[i], l->page_tables[i], group->processes,
			!is_set(l), tells_swap(l));
		to->rows++;
	}
	add_total(l, to);
	return 0;
}

static int add_matrix(struct looking *l, struct sharing_report *to)
{
	size_t count = to->rows < SHARING_MATRIX_MAX ? to->rows : SHARING_MATRIX_MAX;
	uint32_t group[SHARING_MATRIX_MAX];

	if (is_set(l) || (!l->asked->matrix && !l->asked->json))
		return 0;
	to->matrix = calloc(count * count + 1, sizeof(*to->matrix));
	if (!to->matrix)
		return -ENOMEM;
	to->compared = count;
	for (size_t i = 0; i < count; i++)
		group[i] = to->row[i].group;
	return stakes_matrix(&l->stakes, group, count, to->matrix);
}

static int report(struct looking *l, const struct settings *settings, struct sharing_report *ret)
{
	const struct sharing_asked *a = l->asked;
	AUTO_SHARING_REPORT struct sharing_report report = {
		.by = is_set(l) ? NULL : owner_of(a->kind)->name,
		.title = is_set(l) ? "SET" : owner_of(a->kind)->title,
		.limit = a->limit,
		.bytes = a->bytes,
		.others_shared = stake_resident(&l->stakes.others),
		.others_fair = l->stakes.others.fair,
		.others_pss = l->stakes.others.pss,
		.many = l->stakes.many,
		.changed = l->stakes.changed,
		.gone = l->stakes.gone,
		.course = l->course,
	};
	int r = add_rows(l, settings, &report);

	if (r == 0) {
		sharing_sort(&report, a->sort, a->ascending);
		r = add_matrix(l, &report);
	}
	if (r == 0) {
		*ret = report;
		report = (struct sharing_report){0};
	}
	return r;
}

static uint64_t memory_of(const struct looking *l)
{
	uint64_t bytes = l->frames.bytes + parties_bytes(&l->parties) +
	                 l->parties.count * sizeof(*l->stakes.pages);

	for (size_t i = 0; i < SWAP_AREAS; i++)
		bytes += l->swap[i].bytes;
	return bytes;
}

static void add_amount(struct buffer *to, const char *before, uint64_t bytes, const char *after)
{
	buffer_add_text(to, before);
	human_add_bytes(to, bytes);
	buffer_add_text(to, after);
}

static void say_course(const struct looking *l)
{
	AUTO_BUFFER struct buffer text = {0};

	buffer_printf(&text, "%llu processes in ", (unsigned long long)l->course.read);
	human_add_span(&text, l->course.span_ns);
	if (l->course.ended)
		buffer_printf(&text, "; %llu ended or executed another program meanwhile",
			(unsigned long long)l->course.ended);
	if (l->stakes.changed + l->stakes.gone)
		add_amount(&text, "; ", l->stakes.changed + l->stakes.gone,
			" were given up by some who had them");
	add_amount(&text, "; ", l->course.memory_bytes, " to keep pages apart");
	if (!text.error)
		log_info("%.*s", (int)text.len, text.data);
}

static void say_doubts(const struct looking *l)
{
	AUTO_BUFFER struct buffer text = {0};

	if (l->stakes.many) {
		human_add_bytes(&text, l->stakes.many);
		log_warning(
			"%.*s are shared in more ways than are kept apart: they are in no group's figures",
			(int)text.len, text.data ? text.data : "");
	}
	if (l->refused)
		log_warning(
			"%llu processes could not be read, pid %d is one: what they map, too, is not counted "
			"as anybody's alone; of swap that can't be told",
			(unsigned long long)l->course.refused, (int)l->refused);
	buffer_clear(&text);
	if (is_set(l) || stake_resident(&l->stakes.others) * 100 <= stake_resident(&l->stakes.all))
		return;
	human_add_bytes(&text, stake_resident(&l->stakes.others));
	log_info(
		"%.*s are mapped besides by others, who came later, can't be seen from here or could not be read",
		(int)text.len, text.data ? text.data : "");
}

static int look(struct looking *l, const struct settings *settings, struct sharing_report *ret)
{
	CLEANUP(frames_close) struct frames frames = {.counts.fd = -1, .flags.fd = -1};
	uint64_t begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	int r = open_frames(l, settings, &frames);

	if (r == 0)
		r = gather(l);
	if (r == 0)
		r = walk_all(l);
	if (r == 0)
		r = count_all(l, &frames);
	progress_end(&l->progress);
	if (r < 0)
		return r;
	l->course.span_ns = clock_now_ns(CLOCK_MONOTONIC) - begin_ns;
	l->course.cpu_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	l->course.memory_bytes = memory_of(l);
	say_course(l);
	say_doubts(l);
	return report(l, settings, ret);
}

/* At once, whatever it is at: a half result is none. */
static void interrupted(int signal)
{
	(void)signal;
	_exit(130);
}

static void hear_interrupts(void)
{
	struct sigaction action;

	if (sigaction(SIGINT, NULL, &action) < 0 || action.sa_handler == SIG_IGN)
		return;
	action = (struct sigaction){.sa_handler = interrupted};
	sigaction(SIGINT, &action, NULL);
}

int sharing_look(const struct settings *settings, struct sharing_asked *a,
	struct sharing_report *ret, struct view **ret_view)
{
	CLEANUP(cleanup_looking)
	struct looking l = {.asked = a, .procfs.fd = -1};
	AUTO_VIEW struct view *view = NULL;
	int r;

	hear_interrupts();
	l.walk = (struct pagesweep){.take = take_pages, .context = &l};
	r = source_list(settings, &view);
	l.view = view;
	if (r == 0)
		r = look(&l, settings, ret);
	if (r < 0) {
		if (r != -ECANCELED)
			log_error("can't look at all processes: %s", strerror(-r));
		return -ECANCELED;
	}
	*ret_view = TAKE_PTR(view);
	return l.has_failed;
}

static int print(const struct sharing_asked *a, const struct sharing_report *report)
{
	AUTO_TABLE struct table table = {0};
	AUTO_BUFFER struct buffer text = {0};
	int r = 0;

	if (a->json)
		sharing_json(report, &text);
	else if (a->csv && a->matrix)
		sharing_matrix_csv(report, &text);
	else if (a->csv)
		sharing_csv(report, &text);
	else
		r = a->matrix ? sharing_matrix_table(report, &table)
		              : sharing_table(report, &table);
	if (r == 0 && table.columns)
		r = print_table(&table, command_width(), &text);
	return r == 0 ? output_flush(&text) : r;
}

static int show(const struct settings *settings, struct sharing_asked *a)
{
	AUTO_SHARING_REPORT struct sharing_report report = {0};
	AUTO_VIEW struct view *view = NULL;
	int r = sharing_look(settings, a, &report, &view), printed;

	if (r < 0)
		return COMMAND_FAILED;
	printed = command_printed(print(a, &report));
	return r ? COMMAND_FAILED : printed;
}

int sharing_run(const struct settings *settings, bool is_check)
{
	AUTO_SHARING_ASKED struct sharing_asked asked = {0};
	char error[CHOSEN_ERROR_SIZE] = "";

	if (sharing_parse(settings, &asked, error) < 0)
		return command_refuse(error);
	return is_check ? COMMAND_GOOD : show(settings, &asked);
}
