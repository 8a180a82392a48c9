/* As the C library has it for other processors than x86, where struct epoll_event has no gap: so has the kernel here. SPDX: MIT */
#ifndef _SYS_EPOLL_H
#error "Never use <bits/epoll.h> directly; include <sys/epoll.h> instead."
#endif

enum {
	EPOLL_CLOEXEC = 02000000
#define EPOLL_CLOEXEC EPOLL_CLOEXEC
};
#define __EPOLL_PACKED
