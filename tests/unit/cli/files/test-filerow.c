/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sample: two processes, of uids without a name, and three files: a replaced library, a name with a
 * comma, shared memory.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <jansson.h>

#include "cli/files/filerow.h"
#include "tests/unit/support/faults/full.h"

enum { KIB = 1024, ALICE = 4000000001, BOB = 4000000002 };

#define ALL                                                                                        \
	(UINT64_C(1) << MAPPING_SIZE | UINT64_C(1) << MAPPING_RSS | UINT64_C(1) << MAPPING_PSS |   \
		UINT64_C(1) << MAPPING_PRIVATE_DIRTY | UINT64_C(1) << MAPPING_ANONYMOUS |          \
		UINT64_C(1) << MAPPING_SWAP)

struct fixture {
	struct file_table files;
	struct file_users users;
	struct usernames names;
	uint32_t *order;
	struct filerow_list list;
};

static void add(struct file_table *s, const char *perms, const char *path, uint64_t rss,
	uint64_t pss, uint64_t dirty)
{
	struct mapping m = {
		.inode = 7,
		.major = path[1] == 'm' ? 0 : 8,
		.minor = 1,
		.path = path,
		.path_len = strlen(path),
		.flags = "",
		.present = ALL,
		.q[MAPPING_SIZE] = 100 * KIB,
		.q[MAPPING_RSS] = rss * KIB,
		.q[MAPPING_PSS] = pss * KIB,
		.q[MAPPING_PRIVATE_DIRTY] = dirty * KIB,
		.q[MAPPING_ANONYMOUS] = dirty * KIB,
	};
	uint32_t row;

	snprintf(m.perms, sizeof(m.perms), "%s", perms);
	assert_int_equal(file_table_add(s, &m, &row), 0);
}

static void commit(struct fixture *f, pid_t pid, uint32_t uid, const char *unit)
{
	assert_int_equal(file_table_commit(&f->files, uid), 0);
	assert_int_equal(
		file_users_add_process(&f->users, pid, uid, "cat", unit, unit ? "b.service" : NULL),
		0);
	for (size_t i = 0; i < f->files.parts; i++)
		assert_int_equal(file_users_add(&f->users, &f->files.part[i]), 0);
}

static void fixture_done(struct fixture *f)
{
	file_table_done(&f->files);
	file_users_done(&f->users);
	usernames_done(&f->names);
	free(f->order);
}

static void fill(struct fixture *f)
{
	*f = (struct fixture){.files.max = FILE_TABLE_LIMITS};
	file_table_begin(&f->files);
	add(&f->files, "r-xp", "/lib/a.so (deleted)", 60, 40, 12);
	add(&f->files, "r--s", "/srv/b, \"c\"", 50, 50, 0);
	commit(f, 42, ALICE, "a.service");
	file_table_begin(&f->files);
	add(&f->files, "r-xp", "/lib/a.so (deleted)", 56, 36, 8);
	add(&f->files, "rw-s", "/memfd:ring (deleted)", 4, 4, 0);
	commit(f, 9, BOB, NULL);
	assert_int_equal(file_table_settle(&f->files, 0, FILE_TABLE_REPLACED, false), 0);
	file_table_set_resident(&f->files, 0, 80 * KIB, true);
	file_table_set_resident(&f->files, 2, 4 * KIB, true);
	assert_int_equal(file_table_order(&f->files, FILE_TABLE_PSS, &f->order), 0);
	file_users_sort(&f->users, FILE_TABLE_FIELDS);
	f->list = (struct filerow_list){
		.files = &f->files,
		.users = &f->users,
		.names = &f->names,
		.row = f->order,
		.count = f->files.rows,
	};
}

static const char *text_of(struct buffer *b)
{
	buffer_add_char(b, '\0');
	assert_int_equal(b->error, 0);
	return b->data;
}

typedef int print_rows(const struct filerow_list *list, struct buffer *to);

static int print_as(print_rows *print, struct fixture *f, enum list_form form, struct buffer *to)
{
	f->list.look.form = form;
	return print(&f->list, to);
}

static void check_drawn(struct fixture *f, bool of_mappers, size_t width, const char *expected)
{
	AUTO_BUFFER struct buffer text = {0};

	f->list.look.width = width;
	assert_int_equal(of_mappers ? print_as(filerow_print_users, f, LIST_TABLE, &text)
				    : print_as(filerow_print_files, f, LIST_TABLE, &text),
		0);
	assert_string_equal(text_of(&text), expected);
}

static void check_table(struct fixture *f, bool of_mappers, const char *expected)
{
	check_drawn(f, of_mappers, 0, expected);
}

static void add_shared(struct file_table *s, const char *path, uint64_t inode, uint64_t pss)
{
	const struct mapping m = {
		.perms = "rw-s",
		.inode = inode,
		.minor = 1,
		.path = path,
		.path_len = strlen(path),
		.flags = "",
		.present = ALL,
		.q[MAPPING_PSS] = pss * KIB,
	};
	uint32_t row;

	assert_int_equal(file_table_add(s, &m, &row), 0);
}

/* Pids may be given in any order. */
static void the_owner_has_the_lowest_pid(void **state)
{
	struct filerow_owner owner = {0};

	(void)state;
	filerow_owner_note(&owner, 4711, BOB);
	assert_int_equal(owner.pid, 4711);
	filerow_owner_note(&owner, 812, ALICE);
	filerow_owner_note(&owner, 900, BOB);
	assert_int_equal(owner.pid, 812);
	assert_int_equal(owner.uid, ALICE);
}

/*
 * Shared memory without a name of its own has one in a table: its user and lowest pid. A row
 * without a known process, and a user's name with a bracket, do not.
 */
static void anonymous_shared_memory_has_an_owner(void **state)
{
	static const struct filerow_owner owner[] = {
		{812, ALICE}, {4711, BOB}, {0, 0}, {812, ALICE}};
	CLEANUP(fixture_done) struct fixture f = {.files.max = FILE_TABLE_LIMITS};
	AUTO_BUFFER struct buffer csv = {0}, users = {0};

	(void)state;
	file_table_begin(&f.files);
	add_shared(&f.files, "/dev/zero (deleted)", 1, 30);
	add_shared(&f.files, "/dev/zero (deleted)", 2, 20);
	add_shared(&f.files, "/dev/zero (deleted)", 3, 10);
	add_shared(&f.files, "/memfd:[x] (deleted)", 4, 5);
	commit(&f, 812, ALICE, NULL);
	assert_int_equal(file_table_order(&f.files, FILE_TABLE_PSS, &f.order), 0);
	f.list = (struct filerow_list){.files = &f.files,
		.owner = owner,
		.owners = ARRAY_SIZE(owner),
		.users = &f.users,
		.names = &f.names,
		.row = f.order,
		.count = f.files.rows,
		.sort = FILE_TABLE_PSS};
	check_drawn(&f, false, 42,
		"     PSS FILE\n"
		"30.0 KiB [shared] of 4000000001, pid 812\n"
		"20.0 KiB [shared] of 4000000002, pid 4711\n"
		"10.0 KiB [shared]\n"
		" 5.0 KiB memfd:[x]\n"
		"------------\n"
		"65.0 KiB total of 4 files\n");
	assert_int_equal(print_as(filerow_print_files, &f, LIST_CSV, &csv), 0);
	assert_null(strstr(text_of(&csv), " of 40"));
	f.list.look.width = 0;
	assert_int_equal(print_as(filerow_print_users, &f, LIST_TABLE, &users), 0);
	assert_null(strstr(text_of(&users), " of 40"));
}

/* The least important columns are dropped, and names are shortened to their end. */
static void narrow_terminals_drop_columns(void **state)
{
	CLEANUP(fixture_done) struct fixture f;

	(void)state;
	fill(&f);
	f.list.sort = FILE_TABLE_PSS;
	check_drawn(&f, false, 68,
		"      PSS   RESIDENT    DIRTY PROCESSES USERS FILE\n"
		" 76.0 KiB   80.0 KiB 20.0 KiB         2     2 /lib/a.so [replaced]\n"
		" 50.0 KiB  >50.0 KiB  0.0 KiB         1     1 /srv/b, \"c\"\n"
		"  4.0 KiB    4.0 KiB  0.0 KiB         1     1 memfd:ring\n"
		"-------------------------------------------------\n"
		"130.0 KiB >134.0 KiB 20.0 KiB         2     2 total of 3 files\n");
	check_drawn(&f, false, 27,
		"      PSS FILE\n"
		" 76.0 KiB ....so [replaced]\n"
		" 50.0 KiB /srv/b, \"c\"\n"
		"  4.0 KiB memfd:ring\n"
		"-------------\n"
		"130.0 KiB total of 3 files\n");
	f.list.sort = FILE_TABLE_PRIVATE_DIRTY_MOST;
	f.list.look.limit = 1;
	check_drawn(&f, false, 90,
		"      PSS   RESIDENT       RSS    DIRTY MAX-DIRTY PROCESSES USERS FILE\n"
		" 76.0 KiB   80.0 KiB 116.0 KiB 20.0 KiB  12.0 KiB         2     2 /lib/a.so [replaced]\n"
		"---------------------------------------------------------------------\n"
		"130.0 KiB >134.0 KiB 170.0 KiB 20.0 KiB         -         2     2\n"
		"total of 3 files (2 not shown)\n");
}

static void files_in_a_table(void **state)
{
	CLEANUP(fixture_done) struct fixture f;

	(void)state;
	fill(&f);
	check_table(&f, false,
		"      PSS   RESIDENT       RSS    DIRTY MAX-DIRTY    SWAP PROCESSES USERS FILE\n"
		" 76.0 KiB   80.0 KiB 116.0 KiB 20.0 KiB  12.0 KiB 0.0 KiB         2     2 /lib/a.so [replaced]\n"
		" 50.0 KiB  >50.0 KiB  50.0 KiB  0.0 KiB   0.0 KiB 0.0 KiB         1     1 /srv/b, \"c\"\n"
		"  4.0 KiB    4.0 KiB   4.0 KiB  0.0 KiB   0.0 KiB 0.0 KiB         1     1 memfd:ring\n"
		"-----------------------------------------------------------------------------\n"
		"130.0 KiB >134.0 KiB 170.0 KiB 20.0 KiB         - 0.0 KiB         2     2 total of 3 files\n");
	f.list.look.limit = 1;
	f.list.look.bytes = true;
	f.list.ascending = true;
	f.files.row[2].present &= ~(UINT64_C(1) << FILE_TABLE_SWAP);
	check_table(&f, false,
		"   PSS RESIDENT    RSS DIRTY MAX-DIRTY SWAP PROCESSES USERS FILE\n"
		"  4096     4096   4096     0         0    -         1     1 memfd:ring\n"
		"---------------------------------------------------------------\n"
		"133120  >137216 174080 20480         -    -         2     2 total of 3 files (2 not shown)\n");
	f.files.users_are_low = true;
	f.files.rest.q[FILE_TABLE_MAPPINGS] = 5;
	f.files.rest.present = f.files.row[0].present;
	check_table(&f, false,
		"   PSS RESIDENT    RSS DIRTY MAX-DIRTY SWAP PROCESSES USERS FILE\n"
		"  4096     4096   4096     0         0    -         1    >1 memfd:ring\n"
		"---------------------------------------------------------------\n"
		"133120  >137216 174080 20480         -    -         2    >2 total of 3 files (2 not shown), and 5 mappings of files without a row\n");
}

static void mappers_in_a_table(void **state)
{
	CLEANUP(fixture_done) struct fixture f;

	(void)state;
	fill(&f);
	f.files.row[2].fate = FILE_TABLE_UNCERTAIN;
	f.files.row[1].fate = FILE_TABLE_DELETED;
	check_table(&f, true,
		"PID USER       PROGRAM UNIT           PSS      RSS    DIRTY AS   FILE\n"
		"  9 4000000002 cat     -         36.0 KiB 56.0 KiB  8.0 KiB code /lib/a.so [replaced]\n"
		"  9 4000000002 cat     -          4.0 KiB  4.0 KiB  0.0 KiB data memfd:ring [deleted?]\n"
		" 42 4000000001 cat     b.service 40.0 KiB 60.0 KiB 12.0 KiB code /lib/a.so [replaced]\n"
		" 42 4000000001 cat     b.service 50.0 KiB 50.0 KiB  0.0 KiB data /srv/b, \"c\" [deleted]\n");
	f.list.look.limit = 2;
	f.list.ascending = true;
	f.list.look.bytes = true;
	check_table(&f, true,
		"PID USER       PROGRAM UNIT        PSS   RSS DIRTY AS   FILE\n"
		" 42 4000000001 cat     b.service 51200 51200     0 data /srv/b, \"c\" [deleted]\n"
		" 42 4000000001 cat     b.service 40960 61440 12288 code /lib/a.so [replaced]\n"
		"2 of 4 shown\n");
}

static json_t *json_of(struct buffer *text)
{
	json_t *root = json_loads(text_of(text), JSON_REJECT_DUPLICATES, NULL);

	assert_non_null(root);
	return root;
}

static void prints_json(void **state)
{
	CLEANUP(fixture_done) struct fixture f;
	AUTO_BUFFER struct buffer text = {0}, sums = {0};
	struct file_table_row total;
	json_t *root, *row;

	(void)state;
	fill(&f);
	f.files.row[1].present &= ~(UINT64_C(1) << FILE_TABLE_SWAP);
	file_users_sort_by_file(&f.users);
	buffer_add_char(&text, '[');
	f.list.is_selected = true;
	assert_int_equal(print_as(filerow_print_files, &f, LIST_JSON, &text), 0);
	buffer_add_char(&text, ']');
	root = json_of(&text);
	assert_int_equal(json_array_size(root), 3);
	row = json_array_get(root, 0);
	assert_string_equal(json_string_value(json_object_get(row, "name")), "/lib/a.so");
	assert_string_equal(json_string_value(json_object_get(row, "device")), "8:1");
	assert_string_equal(json_string_value(json_object_get(row, "state")), "replaced");
	assert_string_equal(json_string_value(json_object_get(row, "kind")), "file");
	assert_true(json_is_true(json_object_get(row, "executable")));
	assert_true(json_is_true(json_object_get(row, "resident_is_exact")));
	assert_int_equal(json_integer_value(json_object_get(row, "resident_bytes")), 80 * KIB);
	assert_int_equal(json_integer_value(json_object_get(row, "users")), 2);
	assert_int_equal(json_array_size(json_object_get(row, "mapped_by")), 2);
	row = json_array_get(json_object_get(row, "mapped_by"), 1);
	assert_int_equal(json_integer_value(json_object_get(row, "pid")), 42);
	assert_string_equal(json_string_value(json_object_get(row, "user")), "4000000001");
	assert_string_equal(json_string_value(json_object_get(row, "unit")), "a.service");
	assert_string_equal(json_string_value(json_object_get(row, "user_unit")), "b.service");
	assert_string_equal(json_string_value(json_object_get(row, "program")), "cat");
	assert_int_equal(json_integer_value(json_object_get(row, "private_dirty_bytes")), 12 * KIB);
	assert_null(json_object_get(row, "users"));
	row = json_array_get(root, 1);
	assert_true(json_is_false(json_object_get(row, "resident_is_exact")));
	assert_null(json_object_get(row, "swap_bytes"));
	json_decref(root);
	file_table_total(&f.files, &total);
	filerow_add_json_sums(&total, &sums);
	root = json_of(&sums);
	assert_int_equal(json_integer_value(json_object_get(root, "rss_bytes")), 170 * KIB);
	assert_true(json_is_false(json_object_get(root, "resident_is_exact")));
	assert_null(json_object_get(root, "private_dirty_most_bytes"));
	json_decref(root);
}

/* If output fails amid the users of a file, nothing is written after it. */
static void returns_errors_of_output(void **state)
{
	CLEANUP(fixture_done) struct fixture f;
	AUTO_BUFFER struct buffer text = {0};
	int r;

	(void)state;
	fill(&f);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(file_users_add(&f.users, &f.files.part[0]), 0);
	file_users_sort_by_file(&f.users);
	f.list.is_selected = true;
	full_begin();
	r = print_as(filerow_print_files, &f, LIST_JSON, &text);
	assert_int_equal(full_end(), 1);
	assert_int_equal(r, -ENOSPC);
}

static void prints_values(void **state)
{
	CLEANUP(fixture_done) struct fixture f;
	AUTO_BUFFER struct buffer files = {0}, who = {0};

	(void)state;
	fill(&f);
	f.list.look.limit = 2;
	f.files.row[1].present &= ~(UINT64_C(1) << FILE_TABLE_SWAP);
	assert_int_equal(print_as(filerow_print_files, &f, LIST_CSV, &files), 0);
	assert_string_equal(text_of(&files),
		"device,inode,kind,state,name,executable,resident_is_exact,processes,users,mappings,size_bytes,"
		"resident_bytes,rss_bytes,pss_bytes,private_clean_bytes,private_dirty_bytes,"
		"private_dirty_most_bytes,anonymous_bytes,swap_bytes,hugetlb_bytes\n"
		"8:1,7,file,replaced,/lib/a.so,true,true,2,2,2,204800,81920,118784,77824,,20480,12288,20480,0,\n"
		"8:1,7,file,there,\"/srv/b, \"\"c\"\"\",false,false,1,1,1,102400,51200,51200,51200,,0,0,0,,\n");
	assert_int_equal(print_as(filerow_print_users, &f, LIST_CSV, &who), 0);
	assert_string_equal(text_of(&who),
		"pid,uid,user,program,unit,user_unit,device,inode,kind,state,name,executable,mappings,size_bytes,"
		"rss_bytes,pss_bytes,private_clean_bytes,private_dirty_bytes,anonymous_bytes,swap_bytes,hugetlb_bytes\n"
		"9,4000000002,4000000002,cat,,,8:1,7,file,replaced,/lib/a.so,true,1,102400,57344,36864,,8192,8192,0,\n"
		"9,4000000002,4000000002,cat,,,0:1,7,shmem,there,memfd:ring,false,1,102400,4096,4096,,0,0,0,\n");
}

/* By the name in JSON, and by the head of the column. */
static void finds_fields_to_sort_by(void **state)
{
	(void)state;
	assert_int_equal(list_find_sort(&filerow_columns, "private_dirty_most_bytes")->index,
		FILE_TABLE_PRIVATE_DIRTY_MOST);
	assert_int_equal(list_find_sort(&filerow_columns, "max-dirty")->index,
		FILE_TABLE_PRIVATE_DIRTY_MOST);
	assert_int_equal(list_find_sort(&filerow_columns, "mappings")->index, FILE_TABLE_MAPPINGS);
	assert_null(list_find_sort(&filerow_columns, "file"));
	assert_int_equal(list_find_sort(&filerow_columns, "Pss_Bytes")->index, FILE_TABLE_PSS);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_in_a_table),
		cmocka_unit_test(mappers_in_a_table),
		cmocka_unit_test(the_owner_has_the_lowest_pid),
		cmocka_unit_test(anonymous_shared_memory_has_an_owner),
		cmocka_unit_test(narrow_terminals_drop_columns),
		cmocka_unit_test(finds_fields_to_sort_by),
		cmocka_unit_test(prints_json),
		cmocka_unit_test(returns_errors_of_output),
		cmocka_unit_test(prints_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
