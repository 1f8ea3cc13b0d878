/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests which container and pod a cgroup path belongs to, with paths as container runtimes make
 * them.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "collectors/procfs/cgroup/container-id.h"

#define ID    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define UUID  "1b4e28ba-2fa1-11d2-883f-0016d3cca427"
#define UUID_ "1b4e28ba_2fa1_11d2_883f_0016d3cca427"
#define HASH  "0123456789abcdef0123456789abcdef"
#define SLICE "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UUID_ ".slice"

#define NAME_128                                                                                   \
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"                         \
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static const struct {
	const char *path, *name, *pod;
	enum container_runtime runtime;
} cases[] = {
	{"/docker/" ID, ID, "", RUNTIME_DOCKER},
	{"/system.slice/docker-" ID ".scope", ID, "", RUNTIME_DOCKER},
	{"/system.slice/docker-" ID ".scope/init.scope", ID, "", RUNTIME_DOCKER},
	{"/system.slice/docker.service", "", "", RUNTIME_UNKNOWN},
	{"/machine.slice/libpod-" ID ".scope/container", ID, "", RUNTIME_PODMAN},
	{"/libpod_parent/libpod-" ID, ID, "", RUNTIME_PODMAN},
	{"/system.slice/x.service/libpod-payload-" ID, ID, "", RUNTIME_PODMAN},
	{"/machine.slice/libpod-conmon-" ID ".scope", "", "", RUNTIME_UNKNOWN},
	{"/system.slice/nerdctl-" ID ".scope", ID, "", RUNTIME_CONTAINERD},
	{"/default/" ID, ID, "", RUNTIME_UNKNOWN},
	{"/ecs/0123456789abcdef0123456789abcdef/" ID, ID, "", RUNTIME_UNKNOWN},
	/* Kubernetes */
	{SLICE "/cri-containerd-" ID ".scope", ID, UUID, RUNTIME_CONTAINERD},
	{SLICE "/crio-" ID ".scope", ID, UUID, RUNTIME_CRIO},
	{SLICE "/crio-" ID ".scope/container", ID, UUID, RUNTIME_CRIO},
	{SLICE "/crio-conmon-" ID ".scope", "", UUID, RUNTIME_UNKNOWN},
	{SLICE "/docker-" ID ".scope", ID, UUID, RUNTIME_DOCKER},
	{SLICE, "", UUID, RUNTIME_UNKNOWN},
	{"/kubepods.slice/kubepods-pod" UUID_ ".slice/cri-containerd-" ID ".scope", ID, UUID,
		RUNTIME_CONTAINERD},
	{"/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" HASH ".slice/crio-" ID
	 ".scope",
		ID, HASH, RUNTIME_CRIO},
	{"/kubepods/burstable/pod" UUID "/" ID, ID, UUID, RUNTIME_UNKNOWN},
	{"/kubepods/pod" UUID "/crio-" ID, ID, UUID, RUNTIME_CRIO},
	{"/kubelet/kubepods/besteffort/pod" HASH "/" ID, ID, HASH, RUNTIME_UNKNOWN},
	{"/system.slice/containerd.service/kubepods-burstable-pod" UUID_
	 ".slice:cri-containerd:" ID,
		ID, UUID, RUNTIME_CONTAINERD},
	{"/system.slice/containerd.service/x.slice:cri-containerd:" ID, ID, "", RUNTIME_CONTAINERD},
	/* seen from a container in another pod, in the same pod, and in the same class */
	{"/../../kubepods-besteffort-pod" UUID_ ".slice/crio-" ID ".scope", ID, UUID, RUNTIME_CRIO},
	{"/../../../kubepods-besteffort.slice/kubepods-besteffort-pod" UUID_ ".slice/crio-" ID
	 ".scope",
		ID, UUID, RUNTIME_CRIO},
	{"/../../pod" UUID "/" ID, ID, UUID, RUNTIME_UNKNOWN},
	{"/../../../burstable/pod" UUID "/" ID, ID, UUID, RUNTIME_UNKNOWN},
	{"/../../../besteffort/pod" UUID "/crio-" ID, ID, UUID, RUNTIME_CRIO},
	{"/../../../../kubepods/pod" UUID "/" ID, ID, UUID, RUNTIME_UNKNOWN},
	{"/../" ID, ID, "", RUNTIME_UNKNOWN},
	{"/../../other/pod" UUID "/" ID, ID, "", RUNTIME_UNKNOWN},
	{"/../../x.service/burstable/pod" UUID "/" ID, ID, "", RUNTIME_UNKNOWN},
	{"/burstable/pod" UUID "/" ID, ID, "", RUNTIME_UNKNOWN},
	/*
	 * The innermost container counts: a Kubernetes node in a container, Docker in Docker, a
	 * container in a pod's container.
	 */
	{"/docker/" OTHER "/kubelet/kubepods/pod" UUID "/" ID, ID, UUID, RUNTIME_UNKNOWN},
	{"/docker/" OTHER "/kubelet/kubepods/pod" UUID, "", UUID, RUNTIME_UNKNOWN},
	{"/docker/" OTHER "/docker/" ID, ID, "", RUNTIME_DOCKER},
	{SLICE "/cri-containerd-" OTHER ".scope/docker/" ID, ID, UUID, RUNTIME_DOCKER},
	/* LXC */
	{"/lxc/web", "web", "", RUNTIME_LXC},
	{"/lxc.payload.web", "web", "", RUNTIME_LXC},
	{"/lxc.payload.web/system.slice/x.service", "web", "", RUNTIME_LXC},
	{"/lxc.payload/web_1.a", "web_1.a", "", RUNTIME_LXC},
	{"/lxc/" NAME_128, NAME_128, "", RUNTIME_LXC},
	{"/lxc/" NAME_128 "x", "", "", RUNTIME_UNKNOWN},
	{"/lxc.monitor.web", "", "", RUNTIME_UNKNOWN},
	{"/lxc.payload.", "", "", RUNTIME_UNKNOWN},
	{"/lxc/.web", "", "", RUNTIME_UNKNOWN},
	{"/lxc/a b", "", "", RUNTIME_UNKNOWN},
	{"/lxc/\xff", "", "", RUNTIME_UNKNOWN},
	{"/system.slice/x.service/lxc/web", "", "", RUNTIME_UNKNOWN},
	{"/system.slice/lxc.payload.web", "", "", RUNTIME_UNKNOWN},
	/* paths that nearly match */
	{"/", "", "", RUNTIME_UNKNOWN},
	{"", "", "", RUNTIME_UNKNOWN},
	{"/docker", "", "", RUNTIME_UNKNOWN},
	{"/docker/0123456789ab", "", "", RUNTIME_UNKNOWN},
	{"/docker/" ID "0", "", "", RUNTIME_UNKNOWN},
	{"/docker/0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef", "", "",
		RUNTIME_UNKNOWN},
	{"/system.slice/other-" ID ".scope", "", "", RUNTIME_UNKNOWN},
	{"/system.slice/-" ID ".scope", "", "", RUNTIME_UNKNOWN},
	{"/system.slice/docker" ID ".scope", "", "", RUNTIME_UNKNOWN},
	{"/system.slice/docker-" ID ".service", "", "", RUNTIME_UNKNOWN},
	{"/system.slice/docker:" ID, "", "", RUNTIME_UNKNOWN},
	{"/system.slice/dockerx" ID, "", "", RUNTIME_UNKNOWN},
	{"/pod" UUID "/x", "", "", RUNTIME_UNKNOWN}, /* not below the kubelet's cgroup */
	{"/kubepods/pod" UUID_, "", "", RUNTIME_UNKNOWN},
	{"/kubepods/pod1b4e28ba-2fa1-11d2-883f-0016d3cca42x", "", "", RUNTIME_UNKNOWN},
	{"/kubepods/pod0123", "", "", RUNTIME_UNKNOWN},
	{"/kubepods.slice/kubepods-pod" UUID ".slice", "", "", RUNTIME_UNKNOWN},
	{"/kubepods.slice/kubepods-guaranteed-pod" UUID_ ".slice", "", "", RUNTIME_UNKNOWN},
};

static void finds_containers_and_pods(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = strlen(cases[i].path);
		/* the path is not terminated, so that sanitizers notice a read beyond its end */
		AUTO_FREE char *path = malloc(len + 1);
		struct container_id c;

		assert_non_null(path);
		memcpy(path + 1, cases[i].path, len);
		container_id_parse(path + 1, len, &c);
		if (strcmp(c.name, cases[i].name) != 0 || strcmp(c.pod, cases[i].pod) != 0 ||
			c.runtime != cases[i].runtime)
			fail_msg("%s: '%s' of '%s', %d", cases[i].path, c.name, c.pod, c.runtime);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_containers_and_pods),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
