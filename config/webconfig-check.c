/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "config/webconfig-private.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

struct check {
	struct events *events; /* for errors */
	struct webconfig *config;
	const struct webconfig_lines *lines;
};

static size_t line_of(const struct check *c, enum webconfig_group group, const char *name)
{
	return c->lines->line[webconfig_form_find(group, name) - webconfig_settings];
}

/* Reports a fault at the line of NAME, which the file contains. */
static void webconfig_check_refuse(
	struct check *c, enum webconfig_group group, const char *name, const char *why)
{
	yaml_mark_t mark = {.line = line_of(c, group, name) - 1};

	events_fail(c->events, &mark, "%s: %s", name, why);
}

/*
 * Sets the line of PEM for later errors, and refuses a setting that is given both here and in a
 * file.
 */
static void check_pem(
	struct check *c, struct webconfig_pem *pem, const char *here, const char *in_file)
{
	char why[64];

	pem->line = line_of(c, WEBCONFIG_GROUP_TLS, pem->path ? in_file : here);
	if (!pem->text || !pem->path)
		return;
	snprintf(why, sizeof(why), "expected %s or %s, not both", here, in_file);
	webconfig_check_refuse(c, WEBCONFIG_GROUP_TLS, in_file, why);
}

static bool webconfig_check_is_there(const struct webconfig_pem *pem)
{
	return pem->text || pem->path;
}

static bool has_settings(const struct check *c, enum webconfig_group group)
{
	for (size_t i = 0; i < WEBCONFIG_SETTINGS; i++)
		if (webconfig_settings[i].group == group && c->lines->line[i])
			return true;
	return false;
}

static void check_clients(struct check *c, const struct webconfig_tls *t)
{
	static const char type[] = "client_auth_type";
	bool verifies = t->client == WEBCONFIG_CLIENT_VERIFY_IF_GIVEN ||
	                t->client == WEBCONFIG_CLIENT_REQUIRE_AND_VERIFY;

	if (t->client == WEBCONFIG_CLIENT_NONE && webconfig_check_is_there(&t->client_ca))
		webconfig_check_refuse(c, WEBCONFIG_GROUP_TLS,
			t->client_ca.path ? "client_ca_file" : "client_ca",
			"expected a client_auth_type that asks for certificates");
	if (t->client == WEBCONFIG_CLIENT_NONE && t->allowed_sans.count)
		webconfig_check_refuse(c, WEBCONFIG_GROUP_TLS, "client_allowed_sans",
			"expected a client_auth_type that asks for certificates");
	/*
	 * Go would accept certificates of all public authorities: the owner of any such certificate
	 * could read the metrics.
	 */
	if (verifies && !webconfig_check_is_there(&t->client_ca))
		webconfig_check_refuse(c, WEBCONFIG_GROUP_TLS, type,
			"expected client_ca_file or client_ca to verify certificates by");
}

static void check_versions(struct check *c, const struct webconfig_tls *t)
{
	if (t->min > t->max)
		webconfig_check_refuse(c, WEBCONFIG_GROUP_TLS,
			line_of(c, WEBCONFIG_GROUP_TLS, "min_version") ? "min_version"
								       : "max_version",
			"expected a min_version up to max_version (TLS12 to TLS13 where they are not "
			"given)");
}

static void check_tls(struct check *c)
{
	struct webconfig_tls *t = &c->config->tls;

	check_pem(c, &t->cert, "cert", "cert_file");
	check_pem(c, &t->key, "key", "key_file");
	check_pem(c, &t->client_ca, "client_ca", "client_ca_file");
	t->is_on = has_settings(c, WEBCONFIG_GROUP_TLS);
	if (!t->is_on)
		return;
	if (!webconfig_check_is_there(&t->cert))
		webconfig_check_refuse(
			c, WEBCONFIG_GROUP_ROOT, "tls_server_config", "expected cert_file or cert");
	if (!webconfig_check_is_there(&t->key))
		webconfig_check_refuse(
			c, WEBCONFIG_GROUP_ROOT, "tls_server_config", "expected key_file or key");
	check_versions(c, t);
	/*
	 * The order of curves always counts, but GnuTLS has one switch for the order of suites and
	 * curves.
	 */
	if (t->curves.count > 1 && !t->prefers_own)
		webconfig_check_refuse(c, WEBCONFIG_GROUP_TLS, "curve_preferences",
			"expected one curve, or prefer_server_cipher_suites: true, for their order "
			"to count");
	t->suites.line = line_of(c, WEBCONFIG_GROUP_TLS, "cipher_suites");
	t->curves.line = line_of(c, WEBCONFIG_GROUP_TLS, "curve_preferences");
	check_clients(c, t);
}

static void check_rate(struct check *c)
{
	if (c->config->interval_ns && !c->config->burst)
		webconfig_check_refuse(c, WEBCONFIG_GROUP_RATE, "interval",
			"expected a burst of 1 or more with it: no request would be answered");
}

/*
 * A fault in a group may be the reason why another of its settings seems to be missing, so groups
 * with faults are not checked.
 */
int webconfig_check(struct events *e, struct webconfig *c, const struct webconfig_lines *lines)
{
	struct check check = {.events = e, .config = c, .lines = lines};

	if (!lines->has_faults[WEBCONFIG_GROUP_TLS])
		check_tls(&check);
	if (!lines->has_faults[WEBCONFIG_GROUP_RATE])
		check_rate(&check);
	return e->faults.count ? -EINVAL : 0;
}
