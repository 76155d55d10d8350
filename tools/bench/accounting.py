"""What the operating system says that a process used: processor time, memory, bytes written; and what the machine is."""
import mmap
import os
import resource
import urllib.request

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
METRICS_SECONDS_MAX = 30


def cpu_seconds(pid):
    """User and system time of all threads of the process so far."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


def thread_cpu_seconds(pid, name):
    """The same of the threads of that name alone; threads that have ended are not counted."""
    nanoseconds = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/comm", encoding="utf-8", errors="replace") as file:
                if file.read().rstrip("\n") != name:
                    continue
            with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as file:
                nanoseconds += int(file.read().split()[0])
        except FileNotFoundError:
            continue
    return nanoseconds / 1e9


def _status_kib(pid, name):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith(name + ":"):
                return int(line.split()[1])
    raise ValueError(f"no {name} of process {pid}")


def rss_mib(pid):
    return _status_kib(pid, "VmRSS") / 1024


def peak_rss_mib(pid):
    """The greatest resident size since `reset_peak`, or since the start."""
    return _status_kib(pid, "VmHWM") / 1024


def reset_peak(pid):
    with open(f"/proc/{pid}/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def bytes_written(pid):
    """What the process has caused to be written to disk so far, at the latest when the page cache lets go of it."""
    with open(f"/proc/{pid}/io", encoding="ascii") as file:
        values = dict(line.split(": ") for line in file)
    return int(values["write_bytes"]) - int(values["cancelled_write_bytes"])


def children_cpu_seconds():
    """Of the children that ended and were waited for: a difference of two calls is the cost of the client between."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def parse_metrics(text):
    """{series: value} of Prometheus text."""
    rows = (line.rpartition(" ") for line in text.splitlines() if line and not line.startswith("#"))
    return {series: float(value) for series, _, value in rows}


def metrics(address):
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=METRICS_SECONDS_MAX) as answer:
        return parse_metrics(answer.read().decode())


def sum_of(values, name):
    """Of all series of one metric."""
    return sum(value for series, value in values.items() if series.partition("{")[0] == name)


def machine():
    """One line that says what was measured on."""
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    with open("/proc/meminfo", encoding="ascii") as file:
        memory_gib = int(file.readline().split()[1]) / (1 << 20)
    release = os.uname().release
    return f"{os.cpu_count()} x {model}, {memory_gib:.0f} GiB, Linux {release}"


def load():
    return os.getloadavg()[0]


def forget_cached_files(directory):
    """Takes what lies below `directory` out of the page cache, so that it has to come from the disk."""
    os.sync()
    for parent, _, names in os.walk(directory):
        for name in names:
            try:
                descriptor = os.open(os.path.join(parent, name), os.O_RDONLY)
            except OSError:
                continue
            try:
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(descriptor)


def back_free_memory(size):
    """Writes to `size` bytes of fresh memory and frees them.

    On a virtual machine whose idle memory goes back to the host, the first touch of a page costs ten times as much as
    later ones. Whoever is measured first after a pause would pay for both.
    """
    piece = bytes(1 << 20)
    with mmap.mmap(-1, size) as memory:
        for _ in range(size // len(piece)):
            memory.write(piece)
