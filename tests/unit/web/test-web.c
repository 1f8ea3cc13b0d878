/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fault injection into memtally-web: its loop runs in a child, and each system call and allocation
 * of taking a snapshot and of answering, including those of libmicrohttpd and zlib, fails in turn.
 * Each answer is complete and right, or a 503; after failed system calls it may also be cut off
 * visibly. The next answer is complete and right.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <zlib.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "render/json.h"
#include "render/prometheus.h"
#include "tests/unit/support/process/child.h"
#include "tests/unit/support/snapshot/sample.h"
#include "tests/unit/support/snapshot/snapshot-socket.h"
#include "tests/unit/support/tree/tree.h"
#include "web/web.h"

#define PATIENCE_NS (20 * NS_PER_SEC)

enum {
	VIEWS = 8, /* the latest snapshots, any of which an answer may show */
	WAIT_MS = 10000,
	ROWS = 8,
	TOP = 5,
	AFTERWARDS = 2, /* number of further requests */
	ALL_EVERY = 16, /* time for all of them */
	MANY = 20,
	SOME = 11, /* calls between two injections; the long check injects at every call */
};

enum body {
	BODY_TEXT,
	BODY_OPENMETRICS,
	BODY_USERS,
	BODY_TOP,
	BODY_HOST,
	BODY_PROCESS,
	BODY_JSON,
	BODY_ANY,
};

static const struct target {
	const char *path, *header;
	enum body body;
} targets[] = {
	{"/metrics", "", BODY_TEXT},
	{"/metrics", "Accept-Encoding: gzip\r\n", BODY_TEXT},
	{"/api/v1/users", "", BODY_USERS},
	{"/api/v1/processes?sort=rss_bytes&limit=5", "", BODY_TOP},
	{"/api/v1/host", "", BODY_HOST},
	{"/api/v1/processes/100003", "", BODY_PROCESS},
	{"/metrics",
		"Accept: application/openmetrics-text; version=1.0.0\r\nAccept-Encoding: gzip\r\n",
		BODY_OPENMETRICS},
	{"/api/v1/status", "", BODY_JSON},
	{"/", "", BODY_ANY},
	{"/readyz", "", BODY_ANY},
};

static struct fixture {
	struct tree tree;
	char file_flag[96], socket_flag[96], listen_flag[96];
	char snapshots[48], web[48];
	struct child child;
	struct snapshot_socket socket;
	uint64_t sequence;
	struct view *view[VIEWS];
	struct buffer raw, body;
} f;

/* An answer; .status 0: it was cut off. */
struct reply {
	unsigned int status;
	bool is_gzip;
	const char *data;
	size_t len;
};

#define FAIL(...) CHILD_FAIL(&f.child, __VA_ARGS__)

static void publish(void)
{
	struct sample_options options = {
		.sequence = ++f.sequence,
		.realtime_ns = clock_now_ns(CLOCK_REALTIME),
		.boottime_ns = clock_now_ns(CLOCK_BOOTTIME),
		.interval_ns = 600 * NS_PER_SEC,
		.more = ROWS,
		.exported = ROWS / 2,
		.is_moving = true,
	};
	struct view **view = &f.view[f.sequence % VIEWS];
	const char *reason;
	int image;

	view_unref(*view);
	assert_int_equal(sample_seal(&options, &image), 0);
	assert_int_equal(view_open(image, view, &reason), 0);
	snapshot_socket_publish(&f.socket, image);
}

static int connect_web(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", f.web);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		fd = fd_close(fd);
	return fd;
}

/* Returns the value of a header of the LEN bytes at HEAD, NUL-terminated, or NULL. */
static const char *header(const char *head, size_t len, const char *name)
{
	static char value[64];
	const char *at = memmem(head, len, name, strlen(name));

	if (!at)
		return NULL;
	at += strlen(name);
	snprintf(value, sizeof(value), "%.*s", (int)strcspn(at, "\r\n"), at);
	return value;
}

/* Parses chunk sizes; each chunk of our server is complete. */
static size_t hexadecimal(const char *text)
{
	static const char digits[] = "0123456789abcdef";
	size_t value = 0;

	for (const char *digit; (digit = strchr(digits, *text | 0x20)) && *text; text++)
		value = value * 16 + (size_t)(digit - digits);
	return value;
}

/* Joins the chunks at DATA in f.body. Returns false if more are to come. */
static bool join_chunks(const char *data, size_t len)
{
	buffer_clear(&f.body);
	for (;;) {
		const char *end = memmem(data, len, "\r\n", 2);
		size_t size = end ? hexadecimal(data) : 0;
		size_t need = end ? (size_t)(end - data) + 2 + size + 2 : 0;

		if (!end || need > len)
			return false;
		if (!size)
			return true;
		buffer_add(&f.body, end + 2, size);
		data += need;
		len -= need;
	}
}

/* Returns whether a complete answer has arrived, and stores it in *RET. */
static bool is_whole(struct reply *ret)
{
	const char *data = f.raw.data, *length;
	const char *end = f.raw.len ? memmem(data, f.raw.len, "\r\n\r\n", 4) : NULL;
	size_t head = end ? (size_t)(end - data) + 4 : 0;
	uint64_t need = 0;

	if (!head || strncmp(data, "HTTP/1.1 ", 9) != 0)
		return false;
	*ret = (struct reply){.is_gzip = header(data, head, "\r\nContent-Encoding: gzip")};
	length = header(data, head, "\r\nContent-Length: ");
	if (length) {
		if (number_parse_u64(length, strlen(length), &need) < 0 || f.raw.len < head + need)
			return false;
		ret->data = data + head;
		ret->len = need;
	} else {
		if (!header(data, head, "\r\nTransfer-Encoding: chunked"))
			FAIL("neither a length nor chunks: %.*s", (int)head, data);
		if (!join_chunks(data + head, f.raw.len - head))
			return false;
		ret->data = f.body.data;
		ret->len = f.body.len;
	}
	ret->status = (unsigned int)(data[9] - '0') * 100 + (unsigned int)(data[10] - '0') * 10 +
	              (unsigned int)(data[11] - '0');
	return true;
}

static void get(int fd, const struct target *target, struct reply *ret)
{
	char request[512];
	int n = snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n",
		target->path, target->header);

	*ret = (struct reply){.status = 0};
	buffer_clear(&f.raw);
	if (fd < 0)
		return;
	/* The server refused the connection without reading a request. */
	if (send(fd, request, (size_t)n, MSG_NOSIGNAL) != n && errno != EPIPE)
		return;
	while (!is_whole(ret)) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		char *room = buffer_reserve(&f.raw, 65536);
		ssize_t got;

		assert_non_null(room);
		if (poll(&p, 1, WAIT_MS) <= 0) {
			child_assert_running(&f.child);
			FAIL("no answer to %s", target->path);
		}
		got = recv(fd, room, 65536, 0);
		if (got <= 0)
			break;
		f.raw.len += (size_t)got;
	}
}

/* Decompresses the body of R into f.raw. */
static bool unzip(struct reply *r)
{
	static char text[1 << 20];
	z_stream z = {0};
	int e;

	assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
	z.next_in = (unsigned char *)(uintptr_t)r->data;
	z.avail_in = (unsigned int)r->len;
	z.next_out = (unsigned char *)text;
	z.avail_out = sizeof(text);
	e = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	if (e != Z_STREAM_END || z.avail_in)
		return false;
	r->data = text;
	r->len = z.total_out;
	return true;
}

static void render_list(
	const struct view *view, enum metric_scope scope, uint32_t limit, struct buffer *to)
{
	char error[QUERY_ERROR_SIZE], number[16];
	AUTO_FREE struct query *query = malloc(sizeof(*query));
	AUTO_FREE uint32_t *rows = NULL;
	struct json_list list = {.view = view, .scope = scope};

	assert_non_null(query);
	query_init(query, scope);
	snprintf(number, sizeof(number), "%u", limit);
	if (limit)
		assert_true(query_set(query, "sort", "rss_bytes", error) == 0 &&
			    query_set(query, "limit", number, error) == 0);
	assert_int_equal(query_run(query, view, &rows, &list.count), 0);
	list.rows = rows;
	while (json_list_render(&list, SIZE_MAX, to))
		;
}

/* The part of an answer that depends on VIEW only. */
static void render(const struct view *view, enum body body, struct buffer *to)
{
	static const struct sight all = {.kind = SIGHT_ALL};

	buffer_clear(to);
	switch (body) {
	case BODY_TEXT: prometheus_render(view, &all, PROMETHEUS_TEXT, to); break;
	case BODY_OPENMETRICS: prometheus_render(view, &all, PROMETHEUS_OPENMETRICS, to); break;
	case BODY_USERS: render_list(view, METRIC_USER, 0, to); break;
	case BODY_TOP: render_list(view, METRIC_PROCESS, TOP, to); break;
	case BODY_HOST: json_render_host(view, to); break;
	case BODY_PROCESS:
		json_render_process(view, view_find_process(view, SAMPLE_FIRST_MORE + 3), to);
		break;
	default: break;
	}
	assert_int_equal(to->error, 0);
}

static bool ends_with(const struct reply *r, const char *end)
{
	size_t len = strlen(end);

	return r->len >= len && !memcmp(r->data + r->len - len, end, len);
}

static bool is_json(const struct reply *r)
{
	json_t *json = json_loadb(r->data, r->len, JSON_REJECT_DUPLICATES, NULL);
	bool is_object = json_is_object(json);

	json_decref(json);
	return is_object;
}

static bool is_of(const struct reply *r, enum body body, const struct view *view)
{
	AUTO_BUFFER struct buffer text = {0};
	char sequence[48];
	const char *at;

	render(view, body, &text);
	at = memmem(r->data, r->len, text.data, text.len);
	if (body == BODY_TEXT)
		return at == r->data && ends_with(r, "\n");
	if (body == BODY_OPENMETRICS)
		return at == r->data && ends_with(r, "\n# EOF\n");
	snprintf(sequence, sizeof(sequence), "\"sequence\":%llu,",
		(unsigned long long)view->header->sequence);
	/* After it there are only blanks. */
	return at && memmem(r->data, (size_t)(at - r->data), sequence, strlen(sequence)) &&
	       is_json(r);
}

/* Checks memtally-web's own values, of which one may be missing. */
static bool has_own_figures(const struct reply *r)
{
	static const char *const names[] = {"process_cpu_seconds_total",
		"process_resident_memory_bytes", "process_virtual_memory_bytes", "process_open_fds",
		"process_max_fds", "process_start_time_seconds", "memtally_build_info"};
	char line[64];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(line, sizeof(line), "\n%s", names[i]);
		if (!memmem(r->data, r->len, line, strlen(line)))
			return false;
	}
	return true;
}

/* Whether R is the answer of TARGET for one of the latest snapshots. */
static bool is_right(struct reply *r, const struct target *target, bool is_memory)
{
	if (r->is_gzip && !unzip(r))
		return false;
	if (target->body == BODY_ANY)
		return r->len > 0;
	if ((target->body == BODY_TEXT || target->body == BODY_OPENMETRICS) && is_memory &&
		!has_own_figures(r))
		return false;
	if (target->body == BODY_JSON)
		return is_json(r);
	for (uint64_t i = f.sequence; i > 0 && i + VIEWS > f.sequence; i--)
		if (is_of(r, target->body, f.view[i % VIEWS]))
			return true;
	return false;
}

/*
 * Requests each target once, two per connection. IS_MEMORY: each answer is complete with all of
 * memtally-web's own values, or a 503. Before the first injected failure, and after it if TIMES is
 * 1, answers are complete and right. The round ends soon after the failure.
 */
static void ask_all(bool may_fail, unsigned int times, bool is_memory)
{
	unsigned int left = AFTERWARDS;
	struct reply r;
	int fd = -1;

	for (size_t i = 0; i < ARRAY_SIZE(targets) && left; i++) {
		bool had_struck = injector_has_struck(), is_good;

		if (i % 2 == 0 || fd < 0)
			fd = connect_web();
		get(fd, &targets[i], &r);
		is_good = r.status == 200 && is_right(&r, &targets[i], is_memory);
		if (r.status == 200 && !is_good)
			FAIL("%s: half an answer, or a wrong one: %.*s", targets[i].path,
				(int)r.len, r.data);
		if (!is_good && is_memory && r.status != 503)
			FAIL("%s: %u without memory, instead of 503", targets[i].path, r.status);
		if (!is_good && (!may_fail || (had_struck && times == 1) || !injector_has_struck()))
			FAIL("%s: %u", targets[i].path, r.status);
		left -= may_fail && had_struck;
		if (!is_good || i % 2)
			fd = fd_close(fd);
	}
	fd_close(fd);
	child_assert_running(&f.child);
}

/* Whether the last snapshot has arrived. */
static bool is_current(void)
{
	static const struct target host = {"/api/v1/host", "", BODY_HOST};
	struct reply r;
	int fd = connect_web();
	bool is_it;

	get(fd, &host, &r);
	is_it = r.status == 200 && is_of(&r, BODY_HOST, f.view[f.sequence % VIEWS]);
	fd_close(fd);
	return is_it;
}

/* Waits until a new snapshot has arrived. */
static void follow(void)
{
	uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + PATIENCE_NS;

	publish();
	while (!is_current()) {
		child_assert_running(&f.child);
		if (clock_now_ns(CLOCK_MONOTONIC) > end_ns)
			FAIL("the last snapshot does not arrive");
		usleep(1000);
		snapshot_socket_serve(&f.socket);
	}
}

/* Injects at call N. Returns false if there are fewer. */
static bool survives(const struct injector_sweep *s, unsigned int n, unsigned int way)
{
	injector_arm_many(s->kind, n, s->times, way);
	publish();
	ask_all(true, s->times, s->kind == INJECTOR_ALLOCATIONS);
	if (!injector_end())
		return false;
	follow();
	if (n % ALL_EVERY == 0)
		ask_all(false, 0, true);
	return true;
}

/* Waits until the server has closed our connections. */
static unsigned int descriptors(void)
{
	usleep(10000);
	return child_descriptors(&f.child);
}

static void survives_all(enum injector_kind kind, unsigned int times, unsigned int step)
{
	const struct injector_sweep sweep = {
		.kind = kind, .times = times, .step = step, .round = survives};
	unsigned int before;

	if (f.child.pid == 0)
		skip();
	injector_arm(kind, 0, 0);
	follow();
	ask_all(false, 0, true);
	before = descriptors();
	assert_true(injector_run(&sweep) > 20);
	if (descriptors() != before)
		FAIL("%u descriptors, and %u before", descriptors(), before);
}

static void recovers_from_each_failed_call(void **state)
{
	(void)state;
	survives_all(INJECTOR_CALLS, 1, injector_step(SOME));
}

static void recovers_from_each_failed_allocation(void **state)
{
	(void)state;
	survives_all(INJECTOR_ALLOCATIONS, 1, injector_step(SOME));
}

/* As while memory or descriptors are short. */
static void recovers_from_many_failures_in_a_row(void **state)
{
	(void)state;
	survives_all(INJECTOR_CALLS, MANY, SOME);
	survives_all(INJECTOR_ALLOCATIONS, MANY, SOME);
}

static void run_web(void)
{
	char *argv[] = {(char *)"memtally-web", f.file_flag, f.socket_flag, f.listen_flag, NULL};

	if (child_begin(&f.child))
		web_run(4, argv);
	_exit(EXIT_FAILURE);
}

static int start(void **state)
{
	(void)state;
	tree_open(&f.tree);
	/* It drops root. */
	if (chmod(f.tree.path, 0755) < 0)
		return -1;
	tree_write(&f.tree, "none.yaml", "");
	snprintf(f.snapshots, sizeof(f.snapshots), "%s/snapshots", f.tree.path);
	snprintf(f.web, sizeof(f.web), "%s/web", f.tree.path);
	snprintf(f.child.log, sizeof(f.child.log), "%s/log", f.tree.path);
	snprintf(f.file_flag, sizeof(f.file_flag), "--config.file=%s/none.yaml", f.tree.path);
	snprintf(f.socket_flag, sizeof(f.socket_flag), "--snapshot.socket=%s", f.snapshots);
	snprintf(f.listen_flag, sizeof(f.listen_flag), "--web.listen-address=unix:%s", f.web);
	if (snapshot_socket_open(&f.socket, f.snapshots) < 0)
		return -1;
	publish();
	if (!injector_open())
		return -1;
	if (!injector_works())
		return 0;
	f.child.pid = fork();
	if (f.child.pid == 0)
		run_web();
	return f.child.pid > 0 ? 0 : -1;
}

static int stop(void **state)
{
	(void)state;
	if (f.child.pid > 0) {
		kill(f.child.pid, SIGTERM);
		waitpid(f.child.pid, NULL, 0);
	}
	snapshot_socket_close(&f.socket);
	for (size_t i = 0; i < VIEWS; i++)
		view_unref(f.view[i]);
	buffer_done(&f.raw);
	buffer_done(&f.body);
	tree_done(&f.tree);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(recovers_from_each_failed_call),
		cmocka_unit_test(recovers_from_each_failed_allocation),
		cmocka_unit_test(recovers_from_many_failures_in_a_row),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
