/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "base/buffer.h"
#include "base/text.h"
#include "naming/rules.h"
#include "snapshot/record.h"

/* Whatever the rules are, a name is clean, and there is one exactly if a rule matched. */
static void check_match(struct naming_rules *rules, const struct naming_process *p)
{
	AUTO_BUFFER struct buffer name = {0};
	bool failed;
	int r = naming_rules_match(rules, p, NAMING_MOST, &name, &failed);

	fuzz_check(r == 0 || r == 1);
	fuzz_check(!name.error && (r == 1) == (name.len > 0) && name.len <= SNAPSHOT_NAME_MAX);
	fuzz_check(text_is_clean(name.data, name.len));
}

static void check_matches(struct naming_rules *rules)
{
	static const char args[] = "/bin/\xff"
				   "aaa\0-x\0\0(other)";
	struct naming_process p = {.comm = "a\xc3",
		.comm_len = 2,
		.cmdline = args,
		.cmdline_len = sizeof(args),
		.username = "u",
		.cgroup = "1:a:/b\n0::/c\n",
		.cgroup_len = 13,
		.start_s = 1700000000,
		.pid = 7,
		.uid = 8};

	check_match(rules, &p);
	p.cmdline_len = 0;
	p.username = NULL;
	p.cgroup = NULL;
	check_match(rules, &p);
}

/* Fuzzes the reader of naming rules. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct naming_rules *rules = NULL;
	char error[NAMING_ERRORS_SIZE];
	int r = naming_rules_parse("f", (const char *)data, size, &rules, error);

	fuzz_check(r == 0 || r == -EINVAL || r == -EBADMSG);
	fuzz_check((r == 0) == !error[0] && (r == 0) == (rules != NULL));
	if (r < 0)
		fuzz_check(!strncmp(error, "f:", 2) && strlen(error) > 10);
	else
		check_matches(rules);
	naming_rules_free(rules);
	return 0;
}
