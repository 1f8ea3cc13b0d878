/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/sharing/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "render/human.h"

#define FIRST_NS NS_PER_SEC
#define EVERY_NS (NS_PER_SEC / 5)

static const char take_away[] = "\r\033[K";

void progress_begin(struct progress *p, const char *what, size_t all)
{
	*p = (struct progress){
		.what = what,
		.all = all,
		.is_shown = isatty(STDERR_FILENO),
		.next_ns = clock_now_ns(CLOCK_MONOTONIC) + FIRST_NS,
	};
}

void progress_tick(struct progress *p, uint64_t bytes)
{
	uint64_t now_ns = p->is_shown ? clock_now_ns(CLOCK_MONOTONIC) : 0;
	AUTO_BUFFER struct buffer text = {0};

	if (!p->is_shown || now_ns < p->next_ns)
		return;
	p->next_ns = now_ns + EVERY_NS;
	p->has_line = true;
	human_add_bytes(&text, bytes);
	fprintf(stderr, "%s%s: %zu of %zu processes, %.*s", take_away, p->what, p->done, p->all,
		(int)text.len, text.data ? text.data : "");
}

void progress_end(struct progress *p)
{
	if (p->has_line)
		fputs(take_away, stderr);
	p->has_line = false;
}
