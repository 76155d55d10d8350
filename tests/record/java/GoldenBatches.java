// Record batches as Apache Kafka's own client library writes them, for the tests of src/record.
//
//   java -cp <kafka-clients and its compression jars> GoldenBatches.java write src/record/testdata
//   java -cp … GoldenBatches.java read <directory of .hex files>   prints what Kafka reads in them
//
// "write" makes one .hex file per case. The compressed ones depend on the versions of the
// compression libraries, so the files are committed and not made again by the tests.
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.TreeMap;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;

public class GoldenBatches {
  static final long T0 = 1_700_000_000_000L;

  public static void main(String[] args) throws Exception {
    if (args.length == 2 && args[0].equals("write")) write(Path.of(args[1]));
    else if (args.length == 2 && args[0].equals("read")) read(Path.of(args[1]));
    else throw new IllegalArgumentException("usage: write|read <directory>");
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static MemoryRecordsBuilder builder(Compression compression, TimestampType type, long appendTime,
      long producerId, short epoch, int sequence, boolean transactional, long deleteHorizon) {
    return new MemoryRecordsBuilder(new ByteBufferOutputStream(512), RecordBatch.MAGIC_VALUE_V2,
        compression, type, 0L, appendTime, producerId, epoch, sequence, transactional, false, 7,
        1 << 20, deleteHorizon);
  }

  // Twenty records with every shape of key, value, header and timestamp delta.
  static MemoryRecords mixed(Compression compression) {
    MemoryRecordsBuilder b = builder(compression, TimestampType.CREATE_TIME,
        RecordBatch.NO_TIMESTAMP, 4711L, (short) 3, 17, false, RecordBatch.NO_TIMESTAMP);
    for (int i = 0; i < 20; i++) {
      byte[] key = i % 4 == 0 ? null : i % 4 == 1 ? new byte[0] : bytes("key-" + i);
      byte[] value = i % 5 == 0 ? null : i % 5 == 1 ? new byte[0] : bytes("value ".repeat(i));
      Header[] headers = new Header[i % 3];
      for (int h = 0; h < headers.length; h++)
        headers[h] = new RecordHeader("h" + h, h == 0 ? bytes("v" + i) : null);
      long timestamp = T0 + (i % 7) * 1000L - (i == 3 ? 50_000L : 0L);
      b.append(timestamp, key, value, headers);
    }
    return b.build();
  }

  // More than one block of the framings: 100 records of 1 KiB.
  static MemoryRecords large(Compression compression) {
    MemoryRecordsBuilder b = builder(compression, TimestampType.CREATE_TIME,
        RecordBatch.NO_TIMESTAMP, -1L, (short) -1, -1, false, RecordBatch.NO_TIMESTAMP);
    for (int i = 0; i < 100; i++) b.append(T0 + i, bytes("k" + i), bytes("0123456789abcdef".repeat(64)));
    return b.build();
  }

  static MemoryRecords simple(MemoryRecordsBuilder b) {
    b.append(T0, bytes("k"), bytes("v"));
    b.append(T0 + 5, bytes("k"), null);
    return b.build();
  }

  static void write(Path directory) throws Exception {
    TreeMap<String, MemoryRecords> cases = new TreeMap<>();
    for (CompressionType type : CompressionType.values()) {
      Compression compression = Compression.of(type).build();
      cases.put("mixed_" + type.name, mixed(compression));
      if (type != CompressionType.NONE) cases.put("large_" + type.name, large(compression));
    }
    Compression none = Compression.NONE;
    cases.put("log_append_time", simple(builder(none, TimestampType.LOG_APPEND_TIME, T0 + 99, -1L,
        (short) -1, -1, false, RecordBatch.NO_TIMESTAMP)));
    cases.put("transactional", simple(builder(none, TimestampType.CREATE_TIME,
        RecordBatch.NO_TIMESTAMP, 9L, (short) 1, 0, true, RecordBatch.NO_TIMESTAMP)));
    cases.put("delete_horizon", simple(builder(none, TimestampType.CREATE_TIME,
        RecordBatch.NO_TIMESTAMP, -1L, (short) -1, -1, false, T0 + 86_400_000L)));
    for (ControlRecordType type : new ControlRecordType[] {ControlRecordType.COMMIT, ControlRecordType.ABORT})
      cases.put("marker_" + type.name().toLowerCase(), MemoryRecords.withEndTransactionMarker(
          1234L, T0, 7, 4711L, (short) 3, new EndTransactionMarker(type, 42)));
    for (var entry : cases.entrySet()) {
      ByteBuffer buffer = entry.getValue().buffer().duplicate();
      byte[] raw = new byte[buffer.remaining()];
      buffer.get(raw);
      String hex = HexFormat.of().formatHex(raw).replaceAll("(.{100})", "$1\n");
      Files.writeString(directory.resolve(entry.getKey() + ".hex"), hex.stripTrailing() + "\n");
    }
  }

  static String text(ByteBuffer buffer) {
    if (buffer == null) return "null";
    byte[] raw = new byte[buffer.remaining()];
    buffer.duplicate().get(raw);
    return HexFormat.of().formatHex(raw);
  }

  static void read(Path directory) throws Exception {
    try (var files = Files.list(directory)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".hex")).sorted().toList()) {
        byte[] raw = HexFormat.of().parseHex(Files.readString(file).replaceAll("\\s", ""));
        System.out.println("file " + file.getFileName());
        for (MutableRecordBatch batch : MemoryRecords.readableRecords(ByteBuffer.wrap(raw)).batches()) {
          batch.ensureValid();
          System.out.println("batch " + batch.baseOffset() + " " + batch.lastOffset() + " "
              + batch.compressionType().name + " " + batch.maxTimestamp() + " " + batch.producerId()
              + " " + batch.producerEpoch() + " " + batch.baseSequence() + " "
              + batch.isTransactional() + " " + batch.isControlBatch());
          for (Record record : batch) {
            System.out.print(record.offset() + " " + record.timestamp() + " " + text(record.key())
                + " " + text(record.value()));
            for (Header header : record.headers())
              System.out.print(" " + header.key() + "="
                  + (header.value() == null ? "null" : HexFormat.of().formatHex(header.value())));
            System.out.println();
          }
        }
      }
    }
  }
}
