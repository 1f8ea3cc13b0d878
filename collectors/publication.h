/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The image of a pass: the rows get their names, marks and ages, memtallyd's account of itself is added, and it
 * is sealed, once for everyone and once without the rows of processes.
 */
#ifndef MEMTALLY_COLLECTORS_PUBLICATION_H
#define MEMTALLY_COLLECTORS_PUBLICATION_H

#include <stdbool.h>
#include <stdint.h>

struct pass;

/* As pass_publish(). NEEDED_PPM as of pass_interval_ns(); 0: nobody has added up yet. */
int publication_make(
	struct pass *pass, uint64_t needed_ppm, bool with_public, int *ret_fd, int *ret_public_fd);

#endif
