# SPDX-License-Identifier: MIT OR Apache-2.0
# How an image is compiled and linked: for the kernel's own, and for one with other programs. KERNEL is this folder, PORT the
# machine's: x86 or arm64.
PORT = x86
BOARD_x86 = pc
BOARD_arm64 = virt
BOARD = $(BOARD_$(PORT))
CROSS_arm64 = aarch64-linux-gnu-
CC = $(CROSS_$(PORT))gcc
NM = $(CROSS_$(PORT))nm
OBJCOPY = $(CROSS_$(PORT))objcopy
# Which of the two it is; clang is one compiler for all processors.
COMPILER = $(if $(findstring clang,$(CC)),clang,gcc)
TARGET_arm64_clang = --target=aarch64-linux-gnu
# Other limits than those of limits.h: -DTHREADS_MAX=64 and so on.
LIMITS ?=
# For who reads an image with a debugger.
DEBUG = -g
# No floating point but in files that say so, so eight bytes of stack alignment are enough.
STACK_x86_gcc = -mpreferred-stack-boundary=3
STACK_x86_clang = -mstack-alignment=8
STACK = $(STACK_$(PORT)_$(COMPILER))
# Functions and loops stand where they come: places to align are instructions that do nothing, or bytes.
ALIGN_gcc = -fno-align-functions -fno-align-jumps -fno-align-loops -fno-align-labels
ALIGN_clang = -falign-functions=1
# An interrupt comes on the stack of the running thread, below its pointer.
PROCESSOR_x86 = -mno-red-zone -fcf-protection=none
# Registers that no code of the image uses, so that no interrupt has to keep them (arm64/README.md); no instruction that only
# newer processors have, and no way to choose one at run time.
PROCESSOR_arm64 = -march=armv8-a -DFPU_BYTES=544 -DVISITS_STACK_BYTES=1408 -mno-outline-atomics -fomit-frame-pointer \
                  $(patsubst %,-ffixed-x%,9 10 11 12 13 14 15 18 27 28) $(TARGET_arm64_$(COMPILER))
CFLAGS = -std=c11 -O2 -Wall -Wextra -Werror -Wmissing-prototypes -ffreestanding -fno-pic \
         -mgeneral-regs-only $(STACK) $(ALIGN_$(COMPILER)) -fno-stack-protector -fno-asynchronous-unwind-tables $(PROCESSOR_$(PORT)) \
         -fno-strict-aliasing -mcmodel=small $(LIMITS) $(DEBUG) -I$(KERNEL) -I$(KERNEL)/$(PORT) -I$(KERNEL)/programs/$(BOARD) \
         -I$(KERNEL)/process/$(PORT) -I$(KERNEL)/user/$(PORT)
# The kernel's own code and data lie together (detent.ld), within what one instruction of arm64 reaches.
NEAR_arm64 = -mcmodel=tiny -fdata-sections
# For a file that uses floating point: its functions align their stacks themselves.
REALIGN_x86 = -mstackrealign
FPU_CFLAGS = $(filter-out -mgeneral-regs-only $(STACK),$(CFLAGS)) $(REALIGN_$(PORT))
LINK_gcc = -no-pie
LINK_clang = $(TARGET_$(PORT)_clang)
LINK = $(CC) -static -nostdlib $(LINK_$(COMPILER)) -T $(abspath $(KERNEL)/$(PORT)/detent.ld) -Wl,--build-id=none -Wl,-z,noexecstack -Wl,--no-warn-rwx-segments

# What a port is made of, its own files and those that all ports share, each compiled as a file of the port: in the order of names, which
# is that of the image.
PORT_FILES = $(sort $(notdir $(wildcard $(KERNEL)/$(PORT)/*.c $(KERNEL)/ports/*.c)))
# Likewise processes: what they share, and what is the machine's.
PROCESS_FILES = $(sort $(notdir $(wildcard $(KERNEL)/process/*.c $(KERNEL)/process/$(PORT)/*.c))) entry.S

# Programs in user mode: what all of them are linked with, how they are compiled and where they lie (process/layout.h).
USER_SHARED = user/$(PORT)/stubs.S user/library.c user/critsec.c core/print.c $(PORT)/block.c
USER_CFLAGS = $(filter-out -fno-pic -mgeneral-regs-only $(STACK) -mcmodel=small -ffixed-x%,$(CFLAGS)) -fPIE
USER_LINK = $(CC) -static -nostdlib $(LINK_$(COMPILER)) -Wl,-Ttext-segment=0x8000010000,-z,max-page-size=4096,-z,noexecstack,--build-id=none,--no-relax,-e,program_start

# $(call module_of,FILE,OBJECT): an object with which an image of arm64 ends, the file being its boot module.
module_of = $(OBJCOPY) -I binary -O elf64-littleaarch64 --rename-section .data=.module,alloc,load,readonly,data,contents --add-section .note.GNU-stack=/dev/null $(1) $(2)

# $(call image_link,OBJECTS): links them, all in OUT, to $@ twice. The table of names comes behind the code, so it does not move
# what it names. The linker sees names as they are in OUT: detent.ld tells the kernel's own by the folder that they begin with, whatever
# the folders are called in which OUT lies.
in_out = $(patsubst $(OUT)/%,%,$(1))
define image_link
@cd $(OUT) && $(LINK) $(call in_out,$(1)) -o $(call in_out,$@).nameless
@NM=$(NM) $(KERNEL)/symbols.sh $@.nameless > $@.symbols.S
@$(CC) $(TARGET_$(PORT)_$(COMPILER)) -c $@.symbols.S -o $@.symbols_table.o
@cd $(OUT) && $(LINK) $(call in_out,$(1) $@.symbols_table.o) -o $(call in_out,$@)
endef
