"""Whatever is wrong with a schema is said with the file and the field."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from model import Range  # noqa: E402
from schema import SchemaError, link, load_text  # noqa: E402


def command(*fields, **more):
    return json.dumps({"type": "command", "name": "Move", "commandId": 1, "fields": list(fields)} | more)


def field(**keys):
    return {"name": "a_field", "type": "int32"} | keys


class SchemaErrors(unittest.TestCase):
    def refuses(self, text, *words):
        with self.assertRaises(SchemaError) as caught:
            link([load_text(text, "some/file.json")])
        for word in ("some/file.json",) + words:
            self.assertIn(word, str(caught.exception))

    def refuses_field(self, *words, **keys):
        self.refuses(command(field(**keys)), "Move.a_field", *words)

    def test_a_correct_schema_is_accepted(self):
        file = load_text(command(field(versions="2+", default=-1)), "f.json")
        link([file])
        self.assertEqual(file.messages[0].fields[0].versions, Range(2, 32767))

    def test_files(self):
        self.refuses("{", "not JSON")
        self.refuses("[]", "one object")
        self.refuses('{"type": "command", "type": "data"}', "twice")
        self.refuses('{"type": "record"}', "type must be one of")
        self.refuses(command(colour="red"), "colour")
        self.refuses(command(name="move_it"), "PascalCase")
        self.refuses(command(commandId=0), "commandId 0")
        self.refuses(command(commandId="1"), "commandId")
        self.refuses('{"type": "command", "name": "Move", "commandId": 1}', "'fields' is missing")
        self.refuses('{"type": "api", "name": "Move", "apiKey": 1, "versions": "0+", "flexible": "0+"}', "need an end")

    def test_names(self):
        self.refuses(command(field(name="CamelCase")), "Move.CamelCase", "snake_case")
        self.refuses(command({"type": "int8"}), "'name' is missing")
        self.refuses(command(field(), field()), "Move.a_field", "twice")
        self.refuses_field("unknown key 'colour'", colour="red")

    def test_types(self):
        self.refuses_field("'int31' is not known", type="int31")
        self.refuses_field("'Nowhere' is not known", type="Nowhere")
        self.refuses_field("arrays of bool", type="[]bool")
        self.refuses_field("int32 has no fields", fields=[])
        self.refuses(command(structs=[{"name": "Idle", "fields": []}]), "Idle", "not used")
        twice = {"name": "Twice", "fields": []}
        self.refuses(command(field(type="Twice"), structs=[twice, twice]), "Twice", "declared twice")

    def test_recursion(self):
        knot = {"name": "Knot", "fields": [{"name": "inner", "type": "[]Knot"}]}
        self.refuses(command(field(type="Knot"), structs=[knot]), "Knot.inner", "cannot contain itself")

    def test_depth(self):
        structs = [{"name": f"S{i}", "fields": [{"name": "inner", "type": f"S{i + 1}"}]} for i in range(8)]
        structs.append({"name": "S8", "fields": []})
        self.refuses(command(field(type="S0"), structs=structs), "nested deeper")

    def test_versions(self):
        self.refuses_field("not a range", versions="two")
        self.refuses_field("empty range", versions="4-2")
        self.refuses(command(field(versions="1"), versions="2+"), "Move.a_field", "outside")

    def test_nullable(self):
        self.refuses_field("cannot be null", nullable=True)
        self.refuses_field("no version", type="string", versions="2+", nullable="0-1")

    def test_tags(self):
        self.refuses(command(field(tag=1)), "without gaps")
        self.refuses(command(field(tag=0), field(name="b_field", tag=0)), "without gaps")
        self.refuses_field("'tag' is missing or not", tag="0")
        data = {"type": "data", "name": "D", "versions": "0-3", "flexible": "2+", "fields": [field(tag=0)]}
        self.refuses(json.dumps(data), "D.a_field", "not flexible")

    def test_defaults(self):
        self.refuses_field("does not fit", default=1 << 31)
        self.refuses_field("must be an integer", default="1")
        self.refuses_field("must be an integer", default=True)
        self.refuses_field("needs nullable", type="string", default=None)
        self.refuses_field("must be a string", type="string", default=1)
        self.refuses_field("only default to null", type="[]int8", default=[])
        self.refuses_field("true or false", type="bool", default=0)
        self.refuses_field("empty value", type="uuid", default="x")

    def test_numbers_and_names_are_unique_in_a_directory(self):
        files = [load_text(command(name=name), f"{name}.json") for name in ("First", "Second")]
        with self.assertRaisesRegex(SchemaError, "Second.json.*already used by First.json"):
            link(files)


class SharedTypes(unittest.TestCase):
    def test_a_data_file_is_a_type_for_the_others(self):
        place = load_text('{"type": "data", "name": "Place", "fields": []}', "place.json")
        move = load_text(command(field(type="[]Place")), "move.json")
        link([move, place])
        self.assertIs(move.messages[0].fields[0].type.message, place.messages[0])

    def test_data_files_cannot_contain_each_other(self):
        files = [
            load_text(json.dumps({"type": "data", "name": a, "fields": [{"name": "x", "type": b}]}), f"{a}.json")
            for a, b in (("A", "B"), ("B", "A"))
        ]
        with self.assertRaisesRegex(SchemaError, "contain itself"):
            link(files)


if __name__ == "__main__":
    unittest.main()
