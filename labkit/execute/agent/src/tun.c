/* TUN devices: network devices whose other side is a descriptor here. What a host sends into one is read from it, a
 * packet a time; what is written into it, the host has received. SPDX: MIT */
#include "agent.h"
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <stdio.h>
#include <sys/ioctl.h>

static struct device {
	uint32_t index;
	unsigned ns;
	int fd; /* held to the end: with its last descriptor a device goes, and what it has counted */
} *devices;
static size_t count;

static const struct device *find(unsigned ns, uint32_t index)
{
	for (size_t i = 0; i < count; i++)
		if (devices[i].index == index && devices[i].ns == ns)
			return &devices[i];
	return NULL;
}

static int make(unsigned ns, uint32_t index, const char *name)
{
	struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
	int fd = netns_enter(ns) < 0 ? -1 : open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

	snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
	if (fd >= 0 && (ioctl(fd, TUNSETIFINDEX, &index) < 0 || ioctl(fd, TUNSETIFF, &request) < 0)) {
		int error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

void tun_make(const struct record *r, uint32_t i)
{
	const struct tun_op *op = (const void *)payload(r);
	const char *name = (const char *)(op + 1);
	int fd = make(r->ns, op->interface, name);

	if (fd < 0) {
		state_fail(i, 0, errno, "cannot make the TUN device %s", name);
		return;
	}
	devices = realloc(devices, (count + 1) * sizeof *devices);
	if (!devices)
		abort();
	devices[count++] = (struct device){op->interface, r->ns, fd};
}

int tun_open(unsigned ns, uint32_t index)
{
	const struct device *d = find(ns, index);

	errno = ENODEV;
	return d ? fcntl(d->fd, F_DUPFD_CLOEXEC, 0) : -1;
}

/* As if its cable were pulled: what the host sends into it is lost, its addresses and routes stay. */
void tun_unplug(unsigned ns, uint32_t index)
{
	const struct device *d = find(ns, index);
	int carrier = 0;

	if (d && ioctl(d->fd, TUNSETCARRIER, &carrier) < 0)
		state_fail(0, 0, errno, "cannot take down the TUN device %u", index);
}
