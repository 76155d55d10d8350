import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Writes and reads records; consumers are assigned their partitions, so no group is needed. */
final class RecordOps {
  private static final Duration POLL = Duration.ofMillis(500);
  private static final long CONSUME_MS_MAX = 60_000;

  private RecordOps() {}

  static Properties properties(JsonNode command) {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", command.get("bootstrap").asText());
    if (command.has("config")) {
      command.get("config").properties().forEach(e -> properties.put(e.getKey(), e.getValue().asText()));
    }
    return properties;
  }

  private static byte[] bytes(JsonNode node) throws IOException {
    return node.isNull() ? null : node.binaryValue();
  }

  static JsonNode produce(JsonNode command) throws IOException, InterruptedException {
    Properties properties = properties(command);
    properties.putIfAbsent("compression.type", command.get("codec").asText());
    properties.putIfAbsent("linger.ms", "20");
    if (command.has("acks")) {
      properties.put("acks", command.get("acks").asText());
    }
    if (command.has("idempotent")) {
      properties.put("enable.idempotence", command.get("idempotent").asText());
    }
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    ArrayNode results = Agent.JSON.createArrayNode();
    try (var producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
      int number = 0;
      for (JsonNode record : command.get("records")) {
        if (number++ == command.path("recreate_at").asInt(-1)) {
          producer.flush();
          AdminOps.recreate(command);
        }
        Long timestamp = record.get("timestamp").isNull() ? null : record.get("timestamp").asLong();
        Integer partition = record.get("partition").isNull() ? null : record.get("partition").asInt();
        var out = new ProducerRecord<>(command.get("topic").asText(), partition, timestamp, bytes(record.get("key")), bytes(record.get("value")));
        for (JsonNode header : record.get("headers")) {
          out.headers().add(header.get(0).asText(), bytes(header.get(1)));
        }
        sent.add(producer.send(out));
      }
      producer.flush();
      for (Future<RecordMetadata> one : sent) {
        try {
          RecordMetadata stored = one.get();
          results.addObject().put("offset", stored.offset()).put("timestamp", stored.timestamp()).put("partition", stored.partition());
        } catch (ExecutionException e) {
          results.add(Agent.failure(e.getCause()));
        }
      }
    }
    return Agent.JSON.createObjectNode().set("results", results);
  }

  static JsonNode consume(JsonNode command) {
    Properties properties = properties(command);
    properties.putIfAbsent("auto.offset.reset", "none");
    Map<TopicPartition, Long> ends = new HashMap<>();
    Map<TopicPartition, Long> starts = new HashMap<>();
    command.get("until").properties().forEach(e -> {
      TopicPartition at = new TopicPartition(command.get("topic").asText(), Integer.parseInt(e.getKey()));
      long start = command.get("start").get(e.getKey()).asLong();
      if (start < e.getValue().asLong()) {
        ends.put(at, e.getValue().asLong());
        starts.put(at, start);
      }
    });
    ArrayNode records = Agent.JSON.createArrayNode();
    long deadline = System.currentTimeMillis() + CONSUME_MS_MAX;
    try (var consumer = new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.assign(ends.keySet());
      starts.forEach(consumer::seek);
      while (!ends.isEmpty()) {
        if (System.currentTimeMillis() > deadline) {
          return Agent.failure(new IllegalStateException(records.size() + " records, then nothing from " + ends));
        }
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          Long end = ends.get(new TopicPartition(record.topic(), record.partition()));
          if (end != null && record.offset() < end) {
            records.add(json(record));
          }
        }
        // A hole at the end (a control batch, a compacted record) has no record to show that it was passed.
        ends.entrySet().removeIf(e -> consumer.position(e.getKey()) >= e.getValue());
      }
    }
    return Agent.JSON.createObjectNode().set("records", records);
  }

  private static ObjectNode json(ConsumerRecord<byte[], byte[]> record) {
    ObjectNode fields = Agent.JSON.createObjectNode().put("partition", record.partition()).put("offset", record.offset())
        .put("key", record.key()).put("value", record.value()).put("timestamp", record.timestamp());
    ArrayNode headers = fields.putArray("headers");
    for (Header header : record.headers()) {
      headers.addArray().add(header.key()).add(header.value());
    }
    return fields;
  }
}
