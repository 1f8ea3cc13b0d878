/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The form of the web configuration: a table of all settings, in which group each stands, of what type it is, and which
 * field of struct webconfig is its. For the files of webconfig.h alone.
 */
#ifndef MEMTALLY_CONFIG_WEBCONFIG_FORM_H
#define MEMTALLY_CONFIG_WEBCONFIG_FORM_H

#include <stdbool.h>
#include <stddef.h>

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
	WEBCONFIG_TYPE_GROUP,    /* .group_of */
	WEBCONFIG_TYPE_USERS,    /* webconfig-users.h */
	WEBCONFIG_TYPE_PEM,      /* struct webconfig_pem, here */
	WEBCONFIG_TYPE_FILE,     /* the same, in a file */
	WEBCONFIG_TYPE_CLIENT,   /* enum webconfig_client, by .choices, which have one more */
	WEBCONFIG_TYPE_CHOICE,   /* unsigned int of an enum, by .choices */
	WEBCONFIG_TYPE_CHOICES,  /* struct webconfig_choices, by .choices */
	WEBCONFIG_TYPE_TEXTS,    /* struct text_list */
	WEBCONFIG_TYPE_BOOL,     /* bool */
	WEBCONFIG_TYPE_CHECKED,  /* a bool that makes no difference */
	WEBCONFIG_TYPE_HEADER,   /* char *; .choices: these alone */
	WEBCONFIG_TYPE_DURATION, /* uint64_t */
	WEBCONFIG_TYPE_COUNT,    /* uint64_t */
};

/* Of WEBCONFIG_TYPE_CLIENT: what RequireAnyClientCert was called first. */
enum { WEBCONFIG_CLIENT_REQUIRE_OLD = WEBCONFIG_CLIENT_REQUIRE_AND_VERIFY + 1 };

struct webconfig_setting {
	enum webconfig_group group; /* in which it stands */
	const char *name;
	enum webconfig_type type;
	size_t offset;              /* of the field */
	const char *expected;       /* for errors */
	const char *const *choices; /* their names, by value; ends with NULL */
	enum webconfig_group group_of;
};

enum { WEBCONFIG_SETTINGS = 26 };
extern const struct webconfig_setting webconfig_settings[];

/* The line in a file of each of webconfig_settings, and the groups that have faults. */
struct webconfig_lines {
	size_t line[WEBCONFIG_SETTINGS]; /* the first line is 1; 0: nowhere */
	bool has_faults[WEBCONFIG_GROUPS];
};

/* Returns the setting NAME of GROUP; NULL: there is none. */
const struct webconfig_setting *webconfig_form_find(enum webconfig_group group, const char *name);

/* Its value is a sequence. */
bool webconfig_form_is_list(const struct webconfig_setting *s);

/* As it is written; "" is the file's own. */
const char *webconfig_form_group_name(enum webconfig_group group);

#endif
