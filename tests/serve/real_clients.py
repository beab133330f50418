"""Calls a server of the tests with the real clients of LibreTranslate and DeepL. Usage: real_clients.py URL"""
import io
import sys

import deepl
from deepl.api_data import MultilingualGlossaryDictionaryEntries as Dictionary
from libretranslatepy import LibreTranslateAPI

url = sys.argv[1]


def expect(got, wanted):
    assert got == wanted, f"expected {wanted!r} but got {got!r}"


def libre_translate():
    client = LibreTranslateAPI(url)
    expect(client.translate("Good morning", "en", "de"), "de(Good morning)")
    expect(client.detect("Das ist ein altes Haus.")[0]["language"], "de")
    expect([one["code"] for one in client.languages()], ["en", "de", "fr"])


def texts(client):
    expect(client.translate_text("Hello", source_lang="EN", target_lang="DE").text, "de(Hello)")
    results = client.translate_text(["One. Two.", "Three"], source_lang="EN", target_lang="DE", formality="more")
    expect([one.text for one in results], ["de(One.) de(Two.)", "de(Three)"])
    expect(results[0].billed_characters, 9)
    expect(client.translate_text("One. Two.", source_lang="EN", target_lang="DE", split_sentences="0").text,
           "de(One. Two.)")
    expect(client.translate_text("<p>One <b>two</b></p>", source_lang="EN", target_lang="DE", tag_handling="html").text,
           "<p>de(One <b>two</b>)</p>")
    expect(client.translate_text("Das ist ein altes Haus.", target_lang="EN-GB").detected_source_lang, "DE")
    expect([one.code for one in client.get_source_languages()], ["EN", "DE"])
    assert "EN-US" in [one.code for one in client.get_target_languages()]
    assert client.get_usage().character.count > 0


def glossaries(client):
    assert ("en", "de") in [(p.source_lang, p.target_lang) for p in client.get_glossary_languages()]
    one = client.create_glossary("one", "EN", "DE", {"cat": "Katze", "dog": "Hund"})
    expect(client.get_glossary(one.glossary_id).entry_count, 2)
    expect(client.get_glossary_entries(one), {"cat": "Katze", "dog": "Hund"})
    expect([g.name for g in client.list_glossaries()], ["one"])
    client.translate_text("A cat.", source_lang="EN", target_lang="DE", glossary=one)
    client.delete_glossary(one)
    try:
        client.get_glossary(one.glossary_id)
        raise AssertionError("the glossary is still there")
    except deepl.exceptions.GlossaryNotFoundException:
        pass
    many = client.create_multilingual_glossary("many", [Dictionary("EN", "DE", {"a": "b"}),
                                                        Dictionary("DE", "EN", {"b": "a"})])
    expect(len(client.get_multilingual_glossary(many.glossary_id).dictionaries), 2)
    expect(client.update_multilingual_glossary_name(many, "new").name, "new")
    client.update_multilingual_glossary_dictionary(many, Dictionary("EN", "DE", {"c": "d"}))
    expect(client.replace_multilingual_glossary_dictionary(many, Dictionary("DE", "EN", {"x": "y"})).entry_count, 1)
    expect(client.get_multilingual_glossary_entries(many, "EN", "DE").dictionaries[0].entries, "a\tb\nc\td\n")
    client.delete_multilingual_glossary_dictionary(many, source_lang="DE", target_lang="EN")
    client.delete_multilingual_glossary(many)
    expect(client.list_multilingual_glossaries(), [])


def documents(client):
    handle = client.translate_document_upload(b"<p>Hello</p>", source_lang="EN", target_lang="DE", filename="a.html")
    assert client.translate_document_get_status(handle).done
    output = io.BytesIO()
    client.translate_document_download(handle, output)
    expect(output.getvalue(), b"<p>de(Hello)</p>")


libre_translate()
deepl_client = deepl.DeepLClient("some-key", server_url=url)
texts(deepl_client)
glossaries(deepl_client)
documents(deepl_client)
print("all calls worked")
