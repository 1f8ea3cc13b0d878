/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/own/fixed-width.h"

#include "render/decimal.h"
#include "render/human.h"

enum {
	INTEGER_DIGITS = 15, /* enough for the bytes of any host */
	SECONDS_DIGITS = sizeof("9999999999.999999999") - 1,
	AGE_LEN = sizeof("2777777 h 59 min") - 1,
};

static void fixed_width_owe(struct fixed_width *s, size_t before, size_t digits)
{
	size_t len = s->to->len - before;

	s->slack += len < digits ? digits - len : 0;
}

void fixed_width_add_u64(struct fixed_width *s, uint64_t value)
{
	size_t before = s->to->len;

	buffer_add_u64(s->to, value);
	fixed_width_owe(s, before, INTEGER_DIGITS);
}

void fixed_width_add_seconds(struct fixed_width *s, uint64_t ns)
{
	size_t before = s->to->len;

	decimal_add_seconds(s->to, ns);
	fixed_width_owe(s, before, SECONDS_DIGITS);
}

void fixed_width_add_age(struct fixed_width *s, uint64_t ns)
{
	size_t before = s->to->len;

	human_add_age(s->to, ns);
	fixed_width_owe(s, before, AGE_LEN);
}

void fixed_width_settle(struct fixed_width *s)
{
	for (; s->slack; s->slack--)
		buffer_add_char(s->to, ' ');
}
