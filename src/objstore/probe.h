// The start-up probe: whether a store keeps the promises that everything above relies on.
//
//   of racing creators of one name exactly one wins, twice, and a later one loses
//   a replacement of a named version replaces no other
//   what was written is read at once, in its newest form, and listed at once
//
// A store that fails is refused with a sentence that names what is missing. That it passed is
// written into the bucket, so that restarts ask one GET. The mark names the store's URL: a copied
// bucket, or another way to reach it, is probed again. It costs about thirty requests, and what it
// wrote is deleted. Format of the mark: docs/formats/probe-mark.md.
#pragma once

#include "objstore/object_store.h"
#include "rt/loop.h"
#include "rt/random.h"

namespace weir::objstore {

inline constexpr const char* kProbeMark = "probe/passed";

struct ProbeParts {
  ObjectStore& store;
  rt::Loop& loop;
  rt::Random& random;
};
/// True if a mark made the probe unnecessary. Errors: unsupported (the store lacks something;
/// refuse to run), configuration (a permission, no such bucket), others (the store is in trouble:
/// try again). Parts outlive the task.
rt::Task<Result<bool>> probe_store(ProbeParts parts);

/// The body of the mark for the store that is described so.
std::string probe_mark(std::string_view description);

}  // namespace weir::objstore
