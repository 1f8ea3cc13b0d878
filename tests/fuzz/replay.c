/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feeds files to a fuzz target: the arguments, or, without any, the corpus of the target in the source
 * tree. Each file goes in whole, and cut at every byte, since a text that was cut is the commonest of
 * all faults; of those that a fuzzer has found, which has cut them itself, in the long check alone. Every input is
 * a copy of its very size, for valgrind and the sanitizers to watch its end.
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>

#include "base/file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/extent.h"

enum {
	INPUT_MAX = 1 << 20,
	CUT_MAX = 1 << 13, /* longer inputs are fed whole only */
	FOUND_DIGITS = 40,
	CUTS_APART = 7, /* where a sanitizer's short check wants to be done soon */
};

static void feed(const char *data, size_t size)
{
	AUTO_FREE uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		exit(99);
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
}

/* Called by what is in it, as libFuzzer calls what it finds. */
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
		name); /* before, so that the last one named is the one that fails */
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

/* "x" of ".../fuzz-x": the last one, since a build folder's name may have it, too. */
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
