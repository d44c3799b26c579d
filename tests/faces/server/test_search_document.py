"""Documents of a run's page that change while it measures."""

from dataclasses import replace

import pyarrow.compute as pc

from support.made.searched import TWO_NETWORKS, search
from weft.faces.server.search_document import xray_document
from weft.runs.folder import RunFolder
from weft.understand.limits.diagnosis import diagnose, searched_steps


def test_each_network_of_a_search_has_what_was_found_there() -> None:
    run = RunFolder.open(search(TWO_NETWORKS))
    found = xray_document(run, is_over=True)
    assert found is not None
    networks, said = found["networks"], diagnose(run)
    assert isinstance(networks, list)
    assert [one["network"] for one in networks] == [1, 2]
    for one, own in zip(networks, said.networks, strict=True):
        assert one["limits"] == [limit.to_json() for limit in own.limits] != []
        assert one["trials"] > 0
    assert found["limits"] == [limit.to_json() for limit in said.limits]
    assert found["trials"] == len(run.meta.phases)


def test_a_network_whose_search_goes_on_follows_one_whose_search_has_ended() -> None:
    whole = RunFolder.open(search(TWO_NETWORKS))
    (second,) = searched_steps(whole.meta, 1)
    phases = [one for one in whole.meta.phases if one["step"] != second]
    done = [one for one in whole.meta.done if one[0] != second]
    samples = whole.samples.filter(pc.field("step") != second)
    run = replace(whole, meta=replace(whole.meta, phases=phases, done=done), samples=samples)
    found = xray_document(run, is_over=False)
    assert found is not None and isinstance(networks := found["networks"], list)
    assert [(one["is_over"], one["trials"] > 0) for one in networks] == [
        (True, True),
        (False, False),
    ]
    assert networks[0]["limits"] and not networks[1]["limits"] and not networks[0]["asks"]
