// SPDX-License-Identifier: MIT OR Apache-2.0
// Critical sections: the kernel's side of those in detent.h.
#ifndef DETENT_CRITSEC_H
#define DETENT_CRITSEC_H

void critsec_init(void);

#endif
