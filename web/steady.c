/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/steady.h"

#include "render/decimal.h"
#include "render/human.h"

enum {
	INTEGER_DIGITS = 15, /* enough for the bytes of any host */
	SECONDS_DIGITS = sizeof("9999999999.999999999") - 1,
	AGE_LEN = sizeof("2777777 h 59 min") - 1,
};

static void owe(struct steady *s, size_t before, size_t digits)
{
	size_t len = s->to->len - before;

	s->slack += len < digits ? digits - len : 0;
}

void steady_add_u64(struct steady *s, uint64_t value)
{
	size_t before = s->to->len;

	buffer_add_u64(s->to, value);
	owe(s, before, INTEGER_DIGITS);
}

void steady_add_seconds(struct steady *s, uint64_t ns)
{
	size_t before = s->to->len;

	decimal_add_seconds(s->to, ns);
	owe(s, before, SECONDS_DIGITS);
}

void steady_add_age(struct steady *s, uint64_t ns)
{
	size_t before = s->to->len;

	human_add_age(s->to, ns);
	owe(s, before, AGE_LEN);
}

void steady_settle(struct steady *s)
{
	for (; s->slack; s->slack--)
		buffer_add_char(s->to, ' ');
}
