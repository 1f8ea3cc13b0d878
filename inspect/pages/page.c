/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/pages/page.h"

#include "inspect/pages/kpage.h"
#include "inspect/pages/pagemap.h"

enum { MARK_TYPE = 31 };

const char *page_state_name(enum page_state state)
{
	static const char *const names[PAGE_STATES] = {
		[PAGE_NONE] = "none",
		[PAGE_RESIDENT] = "resident",
		[PAGE_ZERO] = "zero",
		[PAGE_DEVICE] = "device",
		[PAGE_SWAPPED] = "swapped",
		[PAGE_HUGETLB] = "hugetlb",
	};

	return names[state];
}

/*
 * The scan is older than the entry: a zero page may have been written to since. The entry shows a
 * huge zero page as a file's page (Linux 6.18), and nothing else does.
 */
static bool is_zero(const struct page_facts *f)
{
	if (f->has_frame)
		return f->flags & KPAGE_ZERO;
	return f->has_categories && f->categories & PAGEMAP_IS_ZERO &&
	       !(f->entry & PAGEMAP_EXCLUSIVE);
}

/*
 * A page that is neither a file's nor anonymous is mapped without being counted (vm_normal_page()
 * in mm/memory.c): a zero page, or memory of a device.
 */
static enum page_state state_of_present(const struct page_facts *f)
{
	if (f->is_hugetlb)
		return PAGE_HUGETLB;
	if (is_zero(f))
		return PAGE_ZERO;
	if (f->entry & PAGEMAP_FILE || !f->has_frame || f->flags & KPAGE_ANON)
		return PAGE_RESIDENT;
	return PAGE_DEVICE;
}

/*
 * Markers have the highest swap type (SWP_PTE_MARKER in linux/swap.h, Linux 5.19), which is shown
 * to readers that see frames. Guard pages have them (Linux 6.13), with a bit of their own since
 * Linux 6.15; so has userfaultfd, also for pages that were never touched.
 */
static bool is_mark(uint64_t entry)
{
	return entry & PAGEMAP_GUARD || (entry & MARK_TYPE) == MARK_TYPE;
}

/*
 * A page with an entry that is not present is in swap, under migration, or a marker. The kernel
 * shows markers as swapped, too.
 */
static enum page_state page_state_of(const struct page_facts *f)
{
	if (f->entry & PAGEMAP_PRESENT)
		return state_of_present(f);
	if (f->entry & PAGEMAP_SWAPPED && !is_mark(f->entry))
		return f->is_hugetlb ? PAGE_HUGETLB : PAGE_SWAPPED;
	return PAGE_NONE;
}

struct page page_of(uint64_t address, const struct page_facts *facts)
{
	struct page p = {
		.address = address,
		.state = page_state_of(facts),
		.is_file = facts->entry & PAGEMAP_FILE,
		.is_exclusive = facts->entry & PAGEMAP_EXCLUSIVE,
		.is_huge = facts->has_categories && facts->categories & PAGEMAP_IS_HUGE,
		.knows_frame = facts->has_frame && facts->entry & PAGEMAP_PRESENT,
	};

	if (!p.knows_frame)
		return p;
	p.frame = pagemap_frame(facts->entry);
	p.flags = facts->flags;
	/*
	 * It was mapped when pagemap was read; 0 means that mappings are not counted, or that it
	 * was unmapped since.
	 */
	p.mappings = facts->mappings ? facts->mappings : 1;
	return p;
}

bool page_is_dirty(const struct page *p, bool *ret)
{
	if (p->is_file && !p->knows_frame)
		return false;
	*ret = !p->is_file || p->flags & KPAGE_DIRTY;
	return true;
}
