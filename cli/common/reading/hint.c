/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/reading/hint.h"

#include "base/log.h"
#include "collectors/process/self/self-usage.h"
#include "inspect/maps/target.h"

/* Returns whether memtally has the rights that H->denied names. */
static bool hint_has_rights(const struct hint *h)
{
	struct self_usage self = {.cpu_ns = 0};

	self_usage_read(&self);
	return self.has_sys_ptrace && (!h->denied || self.has_dac_read_search);
}

static const char *hint_denied(const struct hint *h)
{
	if (hint_has_rights(h))
		return "the kernel refuses this in spite of CAP_SYS_PTRACE";
	return h->denied
	               ? h->denied
	               : "reading mappings of other users' processes requires CAP_SYS_PTRACE: run as root";
}

void hint_say(struct hint *h, const struct procfs *procfs, int r)
{
	if (r == TARGET_DENIED && !h->has_said_denied) {
		h->has_said_denied = true;
		log_info("%s", hint_denied(h));
	}
	if (r == TARGET_GONE && procfs->hides_from_us && !h->has_said_hidden) {
		h->has_said_hidden = true;
		log_info("/proc hides processes of other users");
	}
}
