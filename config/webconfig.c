/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Go's yaml and crypto/tls make of the same file is what administrators know: blank texts are settings that are not
 * there, "yes" is true, a list of one is written as a list. Where they would pass over a setting, or let one win over
 * another without a word, it is refused here.
 */
#include "config.h"

#include "config/webconfig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/number.h"
#include "config/events.h"

#define BCRYPT_ALPHABET "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

enum { BURST_MAX = 1000000 };

/* So that a burst of them is no more than 64 bits of nanoseconds. */
#define INTERVAL_MAX_NS (UINT64_C(3600) * NS_PER_SEC)

enum group {
	GROUP_ROOT,
	GROUP_TLS,
	GROUP_HTTP,
	GROUP_HEADERS,
	GROUP_RATE,
};

enum type {
	TYPE_GROUP, /* .group_of */
	TYPE_USERS,
	TYPE_PEM,      /* struct webconfig_pem, here */
	TYPE_FILE,     /* the same, in a file */
	TYPE_CHOICE,   /* unsigned int of an enum, by .choices */
	TYPE_CHOICES,  /* struct webconfig_choices, by .choices */
	TYPE_TEXTS,    /* struct text_list */
	TYPE_BOOL,     /* bool */
	TYPE_CHECKED,  /* a bool that makes no difference */
	TYPE_HEADER,   /* char *; .choices: these alone */
	TYPE_DURATION, /* uint64_t */
	TYPE_COUNT,    /* uint64_t */
};

static const char *const clients[] = {"NoClientCert", "RequestClientCert", "RequireAnyClientCert",
	"VerifyClientCertIfGiven", "RequireAndVerifyClientCert", "RequireClientCert", NULL};
enum { CLIENT_REQUIRE_OLD = 5 }; /* what RequireAnyClientCert was called first */

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

static const struct setting {
	enum group group; /* in which it stands */
	const char *name;
	enum type type;
	size_t offset;
	const char *const *choices;
	enum group group_of; /* of TYPE_GROUP: which it begins */
	const char *expected;
} settings[] = {
	{GROUP_ROOT, "tls_server_config", TYPE_GROUP, 0, NULL, GROUP_TLS, NULL},
	{GROUP_ROOT, "http_server_config", TYPE_GROUP, 0, NULL, GROUP_HTTP, NULL},
	{GROUP_ROOT, "basic_auth_users", TYPE_USERS, 0, NULL, GROUP_ROOT, NULL},
	{GROUP_ROOT, "rate_limit", TYPE_GROUP, 0, NULL, GROUP_RATE, NULL},
	{GROUP_TLS, "cert", TYPE_PEM, FIELD(tls.cert), NULL, GROUP_ROOT, "a certificate in PEM"},
	{GROUP_TLS, "key", TYPE_PEM, FIELD(tls.key), NULL, GROUP_ROOT, "a private key in PEM"},
	{GROUP_TLS, "client_ca", TYPE_PEM, FIELD(tls.client_ca), NULL, GROUP_ROOT,
		"certificates in PEM"},
	{GROUP_TLS, "cert_file", TYPE_FILE, FIELD(tls.cert), NULL, GROUP_ROOT, "a path"},
	{GROUP_TLS, "key_file", TYPE_FILE, FIELD(tls.key), NULL, GROUP_ROOT, "a path"},
	{GROUP_TLS, "client_ca_file", TYPE_FILE, FIELD(tls.client_ca), NULL, GROUP_ROOT, "a path"},
	{GROUP_TLS, "client_auth_type", TYPE_CHOICE, FIELD(tls.client), clients, GROUP_ROOT,
		"NoClientCert, RequestClientCert, RequireAnyClientCert, VerifyClientCertIfGiven or "
		"RequireAndVerifyClientCert"},
	{GROUP_TLS, "client_allowed_sans", TYPE_TEXTS, FIELD(tls.allowed_sans), NULL, GROUP_ROOT,
		"a list of names that is not empty"},
	{GROUP_TLS, "min_version", TYPE_CHOICE, FIELD(tls.min), versions, GROUP_ROOT,
		"TLS10, TLS11, TLS12 or TLS13"},
	{GROUP_TLS, "max_version", TYPE_CHOICE, FIELD(tls.max), versions, GROUP_ROOT,
		"TLS10, TLS11, TLS12 or TLS13"},
	{GROUP_TLS, "cipher_suites", TYPE_CHOICES, FIELD(tls.suites), suites, GROUP_ROOT,
		"a list of cipher suites as crypto/tls in Go names them, such as "
		"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"},
	{GROUP_TLS, "prefer_server_cipher_suites", TYPE_BOOL, FIELD(tls.prefers_own), NULL,
		GROUP_ROOT, "true or false"},
	{GROUP_TLS, "curve_preferences", TYPE_CHOICES, FIELD(tls.curves), curves, GROUP_ROOT,
		"a list of CurveP256, CurveP384, CurveP521 and X25519"},
	/* Whoever may speak HTTP/2 is content with HTTP/1.1, by its own offer in the handshake. */
	{GROUP_HTTP, "http2", TYPE_CHECKED, 0, NULL, GROUP_ROOT, "true or false"},
	{GROUP_HTTP, "headers", TYPE_GROUP, 0, NULL, GROUP_HEADERS, NULL},
	{GROUP_HEADERS, "Content-Security-Policy", TYPE_HEADER, FIELD(header[0]), NULL, GROUP_ROOT,
		"printable ASCII"},
	{GROUP_HEADERS, "X-Frame-Options", TYPE_HEADER, FIELD(header[1]), frame_options, GROUP_ROOT,
		"deny or sameorigin"},
	{GROUP_HEADERS, "X-Content-Type-Options", TYPE_HEADER, FIELD(header[2]), type_options,
		GROUP_ROOT, "nosniff"},
	{GROUP_HEADERS, "X-XSS-Protection", TYPE_HEADER, FIELD(header[3]), NULL, GROUP_ROOT,
		"printable ASCII"},
	{GROUP_HEADERS, "Strict-Transport-Security", TYPE_HEADER, FIELD(header[4]), NULL,
		GROUP_ROOT, "printable ASCII"},
	{GROUP_RATE, "interval", TYPE_DURATION, FIELD(interval_ns), NULL, GROUP_ROOT,
		"0 or a duration up to 1h with its unit, such as 1s"},
	{GROUP_RATE, "burst", TYPE_COUNT, FIELD(burst), NULL, GROUP_ROOT,
		"a whole number up to 1000000"},
};

/* By enum group. */
static const char *const group_names[] = {
	"", "tls_server_config", "http_server_config", "headers", "rate_limit"};

struct loader {
	struct events *events;
	struct webconfig *config;
	size_t line[ARRAY_SIZE(settings)]; /* where each stands, the first is 1; 0: nowhere */
};

/* A mapping that is being read. */
struct level {
	struct loader *loader;
	enum group group;
};

/* A list that is being read. */
struct list {
	struct loader *loader;
	const struct setting *setting;
};

const char *webconfig_suite_name(enum webconfig_suite suite)
{
	return suites[suite];
}

const char *webconfig_version_name(enum webconfig_version version)
{
	return versions[version];
}

const char *webconfig_header_name(size_t header)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (settings[i].type == TYPE_HEADER && settings[i].offset == FIELD(header[header]))
			return settings[i].name;
	return NULL;
}

/* A key may be in it. */
static void wipe(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

static void pem_done(struct webconfig_pem *pem)
{
	wipe(pem->text);
	free(pem->path);
}

void webconfig_done(struct webconfig *c)
{
	pem_done(&c->tls.cert);
	pem_done(&c->tls.key);
	pem_done(&c->tls.client_ca);
	text_list_done(&c->tls.allowed_sans);
	for (size_t i = 0; i < WEBCONFIG_HEADERS; i++)
		free(c->header[i]);
	for (size_t i = 0; i < c->users; i++) {
		free(c->user[i].name);
		wipe(c->user[i].hash);
	}
	free(c->user);
	*c = (struct webconfig){0};
}

static int set_text(char **field, const char *text)
{
	*field = strdup(text);
	return *field ? 0 : -ENOMEM;
}

static int find_choice(const char *const *choices, const char *text)
{
	for (int i = 0; choices[i]; i++)
		if (!strcmp(choices[i], text))
			return i;
	return -1;
}

/* As YAML 1.1 has them. */
static int parse_bool(const char *text, bool *ret)
{
	static const char *const yes[] = {"true", "yes", "on", "y"};
	static const char *const no[] = {"false", "no", "off", "n"};

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		if (!strcasecmp(text, yes[i]) || !strcasecmp(text, no[i])) {
			*ret = !strcasecmp(text, yes[i]);
			return 0;
		}
	return -EINVAL;
}

/* Go takes a number without a unit for nanoseconds, and everybody else for seconds. */
static int parse_duration(const char *text, uint64_t *ret)
{
	size_t len = strlen(text);
	uint64_t bare, value;
	int r;

	if (number_parse_u64(text, len, &bare) == 0 && bare)
		return -EINVAL;
	r = number_parse_duration(text, len, &value);
	if (r == 0 && value > INTERVAL_MAX_NS)
		r = -ERANGE;
	if (r == 0)
		*ret = value;
	return r;
}

static int parse_count(const char *text, uint64_t *ret)
{
	uint64_t value;
	int r = number_parse_u64(text, strlen(text), &value);

	if (r == 0 && value > BURST_MAX)
		r = -ERANGE;
	if (r == 0)
		*ret = value;
	return r;
}

/* Else it could end the header and begin another one. */
static bool is_header_value(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			return false;
	return true;
}

static int set_header(const struct setting *s, char **field, const char *text)
{
	if (s->choices ? find_choice(s->choices, text) < 0 : !is_header_value(text))
		return -EINVAL;
	return set_text(field, text);
}

static int set_choice(const struct setting *s, unsigned int *field, const char *text)
{
	int choice = find_choice(s->choices, text);

	if (choice < 0)
		return -EINVAL;
	if (s->choices == clients && choice == CLIENT_REQUIRE_OLD)
		choice = WEBCONFIG_CLIENT_REQUIRE_ANY;
	*field = (unsigned int)choice;
	return 0;
}

static int add_choice(const struct setting *s, struct webconfig_choices *to, const char *text)
{
	int choice = find_choice(s->choices, text);

	if (choice < 0)
		return -EINVAL;
	if (!memchr(to->item, choice, to->count))
		to->item[to->count++] = (unsigned char)choice;
	return 0;
}

/* Of a list, one of its items. */
static int set_value(const struct setting *s, struct webconfig *c, const char *text)
{
	void *field = (char *)c + s->offset;
	bool unused;

	switch (s->type) {
	case TYPE_PEM: return set_text(&((struct webconfig_pem *)field)->text, text);
	case TYPE_FILE: return set_text(&((struct webconfig_pem *)field)->path, text);
	case TYPE_CHOICE: return set_choice(s, field, text);
	case TYPE_CHOICES: return add_choice(s, field, text);
	case TYPE_TEXTS: return *text ? text_list_add(field, text) : -EINVAL;
	case TYPE_BOOL: return parse_bool(text, field);
	case TYPE_CHECKED: return parse_bool(text, &unused);
	case TYPE_HEADER: return set_header(s, field, text);
	case TYPE_DURATION: return parse_duration(text, field);
	case TYPE_COUNT: return parse_count(text, field);
	case TYPE_GROUP:
	case TYPE_USERS: break;
	}
	return -EINVAL;
}

/* Those that are texts; blank they are as if they were not there. */
static bool may_be_blank(const struct setting *s)
{
	return s->type == TYPE_PEM || s->type == TYPE_FILE || s->type == TYPE_HEADER ||
	       s->choices == clients;
}

static bool is_list(const struct setting *s)
{
	return s->type == TYPE_TEXTS || s->type == TYPE_CHOICES;
}

static int fail_value(struct loader *l, const struct setting *s, const yaml_event_t *event)
{
	/* A key may stand where something else should. */
	if (event->type != YAML_SCALAR_EVENT || s->type == TYPE_PEM)
		return events_fail(
			l->events, &event->start_mark, "%s: expected %s", s->name, s->expected);
	return events_fail(l->events, &event->start_mark, "%s: expected %s, got '%.100s'", s->name,
		s->expected, (const char *)event->data.scalar.value);
}

static int read_scalar(struct loader *l, const struct setting *s, const yaml_event_t *event)
{
	const char *value = events_text(event);
	int r;

	if (value && !*value && may_be_blank(s))
		return 0;
	r = value ? set_value(s, l->config, value) : -EINVAL;
	return r == 0 || r == -ENOMEM ? r : fail_value(l, s, event);
}

static int read_item(const yaml_event_t *event, void *context)
{
	const struct list *list = context;

	return read_scalar(list->loader, list->setting, event);
}

static int read_list(struct loader *l, const struct setting *s, const yaml_event_t *start)
{
	struct list list = {.loader = l, .setting = s};
	int r = events_read_sequence(l->events, read_item, &list);

	return r == EVENTS_EMPTY ? fail_value(l, s, start) : r;
}

static bool is_bcrypt(const char *hash)
{
	unsigned int cost;

	if (strlen(hash) != WEBCONFIG_HASH_LEN || hash[0] != '$' || hash[1] != '2' ||
		!strchr("aby", hash[2]) || hash[3] != '$' || hash[6] != '$')
		return false;
	if (hash[4] < '0' || hash[4] > '9' || hash[5] < '0' || hash[5] > '9')
		return false;
	cost = (unsigned int)(hash[4] - '0') * 10 + (unsigned int)(hash[5] - '0');
	return cost >= WEBCONFIG_COST_MIN && cost <= WEBCONFIG_COST_MAX &&
	       !hash[7 + strspn(hash + 7, BCRYPT_ALPHABET)];
}

/* The value is a secret, and stands in no message. */
static int add_user(struct loader *l, const yaml_event_t *key, const yaml_event_t *value)
{
	struct webconfig *c = l->config;
	struct webconfig_user *grown, user = {0};
	const char *name = events_text(key), *hash = events_text(value);

	/* In the header the name ends at the first colon. */
	if (!*name || strchr(name, ':'))
		return events_fail(l->events, &key->start_mark,
			"basic_auth_users: expected a name without colons, got '%.100s'", name);
	for (size_t i = 0; i < c->users; i++)
		if (!strcmp(c->user[i].name, name))
			return events_fail(
				l->events, &key->start_mark, "key '%.100s' stands twice", name);
	if (!hash || !is_bcrypt(hash))
		return events_fail(l->events, &value->start_mark,
			"basic_auth_users: expected of '%.100s' a bcrypt hash ($2a$, $2b$ or $2y$) "
			"of cost %d to %d",
			name, WEBCONFIG_COST_MIN, WEBCONFIG_COST_MAX);
	grown = reallocarray(c->user, c->users + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	c->user = grown;
	if (set_text(&user.name, name) < 0 || set_text(&user.hash, hash) < 0) {
		free(user.name);
		return -ENOMEM;
	}
	c->user[c->users++] = user;
	return 0;
}

static int read_user(const yaml_event_t *key, void *context)
{
	struct loader *l = context;
	yaml_event_t value;
	int r = events_next(l->events, &value);

	if (r < 0)
		return r;
	r = add_user(l, key, &value);
	yaml_event_delete(&value);
	return r;
}

static const struct setting *find(enum group group, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (settings[i].group == group && !strcmp(settings[i].name, name))
			return &settings[i];
	return NULL;
}

/* A group of which every line is commented out. */
static bool is_null(const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;

	return event->type == YAML_SCALAR_EVENT &&
	       event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       (!*text || !strcmp(text, "~") || !strcasecmp(text, "null"));
}

static int read_setting(const yaml_event_t *key, void *context);

static int read_value(struct loader *l, const struct setting *s, const yaml_event_t *event)
{
	struct level inner = {.loader = l, .group = s->group_of};
	bool is_mapping = event->type == YAML_MAPPING_START_EVENT;

	if (s->type == TYPE_GROUP || s->type == TYPE_USERS) {
		if (is_null(event))
			return 0;
		if (!is_mapping)
			return events_fail(
				l->events, &event->start_mark, "%s: expected a mapping", s->name);
		return s->type == TYPE_USERS ? events_read_mapping(l->events, read_user, l)
		                             : events_read_mapping(l->events, read_setting, &inner);
	}
	if (is_list(s))
		return event->type == YAML_SEQUENCE_START_EVENT ? read_list(l, s, event)
		                                                : fail_value(l, s, event);
	return read_scalar(l, s, event);
}

static int read_setting(const yaml_event_t *key, void *context)
{
	const struct level *level = context;
	struct loader *l = level->loader;
	const char *name = events_text(key);
	const struct setting *s = find(level->group, name);
	yaml_event_t value;
	int r;

	if (!s)
		return events_fail(l->events, &key->start_mark,
			"unknown key '%.100s'%s%s: expected one that memtally-web(8) lists", name,
			level->group == GROUP_ROOT ? "" : " in ", group_names[level->group]);
	if (l->line[s - settings])
		return events_fail(l->events, &key->start_mark, "key '%s' stands twice", name);
	l->line[s - settings] = key->start_mark.line + 1;
	r = events_next(l->events, &value);
	if (r < 0)
		return r;
	r = read_value(l, s, &value);
	yaml_event_delete(&value);
	return r;
}

static size_t line_of(const struct loader *l, enum group group, const char *name)
{
	return l->line[find(group, name) - settings];
}

/* At the line of NAME, which stands. */
static int refuse(struct loader *l, enum group group, const char *name, const char *why)
{
	yaml_mark_t mark = {.line = line_of(l, group, name) - 1};

	return events_fail(l->events, &mark, "%s: %s", name, why);
}

/* In which line of the two it stands, for later errors. */
static int check_pem(
	struct loader *l, struct webconfig_pem *pem, const char *here, const char *in_file)
{
	if (pem->text && pem->path) {
		char why[64];

		snprintf(why, sizeof(why), "expected %s or %s, not both", here, in_file);
		return refuse(l, GROUP_TLS, in_file, why);
	}
	pem->line = line_of(l, GROUP_TLS, pem->path ? in_file : here);
	return 0;
}

static bool is_there(const struct webconfig_pem *pem)
{
	return pem->text || pem->path;
}

static bool has_settings(const struct loader *l, enum group group)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (settings[i].group == group && l->line[i])
			return true;
	return false;
}

static int check_clients(struct loader *l, const struct webconfig_tls *t)
{
	static const char type[] = "client_auth_type";
	bool verifies = t->client == WEBCONFIG_CLIENT_VERIFY_IF_GIVEN ||
	                t->client == WEBCONFIG_CLIENT_REQUIRE_AND_VERIFY;

	if (t->client == WEBCONFIG_CLIENT_NONE && is_there(&t->client_ca))
		return refuse(l, GROUP_TLS, t->client_ca.path ? "client_ca_file" : "client_ca",
			"expected a client_auth_type that asks for certificates");
	if (t->client == WEBCONFIG_CLIENT_NONE && t->allowed_sans.count)
		return refuse(l, GROUP_TLS, "client_allowed_sans",
			"expected a client_auth_type that asks for certificates");
	/* Go takes the authorities of the whole web then: a certificate of theirs says nothing of who may read here. */
	if (verifies && !is_there(&t->client_ca))
		return refuse(l, GROUP_TLS, type,
			"expected client_ca_file or client_ca to verify certificates by");
	return 0;
}

static int check_tls(struct loader *l)
{
	struct webconfig_tls *t = &l->config->tls;
	int r = check_pem(l, &t->cert, "cert", "cert_file");

	if (r == 0)
		r = check_pem(l, &t->key, "key", "key_file");
	if (r == 0)
		r = check_pem(l, &t->client_ca, "client_ca", "client_ca_file");
	if (r < 0)
		return r;
	t->is_on = has_settings(l, GROUP_TLS);
	if (!t->is_on)
		return 0;
	if (!is_there(&t->cert))
		return refuse(l, GROUP_ROOT, "tls_server_config", "expected cert_file or cert");
	if (!is_there(&t->key))
		return refuse(l, GROUP_ROOT, "tls_server_config", "expected key_file or key");
	if (t->min > t->max)
		return refuse(l, GROUP_TLS,
			line_of(l, GROUP_TLS, "min_version") ? "min_version" : "max_version",
			"expected a min_version up to max_version (TLS12 to TLS13 where they are not "
			"given)");
	/* One switch for both in GnuTLS, and curves have an order of their own. */
	if (t->curves.count > 1 && !t->prefers_own)
		return refuse(l, GROUP_TLS, "curve_preferences",
			"expected one curve, or prefer_server_cipher_suites: true, for their order "
			"to count");
	t->suites.line = line_of(l, GROUP_TLS, "cipher_suites");
	t->curves.line = line_of(l, GROUP_TLS, "curve_preferences");
	return check_clients(l, t);
}

static int check_rate(struct loader *l)
{
	const struct webconfig *c = l->config;

	if (c->interval_ns && !c->burst)
		return refuse(l, GROUP_RATE, "interval",
			"expected a burst of 1 or more with it: no request would be answered");
	return 0;
}

int webconfig_parse(const char *name, const char *text, size_t len, struct webconfig *ret,
	char error[static SETTINGS_ERROR_SIZE])
{
	AUTO_WEBCONFIG struct webconfig c = {
		.tls = {.min = WEBCONFIG_TLS12, .max = WEBCONFIG_TLS13, .prefers_own = true},
	};
	struct events events;
	struct loader l = {.events = &events, .config = &c};
	struct level root = {.loader = &l, .group = GROUP_ROOT};
	int r = events_open(&events, name, text, len, error);

	if (r < 0)
		return r;
	r = events_read(&events, read_setting, &root);
	if (r == 0)
		r = check_tls(&l);
	if (r == 0)
		r = check_rate(&l);
	events_close(&events);
	if (r < 0)
		return r;
	*ret = c;
	c = (struct webconfig){0};
	return 0;
}
