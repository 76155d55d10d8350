// Leaking on purpose: what a killed process leaves behind.
#pragma once

namespace weir::rt::sim {

/// Tells a leak checker, if there is one, that the object at `address` and all that it refers to
/// are meant to stay.
void leak_on_purpose(const void* address);

}  // namespace weir::rt::sim
