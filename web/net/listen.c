/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/net/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/os/channel.h"
#include "config/address.h"

enum { SOCKET_MODE = 0666 }; /* any user may connect; the directory's mode restricts this */

/*
 * Returns the text of ADDRESS for logs, which the caller frees; NULL if there is no memory or the
 * family is unknown.
 */
static char *listen_name_of(const struct sockaddr_storage *address)
{
	char text[INET6_ADDRSTRLEN], *name;
	const struct sockaddr_in *in = (const void *)address;
	const struct sockaddr_in6 *in6 = (const void *)address;
	const struct sockaddr_un *un = (const void *)address;
	int r = -1;

	if (address->ss_family == AF_INET)
		r = asprintf(&name, "%s:%u", inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text)),
			ntohs(in->sin_port));
	else if (address->ss_family == AF_INET6)
		r = asprintf(&name, "[%s]:%u",
			inet_ntop(AF_INET6, &in6->sin6_addr, text, sizeof(text)),
			ntohs(in6->sin6_port));
	else if (address->ss_family == AF_UNIX)
		r = asprintf(&name, "unix:%s", un->sun_path);
	return r < 0 ? NULL : name;
}

/* Returns true for 127.0.0.0/8, ::1, and 127.0.0.0/8 mapped into IPv6. */
static bool is_loopback(const struct sockaddr_storage *address)
{
	const struct sockaddr_in *in = (const void *)address;
	const struct sockaddr_in6 *in6 = (const void *)address;

	if (address->ss_family == AF_INET)
		return ntohl(in->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return address->ss_family == AF_INET6 &&
	       (IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr) ||
		       (IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr) &&
			       in6->sin6_addr.s6_addr[12] == IN_LOOPBACKNET));
}

/* Adds FD, which SET then owns, with its name. PATH and HOST may be NULL. Returns 0 or -ENOMEM. */
static int listen_add(struct listen_set *set, int fd, const char *path, const char *host)
{
	struct sockaddr_storage address = {0};
	socklen_t len = sizeof(address);
	struct listen_socket s = {.fd = fd};

	if (ARRAY_RESERVE(set->socket, set->room, set->count + 1) < 0) {
		close(fd);
		return -ENOMEM;
	}
	if (getsockname(fd, (struct sockaddr *)&address, &len) == 0)
		s.name = listen_name_of(&address);
	s.path = path ? strdup(path) : NULL;
	s.host = host && *host ? strdup(host) : NULL;
	s.is_unix = address.ss_family == AF_UNIX;
	s.is_local = s.is_unix || is_loopback(&address);
	set->socket[set->count++] = s;
	return s.name && (!path || s.path) && (!host || !*host || s.host) ? 0 : -ENOMEM;
}

static int open_tcp(const struct addrinfo *info, bool all, int *ret_fd)
{
	const int on = 1, v6only = !all;
	AUTO_CLOSE int fd = socket(
		info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, info->ai_protocol);

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0)
		return -errno;
	if (info->ai_family == AF_INET6 &&
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6only, sizeof(v6only)) < 0)
		return -errno;
	if (bind(fd, info->ai_addr, info->ai_addrlen) < 0 || listen(fd, SOMAXCONN) < 0)
		return -errno;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static void cleanup_addrinfo(struct addrinfo **info)
{
	if (*info)
		freeaddrinfo(*info);
}

/*
 * Looks a name up only if it is no numeric address: using the name service costs more than
 * everything else here. Returns 0 or an error of getaddrinfo().
 */
static int listen_resolve(const struct address *a, struct addrinfo **ret)
{
	struct addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV,
	};
	int r = getaddrinfo(*a->host ? a->host : "::", a->port, &hints, ret);

	if (r == EAI_NONAME) {
		hints.ai_flags &= ~AI_NUMERICHOST;
		r = getaddrinfo(a->host, a->port, &hints, ret);
	}
	return r;
}

/*
 * Listens on all addresses: on "::" with IPv4 mapped into it, or on 0.0.0.0 if the host has no
 * IPv6.
 */
static int open_all(struct listen_set *set, const struct address *a)
{
	CLEANUP(cleanup_addrinfo) struct addrinfo *info = NULL;
	struct address v4 = *a;
	int fd = -1, r;

	if (listen_resolve(a, &info) != 0)
		return -EINVAL;
	r = open_tcp(info, true, &fd);
	if (r == -EAFNOSUPPORT || r == -EADDRNOTAVAIL) {
		freeaddrinfo(TAKE_PTR(info));
		snprintf(v4.host, sizeof(v4.host), "0.0.0.0");
		if (listen_resolve(&v4, &info) != 0)
			return -EINVAL;
		r = open_tcp(info, false, &fd);
	}
	return r < 0 ? r : listen_add(set, fd, NULL, NULL);
}

/* Returns true if I repeats an earlier address: some resolvers return an address twice. */
static bool is_repeated(const struct addrinfo *info, const struct addrinfo *i)
{
	for (; info != i; info = info->ai_next)
		if (info->ai_addrlen == i->ai_addrlen &&
			!memcmp(info->ai_addr, i->ai_addr, i->ai_addrlen))
			return true;
	return false;
}

static int open_host(struct listen_set *set, const struct address *a, const char **ret_why)
{
	CLEANUP(cleanup_addrinfo) struct addrinfo *info = NULL;
	int r = listen_resolve(a, &info), error = -EADDRNOTAVAIL;
	bool any = false;

	if (r != 0) {
		*ret_why = gai_strerror(r);
		return -EADDRNOTAVAIL;
	}
	for (const struct addrinfo *i = info; i; i = i->ai_next) {
		int fd = -1;

		if (is_repeated(info, i))
			continue;
		r = open_tcp(i, false, &fd);
		if (r == 0)
			r = listen_add(set, fd, NULL, a->host);
		any |= r == 0;
		if (r == -EAFNOSUPPORT || r == -EADDRNOTAVAIL)
			error = r; /* the name has addresses of a family that the host lacks */
		else if (r < 0)
			return r;
	}
	return any ? 0 : error;
}

static int open_address(struct listen_set *set, const char *text, const char **ret_why)
{
	struct address a;
	int fd, r = address_parse(text, &a);

	if (r < 0) {
		*ret_why = "it is no address";
		return r;
	}
	if (!a.path)
		return *a.host ? open_host(set, &a, ret_why) : open_all(set, &a);
	r = channel_listen(a.path, SOCK_STREAM, SOCKET_MODE, SOMAXCONN, &fd);
	if (r == -ENOTSOCK)
		*ret_why = "something else stands at this path";
	if (r == -EADDRINUSE)
		*ret_why = "another process answers there";
	return r < 0 ? r : listen_add(set, fd, a.path, NULL);
}

int listen_open(
	struct listen_set *set, const struct text_list *list, char error[static LISTEN_ERROR_SIZE])
{
	for (size_t i = 0; i < list->count; i++) {
		const char *why = NULL;
		int r = open_address(set, list->item[i], &why);

		if (r < 0) {
			snprintf(error, LISTEN_ERROR_SIZE, "cannot listen on %.120s: %s",
				list->item[i], why ? why : strerror(-r));
			return r;
		}
	}
	return 0;
}

static int listen_take_one(struct listen_set *set, int fd, char error[static LISTEN_ERROR_SIZE])
{
	int flags = fcntl(fd, F_GETFL);
	int r = sd_is_socket(fd, AF_UNSPEC, SOCK_STREAM, 1);

	if (r <= 0) {
		snprintf(error, LISTEN_ERROR_SIZE,
			"descriptor %d from systemd is not a listening stream socket", fd);
		return r < 0 ? r : -EINVAL;
	}
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
		snprintf(error, LISTEN_ERROR_SIZE, "descriptor %d from systemd: %s", fd,
			strerror(errno));
		return -errno;
	}
	r = listen_add(set, fd, NULL, NULL);
	if (r < 0)
		snprintf(error, LISTEN_ERROR_SIZE, "out of memory");
	return r;
}

int listen_take(struct listen_set *set, char error[static LISTEN_ERROR_SIZE])
{
	int count = sd_listen_fds(1);

	if (count < 0)
		snprintf(error, LISTEN_ERROR_SIZE, "the sockets that systemd passes: %s",
			strerror(-count));
	for (int i = 0; i < count; i++) {
		int r = listen_take_one(set, SD_LISTEN_FDS_START + i, error);

		if (r < 0)
			return r;
	}
	return count;
}

void listen_done(struct listen_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct listen_socket *s = &set->socket[i];

		if (s->path)
			unlink(s->path); /* before close(): later it may be another's */
		fd_close(s->fd);
		free(s->name);
		free(s->path);
		free(s->host);
	}
	free(set->socket);
	*set = (struct listen_set){0};
}
