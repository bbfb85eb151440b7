"""Notifies the addresses of TARGETS, one after the other, with Apprise; prints for each whether it was taken.

A target may name hosts of its vendor; what goes there is led to its contract server, with the vendor's
name as the Host, and else as Apprise makes it.
"""
import json, os
from urllib.parse import urlsplit, urlunsplit
import apprise
import requests

routes = {}
send = requests.adapters.HTTPAdapter.send


def led(adapter, request, **options):
    parts = urlsplit(request.url)
    server = routes.get(parts.hostname)
    if server is None:
        if parts.hostname != "127.0.0.1":
            raise requests.exceptions.ConnectionError(f"nothing leads to {parts.hostname}")
        return send(adapter, request, **options)
    request.headers["Host"] = parts.netloc
    request.url = urlunsplit(("http", urlsplit(server).netloc, parts.path, parts.query, ""))
    return send(adapter, request, **options)


requests.adapters.HTTPAdapter.send = led
for target in json.loads(os.environ["TARGETS"]):
    routes.clear()
    routes.update({host: target["server"] for host in target["hosts"]})
    one = apprise.Apprise()
    added = one.add(target["url"])
    sent = added and one.notify(title="api.example.com is down", body="HTTP 503 from 3 regions", notify_type="failure")
    print(json.dumps({"kind": target["kind"], "added": bool(added), "sent": bool(sent)}), flush=True)
