/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/compare/curl-library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"

/* The names of the library: its own, and Debian's for the build with GnuTLS. */
static const char *const files[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};

#define SYMBOL(name_)                                                                              \
	{                                                                                          \
		"curl_easy_" #name_, offsetof(struct curl_library, name_)                          \
	}

static const struct {
	const char *name;
	size_t at; /* of the pointer in struct curl_library */
} symbols[] = {
	SYMBOL(init),
	SYMBOL(cleanup),
	SYMBOL(setopt),
	SYMBOL(perform),
	SYMBOL(getinfo),
	SYMBOL(strerror),
};

static bool curl_library_find(void *handle, struct curl_library *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++) {
		void *symbol = dlsym(handle, symbols[i].name);

		if (!symbol)
			return false;
		memcpy((char *)ret + symbols[i].at, &symbol, sizeof(symbol));
	}
	return true;
}

const struct curl_library *curl_library_load(void)
{
	static struct curl_library found;

	for (size_t i = 0; !found.init && i < ARRAY_SIZE(files); i++) {
		void *handle = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);

		if (handle && !curl_library_find(handle, &found))
			found.init = NULL;
	}
	return found.init ? &found : NULL;
}
