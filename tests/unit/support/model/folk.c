/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/model/folk.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * KIB)
#define SEC UINT64_C(1000000000)

struct folk *folk_new(void)
{
	struct folk *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->now = 100 * SEC;
	return f;
}

void folk_free(struct folk **f_)
{
	struct folk *f = *f_;

	for (unsigned int i = 0; i < WORLD_PROCESSES; i++)
		families_gone(&f->families, &f->member[i]);
	while (families_affected(&f->families))
		;
	assert_int_equal(f->families.families.used, 0);
	assert_int_equal(f->families.objects.used, 0);
	families_done(&f->families);
	free(f);
}

uint64_t folk_truth(const struct folk *f, unsigned int i)
{
	return world_pss(&f->world, i, WORLD_ANON) + world_pss(&f->world, i, WORLD_FILES);
}

struct estimate_now folk_now(const struct folk *f, unsigned int i)
{
	return world_now(&f->world, i);
}

void folk_map(struct folk *f, uint64_t size, uint64_t mask, enum world_kind kind)
{
	world_map(&f->world, size, mask, kind);
}

void folk_allocate(struct folk *f, unsigned int i, uint64_t size)
{
	folk_map(f, size, world_bit(i), WORLD_ANON);
}

void folk_notice(struct folk *f)
{
	if (f->is_noticing)
		return;
	f->is_noticing = true;
	f->now += 5 * SEC;
	families_begin(&f->families, f->now);
	families_polled(&f->families, f->now);
}

void folk_start(struct folk *f, unsigned int i)
{
	uint64_t born_ns = f->now;

	f->image[i] = 1000 + i;
	f->alive |= world_bit(i);
	folk_notice(f);
	assert_int_equal(families_born(&f->families, &f->member[i], NULL, born_ns), 0);
	f->measured[i] = false;
}

void folk_fork_unseen(struct folk *f, unsigned int parent, unsigned int child)
{
	world_fork(&f->world, parent, child);
	f->image[child] = f->image[parent];
	f->alive |= world_bit(child);
	f->measured[child] = false;
}

void folk_notice_birth(struct folk *f, unsigned int parent, unsigned int child, uint64_t born_ns)
{
	folk_notice(f);
	assert_int_equal(
		families_born(&f->families, &f->member[child], &f->member[parent], born_ns), 0);
}

void folk_fork(struct folk *f, unsigned int parent, unsigned int child)
{
	uint64_t born_ns = f->now;

	folk_fork_unseen(f, parent, child);
	folk_notice_birth(f, parent, child, born_ns);
}

void folk_end_unseen(struct folk *f, unsigned int i)
{
	world_unmap_all(&f->world, i);
	f->alive &= ~world_bit(i);
}

void folk_end(struct folk *f, unsigned int i)
{
	folk_end_unseen(f, i);
	f->listed &= ~world_bit(i);
	f->measured[i] = false;
	folk_notice(f);
	families_gone(&f->families, &f->member[i]);
}

void folk_measure(struct folk *f, unsigned int i)
{
	struct estimate_base b = world_measure(&f->world, i);

	f->now += SEC / 1000;
	assert_int_equal(families_measured(&f->families, &f->member[i], f->image[i],
				 f->image[i] + 1, f->measured[i] ? &f->base[i] : NULL, &b, f->now),
		0);
	f->base[i] = b;
	f->doubt[i] = (struct estimate_doubt){0};
	f->measured[i] = true;
}

void folk_map_segments(struct folk *f, unsigned int i, uint64_t bytes)
{
	struct maps_object s = {.device = 1, .inode = 99, .bytes = bytes};

	assert_int_equal(families_mapped(&f->families, &f->member[i], &s, 1, &f->base[i]), 0);
}

void folk_settle(struct folk *f)
{
	struct family_member *m;

	folk_notice(f);
	f->visits = 0;
	while ((m = families_affected(&f->families))) {
		unsigned int i = (unsigned int)(m - f->member);
		struct estimate_now now = folk_now(f, i);

		assert_true(f->measured[i]);
		families_doubt(m, &f->base[i], &now, &f->doubt[i]);
		f->visits++;
	}
	f->now += 5 * SEC;
	f->listed = f->alive;
	f->is_noticing = false;
}

void folk_measure_all(struct folk *f, uint64_t libraries)
{
	f->now += SEC;
	for (unsigned int i = 0; i < WORLD_PROCESSES; i++)
		if (f->alive & world_bit(i)) {
			folk_measure(f, i);
			if (libraries)
				folk_map_segments(f, i, libraries);
		}
	folk_settle(f);
}

struct estimate_doubt folk_doubt(const struct folk *f, unsigned int i)
{
	struct estimate_doubt d = f->doubt[i], stirred;
	struct estimate_now now = folk_now(f, i);

	if (families_stirred(&f->member[i], &f->base[i], &now, &stirred))
		estimate_doubt_add(&d, &stirred);
	d.anon_up += families_unconfirmed(&f->member[i], &f->base[i]);
	return d;
}

struct estimate folk_estimate(const struct folk *f, unsigned int i)
{
	struct estimate_now now = folk_now(f, i), theirs;
	struct estimate_doubt doubt;
	struct estimate e;

	if (f->measured[i]) {
		doubt = folk_doubt(f, i);
		estimate_carry(&f->base[i], &now, &doubt, &e);
	} else {
		struct family_member *speaker = families_speaker(&f->member[i]);
		unsigned int s = (unsigned int)(speaker - f->member);

		assert_non_null(speaker);
		theirs = folk_now(f, s);
		families_borrow(&f->member[i], speaker, &f->base[s], &theirs, &now, &doubt);
		estimate_carry(&f->base[s], &now, &doubt, &e);
	}
	return e;
}

bool folk_is_within_bounds(const struct folk *f, unsigned int i)
{
	struct estimate e = folk_estimate(f, i);
	uint64_t pss = folk_truth(f, i);

	return e.low <= pss + 4 * KIB && pss <= e.high + 4 * KIB;
}

void folk_assert_bounds(const struct folk *f, unsigned int i)
{
	struct estimate e = folk_estimate(f, i);
	uint64_t pss = folk_truth(f, i);

	if (!folk_is_within_bounds(f, i))
		fail_msg("process %u: %ju not in %ju to %ju", i, (uintmax_t)pss, (uintmax_t)e.low,
			(uintmax_t)e.high);
}

void folk_assert_all_bounds(const struct folk *f)
{
	for (unsigned int i = 0; i < WORLD_PROCESSES; i++)
		if ((f->alive & world_bit(i)) &&
			(f->measured[i] || families_speaker(&f->member[i])))
			folk_assert_bounds(f, i);
}

void folk_assert_all_within(const struct folk *f, unsigned int per_mille)
{
	for (unsigned int i = 0; i < WORLD_PROCESSES; i++) {
		uint64_t pss = folk_truth(f, i), mid, error;

		if (!(f->alive & world_bit(i)))
			continue;
		mid = folk_estimate(f, i).pss;
		error = mid > pss ? mid - pss : pss - mid;
		if (error > pss * per_mille / 1000 + 2 * KIB)
			fail_msg("process %u: %ju instead of %ju", i, (uintmax_t)mid,
				(uintmax_t)pss);
	}
}

uint64_t folk_width(const struct folk *f)
{
	uint64_t sum = 0, pss = 0;

	for (unsigned int i = 0; i < WORLD_PROCESSES; i++)
		if (f->alive & world_bit(i)) {
			struct estimate e = folk_estimate(f, i);

			sum += e.high - e.low;
			pss += e.pss;
		}
	return pss ? sum * 1000 / pss : 0;
}

void folk_start_server(struct folk *f)
{
	folk_start(f, 0);
	folk_start(f, 63);
	folk_allocate(f, 0, 512 * MIB);
	folk_allocate(f, 63, 3 * MIB);
	folk_map(f, 10 * MIB, world_bit(0) | world_bit(63), WORLD_FILES);
	folk_measure(f, 0);
	folk_measure(f, 63);
	folk_settle(f);
}

void folk_fork_workers(struct folk *f, unsigned int count)
{
	for (unsigned int i = 1; i <= count; i++)
		folk_fork(f, 0, i);
	folk_settle(f);
}
