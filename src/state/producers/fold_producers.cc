#include <limits>

#include "state/commands/allocate_producer_ids.h"
#include "state/commands/expire_producers.h"
#include "state/fold.h"
#include "state/limits.h"

namespace weir::state {

void fold(FoldContext& context, const command::AllocateProducerIds& command, Verdict& verdict) {
  if (command.count < 1 || command.count > kProducerIdBlockMax)
    return verdict.refuse(Refusal::malformed);
  std::int64_t first = context.tables.meta->next_producer_id;
  if (first > std::numeric_limits<std::int64_t>::max() - command.count)
    return verdict.refuse(Refusal::limit_reached);
  context.tables.edit_meta([&](MetaValues& meta) { meta.next_producer_id += command.count; });
  verdict.item(Refusal::none, first);
}

void fold(FoldContext& context, const command::ExpireProducers& command, Verdict& verdict) {
  ProducerTable& producers = context.tables.producers;
  for (const auto& item : command.producers) {
    const Producer* producer = producers.find(ProducerId(item.producer_id));
    if (producer == nullptr) {
      verdict.item(Refusal::not_found);
    } else if (producer->last_position().value != static_cast<std::uint64_t>(item.last_position)) {
      verdict.item(Refusal::guard_mismatch);
    } else {
      producers.expire(context.ledger(), producer->id());
      verdict.item(Refusal::none);
    }
  }
}

}  // namespace weir::state
