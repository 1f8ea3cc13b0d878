/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metric table
 *
 * Every quantity that memtally publishes, once (metric.c). The renderers of Prometheus and JSON, the
 * query's sort fields, the terminal's CSV and list of the host, docs/metrics.md and the tests loop
 * over it. docs/adding.md has the steps to add a metric.
 */
#ifndef MEMTALLY_SNAPSHOT_METRIC_H
#define MEMTALLY_SNAPSHOT_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "snapshot/record.h"

/*
 * The subjects of rows of a snapshot. Rows of the host and of owners have one type, struct
 * snapshot_scope.
 */
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
	METRIC_NAMEGROUP,
	METRIC_OWNERS_END,
	METRIC_PROCESS = METRIC_OWNERS_END,
	METRIC_SELF,
	METRIC_BALANCE, /* named "host", too */
	METRIC_SURVEY,  /* named "host", too */
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

/* The type of the 64 bits of a quantity. */
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
	/* Of the scopes with struct snapshot_scope, only the host has it */
	METRIC_HOST_ONLY = 1 << 2,
	METRIC_HOST_IN_PROMETHEUS = 1 << 3, /* in Prometheus for the host only, to save series */
	METRIC_CGROUP_ONLY = 1 << 4,        /* only owners that are cgroups have it */
	METRIC_NAMEGROUP_ONLY = 1 << 5,     /* of the same scopes, only namegroups have it */
	METRIC_OR_HOST = 1 << 6,            /* with METRIC_CGROUP_ONLY: the host has it, too */
};

struct metric {
	const char *what; /* the name without scope and unit: "pss" */
	const char *unit; /* "bytes", "seconds", "byte_seconds", "ratio" ...; NULL for counts */
	/*
	 * The name of a counter ends in "_total". Rows of processes have no counters, because they
	 * have no time at which these began.
	 */
	enum metric_type type;
	enum metric_kind kind;
	unsigned int index; /* the quantity's number in its row */
	unsigned int flags; /* of enum metric_flag */
	/*
	 * Consecutive rows with the same .what are one family; this label and its value tell them
	 * apart. NULL: no label.
	 */
	const char *label, *value;
	/* the JSON field; NULL: "<what>_<unit>", and of counters "<what>_<unit>_total" */
	const char *json;
	const char *help; /* one line, understandable without the documentation */
};

/*
 * Returns the rows of the table for SCOPE, and their number in *RET_COUNT. The rows of a family are
 * consecutive. Use metric_applies() for each: scopes with struct snapshot_scope share a table.
 */
const struct metric *metric_table(enum metric_scope scope, size_t *ret_count);

/* Returns whether SCOPE has METRIC, a row of its table. */
bool metric_applies(const struct metric *metric, enum metric_scope scope);

/* Returns whether SCOPE has METRIC, a row of its table, in Prometheus. */
bool metric_is_exposed(const struct metric *metric, enum metric_scope scope);

/*
 * Returns the name of SCOPE: "host", the name of a kind of owners (snapshot/owner.h), "process",
 * "file" ...; "" for METRIC_SELF.
 */
const char *metric_scope_name(enum metric_scope scope);

enum { METRIC_NAME_SIZE = 96 };

/*
 * Writes the name of METRIC in Prometheus, terminated: "memtally_user_pss_bytes",
 * "memtally_user_vm_swap_growth_bytes_total". With FAMILY without "_total", as OpenMetrics names
 * families.
 */
void metric_name(const struct metric *metric, enum metric_scope scope, bool family,
	char to[static METRIC_NAME_SIZE]);

/*
 * Writes the field of METRIC in JSON, terminated: "pss_bytes". The field of a labelled metric is an
 * object by label value.
 */
void metric_field(const struct metric *metric, char to[static METRIC_NAME_SIZE]);

/* Returns the metric of SCOPE without a label that has the JSON field NAME; NULL: there is none. */
const struct metric *metric_find_field(enum metric_scope scope, const char *name);

/*
 * Returns whether a row with mask PRESENT and quantities Q has METRIC; if so, *RET is its 64 bits.
 */
static inline bool metric_get(
	const struct metric *metric, uint64_t present, const uint64_t *q, uint64_t *ret)
{
	if (!((present >> metric->index) & 1))
		return false;
	*ret = q[metric->index];
	return true;
}

/* Returns whether METRIC is an integer number of bytes. */
static inline bool metric_is_bytes(const struct metric *metric)
{
	return metric->kind == METRIC_INTEGER && metric->unit && !strcmp(metric->unit, "bytes");
}

/* Returns whether quantities of KIND are doubles. */
static inline bool metric_is_real(enum metric_kind kind)
{
	return kind == METRIC_REAL || kind == METRIC_SIGNED_REAL;
}

/* Returns the double that has the given bits. */
static inline double metric_real(uint64_t bits)
{
	union {
		uint64_t bits;
		double value;
	} u = {.bits = bits};

	return u.value;
}

/* Returns the bits of a double. */
static inline uint64_t metric_real_bits(double value)
{
	union {
		uint64_t bits;
		double value;
	} u = {.value = value};

	return u.bits;
}

/* Returns whether rows of SCOPE are owners. */
static inline bool metric_is_owner(enum metric_scope scope)
{
	return scope >= METRIC_USER && scope < METRIC_OWNERS_END;
}

/* Returns the kind of the owners of SCOPE, for which metric_is_owner() is true. */
static inline enum owner_kind metric_owner_kind(enum metric_scope scope)
{
	return (enum owner_kind)(scope - METRIC_USER);
}

/* Returns the scope of owners of KIND. */
static inline enum metric_scope metric_owner_scope(enum owner_kind kind)
{
	return (enum metric_scope)(METRIC_USER + (int)kind);
}

/* Returns the scope of holdings of KIND. */
static inline enum metric_scope metric_holding_scope(enum holding_kind kind)
{
	return (enum metric_scope)(METRIC_SHMEM + (int)kind);
}

/* Returns the label and JSON field for the name of a holding of KIND: "user" or "mountpoint". */
const char *metric_holding_label(enum holding_kind kind);

/*
 * These return the name of an enum process_source or process_outcome in labels and JSON; of an
 * unknown one "none" or "error".
 */
const char *metric_source_name(unsigned int source);
const char *metric_outcome_name(unsigned int outcome);

/* A capability of memtallyd: a label of memtally_capability_info and a boolean in JSON. */
struct metric_capability {
	const char *name;
	unsigned int flag; /* enum self_flag */
};

enum { METRIC_CAPABILITIES = 5 };

/* Returns capability I, below METRIC_CAPABILITIES. */
const struct metric_capability *metric_capability(size_t i);

/* A histogram. .bounds has HISTOGRAM_BUCKETS - 1 ascending upper bounds in .unit; +Inf follows. */
struct metric_histogram {
	const char *name;  /* the whole family name */
	const char *field; /* the JSON field */
	const char *unit;
	const char *help;
	const double *bounds;
};

/* Returns the histogram with ID, an enum snapshot_histogram_id; NULL: there is none. */
const struct metric_histogram *metric_histogram(unsigned int id);

/*
 * Returns the index of the bucket of HISTOGRAM for VALUE_NS: nanoseconds, or for a ratio units of
 * 1e-9.
 */
size_t metric_histogram_bucket(const struct metric_histogram *histogram, uint64_t value_ns);

#endif
