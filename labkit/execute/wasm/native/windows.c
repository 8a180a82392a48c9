/* Windows, which has fibers. SPDX: MIT */
#include "system.h"
#include <fcntl.h>
#include <io.h>
#include <windows.h>

static void (*on_fault)(const char *address);
static bool overflow;

static LONG CALLBACK handle(EXCEPTION_POINTERS *what)
{
	const EXCEPTION_RECORD *record = what->ExceptionRecord;

	overflow = record->ExceptionCode == EXCEPTION_STACK_OVERFLOW;
	if (overflow || record->ExceptionCode == EXCEPTION_ACCESS_VIOLATION)
		on_fault((const char *)record->ExceptionInformation[1]);
	if (record->ExceptionCode == EXCEPTION_ILLEGAL_INSTRUCTION)
		on_fault(record->ExceptionAddress);
	return EXCEPTION_CONTINUE_SEARCH;
}

void system_start(void (*told)(const char *address))
{
	on_fault = told;
	AddVectoredExceptionHandler(1, handle);
	for (int standard = 0; standard < 3; standard++)
		_setmode(standard, O_BINARY);
}

bool system_pipe_is_closed(int end)
{
	HANDLE pipe = (HANDLE)_get_osfhandle(end);

	return !PeekNamedPipe(pipe, NULL, 0, NULL, NULL, NULL) && GetLastError() == ERROR_BROKEN_PIPE;
}

void *system_reserve(void *at, size_t size)
{
	return VirtualAlloc(at, size, MEM_RESERVE, PAGE_NOACCESS);
}

bool system_commit(void *at, size_t size)
{
	return VirtualAlloc(at, size, MEM_COMMIT, PAGE_READWRITE) == at;
}

static void CALLBACK begin(void *enter)
{
	ULONG spare = GUARD; /* for handle(), when all else of the stack is used */

	SetThreadStackGuarantee(&spare);
	((void (*)(void))enter)();
}

bool fiber_make(struct fiber *fiber, void (*enter)(void))
{
	if (!IsThreadAFiber())
		ConvertThreadToFiber(NULL);
	if (fiber->at)
		DeleteFiber(fiber->at);
	fiber->at = CreateFiberEx(0, STACK + GUARD, 0, begin, (void *)enter);
	return fiber->at != NULL;
}

void fiber_switch(struct fiber *from, struct fiber *to)
{
	from->at = GetCurrentFiber();
	SwitchToFiber(to->at);
}

/* Only the running one can be, and the system says so. */
bool fiber_is_full(const struct fiber *fiber, const char *address)
{
	(void)fiber, (void)address;
	return overflow;
}
