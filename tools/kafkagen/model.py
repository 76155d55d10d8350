"""What a schema file means, after every check: plain data that the emitters print."""

from dataclasses import dataclass, field as dataclass_field

VERSION_MAX = 32767


@dataclass(frozen=True)
class Range:
    """Versions from `low` to `high`, both included."""

    low: int
    high: int

    def holds(self, other):
        return self.low <= other.low and other.high <= self.high

    def overlap(self, other):
        """The versions in both, or None."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Range(low, high) if low <= high else None

    def __str__(self):
        if self.low == self.high:
            return str(self.low)
        return f"{self.low}+" if self.high == VERSION_MAX else f"{self.low}-{self.high}"


@dataclass
class Primitive:
    """`size` is that on the wire; None where it varies, and `shortest` is then the least."""

    name: str
    cpp: str
    call: str
    size: int | None = None
    bits: int | None = None
    signed: bool = True


PRIMITIVES = {
    p.name: p
    for p in [
        Primitive("bool", "bool", "boolean", 1),
        Primitive("int8", "std::int8_t", "int8", 1, 8),
        Primitive("int16", "std::int16_t", "int16", 2, 16),
        Primitive("int32", "std::int32_t", "int32", 4, 32),
        Primitive("int64", "std::int64_t", "int64", 8, 64),
        Primitive("uint16", "std::uint16_t", "uint16", 2, 16, False),
        Primitive("uint32", "std::uint32_t", "uint32", 4, 32, False),
        Primitive("float64", "double", "float64", 8),
        Primitive("varint", "std::int32_t", "varint", None, 32),
        Primitive("varlong", "std::int64_t", "varlong", None, 64),
        Primitive("uvarint", "std::uint64_t", "uvarint", None, 64, False),
        Primitive("uuid", "Uuid", "uuid", 16),
        Primitive("string", "std::string", "string"),
        Primitive("bytes", "SharedBytes", "bytes"),
        Primitive("records", "BytesChain", "records"),
    ]
}
# Values with a length before them: their spelling depends on the form, and they can be null.
SIZED = ("string", "bytes", "records")
NOT_IN_ARRAYS = ("bool", "records")


@dataclass
class Type:
    """`[]name` when `array`. One of `primitive`, `struct` and `message` is set once resolved."""

    name: str
    array: bool = False
    primitive: Primitive | None = None
    struct: "Struct | None" = None
    message: "Message | None" = None

    @property
    def composite(self):
        return self.struct or self.message


@dataclass
class Field:
    name: str
    type: Type
    versions: Range
    nullable: Range | None = None
    default: object = None
    has_default: bool = False
    tag: int | None = None
    ignorable: bool = False
    classic: bool = False
    doc: str = ""

    @property
    def optional(self):
        return self.nullable is not None

    @property
    def null_by_default(self):
        if self.optional and self.type.name == "records" and not self.has_default:
            return True
        return self.has_default and self.default is None


@dataclass
class Struct:
    name: str
    fields: list[Field] = dataclass_field(default_factory=list)

    def plain_fields(self):
        return [f for f in self.fields if f.tag is None]

    def tagged_fields(self):
        return sorted((f for f in self.fields if f.tag is not None), key=lambda f: f.tag)


@dataclass
class Message(Struct):
    """One encodable thing. `structs` are in the order in which C++ must see them."""

    role: str = "data"  # request, response, data or command
    versions: Range = Range(0, VERSION_MAX)
    flexible_min: int = VERSION_MAX
    structs: list[Struct] = dataclass_field(default_factory=list)
    key: int | None = None
    doc: str = ""

    @property
    def always_flexible(self):
        return self.flexible_min <= self.versions.low

    @property
    def never_flexible(self):
        return self.flexible_min > self.versions.high


@dataclass
class SchemaFile:
    path: str
    kind: str
    name: str
    messages: list[Message]
    key: int | None = None
    advertised_min: int | None = None
