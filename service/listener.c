/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "service/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

#include "base/log.h"
#include "base/os/channel.h"

enum {
	LISTENER_MODE = 0666,
};

/* Takes the first of COUNT sockets of systemd. Returns 0 or a negative errno, which is logged. */
static int listener_take(int count, int *ret_fd)
{
	int r = sd_is_socket(SD_LISTEN_FDS_START, AF_UNIX, SOCK_SEQPACKET, 1);

	if (count > 1 || r <= 0) {
		log_error("expected one listening UNIX socket of sequential packets from systemd");
		return -EINVAL;
	}
	if (fcntl(SD_LISTEN_FDS_START, F_SETFL, O_NONBLOCK) < 0) {
		r = -errno;
		log_error("cannot use the socket that systemd has passed: %s", strerror(-r));
		return r;
	}
	*ret_fd = SD_LISTEN_FDS_START;
	log_info("listening on the socket that systemd has passed");
	return 0;
}

int listener_open(const char *path, int *ret_fd, const char **ret_made)
{
	int count = sd_listen_fds(1), r;

	*ret_made = NULL;
	if (count > 0)
		return listener_take(count, ret_fd);
	r = count < 0 ? count
	              : channel_listen(path, SOCK_SEQPACKET, LISTENER_MODE, SOMAXCONN, ret_fd);
	if (r < 0) {
		log_error("cannot listen on %s: %s", path,
			r == -ENOTSOCK     ? "something else stands at this path"
			: r == -EADDRINUSE ? "another process answers there"
					   : strerror(-r));
		return r;
	}
	*ret_made = path;
	log_info("listening on %s", path);
	return 0;
}
