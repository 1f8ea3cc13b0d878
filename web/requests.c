/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about libmicrohttpd 0.9.75. Only the URI log callback gets the target before it is decoded.
 * An answer that is queued in the first call for a request closes the connection: this is right for
 * a request with an uncertain end, and wrong for all others. If the library itself refuses a
 * request after it has read all headers, it sends two heads (mhd_preempt()). So its strictness is
 * off, it is shown no Content-Length, and such requests are refused here.
 */
#include "config.h"

#include "web/requests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "web/auth/credentials.h"
#include "web/net/listen.h"
#include "web/net/tls.h"
#include "web/site/answer.h"
#include "web/site/routes.h"

enum {
	TARGET_MEMORY = REQUESTS_MEMORY / 2,
	PARAMETER_MEMORY = 64, /* bytes that the library needs for each */
};

/* The state of the password check of a request. */
enum exchange_asker {
	ASKER_UNKNOWN,
	ASKER_AWAITED, /* being checked, or waits for the past; the connection is suspended */
	ASKER_RIGHT,
	ASKER_WRONG,
};

/* The library's view of the client's request: no body, and one cookie. */
static const struct mhd_values shown = {.content_length = "0", .cookie = "x="};

/* A request from its first line to the last byte of its answer. */
struct exchange {
	struct exchange *next, *previous;  /* list of suspended requests */
	struct MHD_Connection *connection; /* set while suspended */
	enum exchange_asker asker;
	struct inquiry *inquiry;    /* owned; NULL: none has begun */
	unsigned int admissions;    /* of struct requests, when .inquiry began */
	bool awaits_turn, has_turn; /* to render the answer to .inquiry */
	struct request request;
	struct connection *client; /* borrowed */
	const char *raw;           /* the library's copy of the target; only its address is used */
	size_t len;                /* of .target, in bytes */
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
 * libmicrohttpd 0.9.75 sends no answer if its memory does not hold all parameters: it prepares a
 * refusal and then forgets it. So targets that come near this limit are refused here.
 */
static bool requests_is_too_long(const char *target, size_t len)
{
	const char *query = strchr(target, '?');
	size_t need = len;

	for (; query; query = strchr(query + 1, '&'))
		need += PARAMETER_MEMORY;
	return need > TARGET_MEMORY;
}

/*
 * Refuses a target before the library has a request that could be answered. All earlier requests of
 * the connection have been answered. Over TLS the connection is shut down without an answer.
 */
static void refuse_target(struct requests *xs, struct connection *client)
{
	static const char answer[] = REQUESTS_RAW_ANSWER("414 URI Too Long");

	/* Does not wait for a client that does not read. */
	if (!client->tls)
		(void)send(client->fd, answer, strlen(answer), MSG_DONTWAIT | MSG_NOSIGNAL);
	connections_cut(xs->connections, client);
}

static enum MHD_Result on_header(
	void *request, enum MHD_ValueKind kind, const char *name, const char *value)
{
	(void)kind;
	if (value != shown.content_length && value != shown.cookie)
		request_add_header(request, name, value);
	return MHD_YES;
}

/* Makes the answer for lack of memory in advance. The caller owns *RET. Returns 0 or -ENOMEM. */
static int make_last_resort(const struct webconfig *c, struct MHD_Response **ret)
{
	struct answer *answer = answer_new_error(
		MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory; try again");

	if (!answer)
		return -ENOMEM;
	answer->closes = true; /* frees the connection's memory */
	answer->headers = c->header;
	*ret = answer_to_response(answer);
	return *ret ? 0 : -ENOMEM;
}

static enum MHD_Result answer_without_memory(struct requests *xs, struct MHD_Connection *connection)
{
	enum MHD_Result r = MHD_queue_response(
		connection, MHD_HTTP_SERVICE_UNAVAILABLE, xs->last_resort);

	if (r == MHD_YES)
		counters_add(&xs->site->counters, MHD_HTTP_SERVICE_UNAVAILABLE);
	return r;
}

/* Sends ANSWER and frees it. ANSWER may be NULL if there was no memory for it. */
static enum MHD_Result answer_with(
	struct requests *xs, struct MHD_Connection *connection, struct answer *answer)
{
	const struct connection *client = client_of(connection);
	struct counters *counters = &xs->site->counters;
	struct MHD_Response *response;
	unsigned int status;
	enum MHD_Result r;

	if (!answer || !client) {
		answer_free(answer);
		return answer_without_memory(xs, connection);
	}
	status = answer->status;
	answer->headers = access_config(xs->access)->header;
	/*
	 * Closes connections that began with other TLS settings: their clients may have been
	 * admitted with another certificate.
	 */
	answer->closes |= client->tls != access_tls(xs->access);
	response = answer_to_response(answer);
	if (!response)
		return answer_without_memory(xs, connection);
	r = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	if (r == MHD_YES)
		counters_add(counters, status);
	return r;
}

static enum MHD_Result send_refusal(struct requests *xs, struct MHD_Connection *connection,
	const struct refusal *refusal, bool closes)
{
	struct answer *answer = answer_new_error(refusal->status, refusal->why);

	if (answer)
		answer->closes = closes;
	return answer_with(xs, connection, answer);
}

/* Handles the first call for a request: its head is complete, and a body may follow. */
static enum MHD_Result on_head(struct requests *xs, struct MHD_Connection *connection,
	struct exchange *x, const char *method, const char *version)
{
	struct refusal refusal = {
		.status = MHD_HTTP_BAD_REQUEST, .why = "a malformed request line"};

	connections_complete(x->client);
	MHD_get_connection_values(connection, MHD_HEADER_KIND, on_header, &x->request);
	x->is_sound = mhd_is_line_whole(method, x->raw, x->len, version) &&
	              request_is_sound(&x->request, method, version, &refusal);
	return x->is_sound ? MHD_YES : send_refusal(xs, connection, &refusal, true);
}

/*
 * Returns the names that a Host header may have, or NULL if any name may be used. Any name may be
 * used at a UNIX socket, which no web page can make a browser open and where proxies use names of
 * their own. And any if clients authenticate: a browser does not send a password or certificate for
 * one name to another.
 */
static const struct host_names *names_at(
	const struct requests *xs, const struct listen_socket *socket, struct host_names *to)
{
	if (socket->is_unix || access_authenticates(xs->access))
		return NULL;
	*to = (struct host_names){
		.listener = socket->host,
		.machine = *xs->machine ? xs->machine : NULL,
		.allowed = &xs->site->settings->web_allowed_hosts,
	};
	return to;
}

static void requests_await(
	struct requests *xs, struct MHD_Connection *connection, struct exchange *x)
{
	x->asker = ASKER_AWAITED;
	x->connection = connection;
	x->previous = NULL;
	x->next = xs->awaited;
	if (x->next)
		x->next->previous = x;
	xs->awaited = x;
	MHD_suspend_connection(connection);
}

static void requests_resume_one(struct requests *xs, struct exchange *x, enum exchange_asker asker)
{
	if (x->next)
		x->next->previous = x->previous;
	if (x->previous)
		x->previous->next = x->next;
	else
		xs->awaited = x->next;
	x->asker = asker;
	MHD_resume_connection(x->connection);
}

/*
 * Returns false if the TLS settings now demand a certificate and the handshake of CLIENT was done
 * with other settings.
 */
static bool has_shown_certificate(const struct requests *xs, const struct connection *client)
{
	const struct tls *t = access_tls(xs->access);

	return !t || !tls_authenticates(t) || client->tls == t;
}

/*
 * Begins the inquiry that the answer to X needs, if any. Returns true if the answer can be made now;
 * otherwise X is suspended: another daemon is asked, or other histories have had their turn.
 */
static bool knows_past(struct requests *xs, struct MHD_Connection *connection, struct exchange *x)
{
	if (!x->inquiry)
		x->inquiry = site_inquire(
			xs->site, &x->request, &x->client->caller, clock_now_ns(CLOCK_MONOTONIC));
	if (!x->inquiry || x->has_turn)
		return true;
	if (inquiry_is_done(x->inquiry) &&
		(!inquiry_needs_turn(x->inquiry) || site_take_turn(xs->site)))
		return true;
	x->admissions = xs->admissions;
	x->awaits_turn = inquiry_is_done(x->inquiry);
	xs->turns_awaited += x->awaits_turn;
	requests_await(xs, connection, x);
	return false;
}

/* Resumes X, which has an inquiry. If other passwords are valid now, its password is checked again. */
static void resume_inquiry(struct requests *xs, struct exchange *x)
{
	requests_resume_one(xs, x, x->admissions == xs->admissions ? ASKER_RIGHT : ASKER_UNKNOWN);
}

/* Resumes the requests that have waited for memtally-recorder or memtally-ledger. */
static void resume_inquiries(struct requests *xs)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	for (struct exchange *x = xs->awaited, *next; x; x = next) {
		next = x->next;
		if (x->inquiry)
			site_continue(xs->site, x->inquiry, now_ns);
		if (x->inquiry && inquiry_is_done(x->inquiry) && !x->awaits_turn)
			resume_inquiry(xs, x);
	}
}

/*
 * Returns the request that has waited longest for its turn; one that keeps answers of
 * the past comes first, since these need memory. NULL: there is none.
 */
static struct exchange *find_next_turn(const struct requests *xs)
{
	struct exchange *found = NULL;

	for (struct exchange *x = xs->awaited; x; x = x->next)
		if (x->awaits_turn && (!found || inquiry_is_large(x->inquiry) ||
					      !inquiry_is_large(found->inquiry)))
			found = x;
	return found;
}

/* Resumes the requests that have their turn in this round. */
static void resume_turns(struct requests *xs)
{
	struct exchange *x;

	while (xs->turns_awaited && (x = find_next_turn(xs)) && site_take_turn(xs->site)) {
		x->awaits_turn = false;
		x->has_turn = true;
		xs->turns_awaited--;
		resume_inquiry(xs, x);
	}
}

/* Returns true if RQ needs no password: it probes the health, and web.open_health is set. */
static bool requests_is_open(const struct requests *xs, const struct request *rq)
{
	const struct settings *s = xs->site->settings;
	enum route route;
	uint32_t pid;

	if (!s->web_open_health)
		return false;
	route = routes_find(rq->path, rq->path_len, s->web_telemetry_path, &pid);
	return route == ROUTE_HEALTHZ || route == ROUTE_READYZ;
}

/*
 * Returns true if request X is to be answered now. Otherwise it has been refused or suspended, and
 * *RET is what the access handler returns.
 */
static bool knows_asker(struct requests *xs, struct MHD_Connection *connection, struct exchange *x,
	enum MHD_Result *ret)
{
	enum passwords_verdict verdict = PASSWORDS_WRONG;
	struct credentials given;
	struct answer *answer;

	if (!has_shown_certificate(xs, x->client)) {
		*ret = send_refusal(xs, connection,
			&(struct refusal){MHD_HTTP_UNAUTHORIZED, "a certificate is needed now"},
			true);
		return false;
	}
	if (x->asker == ASKER_RIGHT || !access_config(xs->access)->users ||
		requests_is_open(xs, &x->request))
		return true;
	if (x->asker == ASKER_UNKNOWN && x->request.authorization &&
		credentials_parse(x->request.authorization, &given)) {
		verdict = passwords_ask(xs->passwords, &given, x);
		explicit_bzero(&given, sizeof(given));
	}
	switch (verdict) {
	case PASSWORDS_RIGHT: return true;
	case PASSWORDS_LATER:
		requests_await(xs, connection, x);
		*ret = MHD_YES;
		return false;
	case PASSWORDS_BUSY:
		answer = answer_new_error(
			MHD_HTTP_SERVICE_UNAVAILABLE, "too many passwords are being checked");
		break;
	default:
		answer = answer_new_error(
			MHD_HTTP_UNAUTHORIZED, "a user's name and password are needed");
		if (answer)
			answer->challenges = true;
	}
	*ret = answer_with(xs, connection, answer);
	return false;
}

int requests_init(struct requests *xs, struct site *site, struct connections *connections,
	const struct access *access)
{
	const struct webconfig *c = access_config(access);
	int r;

	*xs = (struct requests){.site = site, .connections = connections, .access = access};
	rate_init(&xs->rate, c->interval_ns, c->burst);
	r = passwords_new(&xs->passwords);
	if (r == 0)
		r = make_last_resort(c, &xs->last_resort);
	if (r < 0)
		return r;
	if (gethostname(xs->machine, sizeof(xs->machine)) < 0)
		xs->machine[0] = 0;
	return 0;
}

void requests_done(struct requests *xs)
{
	xs->passwords = passwords_free(xs->passwords);
	if (xs->last_resort)
		MHD_destroy_response(xs->last_resort);
	xs->last_resort = NULL;
}

int requests_admit(struct requests *xs, const struct access *access)
{
	const struct webconfig *c = access_config(access);
	struct MHD_Response *last_resort;
	int r = make_last_resort(c, &last_resort);

	if (r < 0)
		return r;
	r = passwords_set(xs->passwords, c->users ? c : NULL);
	if (r < 0) {
		MHD_destroy_response(last_resort);
		return r;
	}
	MHD_destroy_response(xs->last_resort); /* the library keeps it while it is being sent */
	xs->last_resort = last_resort;
	xs->access = access;
	xs->admissions++;
	/* The new rate starts with a full bucket. */
	rate_init(&xs->rate, c->interval_ns, c->burst);
	return 0;
}

int requests_fd(const struct requests *xs)
{
	return passwords_fd(xs->passwords);
}

void requests_resume(struct requests *xs)
{
	enum passwords_verdict verdict;
	void *exchange;

	while (passwords_take(xs->passwords, &exchange, &verdict))
		requests_resume_one(xs, exchange,
			verdict == PASSWORDS_RIGHT   ? ASKER_RIGHT
			: verdict == PASSWORDS_AGAIN ? ASKER_UNKNOWN
						     : ASKER_WRONG);
	resume_turns(xs);
	resume_inquiries(xs);
}

bool requests_are_due(const struct requests *xs)
{
	return xs->turns_awaited;
}

void requests_abandon(struct requests *xs)
{
	xs->turns_awaited = 0;
	while (xs->awaited) /* the library cannot be stopped with suspended requests */
		requests_resume_one(xs, xs->awaited, ASKER_WRONG);
}

void *requests_on_target(void *requests, const char *target, struct MHD_Connection *connection)
{
	struct requests *xs = requests;
	struct connection *client = client_of(connection);
	struct exchange *x;
	size_t len;

	if (!target || !client)
		return NULL;
	len = strlen(target);
	if (requests_is_too_long(target, len) || !mhd_preempt(connection, &shown)) {
		refuse_target(xs, client);
		return NULL;
	}
	x = malloc(sizeof(*x) + len + 1);
	if (!x)
		return NULL;
	*x = (struct exchange){.client = client, .raw = target, .len = len};
	memcpy(x->target, target, len + 1);
	request_init(&x->request, x->target);
	connections_begin(xs->connections, client, clock_now_ns(CLOCK_MONOTONIC));
	return x;
}

/* Answers a request without a struct exchange: its target was refused, or there was no memory. */
static enum MHD_Result answer_unknown(struct requests *xs, struct MHD_Connection *connection)
{
	const struct connection *client = client_of(connection);

	return client && client->is_cut ? MHD_NO : answer_without_memory(xs, connection);
}

enum MHD_Result requests_on_request(void *requests, struct MHD_Connection *connection,
	const char *url, const char *method, const char *version, const char *upload,
	size_t *upload_size, void **exchange)
{
	struct requests *xs = requests;
	struct exchange *x = *exchange;
	struct host_names names;
	struct refusal refusal;
	struct answer *answer;
	enum MHD_Result r;

	(void)url;
	(void)upload;
	if (!x)
		return answer_unknown(xs, connection);
	if (*upload_size)
		return MHD_NO;
	if (!x->is_sound)
		return on_head(xs, connection, x, method, version);
	if (x->asker == ASKER_UNKNOWN && !rate_take(&xs->rate, clock_now_ns(CLOCK_MONOTONIC)))
		return answer_with(xs, connection,
			answer_new_error(MHD_HTTP_TOO_MANY_REQUESTS, "too many requests"));
	if (!knows_asker(xs, connection, x, &r))
		return r;
	if (!request_is_allowed(
		    &x->request, method, names_at(xs, x->client->socket, &names), &refusal))
		return send_refusal(xs, connection, &refusal, false);
	if (!knows_past(xs, connection, x))
		return MHD_YES;
	answer = site_answer(xs->site, &x->request, &x->client->caller, x->inquiry,
		clock_now_ns(CLOCK_BOOTTIME));
	/* Answers of the past are large, and the client may take long to read. */
	site_forget(xs->site, x->inquiry);
	x->inquiry = NULL;
	return answer_with(xs, connection, answer);
}

void requests_on_completed(void *requests, struct MHD_Connection *connection, void **exchange,
	enum MHD_RequestTerminationCode how)
{
	struct requests *xs = requests;
	struct exchange *x = *exchange;

	(void)connection;
	(void)how;
	if (!x)
		return;
	connections_end(xs->connections, x->client, clock_now_ns(CLOCK_MONOTONIC));
	site_forget(xs->site, x->inquiry);
	free(x);
	*exchange = NULL;
}
