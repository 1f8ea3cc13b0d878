/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the parsing of /proc/PID/cgroup, with paths as systemd and container runtimes make them. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "collectors/procfs/cgroup/cgroup.h"

#define NAME_250                                                                                   \
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"     \
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"     \
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

#define NAME_64      "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define ROOT_SLICE   "-.slice"
#define MANAGER_PATH "/user.slice/user-1000.slice/user@1000.service/"
#define MANAGER      "0::" MANAGER_PATH

static const struct {
	const char *text, *unit, *user_unit, *slice;
} cases[] = {
	/* the unified hierarchy */
	{"0::/system.slice/ssh.service\n", "ssh.service", "", "system.slice"},
	{"0::/system.slice/system-getty.slice/getty@tty1.service\n", "getty@tty1.service", "",
		"system-getty.slice"},
	{"0::/init.scope\n", "init.scope", "", ROOT_SLICE},
	{"0::/user.slice/user-1000.slice/session-2.scope\n", "session-2.scope", "",
		"user-1000.slice"},
	{"0::/system.slice/x.service/a/deeper/group\n", "x.service", "", "system.slice"},
	{"0::/system.slice/x.service", "x.service", "", "system.slice"}, /* no newline */
	{"0::/system.slice/dev-sda.swap\n", "dev-sda.swap", "", "system.slice"},
	{"0::/system.slice/tmp.mount\n", "tmp.mount", "", "system.slice"},
	{"0::/system.slice/x.socket\n", "x.socket", "", "system.slice"},
	/* a user's manager, and units below it */
	{"0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-x-1.scope\n",
		"user@1000.service", "app-x-1.scope", "user-1000.slice"},
	{"0::/user.slice/user-1000.slice/user@1000.service/init.scope\n", "user@1000.service",
		"init.scope", "user-1000.slice"},
	{"0::/user.slice/user-1000.slice/user@1000.service\n", "user@1000.service", "",
		"user-1000.slice"},
	{"0::/user.slice/user-1000.slice/user@1000.service/app.slice\n", "user@1000.service", "",
		"user-1000.slice"},
	{MANAGER "app.slice/app-a.slice/a@1.service\n", "user@1000.service", "a@1.service",
		"user-1000.slice"},
	{MANAGER "_x.service/y\n", "user@1000.service", "x.service", "user-1000.slice"},
	{MANAGER "x@.service\n", "user@1000.service", "", "user-1000.slice"},
	{MANAGER "user@1000.service/b.service\n", "user@1000.service", "user@1000.service",
		"user-1000.slice"}, /* only one user manager is recognized in a path */
	{"0::/user@0.service/x.service\n", "user@0.service", "x.service", ROOT_SLICE},
	{"0::/user@4294967294.service/x.service\n", "user@4294967294.service", "x.service",
		ROOT_SLICE},
	{"0::/session-c2.scope/x.service\n", "session-c2.scope", "x.service", ROOT_SLICE},
	/*
	 * Nearly a user manager or a session: a uid has one spelling, and these names are never
	 * escaped.
	 */
	{"0::/user@root.service/x.service\n", "user@root.service", "", ROOT_SLICE},
	{"0::/user@01000.service/x.service\n", "user@01000.service", "", ROOT_SLICE},
	{"0::/user@65535.service/x.service\n", "user@65535.service", "", ROOT_SLICE},
	{"0::/user@4294967295.service/x.service\n", "user@4294967295.service", "", ROOT_SLICE},
	{"0::/user@18446744073709551617.service/x.service\n", "user@18446744073709551617.service",
		"", ROOT_SLICE},
	{"0::/user@1000.scope/x.service\n", "user@1000.scope", "", ROOT_SLICE},
	{"0::/_user@1000.service/x.service\n", "user@1000.service", "", ROOT_SLICE},
	{"0::/xuser@1000.service/x.service\n", "xuser@1000.service", "", ROOT_SLICE},
	{"0::/session-.scope/x.service\n", "session-.scope", "", ROOT_SLICE},
	{"0::/session-1-2.scope/x.service\n", "session-1-2.scope", "", ROOT_SLICE},
	{"0::/session-1.service/x.service\n", "session-1.service", "", ROOT_SLICE},
	{"0::/_session-1.scope/x.service\n", "session-1.scope", "", ROOT_SLICE},
	/* A slice is never an instance of a template, and not the unit of a process. */
	{"0::/x@1.slice/y.service\n", "", "", ""},
	{"0::/x@.slice/y.service\n", "", "", ""},
	{"0::/x@1.slice\n", "", "", ""},
	{"0::/_system.slice/_x.service\n", "x.service", "", "system.slice"},
	{"0::/-.slice/x.service\n", "x.service", "", "-.slice"},
	/* A removed cgroup: the kernel appends " (deleted)" to the path. */
	{"0::/system.slice/x.service (deleted)\n", "x.service", "", "system.slice"},
	{MANAGER "app.slice/y.service (deleted)\n", "user@1000.service", "y.service",
		"user-1000.slice"},
	{"0:: (deleted)\n", "", "", ""},
	/* containers */
	{"0::/system.slice/docker-0123456789abcdef.scope\n", "docker-0123456789abcdef.scope", "",
		"system.slice"},
	{"0::/kubepods.slice/kubepods-burstable.slice/cri-containerd-0a.scope\n",
		"cri-containerd-0a.scope", "", "kubepods-burstable.slice"},
	{"0::/machine.slice/systemd-nspawn@x.service/payload/system.slice/cron.service\n",
		"systemd-nspawn@x.service", "", "machine.slice"},
	{"0::/docker/0123456789abcdef\n", "", "", ""},
	/* Escaping: systemd prefixes a name that would clash with a kernel file by '_'. */
	{"0::/system.slice/_cgroup.service\n", "cgroup.service", "", "system.slice"},
	{"0::/system.slice/dev-disk-by\\x2duuid.swap\n", "dev-disk-by\\x2duuid.swap", "",
		"system.slice"},
	{"0::/system.slice/__x.service\n", "_x.service", "", "system.slice"},
	/* Version 1 and hybrid: the line of name=systemd counts, wherever it stands. */
	{"12:pids:/user.slice\n1:name=systemd:/system.slice/a.service\n", "a.service", "",
		"system.slice"},
	{"1:name=systemd:/system.slice/a.service\n0::/system.slice/b.service\n", "a.service", "",
		"system.slice"},
	{"0::/system.slice/b.service\n1:name=systemd:/system.slice/a.service\n", "a.service", "",
		"system.slice"},
	{"1:name=systemd:/\n0::/system.slice/b.service\n", "b.service", "", "system.slice"},
	{"4:memory:/system.slice/c.service\n1:name=other:/system.slice/d.service\n", "", "", ""},
	{"1:name=systemd2:/system.slice/d.service\n", "", "", ""},
	/* paths without a unit */
	{"0::/\n", "", "", ""},
	{"0::/system.slice\n", "", "", "system.slice"},
	/* Outside of our cgroup namespace a unit is known only below a slice. */
	{"0::/../../system.slice/x.service\n", "x.service", "", "system.slice"},
	{"0::/../../../init.scope\n", "", "", ""},
	{"0::/../x.service\n", "", "", ""},
	{"0::/..\n", "", "", ""},
	{"0::/../..x/system.slice/x.service\n", "", "", ""},
	{"0::/../system.slice/../x.service\n", "", "", "system.slice"},
	{"0::/../../kubepods-burstable-pod0.slice/cri-containerd-0a.scope\n",
		"cri-containerd-0a.scope", "", "kubepods-burstable-pod0.slice"},
	{"0::/../../../../user.slice/user-1000.slice/user@1000.service/app.slice/y.service\n",
		"user@1000.service", "y.service", "user-1000.slice"},
	{"0::/system.slice/x\n", "", "", "system.slice"},
	{"0::/system.slice/.service\n", "", "", "system.slice"},
	{"0::/system.slice/@.service\n", "", "", "system.slice"},
	{"0::/system.slice/getty@.service\n", "", "", "system.slice"}, /* a template */
	{"0::/system.slice/@x.service\n", "", "", "system.slice"},
	{"0::/system.slice/a b.service\n", "", "", "system.slice"},
	{"0::/system.slice/a\"b.service\n", "", "", "system.slice"},
	{"0::/system.slice/\xff.service\n", "", "", "system.slice"},
	{"0::/system.slice/x.service (deleted)/y\n", "", "", "system.slice"},
	{"0::/system.slice/x.unknown\n", "", "", "system.slice"},
	{"0::/" NAME_250 ".swap\n", NAME_250 ".swap", "", ROOT_SLICE},
	{"0::/" NAME_250 "x.swap\n", "", "", ""}, /* 256 bytes */
	/* texts that are no cgroup file */
	{"", "", "", ""},
	{"\n\n", "", "", ""},
	{"0\n", "", "", ""},
	{"0\n0:x\n0::/system.slice/x.service\n", "x.service", "", "system.slice"},
	{"0:\n", "", "", ""},
	{"0::\n", "", "", ""},
	{"garbage: /system.slice/x.service\n", "", "", ""},
	{"0::////system.slice///x.service\n", "x.service", "", "system.slice"},
};

static void assert_name(const char *text, const struct cgroup_name *name, const char *expected)
{
	if (name->len != strlen(expected) ||
		(name->len && memcmp(name->text, expected, name->len) != 0))
		fail_msg("%s: '%.*s' instead of '%s'", text, (int)name->len,
			name->len ? name->text : "", expected);
}

static void finds_the_unit(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = strlen(cases[i].text);
		AUTO_FREE char *text = malloc(len + 1);
		struct cgroup c;

		assert_non_null(text);
		memcpy(text + 1, cases[i].text, len);
		cgroup_parse(text + 1, len, &c);
		assert_name(cases[i].text, &c.unit, cases[i].unit);
		assert_name(cases[i].text, &c.user_unit, cases[i].user_unit);
		if (*cases[i].unit)
			assert_name(cases[i].text, &c.slice, cases[i].slice);
	}
}

#define ID    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define UUID  "1b4e28ba-2fa1-11d2-883f-0016d3cca427"
#define UUID_ "1b4e28ba_2fa1_11d2_883f_0016d3cca427"

enum { NO_UID = -1 };

/* Sessions, machines, containers and pods, and the user that a session belongs to. */
static const struct {
	const char *text, *session, *machine, *container, *pod;
	int64_t uid;
} owners[] = {
	{"0::/user.slice/user-1000.slice/session-2.scope\n", "2", "", "", "", 1000},
	{"0::/user.slice/user-0.slice/session-c2.scope\n", "c2", "", "", "", 0},
	{"0::/session-c2.scope/x.service\n", "c2", "", "", "", NO_UID},
	{MANAGER "x.service\n", "", "", "", "", 1000},
	{"0::/user@7.service/x.service\n", "", "", "", "", 7},
	{"0::/system.slice/x.service\n", "", "", "", "", NO_UID},
	{"0::/user.slice/user-1000.slice/user-runtime-dir@1000.service\n", "", "", "", "", NO_UID},
	/* The uid of a session comes from its slice, so it must be well-formed. */
	{"0::/user.slice/user-01.slice/session-1.scope\n", "1", "", "", "", NO_UID},
	{"0::/user.slice/user-4294967295.slice/session-1.scope\n", "1", "", "", "", NO_UID},
	/* machines */
	{"0::/machine.slice/systemd-nspawn@web.service/payload/init.scope\n", "", "web", "", "",
		NO_UID},
	{"0::/system.slice/systemd-nspawn@web.service\n", "", "web", "", "", NO_UID},
	{"0::/machine.slice/systemd-nspawn@a\\x2db.service\n", "", "a-b", "", "", NO_UID},
	{"0::/machine.slice/machine-qemu\\x2d1\\x2dguest.scope/libvirt/emulator\n", "",
		"qemu-1-guest", "", "", NO_UID},
	{"0::/machine.slice/machine-mt.scope\n", "", "mt", "", "", NO_UID},
	{"0::/machine-a.slice/machine-mt.scope\n", "", "mt", "", "", NO_UID},
	{"0::/system.slice/machine-mt.scope\n", "", "", "", "", NO_UID},
	{"0::/machine.slice/machine-a-b.scope\n", "", "", "", "", NO_UID},     /* a slash */
	{"0::/machine.slice/machine-a\\x2fb.scope\n", "", "", "", "", NO_UID}, /* another slash */
	{"0::/machine.slice/machine-a\\x0ab.scope\n", "", "", "", "", NO_UID},
	{"0::/machine.slice/machine-a\\x2.scope\n", "", "", "", "", NO_UID},
	{"0::/machine.slice/machine-a\\x2D.scope\n", "", "", "", "", NO_UID},
	{"0::/machine.slice/machine-.scope\n", "", "", "", "", NO_UID},
	{"0::/machine.slice/machine-" NAME_64 ".scope\n", "", NAME_64, "", "", NO_UID},
	{"0::/machine.slice/machine-" NAME_64 "x.scope\n", "", "", "", "", NO_UID},
	/* Containers. A cgroup inside a user's manager is no pod, whatever its name is. */
	{"0::/system.slice/docker-" ID ".scope\n", "", "", ID, "", NO_UID},
	{"0::/docker/" ID "\n", "", "", ID, "", NO_UID},
	{"0::/docker/" ID " (deleted)\n", "", "", ID, "", NO_UID},
	{"0::/kubepods/pod" UUID "/" ID "\n", "", "", ID, UUID, NO_UID},
	{"0::/kubepods/pod" UUID "\n", "", "", "", UUID, NO_UID},
	{MANAGER "user.slice/libpod-" ID ".scope/container\n", "", "", ID, "", 1000},
	{MANAGER "kubepods/pod" UUID "/" ID "\n", "", "", ID, "", 1000},
	/* seen from another container */
	{"0::/../../kubepods-burstable-pod" UUID_ ".slice/cri-containerd-" ID ".scope\n", "", "",
		ID, UUID, NO_UID},
	{"0::/../cri-containerd-" ID ".scope\n", "", "", ID, "", NO_UID},
	{"0::/../../.." MANAGER_PATH "kubepods/pod" UUID "/" ID "\n", "", "", ID, "", 1000},
	{"0::/../../../user.slice/user-7.slice/session-2.scope\n", "2", "", "", "", 7},
	{"4:memory:/docker/" ID "\n1:name=systemd:/docker/" ID "\n0::/\n", "", "", ID, "", NO_UID},
	{"1:name=systemd:/system.slice/x.service\n0::/docker/" ID "\n", "", "", "", "", NO_UID},
	{"4:memory:/docker/" ID "\n0::/\n", "", "", "", "", NO_UID},
};

static void assert_text(const char *text, const char *found, const char *expected)
{
	if (strcmp(found, expected) != 0)
		fail_msg("%s: '%s' instead of '%s'", text, found, expected);
}

static void finds_session_machine_and_container(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(owners); i++) {
		const char *text = owners[i].text;
		struct cgroup c;

		cgroup_parse(text, strlen(text), &c);
		assert_name(text, &c.session, owners[i].session);
		assert_text(text, c.machine, owners[i].machine);
		assert_text(text, c.container.name, owners[i].container);
		assert_text(text, c.container.pod, owners[i].pod);
		if (c.has_uid != (owners[i].uid != NO_UID) ||
			(c.has_uid && c.uid != (uint32_t)owners[i].uid))
			fail_msg("%s: uid %u (%d)", text, c.uid, c.has_uid);
	}
}

#define V1(memory, systemd)                                                                        \
	"4:memory:" memory "\n2:cpu,cpuacct:/\n1:name=systemd:" systemd "\n0::/\n"
#define LONG NAME_250 "/" NAME_250 "/" NAME_250 "/" NAME_250 "/"

/* The cgroup path that the memory controller charges for the owner of KIND; "": none. */
static const struct {
	const char *text;
	enum owner_kind kind;
	const char *path;
} charged[] = {
	/* the unified hierarchy */
	{"0::/system.slice/ssh.service\n", OWNER_UNIT, "/system.slice/ssh.service"},
	{"0::/system.slice/ssh.service\n", OWNER_SLICE, "/system.slice"},
	{"0::/system.slice/ssh.service\n", OWNER_SESSION, ""},
	{"0::/system.slice/ssh.service\n", OWNER_USER, ""},
	{"0::/system.slice/ssh.service/a/deeper\n", OWNER_UNIT, "/system.slice/ssh.service"},
	{"0::/a.slice/a-b.slice/_x.service\n", OWNER_UNIT, "/a.slice/a-b.slice/_x.service"},
	{"0::/a.slice/a-b.slice/_x.service\n", OWNER_SLICE, "/a.slice/a-b.slice"},
	{"0::/system.slice/x.service (deleted)\n", OWNER_UNIT, "/system.slice/x.service"},
	{"0::/init.scope\n", OWNER_UNIT, "/init.scope"},
	{"0::/init.scope\n", OWNER_SLICE, ""}, /* the root cgroup is not charged for itself */
	{"0::/user.slice/user-1000.slice/session-2.scope\n", OWNER_SESSION,
		"/user.slice/user-1000.slice/session-2.scope"},
	{MANAGER "app.slice/x.service/y\n", OWNER_USER_UNIT,
		"/user.slice/user-1000.slice/user@1000.service/app.slice/x.service"},
	{MANAGER "app.slice/x.service/y\n", OWNER_UNIT,
		"/user.slice/user-1000.slice/user@1000.service"},
	{"0::/machine.slice/machine-mt.scope/payload/init.scope\n", OWNER_MACHINE,
		"/machine.slice/machine-mt.scope"},
	{"0::/system.slice/docker-" ID ".scope/x\n", OWNER_CONTAINER,
		"/system.slice/docker-" ID ".scope"},
	{"0::/docker/" ID "/x\n", OWNER_CONTAINER, "/docker/" ID},
	{"0::/kubepods/pod" UUID "/" ID "/x\n", OWNER_CONTAINER, "/kubepods/pod" UUID "/" ID},
	{"0::/kubepods/pod" UUID "/" ID "/x\n", OWNER_POD, "/kubepods/pod" UUID},
	{"0::/kubepods/pod" UUID "\n", OWNER_POD, "/kubepods/pod" UUID},
	{"0::/kubepods/pod" UUID "\n", OWNER_CONTAINER, ""},
	{"0::/lxc.payload.web/x\n", OWNER_CONTAINER, "/lxc.payload.web"},
	/* a user's own container belongs to no pod */
	{MANAGER "kubepods/pod" UUID "/" ID "\n", OWNER_POD, ""},
	/* a container with the pod's name in its cgroup is not the pod */
	{"0::/system.slice/kubepods-pod" UUID_ ".slice:cri-containerd:" ID "\n", OWNER_CONTAINER,
		"/system.slice/kubepods-pod" UUID_ ".slice:cri-containerd:" ID},
	{"0::/system.slice/kubepods-pod" UUID_ ".slice:cri-containerd:" ID "\n", OWNER_POD, ""},
	/* Version 1: the memory controller has the process in the same cgroup, or below it. */
	{V1("/system.slice/x.service", "/system.slice/x.service"), OWNER_UNIT,
		"/system.slice/x.service"},
	{V1("/system.slice/x.service/y", "/system.slice/x.service"), OWNER_UNIT,
		"/system.slice/x.service"},
	{V1("/system.slice/x.service (deleted)", "/system.slice/x.service (deleted)"), OWNER_UNIT,
		"/system.slice/x.service"},
	/* Only in the slice, as where systemd does not account memory; or somewhere else. */
	{V1("/system.slice", "/system.slice/x.service"), OWNER_UNIT, ""},
	{V1("/system.slice", "/system.slice/x.service"), OWNER_SLICE, "/system.slice"},
	{V1("/", "/system.slice/x.service"), OWNER_UNIT, ""},
	{V1("/", "/system.slice/x.service"), OWNER_SLICE, ""},
	{V1("/system.slice/x.service2", "/system.slice/x.service"), OWNER_UNIT, ""},
	{V1("/other/x.service", "/system.slice/x.service"), OWNER_UNIT, ""},
	{V1("/docker/" ID, "/docker/" ID), OWNER_CONTAINER, "/docker/" ID},
	/* together with another controller */
	{"4:hugetlb,memory:/system.slice/x.service\n1:name=systemd:/system.slice/x.service\n",
		OWNER_UNIT, "/system.slice/x.service"},
	{"4:hugetlb,memory_x:/system.slice/x.service\n1:name=systemd:/system.slice/x.service\n",
		OWNER_UNIT, ""},
	/* Hybrid: the controller is in the unified hierarchy, on the last line. */
	{"1:name=systemd:/system.slice/x.service\n0::/system.slice/x.service\n", OWNER_UNIT,
		"/system.slice/x.service"},
	{"1:name=systemd:/system.slice/x.service\n0::/\n", OWNER_UNIT, ""},
	{"1:name=systemd:/system.slice/x.service\n", OWNER_UNIT, ""},
	/* outside of our cgroup namespace */
	{"0::/../docker/" ID "\n", OWNER_CONTAINER, ""},
	{"0::/../../system.slice/x.service\n", OWNER_UNIT, ""},
	{"0::/../../system.slice/x.service\n", OWNER_SLICE, ""},
	{"0::/../pod" UUID "/" ID "\n", OWNER_POD, ""},
	{"0::/docker/../docker/" ID "\n", OWNER_CONTAINER, ""},
	{"0::/docker/..x/" ID "\n", OWNER_CONTAINER, "/docker/..x/" ID},
	/* lines that no kernel prints */
	{"0::system.slice/x.service\n", OWNER_UNIT, ""},
	{"0::/" LONG "docker-" ID "\n", OWNER_CONTAINER, ""},
};

static void finds_the_charged_cgroup(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(charged); i++) {
		const char *text = charged[i].text;
		struct cgroup c;

		cgroup_parse(text, strlen(text), &c);
		assert_name(text, &c.charged[charged[i].kind], charged[i].path);
	}
}

/* A cut path never names a cgroup that does not exist. */
static void a_cut_path_names_no_other_cgroup(void **state)
{
	static const char text[] =
		"0::/user.slice/user-1000.slice/user@1000.service/app.slice/a.scope";

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		AUTO_FREE char *cut = malloc(len + 1);
		struct cgroup c;

		assert_non_null(cut);
		memcpy(cut + 1, text, len);
		cgroup_parse(cut + 1, len, &c);
		assert_true(!c.unit.len ||
			    (c.unit.len == strlen("user@1000.service") &&
				    !memcmp(c.unit.text, "user@1000.service", c.unit.len)));
		assert_true(!c.user_unit.len || c.user_unit.len == strlen("a.scope"));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_unit),
		cmocka_unit_test(finds_session_machine_and_container),
		cmocka_unit_test(finds_the_charged_cgroup),
		cmocka_unit_test(a_cut_path_names_no_other_cgroup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
