/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtally-recorder with a disk that does not answer while the file $HUNG_DISK exists. When fdatasync()
 * first waits, it makes the file $HUNG_DISK.waits.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/os/standard.h"
#include "recorder/recorder.h"

#define NAP_NS (20 * NS_PER_MSEC)

static void wait_for_disk(const char *hung)
{
	const struct timespec nap = {.tv_nsec = NAP_NS};
	char waits[256];

	snprintf(waits, sizeof(waits), "%s.waits", hung);
	fd_close(open(waits, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	while (access(hung, F_OK) == 0)
		nanosleep(&nap, NULL);
}

/* Takes the place of libc's, because symbols of the program come first. */
int fdatasync(int fildes)
{
	const char *hung = getenv("HUNG_DISK");

	if (hung && access(hung, F_OK) == 0)
		wait_for_disk(hung);
	return (int)syscall(SYS_fdatasync, fildes);
}

int main(int argc, char *argv[])
{
	if (standard_fill() < 0)
		return EXIT_FAILURE;
	return recorder_run(argc, argv);
}
