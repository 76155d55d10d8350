import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.HashMap;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/** The Java admin client: one call each, its exception or its result. */
final class AdminOps {
  private AdminOps() {}

  static JsonNode run(JsonNode command) throws Exception {
    try (Admin admin = Admin.create(RecordOps.properties(command))) {
      switch (command.get("op").asText()) {
        case "create_topic": return createTopic(admin, command);
        case "delete_topic": admin.deleteTopics(List.of(topic(command))).all().get(); return Agent.JSON.createObjectNode();
        case "create_partitions":
          admin.createPartitions(Map.of(topic(command), NewPartitions.increaseTo(command.get("partitions").asInt()))).all().get();
          return Agent.JSON.createObjectNode();
        case "create_topics": return createTopics(admin, command);
        case "describe_topic": return describeTopic(admin, command);
        case "describe_cluster": return describeCluster(admin);
        case "list_offsets": return listOffsets(admin, command);
        case "delete_records": return deleteRecords(admin, command);
        case "describe_configs": return describeConfigs(admin, command);
        case "alter_configs": return alterConfigs(admin, command);
        default: throw new IllegalArgumentException("no operation " + command.get("op"));
      }
    }
  }

  private static String topic(JsonNode command) {
    return command.get("topic").asText();
  }

  /** Deletes the topic and creates it anew with as many partitions, while a producer that knows it stays open. */
  static void recreate(JsonNode command) {
    try (Admin admin = Admin.create(RecordOps.properties(command))) {
      int partitions = admin.describeTopics(List.of(topic(command))).allTopicNames().get().get(topic(command)).partitions().size();
      admin.deleteTopics(List.of(topic(command))).all().get();
      admin.createTopics(List.of(new NewTopic(topic(command), partitions, (short) 1))).all().get();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private static JsonNode createTopic(Admin admin, JsonNode command) throws Exception {
    Map<String, String> configs = new HashMap<>();
    command.path("topic_config").properties().forEach(e -> configs.put(e.getKey(), e.getValue().asText()));
    Optional<Integer> partitions = command.has("partitions") ? Optional.of(command.get("partitions").asInt()) : Optional.empty();
    Optional<Short> factor = command.has("replication") ? Optional.of((short) command.get("replication").asInt()) : Optional.empty();
    var result = admin.createTopics(List.of(new NewTopic(topic(command), partitions, factor).configs(configs)));
    result.all().get();
    ObjectNode answer = Agent.JSON.createObjectNode().put("partitions", result.numPartitions(topic(command)).get())
        .put("replication", result.replicationFactor(topic(command)).get()).put("id", result.topicId(topic(command)).get().toString());
    ObjectNode effective = answer.putObject("config");
    result.config(topic(command)).get().entries().forEach(e -> effective.put(e.name(), e.value()));
    return answer;
  }

  /** Many topics of one partition in one request; gives how many the broker then lists. */
  private static JsonNode createTopics(Admin admin, JsonNode command) throws Exception {
    List<NewTopic> topics = new ArrayList<>();
    for (int i = 0; i < command.get("count").asInt(); ++i) {
      topics.add(new NewTopic(topic(command) + "-" + i, 1, (short) 1));
    }
    admin.createTopics(topics).all().get();
    return Agent.JSON.createObjectNode().put("listed", admin.listTopics().names().get().size());
  }

  private static JsonNode describeTopic(Admin admin, JsonNode command) throws Exception {
    TopicDescription found = admin.describeTopics(List.of(topic(command))).allTopicNames().get().get(topic(command));
    ObjectNode answer = Agent.JSON.createObjectNode().put("id", found.topicId().toString());
    ArrayNode leaders = answer.putArray("leaders");
    found.partitions().forEach(p -> leaders.add(p.leader() == null ? -1 : p.leader().id()));
    return answer;
  }

  private static JsonNode describeCluster(Admin admin) throws Exception {
    var found = admin.describeCluster();
    ObjectNode answer = Agent.JSON.createObjectNode().put("cluster", found.clusterId().get()).put("controller", found.controller().get().id());
    ArrayNode nodes = answer.putArray("nodes");
    found.nodes().get().forEach(node -> nodes.add(node.id() + "@" + node.host() + ":" + node.port()));
    return answer;
  }

  private static JsonNode listOffsets(Admin admin, JsonNode command) throws Exception {
    OffsetSpec spec;
    switch (command.get("spec").asText()) {
      case "earliest": spec = OffsetSpec.earliest(); break;
      case "latest": spec = OffsetSpec.latest(); break;
      case "max_timestamp": spec = OffsetSpec.maxTimestamp(); break;
      default: spec = OffsetSpec.forTimestamp(command.get("spec").asLong());
    }
    TopicPartition at = new TopicPartition(topic(command), command.get("partition").asInt());
    var found = admin.listOffsets(Map.of(at, spec)).partitionResult(at).get();
    return Agent.JSON.createObjectNode().put("offset", found.offset()).put("timestamp", found.timestamp());
  }

  private static JsonNode deleteRecords(Admin admin, JsonNode command) throws Exception {
    TopicPartition at = new TopicPartition(topic(command), command.get("partition").asInt());
    var deleted = admin.deleteRecords(Map.of(at, RecordsToDelete.beforeOffset(command.get("before").asLong())));
    return Agent.JSON.createObjectNode().put("low", deleted.lowWatermarks().get(at).get().lowWatermark());
  }

  private static ConfigResource resource(JsonNode command) {
    return command.has("topic") ? new ConfigResource(ConfigResource.Type.TOPIC, topic(command))
        : new ConfigResource(ConfigResource.Type.BROKER, command.get("broker").asText());
  }

  private static JsonNode describeConfigs(Admin admin, JsonNode command) throws Exception {
    ConfigResource resource = resource(command);
    ObjectNode answer = Agent.JSON.createObjectNode();
    ObjectNode entries = answer.putObject("config");
    for (ConfigEntry e : admin.describeConfigs(List.of(resource)).all().get().get(resource).entries()) {
      entries.putObject(e.name()).put("value", e.value()).put("source", e.source().name()).put("read_only", e.isReadOnly())
          .put("type", e.type().name());
    }
    return answer;
  }

  private static JsonNode alterConfigs(Admin admin, JsonNode command) throws Exception {
    List<AlterConfigOp> operations = new ArrayList<>();
    for (JsonNode change : command.get("changes")) {
      operations.add(new AlterConfigOp(new ConfigEntry(change.get(1).asText(), change.get(2).asText()),
          AlterConfigOp.OpType.valueOf(change.get(0).asText())));
    }
    admin.incrementalAlterConfigs(Map.of(resource(command), operations)).all().get();
    return Agent.JSON.createObjectNode();
  }
}
