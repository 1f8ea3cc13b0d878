/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* Without these, <curses.h> leaves out wide characters, and defines macros such as "clear". */
#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <term.h>

#include "base/cleanup.h"
#include "cli/top/pages/top-keys.h"

enum { ESCAPE_DELAY_MS = 25, RESTORE_SIZE = 256, RESTORE_MS = 1000 };

/*
 * The terminal. A handler of signals can reach it only as a static variable; ncurses keeps one, too.
 */
static struct {
	volatile sig_atomic_t is_open;
	bool is_lost; /* terminal_is_lost() */
	struct termios before;
	char restore[RESTORE_SIZE]; /* control sequences */
	size_t restore_len;
	struct grid shown; /* on the terminal now */
	SCREEN *screen;
	attr_t attributes[STYLES];
	short pair[STYLES];
} terminal;

/* Attributes and colours of the styles: of 256 colours, of 8, and attributes without colours. */
static const struct {
	attr_t attributes; /* also with colours */
	attr_t plain;      /* in addition, without colours */
	short front, back; /* of 256; -1: the terminal's own */
	short front8, back8;
} looks[STYLES] = {
	[STYLE_NORMAL] = {A_NORMAL, 0, -1, -1, -1, -1},
	[STYLE_TITLE] = {A_BOLD, 0, -1, -1, -1, -1},
	[STYLE_DIM] = {A_DIM, 0, -1, -1, -1, -1},
	[STYLE_HEAD] = {A_REVERSE, 0, -1, -1, -1, -1},
	[STYLE_SORTED] = {A_REVERSE | A_BOLD, A_UNDERLINE, -1, -1, -1, -1},
	[STYLE_SELECTED] = {A_BOLD, A_REVERSE, 231, 24, COLOR_WHITE, COLOR_BLUE},
	[STYLE_FOUND] = {A_UNDERLINE | A_BOLD, 0, -1, -1, -1, -1},
	[STYLE_BAD] = {A_BOLD, 0, 208, -1, COLOR_YELLOW, -1},
	[STYLE_UNCERTAIN] = {A_NORMAL, 0, 214, -1, COLOR_YELLOW, -1},
	[STYLE_GROWN] = {A_BOLD, 0, -1, -1, -1, -1},
	[STYLE_KEY] = {A_BOLD, 0, -1, -1, -1, -1},
	[STYLE_CHOICE] = {A_REVERSE, 0, -1, -1, -1, -1},
	/* The bands have colours of different brightness, and letters. */
	[STYLE_ANON] = {A_NORMAL, A_REVERSE, 231, 25, COLOR_WHITE, COLOR_BLUE},
	[STYLE_FILE] = {A_NORMAL, 0, 16, 74, COLOR_BLACK, COLOR_CYAN},
	[STYLE_SHARED] = {A_NORMAL, A_REVERSE, 16, 175, COLOR_BLACK, COLOR_MAGENTA},
	[STYLE_UNSPLIT] = {A_NORMAL, 0, 231, 60, COLOR_WHITE, COLOR_BLUE},
	[STYLE_CACHE] = {A_NORMAL, 0, 16, 220, COLOR_BLACK, COLOR_YELLOW},
	[STYLE_KERNEL] = {A_NORMAL, A_REVERSE, 231, 130, COLOR_WHITE, COLOR_RED},
	[STYLE_HUGETLB] = {A_NORMAL, 0, 16, 36, COLOR_BLACK, COLOR_GREEN},
	[STYLE_FREE] = {A_DIM, 0, -1, -1, -1, -1},
	[STYLE_UNACCOUNTED] = {A_BOLD, A_REVERSE, 16, 250, COLOR_BLACK, COLOR_WHITE},
};

/* Signals that do not end a process. All others do, by a fault or from outside. */
static const int harmless[] = {
	SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH, SIGKILL};

/*
 * Only system calls that handlers of signals may make. In the background, where a stopped process goes
 * on to get its signals, the terminal is the shell's already, and a change would stop the process again.
 * Output that the user has stopped by Ctrl-S goes on, since write() would wait for that; it also would
 * wait for a terminal that has hung.
 */
static void restore_now(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
	ssize_t written = 0;

	if (!terminal.is_open || tcgetpgrp(STDIN_FILENO) != getpgrp())
		return;
	terminal.is_open = 0;
	/* Linux starts output again only if it was stopped in the same way. */
	tcflow(STDOUT_FILENO, TCOOFF);
	tcflow(STDOUT_FILENO, TCOON);
	if (poll(&out, 1, RESTORE_MS) > 0)
		written = write(STDOUT_FILENO, terminal.restore, terminal.restore_len);
	(void)written;
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
}

static void end_by_signal(int number)
{
	restore_now();
	signal(number, SIG_DFL);
	raise(number);
}

static bool is_harmless(int number)
{
	for (size_t i = 0; i < ARRAY_SIZE(harmless); i++)
		if (harmless[i] == number)
			return true;
	return false;
}

static void hear_signals(void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_NODEFER};

	for (int i = 1; i < NSIG; i++) {
		struct sigaction old;

		if (!is_harmless(i) && sigaction(i, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(i, &action, NULL);
	}
}

static int add_restore(int c)
{
	if (terminal.restore_len < sizeof(terminal.restore))
		terminal.restore[terminal.restore_len++] = (char)c;
	return c;
}

/*
 * Prepares the sequences that end the full screen, as endwin() would send them. Returns false if the
 * type of the terminal is unknown, or it cannot move its cursor.
 */
static bool prepare_restore(void)
{
	static const char *const names[] = {"sgr0", "op", "rmkx", "cnorm", "rmcup"};
	const char *move;
	int status;

	if (setupterm(NULL, STDOUT_FILENO, &status) != OK)
		return false;
	move = tigetstr("cup");
	terminal.restore_len = 0;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *text = tigetstr(names[i]);

		if (text && text != (char *)-1)
			tputs(text, 1, add_restore);
	}
	del_curterm(cur_term);
	return move && move != (char *)-1;
}

static void prepare_styles(bool has_colours)
{
	has_colours = has_colours && has_colors() && start_color() == OK;
	if (has_colours)
		use_default_colors();
	for (unsigned int i = 0; i < STYLES; i++) {
		bool is_rich = COLORS >= 256;
		short front = is_rich ? looks[i].front : looks[i].front8;
		short back = is_rich ? looks[i].back : looks[i].back8;

		terminal.attributes[i] = looks[i].attributes | (has_colours ? 0 : looks[i].plain);
		terminal.pair[i] = 0;
		if (has_colours && (front >= 0 || back >= 0) &&
			init_pair((short)(i + 1), front, back) == OK)
			terminal.pair[i] = (short)(i + 1);
	}
}

int terminal_open(bool has_colours)
{
	const char *term = getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
		tcgetattr(STDIN_FILENO, &terminal.before) < 0)
		return -ENOTTY;
	if (!term || !*term || !prepare_restore())
		return -ENOTSUP;
	/* Before ncurses, which hears only signals that have no handler, and which changes settings. */
	terminal.is_open = 1;
	hear_signals(end_by_signal);
	terminal.screen = newterm(NULL, stdout, stdin);
	if (!terminal.screen) {
		terminal.is_open = 0;
		hear_signals(SIG_DFL);
		return -ENOTSUP;
	}
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_DELAY_MS);
	prepare_styles(has_colours);
	return 0;
}

void terminal_close(void)
{
	if (!terminal.is_open)
		return;
	endwin();
	tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal.before);
	terminal.is_open = 0;
	delscreen(terminal.screen);
	grid_done(&terminal.shown);
	hear_signals(SIG_DFL);
}

void terminal_size(size_t *ret_width, size_t *ret_height)
{
	int width, height;

	getmaxyx(stdscr, height, width);
	*ret_width = width > 0 ? (size_t)width : 1;
	*ret_height = height > 0 ? (size_t)height : 1;
}

/* Function keys as ncurses and as the table of keys name them. */
static const struct {
	wint_t theirs;
	uint32_t ours;
} named[] = {
	{KEY_UP, TOP_KEY_UP},
	{KEY_DOWN, TOP_KEY_DOWN},
	{KEY_LEFT, TOP_KEY_LEFT},
	{KEY_RIGHT, TOP_KEY_RIGHT},
	{KEY_PPAGE, TOP_KEY_PAGE_UP},
	{KEY_NPAGE, TOP_KEY_PAGE_DOWN},
	{KEY_HOME, TOP_KEY_HOME},
	{KEY_END, TOP_KEY_END},
	{KEY_BTAB, TOP_KEY_BACK_TAB},
	{KEY_ENTER, TOP_KEY_ENTER},
	{KEY_BACKSPACE, TOP_KEY_BACKSPACE},
};

static uint32_t terminal_key_of(wint_t c)
{
	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		if (named[i].theirs == c)
			return named[i].ours;
	if (c > KEY_F0 && c <= KEY_F(10))
		return TOP_KEY_F0 + (c - KEY_F0);
	return TOP_KEY_NONE;
}

uint32_t terminal_key(void)
{
	for (;;) {
		wint_t c;
		uint32_t key;
		int r;

		errno = 0;
		r = get_wch(&c);
		if (r == ERR) {
			terminal.is_lost = errno == EIO;
			return TOP_KEY_NONE;
		}
		if (r == OK && c == '\r')
			return TOP_KEY_ENTER;
		if (r == OK && c == '\b')
			return TOP_KEY_BACKSPACE;
		key = r == KEY_CODE_YES ? terminal_key_of(c) : (uint32_t)c;
		if (key != TOP_KEY_NONE)
			return key;
	}
}

bool terminal_is_lost(void)
{
	return terminal.is_lost;
}

static void draw_line(const struct grid *g, size_t y)
{
	for (size_t x = 0; x < g->width; x++) {
		const struct grid_cell *c = grid_at(g, x, y);
		wchar_t text[GRID_CHARACTERS + 1] = {0};
		cchar_t cell;

		if (!c->span)
			continue;
		memcpy(text, c->text, sizeof(c->text));
		setcchar(&cell, text, terminal.attributes[c->style], terminal.pair[c->style], NULL);
		mvadd_wch((int)y, (int)x, &cell);
	}
}

/* Returns true if line Y of G is on the terminal already. */
static bool terminal_has_line(const struct grid *g, size_t y)
{
	const struct grid *old = &terminal.shown;

	return y < old->height && old->width == g->width &&
	       !memcmp(grid_at(g, 0, y), grid_at(old, 0, y), g->width * sizeof(*g->cell));
}

void terminal_draw(const struct grid *g)
{
	for (size_t y = 0; y < g->height; y++)
		if (!terminal_has_line(g, y))
			draw_line(g, y);
	curs_set(g->has_cursor);
	if (g->has_cursor)
		move((int)g->hot_y, (int)g->hot_x);
	refresh();
	if (grid_begin(&terminal.shown, g->width, g->height) == 0)
		memcpy(terminal.shown.cell, g->cell, g->width * g->height * sizeof(*g->cell));
	else
		terminal.shown.height = 0;
}

void terminal_forget(void)
{
	terminal.shown.height = 0;
	clearok(stdscr, TRUE);
}
