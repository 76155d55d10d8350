import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.utils.internals.Exit;

/** Runs the main of one of Kafka's command line tools in this JVM, with its standard streams held. */
final class ToolOps {
  private ToolOps() {}

  /** Thrown in place of leaving the JVM. */
  private static final class Left extends Error {
    private static final long serialVersionUID = 1;
  }

  static JsonNode run(JsonNode command) throws ReflectiveOperationException {
    String[] args = new String[command.get("args").size()];
    for (int i = 0; i < args.length; ++i) {
      args[i] = command.get("args").get(i).asText();
    }
    // A tool that catches the first Left calls exit again: the first status is the tool's own.
    Integer[] status = {null};
    Exit.Procedure leave = (code, message) -> {
      status[0] = status[0] == null ? Integer.valueOf(code) : status[0];
      throw new Left();
    };
    Exit.setExitProcedure(leave);
    Exit.setHaltProcedure(leave);
    // A tool that relies on the end of its process to send what is left gets that end here.
    java.util.List<Runnable> hooks = new java.util.ArrayList<>();
    Exit.setShutdownHookAdder((name, hook) -> hooks.add(hook));
    PrintStream out = System.out;
    PrintStream err = System.err;
    InputStream in = System.in;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    ByteArrayOutputStream complained = new ByteArrayOutputStream();
    try {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      System.setErr(new PrintStream(complained, true, StandardCharsets.UTF_8));
      System.setIn(new ByteArrayInputStream(command.path("stdin").asText("").getBytes(StandardCharsets.UTF_8)));
      Class.forName(command.get("main").asText()).getMethod("main", String[].class).invoke(null, (Object) args);
    } catch (InvocationTargetException e) {
      if (!(e.getCause() instanceof Left)) {
        e.getCause().printStackTrace(System.err);
        status[0] = status[0] == null ? Integer.valueOf(1) : status[0];
      }
    } finally {
      hooks.forEach(Runnable::run);
      System.out.flush();
      System.setOut(out);
      System.setErr(err);
      System.setIn(in);
    }
    return Agent.JSON.createObjectNode().put("status", status[0] == null ? 0 : status[0])
        .put("out", printed.toString(StandardCharsets.UTF_8)).put("err", complained.toString(StandardCharsets.UTF_8));
  }
}
