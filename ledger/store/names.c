/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/store/names.h"

#include "ledger/count/folding.h"
#include "ledger/count/slots.h"

size_t names_left(const struct names *n, enum usage_kind kind, int64_t s)
{
	size_t half = folding_rows_max(kind);
	size_t gone = (size_t)(s - slots_begin(SLOT_DAY, s));
	size_t allowed = half + half * gone / (size_t)slots_seconds(SLOT_DAY);
	size_t taken = n->day == slots_of(SLOT_DAY, s) ? n->taken[kind] : 0;

	return taken < allowed ? allowed - taken : 0;
}
