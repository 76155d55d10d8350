import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * An idempotent producer and a consumer that outlive their brokers.
 *
 * <p>KillClient BOOTSTRAP TOPIC PARTITIONS RECORDS_PER_SECOND. Creates the topic, writes numbers 0, 1, 2, … to each partition and prints one
 * line per event: "A partition number offset sent-ms acked-ms" for an acknowledgement, "F partition number error" for a
 * failure, "R partition number offset" for a record read. "kill PID" on standard input makes it kill that process at the
 * next acknowledgement, from within the callback, and print "K acked-ms killed-ms". "stop" ends it: it flushes, reads up
 * to what was sent, prints "E partition count" for each partition and leaves.
 */
public final class KillClient {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final long CATCH_UP_MS_MAX = 30_000;

  private final String bootstrap;
  private final String topic;
  private final int partitions;
  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicLong victim = new AtomicLong();
  private final long[] sent;

  private KillClient(String bootstrap, String topic, int partitions) {
    this.bootstrap = bootstrap;
    this.topic = topic;
    this.partitions = partitions;
    this.sent = new long[partitions];
  }

  public static void main(String[] args) throws Exception {
    KillClient client = new KillClient(args[0], args[1], Integer.parseInt(args[2]));
    int perSecond = Integer.parseInt(args[3]);
    try (Admin admin = Admin.create(client.common())) {
      admin.createTopics(List.of(new NewTopic(client.topic, client.partitions, (short) 1))).all().get();
    }
    Thread consumer = new Thread(client::consume, "consumer");
    Thread input = new Thread(client::obey, "input");
    input.setDaemon(true);
    input.start();
    consumer.start();
    client.produce(perSecond);
    consumer.join();
    for (int p = 0; p < client.partitions; ++p) {
      client.out.println("E " + p + " " + client.sent[p]);
    }
  }

  private void obey() {
    var commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try {
      for (String line = commands.readLine(); line != null && !line.equals("stop"); line = commands.readLine()) {
        victim.set(Long.parseLong(line.split(" ")[1]));
      }
    } catch (IOException e) {
      e.printStackTrace();
    }
    stop.set(true);
  }

  private void killAfter(long acked) {
    long process = victim.getAndSet(0);
    if (process != 0) {
      ProcessHandle.of(process).ifPresent(ProcessHandle::destroyForcibly);
      out.println("K " + acked + " " + System.currentTimeMillis());
    }
  }

  private Properties common() {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", bootstrap);
    properties.put("reconnect.backoff.ms", "20");
    properties.put("reconnect.backoff.max.ms", "200");
    properties.put("retry.backoff.ms", "20");
    properties.put("retry.backoff.max.ms", "200");
    properties.put("request.timeout.ms", "5000");
    return properties;
  }

  /** The number, and a text that follows from it and varies in length. */
  static String value(int partition, long number) {
    return partition + " " + number + " " + (number * 7919 + ".").repeat((int) (number % 97) + 1);
  }

  private void produce(int perSecond) throws InterruptedException {
    Properties properties = common();
    properties.put("acks", "all");
    properties.put("enable.idempotence", "true");
    properties.put("linger.ms", "2");
    properties.put("delivery.timeout.ms", "120000");
    properties.put("max.block.ms", "120000");
    try (var producer = new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer())) {
      long start = System.nanoTime();
      for (long n = 0; !stop.get(); ++n) {
        send(producer, (int) (n % partitions), n / partitions);
        long ahead = n * 1_000_000_000L / perSecond - (System.nanoTime() - start);
        if (ahead > 0) {
          Thread.sleep(ahead / 1_000_000, (int) (ahead % 1_000_000));
        }
      }
      producer.flush();
    }
  }

  private void send(KafkaProducer<String, String> producer, int partition, long number) {
    long at = System.currentTimeMillis();
    producer.send(new ProducerRecord<>(topic, partition, null, value(partition, number)), (stored, error) -> {
      if (error != null) {
        out.println("F " + partition + " " + number + " " + error);
      } else {
        long acked = System.currentTimeMillis();
        killAfter(acked);
        out.println("A " + partition + " " + number + " " + stored.offset() + " " + at + " " + acked);
      }
    });
    sent[partition] = number + 1;
  }

  private void consume() {
    Properties properties = common();
    properties.put("auto.offset.reset", "none");
    List<TopicPartition> all = new ArrayList<>();
    for (int p = 0; p < partitions; ++p) {
      all.add(new TopicPartition(topic, p));
    }
    try (var consumer = new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer())) {
      consumer.assign(all);
      all.forEach(at -> consumer.seek(at, 0));
      long deadline = Long.MAX_VALUE;
      while (System.currentTimeMillis() < deadline && !(stop.get() && caughtUp(consumer))) {
        if (stop.get() && deadline == Long.MAX_VALUE) {
          deadline = System.currentTimeMillis() + CATCH_UP_MS_MAX;
        }
        for (ConsumerRecord<String, String> record : consumer.poll(POLL)) {
          String[] words = record.value().split(" ", 3);
          long number = Long.parseLong(words[1]);
          boolean intact = record.value().equals(value(record.partition(), number));
          out.println((intact ? "R " : "F altered ") + record.partition() + " " + number + " " + record.offset());
        }
      }
    } catch (RuntimeException e) {
      out.println("F consumer " + e);
    }
  }

  private boolean caughtUp(KafkaConsumer<String, String> consumer) {
    for (int p = 0; p < partitions; ++p) {
      if (consumer.position(new TopicPartition(topic, p)) < sent[p]) {
        return false;
      }
    }
    return true;
  }
}
