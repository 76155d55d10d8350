"""The tools of Apache Kafka that an operator of a cluster uses: elections, reassignments, features, quorum, client metrics."""
import json
import re
import time
import unittest
import urllib.request

from harness.records import Record
from harness.tools import ToolCase
from harness.wait import until


class AdminTools(ToolCase):
    def create(self, *args, partitions=1):
        topic = self.topic()
        self.tool("TopicCommand", "--create", "--topic", topic, "--partitions", str(partitions), *args)
        return topic

    def plan(self, topic, replicas, **fields):
        path = self.fleet.work / f"{topic}.json"
        path.write_text(json.dumps({"version": 1, "partitions": [{"topic": topic, "partition": 0, "replicas": replicas, **fields}]}))
        return str(path)

    def test_no_leader_needs_to_be_elected(self):
        topic = self.create(partitions=2)
        elect = lambda *args, **more: self.tool("LeaderElectionCommand", *args, **more)
        for kind in ("preferred", "unclean"):
            shown = elect("--election-type", kind, "--topic", topic, "--partition", "1")
            self.assertEqual(shown.strip(), f"Valid replica already elected for partitions {topic}-1")
        self.assertEqual(elect("--election-type", "preferred", "--all-topic-partitions").strip(), "")
        shown = elect("--election-type", "preferred", "--topic", topic, "--partition", "7", status=1)
        self.assertIn(f"No such partition as {topic}-7", shown + self.complaint)

    def test_a_reassignment_to_what_is_there_is_completed(self):
        topic = self.create()
        plan = self.plan(topic, [1])
        reassign = lambda *args, **more: self.tool("reassign.ReassignPartitionsCommand", *args, **more)
        shown = reassign("--execute", "--reassignment-json-file", plan)
        self.assertIn(f"Successfully started partition reassignment for {topic}-0", shown)
        before = json.loads(next(line for line in shown.splitlines() if line.startswith("{")))
        self.assertEqual(before["partitions"][0]["replicas"], [1])
        shown = reassign("--verify", "--reassignment-json-file", plan)
        self.assertIn(f"Reassignment of partition {topic}-0 is completed.", shown)
        self.assertEqual(reassign("--list").strip(), "No partition reassignments found.")
        reassign("--cancel", "--reassignment-json-file", plan)

    def test_a_reassignment_that_cannot_be_is_refused(self):
        topic = self.create()
        shown = self.tool("reassign.ReassignPartitionsCommand", "--execute", "--reassignment-json-file", self.plan(topic, [5]), status=1)
        self.assertIn("Unknown broker id 5", shown + self.complaint)

    def test_a_move_to_another_log_directory_is_refused(self):
        topic = self.create()
        reassign = lambda directory, **more: self.tool("reassign.ReassignPartitionsCommand", "--execute", "--timeout", "2000",
                                                       "--reassignment-json-file", self.plan(topic, [1], log_dirs=[directory]), **more)
        self.assertIn(f"Successfully started moving log directory to store for replica {topic}-0", reassign("store"))
        shown = reassign("/elsewhere", status=1)
        self.assertIn("LogDirNotFoundException", shown + self.complaint)

    def test_features_are_described_and_keep_their_levels(self):
        features = lambda *args, **more: self.tool_args("FeatureCommand", ["--bootstrap-server", self.broker.address, *args], **more)
        shown = dict(re.findall(r"Feature: (\S+)\s+SupportedMinVersion: \S+\s+SupportedMaxVersion: \S+\s+FinalizedVersionLevel: (\S+)",
                                features("describe")))
        self.assertEqual(shown["metadata.version"], "4.4-IV2")
        self.assertEqual(shown["weir.version"], "1")
        self.assertIn("weir.version was upgraded to 1.", features("upgrade", "--feature", "weir.version=1"))
        refused = features("upgrade", "--feature", "weir.version=9", status=1)
        self.assertIn("Invalid update version 9 for feature weir.version", refused + self.complaint)
        refused = features("downgrade", "--feature", "metadata.version=20", status=1)
        self.assertIn("Invalid update version 20", refused + self.complaint)

    def test_the_quorum_is_the_commit_log(self):
        describe = lambda flag: self.tool_args("MetadataQuorumCommand", ["--bootstrap-server", self.broker.address, "describe", flag])
        read = lambda: dict(re.findall(r"^(\w+):\s+(.*)$", describe("--status"), re.MULTILINE))
        before = read()
        self.assertEqual((before["LeaderId"], before["MaxFollowerLag"], before["CurrentObservers"]), ("1", "0", "[]"))
        self.assertEqual(json.loads(before["CurrentVoters"])[0]["id"], 1)
        self.assertRegex(before["CurrentVoters"], rf"://127.0.0.1:{self.broker.port}")
        self.create()
        self.assertGreater(int(read()["HighWatermark"]), int(before["HighWatermark"]))
        self.assertRegex(describe("--replication"), r"\n1\s+\S+\s+\d+\s+0\s+\d+\s+\d+\s+Leader")

    def test_the_producers_of_a_partition_are_described(self):
        topic = self.create(partitions=2)
        describe = lambda *args, **more: self.tool_args(
            "TransactionsCommand", ["--bootstrap-server", self.broker.address, "describe-producers", "--topic", topic, *args], **more)
        rows = lambda shown: [line.split() for line in shown.splitlines() if line and line.split()[0].isdigit()]
        self.assertEqual(rows(describe("--partition", "0")), [])
        before = time.time() * 1000
        for _ in range(2):
            self.java.produce(self.broker.address, topic, [Record(b"v", partition=0)] * 10, idempotent=True)
        shown = describe("--partition", "0")
        self.assertRegex(shown, r"ProducerId\s+ProducerEpoch\s+LatestCoordinatorEpoch\s+LastSequence\s+LastTimestamp\s+CurrentTransactionStartOffset")
        found = rows(shown)
        self.assertEqual(len({row[0] for row in found}), 2, shown)
        for producer in found:
            self.assertEqual((producer[1], producer[2], producer[3], producer[5]), ("0", "-1", "9", "None"), shown)
            self.assertTrue(before - 60_000 < int(producer[4]) < before + 600_000, shown)
        self.assertEqual(rows(describe("--partition", "1")), [])
        # Asked of one broker by its number, which need not be the leader.
        self.assertEqual(len(rows(describe("--partition", "0", "--broker-id", "1"))), 2)

    def test_settings_of_a_group_are_changed_and_set_back(self):
        group = self.topic()
        entity = ("--entity-type", "groups", "--entity-name", group)
        describe = lambda *args: self.tool("ConfigCommand", "--describe", *entity, *args)
        self.assertIn("Completed updating config for group", self.tool(
            "ConfigCommand", "--alter", *entity, "--add-config", "consumer.session.timeout.ms=50000,consumer.heartbeat.interval.ms=7000"))
        shown = describe()
        self.assertIn("consumer.session.timeout.ms=50000 sensitive=false synonyms={DYNAMIC_GROUP_CONFIG:consumer.session.timeout.ms=50000", shown)
        self.assertIn("consumer.heartbeat.interval.ms=7000", shown)
        self.assertRegex(describe("--all"), r"consumer\.\S+=\S+ sensitive=false synonyms=\{")
        for bad, why in (("consumer.session.timeout.ms=1", "consumer.session.timeout.ms"), ("no.such.setting=1", "no.such.setting")):
            shown = self.tool("ConfigCommand", "--alter", *entity, "--add-config", bad, status=1)
            self.assertIn(why, shown + self.complaint)
        self.assertIn("consumer.session.timeout.ms=50000", describe(), "what was refused changed nothing")
        self.tool("ConfigCommand", "--alter", *entity, "--delete-config", "consumer.session.timeout.ms,consumer.heartbeat.interval.ms")
        self.assertNotIn("=50000", describe())

    def test_a_broker_that_is_not_there_cannot_be_unregistered(self):
        unregister = lambda node: self.tool_args("ClusterTool", ["unregister", "--bootstrap-server", self.broker.address, "--id", node],
                                                 status=1) + self.complaint
        self.assertIn("Broker ID 7 is not currently registered", unregister("7"))
        self.assertIn("stop its process", unregister("1"))
        shown = self.tool_args("ClusterTool", ["list-endpoints", "--bootstrap-server", self.broker.address])
        self.assertRegex(shown, rf"1\s+127.0.0.1\s+{self.broker.port}")

    def test_client_metrics_subscriptions_are_made_shown_and_deleted(self):
        metrics = lambda *args, **more: self.tool("ClientMetricsCommand", *args, **more)
        name = self.topic()
        self.assertIn(f"Altered client metrics config for {name}.",
                      metrics("--alter", "--name", name, "--metrics", "org.apache.kafka.producer.", "--interval", "5000",
                              "--match", "client_id=abc.*"))
        shown = metrics("--describe", "--name", name)
        self.assertIn(f"Client metrics configs for {name} are:", shown)
        for line in ("interval.ms=5000", "match=client_id=abc.*", "metrics=org.apache.kafka.producer."):
            self.assertIn(f"  {line}\n", shown)
        self.assertIn(name, metrics("--list").split())
        entity = ("--entity-type", "client-metrics", "--entity-name", name)
        self.assertIn("synonyms={DYNAMIC_CLIENT_METRICS_CONFIG:interval.ms=5000}",
                      self.tool("ConfigCommand", "--describe", "--all", *entity))
        for bad, why in (("interval.ms=5", "interval.ms"), ("foo=5", "Unknown client metrics configuration: foo"),
                         ("match=foo", "Illegal client matching pattern: foo")):
            shown = self.tool("ConfigCommand", "--alter", "--add-config", bad, *entity, status=1)
            self.assertIn(why, shown + self.complaint)
        self.assertIn(f"Deleted client metrics config for {name}.", metrics("--delete", "--name", name))
        self.assertNotIn(name, metrics("--list").split())

    def test_a_java_client_pushes_the_metrics_that_are_asked_for(self):
        topic = self.create()
        self.tool("ClientMetricsCommand", "--alter", "--name", self.topic(), "--metrics", "org.apache.kafka.consumer.fetch.manager.records",
                  "--interval", "200", "--match", "client_id=pusher")
        page = lambda: urllib.request.urlopen(f"{self.broker.admin}/metrics").read().decode()
        self.java.produce(self.broker.address, topic, [Record(b"v")] * 10)
        # It stays a while, for it waits for more records than there are.
        self.tool("consumer.ConsoleConsumer", "--topic", topic, "--partition", "0", "--offset", "earliest", "--timeout-ms", "3000",
                  "--command-property", "client.id=pusher")
        shown = until(lambda: [line for line in page().splitlines() if "weir_client_metric{" in line], 20, "pushed metrics")
        self.assertTrue(all('client_id="pusher"' in line for line in shown), shown)
        self.assertTrue(all('metric="org.apache.kafka.consumer.fetch.manager.records' in line for line in shown), shown)
        consumed = [line for line in shown if 'metric="org.apache.kafka.consumer.fetch.manager.records.consumed.total"' in line]
        self.assertTrue(any(line.endswith(" 10") for line in consumed), shown)
        self.tool("ClientMetricsCommand", "--delete", "--name", self.topic())

    def test_broker_configs_are_changed_and_set_back(self):
        entity = ("--entity-type", "brokers", "--entity-name", "1")
        self.tool("ConfigCommand", "--alter", *entity, "--add-config", "log.retention.ms=7200000")
        self.assertIn("DYNAMIC_BROKER_CONFIG:log.retention.ms=7200000", self.tool("ConfigCommand", "--describe", *entity))
        self.tool("ConfigCommand", "--alter", *entity, "--delete-config", "log.retention.ms")
        self.assertNotIn("log.retention.ms=7200000", self.tool("ConfigCommand", "--describe", *entity))
        everyone = ("--entity-type", "brokers", "--entity-default")
        self.tool("ConfigCommand", "--alter", *everyone, "--add-config", "log.retention.ms=3600000")
        self.assertIn("log.retention.ms=3600000", self.tool("ConfigCommand", "--describe", *everyone))
        self.tool("ConfigCommand", "--alter", *everyone, "--delete-config", "log.retention.ms")


if __name__ == "__main__":
    unittest.main()
