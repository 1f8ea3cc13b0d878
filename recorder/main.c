/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdlib.h>

#include "base/os/standard.h"
#include "recorder/recorder.h"

int main(int argc, char *argv[])
{
	if (standard_fill() < 0)
		return EXIT_FAILURE;
	return recorder_run(argc, argv);
}
