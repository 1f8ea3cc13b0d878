/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm_insert_page() and remap_vmalloc_range() mark their mapping VM_MIXEDMAP, which smaps prints as
 * "mm" (Linux 3.8). A driver that hands out single pages in page faults marks nothing; its mapping
 * is recognized by its name: names of kernel objects ("anon_inode:kvm-vcpu:0", "socket:[4711]")
 * have no leading slash, unlike paths.
 *
 * BPF arrays are vmalloc'ed. BPF ring buffers have the same name and are not, but their data is
 * mapped from the second page on (ringbuf_map_mmap_kern() in kernel/bpf/ringbuf.c), while an array
 * is mapped from its beginning.
 */
#include "config.h"

#include "inspect/pages/drivermemory.h"

#include <stdbool.h>

#include "base/saturate.h"
#include "inspect/maps/kind.h"

/* guest_memfd is the one kernel object with pages in a page cache, and so in Cached. */
static bool is_kernel_object(const struct mapping *m)
{
	return m->path_len && m->path[0] != '/' && m->path[0] != '[' &&
	       !kind_begins(m, "anon_inode:[kvm-gmem]");
}

static bool is_driver(const struct mapping *m)
{
	return kind_has_file(m) && kind_of(m) != KIND_SHMEM &&
	       (kind_has_flag(m, "mm") || is_kernel_object(m));
}

void drivermemory_add(struct drivermemory *d, const struct mapping *m)
{
	uint64_t copies = m->q[MAPPING_ANONYMOUS], pss = m->q[MAPPING_PSS];

	if (!is_driver(m) || pss <= copies)
		return;
	d->pss = saturate_add(d->pss, pss - copies);
	if (kind_begins(m, "anon_inode:bpf-map") && !m->offset)
		d->vmalloc = saturate_add(d->vmalloc, pss - copies);
}
