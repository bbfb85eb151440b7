/**
 * Every source's alert and its recovery, from the fixtures, through the door's normalising to what
 * the incidents take of them: the recovery ends what the alert opened, and an alert that comes late
 * opens nothing anew where the sender gave a time or a number.
 * Source: docs/design/inbound-sources.md#s1-3, #s30.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import type { InboundAlert } from '../../../schemas/generated/events.ts'
import { sourceTypes } from '../../../schemas/generated/source-types.ts'
import { decode } from '../../../services/intake/body.ts'
import { toInboundAlert } from '../../../services/intake/normalise.ts'
import type { Json, ParsedEvent, Source } from '../../../services/intake/source.ts'
import { sources } from '../../../services/intake/sources/index.ts'
import { judge, readSignal, rowAfter, type SignalRow } from '../../../streams/incident/signals.ts'
import { row as signalRow } from '../../streams/incident/build.ts'
import { integration } from './credential.ts'

interface Expected {
  received_at: string
  headers?: Record<string, string>
  options?: Json
  settings?: Json
  events?: { action: string }[]
}

interface Known {
  event: ParsedEvent
  alert: InboundAlert
}

const folder = join(projectRoot, 'test/fixtures/sources')
const receipt = (source: Source, received_at: number): Parameters<typeof toInboundAlert>[1] => ({
  integration: integration({ source_type: source.kind }),
  source,
  received_at,
  escaped: true
})

/** What the fixtures of a source fire and resolve. */
function knownOf(source: Source): Known[] {
  const files = readdirSync(join(folder, source.kind))
  return files
    .filter((file) => file.endsWith('.expected.json'))
    .flatMap((file) => {
      const expected: Expected = JSON.parse(readFileSync(join(folder, source.kind, file), 'utf8'))
      if (!expected.events?.some(({ action }) => action !== 'ignore')) return []
      const name = file.slice(0, -'.expected.json'.length)
      const body = decode(readFileSync(join(folder, source.kind, files.includes(`${name}.json`) ? `${name}.json` : `${name}.txt`))).body
      const received_at = Date.parse(expected.received_at)
      const given = { body, headers: expected.headers ?? {}, received_at, options: expected.options ?? {}, warn: () => undefined }
      return (
        source
          .parse(given)
          .filter(({ action }) => action !== 'ignore')
          // Real ones are never equal.
          .map((event) => ({ ...event, delivery_id: event.delivery_id && `${event.delivery_id} ${name}` }))
          .map((event) => ({ event, alert: toInboundAlert(event, receipt(source, received_at)) }))
      )
    })
}

const empty = ({ tenant_id, dedup_key }: InboundAlert): SignalRow => signalRow({ tenant_id, dedup_key })

/** How each of the alerts is accepted, one after the other. */
function told(alerts: InboundAlert[]): string[] {
  let row: SignalRow | null = null
  return alerts.map((value) => {
    const reading = readSignal({
      record: 'InboundAlert',
      value,
      topic: 'alerts.inbound.v1',
      partition: 0,
      offset: 0n,
      timestamp: value.received_at,
      key: value.dedup_key
    })
    if (!('signal' in reading)) return JSON.stringify(reading)
    const before: SignalRow = row ?? empty(value)
    const signal = judge(before, reading.signal, null, value.received_at)
    row = rowAfter(before, signal, null)
    return `${value.action} ${signal.accepted_as}`
  })
}

const HOUR_MS = 3_600_000
const late = /^fire (?:older|repeat)$/

/**
 * An alert, its recovery, the recovery again, and the first request once more an hour later: how
 * each is accepted.
 */
function story(source: Source, { fire, recovery }: { fire: Known; recovery: Known }): string[] {
  const end = { ...recovery.alert, received_at: Math.max(recovery.alert.received_at, fire.alert.received_at) }
  return told([fire.alert, end, end, toInboundAlert(fire.event, receipt(source, end.received_at + HOUR_MS))])
}

for (const kind of sourceTypes) {
  t.test(kind, async (t) => {
    const source: Source = sources[kind]
    const known = knownOf(source)
    const pairs = known
      .filter(({ alert }) => alert.action === 'resolve')
      .flatMap((recovery) =>
        known
          .filter(({ alert }) => alert.action === 'fire' && alert.dedup_key === recovery.alert.dedup_key)
          .map((fire) => ({
            isPlaced: fire.event.sequence !== null || fire.event.occurred_at !== null,
            told: story(source, { fire, recovery })
          }))
      )
    t.ok(pairs.length > 0, 'an alert and its recovery have one key')
    const inOrder = pairs.filter(({ told }) => told[0] === 'fire applied' && told[1] === 'resolve applied' && told[2] === 'resolve repeat')
    t.ok(inOrder.length > 0, 'the recovery ends what the alert opened, once')
    // A sender without a time and a number: the time of receipt orders, and a late request cannot
    // be told from a new one.
    const placed = inOrder.filter(({ isPlaced }) => isPlaced)
    if (placed.length > 0)
      t.ok(
        placed.some(({ told }) => late.test(told[3] ?? '')),
        'an alert that comes late opens nothing'
      )
  })
}
