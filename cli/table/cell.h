/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells for a terminal
 *
 * Makes the text of a cell safe to print, and cuts or folds it to a width in columns. Pure except
 * for LC_CTYPE, which says which characters can be printed and how wide they are.
 */
#ifndef MEMTALLY_CLI_TABLE_CELL_H
#define MEMTALLY_CLI_TABLE_CELL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/* Returns true if LC_CTYPE is a UTF-8 locale. */
bool cell_is_utf8(void);

/*
 * Appends TEXT. Control characters, newlines included, and every byte of a character that LC_CTYPE
 * cannot print become \xHH. A backslash stays as it is, because names of units contain many.
 */
void cell_add_printable(struct buffer *to, const char *text);

/* Returns the width in columns of the LEN bytes of TEXT, which is printable. */
size_t cell_width(const char *text, size_t len);

/*
 * Appends TEXT, which is printable, if it is at most WIDTH columns wide. If not, appends as much of
 * its start as fits, and an ellipsis ("..." if LC_CTYPE is not UTF-8). The ellipsis is left out if
 * it would take more than half of WIDTH.
 */
void cell_add_cut(struct buffer *to, const char *text, size_t width);

/* Does the same as cell_add_cut(), but keeps the end of TEXT, behind the ellipsis. */
void cell_add_end(struct buffer *to, const char *text, size_t width);

/* The least columns of a name, and those that it has before columns disappear (table/list.h). */
enum { CELL_NAME_MIN = 16, CELL_NAME_KEPT = 24 };

/*
 * Appends TEXT, made printable, cut to WIDTH columns (0: uncut): at its start if IS_PATH, because
 * the end of a path says more.
 */
void cell_add_name(struct buffer *to, const char *text, size_t width, bool is_path);

/*
 * Appends a bar for PART (0 to 1) of WIDTH columns: of blocks, in eighths of a column, or of '#' in
 * whole columns if LC_CTYPE is not UTF-8. PART is rounded to the nearest.
 */
void cell_add_bar(struct buffer *to, double part, size_t width);

/*
 * Appends the LEN bytes of TEXT, which is plain ASCII, to a line that has AT columns already.
 * Breaks lines at blanks so that none is wider than WIDTH columns; breaks inside words that are
 * wider than that. With a WIDTH of 0 no line is broken. Returns the columns of the last line.
 */
size_t cell_add_folded(struct buffer *to, const char *text, size_t len, size_t at, size_t width);

/* Does the same, but breaks a line within a phrase, which ends with a comma, only if it must. */
void cell_add_phrases(struct buffer *to, const struct buffer *text, size_t at, size_t width);

#endif
