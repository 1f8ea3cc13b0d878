/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/os/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

enum { MEMFD_SEALS = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };

int memfd_new(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL) /* before Linux 6.3 */
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd < 0 ? -errno : fd;
}

static int write_whole(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

int memfd_new_sealed(const char *name, const struct iovec *iov, size_t iov_count, int *ret_fd)
{
	AUTO_CLOSE int fd = memfd_new(name);
	char path[sizeof("/proc/self/fd/") + 11];
	int r, read_only;

	if (fd < 0)
		return fd;
	for (size_t i = 0; i < iov_count; i++) {
		r = write_whole(fd, iov[i].iov_base, iov[i].iov_len);
		if (r < 0)
			return r;
	}
	if (fcntl(fd, F_ADD_SEALS, MEMFD_SEALS) < 0)
		return -errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_only = open(path, O_RDONLY | O_CLOEXEC);
	if (read_only < 0)
		return -errno;
	*ret_fd = read_only;
	return 0;
}

int memfd_copy_sealed(const char *name, int fd, int *ret_fd)
{
	struct iovec iov;
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return -errno;
	iov.iov_len = (size_t)st.st_size;
	iov.iov_base = mmap(NULL, iov.iov_len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (iov.iov_base == MAP_FAILED)
		return -errno;
	r = memfd_new_sealed(name, &iov, 1, ret_fd);
	munmap(iov.iov_base, iov.iov_len);
	return r;
}

int memfd_check_sealed(int fd, size_t limit, size_t *ret_size)
{
	int seals = fcntl(fd, F_GET_SEALS); /* EINVAL if FD is no memory file */
	struct stat st;

	if (seals < 0 || (seals & MEMFD_SEALS) != MEMFD_SEALS)
		return -EINVAL;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size <= 0)
		return -EINVAL;
	if ((unsigned long long)st.st_size > limit)
		return -EFBIG;
	*ret_size = (size_t)st.st_size;
	return 0;
}
