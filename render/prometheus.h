/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot as Prometheus text (0.0.4) or OpenMetrics (1.0.0). Only rows that memtallyd marked as
 * exported become series.
 *
 * Pure. All functions append to a buffer; the caller checks its .error.
 */
#ifndef MEMTALLY_RENDER_PROMETHEUS_H
#define MEMTALLY_RENDER_PROMETHEUS_H

#include "base/buffer.h"
#include "snapshot/sight.h"
#include "snapshot/view.h"

enum prometheus_format { PROMETHEUS_TEXT, PROMETHEUS_OPENMETRICS, PROMETHEUS_FORMATS };

/* Returns the value of the Content-Type header. */
const char *prometheus_content_type(enum prometheus_format format);

/*
 * Appends all families of the image, those about memtallyd itself included. Of the processes with
 * series, only those that SIGHT may see are included. Does not append OpenMetrics' "# EOF".
 */
void prometheus_render(const struct view *view, const struct sight *sight,
	enum prometheus_format format, struct buffer *to);

/* Appends only the families of processes. */
void prometheus_render_processes(const struct view *view, const struct sight *sight,
	enum prometheus_format format, struct buffer *to);

/* Parts for families that are not from an image (memtally-web's own). */

/*
 * Appends the HELP, TYPE and (OpenMetrics only) UNIT lines of a family. NAME is without the
 * "_total" of a counter and the "_info" of an info: the text format adds these to the family, and
 * both formats to samples. TYPE is "gauge", "counter", "histogram" or "info" (a gauge in the text
 * format). UNIT may be NULL.
 */
void prometheus_add_family(struct buffer *to, enum prometheus_format format, const char *name,
	const char *type, const char *unit, const char *help);

/* Appends one label, escaped; with a comma before it unless it is the FIRST. Appends no braces. */
void prometheus_add_label(struct buffer *to, bool first, const char *name, const char *value);

/* Appends the line that ends an OpenMetrics body; nothing in the text format. */
void prometheus_add_end(struct buffer *to, enum prometheus_format format);

#endif
