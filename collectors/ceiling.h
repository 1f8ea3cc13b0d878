/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What guesses may add up to. Who was never measured is guessed: by another's measurement, or by its RSS, in which a page
 * counts as often as it is mapped, so that one that maps a page of shared memory over and over has any RSS that it likes.
 * But all Pss_Anon together are AnonPages, all Pss_File and Pss_Shmem are Mapped, and what others have of these is no
 * longer to be had. That holds where processes are hidden, too. Pure.
 *
 *	ceiling_begin(c);
 *	for each that was measured: ceiling_add_known();    for each that was not: ceiling_add_guess();
 *	if (ceiling_end(c, anon, file))
 *		for each that was not: ceiling_lower();
 */
#ifndef MEMTALLY_COLLECTORS_CEILING_H
#define MEMTALLY_COLLECTORS_CEILING_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/estimate.h"

/* For reading alone; in bytes. */
struct ceiling {
	uint64_t known_anon, known_file, low; /* of those that have estimates; their low bounds */
	uint64_t anon, file;                  /* of the guesses, as they are */
	uint64_t high;                        /* the highest bound of a guess */
	uint64_t anon_left, file_left;        /* that the guesses may be together */
	uint64_t anon_most, file_most,
		most; /* that one of them may be: of each kind, and of both */
};

void ceiling_begin(struct ceiling *c);
void ceiling_add_known(struct ceiling *c, const struct estimate *e);
void ceiling_add_guess(struct ceiling *c, const struct estimate *e);

/* The host has at most ANON and FILE. False: all guesses may stay as they are. */
bool ceiling_end(struct ceiling *c, uint64_t anon, uint64_t file);

/* Lowers the guess E, with NOW its counters, to its part of what is left. Keeps pss <= high. */
void ceiling_lower(const struct ceiling *c, const struct estimate_now *now, struct estimate *e);

#endif
