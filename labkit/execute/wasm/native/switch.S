/* fiber_switch(from, to): what a called function has to leave as it was goes on the stack of `from`, the stack pointer
 * into it; then the other way round with `to`. Without a system call: there are a hundred thousand in a run. ucontext
 * makes one for the signal mask, which is everybody's. SPDX: MIT */
#ifdef __APPLE__
#define NAME _fiber_switch
#else
#define NAME fiber_switch
#endif
	.text
	.globl NAME
	.p2align 4
NAME:
#if defined __x86_64__
	push %rbp
	push %rbx
	push %r12
	push %r13
	push %r14
	push %r15
	mov %rsp, (%rdi)
	mov (%rsi), %rsp
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %rbx
	pop %rbp
	ret
#elif defined __aarch64__
	stp x19, x20, [sp, #-160]!
	stp x21, x22, [sp, #16]
	stp x23, x24, [sp, #32]
	stp x25, x26, [sp, #48]
	stp x27, x28, [sp, #64]
	stp x29, x30, [sp, #80]
	stp d8, d9, [sp, #96]
	stp d10, d11, [sp, #112]
	stp d12, d13, [sp, #128]
	stp d14, d15, [sp, #144]
	mov x2, sp
	str x2, [x0]
	ldr x2, [x1]
	mov sp, x2
	ldp d14, d15, [sp, #144]
	ldp d12, d13, [sp, #128]
	ldp d10, d11, [sp, #112]
	ldp d8, d9, [sp, #96]
	ldp x29, x30, [sp, #80]
	ldp x27, x28, [sp, #64]
	ldp x25, x26, [sp, #48]
	ldp x23, x24, [sp, #32]
	ldp x21, x22, [sp, #16]
	ldp x19, x20, [sp], #160
	ret
#else
#error "no switch of stacks for this processor"
#endif
#ifdef __ELF__
	.section .note.GNU-stack, "", %progbits
#endif
