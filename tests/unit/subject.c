/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "tests/unit/subject.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

static struct subject *allocate(void)
{
	struct subject *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	tree_expect(NULL, 0);
	s->reader.procfs = &s->procfs;
	s->reader.kept_max = 10;
	return s;
}

struct subject *subject_new(const struct tree_process *p)
{
	struct subject *s = allocate();

	tree_open(&s->tree);
	s->procfs = (struct procfs){.fd = s->tree.fd, .ns_per_tick = 10000000};
	s->p = *p;
	tree_add(&s->tree, &s->p);
	process_init(&s->process, p->pid);
	return s;
}

struct subject *subject_live(void)
{
	struct subject *s = allocate();

	s->procfs = (struct procfs){
		.live = true, .fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	s->child = fork();
	if (s->child == 0) {
		pause();
		_exit(0);
	}
	assert_true(s->procfs.fd >= 0 && s->child > 0);
	process_init(&s->process, s->child);
	return s;
}

void subject_kill(struct subject *s)
{
	kill(s->child, SIGKILL);
	waitpid(s->child, NULL, 0);
	s->child = 0;
}

void subject_done(struct subject **s_)
{
	struct subject *s = *s_;

	tree_expect(NULL, 0);
	process_release(&s->reader, &s->process);
	process_reader_done(&s->reader);
	if (s->child)
		subject_kill(s);
	if (s->procfs.live)
		close(s->procfs.fd);
	else
		tree_done(&s->tree);
	free(s);
}
