/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "config/webconfig-private.h"

#include <string.h>

/* In the order of enum webconfig_client, then the old name. */
static const char *const clients[] = {"NoClientCert", "RequestClientCert", "RequireAnyClientCert",
	"VerifyClientCertIfGiven", "RequireAndVerifyClientCert", "RequireClientCert", NULL};
_Static_assert(ARRAY_SIZE(clients) == WEBCONFIG_CLIENT_REQUIRE_OLD + 2, "a name for each");

static const char *const versions[] = {"TLS10", "TLS11", "TLS12", "TLS13", NULL};

/* In the order of enum webconfig_suite. */
static const char *const suites[] = {
	"TLS_AES_128_GCM_SHA256",
	"TLS_AES_256_GCM_SHA384",
	"TLS_CHACHA20_POLY1305_SHA256",
	"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
	"TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
	"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
	"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
	"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
	"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
	"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
	"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
	"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
	"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
	NULL,
};
_Static_assert(ARRAY_SIZE(suites) == WEBCONFIG_SUITES + 1, "a name for each");

static const char *const curves[] = {"CurveP256", "CurveP384", "CurveP521", "X25519", NULL};
_Static_assert(ARRAY_SIZE(curves) == WEBCONFIG_CURVES + 1, "a name for each");

static const char *const frame_options[] = {"deny", "sameorigin", NULL};
static const char *const type_options[] = {"nosniff", NULL};

#define FIELD(name) offsetof(struct webconfig, name)

const struct webconfig_setting webconfig_settings[] = {
	{WEBCONFIG_GROUP_ROOT, "tls_server_config", WEBCONFIG_TYPE_GROUP,
		.group_of = WEBCONFIG_GROUP_TLS},
	{WEBCONFIG_GROUP_ROOT, "http_server_config", WEBCONFIG_TYPE_GROUP,
		.group_of = WEBCONFIG_GROUP_HTTP},
	{WEBCONFIG_GROUP_ROOT, "basic_auth_users", WEBCONFIG_TYPE_USERS},
	{WEBCONFIG_GROUP_ROOT, "rate_limit", WEBCONFIG_TYPE_GROUP,
		.group_of = WEBCONFIG_GROUP_RATE},
	{WEBCONFIG_GROUP_TLS, "cert", WEBCONFIG_TYPE_PEM, FIELD(tls.cert), "a certificate in PEM"},
	{WEBCONFIG_GROUP_TLS, "key", WEBCONFIG_TYPE_PEM, FIELD(tls.key), "a private key in PEM"},
	{WEBCONFIG_GROUP_TLS, "client_ca", WEBCONFIG_TYPE_PEM, FIELD(tls.client_ca),
		"certificates in PEM"},
	{WEBCONFIG_GROUP_TLS, "cert_file", WEBCONFIG_TYPE_FILE, FIELD(tls.cert), "a path"},
	{WEBCONFIG_GROUP_TLS, "key_file", WEBCONFIG_TYPE_FILE, FIELD(tls.key), "a path"},
	{WEBCONFIG_GROUP_TLS, "client_ca_file", WEBCONFIG_TYPE_FILE, FIELD(tls.client_ca),
		"a path"},
	{WEBCONFIG_GROUP_TLS, "client_auth_type", WEBCONFIG_TYPE_CLIENT, FIELD(tls.client),
		"NoClientCert, RequestClientCert, RequireAnyClientCert, VerifyClientCertIfGiven or "
		"RequireAndVerifyClientCert",
		clients},
	{WEBCONFIG_GROUP_TLS, "client_allowed_sans", WEBCONFIG_TYPE_TEXTS, FIELD(tls.allowed_sans),
		"a list of names that is not empty"},
	{WEBCONFIG_GROUP_TLS, "min_version", WEBCONFIG_TYPE_CHOICE, FIELD(tls.min),
		"TLS10, TLS11, TLS12 or TLS13", versions},
	{WEBCONFIG_GROUP_TLS, "max_version", WEBCONFIG_TYPE_CHOICE, FIELD(tls.max),
		"TLS10, TLS11, TLS12 or TLS13", versions},
	{WEBCONFIG_GROUP_TLS, "cipher_suites", WEBCONFIG_TYPE_CHOICES, FIELD(tls.suites),
		"a list of cipher suites as crypto/tls in Go names them, such as "
		"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
		suites},
	{WEBCONFIG_GROUP_TLS, "prefer_server_cipher_suites", WEBCONFIG_TYPE_BOOL,
		FIELD(tls.prefers_own), "true or false"},
	{WEBCONFIG_GROUP_TLS, "curve_preferences", WEBCONFIG_TYPE_CHOICES, FIELD(tls.curves),
		"a list of CurveP256, CurveP384, CurveP521 and X25519", curves},
	/* Has no effect: clients that offer HTTP/2 in the handshake also offer HTTP/1.1. */
	{WEBCONFIG_GROUP_HTTP, "http2", WEBCONFIG_TYPE_CHECKED, 0, "true or false"},
	{WEBCONFIG_GROUP_HTTP, "headers", WEBCONFIG_TYPE_GROUP,
		.group_of = WEBCONFIG_GROUP_HEADERS},
	{WEBCONFIG_GROUP_HEADERS, "Content-Security-Policy", WEBCONFIG_TYPE_HEADER,
		FIELD(header[0]), "printable ASCII"},
	{WEBCONFIG_GROUP_HEADERS, "X-Frame-Options", WEBCONFIG_TYPE_HEADER, FIELD(header[1]),
		"deny or sameorigin", frame_options},
	{WEBCONFIG_GROUP_HEADERS, "X-Content-Type-Options", WEBCONFIG_TYPE_HEADER, FIELD(header[2]),
		"nosniff", type_options},
	{WEBCONFIG_GROUP_HEADERS, "X-XSS-Protection", WEBCONFIG_TYPE_HEADER, FIELD(header[3]),
		"printable ASCII"},
	{WEBCONFIG_GROUP_HEADERS, "Strict-Transport-Security", WEBCONFIG_TYPE_HEADER,
		FIELD(header[4]), "printable ASCII"},
	{WEBCONFIG_GROUP_RATE, "interval", WEBCONFIG_TYPE_DURATION, FIELD(interval_ns),
		"0 or a duration up to 1h with its unit, such as 1s"},
	{WEBCONFIG_GROUP_RATE, "burst", WEBCONFIG_TYPE_COUNT, FIELD(burst),
		"a whole number up to 1000000"},
};
_Static_assert(ARRAY_SIZE(webconfig_settings) == WEBCONFIG_SETTINGS, "room for the line of each");

/* By enum webconfig_group. */
static const char *const group_names[] = {
	"", "tls_server_config", "http_server_config", "headers", "rate_limit"};

const struct webconfig_setting *webconfig_form_find(enum webconfig_group group, const char *name)
{
	for (size_t i = 0; i < WEBCONFIG_SETTINGS; i++)
		if (webconfig_settings[i].group == group &&
			!strcmp(webconfig_settings[i].name, name))
			return &webconfig_settings[i];
	return NULL;
}

bool webconfig_form_is_list(const struct webconfig_setting *s)
{
	return s->type == WEBCONFIG_TYPE_TEXTS || s->type == WEBCONFIG_TYPE_CHOICES;
}

const char *webconfig_form_group_name(enum webconfig_group group)
{
	return group_names[group];
}

const char *webconfig_suite_name(enum webconfig_suite suite)
{
	return suites[suite];
}

const char *webconfig_header_name(size_t header)
{
	for (size_t i = 0; i < WEBCONFIG_SETTINGS; i++)
		if (webconfig_settings[i].type == WEBCONFIG_TYPE_HEADER &&
			webconfig_settings[i].offset == FIELD(header[header]))
			return webconfig_settings[i].name;
	return NULL;
}
