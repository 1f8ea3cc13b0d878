/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/herd/odd.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "tests/herd/self.h"

enum { CROWD_USERS = 100 };

/*
 * Patterns that a reader might execute, mistake for an end, or fail on: escape sequences, ends of
 * labels, lines and fields, control characters of 7 and 8 bits, bidirectional marks, separators,
 * invalid UTF-8, and incomplete characters.
 */
static const struct {
	const char *before, *behind;
} shapes[] = {
	{"\033[2J", ""},
	{"\033]0;", "\a"},
	{"\"} 1\n", ""},
	{"", "\n# EOF"},
	{"\\\"", "\\"},
	{"{", "=\"x\"}"},
	{"", "\\n\\"},
	{") S 1 1 (", ""},
	{"a) R ", ""},
	{"", "\177\b\r"},
	{"\xc2\x9b", "m"},
	{"\xe2\x80\xae", ""},
	{"", "\xe2\x81\xa6"},
	{"\xe2\x80\xa8", ""},
	{"", "\xff\xfe\xc3("},
	{"", "\xf0\x9f\x98"},
	{"\xed\xa0\x80", ""},
	{"\xef\xbb\xbf", ""},
	{"\xc0\xaf", ""},
	{" ", "\t"},
};

void odd_hostile_name(uint64_t i, char to[static ODD_NAME_SIZE])
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	const size_t shape = i % ARRAY_SIZE(shapes);
	char text[8] = "", *at = text + sizeof(text) - 1;

	do {
		*--at = digits[i % (sizeof(digits) - 1)];
		i /= sizeof(digits) - 1;
	} while (i && at > text);
	snprintf(to, ODD_NAME_SIZE, "%s%s%s", shapes[shape].before, at, shapes[shape].behind);
}

static void become_one(const struct odd *crowd, uint64_t i, pid_t parent, int ready)
{
	struct odd odd = *crowd;
	char name[ODD_NAME_SIZE];

	odd_hostile_name(i, name);
	odd.uid = crowd->uid + (uid_t)(i % CROWD_USERS);
	odd.parent = parent;
	odd.ready = ready;
	odd_begin(&odd, name, 0);
	odd_report(&odd, TAPE_ALWAYS, odd_own_cell);
	odd_play(&odd);
}

/*
 * The parent stays root, since it needs the right to set the users of its children. It waits until
 * it is killed.
 */
void odd_crowd(struct odd *odd)
{
	pid_t self = getpid(), child;
	int ends[2];

	self_unblock_signals();
	self_settle(0, odd->parent);
	prctl(PR_SET_NAME, "crowd");
	signal(SIGCHLD, SIG_IGN);
	if (pipe(ends) < 0)
		self_fail("pipe");
	for (uint64_t i = 0; i < odd->number; i++) {
		child = fork();
		if (child < 0)
			self_fail("fork");
		if (child == 0)
			become_one(odd, i, self, ends[1]);
		if (read(ends[0], &child, sizeof(child)) != (ssize_t)sizeof(child))
			self_fail("a member");
	}
	if (write(odd->ready, &self, sizeof(self)) != (ssize_t)sizeof(self))
		_exit(1);
	self_close_all_but(odd->ready);
	for (;;)
		pause();
}
