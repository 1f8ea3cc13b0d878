/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passes files to a fuzz target
 *
 * The files are the arguments, or without arguments the corpus of the target in the source tree.
 * Each file is passed whole, and cut at every byte, since truncation is the commonest fault. Files
 * that a fuzzer has found are cut in the long check only, since the fuzzer has cut them itself.
 * Every input is a copy of exactly its size, so that valgrind and the sanitizers detect reads
 * beyond its end.
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>

#include "base/os/file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/support/extent.h"

enum {
	INPUT_MAX = 1 << 20,
	CUT_MAX = 1 << 13, /* longer inputs are not cut */
	FOUND_DIGITS = 40,
	CUTS_APART = 7, /* distance of cuts if a sanitizer's short check must be fast */
};

static void feed(const char *data, size_t size)
{
	AUTO_FREE uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		exit(99);
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
}

/* libFuzzer names its findings by their hash. */
static bool is_found(const char *name)
{
	return strlen(name) == FOUND_DIGITS && strspn(name, "0123456789abcdef") == FOUND_DIGITS;
}

static void feed_file(int dirfd, const char *name)
{
	bool is_cut = !is_found(name) || extent_is_long();
	AUTO_BUFFER struct buffer input = {0};
	int r = file_read_all(dirfd, name, INPUT_MAX, &input);

	if (r < 0) {
		fprintf(stderr, "%s: %s\n", name, strerror(-r));
		exit(99);
	}
	fprintf(stderr, "%s\n",
		name); /* before the test, so that the last name printed is the one that fails */
	feed(input.data, input.len);
	for (size_t size = 0; is_cut && input.len <= CUT_MAX && size < input.len;
		size += extent_is_slow() ? CUTS_APART : 1)
		feed(input.data, size);
}

static unsigned int feed_folder(const char *path)
{
	AUTO_CLOSEDIR DIR *dir = opendir(path);
	unsigned int files = 0;

	if (!dir) {
		perror(path);
		exit(99);
	}
	for (struct dirent *entry; (entry = readdir(dir));)
		if (entry->d_name[0] != '.') {
			feed_file(dirfd(dir), entry->d_name);
			files++;
		}
	return files;
}

/*
 * Returns "x" of ".../fuzz-x". The last match counts, since the path of a build folder may contain
 * the prefix, too.
 */
static const char *target_of(const char *program)
{
	static const char prefix[] = "/fuzz-";
	const char *name = NULL;

	for (const char *at = program; (at = strstr(at, prefix)); at++)
		name = at + strlen(prefix);
	return name;
}

int main(int argc, char **argv)
{
	const char *source = getenv("MEMTALLY_SOURCE"), *target = target_of(argv[0]);
	AUTO_BUFFER struct buffer folder = {0};

	for (int i = 1; i < argc; i++)
		feed_file(AT_FDCWD, argv[i]);
	if (argc > 1)
		return 0;
	if (!target)
		return 99;
	buffer_printf(&folder, "%s/tests/fuzz/corpus/%s", source ? source : ".", target);
	buffer_add_char(&folder, '\0');
	return !folder.error && feed_folder(folder.data) ? 0 : 99;
}
