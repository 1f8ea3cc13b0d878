/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the sources of naming/template.h only: the tree of a template, values, and the state of a run.
 * template-parse.c builds the tree, with string literals from template-literal.c. template.c runs
 * it, with functions from template-call.c, values from template-value.c and their text from
 * template-print.c.
 */
#ifndef MEMTALLY_NAMING_TEMPLATE_PRIVATE_H
#define MEMTALLY_NAMING_TEMPLATE_PRIVATE_H

#include <stdbool.h>

#include "base/scan.h"
#include "naming/template.h"

enum {
	TEMPLATE_SIZE_MAX = 16 << 10,    /* bytes of a template */
	TEMPLATE_NESTING_MAX = 32,       /* of blocks and parentheses; fields of fields */
	TEMPLATE_STAGES_MAX = 8,         /* commands of a pipeline */
	TEMPLATE_PRINTED_MAX = 64 << 10, /* bytes of the text that a function makes */
	/*
	 * Limit of struct run's .work: 1 for each node and each match compared, 1 for each 4 bytes
	 * that a function prints, and 1 for each 64 bytes compared.
	 */
	TEMPLATE_WORK_MAX = 100000,
};

enum value_kind {
	VALUE_MISSING, /* a match that does not exist; Go's nil */
	VALUE_BOOL,
	VALUE_INT,
	VALUE_TEXT,
	VALUE_LIST, /* of texts */
	VALUE_MATCHES,
	VALUE_TIME,
	VALUE_PROCESS,
};

struct value {
	enum value_kind kind;
	int64_t number;                   /* BOOL: 0 or 1; INT; TIME: seconds since the epoch */
	struct template_text text;        /* TEXT */
	const struct template_text *list; /* LIST: .count texts */
	size_t count;
};

enum node_kind {
	/* of a list */
	NODE_TEXT,
	NODE_ACTION,
	NODE_IF,
	NODE_WITH,
	NODE_RANGE,
	/* expressions */
	NODE_DOT,
	NODE_ROOT, /* $ */
	NODE_FIELD,
	NODE_CONSTANT,
	NODE_CALL,
};

struct function;

/* A node of the tree. */
struct node {
	enum node_kind kind;
	struct template_text text; /* TEXT; FIELD: its name */
	struct value constant;
	const struct function *function;
	/* ACTION: it is printed; IF, WITH, RANGE: the condition; FIELD: its owner; CALL: arguments */
	struct node *expression;
	struct node *body, *otherwise; /* lists */
	struct node *next;             /* of the same list or call */
	struct node *allocated;        /* the next one of the template, for template_free() */
};

struct template
{
	char *text; /* owned; nodes point into it; string literals are decoded in place */
	struct node *list;
	struct node *allocated; /* owned: all nodes */
	unsigned int uses;
};

/* A buffer with a limit: of text behind byte .end nothing is added. */
struct sink {
	struct buffer *to;
	size_t end;
	bool is_full; /* some text did not fit, and no more is added */
};

struct run {
	const struct template_process *p;
	struct value dot;
	struct sink out;
	size_t work; /* so far, at most TEMPLATE_WORK_MAX */
	/* Owned: texts that functions printed. Each is kept until the node of its list is done. */
	char **made;
	size_t made_count, made_room;
};

/* A function of templates. */
struct function {
	const char *name;
	/* Evaluates the arguments and itself. Returns as template_eval() does. */
	int (*call)(struct run *r, const struct node *call, struct value *ret);
	unsigned int min, max; /* number of arguments; .max 0: any */
	unsigned int variant;  /* for a .call that several functions have */
};

/*
 * Parses T.text, a copy of ORIGINAL, and fills T. Returns 0; -EINVAL with a message in ERROR; or
 * -ENOMEM. After an error T.allocated has the nodes so far.
 */
int template_parse(struct template *t, const char *original, char error[static NAMING_ERROR_SIZE]);

/*
 * Takes the string literal at the beginning of S, which is a quote, and decodes it to TO; TO may be
 * the literal itself. Returns NULL; or a message about a fault, and S is at the fault.
 */
const char *template_literal(struct scan *s, char *to, struct template_text *ret);

/* Returns the function of that name; NULL if there is none. */
const struct function *template_function(const struct template_text *name);

/* Returns the bit of enum template_use of the process's field NAME; 0 if it has none. */
unsigned int template_field_use(const struct template_text *name);

/* Adds WORK to .work. Returns 0; or -EINVAL if it is above TEMPLATE_WORK_MAX. */
int template_spend(struct run *r, size_t work);

/* Evaluates an expression. Returns 0; -EINVAL if that fails as template_run() says; or -ENOMEM. */
int template_eval(struct run *r, const struct node *n, struct value *ret);

/* Gets the field NAME of V. Returns 0; or -EINVAL if V has no such field. */
int template_value_field(
	struct run *r, const struct value *v, const struct template_text *name, struct value *ret);

/* Gets the match of that name; MISSING if there is none. */
struct value template_value_match(struct run *r, const struct template_text *name);

/*
 * Returns the match with the next name, in order of bytes; AFTER NULL: the first. Returns NULL if
 * there are no more, or if template_spend() fails, which the caller then finds out.
 */
const struct capture *template_next_match(struct run *r, const struct capture *after);

/* Returns LEN bytes at TEXT as a value. TEXT may be NULL if LEN is 0. */
struct value template_value_text(const char *text, size_t len);

/* Returns whether {{if}} takes V as true. */
bool template_value_truth(const struct run *r, const struct value *v);

/* Write whether A is equal to, or less than, B. Return 0; or -EINVAL if Go cannot compare them. */
int template_value_equal(struct run *r, const struct value *a, const struct value *b, bool *ret);
int template_value_less(struct run *r, const struct value *a, const struct value *b, bool *ret);

/* Appends the text; if it does not fit, its beginning up to a character. */
void template_emit(struct sink *to, const char *text, size_t len);

/* Append V as {{V}} prints it, and as {{print V}} does. Errors are in TO.to.error. */
void template_show(struct run *r, struct sink *to, const struct value *v);
void template_print(struct run *r, struct sink *to, const struct value *v);

/*
 * Takes the verb behind a % from S. Returns its letter: s, v, d, or % for %%; or 0 if it is not
 * supported.
 */
char template_verb(struct scan *s);

#endif
