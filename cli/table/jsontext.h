/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Appends strings to JSON. All texts must be clean (base/text.h): valid UTF-8 without control
 * characters. Pure.
 */
#ifndef MEMTALLY_CLI_TABLE_JSONTEXT_H
#define MEMTALLY_CLI_TABLE_JSONTEXT_H

#include "base/buffer.h"

/* Appends ,"NAME":"TEXT". */
void jsontext_add(struct buffer *to, const char *name, const char *text);

#endif
