/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/herd/tape.h"

#include <assert.h>
#include <errno.h>
#include <features.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__) && defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
#include <sys/rseq.h>
#define TAPE_SUPPORTED 1
#else
#define TAPE_SUPPORTED 0
#endif

/* End of the user part of an x86-64 address space with four levels of page tables. */
#define ADDRESS_END UINT64_C(0x7ffffffff000)

enum {
	PLAYER_SIZE = 128, /* bytes of the page reserved for the player's code */
	JUMP = -1,         /* no system call: continue with the call at argument 0 */
};

struct tape_page {
	unsigned char player[PLAYER_SIZE];
	struct tape_call call[];
};

#if TAPE_SUPPORTED
/*
 * rbx: the current call. r12: the result of the last clone; 1 before the first. The kernel
 * preserves both registers over a system call and copies them to a child.
 */
__asm__(".pushsection .rodata\n"
	"tape_player_begin:\n"
	"	lea	tape_player_begin+128(%rip), %rbx\n"
	"	mov	$1, %r12\n"
	"1:	mov	56(%rbx), %rcx\n"
	"	cmp	$1, %rcx\n"
	"	jb	3f\n"
	"	ja	2f\n"
	"	test	%r12, %r12\n"
	"	jnz	5f\n"
	"	jmp	3f\n"
	"2:	test	%r12, %r12\n"
	"	jz	5f\n"
	"3:	mov	(%rbx), %rax\n"
	"	mov	8(%rbx), %rdi\n"
	"	mov	16(%rbx), %rsi\n"
	"	mov	24(%rbx), %rdx\n"
	"	mov	32(%rbx), %r10\n"
	"	mov	40(%rbx), %r8\n"
	"	mov	48(%rbx), %r9\n"
	"	cmp	$-1, %rax\n"
	"	je	6f\n"
	"	syscall\n"
	"	cmpl	$56, (%rbx)\n" /* SYS_clone */
	"	jne	5f\n"
	"	mov	%rax, %r12\n"
	"5:	add	$64, %rbx\n"
	"	jmp	1b\n"
	"6:	mov	%rdi, %rbx\n"
	"	jmp	1b\n"
	"tape_player_end:\n"
	".popsection\n");

extern const unsigned char tape_player_begin[], tape_player_end[];

static void copy_player(struct tape_page *page)
{
	size_t size = (size_t)(tape_player_end - tape_player_begin);

	assert(size <= PLAYER_SIZE);
	memcpy(page->player, tape_player_begin, size);
}

/* The C library registered 32 bytes, or more if the kernel has more features. */
static void leave_rseq(void)
{
	enum { UNREGISTER = 1, SIGNATURE = 0x53053053 };
	unsigned int size = (__rseq_size + 31) & ~31U;

	if (size)
		syscall(SYS_rseq, (char *)__builtin_thread_pointer() + __rseq_offset, size,
			UNREGISTER, SIGNATURE);
}
#else
static void copy_player(struct tape_page *page)
{
	(void)page;
	abort();
}

static void leave_rseq(void)
{
}
#endif

bool tape_is_supported(void)
{
	return TAPE_SUPPORTED && sysconf(_SC_PAGESIZE) == (long)TAPE_PAGE_SIZE;
}

int tape_init(struct tape *tape, uintptr_t address)
{
	void *page = mmap((void *)address, TAPE_PAGE_SIZE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (page == MAP_FAILED)
		return -errno;
	copy_player(page);
	*tape = (struct tape){.page = page, .data = TAPE_PAGE_SIZE, .loop = TAPE_NO_LOOP};
	return 0;
}

static size_t end_of_calls(const struct tape *tape)
{
	return sizeof(*tape->page) + tape->calls * sizeof(struct tape_call);
}

void tape_add(struct tape *tape, enum tape_when when, long number, uint64_t a0, uint64_t a1,
	uint64_t a2, uint64_t a3, uint64_t a4)
{
	if (end_of_calls(tape) + sizeof(struct tape_call) > tape->data)
		abort();
	tape->page->call[tape->calls++] = (struct tape_call){
		.number = number, .argument = {a0, a1, a2, a3, a4}, .when = when};
}

uintptr_t tape_put(struct tape *tape, const void *data, size_t len)
{
	size_t room = tape->data - end_of_calls(tape);

	if (len + 8 > room)
		abort();
	tape->data = (tape->data - len) & ~(size_t)7;
	memcpy((unsigned char *)tape->page + tape->data, data, len);
	return (uintptr_t)tape->page + tape->data;
}

static void add_gap(struct tape *tape, uintptr_t begin, uintptr_t end)
{
	if (begin < end)
		tape_add(tape, TAPE_ALWAYS, SYS_munmap, begin, end - begin, 0, 0, 0);
}

void tape_add_unmap(struct tape *tape, const struct tape_keep *keep)
{
	add_gap(tape, 0, keep->begin[0]);
	add_gap(tape, keep->end[0], keep->begin[1]);
	add_gap(tape, keep->end[1], ADDRESS_END);
}

void tape_mark_loop(struct tape *tape)
{
	tape->loop = tape->calls;
}

void tape_play(struct tape *tape)
{
	void (*play)(void) = (void (*)(void))(uintptr_t)tape->page->player;

	if (tape->loop == TAPE_NO_LOOP) {
		tape_mark_loop(tape);
		tape_add(tape, TAPE_ALWAYS, SYS_pause, 0, 0, 0, 0, 0);
	}
	tape_add(tape, TAPE_ALWAYS, JUMP, (uintptr_t)&tape->page->call[tape->loop], 0, 0, 0, 0);
	if (mprotect(tape->page, TAPE_PAGE_SIZE, PROT_READ | PROT_EXEC) < 0)
		abort();
	leave_rseq();
	play();
	abort();
}
