/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/sim/host/calls.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

static struct vfs *vfs; /* the wrapped functions have no other way to find it */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_openat(int dirfd, const char *path, int flags, ...);
int __wrap_openat(int dirfd, const char *path, int flags, ...);
int __real_close(int fd);
int __wrap_close(int fd);
ssize_t __real_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size);
ssize_t __real_pread(int fd, void *to, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t offset);
off_t __real_lseek(int fd, off_t offset, int whence);
off_t __wrap_lseek(int fd, off_t offset, int whence);
ssize_t __real_readlinkat(int dirfd, const char *path, char *to, size_t size);
ssize_t __wrap_readlinkat(int dirfd, const char *path, char *to, size_t size);
int __real_faccessat(int dirfd, const char *path, int mode, int flags);
int __wrap_faccessat(int dirfd, const char *path, int mode, int flags);
int __real_fstat(int fd, struct stat *ret);
int __wrap_fstat(int fd, struct stat *ret);
int __real_fstatfs(int fd, struct statfs *ret);
int __wrap_fstatfs(int fd, struct statfs *ret);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
int __real_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);
int __real_getrlimit(int resource, struct rlimit *ret);
int __wrap_getrlimit(int resource, struct rlimit *ret);
ssize_t __wrap_getrandom(void *to, size_t size, unsigned int flags);
uint64_t __real_mapcounts_large_anon(const char *folder);
uint64_t __wrap_mapcounts_large_anon(const char *folder);
long __real_sysconf(int name);
long __wrap_sysconf(int name);

void calls_redirect(struct vfs *v)
{
	vfs = v;
}

static bool is_simulated(int fd)
{
	return fd >= VFS_FIRST_FD;
}

/* The program creates no files through these calls, so there is no mode to pass on. */
int __wrap_open(const char *path, int flags, ...)
{
	return strcmp(path, CALLS_PROC) != 0 ? __real_open(path, flags) : vfs_open_root(vfs);
}

int __wrap_openat(int dirfd, const char *path, int flags, ...)
{
	return is_simulated(dirfd) ? vfs_openat(vfs, dirfd, path)
	                           : __real_openat(dirfd, path, flags);
}

int __wrap_close(int fd)
{
	if (!is_simulated(fd))
		return __real_close(fd);
	vfs_close(vfs, fd);
	return 0;
}

ssize_t __wrap_read(int fd, void *to, size_t size)
{
	return is_simulated(fd) ? vfs_read(vfs, fd, to, size) : __real_read(fd, to, size);
}

ssize_t __wrap_pread(int fd, void *to, size_t size, off_t offset)
{
	return is_simulated(fd) ? vfs_pread(vfs, fd, to, size, offset)
	                        : __real_pread(fd, to, size, offset);
}

off_t __wrap_lseek(int fd, off_t offset, int whence)
{
	if (!is_simulated(fd))
		return __real_lseek(fd, offset, whence);
	assert(whence == SEEK_SET && offset == 0);
	vfs_rewind(vfs, fd);
	return 0;
}

ssize_t __wrap_readlinkat(int dirfd, const char *path, char *to, size_t size)
{
	if (!is_simulated(dirfd))
		return __real_readlinkat(dirfd, path, to, size);
	errno = ENOENT;
	return -1;
}

int __wrap_faccessat(int dirfd, const char *path, int mode, int flags)
{
	return is_simulated(dirfd) ? 0 : __real_faccessat(dirfd, path, mode, flags);
}

/*
 * Hides the type of the file system, so that memtallyd does not ask the real kernel whether
 * processes share an address space.
 */
int __wrap_fstat(int fd, struct stat *ret)
{
	if (!is_simulated(fd))
		return __real_fstat(fd, ret);
	errno = ENOSYS;
	return -1;
}

int __wrap_fstatfs(int fd, struct statfs *ret)
{
	if (!is_simulated(fd))
		return __real_fstatfs(fd, ret);
	errno = ENOSYS;
	return -1;
}

long __wrap_syscall(long number, ...)
{
	long a[6];
	va_list list_of;

	va_start(list_of, number);
	for (size_t i = 0; i < 6; i++)
		a[i] = va_arg(list_of, long);
	va_end(list_of);
	if (number == SYS_getdents64 && is_simulated((int)a[0]))
		return vfs_list(vfs, (int)a[0], (void *)a[1], (size_t)a[2]);
	return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	const struct kernel *k = vfs ? vfs->kernel : NULL;
	uint64_t ns;

	if (!k)
		return __real_clock_gettime(clock, ret);
	switch (clock) {
	case CLOCK_MONOTONIC: ns = k->monotonic_ns; break;
	case CLOCK_BOOTTIME: ns = k->monotonic_ns + k->suspended_ns; break;
	case CLOCK_THREAD_CPUTIME_ID:
	case CLOCK_PROCESS_CPUTIME_ID: ns = k->cpu_ns; break;
	default:
		ns = UINT64_C(1700000000) * NS_PER_SEC + k->monotonic_ns + k->suspended_ns +
		     (uint64_t)k->wall_ns;
	}
	*ret = (struct timespec){
		.tv_sec = (time_t)(ns / NS_PER_SEC), .tv_nsec = (long)(ns % NS_PER_SEC)};
	return 0;
}

int __wrap_getrlimit(int resource, struct rlimit *ret)
{
	if (!vfs || resource != RLIMIT_NOFILE)
		return __real_getrlimit(resource, ret);
	*ret = (struct rlimit){vfs->max_fds, vfs->max_fds};
	return 0;
}

/* Returns the same bytes in every run. */
ssize_t __wrap_getrandom(void *to, size_t size, unsigned int flags)
{
	(void)flags;
	memset(to, 0x5a, size);
	return (ssize_t)size;
}

uint64_t __wrap_mapcounts_large_anon(const char *folder)
{
	return vfs ? host_large_anon(vfs->kernel->host) : __real_mapcounts_large_anon(folder);
}

long __wrap_sysconf(int name)
{
	switch (name) {
	case _SC_PAGESIZE: return (long)HOST_PAGE;
	case _SC_CLK_TCK: return 100;
	case _SC_NPROCESSORS_ONLN: return 2;
	default: return __real_sysconf(name);
	}
}
