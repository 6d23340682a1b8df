"""What the client's package offers."""

import chautari_client


def test_package_offers_what_it_lists_and_nothing_else() -> None:
    modules = {
        "client", "clocks", "connection", "errors", "hosting", "naming", "own_account", "plain", "playing", "records",
        "streams", "sync", "sync_hosting", "sync_own_account", "table", "zones",
    }  # fmt: skip
    public = {name for name in vars(chautari_client) if not name.startswith("_")} - modules
    assert public == set(chautari_client.__all__)
