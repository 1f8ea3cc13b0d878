/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libmicrohttpd 0.9.75 needs to be told: the request's text before it is decoded comes by the URI
 * log callback alone; an answer that is queued in the first call for a request closes the connection,
 * which is just right for those that must not go on and wrong for all others. Its own strictness is left
 * off: what it would refuse we refuse, and it garbles the answer (its head is sent twice). It is not shown
 * the listening socket: it takes ten connections in a run, is busy all the time where there are no
 * descriptors for the first one, and closes or shuts down the socket when it ends.
 */
#include "config.h"

#include "web/server.h"

#include <errno.h>
#include <gnutls/abstract.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"

enum {
	CLIENT_MEMORY = 16 * 1024, /* for a request's head, and for the pieces of a long list */
	TARGET_MEMORY = CLIENT_MEMORY / 2,
	PARAMETER_MEMORY = 64, /* that the library takes for each */
	CLIENTS_OVER = 32,     /* who are let in before room is made for them */
	SEND_BUFFER = 128 *
	              1024, /* what the kernel holds for a client who is slow to read, twice */
	OTHER_FDS = 12,     /* standard streams, signals, snapshots, /proc */
	LISTENER_FDS = 4,   /* the socket, the entrance's epoll, the library's epoll and eventfd */
	RUNS_A_ROUND = 4,   /* of the library for each listener */
};

/* What is known of who has asked. */
enum exchange_asker {
	ASKER_UNKNOWN,
	ASKER_AWAITED, /* the connection is suspended meanwhile */
	ASKER_RIGHT,
	ASKER_WRONG,
};

/* A request from its first line to the last byte of its answer. */
struct exchange {
	struct exchange *next, *previous;  /* of those that are awaited */
	struct MHD_Connection *connection; /* of one that is */
	enum exchange_asker asker;
	struct request request;
	struct connection *client; /* borrowed */
	const char *raw; /* the target where the library has it; only its place is of use */
	size_t len;      /* of the target */
	bool is_sound;
	char target[]; /* a copy, since the library decodes its own in place */
};

static struct connection *client_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/*
 * libmicrohttpd 0.9.75 falls silent when its memory does not hold all parameters: it prepares a refusal and
 * then forgets that it has. What comes near that is refused here.
 */
static bool is_too_long(const char *target, size_t len)
{
	const char *query = strchr(target, '?');
	size_t need = len;

	for (; query; query = strchr(query + 1, '&'))
		need += PARAMETER_MEMORY;
	return need > TARGET_MEMORY;
}

/*
 * Before there is a request that could be answered. Everything asked before has been answered. In TLS there is no place yet
 * to say so.
 */
static void refuse_target(struct listener *l, struct connection *client)
{
	static const char answer[] = "HTTP/1.1 414 URI Too Long\r\nContent-Length: 0\r\n"
				     "Cache-Control: no-store\r\n"
				     "X-Content-Type-Options: nosniff\r\n"
				     "Content-Security-Policy: default-src 'none'; "
				     "frame-ancestors 'none'\r\nConnection: close\r\n\r\n";

	/* To a client that does not read, nothing is owed. */
	if (!client->tls)
		(void)send(client->fd, answer, strlen(answer), MSG_DONTWAIT | MSG_NOSIGNAL);
	connections_cut(&l->server->connections, client);
}

static void *on_target(void *listener, const char *target, struct MHD_Connection *connection)
{
	struct listener *l = listener;
	struct connection *client = client_of(connection);
	struct exchange *x;
	size_t len;

	if (!target || !client)
		return NULL;
	len = strlen(target);
	if (is_too_long(target, len)) {
		refuse_target(l, client);
		return NULL;
	}
	x = malloc(sizeof(*x) + len + 1);
	if (!x)
		return NULL;
	*x = (struct exchange){.client = client, .raw = target, .len = len};
	memcpy(x->target, target, len + 1);
	request_init(&x->request, x->target);
	connections_begin(&l->server->connections, client, clock_now_ns(CLOCK_MONOTONIC));
	return x;
}

static enum MHD_Result on_header(
	void *request, enum MHD_ValueKind kind, const char *name, const char *value)
{
	(void)kind;
	request_add_header(request, name, value);
	return MHD_YES;
}

/* Consumes ANSWER; NULL: out of memory. */
static enum MHD_Result answer_with(
	struct listener *l, struct MHD_Connection *connection, struct answer *answer)
{
	const struct connection *client = client_of(connection);
	struct counters *counters = &l->server->site->counters;
	struct MHD_Response *response;
	unsigned int status;
	enum MHD_Result r;

	if (!answer)
		answer = answer_new_error(MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory");
	if (!answer || !client) {
		answer_free(answer);
		return MHD_NO;
	}
	status = answer->status;
	answer->headers = access_config(l->server->access)->header;
	/* Who began with another certificate, or was known by one, is to begin anew. */
	answer->closes |= client->tls != access_tls(l->server->access);
	response = answer_to_response(answer);
	if (!response)
		return MHD_NO;
	r = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	if (r == MHD_YES)
		counters_add(counters, status);
	return r;
}

static enum MHD_Result send_refusal(struct listener *l, struct MHD_Connection *connection,
	const struct refusal *refusal, bool closes)
{
	struct answer *answer = answer_new_error(refusal->status, refusal->why);

	if (answer)
		answer->closes = closes;
	return answer_with(l, connection, answer);
}

/* The first call: the head is there, a body may follow. */
static enum MHD_Result on_head(struct listener *l, struct MHD_Connection *connection,
	struct exchange *x, const char *method, const char *version)
{
	struct refusal refusal = {
		.status = MHD_HTTP_BAD_REQUEST, .why = "a malformed request line"};

	connections_complete(x->client);
	MHD_get_connection_values(connection, MHD_HEADER_KIND, on_header, &x->request);
	x->is_sound = mhd_is_line_whole(method, x->raw, x->len, version) &&
	              request_is_sound(&x->request, method, version, &refusal);
	return x->is_sound ? MHD_YES : send_refusal(l, connection, &refusal, true);
}

/*
 * NULL: any. No page makes a browser open a UNIX socket, and proxies in front of one have names of their own. A password
 * or a certificate for this name is not sent to another one.
 */
static const struct host_names *names_at(const struct listener *l, struct host_names *to)
{
	const struct server *s = l->server;

	if (l->socket->is_unix || access_authenticates(s->access))
		return NULL;
	*to = (struct host_names){
		.listener = l->socket->host,
		.machine = *s->machine ? s->machine : NULL,
		.allowed = &s->site->settings->web_allowed_hosts,
	};
	return to;
}

static void await(struct server *s, struct MHD_Connection *connection, struct exchange *x)
{
	x->asker = ASKER_AWAITED;
	x->connection = connection;
	x->previous = NULL;
	x->next = s->awaited;
	if (x->next)
		x->next->previous = x;
	s->awaited = x;
	MHD_suspend_connection(connection);
}

static void resume(struct server *s, struct exchange *x, enum exchange_asker asker)
{
	if (x->next)
		x->next->previous = x->previous;
	if (x->previous)
		x->previous->next = x->next;
	else
		s->awaited = x->next;
	x->asker = asker;
	MHD_resume_connection(x->connection);
}

/* A handshake of before may have let in anybody. */
static bool has_shown_certificate(const struct server *s, const struct connection *client)
{
	const struct tls *t = access_tls(s->access);

	return !t || !tls_authenticates(t) || client->tls == t;
}

/* Whether X is to be answered now; otherwise *ret is what comes of it instead. */
static bool knows_asker(struct listener *l, struct MHD_Connection *connection, struct exchange *x,
	enum MHD_Result *ret)
{
	enum passwords_verdict verdict = PASSWORDS_WRONG;
	struct server *s = l->server;
	struct credentials given;
	struct answer *answer;

	if (!has_shown_certificate(s, x->client)) {
		*ret = send_refusal(l, connection,
			&(struct refusal){MHD_HTTP_UNAUTHORIZED, "a certificate is needed now"},
			true);
		return false;
	}
	if (x->asker == ASKER_RIGHT || !access_config(s->access)->users)
		return true;
	if (x->asker == ASKER_UNKNOWN && x->request.authorization &&
		credentials_parse(x->request.authorization, &given)) {
		verdict = passwords_ask(s->passwords, &given, x);
		credentials_wipe(&given);
	}
	switch (verdict) {
	case PASSWORDS_RIGHT: return true;
	case PASSWORDS_LATER:
		await(s, connection, x);
		*ret = MHD_YES;
		return false;
	case PASSWORDS_BUSY:
		answer = answer_new_error(
			MHD_HTTP_SERVICE_UNAVAILABLE, "too many passwords are being looked into");
		break;
	default:
		answer = answer_new_error(
			MHD_HTTP_UNAUTHORIZED, "a user's name and password are needed");
		if (answer)
			answer->challenges = true;
	}
	*ret = answer_with(l, connection, answer);
	return false;
}

static enum MHD_Result on_request(void *listener, struct MHD_Connection *connection,
	const char *url, const char *method, const char *version, const char *upload,
	size_t *upload_size, void **exchange)
{
	struct listener *l = listener;
	struct exchange *x = *exchange;
	struct host_names names;
	struct refusal refusal;
	enum MHD_Result r;

	(void)url;
	(void)upload;
	if (!x || *upload_size)
		return MHD_NO;
	if (!x->is_sound)
		return on_head(l, connection, x, method, version);
	if (x->asker == ASKER_UNKNOWN &&
		!rate_take(&l->server->rate, clock_now_ns(CLOCK_MONOTONIC)))
		return answer_with(l, connection,
			answer_new_error(MHD_HTTP_TOO_MANY_REQUESTS, "too many requests"));
	if (!knows_asker(l, connection, x, &r))
		return r;
	if (!request_is_allowed(&x->request, method, names_at(l, &names), &refusal))
		return send_refusal(l, connection, &refusal, false);
	return answer_with(l, connection,
		site_answer(l->server->site, &x->request, &x->client->caller,
			clock_now_ns(CLOCK_BOOTTIME)));
}

static void on_completed(void *listener, struct MHD_Connection *connection, void **exchange,
	enum MHD_RequestTerminationCode how)
{
	struct listener *l = listener;
	struct exchange *x = *exchange;

	(void)connection;
	(void)how;
	if (!x)
		return;
	connections_end(&l->server->connections, x->client, clock_now_ns(CLOCK_MONOTONIC));
	free(x);
	*exchange = NULL;
}

/* Without credentials of its own the session has the library's, with which no handshake succeeds. */
static void admit(struct server *s, struct MHD_Connection *connection, struct connection *client)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);

	client->tls = tls_ref(access_tls(s->access));
	if (!info || tls_admit(client->tls, info->tls_session) < 0)
		connections_cut(&s->connections, client);
}

/* Never asked: on_connection() gives each session what it has to have. */
static int no_certificate(gnutls_session_t session, const gnutls_datum_t *authorities, int count,
	const gnutls_pk_algorithm_t *algorithms, int algorithm_count, gnutls_pcert_st **cert,
	unsigned int *cert_count, gnutls_privkey_t *key)
{
	(void)session;
	(void)authorities;
	(void)count;
	(void)algorithms;
	(void)algorithm_count;
	(void)cert;
	(void)cert_count;
	(void)key;
	return -1;
}

static void on_connection(void *listener, struct MHD_Connection *connection, void **context,
	enum MHD_ConnectionNotificationCode what)
{
	struct listener *l = listener;
	struct server *s = l->server;
	const int send_buffer = SEND_BUFFER;
	uint64_t now = clock_now_ns(CLOCK_MONOTONIC);
	const union MHD_ConnectionInfo *info;
	struct connection *client;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		client = *context;
		if (client) {
			tls_unref(client->tls); /* the session is gone already */
			connections_remove(&s->connections, client);
		}
		l->clients -= *context != NULL;
		entrance_retry(&l->entrance);
		*context = NULL;
		return;
	}
	info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	if (!info)
		return;
	/* Left to itself the kernel lets it grow to megabytes, all of them rendered at once. */
	(void)setsockopt(
		info->connect_fd, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof(send_buffer));
	client = connections_add(&s->connections, l->socket, info->connect_fd,
		caller_of(info->connect_fd, s->rules), now);
	l->clients += client != NULL;
	if (client && access_tls(s->access))
		admit(s, connection, client);
	if (client && l->clients > s->max_clients)
		connections_evict(&s->connections, client, now);
	*context = client;
}

__attribute__((format(printf, 2, 0))) static void on_log(
	void *listener, const char *format, va_list args)
{
	const struct listener *l = listener;
	char text[256];
	size_t len;

	/* Clients cause it, thousands of times a second. */
	if (l->server->site->settings->log_level < LOG_LEVEL_DEBUG)
		return;
	vsnprintf(text, sizeof(text), format, args);
	len = strlen(text);
	if (len && text[len - 1] == '\n')
		text[len - 1] = 0;
	log_debug("libmicrohttpd: %s", text);
}

static int listener_start(struct listener *l, unsigned int limit)
{
	const union MHD_DaemonInfo *info;
	bool is_tls = access_tls(l->server->access) != NULL;
	struct MHD_OptionItem tls[] = {
		{is_tls ? MHD_OPTION_HTTPS_CERT_CALLBACK : MHD_OPTION_END, 0,
			(void *)no_certificate},
		{MHD_OPTION_END, 0, NULL},
	};

	if (is_tls && MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES)
		return -EPROTONOSUPPORT;
	l->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_ITC | MHD_USE_ERROR_LOG |
					     MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME |
					     (is_tls ? MHD_USE_TLS : 0),
		0, NULL, NULL, on_request, l, MHD_OPTION_ARRAY, tls, MHD_OPTION_EXTERNAL_LOGGER,
		on_log, l, MHD_OPTION_CONNECTION_LIMIT, limit, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)CLIENT_MEMORY, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
		MHD_OPTION_URI_LOG_CALLBACK, on_target, l, MHD_OPTION_NOTIFY_COMPLETED,
		on_completed, l, MHD_OPTION_NOTIFY_CONNECTION, on_connection, l, MHD_OPTION_END);
	if (!l->daemon)
		return -EIO;
	info = MHD_get_daemon_info(l->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info || info->epoll_fd < 0)
		return -EIO;
	return entrance_open(&l->entrance, l->socket->fd, info->epoll_fd);
}

/* How many more than MAX_CLIENTS there may be until some have gone. */
static unsigned int over(unsigned int max_clients)
{
	return max_clients > CLIENTS_OVER ? CLIENTS_OVER : max_clients;
}

/* How many clients each of LISTENERS may have, at most WANTED: their descriptors must do. */
static unsigned int fit_clients(unsigned int wanted, size_t listeners)
{
	uint64_t others = OTHER_FDS + listeners * LISTENER_FDS;
	uint64_t need = others + listeners * ((uint64_t)wanted + CLIENTS_OVER);
	struct rlimit limit;
	uint64_t each;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return wanted;
	if (limit.rlim_cur < need && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = need < limit.rlim_max ? need : limit.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
			return wanted;
	}
	if (limit.rlim_cur >= need)
		return wanted;
	each = limit.rlim_cur > others ? (limit.rlim_cur - others) / listeners : 1;
	each = each > UINT64_C(2) * CLIENTS_OVER ? each - CLIENTS_OVER : each / 2 ? each / 2 : 1;
	return each < wanted ? (unsigned int)each : wanted;
}

int server_start(struct server *s, struct site *site, const struct listen_set *set,
	const struct caller_rules *rules, const struct access *access, unsigned int max_clients)
{
	const struct webconfig *c = access_config(access);
	unsigned int fit = fit_clients(max_clients, set->count);
	int r;

	*s = (struct server){.site = site, .rules = rules, .access = access, .max_clients = fit};
	rate_init(&s->rate, c->interval_ns, c->burst);
	r = passwords_new(&s->passwords);
	if (r < 0)
		return r;
	if (fit < max_clients)
		log_warning("the limit of open files allows for %u connections a listener, not %u",
			fit, max_clients);
	if (gethostname(s->machine, sizeof(s->machine)) < 0)
		s->machine[0] = 0;
	s->listener = calloc(set->count, sizeof(*s->listener));
	if (!s->listener) {
		s->passwords = passwords_free(s->passwords);
		return -ENOMEM;
	}
	for (; s->listeners < set->count; s->listeners++) {
		struct listener *l = &s->listener[s->listeners];

		*l = (struct listener){
			.server = s, .socket = &set->socket[s->listeners], .entrance.epoll_fd = -1};
		r = listener_start(l, fit + over(fit));
		if (r < 0) {
			s->listeners++;
			server_stop(s);
			return r;
		}
	}
	return 0;
}

int server_admit(struct server *s, const struct access *access)
{
	const struct webconfig *c = access_config(access);
	int r = passwords_set(s->passwords, c->users ? c : NULL);

	if (r < 0)
		return r;
	s->access = access;
	/* What was taken at another rate says nothing. */
	rate_init(&s->rate, c->interval_ns, c->burst);
	connections_cut_idle(&s->connections);
	return 0;
}

int server_fd(const struct server *s)
{
	return passwords_fd(s->passwords);
}

/* Those who were looked into. */
static void resume_askers(struct server *s)
{
	enum passwords_verdict verdict;
	void *exchange;

	while (passwords_take(s->passwords, &exchange, &verdict))
		resume(s, exchange,
			verdict == PASSWORDS_RIGHT   ? ASKER_RIGHT
			: verdict == PASSWORDS_AGAIN ? ASKER_UNKNOWN
						     : ASKER_WRONG);
}

int64_t server_due_ms(const struct server *s, uint64_t now_monotonic_ns, uint64_t client_timeout_ns)
{
	uint64_t due = connections_due_ns(&s->connections, client_timeout_ns);
	int64_t least = -1;

	for (size_t i = 0; i < s->listeners; i++)
		if (entrance_due_ns(&s->listener[i].entrance) < due)
			due = entrance_due_ns(&s->listener[i].entrance);
	if (due != UINT64_MAX)
		least = due > now_monotonic_ns
		                ? (int64_t)((due - now_monotonic_ns) / NS_PER_MSEC + 1)
		                : 0;
	for (size_t i = 0; i < s->listeners; i++) {
		int64_t ms = mhd_timeout_ms(s->listener[i].daemon);

		if (ms >= 0 && (least < 0 || ms < least))
			least = ms;
	}
	return least;
}

/* Lets those in who wait, as far as there is room. Whether there may be more of them. */
static bool let_in(struct listener *l, uint64_t now_ns)
{
	const struct server *s = l->server;

	for (int i = 0; i < CLIENTS_OVER && l->clients < s->max_clients + over(s->max_clients);
		i++) {
		struct sockaddr_storage address;
		socklen_t len;
		int fd = entrance_accept(&l->entrance, now_ns, &address, &len);

		if (fd < 0)
			return false;
		/* Consumes the descriptor, and makes room for it in on_connection(). */
		(void)MHD_add_connection(l->daemon, fd, (const struct sockaddr *)&address, len);
	}
	return true;
}

void server_run(struct server *s, uint64_t now_monotonic_ns, uint64_t client_timeout_ns)
{
	site_begin_round(s->site);
	connections_expire(&s->connections, now_monotonic_ns, client_timeout_ns);
	resume_askers(s);
	/*
	 * A crowd that comes and goes never leaves the entrance empty: what is left is for the next round, since
	 * snapshots, signals and the watchdog wait for their turn.
	 */
	for (size_t i = 0; i < s->listeners; i++)
		for (int run = 0; run < RUNS_A_ROUND; run++) {
			bool has_more = let_in(&s->listener[i], now_monotonic_ns);

			MHD_run(s->listener[i].daemon);
			if (!has_more)
				break;
		}
}

void server_leave(struct server *s)
{
	for (size_t i = 0; i < s->listeners; i++)
		entrance_leave(&s->listener[i].entrance);
}

bool server_owes(const struct server *s)
{
	return connections_owe(&s->connections);
}

void server_stop(struct server *s)
{
	while (s->awaited) /* the library stops with none suspended only */
		resume(s, s->awaited, ASKER_WRONG);
	for (size_t i = 0; i < s->listeners; i++) {
		struct listener *l = &s->listener[i];

		if (l->daemon)
			MHD_stop_daemon(l->daemon);
		entrance_close(&l->entrance);
	}
	s->passwords = passwords_free(s->passwords);
	free(s->listener);
	s->listener = NULL;
	s->listeners = 0;
}
