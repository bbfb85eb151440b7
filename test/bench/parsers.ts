/**
 * The CPU cost of a payload for each source, from its bytes to its alerts: decode and parse, as the
 * door does before it normalises. It uses the firing fixtures of the source. CPU time is shown per
 * payload and per KiB, since payloads of senders differ in size. The generic parser is measured in
 * the same run, alternating with each one, so that other load on the machine affects both.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { projectRoot } from '../../schemas/files.ts'
import { type SourceType, sourceTypes } from '../../schemas/generated/source-types.ts'
import { decode } from '../../services/intake/body.ts'
import type { Json, Source } from '../../services/intake/source.ts'
import { sources } from '../../services/intake/sources/index.ts'
import { figure, median, printMachine } from './figures.ts'

/** Of the ratio per KiB. */
const TARGET = 3
/** Approximate duration of a turn. */
const TURN_MS = 40

interface Fixture {
  bytes: Buffer
  headers: Record<string, string>
  options: Json
  received_at: number
}

/**
 * Fixtures of a source that open something. Refused and ignored payloads cost less, so they are
 * left out.
 */
function firing(kind: SourceType): Fixture[] {
  const folder = join(projectRoot, 'test/fixtures/sources', kind)
  const found: Fixture[] = []
  for (const file of readdirSync(folder).sort()) {
    if (file.endsWith('.expected.json')) continue
    const expected = JSON.parse(readFileSync(join(folder, file.replace(/\.(json|txt)$/, '.expected.json')), 'utf8'))
    const events: { action: string }[] = expected.events ?? []
    if (!events.some(({ action }) => action === 'fire')) continue
    const { headers = {}, options = {}, received_at } = expected
    const named = sources[kind].headers ?? []
    found.push({
      // Compact JSON, as a sender writes it, not indented for people.
      bytes: file.endsWith('.json')
        ? Buffer.from(JSON.stringify(JSON.parse(readFileSync(join(folder, file), 'utf8'))))
        : readFileSync(join(folder, file)),
      headers: Object.fromEntries(Object.entries<string>(headers).filter(([name]) => named.includes(name))),
      options,
      received_at: Date.parse(received_at)
    })
  }
  return found
}

interface Subject {
  kind: SourceType
  source: Source
  fixtures: readonly Fixture[]
  bytes: number
  /** How often all fixtures are read in a turn. */
  times: number
}

const warn = (): void => undefined

function read({ source, fixtures }: Subject, times: number): number {
  let events = 0
  for (let i = 0; i < times; i++) {
    for (const { bytes, headers, options, received_at } of fixtures) {
      events += source.parse({ body: decode(bytes).body, headers, options, received_at, warn }).length
    }
  }
  return events
}

function subjectOf(kind: SourceType): Subject {
  const fixtures = firing(kind)
  if (fixtures.length === 0) throw new Error(`${kind} has no firing fixture`)
  const subject: Subject = {
    kind,
    source: sources[kind],
    fixtures,
    bytes: fixtures.reduce((sum, { bytes }) => sum + bytes.length, 0),
    times: 1
  }
  read(subject, 300) // Until it is compiled.
  const once = turn({ ...subject, times: 100 }) / 100
  return { ...subject, times: Math.max(1, Math.ceil((TURN_MS * 1000) / Math.max(once, 0.1))) }
}

/** Returns CPU microseconds. */
function turn(subject: Subject): number {
  const from = process.cpuUsage()
  if (read(subject, subject.times) === 0) throw new Error(`${subject.kind}: its fixtures gave nothing`)
  const { user, system } = process.cpuUsage(from)
  return user + system
}

const perKib = ({ bytes, times }: Subject, us: number): number => us / times / (bytes / 1024)

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { rounds: { type: 'string', default: '9' } } })
  const rounds = Number(values.rounds)
  printMachine(
    `decode and parse of each source's firing fixtures, processor time, ${rounds} turns of ${TURN_MS} ms each in turns with the generic parser; medians`
  )
  const generic = subjectOf('generic')
  for (const kind of sourceTypes) {
    const subject = subjectOf(kind)
    const own: number[] = []
    const peer: number[] = []
    for (let round = 0; round < rounds; round++) {
      const measure: (() => void)[] = [() => void own.push(turn(subject)), () => void peer.push(turn(generic))]
      for (const each of round % 2 === 0 ? measure : measure.reverse()) each()
    }
    const us = median(own)
    const { fixtures, bytes, times } = subject
    console.log(
      `${kind}: ${fixtures.length} payloads of ${Math.round(bytes / fixtures.length)} bytes, ${(us / times / fixtures.length).toFixed(1)} us a payload, ${perKib(subject, us).toFixed(1)} us a KiB`
    )
    figure({
      id: `PARSER_${kind.toUpperCase()}`,
      value: perKib(subject, us),
      unit: 'us',
      peer: { name: 'generic', value: perKib(generic, median(peer)) },
      target: { op: '<=', value: TARGET }
    })
  }
}
