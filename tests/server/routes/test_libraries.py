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


def test_formats_say_whether_they_have_a_place_for_marks(api):
    formats = {one["name"]: one["notes"] for one in api.get("/api/formats").json()["formats"]}
    assert {name for name, holds in formats.items() if not holds} == {"pubmed", "ids"}
