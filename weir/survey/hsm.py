"""Whether Lustre's HSM released the data of an open file: a read would recall them from tape."""

from __future__ import annotations

import errno
import fcntl
import sys

from weir.survey.pace import Pace

# LL_IOC_HSM_STATE_GET of lustre_user.h: _IOR('f', 211, struct hsm_user_state), which has 32 bytes.
_STATE_BYTES = 32
_STATE_GET = 2 << 30 | _STATE_BYTES << 16 | ord("f") << 8 | 211
_RELEASED = 0x4
_NOT_LUSTRE = (errno.ENOTTY, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS)


class HsmState:
    """Asks the file system of each file; not again after the first answer that it has no such state."""

    def __init__(self) -> None:
        self.is_supported = True

    def is_released(self, descriptor: int, pace: Pace) -> bool:
        """Opening a released file recalls nothing. An error other than an unknown request is raised."""
        if not self.is_supported:
            return False
        pace.wait()
        state = bytearray(_STATE_BYTES)
        try:
            fcntl.ioctl(descriptor, _STATE_GET, state)
        except OSError as error:
            if error.errno not in _NOT_LUSTRE:
                raise
            self.is_supported = False
            return False
        return bool(int.from_bytes(state[:4], sys.byteorder) & _RELEASED)
