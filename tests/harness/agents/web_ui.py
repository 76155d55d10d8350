"""Drives the pages of kafka-viewer, a web UI on Streamlit, without a browser; prints what they show as one JSON line.

Runs in the interpreter that has it. Arguments: its properties file, the topic to be looked into.
"""
import json
import os
import sys

import kafka_viewer
from streamlit.testing.v1 import AppTest

PAGE_SECONDS_MAX = 60


def troubles(page):
    return [item.value for item in [*page.exception, *page.error, *page.warning]]


def main():
    properties, topic = sys.argv[1:]
    sys.argv = ["ui.py", "--config", properties]
    page = AppTest.from_file(os.path.join(os.path.dirname(kafka_viewer.__file__), "ui.py"), default_timeout=PAGE_SECONDS_MAX).run()
    shown = {"troubles": troubles(page), "topics": page.selectbox[0].options if page.selectbox else []}
    if topic in shown["topics"]:
        page.selectbox[0].select(topic)
        page.text_input[0].set_value("looker")
        page.radio[0].set_value("From beginning")
        page.run()
        next(button for button in page.button if button.label == "Load Messages").click()
        page.run()
        shown["troubles"] += troubles(page)
        shown["values"] = [code.value for code in page.code]
        shown["places"] = [[item["Partition"], item["Offset"]] for item in (json.loads(cell.value) for cell in page.json)]
        shown["figures"] = {metric.label: metric.value for metric in page.metric}
    print(json.dumps(shown))


if __name__ == "__main__":
    main()
