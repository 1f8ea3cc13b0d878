/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "ledger/store/store.h"

/*
 * Fuzzes the database file of memtally-ledger. With any file, opening, loading, reporting and
 * writing end, and reports are valid.
 */
static void use(struct store *store)
{
	const struct store_reader all = {.sees_all = true};
	struct bucket b = {.rows = {.count = 0}};

	if (store_load(store, &b) == 0) {
		b.is_open = true;
		b.from_ns = UINT64_C(1700000100) * 1000000000;
		b.to_ns = b.from_ns + 1000000000;
		b.covered_ns = 1000000000;
		store_write(store, &b);
	}
	for (unsigned int kind = USAGE_USER; kind < USAGE_KINDS_END; kind++) {
		const struct usage_request request = {.kind = (enum usage_kind)kind,
			.since_s = 1699990000,
			.until_s = 1700100000};
		struct usage_head head = {.status = USAGE_GOOD}, got;
		AUTO_BUFFER struct buffer text = {0};

		usage_begin(&text);
		if (store_report(store, &request, &all, 1700100000, &head, &text) != 0)
			continue;
		usage_end(&text, &head);
		fuzz_check(usage_check(text.data, text.len, &got) == 0);
	}
	bucket_done(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct store_limits limits = {.slots = {24, 48, 30}, .bytes = 16 << 20};
	static char dir[48];
	char path[64], error[STORE_ERROR_SIZE];
	struct store *store = NULL;
	static const char *const ends[] = {"", "-wal", "-journal", "-shm"};
	int fd;

	if (!*dir) {
		snprintf(dir, sizeof(dir), "%s/memtally-fuzz-XXXXXX",
			access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
		if (!mkdtemp(dir))
			exit(99);
	}
	snprintf(path, sizeof(path), "%s/ledger.db", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		exit(99);
	close(fd);
	if (store_open(dir, &limits, NULL, &store, error) == 0)
		use(store);
	store_close(store);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		snprintf(path, sizeof(path), "%s/ledger.db%s", dir, ends[i]);
		unlink(path);
	}
	rmdir(dir);
	*dir = 0;
	return 0;
}
