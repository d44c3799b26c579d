"""Wrong requests in this process."""

import re

import pytest

from weft.base.errors import RequestError


def refused(said: str) -> pytest.RaisesExc[RequestError]:
    """What a `with` holds must be refused with a message that has this text in it."""
    return pytest.raises(RequestError, match=re.escape(said))
