/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Web Configuration
 *
 * Reads TLS settings, passwords and headers in the format that Prometheus and its exporters share
 * (prometheus/exporter-toolkit, docs/web-configuration.md). Settings that memtally-web cannot
 * honour are refused, never ignored. Pure: the files that it names are not opened, and settings
 * that a TLS library lacks are refused later (web/net/tls.h).
 */
#ifndef MEMTALLY_CONFIG_WEBCONFIG_H
#define MEMTALLY_CONFIG_WEBCONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "config/option.h"

/* Go's types of client authentication (crypto/tls). */
enum webconfig_client {
	WEBCONFIG_CLIENT_NONE,
	WEBCONFIG_CLIENT_REQUEST,     /* asked for and not verified */
	WEBCONFIG_CLIENT_REQUIRE_ANY, /* required and not verified */
	WEBCONFIG_CLIENT_VERIFY_IF_GIVEN,
	WEBCONFIG_CLIENT_REQUIRE_AND_VERIFY,
};

enum webconfig_version {
	WEBCONFIG_TLS10,
	WEBCONFIG_TLS11,
	WEBCONFIG_TLS12,
	WEBCONFIG_TLS13,
	WEBCONFIG_VERSIONS,
};

enum webconfig_suite {
	WEBCONFIG_AES_128_GCM_SHA256, /* these three are of TLS 1.3 and have no key exchange */
	WEBCONFIG_AES_256_GCM_SHA384,
	WEBCONFIG_CHACHA20_POLY1305_SHA256,
	WEBCONFIG_ECDSA_AES_128_CBC_SHA, /* from here on: up to TLS 1.2 */
	WEBCONFIG_ECDSA_AES_256_CBC_SHA,
	WEBCONFIG_ECDSA_AES_128_GCM_SHA256,
	WEBCONFIG_ECDSA_AES_256_GCM_SHA384,
	WEBCONFIG_ECDSA_CHACHA20_POLY1305_SHA256,
	WEBCONFIG_RSA_AES_128_CBC_SHA,
	WEBCONFIG_RSA_AES_256_CBC_SHA,
	WEBCONFIG_RSA_AES_128_GCM_SHA256,
	WEBCONFIG_RSA_AES_256_GCM_SHA384,
	WEBCONFIG_RSA_CHACHA20_POLY1305_SHA256,
	WEBCONFIG_SUITES,
};

enum webconfig_curve {
	WEBCONFIG_P256,
	WEBCONFIG_P384,
	WEBCONFIG_P521,
	WEBCONFIG_X25519,
	WEBCONFIG_CURVES,
};

/* A PEM text, in the configuration or in a file of its own. */
struct webconfig_pem {
	char *text;  /* owned; NULL: not in the configuration */
	char *path;  /* owned; relative to the configuration's directory; NULL: no file */
	size_t line; /* of the setting, for errors */
};

/* A list of enum values in the configured order, without repetitions. */
struct webconfig_choices {
	unsigned char item[WEBCONFIG_SUITES];
	size_t count; /* 0: not configured, all that the library has */
	size_t line;
};

struct webconfig_tls {
	bool is_on;
	struct webconfig_pem cert, key, client_ca;
	enum webconfig_client client;
	struct text_list allowed_sans; /* empty: any name */
	enum webconfig_version min, max;
	struct webconfig_choices suites; /* enum webconfig_suite */
	struct webconfig_choices curves; /* enum webconfig_curve */
	bool prefers_own;                /* the server's order counts, not the client's */
};

struct webconfig_user {
	char *name, *hash; /* owned; the hash is a well-formed bcrypt hash */
};

enum {
	WEBCONFIG_HASH_LEN = 60,
	WEBCONFIG_COST_AT = 4, /* offset of the cost in the hash: two digits */
	WEBCONFIG_COST_MIN = 4,
	WEBCONFIG_COST_MAX = 18, /* about 20 s; with more, the connection ends before the check */
};

/* Headers are numbered as in webconfig_header_name(). */
enum { WEBCONFIG_HEADERS = 5 };

struct webconfig {
	struct webconfig_tls tls;
	char *header[WEBCONFIG_HEADERS]; /* owned; NULL: not set */
	struct webconfig_user *user;     /* owned */
	size_t users, users_room;
	uint64_t interval_ns; /* between two requests in the long run; 0: no limit */
	uint64_t burst;       /* requests that may come at once; at least 1 if there is a limit */
};

/*
 * Reads TEXT into *RET, which the caller frees with webconfig_done(). NAME is the file's name for
 * errors. Returns 0; -EINVAL if there are faults; -EBADMSG if TEXT is not YAML, which is the last
 * line of ERROR; -ENOMEM. ERROR has a line for each fault, with file, line, key and what was
 * expected, and never a secret.
 */
int webconfig_parse(const char *name, const char *text, size_t len, struct webconfig *ret,
	char error[static SETTINGS_ERROR_SIZE]);

/* Frees what C owns, and wipes keys and hashes. */
void webconfig_done(struct webconfig *c);
#define AUTO_WEBCONFIG CLEANUP(webconfig_done)

/*
 * Return the name in the configuration: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
 * "Strict-Transport-Security".
 */
const char *webconfig_suite_name(enum webconfig_suite suite);
const char *webconfig_header_name(size_t header);

#endif
