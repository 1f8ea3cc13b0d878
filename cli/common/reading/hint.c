/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/reading/hint.h"

#include "base/log.h"
#include "inspect/maps/target.h"

void hint_say(struct hint *h, const struct procfs *procfs, int r)
{
	if (r == TARGET_DENIED && !h->has_said_denied) {
		h->has_said_denied = true;
		log_info("%s",
			h->denied
				? h->denied
				: "reading mappings of other users' processes requires CAP_SYS_PTRACE");
	}
	if (r == TARGET_GONE && procfs->hides_from_us && !h->has_said_hidden) {
		h->has_said_hidden = true;
		log_info("/proc hides processes of other users");
	}
}
