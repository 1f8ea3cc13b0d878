/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/map.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/number.h"
#include "cli/output.h"
#include "cli/saved.h"
#include "inside/target.h"

enum { READ_SIZE = 1 << 16 };

void map_done(struct map *m)
{
	chosen_done(&m->chosen);
}

bool map_is_asked(const struct settings *settings)
{
	return settings->operands.count && !strcmp(settings->operands.item[0], "map");
}

static int refuse(char error[static CHOSEN_ERROR_SIZE], const char *what, const char *got,
	const char *expected)
{
	snprintf(error, CHOSEN_ERROR_SIZE, "%s: expected %s, got '%.60s'", what, expected, got);
	return -EINVAL;
}

static int parse_by(
	const struct settings *c, enum atlas_by *ret, char error[static CHOSEN_ERROR_SIZE])
{
	*ret = c->diff || c->since ? ATLAS_BY_FILE : ATLAS_BY_MAPPING;
	if (c->by)
		*ret = atlas_find_by(c->by);
	return *ret < ATLAS_BYS ? 0 : refuse(error, "--by", c->by, "mapping, file or kind");
}

static int parse_other(
	const struct settings *c, struct map *m, char error[static CHOSEN_ERROR_SIZE])
{
	uint64_t pid = 0;

	if (c->diff && c->since) {
		snprintf(error, CHOSEN_ERROR_SIZE, "--diff does not go with --since");
		return -EINVAL;
	}
	if (c->diff &&
		(number_parse_u64(c->diff, strlen(c->diff), &pid) < 0 || !pid || pid > INT32_MAX))
		return refuse(error, "--diff", c->diff, "the pid of a process");
	m->diff = (pid_t)pid;
	m->since = c->since;
	return 0;
}

static bool is_compared(const struct map *m)
{
	return m->diff || m->since;
}

static int parse_order(
	const struct settings *c, struct map *m, char error[static CHOSEN_ERROR_SIZE])
{
	m->sort = MAPPING_PSS;
	m->is_sorted = c->sort || c->order || m->format.by != ATLAS_BY_MAPPING || is_compared(m);
	if (c->sort) {
		m->sort = maprow_find(c->sort);
		if (m->sort == MAPPING_FIELDS)
			return refuse(error, "--sort", c->sort,
				"a field of the rows in JSON, such as pss_bytes or private_dirty_bytes");
	}
	if (c->order && strcmp(c->order, "asc") != 0 && strcmp(c->order, "desc") != 0)
		return refuse(error, "--order", c->order, "asc or desc");
	m->ascending = c->order && !strcmp(c->order, "asc");
	return 0;
}

static const char *find_stray(const struct settings *c)
{
	return c->until     ? "until"
	       : c->per     ? "per"
	       : c->deleted ? "deleted"
	       : c->file    ? "file"
	                    : NULL;
}

int map_parse(
	const struct settings *settings, struct map *ret, char error[static CHOSEN_ERROR_SIZE])
{
	const char *stray = find_stray(settings);
	struct map m = {
		.format.bytes = settings->bytes,
		.json = settings->json,
		.csv = settings->csv,
		.limit = settings->limit,
	};
	int r;

	if (stray || (m.json && m.csv)) {
		snprintf(error, CHOSEN_ERROR_SIZE, "--%s does not go with %s",
			stray ? stray : "csv", stray ? "map" : "--json");
		return -EINVAL;
	}
	r = parse_by(settings, &m.format.by, error);
	if (r == 0)
		r = parse_other(settings, &m, error);
	if (r == 0)
		r = parse_order(settings, &m, error);
	if (r == 0)
		r = chosen_parse(settings, &m.chosen, error);
	if (r == 0)
		*ret = m;
	return r;
}

/* What is being printed, and what is kept for that. */
struct showing {
	const struct map *map;
	struct atlas atlas;     /* where rows are sorted or summed up, */
	struct atlas then;      /* and what they are compared with */
	struct atlas *into;     /* which of them is being filled */
	struct atlas_row total; /* else */
	struct buffer text, name, processes;
	pid_t pid;
	size_t rows, shown;
	bool has_failed;
	int error; /* of printing, which ends all */
};

static void cleanup_showing(struct showing *s)
{
	atlas_done(&s->atlas);
	atlas_done(&s->then);
	buffer_done(&s->text);
	buffer_done(&s->name);
	buffer_done(&s->processes);
}

static int add_row(struct showing *s, const struct atlas_row *row)
{
	const struct map *map = s->map;

	s->rows++;
	if (map->limit && s->shown == map->limit)
		return 0;
	if (map->json) {
		if (s->shown)
			buffer_add_char(&s->text, ',');
		maprow_add_json(&map->format, row, &s->text);
	} else if (map->csv) {
		maprow_add_csv(&map->format, row, &s->text);
	} else {
		maprow_add_line(&map->format, row, &s->text);
	}
	s->shown++;
	s->error = output_flush_some(&s->text);
	return s->error;
}

/* A mapping as it comes: nothing is kept of it but in the sum. */
static int pass_on(struct showing *s, const struct mapping *m)
{
	struct atlas_row row;
	int r = atlas_row_of(m, s->pid, s->map->json || s->map->csv, &s->name, &row);

	if (r == 0)
		r = atlas_sum(&s->total, &row);
	return r == 0 ? add_row(s, &row) : r;
}

static int take(const struct mapping *m, void *context)
{
	struct showing *s = context;

	return s->map->is_sorted ? atlas_add(s->into, s->pid, m) : pass_on(s, m);
}

static int read_all(int fd, struct mapping_reader *reader)
{
	for (;;) {
		char *room = mapping_reader_room(reader, READ_SIZE);
		ssize_t n = room ? read(fd, room, READ_SIZE) : -1;
		int r;

		if (n < 0 && room && errno == EINTR)
			continue;
		if (n <= 0)
			return !room ? -ENOMEM : n < 0 ? -errno : mapping_reader_end(reader);
		r = mapping_reader_feed(reader, (size_t)n);
		if (r != 0)
			return r;
	}
}

/* What could not be read of T in the middle of it, the kernel ends without a word, or so. */
static int read_target(struct showing *s, struct target *t)
{
	CLEANUP(mapping_reader_done) struct mapping_reader reader = {.take = take, .context = s};
	AUTO_CLOSE int fd = -1;
	int r = target_file(t, "smaps", &fd), confirmed;

	if (r == 0)
		r = read_all(fd, &reader);
	if (r == -ENOMEM || s->error)
		return r;
	confirmed = target_confirm(t);
	/* A thread by which it was read has ended, and it has not. */
	if (r == -ESRCH || r == TARGET_GONE)
		r = TARGET_CHANGED;
	return confirmed > 0 || (confirmed < 0 && r == 0) ? confirmed : r;
}

static void add_process(struct showing *s, const char *program, const char *why)
{
	json_t *row = json_pack("{s:i,s:s*,s:b,s:s*}", "pid", (int)s->pid, "program", program,
		"complete", !why, "error", why);
	char *text = row ? json_dumps(row, JSON_COMPACT) : NULL;

	if (s->processes.len)
		buffer_add_char(&s->processes, ',');
	if (text)
		buffer_add_text(&s->processes, text);
	else
		s->processes.error = -ENOMEM;
	free(text);
	json_decref(row);
}

/* One that ended since a filter found it is none that was asked for. */
static bool has_ended(const struct chosen_process *p, int outcome)
{
	return p->is_found && (outcome == TARGET_GONE || outcome == TARGET_ENDED);
}

/* One process. 1: it could not be read, and it was said why; or an error that ends all. */
static int show_process(
	struct showing *s, const struct procfs *procfs, const struct chosen_process *p)
{
	AUTO_TARGET struct target t = {.process.dirfd = -1, .process.statm_fd = -1};
	int r = target_open(procfs, p->pid, &t);
	const char *why = NULL;
	bool is_open = r == 0;

	s->pid = p->pid;
	if (r == 0)
		r = chosen_is(p, t.sample.q[PROCESS_START_TIME]) ? read_target(s, &t) : TARGET_GONE;
	if (r == -ENOMEM || s->error)
		return s->error ? s->error : r;
	if (r > 0)
		why = target_text((enum target_outcome)r);
	else if (r < 0)
		why = strerror(-r);
	if (why && has_ended(p, r))
		log_info("pid %d has ended since it was found", (int)p->pid);
	else if (why)
		log_error("pid %d %s%s", (int)p->pid, r < 0 ? "can't be read: " : "", why);
	add_process(s, is_open ? target_program(&t) : NULL, why);
	return why && !has_ended(p, r);
}

static void begin(struct showing *s)
{
	const struct map *map = s->map;

	if (map->json)
		buffer_printf(&s->text, "{\"version\":%d,\"by\":\"%s\",\"rows\":[", SAVED_VERSION,
			atlas_by_name(map->format.by));
	else if (map->csv)
		maprow_add_csv_head(&map->format, &s->text);
	else
		maprow_add_head(&map->format, &s->text);
}

static int add_kept(struct showing *s)
{
	size_t count = s->atlas.rows;
	int r = 0;

	atlas_sort(&s->atlas, s->map->sort);
	for (size_t i = 0; r == 0 && i < count; i++)
		r = add_row(s, &s->atlas.row[s->map->ascending ? count - 1 - i : i]);
	atlas_total(&s->atlas, &s->total);
	return r;
}

static int finish(struct showing *s)
{
	const struct map *map = s->map;
	int r = map->is_sorted ? add_kept(s) : 0;

	if (r < 0)
		return r;
	if (map->json) {
		buffer_add_text(&s->text, "],\"total\":");
		maprow_add_json_sums(&s->total, &s->text);
		buffer_add_text(&s->text, ",\"processes\":[");
		buffer_add(&s->text, s->processes.data, s->processes.len);
		buffer_add_text(&s->text, "]}\n");
	} else if (!map->csv) {
		maprow_add_total(&map->format, &s->total, s->rows, &s->text);
	}
	return s->processes.error ? s->processes.error : output_flush(&s->text);
}

static int show_all(struct showing *s, const struct procfs *procfs)
{
	const struct chosen *chosen = &s->map->chosen;
	int r = 0;

	begin(s);
	for (size_t i = 0; r >= 0 && i < chosen->count; i++) {
		r = show_process(s, procfs, &chosen->process[i]);
		s->has_failed |= r > 0;
	}
	return r < 0 ? r : finish(s);
}

static void begin_changes(struct showing *s)
{
	const struct map *map = s->map;

	if (map->json)
		buffer_printf(
			&s->text, "{\"by\":\"%s\",\"changes\":[", atlas_by_name(map->format.by));
	else if (map->csv)
		maprow_add_change_csv_head(&map->format, &s->text);
	else
		maprow_add_change_head(&map->format, &s->text);
}

static void add_change(struct showing *s, const struct compare_row *row, bool is_first)
{
	const struct map *map = s->map;

	if (map->json && !is_first)
		buffer_add_char(&s->text, ',');
	if (map->json)
		maprow_add_change_json(&map->format, row, &s->text);
	else if (map->csv)
		maprow_add_change_csv(&map->format, row, &s->text);
	else
		maprow_add_change(&map->format, row, &s->text);
}

static int print_changes(struct showing *s)
{
	const struct map *map = s->map;
	AUTO_COMPARE struct compare c = {0};
	int r = compare_make(&s->atlas, &s->then, map->sort, &c);

	if (r < 0)
		return r;
	begin_changes(s);
	for (size_t i = 0; r == 0 && i < c.rows && (!map->limit || i < map->limit); i++) {
		add_change(s, &c.row[map->ascending ? c.rows - 1 - i : i], !i);
		r = output_flush_some(&s->text);
	}
	if (map->json) {
		buffer_add_text(&s->text, "],\"total\":");
		maprow_add_change_json(&map->format, &c.total, &s->text);
		buffer_add_text(&s->text, "}\n");
	} else if (!map->csv) {
		maprow_add_change_total(&map->format, &c.total, c.rows, &s->text);
	}
	return r == 0 ? output_flush(&s->text) : r;
}

/* 0; 1: that can't be had, which was said. */
static int load_then(struct showing *s, const struct procfs *procfs)
{
	char error[SAVED_ERROR_SIZE];
	int r;

	if (s->map->since) {
		r = saved_load(s->map->since, &s->then, error);
		if (r == -EINVAL)
			log_error("%s", error);
		return r == -EINVAL ? 1 : r;
	}
	s->into = &s->then;
	return show_process(s, procfs, &(struct chosen_process){.pid = s->map->diff});
}

/* Of what is not whole nothing is said: it would look as if much had gone. */
static int show_changes(struct showing *s, const struct procfs *procfs)
{
	const struct chosen *chosen = &s->map->chosen;
	int r = load_then(s, procfs);

	s->into = &s->atlas;
	for (size_t i = 0; r == 0 && i < chosen->count; i++) {
		r = show_process(s, procfs, &chosen->process[i]);
	}
	s->has_failed = r > 0;
	return r == 0 ? print_changes(s) : r < 0 ? r : 0;
}

static int find(const struct settings *settings, struct map *m)
{
	AUTO_BUFFER struct buffer said = {0};
	int r = m->chosen.has_filters ? chosen_find(settings, &m->chosen, &said) : 0;

	if (r == 0 && said.len)
		log_info("%.*s", (int)said.len, said.data);
	return r;
}

int map_show(const struct settings *settings, struct map *m)
{
	CLEANUP(cleanup_showing)
	struct showing s = {.map = m, .atlas.by = m->format.by, .then.by = m->format.by};
	CLEANUP(procfs_close) struct procfs procfs = {.fd = -1};
	int r = procfs_open(settings->path_procfs, &procfs);

	if (r == 0)
		r = find(settings, m);
	if (r < 0) {
		log_error("can't read %s: %s", settings->path_procfs, strerror(-r));
		return 1;
	}
	if (!m->chosen.count) {
		log_error("nothing matches: there is no process with memory for that");
		return 1;
	}
	m->format.has_pid = m->chosen.count > 1;
	s.into = &s.atlas;
	r = is_compared(m) ? show_changes(&s, &procfs) : show_all(&s, &procfs);
	return r < 0 ? r : s.has_failed;
}
