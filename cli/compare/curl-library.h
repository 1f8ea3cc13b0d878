/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcurl, loaded when it is needed. If memtally were linked with it, each command would start 5 ms
 * later: libcurl brings TLS, LDAP and others with it.
 */
#ifndef MEMTALLY_CLI_COMPARE_CURL_LIBRARY_H
#define MEMTALLY_CLI_COMPARE_CURL_LIBRARY_H

#include <curl/curl.h>

/* The functions of libcurl with these names behind "curl_easy_". */
struct curl_library {
	CURL *(*init)(void);
	void (*cleanup)(CURL *curl);
	CURLcode (*setopt)(CURL *curl, CURLoption option, ...);
	CURLcode (*perform)(CURL *curl);
	CURLcode (*getinfo)(CURL *curl, CURLINFO info, ...);
	const char *(*strerror)(CURLcode code);
};

/* Returns libcurl, which stays loaded; NULL if it is not installed. */
const struct curl_library *curl_library_load(void);

#endif
