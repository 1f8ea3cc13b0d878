/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "render/human.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/clock.h"

enum {
	UNIT_BITS = 10,
	TENTHS = 10,
};

static const char *const unit_names[] = {" KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};

/*
 * Returns BYTES in tenths of 1 << SHIFT, rounded to nearest. Ten times a remainder below 2^60 fits
 * in 64 bits.
 */
static uint64_t tenths_of(uint64_t bytes, unsigned int shift)
{
	uint64_t unit = UINT64_C(1) << shift, whole = bytes >> shift, rest = bytes & (unit - 1);

	return whole * TENTHS + (rest * TENTHS + unit / 2) / unit;
}

struct amount {
	uint64_t tenths;
	unsigned int unit;
};

static struct amount amount_of(uint64_t bytes)
{
	struct amount a = {.tenths = tenths_of(bytes, UNIT_BITS)};

	while (a.tenths >= TENTHS << UNIT_BITS && a.unit + 1 < ARRAY_SIZE(unit_names)) {
		a.unit++;
		a.tenths = tenths_of(bytes, UNIT_BITS * (a.unit + 1));
	}
	return a;
}

static void add_tenths(struct buffer *to, uint64_t tenths)
{
	buffer_add_u64(to, tenths / TENTHS);
	buffer_add_char(to, '.');
	buffer_add_u64(to, tenths % TENTHS);
}

void human_add_bytes(struct buffer *to, uint64_t bytes)
{
	struct amount a = amount_of(bytes);

	add_tenths(to, a.tenths);
	buffer_add_text(to, unit_names[a.unit]);
}

bool human_is_alike(uint64_t a_bytes, uint64_t b_bytes)
{
	struct amount a = amount_of(a_bytes), b = amount_of(b_bytes);

	return a.unit == b.unit && a.tenths == b.tenths;
}

void human_add_range(struct buffer *to, uint64_t low_bytes, const char *word, uint64_t high_bytes)
{
	struct amount low = amount_of(low_bytes), high = amount_of(high_bytes);

	add_tenths(to, low.tenths);
	if (low.unit != high.unit)
		buffer_add_text(to, unit_names[low.unit]);
	buffer_printf(to, " %s ", word);
	human_add_bytes(to, high_bytes);
}

static void human_add_amount(struct buffer *to, uint64_t amount, const char *unit)
{
	buffer_add_u64(to, amount);
	buffer_add_text(to, unit);
}

void human_add_age(struct buffer *to, uint64_t ns)
{
	uint64_t seconds = ns / NS_PER_SEC;

	if (seconds >= 3600) {
		human_add_amount(to, seconds / 3600, " h ");
		human_add_amount(to, seconds / 60 % 60, " min");
	} else if (seconds >= 60) {
		human_add_amount(to, seconds / 60, " min ");
		human_add_amount(to, seconds % 60, " s");
	} else {
		human_add_amount(to, seconds, " s");
	}
}

void human_add_span(struct buffer *to, uint64_t ns)
{
	bool is_short = ns < NS_PER_SEC;
	double value = (double)ns / (double)(is_short ? NS_PER_MSEC : NS_PER_SEC);
	double shown = round(value * TENTHS) / TENTHS;

	if (ns >= 60 * NS_PER_SEC)
		human_add_age(to, ns);
	else
		buffer_printf(to, "%.*f %s", value < 9.95 && shown != trunc(shown), value,
			is_short ? "ms" : "s");
}

bool human_is_span_alike(uint64_t a_ns, uint64_t b_ns)
{
	AUTO_BUFFER struct buffer a = {0}, b = {0};

	human_add_span(&a, a_ns);
	human_add_span(&b, b_ns);
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static void add_percent(struct buffer *to, double percent)
{

	if (percent > 0 && percent < 0.001)
		buffer_add_text(to, "under 0.001 %");
	else if (percent > 99 && percent < 100)
		buffer_printf(to, "%.1f %%", fmin(percent, 99.9));
	else if (percent < 9.95)
		buffer_printf(to, "%.2g %%", percent);
	else
		buffer_printf(to, "%.0f %%", percent);
}

void human_add_percent(struct buffer *to, double part)
{
	add_percent(to, part * 100);
}

void human_add_percent_up(struct buffer *to, double part)
{
	double percent = part * 100, digit = 1;

	/* Tolerates the rounding of doubles, so that 1 % stays 1 %. */
	if (percent >= 0.001 && percent < 10)
		digit = pow(10, floor(log10(percent)) - 1);
	if (percent >= 0.001)
		percent = ceil(percent / digit - 1e-6) * digit;
	add_percent(to, percent);
}
