/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Templates: names of groups in the language of Go's text/template, as far as a name needs it.
 * docs/process-exporter.md lists what is supported.
 */
#ifndef MEMTALLY_NAMING_TEMPLATE_H
#define MEMTALLY_NAMING_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "naming/pattern.h"

struct template;

/* Fields of a process that are known only if a template uses them, as bits of template_uses(). */
enum template_use {
	TEMPLATE_USERNAME = 1 << 0,
	TEMPLATE_CGROUPS = 1 << 1,
};

/* A piece of text: LEN bytes of valid UTF-8, borrowed, not terminated. */
struct template_text {
	const char *text;
	size_t len;
};

/* Returns whether TEXT is WANTED. */
static inline bool template_text_is(const struct template_text *text, const char *wanted)
{
	return text->len == strlen(wanted) && !memcmp(text->text, wanted, text->len);
}

/* The process that a template describes. All is borrowed. */
struct template_process {
	struct template_text comm, exe_base, exe_full, username;
	/*
	 * Whole matches and groups of all patterns, in their order. Of several with one name the
	 * last one counts. Whole matches, and groups without a name, have the name "".
	 */
	const struct capture *matches;
	size_t matches_count;
	const struct template_text *cgroups; /* paths, in the order of /proc/PID/cgroup */
	size_t cgroups_count;
	int64_t start_s; /* seconds since the epoch */
	uint32_t pid;
};

/*
 * Compiles TEXT, terminated UTF-8 of at most 16 KiB. Returns 0 and sets *RET, which the caller frees
 * with template_free(); -EINVAL with a message in ERROR, one line that says what is wrong and at
 * which character; or -ENOMEM.
 */
int template_new(const char *text, struct template **ret, char error[static NAMING_ERROR_SIZE]);
void template_free(struct template *t); /* accepts NULL */

/* Returns bits of enum template_use. */
unsigned int template_uses(const struct template *t);

/*
 * Appends the name that T gives P to TO: at most SIZE bytes, cut at a character. The name is not
 * clean text, and not even UTF-8 if T slices a character. Work is bounded, whatever T and P are.
 *
 * Returns 0; -EINVAL if the template failed while it ran, such as for an unknown field, an index out
 * of range, %d of a text or too much work: TO has the text before the failure then, as groups of
 * process-exporter have; or -ENOMEM. A failure behind SIZE bytes is not noticed.
 */
int template_run(
	const struct template *t, const struct template_process *p, size_t size, struct buffer *to);

#endif
