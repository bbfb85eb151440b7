"""Opens, notes and ends a ticket at each desk of SERVERS, with the clients that other people wrote.

What goes to a vendor is led to its contract server, and is else as the client makes it.
"""
import json, os, warnings
from urllib.parse import urlsplit, urlunsplit

warnings.simplefilter("ignore")
import requests

servers = json.loads(os.environ["SERVERS"])
hosts = {"acme.atlassian.net": servers["jira"], "acme.zendesk.com": servers["zendesk"], "acme.service-now.com": servers["servicenow"]}
send = requests.adapters.HTTPAdapter.send


def led(adapter, request, **options):
    parts = urlsplit(request.url)
    if parts.hostname not in hosts:
        raise requests.exceptions.ConnectionError(f"nothing leads to {parts.hostname}")
    asked = request.url
    request.url = urlunsplit(("http", urlsplit(hosts[parts.hostname]).netloc, parts.path, parts.query, ""))
    response = send(adapter, request, **options)
    response.url = request.url = asked
    return response


requests.adapters.HTTPAdapter.send = led
TITLE, KEY = "api.example.com is down", "svc-inc-0198f0c4-7b11-7aa0-8c3e-5a1d2e3f4a5b"


def document(text):
    return {"type": "doc", "version": 1, "content": [{"type": "paragraph", "content": [{"type": "text", "text": text}]}]}


def jira():
    from jira import JIRA

    site = JIRA(
        "https://acme.atlassian.net",
        basic_auth=("ops@example.com", "ATATT0123456789abcdef"),
        options={"rest_api_version": "3"},
        get_server_info=False,
        max_retries=0,
    )
    fields = {"project": {"key": "OPS"}, "issuetype": {"name": "Task"}, "summary": TITLE, "labels": [KEY], "description": document("HTTP 503")}
    issue = site.create_issue(fields=fields, prefetch=False)
    site.add_comment(issue.key, document("Acknowledged."))
    [way] = site.transitions(issue.key)
    site.transition_issue(issue.key, way["id"])
    return issue.key


def zendesk():
    from zenpy import Zenpy
    from zenpy.lib.api_objects import Comment, Ticket

    account = Zenpy(subdomain="acme", email="agent@example.com", token="zd0123456789abcdef")
    note = Comment(body="HTTP 503", public=False)
    made = account.tickets.create(Ticket(subject=TITLE, comment=note, priority="urgent", type="incident", external_id=KEY)).ticket
    [found] = list(account.tickets(external_id=KEY))
    account.tickets.update(Ticket(id=found.id, status="solved", comment=Comment(body="Recovered.", public=False)))
    return made.id


def servicenow():
    import pysnow

    table = pysnow.Client(instance="acme", user="svc.alerts", password="pa55-word-of-now").resource(api_path="/table/incident")
    made = table.create(payload={"short_description": TITLE, "urgency": "1", "impact": "1", "correlation_id": KEY}).one()
    end = {"state": "6", "close_code": "Solution provided", "close_notes": "Recovered."}
    table.update(query={"correlation_id": KEY}, payload=end)
    return made["number"]


for desk in (jira, zendesk, servicenow):
    print(json.dumps({"kind": desk.__name__, "made": str(desk())}), flush=True)
