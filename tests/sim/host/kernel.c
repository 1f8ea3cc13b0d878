/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/sim/host/kernel.h"

#include <stdlib.h>

#include "base/clock.h"

enum { OUTLIER = 20 };

#define SLICE_NS (3 * NS_PER_MSEC) /* of the scheduler */

void kernel_init(struct kernel *k, struct host *h)
{
	*k = (struct kernel){
		.host = h,
		.seed = 1,
		.monotonic_ns = 7200 * NS_PER_SEC,
		.stall_ns = UINT64_MAX,
		.load = 1,
		.next_event_ns = UINT64_MAX,
		.slowness = 1,
		.noise = 0.2,
		.outliers = 200,
	};
	host_advance(h, k->monotonic_ns);
	kernel_restart_counts(k);
}

void kernel_done(struct kernel *k)
{
	free(k->slot_of);
}

void kernel_restart_counts(struct kernel *k)
{
	k->rollups = k->slices = k->slice_walks = k->walks_ns = 0;
	k->longest_read_ns = k->longest_hold_ns = 0;
	k->stalls = k->giant_holds = 0;
	k->least_giant_gap_ns = UINT64_MAX;
}

static void set_time(struct kernel *k, uint64_t monotonic_ns)
{
	k->monotonic_ns = monotonic_ns;
	host_advance(k->host, monotonic_ns + k->suspended_ns);
}

void kernel_pass_time(struct kernel *k, uint64_t ns)
{
	uint64_t until_ns = k->monotonic_ns + ns;

	while (k->happen && !k->is_happening && k->next_event_ns <= until_ns) {
		if (k->next_event_ns > k->monotonic_ns)
			set_time(k, k->next_event_ns);
		k->is_happening = true;
		k->happen(k->data);
		k->is_happening = false;
	}
	set_time(k, until_ns);
}

void kernel_skip_time(struct kernel *k, uint64_t ns)
{
	set_time(k, k->monotonic_ns + ns);
}

void kernel_suspend(struct kernel *k, uint64_t ns)
{
	k->suspended_ns += ns;
	set_time(k, k->monotonic_ns);
}

void kernel_use(struct kernel *k, uint64_t cpu_ns)
{
	uint64_t wall_ns = cpu_ns;

	k->cpu_ns += cpu_ns;
	if (k->load > 1) {
		uint64_t slices = (k->slice_ns + cpu_ns) / SLICE_NS;

		/* Other programs run for their slices whenever one of memtallyd's is used up. */
		k->slice_ns = (k->slice_ns + cpu_ns) % SLICE_NS;
		wall_ns += (uint64_t)((double)(slices * SLICE_NS) * (k->load - 1));
	}
	kernel_pass_time(k, wall_ns);
}

size_t kernel_find(struct kernel *k, uint32_t pid)
{
	const struct host *h = k->host;

	if (pid > h->last_pid)
		return h->slots;
	if (pid >= k->pids || k->slot_of[pid] == UINT32_MAX) {
		if (h->last_pid >= k->pids) {
			size_t pids = 2 * (size_t)h->last_pid + 1024;

			k->slot_of = reallocarray(k->slot_of, pids, sizeof(*k->slot_of));
			if (!k->slot_of)
				abort();
			for (; k->pids < pids; k->pids++)
				k->slot_of[k->pids] = UINT32_MAX;
		}
		for (size_t slot = 0; slot < h->slots; slot++)
			k->slot_of[h->process[slot].pid] = (uint32_t)slot;
	}
	if (k->slot_of[pid] >= h->slots || h->process[k->slot_of[pid]].pid != pid)
		return h->slots;
	return k->slot_of[pid];
}

/* Uses random numbers of its own, so that events on the host do not depend on walks. */
static uint64_t disturbed(struct kernel *k, double ns)
{
	ns *= 1 + k->noise * (2 * random_part(&k->seed) - 1);
	if (k->outliers && random_part(&k->seed) < 1.0 / k->outliers)
		ns *= OUTLIER;
	return (uint64_t)ns;
}

/* A read() has held the lock of SLOT for NS. The largest mapping alone takes LARGEST_NS. */
static void note_hold(struct kernel *k, size_t slot, double ns, double largest_ns)
{
	struct host_process *p = &k->host->process[slot];
	uint64_t now_ns = k->host->now_ns, gap_ns = now_ns - p->held_ns;
	bool is_giant = largest_ns > (double)k->stall_ns;

	if (!is_giant && ns > (double)k->longest_hold_ns)
		k->longest_hold_ns = (uint64_t)ns;
	if (ns <= (double)k->stall_ns)
		return;
	if (!is_giant) {
		k->stalls++;
		return;
	}
	k->giant_holds++;
	if (p->held_ns && gap_ns < k->least_giant_gap_ns)
		k->least_giant_gap_ns = gap_ns;
	p->held_ns = now_ns;
}

void kernel_walk(struct kernel *k, size_t slot, double cost_ns, double hold_ns, double largest_ns)
{
	uint64_t cpu_ns;

	note_hold(k, slot, hold_ns, largest_ns);
	cpu_ns = disturbed(k, cost_ns);
	k->walks_ns += cpu_ns;
	if (cpu_ns > k->longest_read_ns)
		k->longest_read_ns = cpu_ns;
	kernel_use(k, cpu_ns);
}
