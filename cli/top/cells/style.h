/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Styles of cells
 *
 * The meanings of cells of the screen. cli/top/terminal.c turns each style into attributes and colours.
 * A colour is never the only sign: each band of the host's bar has a letter, and each other style
 * has an attribute or a word.
 */
#ifndef MEMTALLY_CLI_TOP_CELLS_STYLE_H
#define MEMTALLY_CLI_TOP_CELLS_STYLE_H

enum style {
	STYLE_NORMAL,
	STYLE_TITLE,
	STYLE_DIM,       /* explanations, branches of trees */
	STYLE_HEAD,      /* the head of the table */
	STYLE_SORTED,    /* the head of the column that rows are sorted by */
	STYLE_SELECTED,  /* the selected row */
	STYLE_FOUND,     /* a name that the search finds */
	STYLE_BAD,       /* a problem, or a row without figures */
	STYLE_UNCERTAIN, /* a figure with wide bounds */
	STYLE_GROWN,     /* a figure that has grown */
	STYLE_KEY,       /* the name of a key */
	STYLE_CHOICE,    /* the chosen one of several */
	STYLE_ANON,      /* bands of the host's bar, from here on */
	STYLE_FILE,
	STYLE_SHARED,
	STYLE_UNSPLIT,
	STYLE_CACHE,
	STYLE_KERNEL,
	STYLE_HUGETLB,
	STYLE_FREE,
	STYLE_UNACCOUNTED,
	STYLES
};

#endif
