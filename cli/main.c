/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/memtally.h"

int main(int argc, char *argv[])
{
	return memtally_run(argc, argv);
}
