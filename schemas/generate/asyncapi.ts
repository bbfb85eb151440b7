/**
 * Builds the AsyncAPI 3.0 document of the log from topics.ts and the docs of the Avro records. It
 * tells a data team what it needs to read a topic.
 * Source: docs/design/streaming.md#s3-4; asyncapi.com/docs/reference/bindings/kafka (0.5.0).
 */
import { stringify } from 'yaml'
import type { LoadedRecord } from '../load.ts'
import { type TopicRecord, type TopicSpec, topicConfig } from '../topics.ts'

type Json = string | number | boolean | null | Json[] | { [name: string]: Json | undefined }
type JsonObject = { [name: string]: Json | undefined }

const HOUR = 3_600_000
const AVRO = 'application/vnd.apache.avro;version=1.9.0'
const BINDING = '0.5.0'

const text = (description: string): JsonObject => ({ type: 'string', description })

const headerDocs: JsonObject = {
  event_id: text('Identity of the event; repeats have the same.'),
  event_type: text('What the record is, for example tick or incident.created.'),
  tenant_id: text('Owning workspace.'),
  aggregate: text('Kind and id of what the record is about, for example incident:<id>.'),
  ver: text('Version of the aggregate; readers drop what is not above the last one they saw.'),
  src: text('topic:partition:offset of the cause, or the actor.'),
  traceparent: text('W3C trace context. Reserved; nothing writes it yet.')
}

/** Returns the text of schemas/generated/asyncapi.yaml. `version` is the version of the package. */
export function toAsyncApi(topics: readonly TopicSpec[], records: ReadonlyMap<string, LoadedRecord>, version: string): string {
  const document: JsonObject = {
    asyncapi: '3.0.0',
    info: {
      title: 'Monitoring and incident service: topics',
      version,
      description:
        'Every topic of the log. Those marked x-public are a contract with data teams; the rest is internal. Delivery is at least once: drop repeats by event_id, ' +
        'or by ver where a record has one. Avro values start with a zero byte and the schema id as a big-endian int32.',
      license: { name: 'Apache-2.0' }
    },
    servers: {
      broker: {
        host: '{address}',
        protocol: 'kafka',
        description: 'The cluster. A local run takes free ports and prints them.',
        variables: { address: { default: '127.0.0.1:9092', description: 'What SERVICE_KAFKA_BROKERS holds.' } },
        bindings: {
          // This URL cannot contain variables. The path is Apicurio's; the real host and port are
          // those of SERVICE_SCHEMA_REGISTRY_URL.
          kafka: { schemaRegistryUrl: 'http://127.0.0.1:8081/apis/ccompat/v7', schemaRegistryVendor: 'apicurio', bindingVersion: BINDING }
        }
      }
    },
    channels: Object.fromEntries(topics.map((spec) => [spec.name, channel(spec, records)])),
    operations: Object.fromEntries(
      topics.flatMap((spec): [string, Json][] => [
        [`send-${spec.name}`, operation('send', spec, spec.written_by)],
        [`receive-${spec.name}`, operation('receive', spec, spec.read_by)]
      ])
    ),
    components: {
      schemas: Object.fromEntries(
        [...records.values()].map(({ name, text }) => [name, { schemaFormat: AVRO, schema: JSON.parse(text) as Json }])
      )
    }
  }
  return `# Written by \`npm run generate\` from schemas/topics.ts and schemas/events/*.avsc. Never edited by hand.\n${stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 })}`
}

function operation(action: 'send' | 'receive', spec: TopicSpec, by: readonly string[]): JsonObject {
  return { action, channel: { $ref: `#/channels/${spec.name}` }, summary: `${action === 'send' ? 'Written' : 'Read'} by ${by.join(', ')}.` }
}

function channel(spec: TopicSpec, records: ReadonlyMap<string, LoadedRecord>): JsonObject {
  const {
    'cleanup.policy': cleanup,
    'retention.ms': retention,
    'delete.retention.ms': tombstones,
    'max.message.bytes': bytes,
    ...rest
  } = topicConfig(spec)
  return {
    address: spec.name,
    title: spec.name,
    summary: spec.doc,
    description: [
      `Key: ${spec.key}.`,
      `Order: ${spec.ordering}`,
      `Kept: ${spec.retention_ms === null ? 'the last record of each key' : `${spec.retention_ms / HOUR} hours`}.`,
      `Personal data: ${spec.pii}.`,
      `Owner: ${spec.owner}.`
    ].join(' '),
    messages:
      spec.records.length > 0
        ? Object.fromEntries(spec.records.map((entry) => [entry.record, avroMessage(spec, entry, records)]))
        : { Frame: frame(spec) },
    bindings: {
      kafka: {
        topic: spec.name,
        partitions: spec.partitions,
        topicConfiguration: {
          'cleanup.policy': cleanup === undefined ? [] : [cleanup],
          ...(retention !== undefined && { 'retention.ms': Number(retention) }),
          ...(tombstones !== undefined && { 'delete.retention.ms': Number(tombstones) }),
          'max.message.bytes': Number(bytes)
        },
        bindingVersion: BINDING
      }
    },
    'x-topic-configuration': rest,
    'x-public': spec.public,
    'x-owner': spec.owner,
    'x-pii': spec.pii,
    'x-compatibility': spec.compatibility
  }
}

function avroMessage(spec: TopicSpec, { record, event_type, kind }: TopicRecord, records: ReadonlyMap<string, LoadedRecord>): JsonObject {
  const headers = kind === 'fact' ? { traceparent: headerDocs.traceparent } : headerDocs
  return {
    name: record,
    title: record,
    summary: records.get(record)?.schema.doc ?? '',
    contentType: 'avro/binary',
    headers: {
      type: 'object',
      properties: event_type === null ? headers : { ...headers, event_type: { type: 'string', const: event_type } }
    },
    payload: { $ref: `#/components/schemas/${record}` },
    tags: [{ name: kind }],
    bindings: {
      kafka: {
        key: text(spec.key),
        schemaIdLocation: 'payload',
        schemaIdPayloadEncoding: 'confluent',
        schemaLookupStrategy: `${spec.strategy}Strategy`,
        bindingVersion: BINDING
      }
    }
  }
}

function frame(spec: TopicSpec): JsonObject {
  return {
    name: 'Frame',
    title: 'Frame',
    summary: 'What a socket says; the gateway adds the cursor as id.',
    contentType: 'application/json',
    headers: {
      type: 'object',
      properties: {
        ...headerDocs,
        audience: text('Who may see it: tenant, org-team:<id> (whoever sees the team), team:<id> (its members) or user:<id>.'),
        category: text('Of feed items: incident, admin or billing.')
      }
    },
    payload: {
      type: 'object',
      required: ['channel', 'type', 'data', 'at'],
      properties: {
        channel: text('For example monitors.status.'),
        type: text('For example incident.created.'),
        data: { type: 'object', description: 'What the type says.' },
        at: { type: 'string', format: 'date-time', description: 'When it happened.' },
        ver: { type: 'integer', description: 'Version of what it is about, where that has one.' }
      }
    },
    bindings: { kafka: { key: text(spec.key), bindingVersion: BINDING } }
  }
}
