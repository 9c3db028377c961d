"""The pages of an object's index, which several clients take and look for."""

from tests.ime.conftest import StoreMaker


def test_a_page_is_seen_as_soon_as_it_is_taken(make_store: StoreMaker) -> None:
    store = make_store()
    done = store.program("ime-index_pages", "ime://file", check=False)
    assert done.stdout == "8 pages, 0 unseen by the other client, 0 taken twice\n", done.stderr
