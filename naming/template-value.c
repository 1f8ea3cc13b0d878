/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a template: fields, matches, truth and comparison. */
#include "config.h"

#include "naming/template-private.h"

static const struct field {
	const char *name;
	size_t offset; /* TEXT */
	unsigned int use;
	enum value_kind kind;
} fields[] = {
	{"Cgroups", 0, TEMPLATE_CGROUPS, VALUE_LIST},
	{"Comm", offsetof(struct template_process, comm), 0, VALUE_TEXT},
	{"ExeBase", offsetof(struct template_process, exe_base), 0, VALUE_TEXT},
	{"ExeFull", offsetof(struct template_process, exe_full), 0, VALUE_TEXT},
	{"Username", offsetof(struct template_process, username), TEMPLATE_USERNAME, VALUE_TEXT},
	{"PID", 0, 0, VALUE_INT},
	{"StartTime", 0, 0, VALUE_TIME},
	{"Matches", 0, 0, VALUE_MATCHES},
};

static const struct field *field_find(const struct template_text *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (template_text_is(name, fields[i].name))
			return &fields[i];
	return NULL;
}

unsigned int template_field_use(const struct template_text *name)
{
	const struct field *f = field_find(name);

	return f ? f->use : 0;
}

static struct value field_value(const struct field *f, const struct template_process *p)
{
	struct value v = {.kind = f->kind};
	const struct template_text *text;

	switch (f->kind) {
	case VALUE_TEXT:
		text = (const struct template_text *)((const char *)p + f->offset);
		return template_value_text(text->text, text->len);
	case VALUE_LIST:
		v.list = p->cgroups;
		v.count = p->cgroups_count;
		break;
	case VALUE_INT: v.number = p->pid; break;
	case VALUE_TIME: v.number = p->start_s; break;
	default: break;
	}
	return v;
}

struct value template_value_text(const char *text, size_t len)
{
	return (struct value){.kind = VALUE_TEXT, .text = {len ? text : "", len}};
}

struct value template_value_match(struct run *r, const struct template_text *name)
{
	for (size_t i = r->p->matches_count; i > 0; i--) {
		const struct capture *c = &r->p->matches[i - 1];

		r->work++;
		if (template_text_is(name, c->name))
			return template_value_text(c->text, c->len);
	}
	return (struct value){.kind = VALUE_MISSING};
}

const struct capture *template_next_match(struct run *r, const struct capture *after)
{
	const struct capture *next = NULL;

	if (template_spend(r, r->p->matches_count) < 0)
		return NULL;
	for (size_t i = 0; i < r->p->matches_count; i++) {
		const struct capture *c = &r->p->matches[i];

		/* The last one of a name counts. */
		if ((!after || strcmp(c->name, after->name) > 0) &&
			(!next || strcmp(c->name, next->name) <= 0))
			next = c;
	}
	return next;
}

int template_value_field(
	struct run *r, const struct value *v, const struct template_text *name, struct value *ret)
{
	const struct field *f;

	switch (v->kind) {
	case VALUE_MISSING: *ret = *v; return 0;
	case VALUE_MATCHES: *ret = template_value_match(r, name); return 0;
	case VALUE_PROCESS:
		f = field_find(name);
		if (!f)
			return -EINVAL;
		*ret = field_value(f, r->p);
		return 0;
	default: return -EINVAL;
	}
}

bool template_value_truth(const struct run *r, const struct value *v)
{
	switch (v->kind) {
	case VALUE_MISSING: return false;
	case VALUE_BOOL:
	case VALUE_INT: return v->number != 0;
	case VALUE_TEXT: return v->text.len > 0;
	case VALUE_LIST: return v->count > 0;
	case VALUE_MATCHES: return r->p->matches_count > 0;
	default: return true;
	}
}

/* Returns less than 0, 0 or more than 0, as memcmp(). */
static int compare_texts(
	struct run *r, const struct template_text *a, const struct template_text *b)
{
	size_t len = a->len < b->len ? a->len : b->len;
	int order = len ? memcmp(a->text, b->text, len) : 0;

	r->work += len / 64;
	return order ? order : (a->len > b->len) - (a->len < b->len);
}

int template_value_equal(struct run *r, const struct value *a, const struct value *b, bool *ret)
{
	*ret = false;
	if (a->kind != b->kind)
		return a->kind == VALUE_MISSING || b->kind == VALUE_MISSING ? 0 : -EINVAL;
	if (a->kind == VALUE_LIST || a->kind == VALUE_MATCHES)
		return -EINVAL;
	*ret = a->kind == VALUE_TEXT ? !compare_texts(r, &a->text, &b->text)
	                             : a->number == b->number;
	return 0;
}

int template_value_less(struct run *r, const struct value *a, const struct value *b, bool *ret)
{
	if (a->kind != b->kind || (a->kind != VALUE_INT && a->kind != VALUE_TEXT))
		return -EINVAL;
	*ret = a->kind == VALUE_TEXT ? compare_texts(r, &a->text, &b->text) < 0
	                             : a->number < b->number;
	return 0;
}
