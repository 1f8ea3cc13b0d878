/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make-certificates DIR: makes certificates for tests of TLS
 *
 * Writes ca.pem, an authority; server.pem and server2.pem for localhost and 127.0.0.1; client.pem
 * for prometheus.example; other.pem for other.example; stranger.pem, signed by another authority.
 * Each has a key NAME.key.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/support/web/pki.h"

static void write_text(const char *dir, const char *name, const char *kind, const char *text)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.%s", dir, name, kind);
	file = fopen(path, "we");
	if (!file || fputs(text, file) < 0 || fclose(file) < 0) {
		perror(path);
		exit(1);
	}
}

int main(int argc, char *argv[])
{
	struct pki authority, other;
	const struct {
		const char *file;
		struct pki_wish wish;
	} files[] = {
		{"server", {.name = "server",
				   .issuer = &authority,
				   .dns = "localhost",
				   .address = "127.0.0.1"}},
		{"server2", {.name = "server2",
				    .issuer = &authority,
				    .dns = "localhost",
				    .address = "127.0.0.1"}},
		{"client", {.name = "client",
				   .issuer = &authority,
				   .is_client = true,
				   .dns = "prometheus.example"}},
		{"other", {.name = "other",
				  .issuer = &authority,
				  .is_client = true,
				  .dns = "other.example"}},
		{"stranger", {.name = "stranger",
				     .issuer = &other,
				     .is_client = true,
				     .dns = "prometheus.example"}},
	};

	if (argc != 2) {
		fprintf(stderr, "usage: make-certificates DIR\n");
		return 2;
	}
	pki_make(&(struct pki_wish){.name = "authority"}, &authority);
	pki_make(&(struct pki_wish){.name = "other"}, &other);
	write_text(argv[1], "ca", "pem", authority.cert);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct pki made;

		pki_make(&files[i].wish, &made);
		write_text(argv[1], files[i].file, "pem", made.cert);
		write_text(argv[1], files[i].file, "key", made.key);
		pki_done(&made);
	}
	pki_done(&authority);
	pki_done(&other);
	return 0;
}
