from expansion.corpus import corpus


def test_the_library_is_told_of_without_saying_where_it_lies(api):
    (library,) = api.get("/api/libraries").json()["libraries"]
    assert library["name"] == "lib"
    assert library["documents"] == len(corpus())
    assert library["fields"]["abstract"] == len(corpus())


def test_formats_say_what_can_be_read_and_what_can_be_written(api):
    formats = {one["name"]: one for one in api.get("/api/formats").json()["formats"]}
    assert (formats["ris"]["suffix"], formats["ris"]["writes"]) == (".ris", True)
    assert (formats["json"]["reads"], formats["json"]["writes"]) == (False, True)
    assert formats["ids"]["reads"]
