# SPDX-License-Identifier: MIT OR Apache-2.0
# How to compile and link an image: the kernel's own, or one with other programs. KERNEL is the path of this folder. PORT is the
# machine's folder: x86 or arm64.
PORT = x86
BOARD_x86 = pc
BOARD_arm64 = virt
BOARD = $(BOARD_$(PORT))
CROSS_arm64 = aarch64-linux-gnu-
CC = $(CROSS_$(PORT))gcc
NM = $(CROSS_$(PORT))nm
OBJCOPY = $(CROSS_$(PORT))objcopy
# gcc or clang. One clang compiles for all CPUs.
COMPILER = $(if $(findstring clang,$(CC)),clang,gcc)
TARGET_arm64_clang = --target=aarch64-linux-gnu
# Limits that replace those of limits.h, for example -DTHREADS_MAX=64.
LIMITS ?=
# Debug information, for reading an image with a debugger.
DEBUG = -g
# Only the files in FPU use floating point, so a stack alignment of eight bytes is enough for all others.
STACK_x86_gcc = -mpreferred-stack-boundary=3
STACK_x86_clang = -mstack-alignment=8
STACK = $(STACK_$(PORT)_$(COMPILER))
# Functions and loops are not aligned, because padding would add instructions that do nothing, or bytes.
ALIGN_gcc = -fno-align-functions -fno-align-jumps -fno-align-loops -fno-align-labels
ALIGN_clang = -falign-functions=1
# An interrupt uses the running thread's stack below the stack pointer, so there is no red zone.
PROCESSOR_x86 = -mno-red-zone -fcf-protection=none
# No code of the image uses the fixed registers, so no interrupt has to save them (arm64/README.md). The compiler uses no
# instruction that only newer CPUs have, and no code that chooses such an instruction at run time.
PROCESSOR_arm64 = -march=armv8-a -DFPU_BYTES=544 -DVISITS_STACK_BYTES=1408 -mno-outline-atomics -fomit-frame-pointer \
                  $(patsubst %,-ffixed-x%,9 10 11 12 13 14 15 18 27 28) $(TARGET_arm64_$(COMPILER))
CFLAGS = -std=c11 -O2 -Wall -Wextra -Werror -Wmissing-prototypes -ffreestanding -fno-pic \
         -mgeneral-regs-only $(STACK) $(ALIGN_$(COMPILER)) -fno-stack-protector -fno-asynchronous-unwind-tables $(PROCESSOR_$(PORT)) \
         -fno-strict-aliasing -mcmodel=small $(LIMITS) $(DEBUG) -I$(KERNEL) -I$(KERNEL)/$(PORT) -I$(KERNEL)/programs/$(BOARD) \
         -I$(KERNEL)/process/$(PORT) -I$(KERNEL)/user/$(PORT)
# The kernel's own code and data are next to each other (detent.ld), so that one instruction of arm64 reaches them.
NEAR_arm64 = -mcmodel=tiny -fdata-sections
# In a file that uses floating point, the functions align the stack themselves.
REALIGN_x86 = -mstackrealign
FPU_CFLAGS = $(filter-out -mgeneral-regs-only $(STACK),$(CFLAGS)) $(REALIGN_$(PORT))
LINK_gcc = -no-pie
LINK_clang = $(TARGET_$(PORT)_clang)
LINK = $(CC) -static -nostdlib $(LINK_$(COMPILER)) -T $(abspath $(KERNEL)/$(PORT)/detent.ld) -Wl,--build-id=none -Wl,-z,noexecstack -Wl,--no-warn-rwx-segments

# The files of a port: its own, and those that all ports share. Each is compiled as a file of the port. The image contains them in
# the order of their names.
PORT_FILES = $(sort $(notdir $(wildcard $(KERNEL)/$(PORT)/*.c $(KERNEL)/ports/*.c)))
# The files of processes: those that all machines share, and those of this machine.
PROCESS_FILES = $(sort $(notdir $(wildcard $(KERNEL)/process/*.c $(KERNEL)/process/$(PORT)/*.c))) entry.S

# Programs in user mode: the files that all of them contain, their compiler options, and their address (process/layout.h).
USER_SHARED = user/$(PORT)/stubs.S user/library.c user/critsec.c core/print.c $(PORT)/block.c
USER_CFLAGS = $(filter-out -fno-pic -mgeneral-regs-only $(STACK) -mcmodel=small -ffixed-x%,$(CFLAGS)) -fPIE
USER_LINK = $(CC) -static -nostdlib $(LINK_$(COMPILER)) -Wl,-Ttext-segment=0x8000010000,-z,max-page-size=4096,-z,noexecstack,--build-id=none,--no-relax,-e,program_start

# $(call module_of,FILE,OBJECT): makes an object from the file. At the end of an arm64 image, it is the image's boot module.
module_of = $(OBJCOPY) -I binary -O elf64-littleaarch64 --rename-section .data=.module,alloc,load,readonly,data,contents --add-section .note.GNU-stack=/dev/null $(1) $(2)

# $(call image_link,OBJECTS): links the objects, which are all in OUT, to $@. It links twice: the second time with the table of names,
# which comes after the code, so that it does not move the functions that it names. The linker gets paths relative to OUT, because
# detent.ld recognises the kernel's own files by the folder at the beginning of their path.
in_out = $(patsubst $(OUT)/%,%,$(1))
define image_link
@cd $(OUT) && $(LINK) $(call in_out,$(1)) -o $(call in_out,$@).nameless
@NM=$(NM) $(KERNEL)/symbols.sh $@.nameless > $@.symbols.S
@$(CC) $(TARGET_$(PORT)_$(COMPILER)) -c $@.symbols.S -o $@.symbols_table.o
@cd $(OUT) && $(LINK) $(call in_out,$(1) $@.symbols_table.o) -o $(call in_out,$@)
endef
