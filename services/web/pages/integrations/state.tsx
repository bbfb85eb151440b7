/**
 * What an integration does just now, in a word, in a sentence, and for all of them at once. Figures
 * are analytics': null is told as not known.
 */
import { CircleCheck, CircleDashed, CircleMinus, CirclePause, CircleQuestionMark, OctagonX, Unplug } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Integration } from '../../api/shapes.ts'
import { figure } from '../../parts/clock.ts'
import { Since } from '../../parts/Since.tsx'
import type { Look } from '../../parts/Status.tsx'
import { integrationsText } from '../../texts/integrations.ts'

const off: Look = { tone: 'off', icon: CirclePause, word: 'Off' }
const disconnected: Look = { tone: 'warn', icon: Unplug, word: 'Disconnected' }
const refusing: Look = { tone: 'bad', icon: OctagonX, word: 'Refusing' }
const delivering: Look = { tone: 'good', icon: CircleCheck, word: 'Delivering' }
const ignoring: Look = { tone: 'warn', icon: CircleMinus, word: integrationsText('ignored.look') }
const unknown: Look = { tone: 'off', icon: CircleQuestionMark, word: 'Not known' }
const quiet: Look = { tone: 'off', icon: CircleDashed, word: 'Quiet' }

const DAY_MS = 86_400_000

/** From its first ignored delivery to its last one, a day and more. */
const ignoresAll = ({ ignoring_since, ignored }: Integration): boolean =>
  ignoring_since !== null && ignored.some(({ last_at }) => Date.parse(last_at) - Date.parse(ignoring_since) >= DAY_MS)

export function integrationLook(integration: Integration): Look {
  const { enabled, disconnected_at, error_count_24h, event_count_24h, last_event_at } = integration
  if (!enabled) return off
  if (disconnected_at !== null) return disconnected
  if (error_count_24h !== null && error_count_24h > 0) return refusing
  if (ignoresAll(integration)) return ignoring
  if (last_event_at !== null) return delivering
  return event_count_24h === null ? unknown : quiet
}

export const inWords = (count: number, one: string, several = `${one}s`): string => `${figure(count)} ${count === 1 ? one : several}`

/** The answer of an integration's page. */
export function integrationAnswer(integration: Integration): ReactNode {
  const { disconnected_at, error_count_24h, last_event_at } = integration
  const look = integrationLook(integration)
  if (look === off) return 'Off: deliveries are refused'
  if (look === disconnected && disconnected_at !== null)
    return (
      <>
        Disconnected: its sender left <Since at={disconnected_at} />
      </>
    )
  if (look === refusing) return `Refusing: ${inWords(error_count_24h ?? 0, 'payload')} in 24 h`
  if (look === ignoring && integration.ignoring_since !== null)
    return (
      <>
        {integrationsText('ignored.answer')} <Since at={integration.ignoring_since} />
      </>
    )
  if (look === delivering && last_event_at !== null)
    return (
      <>
        Delivering: last alert <Since at={last_event_at} />
      </>
    )
  return look === unknown ? 'Recent deliveries are not known at the moment' : 'Quiet: nothing yet'
}

/** The answer of the list. */
export function integrationsAnswer(integrations: readonly Integration[]): ReactNode {
  if (integrations.length === 0) return 'No integrations yet'
  const are = (look: Look): Integration[] => integrations.filter((integration) => integrationLook(integration) === look)
  const refused = are(refusing).length
  if (refused > 0) return `${inWords(refused, 'integration')} ${refused === 1 ? 'refuses' : 'refuse'} payloads`
  const gone = are(disconnected).length
  if (gone > 0) return `${inWords(gone, 'integration')} ${gone === 1 ? 'is' : 'are'} disconnected`
  const last = integrations
    .flatMap(({ last_event_at }) => last_event_at ?? [])
    .sort()
    .at(-1)
  const all = inWords(integrations.length, 'integration')
  if (last === undefined) return `${all}, no alert yet`
  return (
    <>
      {all}, the last alert <Since at={last} />
    </>
  )
}
