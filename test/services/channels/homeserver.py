"""Runs Synapse on 127.0.0.1:PORT for the domain example.org, with its files in FOLDER, until its input ends."""
import base64
import os
import sys
import threading

folder, port = os.environ["FOLDER"], os.environ["PORT"]
path = os.path.join(folder, "homeserver.yaml")
key = base64.b64encode(os.urandom(32)).decode().rstrip("=")
often = "{per_second: 1000, burst_count: 1000}"
with open(path, "w") as file:
    file.write(f"""
server_name: example.org
pid_file: {folder}/pid
signing_key: "ed25519 test {key}"
media_store_path: {folder}/media
database: {{name: sqlite3, args: {{database: {folder}/homeserver.db}}}}
listeners:
  - {{port: {port}, bind_addresses: [127.0.0.1], type: http, resources: [{{names: [client]}}]}}
registration_shared_secret: "{os.environ['SECRET']}"
report_stats: false
trusted_key_servers: []
rc_message: {often}
rc_registration: {often}
rc_joins: {{local: {often}, remote: {often}}}
rc_invites: {{per_room: {often}, per_user: {often}}}
""")


def until_input_ends():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=until_input_ends, daemon=True).start()
sys.argv = ["synapse", "-c", path]

from synapse.app.homeserver import main  # noqa: E402

main()
