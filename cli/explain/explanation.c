/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/explain/explanation.h"

#include "base/clock.h"
#include "cli/map/maprow.h"
#include "snapshot/metric.h"

static uint64_t explanation_sum_of(const uint64_t part[static BREAKDOWN_PARTS])
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < BREAKDOWN_PARTS; i++)
		sum += part[i];
	return sum;
}

/*
 * Returns the bytes of PART that are freed. *RET_KEPT is the rest of what the process has alone:
 * other processes map it, but have not touched it.
 */
static uint64_t freed_of(const struct explanation *e, enum breakdown_part part, uint64_t *ret_kept)
{
	uint64_t alone = e->breakdown->alone[part], kept = e->sharers->kept_bytes[part];

	*ret_kept = kept < alone ? kept : alone;
	return alone - *ret_kept;
}

static void reckon_end(const struct explanation *e, struct explanation_figures *f)
{
	const struct breakdown *p = e->breakdown;
	uint64_t kept;

	f->freed = p->alone[BREAKDOWN_ANON] + f->pagetable;
	f->shmem_freed = freed_of(e, BREAKDOWN_SHMEM, &f->shmem_kept);
	f->shmem_named = p->alone[BREAKDOWN_NAMED];
	f->unlinked_freed = freed_of(e, BREAKDOWN_UNLINKED, &kept);
	f->cached = p->alone[BREAKDOWN_FILE] + kept;
	f->driver_freed = freed_of(e, BREAKDOWN_DRIVER, &f->driver_kept);
	f->others_more = f->share;
	f->swap_freed = p->total.q[MAPPING_SWAP_PSS];
	f->hugetlb_freed = p->total.q[MAPPING_PRIVATE_HUGETLB];
}

void explanation_reckon(const struct explanation *e, struct explanation_figures *ret)
{
	const struct breakdown *p = e->breakdown;
	uint64_t unused;

	*ret = (struct explanation_figures){
		.is_known = mapping_table_figure(&p->total, MAPPING_TABLE_PRIVATE, &unused),
		.rss = p->total.q[MAPPING_RSS],
		.pss = p->total.q[MAPPING_PSS],
		.alone = explanation_sum_of(p->alone),
		.shared = explanation_sum_of(p->shared),
		.pagetable = explanation_has(e, PROCESS_VM_PTE) ? e->q[PROCESS_VM_PTE] : 0,
	};
	ret->share = ret->pss > ret->alone ? ret->pss - ret->alone : 0;
	ret->freed_is_exact = e->twins || (!p->doubt && !e->is_averaged);
	if (!e->twins)
		reckon_end(e, ret);
}

static void set_bytes(json_t *to, const char *name, uint64_t bytes, int *failed)
{
	*failed |= json_object_set_new(to, name, json_integer((json_int_t)bytes));
}

/*
 * Memory that is neither anonymous nor shared is one part here; "if_ended" has it by its fate on
 * exit.
 */
static json_t *json_of_parts(const uint64_t part[static BREAKDOWN_PARTS])
{
	uint64_t others = part[BREAKDOWN_FILE] + part[BREAKDOWN_UNLINKED] + part[BREAKDOWN_DRIVER];
	uint64_t shmem = part[BREAKDOWN_SHMEM] + part[BREAKDOWN_NAMED];

	return json_pack("{s:I,s:I,s:I}", "anon_bytes", (json_int_t)part[BREAKDOWN_ANON],
		"shmem_bytes", (json_int_t)shmem, "file_bytes", (json_int_t)others);
}

/* Returns an array of COUNT objects that MAKE makes; NULL if there is no memory. */
static json_t *json_of_rows(
	const void *rows, size_t count, json_t *(*make)(const void *rows, size_t i))
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		if (json_array_append_new(array, make(rows, i)) < 0) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static json_t *json_of_thing(const void *rows, size_t i)
{
	const struct sharers_object *t = (const struct sharers_object *)rows + i;

	return json_pack("{s:s,s:b,s:I,s:I}", "name", t->name, "anonymous", !t->inode,
		"shared_bytes", (json_int_t)t->shared_bytes, "others", (json_int_t)t->others);
}

static json_t *json_of_program(const void *rows, size_t i)
{
	const struct sharers_program *p = (const struct sharers_program *)rows + i;

	return json_pack("{s:s,s:I,s:I,s:I,s:I}", "program", p->name, "processes",
		(json_int_t)p->processes, "forked_processes", (json_int_t)p->forked,
		"shared_bytes_max", (json_int_t)p->shared_bytes, "forked_bytes_max",
		(json_int_t)p->forked_bytes);
}

static json_t *json_of_twin(const void *rows, size_t i)
{
	const struct explanation_twin *t = (const struct explanation_twin *)rows + i;

	return json_pack("{s:i,s:s}", "pid", (int)t->pid, "program", t->program);
}

static json_t *json_of_row(const void *rows, size_t i)
{
	const struct mapping_table_row *r = (const struct mapping_table_row *)rows + i;
	json_t *row = json_pack("{s:s,s:b,s:I}", "name", r->name, "deleted", r->is_deleted,
		"mappings", (json_int_t)r->mappings);
	int failed = 0;

	for (unsigned int k = 0; row && k < MAPPING_FIELDS; k++)
		if (mapping_table_is_sum((enum mapping_field)k) && (r->present >> k & 1))
			set_bytes(row, maprow_name((enum mapping_field)k), r->q[k], &failed);
	if (row && failed) {
		json_decref(row);
		return NULL;
	}
	return row;
}

/* Returns the growth that memtallyd has seen; NULL if there is no memory. */
static json_t *json_of_growth(const struct explanation *e)
{
	static const struct {
		enum process_quantity quantity;
		const char *name;
	} amounts[] = {
		{PROCESS_ANON_GROWTH, "anon_growth_bytes"},
		{PROCESS_VM_HWM_GROWTH, "vm_hwm_growth_bytes"},
		{PROCESS_VM_SWAP_GROWTH, "vm_swap_growth_bytes"},
	};
	const struct snapshot_process *row = e->grown;
	json_t *growth = json_object();
	int failed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(amounts); i++)
		if (ROW_HAS(row, amounts[i].quantity))
			set_bytes(growth, amounts[i].name, row->q[amounts[i].quantity], &failed);
	if (ROW_HAS(row, PROCESS_SEEN))
		failed |= json_object_set_new(growth, "seen_seconds",
			json_real((double)row->q[PROCESS_SEEN] / (double)NS_PER_SEC));
	if (ROW_HAS(row, PROCESS_ANON_SLOPE))
		failed |= json_object_set_new(growth, "anon_slope_bytes_per_second",
			json_real(metric_real(row->q[PROCESS_ANON_SLOPE])));
	if (ROW_HAS(row, PROCESS_ANON_SLOPE_ERROR))
		failed |= json_object_set_new(growth, "anon_slope_error_bytes_per_second",
			json_real(metric_real(row->q[PROCESS_ANON_SLOPE_ERROR])));
	if (failed) {
		json_decref(growth);
		return NULL;
	}
	return growth;
}

static json_t *json_of_end(const struct explanation_figures *f)
{
	return json_pack("{s:I,s:b,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "freed_bytes",
		(json_int_t)f->freed, "freed_is_exact", f->freed_is_exact, "shmem_bytes_max",
		(json_int_t)f->shmem_freed, "shmem_kept_bytes", (json_int_t)f->shmem_kept,
		"shmem_named_bytes", (json_int_t)f->shmem_named, "unlinked_bytes_max",
		(json_int_t)f->unlinked_freed, "driver_bytes_max", (json_int_t)f->driver_freed,
		"driver_kept_bytes", (json_int_t)f->driver_kept, "cached_bytes",
		(json_int_t)f->cached, "others_pss_bytes", (json_int_t)f->others_more,
		"swap_bytes_max", (json_int_t)f->swap_freed, "hugetlb_bytes_max",
		(json_int_t)f->hugetlb_freed);
}

/* Sets the amounts of its status file. */
static void set_status(const struct explanation *e, json_t *to, int *failed)
{
	static const struct {
		enum process_quantity quantity;
		const char *name;
	} amounts[] = {
		{PROCESS_RSS, "vm_rss_bytes"},
		{PROCESS_VM_HWM, "vm_hwm_bytes"},
		{PROCESS_VM_SWAP, "vm_swap_bytes"},
		{PROCESS_VM_PTE, "vm_pte_bytes"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(amounts); i++)
		if (explanation_has(e, amounts[i].quantity))
			set_bytes(to, amounts[i].name, e->q[amounts[i].quantity], failed);
}

json_t *explanation_json(const struct explanation *e)
{
	const struct breakdown *p = e->breakdown;
	struct explanation_figures f;
	json_t *json;
	double sharers;
	int failed = 0;

	explanation_reckon(e, &f);
	sharers_sort(e->sharers);
	json = json_pack("{s:i,s:s,s:s*,s:b,s:I,s:I}", "pid", (int)e->pid, "program", e->program,
		"user", e->user, "complete", 1, "rss_bytes", (json_int_t)f.rss, "pss_bytes",
		(json_int_t)f.pss);
	if (!json)
		return NULL;
	set_status(e, json, &failed);
	if (f.is_known) {
		set_bytes(json, "uss_bytes", f.alone, &failed);
		failed |= json_object_set_new(json, "alone", json_of_parts(p->alone));
		failed |= json_object_set_new(json, "shared", json_of_parts(p->shared));
		failed |= json_object_set_new(json, "if_ended", json_of_end(&f));
	}
	if (mapping_table_sharers(&p->total, &sharers))
		failed |= json_object_set_new(json, "sharers_mean", json_real(sharers));
	if (e->knows_twins)
		failed |= json_object_set_new(json, "address_space_shared_with",
			json_of_rows(e->twin, e->twins, json_of_twin));
	failed |= json_object_set_new(json, "shared_with",
		json_of_rows(e->sharers->program, e->sharers->programs, json_of_program));
	failed |= json_object_set_new(json, "shared_things",
		json_of_rows(e->sharers->object, e->sharers->objects, json_of_thing));
	set_bytes(json, "others_looked_at", e->looked, &failed);
	set_bytes(json, "others_refused", e->refused, &failed);
	failed |= json_object_set_new(
		json, "others_hidden", json_boolean(e->hides || e->is_inside));
	failed |= e->grown ? json_object_set_new(json, "growth", json_of_growth(e))
	                   : json_object_set_new(json, "growth_unknown", json_string(e->unknown));
	mapping_table_sort(&e->breakdown->kinds, MAPPING_PSS);
	mapping_table_sort(&e->breakdown->files, MAPPING_PSS);
	failed |= json_object_set_new(
		json, "kinds", json_of_rows(p->kinds.row, p->kinds.rows, json_of_row));
	failed |= json_object_set_new(
		json, "files", json_of_rows(p->files.row, p->files.rows, json_of_row));
	if (failed) {
		json_decref(json);
		return NULL;
	}
	return json;
}
