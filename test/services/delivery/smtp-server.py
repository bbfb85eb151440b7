"""A mail server that takes mails, prints each as JSON read by Python's own library, and ends: after
MAILS of them, or where that is not set when nothing more can come on its input.

With TLS_CERT and TLS_KEY it takes nothing without STARTTLS and AUTH, as USERNAME and PASSWORD say.
"""
import email, email.policy, json, os, ssl, sys, threading
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

done = threading.Event()
wanted = int(os.environ.get("MAILS", "0"))

class Handler:
    seen = 0

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("nobody@"):
            return "550 5.1.1 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        parts = {part.get_content_type(): part.get_content() for part in mail.walk() if not part.is_multipart()}
        print(json.dumps({"to": envelope.rcpt_tos, "headers": dict(mail.items()), "parts": parts, "tls": session.ssl is not None, "as": session.auth_data}), flush=True)
        Handler.seen += 1
        if 0 < wanted <= Handler.seen:
            done.set()
        return "250 taken"

def authenticate(server, session, envelope, mechanism, data):
    given = (data.login.decode(), data.password.decode())
    right = given == (os.environ["USERNAME"], os.environ["PASSWORD"])
    return AuthResult(success=right, handled=right, auth_data=given[0])

options = {}
if "TLS_CERT" in os.environ:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(os.environ["TLS_CERT"], os.environ["TLS_KEY"])
    options = {"tls_context": context, "require_starttls": True, "auth_required": True, "authenticator": authenticate}
controller = Controller(Handler(), hostname="127.0.0.1", port=int(os.environ["PORT"]), **options)
controller.start()
if wanted == 0:
    sys.stdin.read()
elif not done.wait(100):
    sys.exit("not all mails came")
controller.stop()
