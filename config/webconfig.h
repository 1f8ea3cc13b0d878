/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The web configuration: TLS, passwords and headers, in the format that Prometheus and its exporters share
 * (prometheus/exporter-toolkit, docs/web-configuration.md). Pure: files that it names are not opened, and what a TLS
 * library can't do is for others to refuse. Whatever can't be honoured is refused, never passed over.
 */
#ifndef MEMTALLY_CONFIG_WEBCONFIG_H
#define MEMTALLY_CONFIG_WEBCONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "config/option.h"
#include "config/settings.h"

/* Of crypto/tls in Go, which has given them their names. */
enum webconfig_client {
	WEBCONFIG_CLIENT_NONE,
	WEBCONFIG_CLIENT_REQUEST,     /* asked for, not verified */
	WEBCONFIG_CLIENT_REQUIRE_ANY, /* has to have one, whoever made it */
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
	WEBCONFIG_AES_128_GCM_SHA256, /* of TLS 1.3; without a kind of key */
	WEBCONFIG_AES_256_GCM_SHA384,
	WEBCONFIG_CHACHA20_POLY1305_SHA256,
	WEBCONFIG_ECDSA_AES_128_CBC_SHA, /* up to TLS 1.2 */
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

/* Something in PEM: here, or in a file. */
struct webconfig_pem {
	char *text; /* owned; NULL: not here */
	char *path; /* owned; as written, relative to the file's directory; NULL: in no file */
	size_t line;
};

/* Several of a few, in the order in which they stand, each once. */
struct webconfig_choices {
	unsigned char item[WEBCONFIG_SUITES];
	size_t count; /* 0: whichever the library has */
	size_t line;
};

struct webconfig_tls {
	bool is_on;
	struct webconfig_pem cert, key, client_ca;
	enum webconfig_client client;
	struct text_list allowed_sans; /* empty: any */
	enum webconfig_version min, max;
	struct webconfig_choices suites; /* enum webconfig_suite */
	struct webconfig_choices curves; /* enum webconfig_curve */
	bool prefers_own;                /* the server's order counts, not the client's */
};

struct webconfig_user {
	char *name, *hash; /* owned; the hash is one of bcrypt, well-formed */
};

enum {
	WEBCONFIG_HASH_LEN = 60,
	WEBCONFIG_COST_AT = 4, /* where in the hash the cost stands, two digits */
	WEBCONFIG_COST_MIN = 4,
	WEBCONFIG_COST_MAX = 18, /* about 20 s: more never ends before the connection does */
};

/* In the order of webconfig_header_name(). */
enum { WEBCONFIG_HEADERS = 5 };

struct webconfig {
	struct webconfig_tls tls;
	char *header[WEBCONFIG_HEADERS]; /* owned; NULL: not set */
	struct webconfig_user *user;     /* owned */
	size_t users;
	uint64_t interval_ns; /* between two requests, in the long run; 0: they are not limited */
	uint64_t burst; /* requests that may come at once; 1 at least where they are limited */
};

/*
 * Reads TEXT into *ret, which the caller gives back with webconfig_done(); NAME stands for the file in errors. -EINVAL: there are
 * faults, and ERROR has a line for each, with file, line, key and what was expected, and never a secret. -EBADMSG: TEXT is not YAML,
 * which is the last line of ERROR. -ENOMEM.
 */
int webconfig_parse(const char *name, const char *text, size_t len, struct webconfig *ret,
	char error[static SETTINGS_ERROR_SIZE]);

void webconfig_done(struct webconfig *c);
#define AUTO_WEBCONFIG CLEANUP(webconfig_done)

/* What stands in the configuration: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS12", "Strict-Transport-Security". */
const char *webconfig_suite_name(enum webconfig_suite suite);
const char *webconfig_version_name(enum webconfig_version version);
const char *webconfig_header_name(size_t header);

#endif
