/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/procfs/host/psi.h"

#include <errno.h>
#include <stdbool.h>

#include "base/os/file.h"
#include "base/scan.h"
#include "snapshot/record.h"

enum {
	TEXT_SIZE = 512, /* Linux 6.18 prints at most 150 bytes */
	STRAINED_ABOVE = PSI_WHOLE / 10,
	SEVERE_ABOVE = PSI_WHOLE * 3 / 10,
};

/* Parses NAME and a percentage with two decimals. */
static bool parse_average(struct scan *c, const char *name, uint32_t *ret)
{
	uint64_t whole, rest;
	const char *decimals;

	if (!scan_text(c, name) || !scan_decimal(c, &whole) || whole > 100 || !scan_char(c, '.'))
		return false;
	decimals = c->at;
	if (!scan_decimal(c, &rest) || c->at - decimals != 2 || whole * 100 + rest > PSI_WHOLE)
		return false;
	*ret = (uint32_t)(whole * 100 + rest);
	return true;
}

static bool psi_parse_line(struct scan *c, struct psi *psi)
{
	static const char *const names[PSI_LINES] = {[PSI_SOME] = "some", [PSI_FULL] = "full"};

	for (unsigned int i = 0; i < PSI_LINES; i++) {
		struct psi_figures f;

		if (!scan_text(c, names[i]))
			continue;
		if (ROW_HAS(psi, i) || !parse_average(c, " avg10=", &f.avg10) ||
			!parse_average(c, " avg60=", &f.avg60) ||
			!parse_average(c, " avg300=", &f.avg300) || !scan_text(c, " total=") ||
			!scan_decimal(c, &f.total_us))
			return false;
		ROW_SET(psi, i, f);
		return scan_char(c, '\n');
	}
	return false;
}

int psi_parse(const char *text, size_t len, struct psi *ret)
{
	struct scan c = {text, text + len};
	struct psi psi = {0};

	while (c.at < c.end)
		if (!psi_parse_line(&c, &psi))
			return -EBADMSG;
	*ret = psi;
	return 0;
}

int psi_read(int procfs_fd, struct psi *ret)
{
	char text[TEXT_SIZE];
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
	uint32_t share = ROW_HAS(psi, PSI_SOME) ? psi->q[PSI_SOME].avg10 : 0;

	if (share > limit_of(PSI_SEVERE, before))
		return PSI_SEVERE;
	return share > limit_of(PSI_STRAINED, before) ? PSI_STRAINED : PSI_CALM;
}
