/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot as Prometheus text (0.0.4) or OpenMetrics (1.0.0). Pure: into a buffer, whose .error the
 * caller checks. Only exported rows become series, as memtallyd has marked them.
 */
#ifndef MEMTALLY_RENDER_PROMETHEUS_H
#define MEMTALLY_RENDER_PROMETHEUS_H

#include "base/buffer.h"
#include "snapshot/sight.h"
#include "snapshot/view.h"

enum prometheus_format { PROMETHEUS_TEXT, PROMETHEUS_OPENMETRICS, PROMETHEUS_FORMATS };

const char *prometheus_content_type(enum prometheus_format format);

/*
 * Every family that comes out of the image, memtallyd's own included; of the processes that have series those
 * that SIGHT has. Without OpenMetrics' "# EOF".
 */
void prometheus_render(const struct view *view, const struct sight *sight,
	enum prometheus_format format, struct buffer *to);

/* The families of processes alone. */
void prometheus_render_processes(const struct view *view, const struct sight *sight,
	enum prometheus_format format, struct buffer *to);

/* The pieces, for families that do not come out of an image (memtally-web's own). */

/*
 * HELP, TYPE and (OpenMetrics) UNIT. NAME is the family's, without the "_total" of a counter or the
 * "_info" of an info, which the text format gets added and the samples carry. TYPE is OpenMetrics':
 * "gauge", "counter", "histogram" or "info" (a gauge in the text format). UNIT may be NULL.
 */
void prometheus_add_family(struct buffer *to, enum prometheus_format format, const char *name,
	const char *type, const char *unit, const char *help);

/* One label, escaped as the formats demand: ',' before every label but the FIRST. No braces. */
void prometheus_add_label(struct buffer *to, bool first, const char *name, const char *value);

/* The line that ends an OpenMetrics body; nothing for text. */
void prometheus_add_end(struct buffer *to, enum prometheus_format format);

#endif
