/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Publishing: completes the image of a pass with names, marks, ages and memtallyd's own row, and
 * seals it, once with the rows of processes and once without.
 */
#ifndef MEMTALLY_COLLECTORS_PASS_PASS_PUBLISH_H
#define MEMTALLY_COLLECTORS_PASS_PASS_PUBLISH_H

#include <stdbool.h>
#include <stdint.h>

struct pass;

/*
 * Does the work of pass_publish(), with the same parameters and results. NEEDED_PPM is
 * pass_interval_ns()'s; 0: not known yet.
 */
int pass_publication_make(
	struct pass *pass, uint64_t needed_ppm, bool with_public, int *ret_fd, int *ret_public_fd);

#endif
