# SPDX-License-Identifier: MIT OR Apache-2.0
# How an image is compiled and linked: for the kernel's own, and for one with other programs. KERNEL is this folder.
CC = gcc
# Other limits than those of limits.h: -DTHREADS_MAX=64 and so on.
LIMITS ?=
# No floating point but in files that say so, so eight bytes of stack alignment are enough.
STACK_gcc = -mpreferred-stack-boundary=3
STACK_clang = -mstack-alignment=8
# Functions and loops stand where they come: places to align are instructions that do nothing, or bytes.
ALIGN_gcc = -fno-align-functions -fno-align-jumps -fno-align-loops -fno-align-labels
ALIGN_clang = -falign-functions=1
CFLAGS = -std=c11 -O2 -Wall -Wextra -Werror -Wmissing-prototypes -ffreestanding -fno-pic -mno-red-zone \
         -mgeneral-regs-only $(STACK_$(CC)) $(ALIGN_$(CC)) -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none \
         -fno-strict-aliasing -mcmodel=small $(LIMITS) -g -I$(KERNEL) -I$(KERNEL)/x86
# For a file that uses floating point: its functions align their stacks themselves.
FPU_CFLAGS = $(filter-out -mgeneral-regs-only $(STACK_$(CC)),$(CFLAGS)) -mstackrealign
LINK_gcc = -no-pie
LINK = $(CC) -static -nostdlib $(LINK_$(CC)) -T $(KERNEL)/x86/detent.ld -Wl,--build-id=none -Wl,-z,noexecstack -Wl,--no-warn-rwx-segments

# $(call image_link,OBJECTS): links them to $@ twice. The table of names comes behind the code, so it does not move
# what it names.
define image_link
@$(LINK) $(1) -o $@.nameless
@$(KERNEL)/symbols.sh $@.nameless > $@.symbols.S
@$(CC) -c $@.symbols.S -o $@.symbols_table.o
@$(LINK) $(1) $@.symbols_table.o -o $@
endef
