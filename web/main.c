/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/web.h"

int main(int argc, char *argv[])
{
	return web_run(argc, argv);
}
