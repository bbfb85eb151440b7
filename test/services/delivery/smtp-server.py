"""A mail server that takes mails, prints each as JSON read by Python's own library, and ends."""
import email, email.policy, json, os, sys, threading
from aiosmtpd.controller import Controller

done = threading.Event()
wanted = int(os.environ["MAILS"])

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
        print(json.dumps({"to": envelope.rcpt_tos, "headers": dict(mail.items()), "parts": parts}), flush=True)
        Handler.seen += 1
        if Handler.seen >= wanted:
            done.set()
        return "250 taken"

controller = Controller(Handler(), hostname="127.0.0.1", port=int(os.environ["PORT"]))
controller.start()
if not done.wait(100):
    sys.exit("not all mails came")
controller.stop()
