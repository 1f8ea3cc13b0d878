/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "naming/template-private.h"

/* Outcome of a list: the name has all that it has room for. */
enum { RUN_FULL = 1 };

static int run_list(struct run *r, const struct node *list);

int template_spend(struct run *r, size_t work)
{
	r->work += work;
	return r->work > TEMPLATE_WORK_MAX ? -EINVAL : 0;
}

int template_eval(struct run *r, const struct node *n, struct value *ret)
{
	struct value base;
	int result = template_spend(r, 1);

	if (result < 0)
		return result;
	switch (n->kind) {
	case NODE_DOT: *ret = r->dot; return 0;
	case NODE_ROOT: *ret = (struct value){.kind = VALUE_PROCESS}; return 0;
	case NODE_CONSTANT: *ret = n->constant; return 0;
	case NODE_CALL:
		result = n->function->call(r, n, ret);
		return result < 0 ? result : template_spend(r, 0);
	default:
		result = template_eval(r, n->expression, &base);
		return result < 0 ? result : template_value_field(r, &base, &n->text, ret);
	}
}

static int run_action(struct run *r, const struct node *n)
{
	struct value v;
	int result = template_eval(r, n->expression, &v);

	if (result < 0)
		return result;
	template_show(r, &r->out, &v);
	return template_spend(r, 0);
}

static int run_if(struct run *r, const struct node *n)
{
	for (;;) {
		const struct node *list;
		struct value v;
		int result = template_eval(r, n->expression, &v);

		if (result < 0)
			return result;
		list = template_value_truth(r, &v) ? n->body : n->otherwise;
		/* Such a list is {{else if}}: any number of these is one level. */
		if (!list || list->kind != NODE_IF || list->next)
			return run_list(r, list);
		n = list;
	}
}

/* Runs the list with V as dot. */
static int run_inner(struct run *r, const struct node *list, const struct value *v)
{
	struct value outer = r->dot;
	int result;

	r->dot = *v;
	result = run_list(r, list);
	r->dot = outer;
	return result;
}

static int run_with(struct run *r, const struct node *n)
{
	struct value v;
	int result = template_eval(r, n->expression, &v);

	if (result < 0)
		return result;
	if (!template_value_truth(r, &v))
		return run_list(r, n->otherwise);
	return run_inner(r, n->body, &v);
}

static int range_list(struct run *r, const struct node *n, const struct value *v)
{
	int result = 0;

	for (size_t i = 0; i < v->count && result == 0; i++) {
		struct value item = template_value_text(v->list[i].text, v->list[i].len);

		result = template_spend(r, 1);
		if (result == 0)
			result = run_inner(r, n->body, &item);
	}
	return result;
}

static int range_matches(struct run *r, const struct node *n)
{
	int result = 0;

	for (const struct capture *c = NULL; result == 0 && (c = template_next_match(r, c));) {
		struct value item = template_value_text(c->text, c->len);

		result = run_inner(r, n->body, &item);
	}
	return result == 0 ? template_spend(r, 0) : result;
}

static int run_range(struct run *r, const struct node *n)
{
	struct value v;
	int result = template_eval(r, n->expression, &v);

	if (result < 0)
		return result;
	if (v.kind != VALUE_LIST && v.kind != VALUE_MATCHES && v.kind != VALUE_MISSING)
		return -EINVAL;
	if (!template_value_truth(r, &v))
		return run_list(r, n->otherwise);
	return v.kind == VALUE_LIST ? range_list(r, n, &v) : range_matches(r, n);
}

static int run_node(struct run *r, const struct node *n)
{
	int result = template_spend(r, 1);

	if (result < 0)
		return result;
	switch (n->kind) {
	case NODE_TEXT: template_emit(&r->out, n->text.text, n->text.len); return 0;
	case NODE_IF: return run_if(r, n);
	case NODE_WITH: return run_with(r, n);
	case NODE_RANGE: return run_range(r, n);
	default: return run_action(r, n);
	}
}

static void made_free(struct run *r, size_t keep)
{
	while (r->made_count > keep)
		free(r->made[--r->made_count]);
}

/* Returns 0, RUN_FULL, -EINVAL or -ENOMEM. */
static int run_list(struct run *r, const struct node *list)
{
	for (const struct node *n = list; n; n = n->next) {
		size_t made = r->made_count;
		int result = run_node(r, n);

		made_free(r, made);
		if (result != 0)
			return result;
		if (r->out.is_full)
			return RUN_FULL;
	}
	return 0;
}

int template_run(
	const struct template *t, const struct template_process *p, size_t size, struct buffer *to)
{
	struct run r = {
		.p = p,
		.dot = {.kind = VALUE_PROCESS},
		.out = {.to = to, .end = to->len + size},
	};
	int result = run_list(&r, t->list);

	free(r.made);
	if (to->error)
		return to->error;
	return result == RUN_FULL ? 0 : result;
}

unsigned int template_uses(const struct template *t)
{
	return t->uses;
}

void template_free(struct template *t)
{
	while (t && t->allocated) {
		struct node *n = t->allocated;

		t->allocated = n->allocated;
		free(n);
	}
	if (t)
		free(t->text);
	free(t);
}

static void cleanup_template(struct template **t)
{
	template_free(*t);
}

int template_new(const char *text, struct template **ret, char error[static NAMING_ERROR_SIZE])
{
	CLEANUP(cleanup_template) struct template *t = calloc(1, sizeof(*t));
	int r;

	if (!t)
		return -ENOMEM;
	t->text = strdup(text);
	if (!t->text)
		return -ENOMEM;
	r = template_parse(t, text, error);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(t);
	return 0;
}
