/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's signal of memory pressure (PSI trigger, Linux 5.2)
 *
 * The kernel signals a descriptor of /proc/pressure/memory if at least one process, on the host or
 * in a cgroup, waited for memory in more than 0.15 s of two seconds; at most once in two seconds.
 * Since Linux 6.4 any user may ask for that, with such a window; before that CAP_SYS_RESOURCE is
 * needed.
 */
#ifndef MEMTALLY_DAEMON_PSI_TRIGGER_H
#define MEMTALLY_DAEMON_PSI_TRIGGER_H

/*
 * Arms a trigger in "pressure/memory" below PROCFS, the path of a proc file system of the kernel.
 * *RET_FD, which the caller closes, is ready for EPOLLPRI once for each signal. Returns 0; -ENOENT
 * or -EOPNOTSUPP if the kernel does not account pressure; -EACCES, -EPERM or -EINVAL if it allows no
 * trigger; or another negative errno of open() or write().
 */
int psi_trigger_open(const char *procfs, int *ret_fd);

#endif
