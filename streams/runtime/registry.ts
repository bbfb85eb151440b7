/**
 * The schema registry: the migrate step registers, roles look up.
 *
 * `@kafkajs/confluent-schema-registry` registers, and only then is it loaded: it would cost every process 11 MB and 0.1 s (measured, avsc
 * not counted), and it hands out avsc types, while the codec wants the text and a plain "there is none". So the two look-ups are fetch.
 * Compatibility is set on each subject before its first version: Apicurio answers for a subject without one with a static default that the
 * package would refuse. Register from one place: two replicas of the registry can accept versions that contradict each other.
 * Source: registry.md sections 3 and 5.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordName } from '../../schemas/generated/events.ts'
import { type LoadedRecord, loadRecords } from '../../schemas/load.ts'
import { subjectOf, type TopicSpec, topics } from '../../schemas/topics.ts'

/** The registry refuses, lacks or contradicts what we need; the message is for the operator. Trying again cannot help. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError'
}

export interface Registry {
  /**
   * Registers today's schema of every record under each of its subjects, at the compatibility of its topic. Repeatable: what stands already
   * stays. Throws RegistryError with subject and field on an incompatible change.
   */
  registerAll(): Promise<Record<RecordName, number>>
  /** Ids of today's schemas. Throws RegistryError when one is missing. */
  idsOfAll(): Promise<Record<RecordName, number>>
  /** Text of a schema; null when the registry has none. Rejects when the registry cannot be asked. */
  schemaById(id: number): Promise<string | null>
}

export interface RegistryOptions {
  records?: ReadonlyMap<RecordName, LoadedRecord>
  /** Apicurio's group of subjects: tests share one registry by it. Ids stay global. */
  group?: string
  /** How long a registry that does not answer may take to start. */
  startMs?: number
}

interface Subject {
  name: string
  record: LoadedRecord
  compatibility: TopicSpec['compatibility']
}

const REQUEST_MS = 10_000
const RETRY_MS = 250

/**
 * Waits up to 30 s for a registry that is starting; rejects when it does not answer by then. `url` is the Confluent-compatible root, for
 * example http://127.0.0.1:8081/apis/ccompat/v7; a user and password in it are sent as Basic.
 */
export async function connectRegistry(
  url: string,
  { records = loadRecords(), group, startMs = 30_000 }: RegistryOptions = {}
): Promise<Registry> {
  const { root, auth } = split(url)
  const subjects = subjectsOf(records)

  async function request(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: unknown
  ): Promise<{ status: number; data: Record<string, unknown> }> {
    const headers: Record<string, string> = { accept: 'application/vnd.schemaregistry.v1+json, application/json' }
    if (body !== undefined) headers['content-type'] = 'application/vnd.schemaregistry.v1+json'
    if (group !== undefined) headers['x-registry-groupid'] = group
    if (auth) headers.authorization = `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`
    const response = await fetch(`${root}${path}`, {
      method,
      headers,
      signal: AbortSignal.timeout(REQUEST_MS),
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const text = await response.text()
    if (response.status >= 500) throw new Error(`Schema registry ${root}: ${method} ${path} answers ${response.status}`)
    return { status: response.status, data: toObject(text) }
  }

  /** Until the registry answers: it may be starting beside us. */
  async function ready(): Promise<void> {
    const deadline = Date.now() + startMs
    for (;;) {
      try {
        const { status } = await request('GET', '/subjects')
        if (status < 400) return
        throw new RegistryError(
          `Schema registry ${root}: GET /subjects answers ${status}; is SERVICE_SCHEMA_REGISTRY_URL its Confluent-compatible root?`
        )
      } catch (error) {
        if (error instanceof RegistryError && Date.now() + RETRY_MS > deadline) throw error
        if (Date.now() + RETRY_MS > deadline)
          throw new Error(`Schema registry ${root} does not answer: ${reasonOf(error)}`, { cause: error })
      }
      await sleep(RETRY_MS)
    }
  }

  await ready()
  return {
    async registerAll() {
      const { COMPATIBILITY, SchemaRegistry, SchemaType } = await import('@kafkajs/confluent-schema-registry')
      const client = new SchemaRegistry({
        host: root,
        retry: { retries: 0 }, // A refusal is final; what is not, the migrate step repeats as a whole.
        ...(auth && { auth }),
        ...(group !== undefined && {
          middlewares: [() => ({ request: (outgoing) => Promise.resolve(outgoing.enhance({ headers: { 'X-Registry-GroupId': group } })) })]
        })
      })
      const ids = new Map<RecordName, number>()
      for (const { name, record, compatibility } of subjects) {
        const set = await request('PUT', `/config/${encodeURIComponent(name)}`, { compatibility })
        if (set.status >= 400) throw new RegistryError(`Subject ${name}: cannot set compatibility ${compatibility}: ${messageOf(set)}`)
        try {
          const { id } = await client.register(
            { type: SchemaType.AVRO, schema: record.text },
            { subject: name, compatibility: COMPATIBILITY[compatibility] }
          )
          ids.set(record.name, id)
        } catch (error) {
          if (statusOf(error) !== 409) throw error
          throw new RegistryError(`Subject ${name}: the change of ${record.name} is not ${compatibility}: ${(error as Error).message}`, {
            cause: error
          })
        }
      }
      return complete(ids, records)
    },

    async idsOfAll() {
      const ids = new Map<RecordName, number>()
      const found = await Promise.all(
        subjects.map(async ({ name, record }) => ({
          name,
          record,
          answer: await request('POST', `/subjects/${encodeURIComponent(name)}`, { schema: record.text })
        }))
      )
      const missing = found.filter(({ answer }) => answer.status === 404).map(({ name }) => name)
      if (missing.length > 0)
        throw new RegistryError(`The schema registry ${root} lacks today's version of ${missing.join(', ')}: run npm run migrate`)
      for (const { name, record, answer } of found) {
        if (typeof answer.data.id !== 'number') throw new RegistryError(`Subject ${name}: look-up failed: ${messageOf(answer)}`)
        if (!ids.has(record.name)) ids.set(record.name, answer.data.id)
      }
      return complete(ids, records)
    },

    async schemaById(id) {
      const answer = await request('GET', `/schemas/ids/${id}`)
      if (answer.status === 404) return null
      if (typeof answer.data.schema !== 'string') throw new Error(`Schema registry ${root}: schema ${id}: ${messageOf(answer)}`)
      return answer.data.schema
    }
  }
}

/** Every subject of topics.ts with the record that it holds. */
function subjectsOf(records: ReadonlyMap<RecordName, LoadedRecord>): Subject[] {
  return topics.flatMap((spec) =>
    spec.records.flatMap(({ record: name }) => {
      const record = records.get(name)
      if (!record) throw new Error(`schemas/topics.ts puts ${name} on ${spec.name}, schemas/events has no such record`)
      return [{ name: subjectOf(spec, name), record, compatibility: spec.compatibility }]
    })
  )
}

function complete(ids: ReadonlyMap<RecordName, number>, records: ReadonlyMap<RecordName, LoadedRecord>): Record<RecordName, number> {
  for (const name of records.keys()) if (!ids.has(name)) throw new Error(`schemas/topics.ts has no topic for ${name}`)
  return Object.fromEntries(ids) as Record<RecordName, number>
}

/** Takes user and password out of the address: fetch refuses them there, and errors name the address. */
function split(url: string): { root: string; auth: { username: string; password: string } | undefined } {
  const parsed = new URL(url)
  const auth =
    parsed.username === '' ? undefined : { username: decodeURIComponent(parsed.username), password: decodeURIComponent(parsed.password) }
  parsed.username = ''
  parsed.password = ''
  return { root: parsed.href.replace(/\/+$/, ''), auth }
}

function toObject(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
  } catch {
    return { message: text.slice(0, 200) } // Something else listens there: its words help more than a parse error.
  }
}

function messageOf({ status, data }: { status: number; data: Record<string, unknown> }): string {
  return typeof data.message === 'string' ? `${data.message} (${status})` : `status ${status}`
}

function statusOf(error: unknown): unknown {
  return error instanceof Error && 'status' in error ? error.status : undefined
}

/** fetch hides what happened (ECONNREFUSED) in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
