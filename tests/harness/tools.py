"""Kafka's command line tools, each by its own main, in one JVM against one broker."""
from harness import agents, installs
from harness.case import SharedBrokerCase

TOOLS = "org.apache.kafka.tools."


class ToolCase(SharedBrokerCase):
    needs = (installs.java,)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.java = agents.java(cls.fleet.work)
        cls.addClassCleanup(cls.java.close)

    def tool(self, name, *args, status=0, stdin=""):
        """Standard output of a tool that must end with `status`; `complaint` is its standard error."""
        return self.tool_args(name, ["--bootstrap-server", self.broker.address, *args], status, stdin)

    def tool_args(self, name, args, status=0, stdin=""):
        """The same for a tool that takes a verb first."""
        done = self.java.call("tool", main=TOOLS + name, args=list(args), stdin=stdin)
        self.assertEqual(done["status"], status, f"{done['out']}\n{done['err']}")
        self.complaint = done["err"]
        return done["out"]
