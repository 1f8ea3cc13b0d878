/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of daemon/publisher.h: clients of the snapshot socket, their places and the copies that
 * they hold. Lower-case contents are complete images, upper-case ones are public.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/channel.h"
#include "base/os/memfd.h"
#include "service/leases.h"
#include "daemon/publisher.h"

static pid_t resolver; /* 0: there is no resolver */

bool __wrap_resolver_has(const struct resolver *r, pid_t pid);
bool __wrap_resolver_has(const struct resolver *r, pid_t pid)
{
	(void)r;
	return resolver && pid == resolver;
}

struct place {
	char dir[64];
	char path[96];
	sd_event *event;
	struct publisher *publisher;
};

static int setup(void **state)
{
	static struct place place;
	struct access_list own;

	place = (struct place){.dir = "/tmp/test-publisher-XXXXXX"};
	if (!mkdtemp(place.dir))
		return -1;
	snprintf(place.path, sizeof(place.path), "%s/s", place.dir);
	if (sd_event_new(&place.event) < 0 ||
		publisher_open(place.event, place.path, &place.publisher) < 0)
		return -1;
	access_list_init(&own);
	own.own = geteuid();
	publisher_set_privileged(place.publisher, &own);
	*state = &place;
	return 0;
}

static int teardown(void **state)
{
	struct place *place = *state;

	publisher_close(place->publisher);
	sd_event_unref(place->event);
	/* The publisher removes its socket file. */
	return rmdir(place->dir);
}

static void serve(struct place *place)
{
	while (sd_event_run(place->event, 0) > 0)
		;
}

static int make_file(char content)
{
	struct iovec iov = {.iov_base = &content, .iov_len = 1};
	int fd;

	assert_int_equal(memfd_new_sealed("test", &iov, 1, &fd), 0);
	return fd;
}

static int connect_to(struct place *place)
{
	int fd;

	assert_int_equal(channel_connect(place->path, &fd), 0);
	serve(place);
	return fd;
}

/* Returns the content of the next file received from SOCKET, or 0 if there is none. */
static char received(int socket)
{
	AUTO_CLOSE int fd = -1;
	char content = 0;

	if (channel_receive_fd(socket, &fd) == 0)
		assert_int_equal(pread(fd, &content, 1, 0), 1);
	return content;
}

static void sends_the_latest_and_each_new_image(void **state)
{
	struct place *place = *state;
	AUTO_CLOSE int early = connect_to(place), late = -1;

	assert_int_equal(received(early), 0);
	publisher_publish(place->publisher, make_file('a'), make_file('A'));
	assert_int_equal(received(early), 'a'); /* memtallyd's own user gets the complete image */
	late = connect_to(place);
	assert_int_equal(received(late), 'a');
	publisher_publish(place->publisher, make_file('b'), -1);
	assert_int_equal(received(early), 'b');
	assert_int_equal(received(late), 'b');
	assert_int_equal(received(late), 0);
}

/* A resolver runs with memtallyd's uid but parses data from name servers, so it gets no image. */
static void sends_nothing_to_resolvers(void **state)
{
	struct place *place = *state;
	AUTO_CLOSE int fd = -1;

	publisher_publish(place->publisher, make_file('a'), make_file('A'));
	resolver = getpid();
	fd = connect_to(place);
	resolver = 0;
	assert_int_equal(channel_receive_fd(fd, &(int){-1}), CHANNEL_CLOSED);
}

/* A reader that sleeps finds one message, not a queue. Afterwards it is served again. */
static void skips_clients_that_have_not_read(void **state)
{
	struct place *place = *state;
	AUTO_CLOSE int client = connect_to(place);

	publisher_publish(place->publisher, make_file('a'), -1);
	publisher_publish(place->publisher, make_file('b'), -1);
	publisher_publish(place->publisher, make_file('c'), -1);
	assert_int_equal(received(client), 'a');
	assert_int_equal(received(client), 0);
	publisher_publish(place->publisher, make_file('d'), -1);
	assert_int_equal(received(client), 'd');
}

/* A client's writes fail at the client. Neither bytes nor descriptors arrive here. */
static void reads_nothing_from_clients(void **state)
{
	struct place *place = *state;
	AUTO_CLOSE int client = connect_to(place);
	unsigned int before = unit_descriptors();

	assert_int_equal(send(client, "x", 1, MSG_NOSIGNAL), -1);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(channel_send_fd(client, client), -EPIPE);
	serve(place);
	assert_int_equal(unit_descriptors(), before);
	publisher_publish(place->publisher, make_file('a'), -1);
	assert_int_equal(received(client), 'a');
}

static void closes_connections_of_gone_clients(void **state)
{
	struct place *place = *state;
	unsigned int before = unit_descriptors();

	for (unsigned int i = 0; i < 3 * PUBLISHER_CLIENTS_MAX; i++) {
		close(connect_to(place));
		serve(place);
	}
	assert_int_equal(unit_descriptors(), before);
}

/* Connects as UID, which the kernel records at connect(). */
static int connect_of(struct place *place, uid_t uid)
{
	int fd;

	assert_int_equal(seteuid(uid), 0);
	assert_int_equal(channel_connect(place->path, &fd), 0);
	assert_int_equal(seteuid(0), 0);
	serve(place);
	return fd;
}

static bool is_let_go(int client)
{
	struct pollfd p = {.fd = client};

	return poll(&p, 1, 0) > 0;
}

static void close_all(int *client, size_t count)
{
	for (size_t i = 0; i < count; i++)
		client[i] = fd_close(client[i]);
}

static void open_to_others(struct place *place)
{
	if (geteuid())
		skip(); /* only root can change its uid */
	assert_int_equal(chmod(place->dir, 0755), 0);
}

/* As open_to_others(), with users 4720 and 4721 in place of memtally-web's and memtallyd's own. */
static void open_to_daemons(struct place *place)
{
	struct access_list privileged;

	open_to_others(place);
	access_list_init(&privileged);
	privileged.web = 4720;
	privileged.own = 4721;
	publisher_set_privileged(place->publisher, &privileged);
}

/*
 * Idle clients of more users than there are places. A new client is served in the place of the one
 * connected longest.
 */
static void strangers_replace_each_other(void **state)
{
	enum { CROWD = 3 * PUBLISHER_STRANGERS_UID };
	struct place *place = *state;
	AUTO_CLOSE int reader = -1, own = -1;
	int idle[CROWD], gone = CROWD - PUBLISHER_STRANGERS_MAX;

	open_to_others(place);
	publisher_publish(place->publisher, make_file('a'), make_file('A'));
	own = connect_to(place);
	for (int i = 0; i < CROWD; i++)
		idle[i] = connect_of(place, 4711 + (uid_t)i / PUBLISHER_STRANGERS_UID);
	for (int i = 0; i < CROWD; i++)
		assert_int_equal(is_let_go(idle[i]), i < gone);
	for (uid_t uid = 5000; uid < 5003; uid++) {
		fd_close(reader);
		reader = connect_of(place, uid);
		assert_int_equal(received(reader), 'A');
		assert_false(is_let_go(reader));
	}
	/* Each new one took the place of the one before it, which had left. */
	assert_true(is_let_go(idle[gone]));
	assert_false(is_let_go(idle[gone + 1]));
	/*
	 * They keep what was sent to them. Clients that are still connected get the next image if
	 * they have read the last.
	 */
	for (int i = 0; i < CROWD; i++)
		assert_int_equal(received(idle[i]), 'A');
	publisher_publish(place->publisher, make_file('b'), make_file('B'));
	assert_int_equal(received(reader), 'B');
	assert_int_equal(received(idle[gone]), 0);
	assert_int_equal(received(idle[gone + 1]), 'B');
	assert_int_equal(received(own), 'a');
	assert_false(is_let_go(own));
	close_all(idle, CROWD);
}

/* One user's connections only replace each other, and only if they have read. */
static void a_stranger_has_four_places(void **state)
{
	struct place *place = *state;
	int of_user[PUBLISHER_STRANGERS_UID + 2];
	AUTO_CLOSE int other = -1;

	open_to_others(place);
	publisher_publish(place->publisher, make_file('a'), make_file('A'));
	other = connect_of(place, 4712);
	assert_int_equal(received(other), 'A');
	for (int i = 0; i <= PUBLISHER_STRANGERS_UID; i++)
		of_user[i] = connect_of(place, 4711);
	assert_true(is_let_go(of_user[PUBLISHER_STRANGERS_UID]));
	assert_int_equal(received(of_user[PUBLISHER_STRANGERS_UID]), 0);
	fd_close(of_user[PUBLISHER_STRANGERS_UID]);
	assert_int_equal(received(of_user[1]), 'A');
	for (int i = PUBLISHER_STRANGERS_UID; i < PUBLISHER_STRANGERS_UID + 2; i++)
		of_user[i] = connect_of(place, 4711);
	assert_int_equal(received(of_user[PUBLISHER_STRANGERS_UID]), 'A');
	assert_true(is_let_go(of_user[PUBLISHER_STRANGERS_UID + 1]));
	for (int i = 0; i <= PUBLISHER_STRANGERS_UID; i++)
		assert_int_equal(is_let_go(of_user[i]), i == 1);
	assert_false(is_let_go(other));
	close_all(of_user, PUBLISHER_STRANGERS_UID + 2);
}

/* Connections as a member of the group do not count as a stranger's. */
static void group_members_are_no_strangers(void **state)
{
	struct place *place = *state;
	int member[PUBLISHER_STRANGERS_UID];
	struct access_list privileged;
	AUTO_CLOSE int stranger = -1;

	open_to_others(place);
	access_list_init(&privileged);
	privileged.group = 77;
	publisher_set_privileged(place->publisher, &privileged);
	publisher_publish(place->publisher, make_file('a'), make_file('A'));
	assert_int_equal(setegid(77), 0);
	for (int i = 0; i < PUBLISHER_STRANGERS_UID; i++)
		member[i] = connect_of(place, 4711);
	assert_int_equal(setegid(0), 0);
	stranger = connect_of(place, 4711);
	assert_int_equal(received(stranger), 'A');
	for (int i = 0; i < PUBLISHER_STRANGERS_UID; i++)
		assert_int_equal(received(member[i]), 'a');
	close_all(member, PUBLISHER_STRANGERS_UID);
}

/* Before the first image, waiting clients are not replaced. */
static void clients_waiting_for_the_first_image_stay(void **state)
{
	struct place *place = *state;
	int waiting[PUBLISHER_STRANGERS_MAX + 1];

	open_to_others(place);
	for (int i = 0; i <= PUBLISHER_STRANGERS_MAX; i++)
		waiting[i] = connect_of(place, 4711 + (uid_t)i);
	publisher_publish(place->publisher, make_file('a'), make_file('A'));
	for (int i = 0; i < PUBLISHER_STRANGERS_MAX; i++) {
		assert_false(is_let_go(waiting[i]));
		assert_int_equal(received(waiting[i]), 'A');
	}
	assert_true(is_let_go(waiting[PUBLISHER_STRANGERS_MAX]));
	close_all(waiting, PUBLISHER_STRANGERS_MAX + 1);
}

/*
 * This holds for one user too: root's connections are memtally-web's if that has no user of its
 * own.
 */
static void privileged_clients_may_have_all_places(void **state)
{
	struct place *place = *state;
	int stranger[PUBLISHER_STRANGERS_MAX], own[PUBLISHER_CLIENTS_MAX + 1];
	AUTO_CLOSE int late = -1;

	open_to_others(place);
	publisher_publish(place->publisher, make_file('a'), make_file('A'));
	for (int i = 0; i < PUBLISHER_STRANGERS_MAX; i++)
		stranger[i] = connect_of(place, 4711 + (uid_t)i);
	for (int i = 0; i <= PUBLISHER_CLIENTS_MAX; i++) {
		int room = PUBLISHER_CLIENTS_MAX - PUBLISHER_STRANGERS_MAX;

		own[i] = connect_to(place);
		assert_int_equal(received(own[i]), i < PUBLISHER_CLIENTS_MAX ? 'a' : 0);
		for (int j = 0; j < PUBLISHER_STRANGERS_MAX; j++)
			assert_int_equal(is_let_go(stranger[j]), j < i + 1 - room);
	}
	assert_true(is_let_go(own[PUBLISHER_CLIENTS_MAX]));
	late = connect_of(place, 5000);
	assert_true(is_let_go(late));
	for (int i = 0; i < PUBLISHER_CLIENTS_MAX; i++)
		assert_false(is_let_go(own[i]));
	close_all(own, PUBLISHER_CLIENTS_MAX + 1);
	close_all(stranger, PUBLISHER_STRANGERS_MAX);
}

/* As of programs that only check whether the socket answers. */
static void ignores_clients_that_have_left(void **state)
{
	struct place *place = *state;
	AUTO_CLOSE int client = -1;

	for (unsigned int i = 0; i < PUBLISHER_CLIENTS_MAX; i++) {
		assert_int_equal(channel_connect(place->path, &client), 0);
		client = fd_close(client);
	}
	assert_int_equal(channel_connect(place->path, &client), 0);
	serve(place);
	publisher_publish(place->publisher, make_file('a'), -1);
	assert_int_equal(received(client), 'a');
}

/* Forks a child that connects as UID and writes the content of each image it gets to PIPE. */
static pid_t connect_as(struct place *place, uid_t uid, int pipe[2])
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		int fd = -1;
		char content = 'x';

		if (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 ||
			setresuid(uid, uid, uid) < 0 || channel_connect(place->path, &fd) < 0 ||
			write(pipe[1], "c", 1) != 1)
			_exit(1);
		for (;;) {
			struct pollfd p = {.fd = fd, .events = POLLIN};
			int image, r;

			poll(&p, 1, -1);
			r = channel_receive_fd(fd, &image);
			if (r == 0 && pread(image, &content, 1, 0) == 1) {
				close(image);
			} else {
				content = r == CHANNEL_CLOSED ? '-' : '?';
			}
			if (write(pipe[1], &content, 1) != 1 || content == '-' || content == '?')
				_exit(0);
		}
	}
	return child;
}

static char heard(struct place *place, int pipe[2])
{
	char c = 0;

	struct pollfd p = {.fd = pipe[0], .events = POLLIN};

	serve(place);
	assert_int_equal(poll(&p, 1, 5000), 1);
	assert_int_equal(read(pipe[0], &c, 1), 1);
	return c;
}

/*
 * A stranger gets the public image. If there is none, the connection is closed, at connect or at
 * the next snapshot.
 */
static void closes_strangers_without_a_public_image(void **state)
{
	struct place *place = *state;
	AUTO_CLOSE int own = -1;
	struct access_list privileged;
	unsigned int before;
	int pipe[2];
	pid_t child;

	access_list_init(&privileged);
	if (geteuid())
		skip(); /* only root can change its uid */
	assert_int_equal(chmod(place->dir, 0755), 0);
	assert_int_equal(pipe2(pipe, O_CLOEXEC), 0);
	own = connect_to(place);
	before = unit_descriptors();
	child = connect_as(place, 4711, pipe);
	assert_int_equal(heard(place, pipe), 'c');
	serve(place);
	publisher_publish(place->publisher, make_file('a'), make_file('A'));
	assert_int_equal(heard(place, pipe), 'A');
	publisher_publish(place->publisher, make_file('b'), -1);
	assert_int_equal(heard(place, pipe), '-');
	/* the image, and the client that has one */
	assert_int_equal(unit_descriptors(), before + 2);
	assert_int_equal(waitpid(child, NULL, 0), child);

	child = connect_as(place, 4711, pipe);
	assert_int_equal(heard(place, pipe), 'c');
	assert_int_equal(heard(place, pipe), '-');
	assert_int_equal(waitpid(child, NULL, 0), child);

	/* A member of the group is no stranger. */
	privileged.group = 4711;
	publisher_set_privileged(place->publisher, &privileged);
	child = connect_as(place, 4711, pipe);
	assert_int_equal(heard(place, pipe), 'c');
	assert_int_equal(heard(place, pipe), 'b');
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(received(own), 'a');
	close(pipe[0]);
	close(pipe[1]);
}

/* Returns the received descriptor, or -1. */
static int kept(int socket)
{
	int fd = -1;

	return channel_receive_fd(socket, &fd) == 0 ? fd : -1;
}

static ino_t inode(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_ino;
}

/* So that it is known which user keeps a copy. */
static void each_user_has_a_copy(void **state)
{
	struct place *place = *state;
	int socket[3], file[3];

	open_to_others(place);
	publisher_publish(place->publisher, make_file('a'), make_file('A'));
	for (int i = 0; i < 3; i++) {
		char content;

		socket[i] = connect_of(place, i == 1 ? 4712 : 4711);
		file[i] = kept(socket[i]);
		assert_int_equal(pread(file[i], &content, 1, 0), 1);
		assert_int_equal(content, 'A');
	}
	assert_int_equal(inode(file[0]), inode(file[2]));
	assert_int_not_equal(inode(file[0]), inode(file[1]));
	close_all(file, 3);
	close_all(socket, 3);
}

/*
 * The number of copies that a user keeps is limited, without effect on others. After the user
 * gives one back, a new one is sent.
 */
static void users_that_keep_copies_get_no_more(void **state)
{
	enum { MORE = 5 };
	struct place *place = *state;
	int hoard[LEASES_USER_MAX], waiting[PUBLISHER_STRANGERS_UID + 1];
	AUTO_CLOSE int own = -1, hoarder = -1, reader = -1;

	open_to_others(place);
	own = connect_to(place);
	hoarder = connect_of(place, 4711);
	reader = connect_of(place, 4712);
	for (int i = 0; i < LEASES_USER_MAX + MORE; i++) {
		publisher_publish(
			place->publisher, make_file((char)('a' + i)), make_file((char)('A' + i)));
		assert_int_equal(received(reader), 'A' + i);
		assert_int_equal(received(own), 'a' + i);
		if (i < LEASES_USER_MAX)
			hoard[i] = kept(hoarder);
		else
			assert_int_equal(received(hoarder), 0);
		assert_false(is_let_go(hoarder));
	}
	/* Reconnecting does not help, and waiting connections take no places from others. */
	for (int i = 0; i <= PUBLISHER_STRANGERS_UID; i++) {
		waiting[i] = connect_of(place, 4711);
		assert_int_equal(received(waiting[i]), 0);
	}
	assert_true(is_let_go(hoarder));
	for (int i = 0; i <= PUBLISHER_STRANGERS_UID; i++)
		assert_int_equal(is_let_go(waiting[i]), i == 0);
	hoard[0] = fd_close(hoard[0]);
	publisher_publish(place->publisher, make_file('z'), make_file('Z'));
	assert_int_equal(received(waiting[1]), 'Z');
	assert_int_equal(received(reader), 'Z');
	close_all(waiting, PUBLISHER_STRANGERS_UID + 1);
	close_all(hoard, LEASES_USER_MAX);
}

/*
 * Many users keep one copy each. Beyond a number of copies they share one, so that others still
 * get one.
 */
static void many_users_share_a_copy(void **state)
{
	enum { CROWD = 2 * LEASES_STRANGERS_MAX };
	struct place *place = *state;
	AUTO_CLOSE int late = -1;
	int idle[CROWD];

	open_to_others(place);
	for (int pass = 0; pass < 2; pass++) {
		publisher_publish(place->publisher, make_file('a'), make_file('A'));
		for (int i = pass * CROWD / 2; i < (pass + 1) * CROWD / 2; i++)
			idle[i] = connect_of(place, 4711 + (uid_t)i);
	}
	late = connect_of(place, 5000);
	assert_int_equal(received(late), 'A');
	publisher_publish(place->publisher, make_file('b'), make_file('B'));
	assert_int_equal(received(late), 'B');
	for (int i = 0; i < CROWD; i++)
		assert_int_equal(received(idle[i]), 'A');
	close_all(idle, CROWD);
}

/*
 * Many users have copies of their own up to half of the limit, then one shared copy per pass. Root
 * always gets its image.
 */
static void limits_the_copies_of_all_strangers(void **state)
{
	enum { USERS = LEASES_STRANGERS_MAX / LEASES_USER_MAX, HALF = LEASES_STRANGERS_MAX / 2 };
	enum { PASSES = HALF / USERS + HALF };
	struct place *place = *state;
	int socket[USERS], hoard[PASSES][USERS];
	AUTO_CLOSE int own = -1, late = -1;

	open_to_others(place);
	own = connect_to(place);
	for (int i = 0; i < USERS; i++)
		socket[i] = connect_of(place, 4711 + (uid_t)i);
	for (int pass = 0; pass < PASSES; pass++) {
		publisher_publish(place->publisher, make_file('a'), make_file('A'));
		assert_int_equal(received(own), 'a');
		for (int i = 0; i < USERS; i++) {
			hoard[pass][i] = kept(socket[i]);
			assert_true(hoard[pass][i] >= 0);
		}
		assert_int_equal(
			inode(hoard[pass][0]) == inode(hoard[pass][1]), pass >= HALF / USERS);
	}
	late = connect_of(place, 5000);
	assert_int_equal(received(late), 'A'); /* the shared copy */
	for (char i = 0; i < 3; i++) {
		publisher_publish(place->publisher, make_file('b'), make_file('B'));
		assert_int_equal(received(late), 0);
		assert_int_equal(received(own), 'b');
		assert_false(is_let_go(late));
	}
	hoard[0][7] = fd_close(hoard[0][7]);
	publisher_publish(place->publisher, make_file('c'), make_file('C'));
	assert_int_equal(received(own), 'c');
	assert_int_equal(received(late), 'C');
	for (int pass = 0; pass < PASSES; pass++)
		close_all(hoard[pass], USERS);
	publisher_publish(place->publisher, make_file('d'), make_file('D'));
	assert_int_equal(received(late), 'D');
	assert_int_equal(received(own), 'd');
	close_all(socket, USERS);
}

/* Makes a sparse file, which needs no memory. */
static int make_large_file(off_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	return fd;
}

/*
 * memtally-web has been compromised. With large images the limit is low; of small ones it may keep
 * more.
 */
static void limits_copies_of_privileged_users_except_root(void **state)
{
	struct place *place = *state;
	int hoard[LEASES_PRIVILEGED_SURE];
	AUTO_CLOSE int root = -1, web = -1, other = -1;

	open_to_daemons(place);
	root = connect_to(place);
	web = connect_of(place, 4720);
	for (int i = 0; i < 2 * LEASES_PRIVILEGED_SURE; i++) {
		publisher_publish(place->publisher, make_large_file(LEASES_BYTES / 4), -1);
		assert_int_equal(fd_close(kept(root)), -1);
		if (i >= LEASES_PRIVILEGED_SURE)
			assert_int_equal(received(web), 0);
		else
			hoard[i] = kept(web);
	}
	publisher_publish(place->publisher, make_file('a'), -1);
	assert_int_equal(received(root), 'a');
	assert_int_equal(received(web), 0);
	other = connect_of(place, 4721);
	assert_int_equal(received(other), 0);
	for (int i = 0; i < LEASES_PRIVILEGED_SURE; i++)
		assert_true(hoard[i] >= 0);
	close_all(hoard, LEASES_PRIVILEGED_SURE);
	publisher_publish(place->publisher, make_file('b'), -1);
	assert_int_equal(received(root), 'b');
	assert_int_equal(received(web), 'b');
	assert_int_equal(received(other), 'b');
}

/* Copies that were given back are closed, however many clients come within a pass. */
static void closes_copies_of_disconnected_users(void **state)
{
	struct place *place = *state;
	unsigned int before;

	open_to_others(place);
	before = unit_descriptors();
	publisher_publish(place->publisher, make_file('a'), make_file('A'));
	for (uid_t uid = 0; uid < 2 * LEASES_STRANGERS_MAX; uid++) {
		int socket = connect_of(place, 4711 + uid);

		assert_int_equal(received(socket), 'A');
		close(socket);
		serve(place);
	}
	assert_in_range(unit_descriptors(), before, before + PUBLISHER_STRANGERS_MAX + 2);
}

static bool has_no_inotify;

int __real_inotify_add_watch(int fd, const char *path, uint32_t mask);
int __wrap_inotify_add_watch(int fd, const char *path, uint32_t mask);

int __wrap_inotify_add_watch(int fd, const char *path, uint32_t mask)
{
	if (has_no_inotify) {
		errno = ENOSPC;
		return -1;
	}
	return __real_inotify_add_watch(fd, path, mask);
}

/* If it is unknown which users keep copies, only root and memtallyd's own user are served. */
static void without_watches_serves_root_and_itself(void **state)
{
	struct place *place = *state;
	AUTO_CLOSE int root = -1, web = -1, own = -1, stranger = -1;

	open_to_daemons(place);
	root = connect_to(place);
	web = connect_of(place, 4720);
	own = connect_of(place, 4721);
	stranger = connect_of(place, 4711);
	has_no_inotify = true;
	publisher_publish(place->publisher, make_file('a'), make_file('A'));
	has_no_inotify = false;
	assert_int_equal(received(root), 'a');
	assert_int_equal(received(web), 0);
	assert_int_equal(received(own), 'a');
	assert_int_equal(received(stranger), 0);
	publisher_publish(place->publisher, make_file('b'), make_file('B'));
	assert_int_equal(received(web), 'b');
	assert_int_equal(received(stranger), 'B');
}

static void option_decides_about_public_images(void **state)
{
	static const struct {
		enum snapshot_public option;
		bool shown, where_hidden;
	} cases[] = {
		{SNAPSHOT_PUBLIC_AUTO, true, false},
		{SNAPSHOT_PUBLIC_AGGREGATES, true, true},
		{SNAPSHOT_PUBLIC_NOTHING, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(publisher_shows_sums(cases[i].option, false), cases[i].shown);
		assert_int_equal(
			publisher_shows_sums(cases[i].option, true), cases[i].where_hidden);
	}
}

static bool has_no_descriptor;

int __real_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
	if (has_no_descriptor) {
		errno = EMFILE;
		return -1;
	}
	return __real_accept4(fd, address, len, flags);
}

/*
 * Without a free descriptor the event loop does not spin, and clients are served after the next
 * snapshot.
 */
static void does_not_spin_without_descriptors(void **state)
{
	struct place *place = *state;
	unsigned int turns = 0;
	int client;

	assert_int_equal(channel_connect(place->path, &client), 0);
	has_no_descriptor = true;
	while (turns < 100 && sd_event_run(place->event, 0) > 0)
		turns++;
	has_no_descriptor = false;
	assert_in_range(turns, 1, 5);
	publisher_publish(place->publisher, make_file('a'), -1);
	serve(place);
	assert_int_equal(received(client), 'a');
	close(client);
}

static void chooses_the_place_of_a_client(void **state)
{
	static const struct {
		bool is_stranger;
		struct publisher_groups groups;
		enum publisher_place place;
	} cases[] = {
		{true, {0, 0, 0}, PUBLISHER_PLACE_FREE},
		{true, {9, 9, 3}, PUBLISHER_PLACE_FREE},
		{true, {15, 9, 3}, PUBLISHER_PLACE_FREE},
		{true, {4, 4, 4}, PUBLISHER_PLACE_OWN},
		{true, {16, 10, 4}, PUBLISHER_PLACE_OWN},
		{true, {10, 10, 0}, PUBLISHER_PLACE_STRANGERS},
		{true, {16, 5, 0}, PUBLISHER_PLACE_STRANGERS},
		{false, {15, 0, 0}, PUBLISHER_PLACE_FREE},
		{false, {15, 10, 10}, PUBLISHER_PLACE_FREE},
		{false, {16, 10, 0}, PUBLISHER_PLACE_STRANGERS},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(
			publisher_place(cases[i].is_stranger, &cases[i].groups), cases[i].place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			sends_the_latest_and_each_new_image, setup, teardown),
		cmocka_unit_test_setup_teardown(sends_nothing_to_resolvers, setup, teardown),
		cmocka_unit_test_setup_teardown(skips_clients_that_have_not_read, setup, teardown),
		cmocka_unit_test_setup_teardown(reads_nothing_from_clients, setup, teardown),
		cmocka_unit_test_setup_teardown(
			closes_connections_of_gone_clients, setup, teardown),
		cmocka_unit_test_setup_teardown(strangers_replace_each_other, setup, teardown),
		cmocka_unit_test_setup_teardown(a_stranger_has_four_places, setup, teardown),
		cmocka_unit_test_setup_teardown(group_members_are_no_strangers, setup, teardown),
		cmocka_unit_test_setup_teardown(
			clients_waiting_for_the_first_image_stay, setup, teardown),
		cmocka_unit_test_setup_teardown(
			privileged_clients_may_have_all_places, setup, teardown),
		cmocka_unit_test_setup_teardown(ignores_clients_that_have_left, setup, teardown),
		cmocka_unit_test_setup_teardown(does_not_spin_without_descriptors, setup, teardown),
		cmocka_unit_test_setup_teardown(
			closes_strangers_without_a_public_image, setup, teardown),
		cmocka_unit_test_setup_teardown(each_user_has_a_copy, setup, teardown),
		cmocka_unit_test_setup_teardown(
			users_that_keep_copies_get_no_more, setup, teardown),
		cmocka_unit_test_setup_teardown(many_users_share_a_copy, setup, teardown),
		cmocka_unit_test_setup_teardown(
			limits_the_copies_of_all_strangers, setup, teardown),
		cmocka_unit_test_setup_teardown(
			limits_copies_of_privileged_users_except_root, setup, teardown),
		cmocka_unit_test_setup_teardown(
			closes_copies_of_disconnected_users, setup, teardown),
		cmocka_unit_test_setup_teardown(
			without_watches_serves_root_and_itself, setup, teardown),
		cmocka_unit_test(option_decides_about_public_images),
		cmocka_unit_test(chooses_the_place_of_a_client),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
