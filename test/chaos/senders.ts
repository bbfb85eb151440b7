/**
 * Senders that behave like real ones. An Alertmanager sends groups, one notification of a group at
 * a time, and the same one again until it is accepted. Programs POST what happens to them: each
 * event by itself, some twice, and a lost one again later, so that it may arrive after newer ones.
 * Each sender notes in the ledger what it sends.
 *
 * Every condition fires and resolves in turn. Its events have strictly growing times, so that the
 * ledger alone says how it must end.
 */
import type { Ledger, SentAlert, Verdict } from './ledger.ts'
import { mark } from './ledger.ts'
import { createPoster, type Reply, verdictOf } from './post.ts'

/** The address to which a sender posts, and its credentials. */
export interface Target {
  tenant_id: string
  integration_id: string
  source: 'alertmanager' | 'generic'
  /** Public base address of the door. */
  base: string
  token: string
}

export interface Sender {
  /** Starts the next post; returns its number of alerts, 0 when nothing is free to be sent. */
  next(): number
  /**
   * Waits for the posts under way, retries included, and leaves every condition as the ledger's
   * last accepted event says.
   */
  settle(): Promise<void>
}

export interface Outbox {
  ledger: Ledger
  random(): number
  /** Posts are given up from this instant on (epoch ms); their outcome stays unknown. */
  giveUpAt(): number
  onReply(reply: Reply, alerts: number): void
}

/** Pseudo-random numbers in [0, 1) from a seed: mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

interface Condition {
  key: string
  firing: boolean
  startsAt: number
  lastAt: number
}

/**
 * Draws the next event of a condition. A repeat of a firing condition says the same again, as
 * Alertmanager does, or is a new occurrence of the same fire.
 */
function happen(condition: Condition, random: () => number, repeats: boolean): 'fire' | 'resolve' | 'repeat' {
  if (condition.firing && repeats && random() < 0.5) return 'repeat'
  condition.lastAt = Math.max(Date.now(), condition.lastAt + 1)
  condition.firing = !condition.firing
  if (condition.firing) condition.startsAt = condition.lastAt
  return condition.firing ? 'fire' : 'resolve'
}

const iso = (ms: number): string => new Date(ms).toISOString()

/**
 * Shared by all senders: notes each post in the ledger, and posts again while the outcome is
 * unknown.
 */
function createDelivery(target: Target, { ledger, random, giveUpAt, onReply }: Outbox, ids: () => string) {
  const poster = createPoster()
  const { tenant_id, integration_id, source } = target
  const underWay = new Set<Promise<void>>()
  const failures: unknown[] = []

  async function once(url: string, headers: Record<string, string>, body: string, alerts: readonly SentAlert[]): Promise<Reply> {
    const n = await ledger.attempt({ tenant_id, integration_id, source, alerts })
    const reply = await poster.post(url, headers, body)
    ledger.outcome(n, verdictOf(reply), reply.status, reply.took)
    onReply(reply, alerts.length)
    return reply
  }

  async function untilTaken(url: string, headers: Record<string, string>, body: string, alerts: readonly SentAlert[]): Promise<Verdict> {
    for (let attempt = 0; ; attempt++) {
      const reply = await once(url, headers, body, alerts)
      const verdict = verdictOf(reply)
      if (verdict !== 'unknown' || Date.now() > giveUpAt()) return verdict
      await sleep(Math.min(200 * 2 ** attempt, 1000 * Math.min(reply.retryAfter ?? 2, 2)) * (0.75 + random() / 2))
    }
  }

  return {
    ids,
    once,
    untilTaken,
    /**
     * Counts the work as under way until it ends. `drain` reports a failure; until then nobody
     * waits for it.
     */
    track(work: Promise<unknown>): void {
      const tracked: Promise<void> = work
        .catch((error: unknown) => failures.push(error))
        .then(() => {
          underWay.delete(tracked)
        })
      underWay.add(tracked)
    },
    /** Waits for all work; rejects with the first failure. */
    async drain(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay)
      if (failures.length > 0) throw failures[0]
    },
    close: () => poster.close()
  }
}

const GROUPS = 40
const SERIES = 4

/**
 * The notification that Alertmanager 0.25 posts; test/product compares its shape with recorded
 * notifications.
 */
export function notification(alerts: readonly { sent: SentAlert; labels: Record<string, string> }[], receiver = 'service'): string {
  const firing = alerts.some(({ sent }) => sent.action === 'fire')
  return JSON.stringify({
    receiver,
    status: firing ? 'firing' : 'resolved',
    alerts: alerts.map(({ sent, labels }) => ({
      status: sent.action === 'fire' ? 'firing' : 'resolved',
      labels,
      annotations: { summary: `${labels.alertname} on ${labels.instance}`, description: mark(sent.id) },
      startsAt: iso(sent.sequence ?? sent.at),
      endsAt: sent.action === 'fire' ? '0001-01-01T00:00:00Z' : iso(sent.at),
      generatorURL: 'http://prometheus.example.test:9090/graph?g0.expr=up+%3D%3D+0&g0.tab=1',
      fingerprint: sent.key
    })),
    groupLabels: { alertname: alerts[0]?.labels.alertname ?? '' },
    commonLabels: {},
    commonAnnotations: {},
    externalURL: 'http://alertmanager.example.test:9093',
    version: '4',
    groupKey: '{}:{alertname="chaos"}',
    truncatedAlerts: 0
  })
}

export function alertmanagerSender(target: Target, outbox: Outbox, ids: () => string): Sender {
  const { random } = outbox
  const delivery = createDelivery(target, outbox, ids)
  const url = `${target.base}/api/v1/webhook/alertmanager`
  const headers = { authorization: `Bearer ${target.token}` }
  const groups = Array.from({ length: GROUPS }, (_, group) => ({
    busy: false,
    series: Array.from(
      { length: SERIES },
      (_, series): Condition => ({
        key: `${group.toString(16).padStart(8, '0')}${series.toString(16).padStart(8, '0')}`,
        firing: false,
        startsAt: 0,
        lastAt: 0
      })
    ),
    name: `Group${group}`
  }))

  return {
    next() {
      const free = groups.filter((group) => !group.busy)
      const group = free[Math.floor(random() * free.length)]
      if (!group) return 0
      const some = group.series.filter(() => random() < 0.5)
      const alerts = (some.length > 0 ? some : group.series).map((condition) => {
        happen(condition, random, true)
        const { key, firing, startsAt, lastAt } = condition
        const sent: SentAlert = { id: ids(), key, action: firing ? 'fire' : 'resolve', at: firing ? startsAt : lastAt, sequence: startsAt }
        return { sent, labels: { alertname: group.name, instance: `host-${key}:9100`, severity: 'critical' } }
      })
      group.busy = true
      const sent = alerts.map((alert) => alert.sent)
      delivery.track(
        delivery.untilTaken(url, headers, notification(alerts), sent).finally(() => {
          group.busy = false
        })
      )
      return sent.length
    },
    async settle() {
      await delivery.drain()
      delivery.close()
    }
  }
}

const CONDITIONS = 80
const TOGETHER = 20
const severities = ['critical', 'warning', 'info'] as const

export function programSender(target: Target, outbox: Outbox, ids: () => string): Sender {
  const { random } = outbox
  const delivery = createDelivery(target, outbox, ids)
  const url = `${target.base}/api/v1/webhooks/incoming/${target.token}`
  const conditions = Array.from(
    { length: CONDITIONS },
    (_, index): Condition => ({ key: `db-${index}/disk`, firing: false, startsAt: 0, lastAt: 0 })
  )

  function event(condition: Condition): { sent: SentAlert; body: object } {
    const { key, firing, lastAt } = condition
    const sent: SentAlert = { id: ids(), key, action: firing ? 'fire' : 'resolve', at: lastAt, sequence: null }
    return {
      sent,
      body: {
        title: `Disk full on ${key}`,
        severity: severities[Math.floor(random() * 3)],
        status: firing ? 'firing' : 'resolved',
        dedup_key: key,
        description: mark(sent.id),
        occurred_at: iso(lastAt)
      }
    }
  }

  /**
   * Sends once, at once. If that is lost, sends again until it is accepted, while newer events of
   * the condition overtake it.
   */
  async function deliver(body: string, sent: readonly SentAlert[]): Promise<void> {
    if (verdictOf(await delivery.once(url, {}, body, sent)) !== 'unknown') return
    await sleep(300 + random() * 1500)
    await delivery.untilTaken(url, {}, body, sent)
  }

  /** Sends a payload that a door must refuse: none of it may ever be stored. */
  function nonsense(): number {
    const condition = conditions[Math.floor(random() * conditions.length)]
    if (!condition) return 0
    const sent: SentAlert = { id: ids(), key: condition.key, action: 'fire', at: Date.now(), sequence: null }
    const body = { title: 'refused', severity: random() < 0.5 ? 5 : 'critical', dedup_key: condition.key, description: mark(sent.id) }
    const stranger = `${target.base}/api/v1/webhooks/incoming/svc_${'0'.repeat(64)}`
    delivery.track(delivery.once(body.severity === 5 ? url : stranger, {}, JSON.stringify(body), [sent]))
    return 1
  }

  return {
    next() {
      if (random() < 0.03) return nonsense()
      const count = random() < 0.1 ? 3 : 1
      const chosen = new Set(Array.from({ length: count }, () => conditions[Math.floor(random() * conditions.length)]))
      const events = [...chosen].flatMap((condition) => {
        if (!condition) return []
        happen(condition, random, false)
        return [event(condition)]
      })
      const sent = events.map((one) => one.sent)
      const bodies = events.map((one) => one.body)
      const body = JSON.stringify(bodies.length === 1 ? bodies[0] : bodies)
      delivery.track(deliver(body, sent))
      if (random() >= 0.1) return sent.length
      delivery.track(deliver(body, sent)) // Twice at once: an impatient client, or two.
      return 2 * sent.length
    },
    async settle() {
      await delivery.drain()
      for (let from = 0; from < conditions.length; from += TOGETHER) {
        const events = conditions.slice(from, from + TOGETHER).map((condition, index) => {
          condition.lastAt = Math.max(Date.now(), condition.lastAt + 1)
          condition.firing = index % 2 === 0
          return event(condition)
        })
        const sent = events.map((one) => one.sent)
        await delivery.untilTaken(url, {}, JSON.stringify(events.map((one) => one.body)), sent)
      }
      delivery.close()
    }
  }
}

const PAYLOAD = 100

/**
 * A sender that sends the same conditions again and again, faster than its workspace may. Each
 * `next` is one payload.
 */
export function greedySender(target: Target, outbox: Outbox, ids: () => string): Sender {
  const delivery = createDelivery(target, outbox, ids)
  const url = `${target.base}/api/v1/webhooks/incoming/${target.token}`
  let last = 0
  return {
    next() {
      last = Math.max(Date.now(), last + 1)
      const sent = Array.from(
        { length: PAYLOAD },
        (_, index): SentAlert => ({ id: ids(), key: `greedy-${index}`, action: 'fire', at: last, sequence: null })
      )
      const body = sent.map(({ id, key, at }) => ({
        title: key,
        severity: 'info',
        dedup_key: key,
        description: mark(id),
        occurred_at: iso(at)
      }))
      delivery.track(delivery.once(url, {}, JSON.stringify(body), sent))
      return PAYLOAD
    },
    async settle() {
      await delivery.drain()
      delivery.close()
    }
  }
}
