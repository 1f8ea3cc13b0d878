/* SPDX-License-Identifier: Apache-2.0 */
/*
 * THE metric table: every quantity that memtally publishes, once. Prometheus and JSON renderers, the
 * query's sort fields, the terminal's columns, docs/metrics.md and the tests all loop over it. A new
 * metric is an enumerator in snapshot/record.h, a row here, a parser, a fixture and a line of
 * documentation.
 */
#ifndef MEMTALLY_SNAPSHOT_METRIC_H
#define MEMTALLY_SNAPSHOT_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/record.h"

/* What a row of a snapshot stands for. The host and the owners have rows of one kind, snapshot_scope. */
enum metric_scope {
	METRIC_HOST,
	METRIC_USER, /* owners, in the order of enum owner_kind */
	METRIC_PROGRAM,
	METRIC_UNIT,
	METRIC_USER_UNIT,
	METRIC_SESSION,
	METRIC_SLICE,
	METRIC_MACHINE,
	METRIC_POD,
	METRIC_CONTAINER,
	METRIC_GROUP,
	METRIC_OWNERS_END,
	METRIC_PROCESS = METRIC_OWNERS_END,
	METRIC_SELF,
	METRIC_BALANCE, /* of the host, too, and called so */
	METRIC_SURVEY,  /* likewise */
	METRIC_FILE,
	METRIC_SHMEM, /* holdings, in the order of enum holding_kind */
	METRIC_TMPFS,
	METRIC_SCOPES
};

static_assert((int)METRIC_SCOPES - (int)METRIC_SHMEM == (int)HOLDING_KINDS,
	"each kind of holdings is a scope");
static_assert((int)METRIC_OWNERS_END - (int)METRIC_USER == (int)OWNER_KINDS,
	"each kind of owners is a scope");

enum metric_type {
	METRIC_GAUGE,
	METRIC_COUNTER,
};

/* How the 64 bits of a quantity are to be read. */
enum metric_kind {
	METRIC_INTEGER,     /* an exact integer, below 2^63 */
	METRIC_NANOSECONDS, /* an exact integer, below 2^63; shown as decimal seconds */
	METRIC_REAL,        /* the bits of a double, finite and not negative */
	METRIC_SIGNED_REAL, /* the bits of a double, finite */
	METRIC_SIGNED,      /* an exact int64_t, above -2^63 */
};

enum metric_flag {
	METRIC_IN_PROMETHEUS = 1 << 0,
	METRIC_IN_JSON = 1 << 1,
	METRIC_HOST_ONLY = 1 << 2, /* of the scopes with rows of one kind, only the host has it */
	METRIC_HOST_IN_PROMETHEUS =
		1 << 3,              /* only the host's is: others' are not worth their series */
	METRIC_CGROUP_ONLY = 1 << 4, /* only owners that are cgroups have it */
};

struct metric {
	const char *what;
	const char *unit; /* "bytes", "seconds", "byte_seconds", or NULL for counts */
	enum metric_type type;
	enum metric_kind kind;
	unsigned int index; /* of the quantity in its row */
	unsigned int flags;
	/* Rows that follow each other with one name are one family, told apart by this label. */
	const char *label, *value;
	const char *json; /* the JSON field where it is not "<what>_<unit>" */
	const char *help; /* one line, for a person who has not read the documentation */
};

/* The rows for SCOPE, and how many. One family's rows stand together. */
const struct metric *metric_table(enum metric_scope scope, size_t *ret_count);

/* Whether SCOPE has METRIC. */
bool metric_applies(const struct metric *metric, enum metric_scope scope);

/* Whether SCOPE has METRIC in Prometheus. */
bool metric_is_exposed(const struct metric *metric, enum metric_scope scope);

/* "host", an owner's name (snapshot/owner.h), "process"; "" for METRIC_SELF. */
const char *metric_scope_name(enum metric_scope scope);

enum { METRIC_NAME_SIZE = 96 };

/*
 * The metric's name in the exposition, terminated: "memtally_user_pss_bytes",
 * "memtally_user_vm_swap_growth_bytes_total". FAMILY leaves out "_total", as OpenMetrics wants it.
 */
void metric_name(const struct metric *metric, enum metric_scope scope, bool family,
	char to[static METRIC_NAME_SIZE]);

/* Its field in JSON, terminated: "pss_bytes". A labelled metric's field is an object by label. */
void metric_field(const struct metric *metric, char to[static METRIC_NAME_SIZE]);

/* The unlabelled metric of SCOPE with JSON field NAME, or NULL. */
const struct metric *metric_find_field(enum metric_scope scope, const char *name);

/* Whether a row with PRESENT and Q has METRIC, and its raw 64 bits. */
static inline bool metric_get(
	const struct metric *metric, uint64_t present, const uint64_t *q, uint64_t *ret)
{
	if (!((present >> metric->index) & 1))
		return false;
	*ret = q[metric->index];
	return true;
}

/* Whether quantities of KIND are doubles. */
static inline bool metric_is_real(enum metric_kind kind)
{
	return kind == METRIC_REAL || kind == METRIC_SIGNED_REAL;
}

/* Such a quantity from and to its bits. */
static inline double metric_real(uint64_t bits)
{
	union {
		uint64_t bits;
		double value;
	} u = {.bits = bits};

	return u.value;
}

static inline uint64_t metric_real_bits(double value)
{
	union {
		uint64_t bits;
		double value;
	} u = {.value = value};

	return u.bits;
}

/* The scope of holdings of KIND, and what the name of one is called in metrics and JSON: "user", "mountpoint". */
static inline enum metric_scope metric_holding_scope(enum holding_kind kind)
{
	return (enum metric_scope)(METRIC_SHMEM + (int)kind);
}

const char *metric_holding_label(enum holding_kind kind);

/* Names of the enumerations in snapshot/record.h, as they stand in labels and JSON. */
const char *metric_source_name(unsigned int source);
const char *metric_outcome_name(unsigned int outcome);

/* What memtallyd may do, by self_flag: labels of memtally_capability_info, and booleans in JSON. */
struct metric_capability {
	const char *name;
	unsigned int flag;
};

enum { METRIC_CAPABILITIES = 5 };

/* The capability of that index, below METRIC_CAPABILITIES. */
const struct metric_capability *metric_capability(size_t i);

/* A histogram's family. Bounds are in seconds, rising, HISTOGRAM_BUCKETS - 1 of them; +Inf follows. */
struct metric_histogram {
	const char *name;  /* the whole family name */
	const char *field; /* in JSON */
	const char *unit;
	const char *help;
	const double *bounds;
};

const struct metric_histogram *metric_histogram(unsigned int id);

/* Which of a histogram's buckets VALUE_NS falls into. */
size_t metric_histogram_bucket(const struct metric_histogram *histogram, uint64_t value_ns);

#endif
