/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of `memtally top`
 *
 * The choices of the user: the rows, their order, the page, the place on it, and the moment. It has no figures: the
 * screen is made of a state and any snapshot (cli/top/pages/screen.h). Rows are remembered by their keys,
 * since a row's place changes with each snapshot. Pure.
 */
#ifndef MEMTALLY_CLI_TOP_ROWS_TOP_STATE_H
#define MEMTALLY_CLI_TOP_ROWS_TOP_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/query.h"

enum top_view {
	TOP_VIEW_USER,
	TOP_VIEW_PROGRAM,
	TOP_VIEW_UNIT,
	TOP_VIEW_CONTAINER,
	TOP_VIEW_PROCESS,
	TOP_VIEW_TREE,   /* processes below their parents */
	TOP_VIEW_NESTED, /* users, their programs, and their processes */
	TOP_VIEWS
};

enum top_column {
	TOP_COLUMN_PID,
	TOP_COLUMN_USER,
	TOP_COLUMN_PSS,
	TOP_COLUMN_DOUBT, /* the uncertainty of the PSS */
	TOP_COLUMN_USS,
	TOP_COLUMN_RSS,
	TOP_COLUMN_SWAP,
	TOP_COLUMN_PSS_SWAP,
	TOP_COLUMN_GROWTH_1,
	TOP_COLUMN_GROWTH_10,
	TOP_COLUMN_TREND,
	TOP_COLUMN_PROCESSES,
	TOP_COLUMN_NAME,
	TOP_COLUMNS
};

enum top_page {
	TOP_PAGE_LIST,
	TOP_PAGE_DETAILS,
	TOP_PAGE_HELP,
	TOP_PAGE_USERS,   /* a menu of users */
	TOP_PAGE_COLUMNS, /* a menu of columns to sort by */
};

enum top_prompt {
	TOP_PROMPT_NONE,
	TOP_PROMPT_SEARCH,
	TOP_PROMPT_FILTER,
	TOP_PROMPT_TIME, /* of a moment of the past */
};

/* A page of text is searched when it is drawn. */
enum top_seek {
	TOP_SEEK_NONE,
	TOP_SEEK_HERE, /* from the line that was found last on */
	TOP_SEEK_NEXT, /* from the line behind it on */
};

/* Steps in time. All but the last lead to recorded snapshots. */
enum top_step {
	TOP_STEP_NONE,
	TOP_STEP_BACK,  /* one snapshot */
	TOP_STEP_FORTH, /* one snapshot, and from the newest one to the present */
	TOP_STEP_BACK_MINUTE,
	TOP_STEP_FORTH_MINUTE,
	TOP_STEP_TIME, /* to the time that was typed */
	TOP_STEP_PRESENT,
};

enum {
	TOP_TEXT_SIZE = 128,    /* bytes of a search or a filter, terminated */
	TOP_BRANCHES_MAX = 256, /* branches that were opened or closed */
	TOP_SAID_SIZE = 200,    /* bytes of a remark, terminated */
};

/* The choices that the rows depend on. */
struct top_asks {
	enum top_view view;
	enum top_column sort;
	bool is_turned;             /* the smallest first, or names from Z on */
	bool is_opposite;           /* all branches are as the view does not have them at first */
	char user[QUERY_VALUE_MAX]; /* only processes of this user; "": of all */
	char filter[TOP_TEXT_SIZE]; /* only rows with this in their name; "": all */
	uint64_t branch[TOP_BRANCHES_MAX]; /* keys of the branches that are the other way round */
	size_t branches;
};

struct top_state {
	struct top_asks asks;
	enum top_view flat; /* the view before a tree, to which 't' returns */
	enum top_page page;
	enum top_prompt prompt;
	char search[TOP_TEXT_SIZE];
	char before[TOP_TEXT_SIZE]; /* the search or filter before the prompt */
	bool is_missed;             /* the last search has found no row */
	/* In place of the labels of keys until the next key: a remark; "": none */
	char said[TOP_SAID_SIZE];
	/*
	 * The selected row; 0: the first row, whichever that is. If the row is gone, the row at its
	 * place .index is selected.
	 */
	uint64_t selected;
	size_t index;       /* of the selected row */
	size_t scroll;      /* the first row on the screen */
	size_t height;      /* rows or lines that the page has room for */
	size_t line;        /* the first line of a page of text, or the chosen item of a menu */
	enum top_seek seek; /* what the next drawing of a page of text looks for .search */
	size_t found;       /* 1 + the line of the page that the search has found; 0: none */
	char item[QUERY_VALUE_MAX]; /* the chosen user of the menu, whose place .line may change */
	uint64_t detailed;          /* the row that the page of details is about */
	bool is_paused;
	bool is_past;             /* a recorded snapshot is shown */
	bool is_playing;          /* one recorded snapshot after the other is shown */
	enum top_step step;       /* the step in time that the user wants; its maker ends it */
	char time[TOP_TEXT_SIZE]; /* the time that was typed */
	bool is_spoilt;           /* the user wants the whole terminal drawn anew */
	bool is_ended;            /* the user has quit */
};

/* Makes in *S the state at the start: view VIEW, the rows by PSS. */
void top_state_init(struct top_state *s, enum top_view view);

/* Returns true if A and B ask for the same rows in the same order. */
bool top_state_is_alike(const struct top_asks *a, const struct top_asks *b);

/* Says on the screen, until the next key, what FORMAT and its arguments make. */
__attribute__((format(printf, 2, 3))) void top_state_say(
	struct top_state *s, const char *format, ...);

/* Returns the name of VIEW: in --by, and on the screen. */
const char *top_state_view_name(enum top_view view);

/* Returns the scope of the rows of VIEW; METRIC_PROCESS for process and the trees. */
enum metric_scope top_state_scope(enum top_view view);

/* Returns true if VIEW has branches. */
static inline bool top_state_is_tree(enum top_view view)
{
	return view == TOP_VIEW_TREE || view == TOP_VIEW_NESTED;
}

/* Returns true if the branch KEY is open. */
bool top_state_is_open(const struct top_asks *a, uint64_t key);

/*
 * Opens the closed branch KEY or closes the open one. If TOP_BRANCHES_MAX are remembered, the first
 * one is forgotten.
 */
void top_state_turn(struct top_asks *a, uint64_t key);

/*
 * Sorts by COLUMN, the largest first, or names from A on. If it is the sort column already, turns the
 * order.
 */
void top_state_sort(struct top_asks *a, enum top_column column);

/* Shows VIEW, and forgets the selected row. */
void top_state_show(struct top_state *s, enum top_view view);

/*
 * After rows have changed: finds the row that is selected among COUNT rows with the keys that KEY_OF
 * returns for their indices, and scrolls so that it is on the screen.
 */
void top_state_settle(struct top_state *s, size_t count,
	uint64_t (*key_of)(const void *rows, size_t i), const void *rows);

#endif
