/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/compare/scrape-source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/file.h"
#include "base/text.h"
#include "cli/compare/curl-library.h"

enum { SIZE_MAX_BYTES = SCRAPE_SOURCE_MAX_MIB << 20, HTTP_OK = 200, SAID_MAX = 200 };

/* Writes "FROM: WHY" to ERROR, cleaned: WHY may quote the URL or the server. Returns -EIO. */
static int scrape_source_refuse(
	const char *from, const char *why, char error[static SCRAPE_SOURCE_ERROR_SIZE])
{
	AUTO_BUFFER struct buffer text = {0};

	text_add_clean_max(&text, from, strlen(from), SAID_MAX);
	buffer_add_text(&text, ": ");
	text_add_clean_max(&text, why, strlen(why), SAID_MAX);
	if (text.error)
		return text.error;
	snprintf(error, SCRAPE_SOURCE_ERROR_SIZE, "%.*s", (int)text.len, text.data);
	return -EIO;
}

static int scrape_source_refuse_size(const char *from, char error[static SCRAPE_SOURCE_ERROR_SIZE])
{
	char why[64];

	snprintf(why, sizeof(why), "more than %d MiB", SCRAPE_SOURCE_MAX_MIB);
	return scrape_source_refuse(from, why, error);
}

/* Takes a part of the answer: a curl_write_callback. Less than SIZE * COUNT ends the transfer. */
static size_t scrape_source_take(char *data, size_t size, size_t count, void *context)
{
	struct buffer *to = context;

	if (size * count > SIZE_MAX_BYTES - to->len)
		to->error = -EFBIG;
	buffer_add(to, data, size * count);
	return to->error ? 0 : size * count;
}

/* Returns whether all options could be set; if not, there is no memory. */
static bool scrape_source_set(const struct curl_library *curl, CURL *session, const char *url,
	struct buffer *to, char *why)
{
	bool is_set = true;

	is_set &= curl->setopt(session, CURLOPT_URL, url) == CURLE_OK;
	is_set &= curl->setopt(session, CURLOPT_WRITEFUNCTION, scrape_source_take) == CURLE_OK;
	is_set &= curl->setopt(session, CURLOPT_WRITEDATA, to) == CURLE_OK;
	is_set &= curl->setopt(session, CURLOPT_ERRORBUFFER, why) == CURLE_OK;
	is_set &= curl->setopt(session, CURLOPT_TIMEOUT, (long)SCRAPE_SOURCE_TIMEOUT_S) == CURLE_OK;
	/* A proxy of the environment is for other hosts; process-exporter is to be on this one. */
	is_set &= curl->setopt(session, CURLOPT_PROXY, "") == CURLE_OK;
	is_set &= curl->setopt(session, CURLOPT_NOSIGNAL, 1L) == CURLE_OK;
	return is_set;
}

static int scrape_source_ask(const struct curl_library *curl, CURL *session, const char *url,
	struct buffer *ret, char error[static SCRAPE_SOURCE_ERROR_SIZE])
{
	char why[CURL_ERROR_SIZE] = "";
	long status = 0;
	CURLcode code;

	if (!scrape_source_set(curl, session, url, ret, why))
		return -ENOMEM;
	code = curl->perform(session);
	if (code == CURLE_OUT_OF_MEMORY || ret->error == -ENOMEM)
		return -ENOMEM;
	if (ret->error)
		return scrape_source_refuse_size(url, error);
	if (code != CURLE_OK)
		return scrape_source_refuse(url, *why ? why : curl->strerror(code), error);
	curl->getinfo(session, CURLINFO_RESPONSE_CODE, &status);
	if (status == HTTP_OK)
		return 0;
	snprintf(why, sizeof(why), "the answer is HTTP status %ld", status);
	return scrape_source_refuse(url, why, error);
}

static int scrape_source_get(
	const char *url, struct buffer *ret, char error[static SCRAPE_SOURCE_ERROR_SIZE])
{
	const struct curl_library *curl = curl_library_load();
	CURL *session;
	int r;

	if (!curl)
		return scrape_source_refuse(
			url, "reading a URL needs libcurl, which is not installed", error);
	session = curl->init();
	if (!session)
		return -ENOMEM;
	r = scrape_source_ask(curl, session, url, ret, error);
	curl->cleanup(session);
	return r;
}

static bool scrape_source_is_url(const char *from)
{
	return !strncasecmp(from, "http://", strlen("http://")) ||
	       !strncasecmp(from, "https://", strlen("https://"));
}

bool scrape_source_is_fresh(const char *from)
{
	struct stat status;

	if (strcmp(from, "-") != 0)
		return scrape_source_is_url(from);
	return fstat(STDIN_FILENO, &status) == 0 && !S_ISREG(status.st_mode);
}

int scrape_source_read(
	const char *from, struct buffer *ret, char error[static SCRAPE_SOURCE_ERROR_SIZE])
{
	int r;

	if (scrape_source_is_url(from))
		return scrape_source_get(from, ret, error);
	if (!strcmp(from, "-"))
		r = file_read_all_fd(STDIN_FILENO, SIZE_MAX_BYTES, ret);
	else
		r = file_read_all(AT_FDCWD, from, SIZE_MAX_BYTES, ret);
	if (r == 0 || r == -ENOMEM)
		return r;
	if (r == -EFBIG)
		return scrape_source_refuse_size(from, error);
	return scrape_source_refuse(from,
		r == -ENOENT ? "no such file (a URL begins with http:// or https://)"
			     : strerror(-r),
		error);
}
