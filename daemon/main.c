/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/memtallyd.h"

int main(int argc, char *argv[])
{
	return memtallyd_run(argc, argv);
}
