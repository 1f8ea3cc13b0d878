/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Option Table
 *
 * Every setting of every program, once. Options, YAML keys, --help, --check-config and the man
 * pages are made from this table. The name is the option ("--pss.mode") and the key; in a file each
 * dot may also be a level of nesting ("pss: {mode: exact}").
 *
 * One file serves all programs, so each program checks every key of the table and uses its own.
 */
#ifndef MEMTALLY_CONFIG_OPTION_H
#define MEMTALLY_CONFIG_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

enum program {
	PROGRAM_MEMTALLYD = 1 << 0,
	PROGRAM_WEB = 1 << 1,
	PROGRAM_LEDGER = 1 << 2,
	PROGRAM_RECORDER = 1 << 3,
	PROGRAM_MEMTALLY = 1 << 4, /* must be the last */
};

/* The action that the options ask for. */
enum settings_action {
	SETTINGS_RUN,
	SETTINGS_CHECK,
	SETTINGS_HELP,
	SETTINGS_VERSION,
};

enum pss_mode {
	PSS_MODE_EXACT,
	PSS_MODE_ADAPTIVE,
};

enum account_by {
	ACCOUNT_BY_EUID,
	ACCOUNT_BY_RUID,
	ACCOUNT_BY_LOGINUID,
};

enum snapshot_public {
	SNAPSHOT_PUBLIC_AUTO, /* aggregates; nothing if /proc is hidden */
	SNAPSHOT_PUBLIC_AGGREGATES,
	SNAPSHOT_PUBLIC_NOTHING,
};

enum tcp_scope {
	TCP_SCOPE_AUTO, /* processes; aggregates if /proc is hidden */
	TCP_SCOPE_PROCESSES,
	TCP_SCOPE_AGGREGATES,
};

/* Exporters that memtally-web can stand in for, in the order of the choices. */
enum web_compat {
	WEB_COMPAT_NONE,
	WEB_COMPAT_PROCESS_EXPORTER,
};

/* The span of time for which a usage report has rows, in the order of the choices. */
enum usage_per {
	USAGE_PER_ALL,
	USAGE_PER_HOUR,
	USAGE_PER_DAY,
	USAGE_PER_MONTH,
};

/* A list of texts. A zeroed struct is empty. */
struct text_list {
	char **item; /* owned */
	size_t count, room;
};

/*
 * The values of all settings. Texts are owned by this struct. The table says which fields a program
 * uses.
 */
struct settings {
	bool check_config, help, version;
	char *config_file;
	bool is_file_missing; /* the default file does not exist */
	char *snapshot_socket;
	uint64_t log_level; /* enum log_level of base/log.h */

	uint64_t snapshot_public; /* enum snapshot_public */
	char *path_procfs;
	uint64_t interval_ns;
	uint64_t pss_mode; /* enum pss_mode */
	uint64_t pss_max_age_ns;
	uint64_t budget_cpu_ppm; /* millionths of one core */
	uint64_t budget_stall_ns, budget_giant_age_ns;
	uint64_t files_interval_ns;    /* 0: never */
	uint64_t pressure_interval_ns; /* 0: no brief passes */
	uint64_t accounting_user;      /* enum account_by */
	char *naming_process_exporter; /* naming/rules.h; NULL: none */
	uint64_t export_users, export_programs, export_units, export_user_units, export_sessions,
		export_slices, export_machines, export_pods, export_containers, export_groups,
		export_namegroups, export_processes;

	struct text_list web_listen_address, web_allowed_hosts;
	char *web_telemetry_path;
	uint64_t web_max_connections;
	uint64_t web_timeout_ns;
	uint64_t web_tcp_scope; /* enum tcp_scope */
	uint64_t web_compat;    /* enum web_compat */
	char *web_config_file;  /* config/webconfig.h; NULL: none */
	bool web_open_health, web_insecure;

	char *ledger_socket, *ledger_directory;
	uint64_t ledger_keep_buckets_ns, ledger_keep_hours_ns, ledger_keep_days_ns;
	uint64_t ledger_max_size_mib;

	char *recorder_socket, *recorder_directory;
	/* of memtally: the directory was an option, so that its files are read, not the socket */
	bool reads_recorder_directory;
	uint64_t recorder_size_mib;
	uint64_t recorder_share_all_ppm, recorder_share_minutes_ppm; /* millionths of the size */

	bool live, json, bytes;
	char *sort, *order;
	uint64_t limit; /* 0: all */
	char *since, *until, *by, *diff, *file;
	char *at, *from, *to, *oom;
	uint64_t per; /* enum usage_per */
	bool csv, all, sections, symbols, matrix, deleted;
	char *range, *replay, *process_exporter;
	struct text_list user, program, unit, user_unit, session, slice, machine, pod, container,
		group, namegroup, pid;

	struct text_list operands; /* arguments of the command line that are no options */
	char *ignored; /* owned; a warning about ignored settings; NULL: none is ignored */
	/* "NAME sets OPTION: VALUE" of each environment variable that has set a value */
	struct text_list variables;
};

struct settings *settings_free(struct settings *c); /* accepts NULL; returns NULL */

static inline void cleanup_settings(struct settings **c)
{
	settings_free(*c);
}
#define AUTO_SETTINGS CLEANUP(cleanup_settings)

/* Bytes of an error text, which has a line for each fault, without a newline after the last one. */
enum { SETTINGS_ERROR_SIZE = 4096 };

enum option_type {
	OPTION_BOOL,      /* bool */
	OPTION_COUNT,     /* uint64_t */
	OPTION_DURATION,  /* uint64_t, nanoseconds */
	OPTION_PERCENT,   /* uint64_t, millionths */
	OPTION_CHOICE,    /* uint64_t, index into choices */
	OPTION_TEXT,      /* char *, not empty */
	OPTION_PATH,      /* char *, absolute unless given as an option */
	OPTION_LIST,      /* struct text_list */
	OPTION_URL_PATH,  /* char *, a path where memtally-web serves nothing else */
	OPTION_ADDRESSES, /* struct text_list; config/address.h */
	OPTION_HOSTS,     /* struct text_list of host names; config/address.h */
};

struct option_spec {
	const char *name;
	unsigned int programs; /* bits of enum program; 0: option of a view that is not built */
	enum option_type type;
	bool in_file; /* is also a key of the YAML file */
	const char *metavar;
	const char *fallback; /* the default, as a user writes it; NULL: none */
	/*
	 * Of OPTION_COUNT, OPTION_DURATION and OPTION_PERCENT; .max of OPTION_PATH: bytes, 0: any.
	 */
	uint64_t min, max;
	/* OPTION_CHOICE: NULL-terminated; OPTION_TEXT: values to suggest, or NULL */
	const char *const *choices;
	size_t offset; /* of the field in struct settings */
	/*
	 * Sentences. Those of memtally's options may begin with names of commands and a colon, as in
	 * "map, pages: ...": such a sentence, and all up to the next one that begins so, is about
	 * these commands only. "lists" stands for the commands that list owners or processes.
	 */
	const char *help;
	/*
	 * The environment variable from which memtally takes the value if it is set and not empty: it
	 * comes before the file, and after the command line. Other programs ignore it. NULL: none.
	 */
	const char *variable;
	/*
	 * The short form: 'n' for -n; 0: none. With .letter_value it takes no value and stands for
	 * --NAME=VALUE; otherwise it takes the same values as the option.
	 */
	char letter;
	const char *letter_value;
};

/* Returns the table and writes the number of its rows to *RET_COUNT. */
const struct option_spec *option_table(size_t *ret_count);

/* Returns true if SPEC may be given several times and each time adds to a struct text_list. */
bool option_is_list(const struct option_spec *spec);

/* Returns the option NAME of PROGRAMS, bits of enum program; NULL if there is none. */
const struct option_spec *option_find(const char *name, unsigned int programs);

/*
 * Returns the value of SPEC's environment variable for PROGRAM; NULL if PROGRAM reads none, or if
 * the variable is empty or not set.
 */
const char *option_variable(const struct option_spec *spec, enum program program);

/* Returns the option of PROGRAMS with the short form LETTER; NULL if there is none. */
const struct option_spec *option_find_letter(char letter, unsigned int programs);

/* Returns "memtallyd", "memtally-web", "memtally-ledger", "memtally-recorder" or "memtally". */
const char *option_program_name(enum program program);

enum { OPTION_EXPECTED_SIZE = 192 };

/* Writes what SPEC takes to TO, for people: "a duration from 1s to 1d, such as 10s". */
void option_expected(const struct option_spec *spec, char to[static OPTION_EXPECTED_SIZE]);

/*
 * Returns a remark to add to an error about TEXT, which SPEC does not take: " (a number without a
 * unit is seconds)", or "".
 */
const char *option_remark(const struct option_spec *spec, const char *text);

/*
 * Sets the field of SPEC in C from TEXT; adds TEXT to a list. Returns 0; -EINVAL or -ERANGE if TEXT
 * is not what option_expected() says; -ENOMEM. After a failure the field is unchanged.
 */
int option_set(const struct option_spec *spec, struct settings *c, const char *text);

/*
 * Returns true if the field of SPEC in C is not 0, false, NULL or empty. So it says of an option
 * without a default whether it was given.
 */
bool option_is_set(const struct option_spec *spec, const struct settings *c);

/*
 * Empties the field of SPEC in C if it is a list, or frees it and sets it to NULL if it is a text.
 * Other fields do not change.
 */
void option_reset(const struct option_spec *spec, struct settings *c);

/* Adds a copy of TEXT to LIST. Returns 0 or -ENOMEM. */
int text_list_add(struct text_list *list, const char *text);
/* Frees the texts. LIST is then empty. */
void text_list_done(struct text_list *list);

#endif
