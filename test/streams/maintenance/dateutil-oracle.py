"""Occurrences of recurrence rules, by python-dateutil: for the rules of CASES, a list of objects.

Each case has rrule, zone, first (YYYY-MM-DD), at (HH:MM), to (YYYY-MM-DD). Printed is a list of
lists of instants in epoch ms. A local time that does not exist becomes the first instant at which
the clocks of the zone show that time or a later one; one that occurs twice is its first occurrence.
"""
import json
import os
from datetime import datetime, timedelta, timezone

from dateutil import rrule, tz

MINUTE = timedelta(minutes=1)


def wall(at, zone):
    return at.astimezone(zone).replace(tzinfo=None)


def instant(local, zone):
    aware = local.replace(tzinfo=zone, fold=0)
    if tz.datetime_exists(aware):
        return aware.astimezone(timezone.utc)
    # Within a gap: walk to its end, which lies on a whole minute.
    at = (local - timedelta(days=2)).replace(tzinfo=timezone.utc)
    low, high = 0, 4 * 24 * 60
    while low < high:
        middle = (low + high) // 2
        if wall(at + middle * MINUTE, zone) >= local:
            high = middle
        else:
            low = middle + 1
    return at + low * MINUTE


def occurrences(case):
    zone = tz.gettz(case["zone"])
    first = datetime.fromisoformat(f"{case['first']}T{case['at']}")
    last = datetime.fromisoformat(f"{case['to']}T23:59")
    found = rrule.rrulestr(case["rrule"], dtstart=first).between(first, last, inc=True)
    return [round(instant(local, zone).timestamp() * 1000) for local in found]


print(json.dumps([occurrences(case) for case in json.loads(os.environ["CASES"])]))
