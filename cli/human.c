/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/human.h"

#include <math.h>
#include <stdbool.h>

#include "base/clock.h"

enum {
	UNIT_BITS = 10,
	TENTHS = 10,
};

/* BYTES in tenths of 1 << SHIFT, to nearest. Ten times a rest below 2^60 still fits. */
static uint64_t tenths_of(uint64_t bytes, unsigned int shift)
{
	uint64_t unit = UINT64_C(1) << shift, whole = bytes >> shift, rest = bytes & (unit - 1);

	return whole * TENTHS + (rest * TENTHS + unit / 2) / unit;
}

void human_add_bytes(struct buffer *to, uint64_t bytes)
{
	static const char *const names[] = {" KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
	uint64_t tenths = tenths_of(bytes, UNIT_BITS);
	unsigned int i = 0;

	while (tenths >= TENTHS << UNIT_BITS && i + 1 < ARRAY_SIZE(names)) {
		i++;
		tenths = tenths_of(bytes, UNIT_BITS * (i + 1));
	}
	buffer_add_u64(to, tenths / TENTHS);
	buffer_add_char(to, '.');
	buffer_add_u64(to, tenths % TENTHS);
	buffer_add_text(to, names[i]);
}

static void add_amount(struct buffer *to, uint64_t amount, const char *unit)
{
	buffer_add_u64(to, amount);
	buffer_add_text(to, unit);
}

void human_add_age(struct buffer *to, uint64_t ns)
{
	uint64_t seconds = ns / NS_PER_SEC;

	if (seconds >= 3600) {
		add_amount(to, seconds / 3600, " h ");
		add_amount(to, seconds / 60 % 60, " min");
	} else if (seconds >= 60) {
		add_amount(to, seconds / 60, " min ");
		add_amount(to, seconds % 60, " s");
	} else {
		add_amount(to, seconds, " s");
	}
}

void human_add_span(struct buffer *to, uint64_t ns)
{
	bool is_short = ns < NS_PER_SEC;
	double value = (double)ns / (double)(is_short ? NS_PER_MSEC : NS_PER_SEC);

	if (ns >= 60 * NS_PER_SEC)
		human_add_age(to, ns);
	else
		buffer_printf(to, "%.*f %s", value < 9.95 && value != trunc(value), value,
			is_short ? "ms" : "s");
}

void human_add_percent(struct buffer *to, double part)
{
	double percent = part * 100;

	if (percent > 0 && percent < 0.001)
		buffer_add_text(to, "under 0.001 %");
	else if (percent > 99 && percent < 100)
		buffer_printf(to, "%.1f %%", fmin(percent, 99.9));
	else if (percent < 9.95)
		buffer_printf(to, "%.2g %%", percent);
	else
		buffer_printf(to, "%.0f %%", percent);
}
