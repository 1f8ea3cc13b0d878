/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text onto standard output.
 */
#ifndef MEMTALLY_CLI_OUTPUT_H
#define MEMTALLY_CLI_OUTPUT_H

#include "base/buffer.h"

/* Empties TO onto standard output. -ENOMEM of what filled it, or write's errors. */
int output_flush(struct buffer *to);

/* The same, once there is as much in it that a write is worth while. */
int output_flush_some(struct buffer *to);

#endif
