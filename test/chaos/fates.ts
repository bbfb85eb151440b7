/**
 * Incidents with escalations, and what people do with them: each incident has a fate that a seed
 * chooses. Every request to the service is repeated until it succeeds, so a fault delays an act and
 * loses none.
 */
import type { Product, TestWorkspace } from '../harness/product.ts'
import { createPoster } from './post.ts'

/** What happens to an incident beside its escalation. */
export const fates = ['nobody', 'acknowledged', 'taken_back', 'commented', 'silenced', 'resolved', 'recovered'] as const
export type Fate = (typeof fates)[number]

/**
 * `nobody` is drawn twice as often: an incident that nobody touches runs to its end, whatever is
 * killed.
 */
const drawn: readonly Fate[] = ['nobody', 'nobody', ...fates.slice(1)]

export interface FatesOptions {
  product: Product
  workspaces: readonly TestWorkspace[]
  severities: readonly string[]
  random(): number
  /** Incidents a second, and for how long they are opened. */
  rate: number
  openingMs: number
  /** Pause between two acts on one incident, minimum and maximum. */
  thinkMs: readonly [number, number]
  /** Epoch ms: acts that were not done by then stay undone. */
  giveUpAt: number
}

export interface Fates {
  opened: number
  acts: number
  /** The acts that were given up at that time. */
  undone: string[]
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const AGAIN_MS = 250

/** Opens incidents and plays their fates; resolves when all of them are over. */
export async function liveFates(options: FatesOptions): Promise<Fates> {
  const { product, workspaces, severities, random, rate, openingMs, thinkMs, giveUpAt } = options
  const poster = createPoster()
  const told: Fates = { opened: 0, acts: 0, undone: [] }
  const think = (): Promise<void> => sleep(thinkMs[0] + random() * (thinkMs[1] - thinkMs[0]))

  async function untilDone(what: string, act: () => Promise<boolean>): Promise<boolean> {
    while (Date.now() < giveUpAt) {
      // A process, the broker or Postgres is away.
      if (await act().catch(() => false)) return true
      await sleep(AGAIN_MS)
    }
    told.undone.push(what)
    return false
  }

  const alert = (workspace: TestWorkspace, key: string, more: object): Promise<boolean> =>
    untilDone(`alert ${key}`, async () => {
      const body = JSON.stringify({ title: key, dedup_key: key, ...more })
      const { status } = await poster.post(`${product.access.base_url}/api/v1/webhooks/incoming/${workspace.door}`, {}, body)
      return status === 200
    })

  async function find({ apiToken }: TestWorkspace, key: string): Promise<string | null> {
    let id: string | null = null
    await untilDone(`the incident of ${key}`, async () => {
      const list = await product.api('GET', `/api/v1/incidents?per_page=50&q=${key}`, undefined, apiToken)
      const items = (list.body.items ?? []) as { id: string; title: string }[]
      id = items.find(({ title }) => title === key)?.id ?? null
      return id !== null
    })
    return id
  }

  /** A refused act counts as done, too: the incident has already ended. */
  const ask = ({ apiToken }: TestWorkspace, method: string, path: string, body?: object): Promise<boolean> =>
    untilDone(`${method} ${path}`, async () => {
      const { status } = await product.api(method, `/api/v1/incidents/${path}`, body, apiToken)
      if (status >= 500 || status === 429) return false
      told.acts += 1
      return true
    })

  async function live(workspace: TestWorkspace, key: string, fate: Fate): Promise<void> {
    const severity = severities[Math.floor(random() * severities.length)]
    if (!(await alert(workspace, key, { severity }))) return
    told.opened += 1
    if (fate === 'nobody') return
    if (fate === 'recovered') {
      await think()
      await alert(workspace, key, { status: 'resolved' })
      return
    }
    const id = await find(workspace, key)
    if (id === null) return
    await think()
    if (fate === 'commented') await ask(workspace, 'POST', `${id}/comments`, { body: 'Looking.' })
    if (fate === 'resolved') await ask(workspace, 'POST', `${id}/resolve`, {})
    if (fate === 'acknowledged' || fate === 'taken_back') await ask(workspace, 'POST', `${id}/acknowledge`, {})
    if (fate === 'silenced') await ask(workspace, 'POST', `${id}/silence`, { duration_minutes: 60 })
    if (fate !== 'taken_back' && fate !== 'silenced') return
    await think()
    if (fate === 'taken_back') await ask(workspace, 'POST', `${id}/unacknowledge`, {})
    else await ask(workspace, 'DELETE', `${id}/silence`)
  }

  const lives: Promise<void>[] = []
  const begun = Date.now()
  while (Date.now() - begun < openingMs) {
    while (lives.length < ((Date.now() - begun) * rate) / 1000) {
      const workspace = workspaces[lives.length % workspaces.length]
      const fate = drawn[Math.floor(random() * drawn.length)] ?? 'nobody'
      if (workspace) lives.push(live(workspace, `case-${lives.length}-${fate}`, fate))
    }
    await sleep(20)
  }
  await Promise.all(lives)
  poster.close()
  return told
}
