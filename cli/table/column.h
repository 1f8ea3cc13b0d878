/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns
 *
 * A list (cli/table/list.h) is drawn from a table of columns: one row for each column says what it
 * is called, how its values are written and where they come from. Pure.
 */
#ifndef MEMTALLY_CLI_TABLE_COLUMN_H
#define MEMTALLY_CLI_TABLE_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct list;
struct column;

enum column_kind {
	COLUMN_TEXT,    /* .text, clean (base/text.h) */
	COLUMN_WORD,    /* .text of letters, digits, '-' and the like: as it is, also in CSV */
	COLUMN_WORDS,   /* .text, words with blanks between: an array in JSON */
	COLUMN_FLAG,    /* .number, 0 or 1: false or true */
	COLUMN_COUNT,   /* .number: also of a pid, an inode */
	COLUMN_DIGITS,  /* .text, the digits of a number of any size */
	COLUMN_BYTES,   /* .number */
	COLUMN_SIGNED,  /* .change, bytes, with a minus if it is negative */
	COLUMN_CHANGE,  /* .change, bytes, with a sign unless it is 0 */
	COLUMN_SECONDS, /* .number, ns; shown as decimal seconds */
	COLUMN_REAL,    /* .real, finite */
	COLUMN_RATIO,   /* .real, finite; shown in percent */
	COLUMN_ADDRESS, /* .number, in hexadecimal digits: a string in JSON */
};

/* The value of a column in a row. */
struct column_value {
	union {
		uint64_t number;
		int64_t change;
		double real;
		const char *text; /* borrowed */
	};
	/* Stands before and behind the value in tables only, such as ">"; NULL: nothing. */
	const char *before, *after;
	struct buffer *room; /* empty; a function that makes .text may make it there, terminated */
};

/*
 * Gets the value of column C in ROW; the rest of RET is zero except .room. Returns false if the
 * value is absent. What ROW and L->context point to is up to the list. Errors are those of .room.
 */
typedef bool column_get(
	const struct list *l, const struct column *c, const void *row, struct column_value *ret);

/* Ends the text that .get of a column made in V->room, and makes it the value. Returns true. */
bool column_use_room(struct column_value *v);

/* Makes TEXT the value. Returns false, because it is absent, if TEXT is NULL. */
static inline bool column_use_text(struct column_value *v, const char *text)
{
	v->text = text;
	return text;
}

/* Makes TEXT the value. Returns false, because it is absent, if TEXT is NULL or empty. */
static inline bool column_use_name(struct column_value *v, const char *text)
{
	v->text = text;
	return text && *text;
}

enum column_flag {
	COLUMN_SUM = 1 << 0,  /* the total has a value, in a table a dash if that is absent */
	COLUMN_SORT = 1 << 1, /* --sort takes it; .index says by what */
	COLUMN_CUT = 1 << 2,  /* its end may be cut if the terminal is too narrow */
	COLUMN_PATH =
		1 << 3, /* its start may be cut instead, because the end of a path says more */
	COLUMN_PROSE = 1 << 4, /* may be folded */
	/* If the terminal is too narrow, it is the first to go, unless a row has a value but 0. */
	COLUMN_SPARE = 1 << 5,
	COLUMN_EXTRA = 1 << 6, /* it goes even before those, because it repeats other columns */
	COLUMN_NOTE = 1 << 7,  /* it says why figures of the row are missing or uncertain */
};

struct column {
	const char *head;  /* as tables show it, in capitals; NULL: not in tables */
	const char *field; /* its name in JSON and CSV; NULL: in neither */
	enum column_kind kind;
	column_get *get;
	unsigned int index; /* for .get */
	unsigned int flags; /* of enum column_flag */
	/*
	 * The forms with the column, as bits of enum list_form; 0: each in which it has a name. The
	 * variants of the list with it, of which .variant of the list must have one; 0: all.
	 */
	unsigned int forms, only;
	/*
	 * Columns stand in the order of JSON. In a table, and in CSV, those with a higher place
	 * stand behind the others.
	 */
	int place, csv_place;
	/*
	 * If the terminal is too narrow, columns disappear: the highest first, and 0 never. Names
	 * (COLUMN_CUT, COLUMN_PATH) are cut last, and to 16 columns at least.
	 */
	unsigned int drop;
	unsigned int width;    /* in lines (LIST_LINES); 0: that of amounts */
	unsigned int decimals; /* of COLUMN_REAL in a table; 0: as many as it has */
};

/* The columns of a list. */
struct columns {
	const struct column *column;
	size_t count;
};

/* Returns true if values of C are aligned at their right end. */
bool column_is_right(const struct column *c);

/* Returns true if V, a value of C, is 0, false or an empty text. */
bool column_is_zero(const struct column *c, const struct column_value *v);

/*
 * Appends V, a value of C, as JSON, as CSV, or as a table shows it: amounts in KiB, MiB ... unless
 * EXACT. Errors are those of TO.
 *
 * CSV follows RFC 4180 except that lines end with a line feed. A text that a spreadsheet may take
 * for a formula gets a single quote in front, and so does a text that starts with a single quote:
 * a reader restores every text by removing one single quote at the start.
 */
void column_add_json(struct buffer *to, const struct column *c, const struct column_value *v);
void column_add_csv(struct buffer *to, const struct column *c, const struct column_value *v);
void column_add_shown(
	struct buffer *to, const struct column *c, const struct column_value *v, bool exact);

/* Appends BYTES, in KiB, MiB ... unless EXACT. */
void column_add_amount(struct buffer *to, uint64_t bytes, bool exact);

/* Appends TEXT, which is clean, as a JSON string, or as a cell of CSV. */
void column_add_json_text(struct buffer *to, const char *text);
void column_add_csv_text(struct buffer *to, const char *text);

/* Appends VALUE in at least DIGITS hexadecimal digits (16 at most). */
void column_add_hex(struct buffer *to, uint64_t value, unsigned int digits);

#endif
