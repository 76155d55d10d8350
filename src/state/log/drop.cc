#include "state/log/drop.h"

namespace weir::state {

void drop_below(Tables& tables, Slot partition, Offset start) {
  tables.ledger.edit(tables.partitions[partition], [&](Partition& unit, EditKey key) {
    unit.advance_start(key, start, [&](const Span& span) {
      tables.objects.release(tables.ledger, span.object, span.bytes);
      --tables.span_count;
    });
  });
}

void drop_partition(Tables& tables, Slot partition) {
  tables.ledger.edit(tables.partitions[partition], [&](Partition& unit, EditKey key) {
    unit.remove(key, [&](const Span& span) {
      tables.objects.release(tables.ledger, span.object, span.bytes);
      --tables.span_count;
    });
  });
}

}  // namespace weir::state
