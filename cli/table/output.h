/* SPDX-License-Identifier: Apache-2.0 */
/* Writes text to standard output. */
#ifndef MEMTALLY_CLI_TABLE_OUTPUT_H
#define MEMTALLY_CLI_TABLE_OUTPUT_H

#include "base/buffer.h"

/*
 * Writes all of TO to standard output and empties TO, also if the write fails. Returns 0; the error
 * of TO (-ENOMEM), with nothing written; or a negative errno of write().
 */
int output_flush(struct buffer *to);

/* Calls output_flush() if TO has at least 64 KiB. With less, only returns the error of TO. */
int output_flush_some(struct buffer *to);

#endif
