/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/process/process.h: the control group and the user of a process. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "collectors/process/process.h"
#include "tests/unit/support/tree/subject.h"
#include "tests/unit/support/tree/tree.h"

static void a_cgroup_may_be_read_alone(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();

	(void)state;
	subject_read(s, 1);
	s->p.cgroup = "/system.slice/y.service";
	tree_add(&s->tree, &s->p);
	assert_int_equal(process_read_cgroup(&s->reader, &s->process, 7, &s->sample), 0);
	assert_true(s->sample.has_cgroup && s->sample.is_member);
	assert_int_equal(s->sample.uid, s->p.uid);
	assert_memory_equal(s->reader.cgroup.unit.text, "y.service", 9);
	assert_int_equal(s->process.cgroup_ns, 7);
}

/* However long the process has been in its cgroup, it may be moved. */
static void cgroup_is_read_again_periodically(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();
	uint64_t now_ns = 100000, last_ns = 0;
	unsigned int reads = 0;

	(void)state;
	s->reader.cgroup_max_age_ns = 100;
	for (unsigned int i = 0; i < 10000; i++)
		if (subject_read(s, ++now_ns)->has_cgroup) {
			assert_true(!last_ns || now_ns - last_ns <= 100);
			last_ns = now_ns;
			reads++;
		}
	assert_in_range(reads, 100, 102);
}

/* An unreadable cgroup file does not change the unit. */
static void keeps_the_unit_if_cgroup_cannot_be_read(void **state)
{
	static const int errors[] = {EMFILE, ENFILE, ESRCH, EIO};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		AUTO_SUBJECT struct subject *s = subject_bash();
		struct tree_event event = {.suffix = "cgroup", .error = errors[i]};

		subject_read(s, 1000);
		tree_expect(&event, 1);
		assert_false(subject_read(s, 1100)->has_cgroup);
		subject_assert_measured(s);
		assert_int_equal(event.count, 1);
		tree_expect(NULL, 0);
		assert_true(subject_read(s, 1101)->has_cgroup);
	}
}

static void write_ids(struct subject *s, unsigned int rgid, unsigned int gid)
{
	AUTO_BUFFER struct buffer text = {0};

	buffer_printf(&text,
		"Name:\tbash\nState:\tS\nUid:\t1000\t1001\t0\t0\nGid:\t%u\t%u\t0\t0\nVmSize:\t8000 kB\n"
		"VmRSS:\t5000 kB\nThreads:\t1\n",
		rgid, gid);
	buffer_add_char(&text, '\0');
	assert_int_equal(text.error, 0);
	tree_write(&s->tree, "42/status", text.data);
}

static void assert_counted(const struct sample *got, uint32_t user, uint32_t group)
{
	assert_int_equal(got->uid, 1001); /* whichever user it is counted for */
	assert_int_equal(got->user, user);
	assert_int_equal(got->group, group);
}

/* By effective uid, by real uid, or by login uid. */
static void counts_for_the_configured_user(void **state)
{
	AUTO_SUBJECT struct subject *s = subject_bash();

	(void)state;
	write_ids(s, 2000, 2001);
	assert_counted(subject_read(s, 1000), 1001, 2001);
	s->reader.user_by = ACCOUNTING_REAL;
	assert_counted(subject_read(s, 1000), 1000, 2000);
	write_ids(s, 3000, 3001);
	assert_counted(subject_read(s, 1000), 1000, 3000);
	s->reader.user_by = ACCOUNTING_EFFECTIVE;
	assert_counted(subject_read(s, 1000), 1001, 3001);
}

static void reads_the_login_uid(void **state)
{
	static const struct {
		const char *text; /* NULL: there is no loginuid, as without audit */
		bool is_due;
		uint32_t user;
	} cases[] = {
		{"77", false, 77},
		{"78", false, 77}, /* read together with the cgroup, which is not due */
		{"78", true, 78},
		{"x", true, 78},                   /* a malformed one changes nothing */
		{"4294967295", true, OWNER_NO_ID}, /* without a login */
		{"5", true, 5},
		{NULL, true, OWNER_NO_ID},
	};
	AUTO_SUBJECT struct subject *s = subject_bash();

	(void)state;
	s->reader.user_by = ACCOUNTING_LOGIN;
	write_ids(s, 2000, 2001);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (cases[i].text)
			tree_write(&s->tree, "42/loginuid", cases[i].text);
		else
			assert_int_equal(unlinkat(s->tree.fd, "42/loginuid", 0), 0);
		if (cases[i].is_due)
			s->process.cgroup_ns = 0;
		assert_counted(subject_read(s, cases[i].is_due ? UINT64_MAX / 2 : 1000),
			cases[i].user, 2001);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cgroup_may_be_read_alone),
		cmocka_unit_test(cgroup_is_read_again_periodically),
		cmocka_unit_test(keeps_the_unit_if_cgroup_cannot_be_read),
		cmocka_unit_test(counts_for_the_configured_user),
		cmocka_unit_test(reads_the_login_uid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
