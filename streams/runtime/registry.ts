/**
 * The client of the schema registry: the migrate step registers schemas, roles look them up.
 *
 * It makes five requests of Confluent's API by fetch, each with a time limit; the client package
 * has no limit on its requests (README, decisions). The package would also cost every process 11 MB
 * and 0.1 s (measured, avsc not counted), and returns avsc types, while the codec needs the schema
 * text.
 *
 * Compatibility is set on each subject before its first version, because Apicurio otherwise uses a
 * static default. Register from one place only: two replicas of the registry can accept versions
 * that contradict each other.
 *
 * Source: docs/design/registry.md#s3 and #s5.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordName } from '../../schemas/generated/events.ts'
import { lintSuccessors, type Release } from '../../schemas/lint.ts'
import { type AvroObject, type LoadedRecord, loadRecords } from '../../schemas/load.ts'
import { subjectOf, type TopicSpec, topics } from '../../schemas/topics.ts'

/**
 * The registry refuses, lacks or contradicts what we need. The message is for the operator; a retry
 * cannot help.
 */
export class RegistryError extends Error {
  override readonly name = 'RegistryError'
}

export interface Registry {
  /**
   * Registers today's schema of every record under each of its subjects, at the compatibility of
   * its topic. Repeatable: what is already registered stays. Throws RegistryError with subject and
   * field on an incompatible change.
   */
  registerAll(): Promise<Record<RecordName, number>>
  /** Returns the ids of today's schemas. Throws RegistryError when one is missing. */
  idsOfAll(): Promise<Record<RecordName, number>>
  /**
   * Returns the text of a schema; null when the registry has none. Rejects when the registry cannot
   * be asked.
   */
  schemaById(id: number): Promise<string | null>
}

export interface RegistryOptions {
  records?: ReadonlyMap<RecordName, LoadedRecord>
  /** Apicurio's group of subjects: it lets tests share one registry. Ids stay global. */
  group?: string
  /** How long to wait for a registry that is still starting. */
  startMs?: number
  /** How long an answer may take. */
  requestMs?: number
}

interface Answer {
  status: number
  data: Record<string, unknown>
}

interface Subject {
  name: string
  record: LoadedRecord
  compatibility: TopicSpec['compatibility']
}

const RETRY_MS = 250
/** The registry's codes for a subject, version or schema that it does not have. */
const NOT_FOUND: readonly unknown[] = [40401, 40402, 40403]
/** Attempts for a request that gets no answer while a process starts. */
const ATTEMPTS = 3

/**
 * Connects, waiting up to 30 s for a registry that is starting; rejects when it does not answer by
 * then. `url` is the Confluent-compatible root, for example http://127.0.0.1:8081/apis/ccompat/v7;
 * a user and password in it are sent as Basic.
 */
export async function connectRegistry(
  url: string,
  { records = loadRecords(), group, startMs = 30_000, requestMs = 10_000 }: RegistryOptions = {}
): Promise<Registry> {
  const { root, auth } = split(url)
  const subjects = subjectsOf(records)

  async function request(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown): Promise<Answer> {
    const headers: Record<string, string> = { accept: 'application/vnd.schemaregistry.v1+json, application/json' }
    if (body !== undefined) headers['content-type'] = 'application/vnd.schemaregistry.v1+json'
    if (group !== undefined) headers['x-registry-groupid'] = group
    if (auth) headers.authorization = `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`
    const response = await fetch(`${root}${path}`, {
      method,
      headers,
      signal: AbortSignal.timeout(requestMs),
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const text = await response.text()
    if (response.status >= 500) throw new Error(`Schema registry ${root}: ${method} ${path} answers ${response.status}`)
    return { status: response.status, data: toObject(text) }
  }

  /** Repeats a request that got no answer. Registering, or setting a level, is idempotent. */
  async function settled(...question: Parameters<typeof request>): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      try {
        return ofRegistry(root, await request(...question))
      } catch (error) {
        if (attempt === ATTEMPTS) throw error
      }
      await sleep(RETRY_MS)
    }
  }

  async function versionsOf(subject: string): Promise<Release[]> {
    const path = `/subjects/${encodeURIComponent(subject)}/versions`
    const { data } = await request('GET', path)
    const answers = await Promise.all(
      Object.values(data).map(async (version) => ({ version: Number(version), answer: await request('GET', `${path}/${version}`) }))
    )
    return answers.map(({ version, answer }) => ({ version, schema: JSON.parse(String(answer.data.schema)) as AvroObject }))
  }

  /**
   * Returns the registry's refusal with our names for the places that it gives by index
   * (`/fields/5/type`).
   */
  async function refusal({ name, record, compatibility }: Subject, answer: Answer): Promise<RegistryError> {
    const faults = lintSuccessors(record.schema, await versionsOf(name), compatibility)
    const why = faults.length > 0 ? faults.join('; ') : messageOf(answer)
    return new RegistryError(`Subject ${name}: the registry refuses the change of ${record.name}, which is not ${compatibility}: ${why}`)
  }

  /** Waits until the registry answers, because it may be starting at the same time. */
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

  /** Returns the id of today's schema on each subject; null when it is not registered. */
  async function lookUp(): Promise<Map<Subject, number | null>> {
    const found = subjects.map(async (subject): Promise<[Subject, number | null]> => {
      const answer = await settled('POST', `/subjects/${encodeURIComponent(subject.name)}`, { schema: subject.record.text })
      if (answer.status === 404) return [subject, null]
      if (typeof answer.data.id !== 'number') throw new RegistryError(`Subject ${subject.name}: look-up failed: ${messageOf(answer)}`)
      return [subject, answer.data.id]
    })
    return new Map(await Promise.all(found))
  }

  async function setLevel({ name, compatibility }: Subject): Promise<void> {
    const answer = await settled('PUT', `/config/${encodeURIComponent(name)}`, { compatibility })
    if (answer.status >= 400) throw new RegistryError(`Subject ${name}: cannot set compatibility ${compatibility}: ${messageOf(answer)}`)
  }

  async function register(subject: Subject): Promise<number> {
    const { name, record } = subject
    const answer = await settled('POST', `/subjects/${encodeURIComponent(name)}/versions`, { schema: record.text })
    if (answer.status === 409) throw await refusal(subject, answer)
    if (answer.status >= 400 || typeof answer.data.id !== 'number')
      throw new RegistryError(`Subject ${name}: the registry does not take ${record.name}: ${messageOf(answer)}`)
    return answer.data.id
  }

  await ready()
  return {
    async registerAll() {
      await Promise.all(subjects.map(setLevel))
      const standing = await lookUp()
      // One after another, because the same text on two subjects is one schema.
      for (const subject of subjects) if (standing.get(subject) === null) standing.set(subject, await register(subject))
      return byRecord(standing, records)
    },

    async idsOfAll() {
      const found = await lookUp()
      const missing = subjects.filter((subject) => found.get(subject) === null).map(({ name }) => name)
      if (missing.length > 0)
        throw new RegistryError(`The schema registry ${root} lacks today's version of ${missing.join(', ')}: run npm run migrate`)
      return byRecord(found, records)
    },

    async schemaById(id) {
      const answer = ofRegistry(root, await request('GET', `/schemas/ids/${id}`))
      if (answer.status === 404) return null
      if (typeof answer.data.schema !== 'string') throw new Error(`Schema registry ${root}: schema ${id}: ${messageOf(answer)}`)
      return answer.data.schema
    }
  }
}

/** Returns every subject of topics.ts with the record that it holds. */
function subjectsOf(records: ReadonlyMap<RecordName, LoadedRecord>): Subject[] {
  return topics.flatMap((spec) =>
    spec.records.flatMap(({ record: name }) => {
      const record = records.get(name)
      if (!record) throw new Error(`schemas/topics.ts puts ${name} on ${spec.name}, schemas/events has no such record`)
      return [{ name: subjectOf(spec, name), record, compatibility: spec.compatibility }]
    })
  )
}

/** Returns the ids by record. A record on two subjects has one id, because its text is the same. */
function byRecord(ids: ReadonlyMap<Subject, number | null>, records: ReadonlyMap<RecordName, LoadedRecord>): Record<RecordName, number> {
  const found = new Map([...ids].map(([{ record }, id]) => [record.name, id]))
  for (const name of records.keys()) if (!found.get(name)) throw new Error(`schemas/topics.ts has no topic for ${name}`)
  return Object.fromEntries(found) as Record<RecordName, number>
}

/**
 * Removes user and password from the address: fetch refuses them there, and error messages contain
 * the address.
 */
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
    // Something other than a registry listens there. Its own text helps more than a parse error.
    return { message: text.slice(0, 200) }
  }
}

/**
 * Returns the answer. Throws for a 404 without one of the registry's own codes: a proxy whose
 * registry is away answers like this, and it knows nothing about schemas.
 */
function ofRegistry(root: string, answer: Answer): Answer {
  if (answer.status === 404 && !NOT_FOUND.includes(answer.data.error_code))
    throw new Error(`Schema registry ${root} answers 404, but not as a registry: ${messageOf(answer)}`)
  return answer
}

function messageOf({ status, data }: Answer): string {
  return typeof data.message === 'string' ? `${data.message} (${status})` : `status ${status}`
}

/** fetch puts the actual reason (ECONNREFUSED) in the error's cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
