/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar of Go's text/template. A template that process-exporter accepts although each run of
 * it fails, such as with a wrong number of arguments, is refused; one with an unknown field is not.
 */
#include "config.h"

#include "naming/template-private.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

struct parser {
	struct scan s; /* of t->text */
	struct template *t;
	const char *original; /* the text before string literals were decoded in it */
	char *error;
	unsigned int nesting; /* blocks and parentheses around */
	unsigned int inner;   /* bodies of with and range around */
	bool trims;           /* the action before ended with -}} */
};

/* Ends of a list. */
enum stop { STOP_NONE, STOP_TEXT, STOP_END, STOP_ELSE };

static int parse_pipeline(struct parser *p, struct node **ret);

/* Writes the message, with the place AT. Returns -EINVAL. */
__attribute__((format(printf, 3, 4))) static int refuse_at(
	struct parser *p, const char *at, const char *format, ...)
{
	const char *end = p->original + (at - p->t->text);
	unsigned int character = 1;
	va_list args;
	int n;

	for (const char *c = p->original; c < end; c++)
		character += (*c & 0xc0) != 0x80;
	n = snprintf(p->error, NAMING_ERROR_SIZE, "character %u: ", character);
	va_start(args, format);
	vsnprintf(p->error + n, (size_t)(NAMING_ERROR_SIZE - n), format, args);
	va_end(args);
	return -EINVAL;
}

/* Returns 0; or refuses that AT is in more LEVELS than may be. */
static int check_levels(struct parser *p, const char *at, unsigned int levels)
{
	if (levels <= TEMPLATE_NESTING_MAX)
		return 0;
	return refuse_at(p, at, "more than %d levels", TEMPLATE_NESTING_MAX);
}

static int node_new(struct parser *p, enum node_kind kind, struct node **ret)
{
	struct node *n = calloc(1, sizeof(*n));

	if (!n)
		return -ENOMEM;
	n->kind = kind;
	n->allocated = p->t->allocated;
	p->t->allocated = n;
	*ret = n;
	return 0;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_decimal(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The next byte; 0 at the end. */
static char peek_byte(const struct parser *p)
{
	return p->s.at < p->s.end ? *p->s.at : 0;
}

static void skip_spaces(struct parser *p)
{
	while (is_space(peek_byte(p)))
		p->s.at++;
}

static struct template_text take_name(struct parser *p)
{
	const char *from = p->s.at;

	while (is_letter(peek_byte(p)) || is_decimal(peek_byte(p)))
		p->s.at++;
	return (struct template_text){from, (size_t)(p->s.at - from)};
}

/* Returns whether the action ends here. A trim marker has a space before it. */
static bool is_at_close(const struct parser *p)
{
	return scan_sees(&p->s, "}}") || (is_space(p->s.at[-1]) && scan_sees(&p->s, "-}}"));
}

static int expect_close(struct parser *p)
{
	skip_spaces(p);
	if (!is_at_close(p))
		return refuse_at(p, p->s.at, "}} expected");
	p->trims = scan_char(&p->s, '-');
	p->s.at += strlen("}}");
	return 0;
}

/* Returns whether an operand may end here. */
static bool is_separated(const struct parser *p)
{
	char c = peek_byte(p);

	return !c || is_space(c) || c == '|' || c == ')' || scan_sees(&p->s, "}}");
}

static int constant_new(struct parser *p, struct value value, struct node **ret)
{
	int r = node_new(p, NODE_CONSTANT, ret);

	if (r == 0)
		(*ret)->constant = value;
	return r;
}

static int parse_string(struct parser *p, struct node **ret)
{
	struct value v = {.kind = VALUE_TEXT};
	const char *wrong = template_literal(&p->s, p->t->text + (p->s.at - p->t->text), &v.text);

	return wrong ? refuse_at(p, p->s.at, "%s", wrong) : constant_new(p, v, ret);
}

static int parse_number(struct parser *p, struct node **ret)
{
	const char *from = p->s.at;
	bool is_negative = scan_char(&p->s, '-');
	uint64_t n;
	bool is_read;

	if (!is_negative)
		scan_char(&p->s, '+');
	if (scan_text(&p->s, "0x") || scan_text(&p->s, "0X"))
		is_read = scan_hex(&p->s, &n);
	else
		is_read = (!scan_sees(&p->s, "0") || !is_decimal(p->s.at[1])) &&
		          scan_decimal(&p->s, &n);
	if (!is_read || !is_separated(p) || n > INT64_MAX)
		return refuse_at(p, from,
			"a number that is not supported: only integers in decimal or "
			"hexadecimal, of 63 bits, are");
	return constant_new(p,
		(struct value){.kind = VALUE_INT, .number = is_negative ? -(int64_t)n : (int64_t)n},
		ret);
}

static int parse_word(struct parser *p, struct node **ret)
{
	struct template_text name = take_name(p);
	const struct function *f = template_function(&name);
	int r;

	if (template_text_is(&name, "true") || template_text_is(&name, "false"))
		return constant_new(
			p, (struct value){.kind = VALUE_BOOL, .number = name.len == 4}, ret);
	if (!f)
		return refuse_at(p, name.text, "%.*s is not supported", (int)name.len, name.text);
	r = node_new(p, NODE_CALL, ret);
	if (r == 0)
		(*ret)->function = f;
	return r;
}

static int parse_parentheses(struct parser *p, struct node **ret)
{
	int r = check_levels(p, p->s.at, ++p->nesting);

	p->s.at++;
	if (r == 0)
		r = parse_pipeline(p, ret);
	p->nesting--;
	if (r < 0)
		return r;
	skip_spaces(p);
	return scan_char(&p->s, ')') ? 0 : refuse_at(p, p->s.at, ") expected");
}

/* Notes that the template uses fields of the process, if *OPERAND may be it. */
static int note_use(struct parser *p, const struct node *operand, const struct template_text *name)
{
	if (operand->kind != NODE_FIELD)
		p->t->uses |= template_field_use(name);
	if (operand->kind == NODE_FIELD && template_text_is(&operand->text, "StartTime"))
		return refuse_at(p, name->text, "methods of StartTime are not supported");
	return 0;
}

/*
 * Parses the .Name.Name behind *OPERAND, and makes *OPERAND the last one. HAS_DOT: the first dot was
 * the operand.
 */
static int parse_chain(struct parser *p, bool has_dot, struct node **operand)
{
	if (has_dot && peek_byte(p) == '.')
		return refuse_at(p, p->s.at, "the name of a field expected");
	for (unsigned int count = 1; (has_dot && is_letter(peek_byte(p))) || scan_char(&p->s, '.');
		count++) {
		struct template_text name = take_name(p);
		struct node *field;
		int r;

		has_dot = false;
		if (!name.len || is_decimal(*name.text))
			return refuse_at(p, name.text, "the name of a field expected");
		r = check_levels(p, name.text, count);
		if (r == 0)
			r = note_use(p, *operand, &name);
		if (r == 0)
			r = node_new(p, NODE_FIELD, &field);
		if (r != 0)
			return r;
		field->text = name;
		field->expression = *operand;
		*operand = field;
	}
	/* A bare dot is the process only outside of bodies with a dot of their own. */
	if ((*operand)->kind == NODE_ROOT || ((*operand)->kind == NODE_DOT && !p->inner))
		return refuse_at(p, p->s.at - 1, "the process itself is no value: name a field");
	return 0;
}

static int parse_variable(struct parser *p, struct node **ret)
{
	p->s.at++;
	if (is_letter(peek_byte(p)) || is_decimal(peek_byte(p)))
		return refuse_at(p, p->s.at, "variables are not supported");
	return node_new(p, NODE_ROOT, ret);
}

static int parse_dot(struct parser *p, struct node **ret)
{
	p->s.at++;
	if (is_decimal(peek_byte(p)))
		return refuse_at(p, p->s.at, "a number that is not supported");
	return node_new(p, NODE_DOT, ret);
}

static int parse_term(struct parser *p, struct node **ret)
{
	char c = peek_byte(p);

	if (is_at_close(p))
		return refuse_at(p, p->s.at, "a value expected");
	if (c == '"' || c == '`')
		return parse_string(p, ret);
	if (is_decimal(c) || c == '-' || c == '+')
		return parse_number(p, ret);
	if (is_letter(c))
		return parse_word(p, ret);
	if (c == '(')
		return parse_parentheses(p, ret);
	if (c == '$')
		return parse_variable(p, ret);
	if (c == '.')
		return parse_dot(p, ret);
	return refuse_at(p, p->s.at,
		c == '\'' ? "character constants are not supported" : "a value expected");
}

static int parse_operand(struct parser *p, struct node **ret)
{
	char c = peek_byte(p);
	int r = parse_term(p, ret);

	if (r == 0 && (c == '.' || c == '$' || c == '('))
		r = parse_chain(p, c == '.', ret);
	if (r != 0)
		return r;
	return is_separated(p) ? 0 : refuse_at(p, p->s.at, "a space expected");
}

/* Checks the format of a printf at AT with COUNT further arguments. */
static int check_format(
	struct parser *p, const char *at, const struct template_text *format, unsigned int count)
{
	struct scan s = {format->text, format->text + format->len};
	unsigned int verbs = 0;

	while (s.at < s.end) {
		char verb = 0;

		if (!scan_char(&s, '%')) {
			s.at++;
			continue;
		}
		verb = template_verb(&s);
		if (!verb)
			return refuse_at(p, at,
				"printf: only %%s, %%v and %%d are supported, without flags");
		verbs += verb != '%';
	}
	return verbs == count ? 0
	                      : refuse_at(p, at, "printf: verbs: %u, arguments for them: %u", verbs,
					count);
}

/* Checks the arguments of CALL. AT is the name of its function. */
static int check_call(struct parser *p, const struct node *call, const char *at)
{
	const struct function *f = call->function;
	const struct node *first = call->expression;
	unsigned int count = 0;

	for (const struct node *n = first; n; n = n->next)
		count++;
	if (count < f->min || (f->max && count > f->max))
		return refuse_at(p, at, "%s: a wrong number of arguments: %u", f->name, count);
	if (!first || strcmp(f->name, "printf") != 0 || first->constant.kind != VALUE_TEXT)
		return 0;
	return check_format(p, at, &first->constant.text, count - 1);
}

/* Parses the operands of a command from the second one on. */
static int parse_arguments(struct parser *p, struct node **ret)
{
	for (;;) {
		const char *from;
		int r;

		skip_spaces(p);
		if (!peek_byte(p) || peek_byte(p) == '|' || peek_byte(p) == ')' || is_at_close(p))
			return 0;
		from = p->s.at;
		r = parse_operand(p, ret);
		if (r == 0 && (*ret)->kind == NODE_CALL && is_letter(*from))
			r = check_call(p, *ret, from);
		if (r < 0)
			return r;
		ret = &(*ret)->next;
	}
}

/* Parses a command of a pipeline. PIPED, the command before it or NULL, becomes its last argument. */
static int parse_command(struct parser *p, struct node *piped, struct node **ret)
{
	struct node *arguments = NULL, **last = &arguments;
	const char *from;
	int r;

	skip_spaces(p);
	from = p->s.at;
	r = parse_operand(p, ret);
	if (r == 0)
		r = parse_arguments(p, &arguments);
	if (r != 0)
		return r;
	assert(*ret);
	while (*last)
		last = &(*last)->next;
	*last = piped;
	if ((*ret)->kind == NODE_CALL && is_letter(*from)) {
		(*ret)->expression = arguments;
		return check_call(p, *ret, from);
	}
	return arguments ? refuse_at(p, from, "only functions have arguments") : 0;
}

static int parse_pipeline(struct parser *p, struct node **ret)
{
	unsigned int stages = 0;
	struct node *piped = NULL;

	do {
		int r;

		if (++stages > TEMPLATE_STAGES_MAX)
			return refuse_at(p, p->s.at, "more than %d commands in a pipeline",
				TEMPLATE_STAGES_MAX);
		r = parse_command(p, piped, ret);
		if (r < 0)
			return r;
		piped = *ret;
	} while (scan_char(&p->s, '|'));
	return 0;
}

/* Parses the text up to the next {{, and takes that. *RET_IS_LAST: there is none. */
static int parse_text(struct parser *p, struct node **ret, bool *ret_is_last)
{
	const char *from = p->s.at, *open = memmem(from, scan_left(&p->s), "{{", 2);
	const char *end = open ? open : p->s.end;
	int r = 0;

	p->s.at = open ? open + strlen("{{") : end;
	while (p->trims && from < end && is_space(*from))
		from++;
	if (peek_byte(p) == '-' && is_space(p->s.at[1])) {
		p->s.at += strlen("- ");
		while (end > from && is_space(end[-1]))
			end--;
	}
	p->trims = false;
	if (end > from)
		r = node_new(p, NODE_TEXT, ret);
	if (r == 0 && end > from)
		(*ret)->text = (struct template_text){from, (size_t)(end - from)};
	*ret_is_last = !open;
	return r;
}

/* Returns 1 if there was a comment, and 0 if not. */
static int skip_comment(struct parser *p)
{
	const char *from = p->s.at, *end;
	int r;

	if (!scan_text(&p->s, "/*"))
		return 0;
	end = memmem(p->s.at, scan_left(&p->s), "*/", 2);
	if (!end)
		return refuse_at(p, from, "a comment without its end");
	p->s.at = end + strlen("*/");
	/* Go takes no other space here than that of a trim marker. */
	if (is_space(peek_byte(p)) && p->s.at[1] != '-')
		return refuse_at(p, p->s.at, "}} expected");
	r = expect_close(p);
	return r < 0 ? r : 1;
}

static int parse_list(struct parser *p, struct node **ret, enum stop *stop);

/* Parses a block, or an {{else if}}, from its pipeline to the end of its body. */
static int parse_branch(struct parser *p, enum node_kind kind, struct node **ret, enum stop *stop)
{
	int r = node_new(p, kind, ret);

	if (r == 0)
		r = parse_pipeline(p, &(*ret)->expression);
	if (r == 0)
		r = expect_close(p);
	if (r < 0)
		return r;
	p->inner += kind != NODE_IF;
	r = parse_list(p, &(*ret)->body, stop);
	p->inner -= kind != NODE_IF;
	return r;
}

static bool take_if(struct parser *p)
{
	struct scan before;
	struct template_text word;

	skip_spaces(p);
	before = p->s;
	word = take_name(p);
	if (template_text_is(&word, "if"))
		return true;
	p->s = before;
	return false;
}

/* Parses all branches of a block that begins at AT, and its end. */
static int parse_block(struct parser *p, enum node_kind kind, const char *at, struct node **ret)
{
	int r = check_levels(p, at, ++p->nesting);
	enum stop stop = STOP_NONE;

	if (r == 0)
		r = parse_branch(p, kind, ret, &stop);
	while (r == 0 && stop == STOP_ELSE && kind == NODE_IF && take_if(p)) {
		ret = &(*ret)->otherwise;
		r = parse_branch(p, kind, ret, &stop);
	}
	if (r == 0 && stop == STOP_ELSE) {
		r = expect_close(p);
		if (r == 0)
			r = parse_list(p, &(*ret)->otherwise, &stop);
	}
	p->nesting--;
	if (r == 0 && stop != STOP_END)
		r = refuse_at(
			p, at, stop == STOP_ELSE ? "a second {{else}}" : "{{end}} is missing");
	return r;
}

/* Parses an action behind its {{; a block to its {{end}}. */
static int parse_action(struct parser *p, struct node **ret, enum stop *stop)
{
	static const struct {
		const char *word;
		enum node_kind kind;
	} blocks[] = {{"if", NODE_IF}, {"range", NODE_RANGE}, {"with", NODE_WITH}};
	struct scan begin;
	struct template_text word;
	int r;

	skip_spaces(p);
	begin = p->s;
	word = take_name(p);
	*stop = template_text_is(&word, "else") ? STOP_ELSE : STOP_NONE;
	if (*stop == STOP_ELSE)
		return 0;
	if (template_text_is(&word, "end")) {
		*stop = STOP_END;
		return expect_close(p);
	}
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		if (template_text_is(&word, blocks[i].word))
			return parse_block(p, blocks[i].kind, begin.at, ret);
	p->s = begin;
	r = node_new(p, NODE_ACTION, ret);
	if (r == 0)
		r = parse_pipeline(p, &(*ret)->expression);
	return r == 0 ? expect_close(p) : r;
}

static int parse_list(struct parser *p, struct node **ret, enum stop *stop)
{
	bool is_last;

	for (;;) {
		int r = parse_text(p, ret, &is_last);

		if (r < 0)
			return r;
		ret = *ret ? &(*ret)->next : ret;
		if (is_last) {
			*stop = STOP_TEXT;
			return 0;
		}
		r = skip_comment(p);
		if (r == 0) {
			r = parse_action(p, ret, stop);
			if (r < 0 || *stop != STOP_NONE)
				return r;
			ret = &(*ret)->next;
		}
		if (r < 0)
			return r;
	}
}

int template_parse(struct template *t, const char *original, char error[static NAMING_ERROR_SIZE])
{
	struct parser p = {
		.s = {t->text, t->text + strlen(t->text)},
		.t = t,
		.original = original,
		.error = error,
	};
	enum stop stop;
	int r;

	if (scan_left(&p.s) > TEMPLATE_SIZE_MAX)
		return refuse_at(
			&p, t->text + TEMPLATE_SIZE_MAX, "more than %d bytes", TEMPLATE_SIZE_MAX);
	r = parse_list(&p, &t->list, &stop);
	if (r == 0 && stop != STOP_TEXT)
		r = refuse_at(&p, p.s.at, "{{end}} or {{else}} without its beginning");
	return r;
}
