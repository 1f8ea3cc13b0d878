/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/siphash.h, the keyed hash SipHash. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "base/siphash.h"

/*
 * The key and texts of the paper: the key is the bytes 0 to 15, each text is the first LEN of the
 * bytes 0, 1, 2 ...
 */
static const struct siphash_key of_paper = {
	{UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)}};

static uint64_t hash(const struct siphash_key *key, size_t len, size_t piece)
{
	unsigned char text[64];
	struct siphash s;

	for (size_t i = 0; i < len; i++)
		text[i] = (unsigned char)i;
	siphash_init(&s, key);
	for (size_t at = 0; at < len; at += piece)
		siphash_add(&s, text + at, len - at < piece ? len - at : piece);
	return siphash_end(&s);
}

/* Compares with vectors_sip64 of the reference implementation, for input in any pieces. */
static void equals_the_reference_implementation(void **state)
{
	static const struct {
		size_t len;
		uint64_t hash;
	} cases[] = {
		{0, UINT64_C(0x726fdb47dd0e0e31)},
		{1, UINT64_C(0x74f839c593dc67fd)},
		{7, UINT64_C(0xab0200f58b01d137)},
		{8, UINT64_C(0x93f5f5799a932462)},
		{15, UINT64_C(0xa129ca6149be45e5)},
		{63, UINT64_C(0x958a324ceb064572)},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (size_t piece = 1; piece <= 64; piece++)
			assert_true(hash(&of_paper, cases[i].len, piece) == cases[i].hash);
}

static void keys_differ(void **state)
{
	struct siphash_key a = siphash_new_key(), b = siphash_new_key();

	(void)state;
	assert_true(a.half[0] && a.half[1]);
	assert_memory_not_equal(&a, &b, sizeof(a));
	assert_true(hash(&a, 10, 10) != hash(&b, 10, 10));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_the_reference_implementation),
		cmocka_unit_test(keys_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
