/* Network namespaces, held by file descriptors only: they vanish with the process. SPDX: MIT */
#include "agent.h"
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

static unsigned count;
static int inside = -1; /* the namespace that this process is in */

static void raise_fd_limit(void)
{
	struct rlimit most = {1 << 20, 1 << 20}, now;
	if (setrlimit(RLIMIT_NOFILE, &most) < 0 && getrlimit(RLIMIT_NOFILE, &now) == 0) {
		now.rlim_cur = now.rlim_max;
		setrlimit(RLIMIT_NOFILE, &now);
	}
}

static int make(unsigned index)
{
	if (count == 0)
		raise_fd_limit();
	if (unshare(CLONE_NEWNET) < 0)
		return -1;
	int made = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (made < 0)
		return -1;
	int fd = fcntl(made, F_DUPFD_CLOEXEC, LAB_NS_FD + (int)index);
	close(made);
	if (fd != LAB_NS_FD + (int)index) {
		errno = fd < 0 ? errno : EBUSY;
		return -1;
	}
	count = index + 1;
	inside = (int)index;
	return 0;
}

void netns_make(const struct record *r, uint32_t i)
{
	if (make(r->ns) < 0)
		state_fail(i, 0, errno, "cannot make the network namespace %s", (const char *)payload(r));
}

int netns_enter(unsigned index)
{
	if (inside == (int)index)
		return 0;
	if (setns(LAB_NS_FD + (int)index, CLONE_NEWNET) < 0)
		return -1;
	inside = (int)index;
	return 0;
}

unsigned netns_count(void)
{
	return count;
}

int netns_socket(unsigned index, int domain, int type, int protocol)
{
	if (netns_enter(index) < 0)
		return -1;
	return socket(domain, type | SOCK_CLOEXEC, protocol);
}

/* TSO, GSO, GRO and transmit checksums off: a packet on the wire is one MTU, its checksum is true. What a device
 * cannot do at all (EOPNOTSUPP) is off. */
static int offloads_off(unsigned index, const char *interface)
{
	static const uint32_t commands[] = {ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO, ETHTOOL_STXCSUM};
	int fd = netns_socket(index, AF_INET, SOCK_DGRAM, 0), wrong = 0;

	for (unsigned i = 0; fd >= 0 && i < sizeof commands / sizeof *commands; i++) {
		struct ethtool_value value = {.cmd = commands[i], .data = 0};
		struct ifreq request = {.ifr_data = (void *)&value};
		snprintf(request.ifr_name, sizeof request.ifr_name, "%s", interface);
		if (ioctl(fd, SIOCETHTOOL, &request) < 0 && errno != EOPNOTSUPP)
			wrong = errno;
	}
	if (fd < 0)
		return errno;
	close(fd);
	return wrong;
}

void netns_offloads_off(const struct record *r, uint32_t i)
{
	const char *interface = (const char *)payload(r);
	int wrong = offloads_off(r->ns, interface);

	if (wrong)
		state_fail(i, 0, wrong, "cannot turn off the offloads of %s", interface);
}
