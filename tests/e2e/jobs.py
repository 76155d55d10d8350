"""The jobs of one size: the git log, and a CSV file through each of the three producers in turn."""
from data import write_csv, write_git_log
from harness.case import new_work_directory
from main_job import KILLS

GIT_LOG_REPEAT = 20


class Jobs:
    """Mixed into a MainJob that sets `csv_mib`; the files are made once per class."""

    csv_mib = 0
    kills = KILLS
    brokers = 1  # of one directory; each kill takes one of them

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.directory = new_work_directory(cls.__name__)
        cls.addClassCleanup(cls._remove)
        cls.log, cls.csv = cls.directory / "log.jsonl", cls.directory / "rows.csv"
        cls.log_lines = write_git_log(cls.log, GIT_LOG_REPEAT)
        cls.csv_lines = write_csv(cls.csv, cls.csv_mib << 20, seed=1) + 1

    @classmethod
    def _remove(cls):
        for file in cls.directory.iterdir():
            file.unlink()
        cls.directory.rmdir()

    def test_git_log_through_the_java_console_tools(self):
        self.run_job("java console producer", "java console consumer", self.log, self.log_lines, kills=0)

    def test_csv_through_the_java_console_producer(self):
        self.run_job("java console producer", "kcat", self.csv, self.csv_lines, self.kills, self.brokers)

    def test_csv_through_kcat(self):
        self.run_job("kcat", "java console consumer", self.csv, self.csv_lines, self.kills, self.brokers)

    def test_csv_through_confluent_kafka(self):
        self.run_job("confluent-kafka", "kcat", self.csv, self.csv_lines, self.kills, self.brokers)

