/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libmicrohttpd 0.9.75 never gets the listening socket. It would accept ten connections in a row,
 * would use all CPU time while there are no descriptors for the next one, and would close or shut
 * down the socket when it stops.
 */
#include "config.h"

#include "web/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/abstract.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "web/auth/access.h"
#include "web/net/connections.h"
#include "web/net/tls.h"

enum {
	SEND_BUFFER = 128 * 1024, /* bytes; the kernel holds twice as many for a slow client */
	RUNS_A_ROUND = 4,         /* calls of MHD_run() */
	UNREAD_MAX = 4,           /* reads of a refused client's request */
};

/*
 * Gives the session of CLIENT the TLS settings of the moment. If that fails, the connection is shut
 * down; a session without these settings has only the library's, with which no handshake succeeds.
 */
static void listener_admit(
	struct requests *xs, struct MHD_Connection *connection, struct connection *client)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);

	client->tls = tls_ref(access_tls(xs->access));
	if (!info || tls_admit(client->tls, info->tls_session) < 0)
		connections_cut(xs->connections, client);
}

/* Never called, because on_connection() gives each session its credentials. */
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
	struct requests *xs = l->requests;
	const int send_buffer = SEND_BUFFER;
	uint64_t now = clock_now_ns(CLOCK_MONOTONIC);
	const union MHD_ConnectionInfo *info;
	struct connection *client;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		client = *context;
		if (client) {
			tls_unref(client->tls); /* the session has already ended */
			connections_remove(xs->connections, client);
		}
		l->clients -= *context != NULL;
		accept_queue_retry(&l->queue);
		*context = NULL;
		return;
	}
	info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	if (!info)
		return;
	/*
	 * By default the kernel lets the buffer grow to megabytes, which would all be rendered at
	 * once.
	 */
	(void)setsockopt(
		info->connect_fd, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof(send_buffer));
	client = connections_add(xs->connections, l->socket, info->connect_fd,
		caller_of(info->connect_fd, l->rules), now);
	l->clients += client != NULL;
	if (client && access_tls(xs->access))
		listener_admit(xs, connection, client);
	if (client && l->clients > l->max_clients)
		connections_evict(xs->connections, client, now);
	*context = client;
}

__attribute__((format(printf, 2, 0))) static void on_log(
	void *site, const char *format, va_list args)
{
	const struct site *s = site;
	char text[256];
	size_t len;

	/* Clients can cause thousands of these messages a second. */
	if (s->settings->log_level < LOG_LEVEL_DEBUG)
		return;
	vsnprintf(text, sizeof(text), format, args);
	len = strlen(text);
	if (len && text[len - 1] == '\n')
		text[len - 1] = 0;
	log_debug("libmicrohttpd: %s", text);
}

/*
 * A connection stays while its password is being checked, also if it has been shut down. There must
 * be room for one more.
 */
_Static_assert((int)LISTENER_CLIENTS_OVER > (int)PASSWORDS_WAITING,
	"room for one more than the connections with a password check");

static int start_library(struct listener *l)
{
	struct requests *xs = l->requests;
	const union MHD_DaemonInfo *info;
	bool is_tls = access_tls(xs->access) != NULL;
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
		0, NULL, NULL, requests_on_request, xs, MHD_OPTION_ARRAY, tls,
		MHD_OPTION_EXTERNAL_LOGGER, on_log, xs->site, MHD_OPTION_CONNECTION_LIMIT,
		l->max_clients + LISTENER_CLIENTS_OVER, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)REQUESTS_MEMORY, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
		MHD_OPTION_URI_LOG_CALLBACK, requests_on_target, xs, MHD_OPTION_NOTIFY_COMPLETED,
		requests_on_completed, xs, MHD_OPTION_NOTIFY_CONNECTION, on_connection, l,
		MHD_OPTION_END);
	if (!l->daemon)
		return -EIO;
	info = MHD_get_daemon_info(l->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info || info->epoll_fd < 0)
		return -EIO;
	return accept_queue_open(&l->queue, l->socket->fd, info->epoll_fd);
}

/*
 * Answers a connection for which the library has no memory with 503. Over TLS no answer is
 * possible. The caller closes FD.
 */
static void listener_refuse(int fd)
{
	static const char answer[] = REQUESTS_RAW_ANSWER("503 Service Unavailable");
	char unread[4096];

	(void)send(fd, answer, strlen(answer), MSG_DONTWAIT | MSG_NOSIGNAL);
	(void)shutdown(fd, SHUT_WR);
	/*
	 * If the request stayed unread, the kernel would reset the connection and the client would
	 * lose the answer.
	 */
	for (int i = 0; i < UNREAD_MAX && recv(fd, unread, sizeof(unread), MSG_DONTWAIT) > 0; i++)
		;
}

/*
 * Hands FD to the library, which owns it then. The library closes FD if it fails, so a second
 * descriptor is kept to send a refusal.
 */
static void hand_over(
	struct listener *l, int fd, const struct sockaddr_storage *address, socklen_t len)
{
	AUTO_CLOSE int second = access_tls(l->requests->access) ? -1
	                                                        : fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (MHD_add_connection(l->daemon, fd, (const struct sockaddr *)address, len) != MHD_YES &&
		second >= 0)
		listener_refuse(second);
}

/* Accepts waiting clients as far as there is room. Returns true if more may be waiting. */
static bool listener_let_in(struct listener *l, uint64_t now_ns)
{
	for (int i = 0;
		i < LISTENER_CLIENTS_OVER && l->clients < l->max_clients + LISTENER_CLIENTS_OVER;
		i++) {
		struct sockaddr_storage address;
		socklen_t len;
		int fd = accept_queue_accept(&l->queue, now_ns, &address, &len);

		if (fd < 0)
			return false;
		/* on_connection() makes room for it. */
		hand_over(l, fd, &address, len);
	}
	return true;
}

int listener_start(struct listener *l, struct requests *requests,
	const struct listen_socket *socket, const struct caller_rules *rules,
	unsigned int max_clients)
{
	int r;

	*l = (struct listener){
		.requests = requests,
		.socket = socket,
		.rules = rules,
		.max_clients = max_clients,
		.queue.epoll_fd = -1,
	};
	r = start_library(l);
	if (r < 0)
		listener_stop(l);
	return r;
}

void listener_stop(struct listener *l)
{
	if (l->daemon)
		MHD_stop_daemon(l->daemon);
	l->daemon = NULL;
	accept_queue_close(&l->queue);
}

/*
 * A crowd of clients that come and go can keep the queue full for ever. The rest is left for the
 * next round, because snapshots, signals and the watchdog have to be served, too.
 */
void listener_run(struct listener *l, uint64_t now_monotonic_ns)
{
	for (int run = 0; run < RUNS_A_ROUND; run++) {
		bool has_more = listener_let_in(l, now_monotonic_ns);

		MHD_run(l->daemon);
		if (!has_more)
			break;
	}
}
