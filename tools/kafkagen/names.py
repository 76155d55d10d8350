"""Names: how a schema's words are spelled in C++ and in file names."""

import re

CPP_KEYWORDS = frozenset(
    """alignas alignof and asm auto bitand bitor bool break case catch char class compl concept const
    consteval constexpr constinit continue co_await co_return co_yield decltype default delete do double
    else enum explicit export extern false float for friend goto if inline int long mutable namespace new
    noexcept not nullptr operator or private protected public register requires return short signed sizeof
    static struct switch template this throw true try typedef typeid typename union unsigned using virtual
    void volatile while xor""".split()
)

FIELD_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*\Z")
TYPE_NAME = re.compile(r"[A-Z][A-Za-z0-9]*\Z")


def snake(name):
    """`FetchRequest` -> `fetch_request`, `TopicIDs` -> `topic_ids`."""
    name = re.sub(r"([A-Z]+)([A-Z][a-z](?!\b))", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def member(name):
    return name + "_" if name in CPP_KEYWORDS else name
