"""A server of moto with a topic and two queues that listen to it; prints what the queues were handed, and ends.

One queue is told of monitor.up alone, by a filter policy. A FIFO topic hands on to a FIFO queue.
"""
import json, os, time
import boto3
from moto.server import ThreadedMotoServer

port = int(os.environ["PORT"])
server = ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
server.start()
options = dict(endpoint_url=f"http://127.0.0.1:{port}", region_name="eu-central-1",
               aws_access_key_id="AKIAIOSFODNN7EXAMPLE", aws_secret_access_key="wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
sns, sqs = boto3.client("sns", **options), boto3.client("sqs", **options)


def listener(topic, name, attributes, filter_policy=None):
    queue = sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    policy = {} if filter_policy is None else {"FilterPolicy": json.dumps(filter_policy)}
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn, Attributes=policy)
    return queue


fifo = {"FifoTopic": "true"}
ordered = listener(sns.create_topic(Name="ordered.fifo", Attributes=fifo)["TopicArn"], "ordered.fifo", {"FifoQueue": "true"})
topic = sns.create_topic(Name="alerts")["TopicArn"]
queues = {"all": listener(topic, "all", {}), "ends": listener(topic, "ends", {}, {"event": ["monitor.up"]}), "ordered": ordered}
# Whoever sees this topic knows that all the others have their listeners.
sns.create_topic(Name="ready")
wanted = json.loads(os.environ["WANTED"])
heard = {name: [] for name in queues}
deadline = time.monotonic() + 100


def waiting(queue):
    names = ["ApproximateNumberOfMessages"]
    return int(sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=names)["Attributes"][names[0]])


# Nothing is taken out before all is there: moto forgets a repeat of what was deleted.
while any(waiting(queues[name]) < count for name, count in wanted.items()):
    if time.monotonic() > deadline:
        raise SystemExit(f"not all came: {[(name, waiting(queue)) for name, queue in queues.items()]}")
    time.sleep(0.05)
for name, queue in queues.items():
    while messages := sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages", []):
        for message in messages:
            heard[name].append(json.loads(message["Body"]))
            sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
print(json.dumps(heard), flush=True)
os._exit(0)
