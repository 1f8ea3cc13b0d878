/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/procfs/pss-split.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/saturate.h"
#include "base/scan.h"

static bool is_shmem_name(const struct scan *c)
{
	static const char *const names[] = {
		"/memfd:", "/SYSV", "/dev/shm/", "/dev/zero (deleted)", "[anon_shmem:"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (scan_sees(c, names[i]))
			return true;
	return false;
}

/* "7f10c000-7f10e000 rw-s 00001000 00:01 2056   /dev/zero (deleted)" */
enum pss_split_kind pss_split_kind_of(const char *line, size_t len)
{
	struct scan c = {line, line + len}, range, rights, offset;
	uint64_t major, minor, inode;

	if (!scan_part(&c, ' ', &range) || !scan_part(&c, ' ', &rights) ||
		!scan_part(&c, ' ', &offset) || !scan_hex(&c, &major) || !scan_char(&c, ':') ||
		!scan_hex(&c, &minor) || !scan_char(&c, ' ') || !scan_decimal(&c, &inode))
		return PSS_SPLIT_EITHER;
	if (major) /* shmem is on no block device */
		return PSS_SPLIT_FILE;
	/*
	 * Pages in private memory that are not anonymous are the kernel's own, for example [vdso].
	 */
	if (!minor && !inode)
		return PSS_SPLIT_FILE;
	scan_blanks(&c);
	return is_shmem_name(&c) ? PSS_SPLIT_SHMEM : PSS_SPLIT_EITHER;
}

static bool is_consistent(const struct pss_split_mapping *m)
{
	return m->pss <= m->rss && m->anon <= m->rss && m->private <= m->pss &&
	       m->private_dirty <= m->private;
}

/* Adds a mapping with both kinds of pages. The kernel does not say which of them are shared. */
static void add_mixed(
	struct pss_split *p, const struct pss_split_mapping *m, enum pss_split_kind kind)
{
	uint64_t shared = m->rss - m->private, file = m->rss - m->anon, dirty, anon, low, high;

	/*
	 * Lower bound of each part: its private pages if all of the other part is private. Upper
	 * bound: the rest.
	 */
	high = saturate_min(m->anon, m->pss - saturate_less(m->private, m->anon));
	low = saturate_max(saturate_less(m->anon, shared), saturate_less(m->pss, file));
	low = saturate_min(low, high);
	/* Pages of files in private mappings are clean; anonymous pages are nearly always dirty. */
	dirty = saturate_min(m->anon, m->private_dirty);
	anon = dirty + saturate_part(m->pss - m->private, m->anon - dirty, shared);
	anon = saturate_max(low, saturate_min(anon, high));
	p->anon += anon;
	p->doubt += high - low;
	p->pss[kind] += m->pss - anon;
	p->rss[kind] += file;
}

void pss_split_add(struct pss_split *p, const struct pss_split_mapping *m, enum pss_split_kind kind)
{
	if (!is_consistent(m)) {
		p->untold++;
	} else if (m->anon == m->rss) {
		p->anon += m->pss;
	} else if (!m->anon) {
		p->pss[kind] += m->pss;
		p->rss[kind] += m->rss;
	} else {
		add_mixed(p, m, kind);
	}
}

/*
 * Returns the PSS that is shmem if RSS_SHMEM bytes are resident shmem. Mappings with a shmem name
 * come first.
 */
static uint64_t shmem_of(const struct pss_split *p, uint64_t rss_shmem)
{
	uint64_t named = saturate_min(rss_shmem, p->rss[PSS_SPLIT_SHMEM]);
	uint64_t either = saturate_min(rss_shmem - named, p->rss[PSS_SPLIT_EITHER]);

	return saturate_part(p->pss[PSS_SPLIT_SHMEM], named, p->rss[PSS_SPLIT_SHMEM]) +
	       saturate_part(p->pss[PSS_SPLIT_EITHER], either, p->rss[PSS_SPLIT_EITHER]);
}

enum pss_split_quality pss_split_solve(const struct pss_split *p, const uint64_t *rss_shmem,
	uint64_t rounding, struct pss_split_found *ret)
{
	uint64_t named = p->rss[PSS_SPLIT_SHMEM], either = p->rss[PSS_SPLIT_EITHER];
	uint64_t shmem = rss_shmem ? *rss_shmem : named;
	bool is_known;

	if (p->untold)
		return PSS_SPLIT_NONE;
	/*
	 * If the counter equals exactly the mappings with such names, or all possible ones, the
	 * split is certain.
	 */
	is_known = rss_shmem ? shmem == named || shmem == named + either : !named && !either;
	ret->anon = p->anon;
	ret->shmem = shmem_of(p, shmem);
	ret->file = p->pss[PSS_SPLIT_FILE] + p->pss[PSS_SPLIT_SHMEM] + p->pss[PSS_SPLIT_EITHER] -
	            ret->shmem;
	return is_known && p->doubt <= rounding ? PSS_SPLIT_KNOWN : PSS_SPLIT_GUESSED;
}
