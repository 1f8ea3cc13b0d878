/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/faults/allocation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static unsigned int fail_at, count;
static bool is_counting, is_reached;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_reallocarray(void *p, size_t n, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
char *__wrap_strdup(const char *text);

void allocation_fail_at(unsigned int n)
{
	fail_at = n;
	count = 0;
	is_counting = true;
}

bool allocation_end(void)
{
	is_reached = fail_at && count >= fail_at;
	is_counting = false;
	return is_reached;
}

bool allocation_check(int r)
{
	allocation_end();
	assert_int_equal(r, is_reached ? -ENOMEM : 0);
	return is_reached;
}

unsigned int allocation_next(unsigned int n)
{
	assert_true(is_reached || n > 1);
	return is_reached ? n + 1 : 0;
}

unsigned int allocation_count(void)
{
	return count;
}

static bool is_to_fail(void)
{
	if (!is_counting || ++count != fail_at)
		return false;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return is_to_fail() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return is_to_fail() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return is_to_fail() ? NULL : __real_realloc(p, size);
}

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
	return is_to_fail() ? NULL : __real_reallocarray(p, n, size);
}

char *__wrap_strdup(const char *text)
{
	return is_to_fail() ? NULL : __real_strdup(text);
}
