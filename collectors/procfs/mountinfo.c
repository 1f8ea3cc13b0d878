/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line is "36 35 98:0 /mnt1 /mnt2 rw,noatime shared:7 master:1 - ext3 /dev/root
 * rw,errors=continue": ids, device, root, mount point and options; any number of optional fields,
 * ended by a single dash; type, source and the options of the file system. Since Linux 2.6.26.
 *
 * The user who mounts chooses the source and, with FUSE, the subtype. The kernel escapes both, and
 * prints nothing for an empty source. The file system writes the last field, which may have blanks.
 */
#include "config.h"

#include "collectors/procfs/mountinfo.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/os/file.h"
#include "base/scan.h"

struct cursor {
	char *at, *end; /* of a line; *end is its newline */
};

/* Takes the text up to the next blank, and terminates it in place of the blank. */
static bool take_field(struct cursor *c, char **ret)
{
	char *blank = memchr(c->at, ' ', (size_t)(c->end - c->at));

	if (!blank)
		return false;
	*blank = 0;
	*ret = c->at;
	c->at = blank + 1;
	return true;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Turns "\040" in TEXT into a blank again. Returns false for a backslash that no kernel prints. */
static bool mountinfo_unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		unsigned int byte;

		if (*text != '\\') {
			*to++ = *text;
			continue;
		}
		if (!is_octal(text[1]) || !is_octal(text[2]) || !is_octal(text[3]))
			return false;
		byte = (unsigned int)(text[1] - '0') << 6 | (unsigned int)(text[2] - '0') << 3 |
		       (unsigned int)(text[3] - '0');
		if (byte == 0 || byte > UINT8_MAX)
			return false;
		*to++ = (char)byte;
		text += 3;
	}
	*to = 0;
	return true;
}

/* Takes a field that is not empty and in which the kernel escapes all that must be escaped. */
static bool mountinfo_take_name(struct cursor *c, const char **ret)
{
	char *field;

	if (!take_field(c, &field) || !*field || !mountinfo_unescape(field))
		return false;
	*ret = field;
	return true;
}

/* Skips "shared:7", "master:1" and optional fields of later kernels, up to the dash. */
static bool pass_optional(struct cursor *c)
{
	char *field;

	while (take_field(c, &field) && *field)
		if (!strcmp(field, "-"))
			return true;
	return false;
}

static bool mountinfo_parse_line(struct cursor *c, struct mountinfo *ret)
{
	struct scan s = {c->at, c->end};
	uint64_t major, minor;
	char *options, *source;

	if (memchr(c->at, 0, (size_t)(c->end - c->at)))
		return false;
	if (!scan_decimal(&s, &ret->id) || !scan_char(&s, ' ') ||
		!scan_decimal(&s, &ret->parent_id) || !scan_char(&s, ' ') ||
		!scan_decimal(&s, &major) || !scan_char(&s, ':') || !scan_decimal(&s, &minor) ||
		!scan_char(&s, ' ') || major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	c->at += s.at - c->at; /* the same byte, of a text that may be changed */
	if (!mountinfo_take_name(c, &ret->root) || !mountinfo_take_name(c, &ret->mountpoint) ||
		!take_field(c, &options) || !*options || !pass_optional(c) ||
		!mountinfo_take_name(c, &ret->fstype) || !take_field(c, &source) ||
		!mountinfo_unescape(source) || c->at == c->end)
		return false;
	*c->end = 0;
	ret->major = (uint32_t)major;
	ret->minor = (uint32_t)minor;
	ret->options = options;
	ret->source = source;
	ret->super_options = c->at;
	return true;
}

int mountinfo_next(char **at, char *end, struct mountinfo *ret)
{
	struct mountinfo m = {0};
	struct cursor c = {.at = *at};

	if (c.at == end)
		return MOUNTINFO_END;
	c.end = memchr(c.at, '\n', (size_t)(end - c.at));
	if (!c.end)
		return -EBADMSG;
	*at = c.end + 1;
	if (!mountinfo_parse_line(&c, &m))
		return MOUNTINFO_OTHER;
	*ret = m;
	return 0;
}

bool mountinfo_has_option(const char *options, const char *name)
{
	struct scan all = {options, options + strlen(options)}, option;

	while (scan_part(&all, ',', &option))
		if (scan_is(&option, name))
			return true;
	return false;
}

bool mountinfo_is_local(const char *fstype)
{
	static const char *const types[] = {"tmpfs", "devtmpfs", "ramfs", "rootfs", "ext2", "ext3",
		"ext4", "xfs", "btrfs", "bcachefs", "f2fs", "zfs", "jfs", "nilfs2", "reiserfs",
		"overlay", "squashfs", "erofs", "iso9660", "udf", "vfat", "exfat", "ntfs3", "sysfs",
		"proc", "cgroup", "cgroup2", "devpts", "securityfs", "tracefs", "debugfs"};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(fstype, types[i]))
			return true;
	return false;
}

int mountinfo_read(int procfs_fd, struct buffer *ret)
{
	return file_read_all(procfs_fd, "self/mountinfo", MOUNTINFO_TEXT_MAX, ret);
}
