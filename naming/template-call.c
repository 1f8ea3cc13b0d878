/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of templates. Each evaluates its own arguments, so that there may be any number. */
#include "config.h"

#include "naming/template-private.h"

#include "base/array.h"

enum variant { SWAPPED = 1, CONTRARY = 2 };

static int set_bool(struct value *ret, bool is)
{
	*ret = (struct value){.kind = VALUE_BOOL, .number = is};
	return 0;
}

/* Sets *RET to the text in MADE, and moves its memory to R. */
static int set_text(struct run *r, struct sink *made, struct value *ret)
{
	if (made->to->error)
		return made->to->error;
	if (made->is_full || template_spend(r, made->to->len / 4) < 0)
		return -EINVAL;
	if (ARRAY_RESERVE(r->made, r->made_room, r->made_count + 1) < 0)
		return -ENOMEM;
	*ret = template_value_text(made->to->data, made->to->len);
	r->made[r->made_count++] = TAKE_PTR(made->to->data);
	return 0;
}

/* and, or: the first argument with the truth .variant, or the last one. */
static int call_and_or(struct run *r, const struct node *call, struct value *ret)
{
	for (const struct node *n = call->expression; n; n = n->next) {
		int result = template_eval(r, n, ret);

		if (result < 0 || template_value_truth(r, ret) == call->function->variant)
			return result;
	}
	return 0;
}

static int call_not(struct run *r, const struct node *call, struct value *ret)
{
	struct value v;
	int result = template_eval(r, call->expression, &v);

	return result < 0 ? result : set_bool(ret, !template_value_truth(r, &v));
}

/* eq, ne: the first argument is equal to one of the others, or not. */
static int call_equal(struct run *r, const struct node *call, struct value *ret)
{
	struct value first, other;
	bool is = false;
	int result = template_eval(r, call->expression, &first);

	for (const struct node *n = call->expression->next; n && result == 0; n = n->next) {
		result = template_eval(r, n, &other);
		if (result == 0 && !is)
			result = template_value_equal(r, &first, &other, &is);
	}
	return result < 0 ? result : set_bool(ret, is == (call->function->variant == 0));
}

/* lt, gt, ge, le: all by "less", of the arguments in their order or swapped, or its contrary. */
static int call_less(struct run *r, const struct node *call, struct value *ret)
{
	unsigned int variant = call->function->variant;
	struct value a, b;
	bool is = false;
	int result = template_eval(r, call->expression, &a);

	if (result == 0)
		result = template_eval(r, call->expression->next, &b);
	if (result == 0)
		result = template_value_less(
			r, variant & SWAPPED ? &b : &a, variant & SWAPPED ? &a : &b, &is);
	return result < 0 ? result : set_bool(ret, is != !!(variant & CONTRARY));
}

static int call_len(struct run *r, const struct node *call, struct value *ret)
{
	struct value v;
	int64_t len = 0;
	int result = template_eval(r, call->expression, &v);

	if (result < 0)
		return result;
	switch (v.kind) {
	case VALUE_TEXT: len = (int64_t)v.text.len; break;
	case VALUE_LIST: len = (int64_t)v.count; break;
	case VALUE_MATCHES:
		for (const struct capture *c = NULL; (c = template_next_match(r, c));)
			len++;
		break;
	default: return -EINVAL;
	}
	*ret = (struct value){.kind = VALUE_INT, .number = len};
	return 0;
}

/* Replaces *V by what it has at INDEX. */
static int index_value(struct run *r, struct value *v, const struct value *index)
{
	bool is_in = index->kind == VALUE_INT && index->number >= 0;
	size_t i = is_in ? (size_t)index->number : 0;

	if (v->kind == VALUE_MATCHES && index->kind == VALUE_TEXT) {
		*v = template_value_match(r, &index->text);
		if (v->kind == VALUE_MISSING)
			*v = template_value_text("", 0);
		return 0;
	}
	if (v->kind == VALUE_LIST && is_in && i < v->count) {
		*v = template_value_text(v->list[i].text, v->list[i].len);
		return 0;
	}
	if (v->kind != VALUE_TEXT || !is_in || i >= v->text.len)
		return -EINVAL;
	*v = (struct value){.kind = VALUE_INT, .number = (unsigned char)v->text.text[i]};
	return 0;
}

static int call_index(struct run *r, const struct node *call, struct value *ret)
{
	struct value index;
	int result = template_eval(r, call->expression, ret);

	if (result == 0 && ret->kind == VALUE_MISSING)
		return -EINVAL;
	for (const struct node *n = call->expression->next; n && result == 0; n = n->next) {
		result = template_eval(r, n, &index);
		if (result == 0)
			result = index_value(r, ret, &index);
	}
	return result;
}

static int call_slice(struct run *r, const struct node *call, struct value *ret)
{
	size_t bounds[2], len, i = 0;
	struct value v, index;
	int result = template_eval(r, call->expression, &v);

	if (result < 0 || (v.kind != VALUE_TEXT && v.kind != VALUE_LIST))
		return result < 0 ? result : -EINVAL;
	len = v.kind == VALUE_TEXT ? v.text.len : v.count;
	bounds[0] = 0;
	bounds[1] = len;
	for (const struct node *n = call->expression->next; n; n = n->next) {
		result = template_eval(r, n, &index);
		if (result < 0)
			return result;
		if (index.kind != VALUE_INT || index.number < 0 || (size_t)index.number > len)
			return -EINVAL;
		bounds[i++] = (size_t)index.number;
	}
	if (bounds[0] > bounds[1])
		return -EINVAL;
	len = bounds[1] - bounds[0];
	*ret = (struct value){.kind = v.kind, .count = len};
	if (v.kind == VALUE_TEXT)
		*ret = template_value_text(v.text.text + bounds[0], len);
	else if (len)
		ret->list = v.list + bounds[0];
	return 0;
}

static int call_print(struct run *r, const struct node *call, struct value *ret)
{
	AUTO_BUFFER struct buffer b = {0};
	struct sink to = {.to = &b, .end = TEMPLATE_PRINTED_MAX};
	bool was_text = true;

	for (const struct node *n = call->expression; n; n = n->next) {
		struct value v;
		int result = template_eval(r, n, &v);

		if (result < 0)
			return result;
		if (n != call->expression && !was_text && v.kind != VALUE_TEXT)
			template_emit(&to, " ", 1);
		template_print(r, &to, &v);
		was_text = v.kind == VALUE_TEXT;
	}
	return set_text(r, &to, ret);
}

char template_verb(struct scan *s)
{
	char letter = scan_left(s) ? *s->at++ : '\0';

	return letter && strchr("svd%", letter) ? letter : '\0';
}

/* Returns whether Go prints a value of KIND with the verb LETTER as it is. */
static bool is_verb_of(enum value_kind kind, char letter)
{
	if (letter == 's')
		return kind == VALUE_TEXT || kind == VALUE_LIST || kind == VALUE_MATCHES ||
		       kind == VALUE_TIME;
	return letter == 'v' || kind == VALUE_INT;
}

/* Takes a verb from S, and prints *ARGUMENT with it. *ARGUMENT becomes the next one. */
static int print_verb(struct run *r, struct sink *to, struct scan *s, const struct node **argument)
{
	char letter = template_verb(s);
	struct value v;
	int result;

	if (letter == '%') {
		template_emit(to, "%", 1);
		return 0;
	}
	if (!letter || !*argument)
		return -EINVAL;
	result = template_eval(r, *argument, &v);
	*argument = (*argument)->next;
	if (result < 0 || !is_verb_of(v.kind, letter))
		return result < 0 ? result : -EINVAL;
	template_print(r, to, &v);
	return 0;
}

static int call_printf(struct run *r, const struct node *call, struct value *ret)
{
	AUTO_BUFFER struct buffer b = {0};
	struct sink to = {.to = &b, .end = TEMPLATE_PRINTED_MAX};
	const struct node *argument = call->expression->next;
	struct value format;
	int result = template_eval(r, call->expression, &format);
	struct scan s;

	if (result < 0 || format.kind != VALUE_TEXT)
		return result < 0 ? result : -EINVAL;
	s = (struct scan){format.text.text, format.text.text + format.text.len};
	while (s.at < s.end && result == 0) {
		if (scan_char(&s, '%'))
			result = print_verb(r, &to, &s, &argument);
		else
			template_emit(&to, s.at++, 1);
	}
	if (result == 0 && argument)
		result = -EINVAL;
	return result < 0 ? result : set_text(r, &to, ret);
}

static const struct function functions[] = {
	{"and", call_and_or, 1, 0, false},
	{"eq", call_equal, 2, 0, 0},
	{"ge", call_less, 2, 2, CONTRARY},
	{"gt", call_less, 2, 2, SWAPPED},
	{"index", call_index, 1, 0, 0},
	{"le", call_less, 2, 2, SWAPPED | CONTRARY},
	{"len", call_len, 1, 1, 0},
	{"lt", call_less, 2, 2, 0},
	{"ne", call_equal, 2, 2, CONTRARY},
	{"not", call_not, 1, 1, 0},
	{"or", call_and_or, 1, 0, true},
	{"print", call_print, 0, 0, 0},
	{"printf", call_printf, 1, 0, 0},
	{"slice", call_slice, 1, 3, 0},
};

const struct function *template_function(const struct template_text *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (template_text_is(name, functions[i].name))
			return &functions[i];
	return NULL;
}
