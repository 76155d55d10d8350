// Which topic names a client may use (Kafka's rules), and which are ours.
#pragma once

#include <string>
#include <string_view>

#include "state/catalog.h"

namespace weir::broker {

/// Why `name` is not a topic name, as a sentence; empty when it is one: 1 … 249 of [a-zA-Z0-9._-],
/// neither "." nor "..".
std::string topic_name_problem(std::string_view name);

/// Names that Kafka uses for its own topics. weir has no such topics; nobody may create them, and
/// they are listed as absent.
bool is_reserved_topic(std::string_view name);

/// The name with '.' as '_': two topics may not be equal in this form.
std::string collision_form(std::string_view name);

/// An existing topic that collides with `name` ('.' against '_') without being equal; empty if
/// there is none. Costs one walk over the names that share the prefix before the first '.' or '_'.
std::string colliding_topic(const state::Catalog& catalog, std::string_view name);

}  // namespace weir::broker
