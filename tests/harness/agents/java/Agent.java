import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;

/** Kafka's Java client for the tests: one JSON command a line in, one JSON answer a line out (see harness/agents.py). */
public final class Agent {
  private static final int TEXT_CHARS_MAX = 256 << 20;
  static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
      .streamReadConstraints(StreamReadConstraints.builder().maxStringLength(TEXT_CHARS_MAX).build()).build());

  private Agent() {}

  public static void main(String[] args) throws Exception {
    // Tools print to System.out; answers must not be mixed with that.
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      answers.println(JSON.writeValueAsString(answer(JSON.readTree(line))));
    }
    System.exit(0);
  }

  private static JsonNode answer(JsonNode command) {
    try {
      switch (command.get("op").asText()) {
        case "produce": return RecordOps.produce(command);
        case "consume": return RecordOps.consume(command);
        case "tool": return ToolOps.run(command);
        default: return AdminOps.run(command);
      }
    } catch (ExecutionException e) {
      return failure(e.getCause());
    } catch (Exception e) {
      return failure(e);
    }
  }

  /** The name of the exception is what a program written in Java would catch. */
  static ObjectNode failure(Throwable error) {
    return JSON.createObjectNode().put("error", error.getClass().getSimpleName()).put("message", String.valueOf(error.getMessage()));
  }
}
