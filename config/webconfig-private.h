/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the sources of webconfig.h: the table of all settings (webconfig-form.c), the reading
 * of one value (webconfig-value.c) and of the users (webconfig-users.c), and the last check
 * (webconfig-check.c).
 */
#ifndef MEMTALLY_CONFIG_WEBCONFIG_PRIVATE_H
#define MEMTALLY_CONFIG_WEBCONFIG_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "config/events.h"
#include "config/webconfig.h"

enum webconfig_group {
	WEBCONFIG_GROUP_ROOT,
	WEBCONFIG_GROUP_TLS,
	WEBCONFIG_GROUP_HTTP,
	WEBCONFIG_GROUP_HEADERS,
	WEBCONFIG_GROUP_RATE,
	WEBCONFIG_GROUPS,
};

enum webconfig_type {
	WEBCONFIG_TYPE_GROUP,    /* a mapping; .group_of */
	WEBCONFIG_TYPE_USERS,    /* webconfig_users_read() */
	WEBCONFIG_TYPE_PEM,      /* struct webconfig_pem, the text itself */
	WEBCONFIG_TYPE_FILE,     /* struct webconfig_pem, the path of a file */
	WEBCONFIG_TYPE_CLIENT,   /* enum webconfig_client, by .choices, which has one name more */
	WEBCONFIG_TYPE_CHOICE,   /* unsigned int of an enum, by .choices */
	WEBCONFIG_TYPE_CHOICES,  /* struct webconfig_choices, by .choices */
	WEBCONFIG_TYPE_TEXTS,    /* struct text_list */
	WEBCONFIG_TYPE_BOOL,     /* bool */
	WEBCONFIG_TYPE_CHECKED,  /* a bool that is checked and has no effect */
	WEBCONFIG_TYPE_HEADER,   /* char *; if .choices is set, only one of these */
	WEBCONFIG_TYPE_DURATION, /* uint64_t */
	WEBCONFIG_TYPE_COUNT,    /* uint64_t */
};

/* Index in .choices of WEBCONFIG_TYPE_CLIENT: the old name of RequireAnyClientCert. */
enum { WEBCONFIG_CLIENT_REQUIRE_OLD = WEBCONFIG_CLIENT_REQUIRE_AND_VERIFY + 1 };

struct webconfig_setting {
	enum webconfig_group group; /* the group that contains it */
	const char *name;
	enum webconfig_type type;
	size_t offset;              /* of the field in struct webconfig */
	const char *expected;       /* what is expected, for errors */
	const char *const *choices; /* names by value, ending with NULL */
	enum webconfig_group group_of;
};

enum { WEBCONFIG_SETTINGS = 26 };
extern const struct webconfig_setting webconfig_settings[];

/* The line of each of webconfig_settings in a file, and the groups that have faults. */
struct webconfig_lines {
	size_t line[WEBCONFIG_SETTINGS]; /* the first line is 1; 0: not in the file */
	bool has_faults[WEBCONFIG_GROUPS];
};

/* Returns the setting NAME of GROUP; NULL if there is none. */
const struct webconfig_setting *webconfig_form_find(enum webconfig_group group, const char *name);

/* Returns true if the value of S is a sequence. */
bool webconfig_form_is_list(const struct webconfig_setting *s);

/* Returns the key of GROUP; "" for the top level of the file. */
const char *webconfig_form_group_name(enum webconfig_group group);

/*
 * Sets the field of S in C from TEXT; for a list, TEXT is one of its items and is added. An empty
 * PEM text, path, header or client_auth_type counts as not given. Returns 0; -EINVAL or -ERANGE if
 * TEXT is not what S expects, or if S is a group or the users; -ENOMEM.
 */
int webconfig_value_set(const struct webconfig_setting *s, struct webconfig *c, const char *text);

/*
 * Reads basic_auth_users into C, after the start event of its mapping. Refuses names that are empty
 * or have a colon, malformed hashes, and a name that is repeated. Errors never contain a hash.
 * Returns as events_read_mapping().
 */
int webconfig_users_read(struct events *e, struct webconfig *c);

/*
 * Checks that the settings of C, which has been read to the end, fit together. Skips groups that
 * have faults, which LINES tells. Completes C: whether TLS is on, and the lines of settings that a
 * TLS library may refuse later. Reports a fault at the line of each wrong setting. Returns 0;
 * -EINVAL if there are faults, of this check or of the reading before.
 */
int webconfig_check(struct events *e, struct webconfig *c, const struct webconfig_lines *lines);

#endif
