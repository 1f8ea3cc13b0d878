/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the comparison of passwords with bcrypt hashes. A replaced crypt function counts the
 * rounds.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "web/auth/bcrypt.h"

#define SECRET_4 "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"
#define SECRET_5 "$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a"
#define EMPTY_4  "$2a$04$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiq"
#define LONG_4   "$2b$04$abcdefghijklmnopqrstuubzadhGtS2zEF.gu0yd0opP6cVzb.e0i"
#define UMLAUT_4 "$2b$04$abcdefghijklmnopqrstuuF7KK/SfP9IRGj0pPJMr8GdtCS8xpmpC"

static unsigned long rounds; /* sum of 2^cost over all hashes */

char *__real_crypt_rn(const char *phrase, const char *setting, void *data, int size);
char *__wrap_crypt_rn(const char *phrase, const char *setting, void *data, int size);

char *__wrap_crypt_rn(const char *phrase, const char *setting, void *data, int size)
{
	char *made = __real_crypt_rn(phrase, setting, data, size);

	if (made)
		rounds += 1UL << bcrypt_cost(setting);
	return made;
}

static bool check(const char *password, const char *hash, unsigned int most)
{
	AUTO_FREE struct crypt_data *memory = calloc(1, sizeof(*memory));

	assert_non_null(memory);
	rounds = 0;
	return bcrypt_check(password, hash, most, memory);
}

static void knows_passwords(void **state)
{
	char long_password[512];

	(void)state;
	assert_true(check("secret", SECRET_4, 4));
	assert_true(check("secret", SECRET_5, 5));
	assert_true(check("", EMPTY_4, 4));
	assert_true(check("p\xc3\xa4ss", UMLAUT_4, 4));
	memset(long_password, 'x', sizeof(long_password));
	long_password[72] = 0;
	assert_true(check(long_password, LONG_4, 4));
	long_password[71] = 0;
	assert_false(check(long_password, LONG_4, 4));
	long_password[71] = 'x';
	long_password[511] = 0;
	assert_false(check(long_password, SECRET_4, 4));

	assert_false(check("secres", SECRET_4, 4));
	assert_false(check("Secret", SECRET_4, 4));
	assert_false(check("secret ", SECRET_4, 4));
	assert_false(check("", SECRET_4, 4));
	assert_false(check("secret", EMPTY_4, 4));
	assert_false(check("secret", NULL, 4));
	assert_false(check("", NULL, 4));
}

/* Each byte after the salt counts. */
static void compares_whole_hashes(void **state)
{
	(void)state;
	for (size_t i = 29; i < strlen(SECRET_4); i++) {
		char hash[] = SECRET_4;

		hash[i] = hash[i] == 'a' ? 'b' : 'a';
		assert_false(check("secret", hash, 4));
	}
}

/*
 * The last character of a salt has four unused bits. libxcrypt normalizes them; hashes of other
 * programs may have them set.
 */
static void takes_other_programs_salts(void **state)
{
	char hash[] = SECRET_4;

	(void)state;
	hash[28] = 'v';
	assert_true(check("secret", hash, 4));
}

static void takes_the_same_time_for_all(void **state)
{
	(void)state;
	for (unsigned int most = 5; most < 9; most++) {
		assert_true(check("secret", SECRET_4, most));
		assert_int_equal(rounds, 1UL << most);
		assert_true(check("secret", SECRET_5, most));
		assert_int_equal(rounds, 1UL << most);
		assert_false(check("wrong", SECRET_4, most));
		assert_int_equal(rounds, 1UL << most);
		assert_false(check("secret", NULL, most));
		assert_int_equal(rounds, 1UL << most);
	}
}

/* Neither the password nor data derived from it stays in memory. */
static void clears_its_memory(void **state)
{
	AUTO_FREE struct crypt_data *memory = calloc(1, sizeof(*memory));
	const unsigned char *byte = (const unsigned char *)memory;

	(void)state;
	assert_non_null(memory);
	assert_true(bcrypt_check("secret", SECRET_4, 4, memory));
	for (size_t i = 0; i < sizeof(*memory); i++)
		assert_int_equal(byte[i], 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_passwords),
		cmocka_unit_test(compares_whole_hashes),
		cmocka_unit_test(takes_other_programs_salts),
		cmocka_unit_test(takes_the_same_time_for_all),
		cmocka_unit_test(clears_its_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
