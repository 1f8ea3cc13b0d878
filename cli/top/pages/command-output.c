/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/pages/command-output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECE_SIZE = 4096 };

/* Starts ARGV with OUTPUT as standard output and error. Returns 0 or a negative errno. */
static int command_output_spawn(char *const argv[], int output, pid_t *ret)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t all;
	int r;

	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attributes);
	sigfillset(&all);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	r = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
	if (r == 0)
		r = posix_spawn(ret, "/proc/self/exe", &files, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	return -r;
}

static void command_output_reap(struct command_output *o)
{
	if (o->ended && waitpid(o->ended, NULL, WNOHANG) != 0)
		o->ended = 0;
}

/* Ends the command. If it sleeps in the kernel, it may stay a zombie until this process ends. */
static void command_output_end(struct command_output *o)
{
	o->fd = fd_close(o->fd);
	command_output_reap(o);
	if (!o->pid)
		return;
	kill(o->pid, SIGKILL);
	o->ended = o->pid;
	o->pid = 0;
	command_output_reap(o);
}

/* Empties O. Gives the end of a new pipe that O reads to O, and the other one in *RET_WRITE. */
static int command_output_open(struct command_output *o, int *ret_write)
{
	int fds[2];

	command_output_end(o);
	buffer_clear(&o->text);
	o->is_cut = false;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	o->fd = fds[0];
	*ret_write = fds[1];
	fcntl(o->fd, F_SETFL, O_NONBLOCK);
	return 0;
}

int command_output_start(struct command_output *o, char *const argv[])
{
	AUTO_CLOSE int write_fd = -1;
	int r = command_output_open(o, &write_fd);

	if (r < 0)
		return r;
	r = command_output_spawn(argv, write_fd, &o->pid);
	if (r < 0) {
		o->pid = 0;
		o->fd = fd_close(o->fd);
	}
	return r;
}

/* The child: copies the beginning of the file PATH to FD. Calls nothing that another thread could hold. */
static void copy_file(const char *path, int fd, size_t most)
{
	int from;
	char piece[PIECE_SIZE];

	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	from = open(path, O_RDONLY | O_CLOEXEC);
	while (from >= 0 && most) {
		ssize_t n = read(from, piece, most < sizeof(piece) ? most : sizeof(piece));

		if (n <= 0 || write(fd, piece, (size_t)n) != n)
			break;
		most -= (size_t)n;
	}
	_exit(0);
}

int command_output_start_file(struct command_output *o, const char *path, size_t most)
{
	AUTO_CLOSE int write_fd = -1;
	int r = command_output_open(o, &write_fd);

	if (r < 0)
		return r;
	o->pid = fork();
	if (o->pid == 0)
		copy_file(path, write_fd, most + 1);
	if (o->pid < 0) {
		r = -errno;
		o->pid = 0;
		o->fd = fd_close(o->fd);
	}
	return r;
}

bool command_output_read(struct command_output *o)
{
	bool is_changed = false;

	while (o->fd >= 0) {
		char *to = buffer_reserve(&o->text, PIECE_SIZE);
		ssize_t n = to ? read(o->fd, to, PIECE_SIZE) : 0;

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		is_changed = true;
		if (n <= 0 || o->text.len + (size_t)n > COMMAND_OUTPUT_MAX) {
			o->is_cut = n > 0 || !to;
			command_output_end(o);
			break;
		}
		o->text.len += (size_t)n;
	}
	return is_changed;
}

void command_output_stop(struct command_output *o)
{
	command_output_end(o);
	buffer_done(&o->text);
}
