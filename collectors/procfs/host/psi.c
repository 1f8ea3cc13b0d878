/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/procfs/host/psi.h"

#include <errno.h>
#include <stdbool.h>

#include "base/clock.h"
#include "base/os/file.h"
#include "base/scan.h"

enum {
	STRAINED_ABOVE = PSI_WHOLE / 10,
	SEVERE_ABOVE = PSI_WHOLE * 3 / 10,
};

/* Parses a percentage with two decimals, and the blank behind it. */
static bool take_average(struct scan *s, uint32_t *ret)
{
	uint64_t whole, rest;
	const char *decimals;

	if (!scan_decimal(s, &whole) || whole > 100 || !scan_char(s, '.'))
		return false;
	decimals = s->at;
	if (!scan_decimal(s, &rest) || s->at - decimals != 2 || whole * 100 + rest > PSI_WHOLE)
		return false;
	*ret = (uint32_t)(whole * 100 + rest);
	return scan_char(s, ' ');
}

/* Parses the rest of a line behind avg10: "avg60=0.00 avg300=0.00 total=478069", microseconds. */
static bool take_total(struct scan *s, uint64_t *ret_ns)
{
	uint32_t average;
	uint64_t us;

	if (!scan_text(s, "avg60=") || !take_average(s, &average) || !scan_text(s, "avg300=") ||
		!take_average(s, &average) || !scan_text(s, "total=") || !scan_decimal(s, &us) ||
		s->at != s->end || us > INT64_MAX / NS_PER_USEC)
		return false;
	*ret_ns = us * NS_PER_USEC;
	return true;
}

static bool psi_parse_some(struct scan *line, struct psi *psi)
{
	if (psi->is_known || !scan_text(line, "avg10=") || !take_average(line, &psi->some_avg10))
		return false;
	psi->is_known = true;
	psi->has_waited = take_total(line, &psi->waited_ns);
	return true;
}

static void psi_parse_full(struct scan *line, struct psi *psi)
{
	uint32_t average;

	psi->has_stalled = scan_text(line, "avg10=") && take_average(line, &average) &&
	                   take_total(line, &psi->stalled_ns);
}

/* "some avg10=0.12 avg60=0.00 avg300=0.00 total=478069\nfull avg10=..." */
int psi_parse(const char *text, size_t len, struct psi *ret)
{
	struct scan all = {text, text + len}, line;
	struct psi psi = {0};

	while (all.at < all.end) {
		if (!scan_line(&all, &line))
			return -EBADMSG;
		if (scan_text(&line, "full "))
			psi_parse_full(&line, &psi);
		else if (scan_text(&line, "some ") && !psi_parse_some(&line, &psi))
			return -EBADMSG;
	}
	*ret = psi;
	return 0;
}

int psi_read(int procfs_fd, struct psi *ret)
{
	char text[PSI_TEXT_SIZE];
	size_t len;
	int r = file_read(procfs_fd, "pressure/memory", text, sizeof(text), &len);

	/*
	 * Without CONFIG_PSI there is no file; with psi=0 some kernels have one that cannot be
	 * read.
	 */
	if (r == -ENOENT || r == -EOPNOTSUPP) {
		*ret = (struct psi){0};
		return 0;
	}
	return r < 0 ? r : psi_parse(text, len, ret);
}

/* Returns the average above which LEVEL begins, or continues if the level BEFORE was as high. */
static uint32_t limit_of(enum psi_level level, enum psi_level before)
{
	uint32_t above = level == PSI_SEVERE ? SEVERE_ABOVE : STRAINED_ABOVE;

	return before >= level ? above - above / 3 : above;
}

enum psi_level psi_level(const struct psi *psi, enum psi_level before)
{
	uint32_t share = psi->is_known ? psi->some_avg10 : 0;

	if (share > limit_of(PSI_SEVERE, before))
		return PSI_SEVERE;
	return share > limit_of(PSI_STRAINED, before) ? PSI_STRAINED : PSI_CALM;
}
