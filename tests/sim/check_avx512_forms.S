/* SPDX-License-Identifier: MIT */
/*
 * The instruction forms that check_avx512.c runs, and the routine that runs one of them.
 *
 * Each form is one instruction followed by ud2, which the check's own SIGILL handler expects at exactly that address:
 * an instruction whose length was misjudged ends somewhere else. The text of the instruction is kept beside its
 * address, and the model in check_avx512.c works from the text, so that model and emulator share no decoding.
 *
 * struct machine (offsets below) holds the registers before and after; it is reached relative to rip because the
 * form owns every general register, the stack pointer included.
 */

#define ZMM 0
#define K 2048
#define GPR 2112
#define FLAGS 2240
#define CODE 2248
#define CALLER 2256
#define NATIVE 2264
#define SIZE 2272

	.bss
	.globl machine
	.p2align 6
machine:
	.skip SIZE
	.size machine, SIZE

	/* A guard page, two pages of data, a guard page. */
	.globl form_area
	.p2align 12
form_area:
	.skip 4 * 4096
	.size form_area, 4 * 4096

	.text
	.globl machine_run
	.type machine_run, @function
	/* void machine_run(void) */
machine_run:
	.irp r, rbx, rbp, r12, r13, r14, r15
	pushq	%\r
	.endr
	movq	%rsp, machine+CALLER(%rip)
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	vmovdqu64	machine+ZMM+64*\n(%rip), %zmm\n
	.endr
	/* Registers that are wholly in software were set from outside. */
	cmpq	$0, machine+NATIVE(%rip)
	je	1f
	.irp n, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	vmovdqu64	machine+ZMM+64*\n(%rip), %zmm\n
	.endr
	.irp n, 0,1,2,3,4,5,6,7
	kmovq	machine+K+8*\n(%rip), %k\n
	.endr
1:
	pushq	machine+FLAGS(%rip)
	popfq
	movq	machine+GPR+8*0(%rip), %rax
	movq	machine+GPR+8*1(%rip), %rcx
	movq	machine+GPR+8*2(%rip), %rdx
	movq	machine+GPR+8*3(%rip), %rbx
	movq	machine+GPR+8*4(%rip), %rsp
	movq	machine+GPR+8*5(%rip), %rbp
	movq	machine+GPR+8*6(%rip), %rsi
	movq	machine+GPR+8*7(%rip), %rdi
	.irp n, 8,9,10,11,12,13,14,15
	movq	machine+GPR+8*\n(%rip), %r\n
	.endr
	jmpq	*machine+CODE(%rip)

	.globl machine_return
	/* The handler of ud2 resumes here. */
machine_return:
	movq	%rax, machine+GPR+8*0(%rip)
	movq	%rcx, machine+GPR+8*1(%rip)
	movq	%rdx, machine+GPR+8*2(%rip)
	movq	%rbx, machine+GPR+8*3(%rip)
	movq	%rsp, machine+GPR+8*4(%rip)
	movq	%rbp, machine+GPR+8*5(%rip)
	movq	%rsi, machine+GPR+8*6(%rip)
	movq	%rdi, machine+GPR+8*7(%rip)
	.irp n, 8,9,10,11,12,13,14,15
	movq	%r\n, machine+GPR+8*\n(%rip)
	.endr
	movq	machine+CALLER(%rip), %rsp
	pushfq
	popq	machine+FLAGS(%rip)
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	vmovdqu64	%zmm\n, machine+ZMM+64*\n(%rip)
	.endr
	cmpq	$0, machine+NATIVE(%rip)
	je	1f
	.irp n, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	vmovdqu64	%zmm\n, machine+ZMM+64*\n(%rip)
	.endr
	.irp n, 0,1,2,3,4,5,6,7
	kmovq	%k\n, machine+K+8*\n(%rip)
	.endr
1:
	vzeroupper
	.irp r, r15, r14, r13, r12, rbp, rbx
	popq	%\r
	.endr
	ret
	.size machine_run, . - machine_run

	/* Loads and stores of zmm5 and of its low half ymm5, which is the CPU's; void f(const void *) and void f(void *) */
	.globl emulated_load
	.type emulated_load, @function
emulated_load:
	vmovdqu64	(%rdi), %zmm5
	ret
	.size emulated_load, . - emulated_load
	.globl emulated_store
	.type emulated_store, @function
emulated_store:
	vmovdqu64	%zmm5, (%rdi)
	ret
	.size emulated_store, . - emulated_store
	.globl plain_load
	.type plain_load, @function
plain_load:
	vmovdqu	(%rdi), %ymm5
	ret
	.size plain_load, . - plain_load
	.globl plain_store
	.type plain_store, @function
plain_store:
	vmovdqu	%ymm5, (%rdi)
	ret
	.size plain_store, . - plain_store

	/* void masked_load(const void *from, uint64_t mask), void masked_store(void *to, uint64_t mask): bytes */
	.globl masked_load
	.type masked_load, @function
masked_load:
	kmovq	%rsi, %k1
	vmovdqu8	(%rdi), %zmm16{%k1}{z}
	ret
	.size masked_load, . - masked_load
	.globl masked_store
	.type masked_store, @function
masked_store:
	kmovq	%rsi, %k1
	vmovdqu8	%zmm16, (%rdi){%k1}
	ret
	.size masked_store, . - masked_store
	.globl aligned_load
	.type aligned_load, @function
aligned_load:
	vmovdqa64	(%rdi), %zmm16
	ret
	.size aligned_load, . - aligned_load
	.globl reserved_encoding
	.type reserved_encoding, @function
	/* vmovdqu64 (%rdi), %zmm0 with the vector length that does not exist */
reserved_encoding:
	.byte	0x62, 0xf1, 0xfe, 0x68, 0x6f, 0x07
	ret
	.size reserved_encoding, . - reserved_encoding

	/* The table: code, its end, the text of the instruction; a code of 0 opens a group with its name. */
	.section forms, "aw"
	.globl form_table
	.p2align 3
form_table:

	.macro group name
	.section forms, "aw"
	.quad	0, 0, 775f
	.section .rodata
775:	.asciz	"\name"
	.endm

	.macro form text:vararg
	.text
	.p2align 4, 0xcc
772:	\text
773:	ud2
	.section forms, "aw"
	.quad	772b, 773b, 775f
	.section .rodata
775:	.asciz	"\text"
	.endm

	/*
	 * \() ends a parameter's name before a letter, but only the outermost macro sees it: names that are joined that way
	 * are macro parameters, all others may be those of .irp.
	 */
	.macro lengths name:req, arguments:vararg
	\name	x, \arguments
	\name	y, \arguments
	\name	z, \arguments
	.endm

	/* Loads and stores with every length and decoration, over different registers and addresses. */
	.macro moves v, name
	form {evex} \name (%rdi), %\v\()mm0
	form {evex} \name 64(%rsi), %\v\()mm17
	form {evex} \name -128(%r13), %\v\()mm9{%k1}
	form {evex} \name 1(%r12), %\v\()mm31{%k7}
	form {evex} \name (%rax,%r9,4), %\v\()mm24{%k3}{z}
	form {evex} \name form_area+4096+576(%rip), %\v\()mm8{%k5}{z}
	form {evex} \name %\v\()mm1, (%rdx)
	form {evex} \name %\v\()mm16, -64(%rsp)
	form {evex} \name %\v\()mm30, 0x12340(%rbp,%r15,2)
	form {evex} \name %\v\()mm15, 192(%r8){%k2}
	form {evex} \name %\v\()mm23, form_area+4096+256(%rip){%k4}
	form {evex} \name %\v\()mm2, %\v\()mm3
	form {evex} \name %\v\()mm18, %\v\()mm7{%k6}
	form {evex} \name %\v\()mm11, %\v\()mm29{%k1}{z}
	.endm

	.macro store_moves v, name
	form {evex} \name %\v\()mm0, (%rdi)
	form {evex} \name %\v\()mm21, 128(%r11)
	form {evex} \name %\v\()mm13, -64(%rbx,%rcx,8)
	.endm

	.macro load_moves v, name
	form {evex} \name (%rdi), %\v\()mm0
	form {evex} \name 128(%r11), %\v\()mm31
	.endm

	/* Between registers, a move can be encoded as a load, the default, or with .s as a store. */
	.macro directions v, name
	form \name\().s %\v\()mm18, %\v\()mm7{%k6}
	form \name\().s %\v\()mm8, %\v\()mm17
	form \name\().s %\v\()mm11, %\v\()mm29{%k1}{z}
	.endm

	group "unaligned integer moves"
	.irp name, vmovdqu8, vmovdqu16, vmovdqu32, vmovdqu64
	lengths moves \name
	.endr
	group "aligned integer moves"
	.irp name, vmovdqa32, vmovdqa64
	lengths moves \name
	.endr
	group "unaligned float moves"
	.irp name, vmovups, vmovupd
	lengths moves \name
	.endr
	group "aligned float moves"
	.irp name, vmovaps, vmovapd
	lengths moves \name
	.endr
	group "non-temporal moves"
	.irp name, vmovntdq, vmovntps, vmovntpd
	lengths store_moves \name
	.endr
	lengths load_moves vmovntdqa
	group "register moves encoded as stores"
	.irp name, vmovdqu8, vmovdqu16, vmovdqu32, vmovdqu64, vmovdqa32, vmovdqa64
	lengths directions \name
	.endr

	group "addressing"
	.irp base, rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
	form vmovdqu8 (%\base), %zmm20
	form vmovdqu16 %ymm20, -32(%\base)
	form vmovdqu32 0x1001(%\base), %xmm20
	form kmovq %k1, 3(%\base)
	.endr
	.irp index, rax, rcx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
	form vmovdqu64 (%rdx,%\index), %zmm20
	form vmovdqu8 %zmm20, 64(%rdx,%\index,2)
	form vmovdqu8 -4096(%rdx,%\index,4), %zmm20
	form vmovdqu8 63(%rsp,%\index,8), %zmm4{%k1}
	form kmovd -1(%rdx,%\index,8), %k2
	.endr
	.irp disp, -8192, -128, -127, -65, -64, -63, -1, 1, 32, 63, 65, 127, 128, 8064, 8128, 8192, -0x7ffff000
	form vmovdqu8 \disp(%rdi), %zmm20
	form vmovdqu8 \disp(%r13,%rbx,4), %ymm20
	form vmovdqu8 %xmm20, \disp(%rbp){%k3}
	form vpbroadcastw \disp(%rdi), %ymm20
	.endr
	.irp index, rcx, rbp, r12, r13
	form vmovdqu8 16(,%\index,8), %zmm20
	form vmovdqu8 %zmm6, (,%\index,1)
	form vpternlogd $0x5b, (,%\index,4), %zmm6, %zmm3
	form kmovw 16(,%\index,8), %k3
	.endr
	form vmovdqu8 form_area+12288-63(%rip), %zmm20
	form vmovdqu8 %zmm20, form_area+12288-64(%rip)
	form vmovdqu8 %zmm20, form_area+12288-63(%rip)
	form vpternlogq $0x1e, form_area+4096(%rip), %zmm21, %zmm20
	form vpternlogq $0x1e, form_area+12288-8(%rip){1to8}, %zmm21, %zmm20
	form vpternlogq $0x1e, form_area+12288-7(%rip){1to8}, %zmm21, %zmm20
	form kmovq form_area+4096+1(%rip), %k6

	.macro three v, name
	form {evex} \name %\v\()mm3, %\v\()mm2, %\v\()mm1
	form {evex} \name %\v\()mm19, %\v\()mm28, %\v\()mm10{%k1}
	form {evex} \name %\v\()mm5, %\v\()mm12, %\v\()mm22{%k2}{z}
	form {evex} \name 64(%rdi), %\v\()mm6, %\v\()mm16
	form {evex} \name -64(%r14,%rcx), %\v\()mm26, %\v\()mm6{%k3}
	form {evex} \name (%rbx), %\v\()mm25, %\v\()mm27{%k4}{z}
	.endm
	.macro three_broadcast name, x, y, z
	form {evex} \name 8(%rdi){1to\x}, %xmm6, %xmm16
	form {evex} \name -72(%r14,%rcx){1to\y}, %ymm26, %ymm6{%k3}
	form {evex} \name (%rbx){1to\z}, %zmm25, %zmm27{%k4}{z}
	.endm

	group "bitwise operations"
	.irp name, vpandd, vpandnd, vpord, vpxord, vandps, vandnps, vorps, vxorps
	lengths three \name
	three_broadcast \name, 4, 8, 16
	.endr
	.irp name, vpandq, vpandnq, vporq, vpxorq, vandpd, vandnpd, vorpd, vxorpd
	lengths three \name
	three_broadcast \name, 2, 4, 8
	.endr
	.irp imm, 0, 1, 2, 4, 8, 16, 32, 64, 0x80, 0x96, 0xca, 0xd8, 0x5a, 0x7f, 0xff
	form vpternlogd $\imm, %zmm17, %zmm2, %zmm30
	form vpternlogq $\imm, %ymm17, %ymm2, %ymm3{%k1}
	form vpternlogd $\imm, 4(%rdi){1to16}, %zmm2, %zmm3{%k1}{z}
	form vpternlogq $\imm, 64(%rdi), %xmm18, %xmm3{%k2}
	.endr
	group "blends"
	.irp name, vpblendmb, vpblendmw, vpblendmd, vpblendmq
	lengths three \name
	.endr
	three_broadcast vpblendmd, 4, 8, 16
	three_broadcast vpblendmq, 2, 4, 8
	group "shifts of elements across two registers"
	.irp imm, 0, 1, 3, 7, 9, 15, 255
	form valignd $\imm, %xmm17, %xmm2, %xmm30
	form valignd $\imm, %ymm17, %ymm2, %ymm3{%k1}
	form valignd $\imm, %zmm17, %zmm2, %zmm3{%k1}{z}
	form valignd $\imm, 64(%rdi), %zmm12, %zmm13
	form valignd $\imm, 64(%rdi), %ymm12, %ymm13{%k2}
	form valignq $\imm, %xmm17, %xmm2, %xmm30
	form valignq $\imm, %ymm17, %ymm2, %ymm2{%k1}
	form valignq $\imm, %zmm17, %zmm2, %zmm17{%k1}{z}
	form valignq $\imm, 8(%rdi){1to8}, %zmm12, %zmm13
	.endr

	.macro comparisons v, name
	.irp imm, 0, 1, 2, 3, 4, 5, 6, 7
	form \name $\imm, %\v\()mm19, %\v\()mm2, %k1
	.endr
	form \name $5, %\v\()mm7, %\v\()mm22, %k3{%k2}
	form \name $2, 64(%rdi), %\v\()mm22, %k3
	form \name $0, 32(%rdi,%r8), %\v\()mm2, %k7{%k4}
	.endm
	.macro fixed_comparisons v, name
	form {evex} \name %\v\()mm19, %\v\()mm2, %k1
	form {evex} \name %\v\()mm7, %\v\()mm22, %k3{%k2}
	form {evex} \name 64(%rdi), %\v\()mm22, %k0
	form {evex} \name 32(%rdi,%r8), %\v\()mm2, %k7{%k4}
	.endm

	group "comparisons into an opmask"
	.irp size, b, w, d, q, ub, uw, ud, uq
	lengths comparisons vpcmp\size
	.endr
	.irp size, b, w, d, q
	lengths fixed_comparisons vpcmpeq\size
	lengths fixed_comparisons vpcmpgt\size
	lengths fixed_comparisons vptestm\size
	lengths fixed_comparisons vptestnm\size
	.endr
	form vpcmpd $1, 4(%rdi){1to16}, %zmm2, %k7{%k4}
	form vpcmpuq $2, 8(%rdi){1to8}, %zmm2, %k7
	form vpcmpeqd 4(%rdi){1to16}, %zmm22, %k7
	form vpcmpeqq 8(%rdi){1to4}, %ymm22, %k6{%k1}
	form vptestmd 4(%rdi){1to16}, %zmm22, %k7
	form vptestnmq 8(%rdi){1to2}, %xmm22, %k6{%k1}

	.macro broadcasts v
	.irp size, b, w, d
	form vpbroadcast\size %eax, %\v\()mm16
	form vpbroadcast\size %r13d, %\v\()mm3{%k1}
	form vpbroadcast\size %esp, %\v\()mm3{%k1}{z}
	.endr
	form vpbroadcastq %rax, %\v\()mm16
	form vpbroadcastq %r15, %\v\()mm3{%k1}
	form vpbroadcastq %rbp, %\v\()mm3{%k1}{z}
	.irp size, b, w, d, q
	form {evex} vpbroadcast\size %xmm2, %\v\()mm3
	form vpbroadcast\size %xmm18, %\v\()mm19{%k2}
	form {evex} vpbroadcast\size 16(%rdi), %\v\()mm3
	form vpbroadcast\size -2(%r12), %\v\()mm22{%k6}{z}
	.endr
	form {evex} vbroadcastss %xmm2, %\v\()mm3
	form vbroadcastss 4(%rdi), %\v\()mm23{%k1}
	form vbroadcasti32x2 %xmm2, %\v\()mm23{%k1}
	form vbroadcasti32x2 16(%rdi), %\v\()mm23{%k1}{z}
	.endm
	.macro broadcasts_256 v
	form {evex} vbroadcastsd %xmm2, %\v\()mm3
	form vbroadcastsd 16(%rdi), %\v\()mm23{%k1}
	form vbroadcastf32x2 %xmm2, %\v\()mm23{%k1}
	form vbroadcastf32x2 16(%rdi), %\v\()mm23{%k1}{z}
	.irp name, vbroadcasti32x4, vbroadcasti64x2, vbroadcastf32x4, vbroadcastf64x2
	form \name 32(%rdi), %\v\()mm3
	form \name (%r14), %\v\()mm20{%k1}
	form \name -16(%rbp), %\v\()mm20{%k3}{z}
	.endr
	.endm

	group "broadcasts"
	.irp v, x, y, z
	broadcasts \v
	.endr
	broadcasts_256 y
	broadcasts_256 z
	.irp name, vbroadcasti32x8, vbroadcasti64x4, vbroadcastf32x8, vbroadcastf64x4
	form \name 32(%rdi), %zmm3
	form \name (%r14), %zmm20{%k1}
	form \name -16(%rbp), %zmm20{%k3}{z}
	.endr

	group "vmovd, vmovq"
	form {evex} vmovd %eax, %xmm3
	form vmovd %r14d, %xmm19
	form {evex} vmovd %xmm3, %edi
	form vmovd %xmm20, %r15d
	form vmovd 8(%rdi), %xmm17
	form vmovd %xmm17, 12(%r13)
	form {evex} vmovq %rax, %xmm3
	form vmovq %r14, %xmm19
	form {evex} vmovq %xmm3, %rdi
	form vmovq %xmm20, %r15
	form vmovq 8(%rdi), %xmm17
	form vmovq %xmm17, 16(%r13)
	form vmovq %xmm17, %xmm3
	form vmovq %xmm7, %xmm27

	group "parts of a vector"
	.irp imm, 0, 1, 2, 3, 255
	.irp part, i32x4, i64x2, f32x4, f64x2
	form vextract\part $\imm, %zmm2, %xmm17
	form vextract\part $\imm, %ymm22, %xmm7{%k1}
	form vextract\part $\imm, %zmm22, %xmm7{%k1}{z}
	form vextract\part $\imm, %zmm22, 32(%rdi)
	form vextract\part $\imm, %ymm2, -16(%r13){%k4}
	form vinsert\part $\imm, %xmm2, %zmm12, %zmm17
	form vinsert\part $\imm, %xmm22, %ymm21, %ymm7{%k1}
	form vinsert\part $\imm, %xmm22, %zmm21, %zmm22{%k1}{z}
	form vinsert\part $\imm, 32(%rdi), %zmm21, %zmm3
	form vinsert\part $\imm, -16(%r13), %ymm1, %ymm23{%k4}
	.endr
	.irp part, i32x8, i64x4, f32x8, f64x4
	form vextract\part $\imm, %zmm2, %ymm17
	form vextract\part $\imm, %zmm22, %ymm7{%k1}
	form vextract\part $\imm, %zmm22, %ymm7{%k1}{z}
	form vextract\part $\imm, %zmm22, 32(%rdi)
	form vextract\part $\imm, %zmm2, -16(%r13){%k4}
	form vinsert\part $\imm, %ymm2, %zmm12, %zmm17
	form vinsert\part $\imm, %ymm22, %zmm21, %zmm7{%k1}
	form vinsert\part $\imm, 32(%rdi), %zmm21, %zmm3
	.endr
	.endr

	.macro masks_and_vectors v, size
	form vpmovm2\size %k3, %\v\()mm4
	form vpmovm2\size %k7, %\v\()mm24
	form vpmov\size\()2m %\v\()mm5, %k1
	form vpmov\size\()2m %\v\()mm25, %k6
	.endm

	group "opmask to vector and back"
	.irp size, b, w, d, q
	lengths masks_and_vectors \size
	.endr

	group "opmask moves"
	.irp size, b, w, d, q
	form kmov\size %k1, %k2
	form kmov\size %k7, %k0
	form kmov\size (%rdi), %k3
	form kmov\size 5(%r12,%r9,2), %k4
	form kmov\size %k5, -9(%r8)
	form kmov\size %k0, 0x400(%rbp)
	.endr
	.irp size, b, w, d
	form kmov\size %eax, %k1
	form kmov\size %r13d, %k6
	form kmov\size %k2, %esi
	form kmov\size %k7, %r12d
	.endr
	form kmovq %rax, %k1
	form kmovq %r13, %k6
	form kmovq %k2, %rsi
	form kmovq %k7, %r12
	.macro opmask_logic size
	.irp name, kand\size, kandn\size, kor\size, kxor\size, kxnor\size, kadd\size
	form \name %k1, %k2, %k3
	form \name %k7, %k0, %k7
	form \name %k5, %k5, %k5
	.endr
	form knot\size %k1, %k2
	form knot\size %k6, %k6
	form kortest\size %k1, %k2
	form kortest\size %k7, %k7
	form ktest\size %k1, %k2
	form ktest\size %k3, %k3
	.endm
	.macro opmask_shifts size
	.irp imm, 0, 1, 7, 8, 9, 15, 16, 31, 32, 33, 63, 64, 255
	form kshiftl\size $\imm, %k1, %k2
	form kshiftl\size $\imm, %k6, %k6
	form kshiftr\size $\imm, %k1, %k2
	form kshiftr\size $\imm, %k6, %k6
	.endr
	.endm

	group "opmask logic"
	.irp size, b, w, d, q
	opmask_logic \size
	.endr
	.irp name, kunpckbw, kunpckwd, kunpckdq
	form \name %k1, %k2, %k3
	form \name %k7, %k4, %k7
	.endr
	group "opmask shifts"
	.irp size, b, w, d, q
	opmask_shifts \size
	.endr

	/* Not emulated, but they clear the part of the register that is. */
	group "mixing with VEX instructions"
	form vmovdqu (%rdi), %ymm3
	form vmovdqu 5(%rdi), %xmm13
	form vmovups (%rdi), %ymm4

	.section forms, "aw"
	.globl form_table_end
form_table_end:

	.section .note.GNU-stack, "", @progbits
