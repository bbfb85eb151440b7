/**
 * The current state of an integration as a word and as a sentence, and of all integrations
 * together. The figures come from analytics; null is shown as unknown.
 */
import { CircleCheck, CircleDashed, CircleMinus, CirclePause, CircleQuestionMark, OctagonX, Unplug } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Integration } from '../../api/shapes.ts'
import { figure } from '../../parts/clock.ts'
import { Around, HERE } from '../../parts/Said.tsx'
import { Since } from '../../parts/Since.tsx'
import { type Look, lookOf } from '../../parts/Status.tsx'
import { integrationsText } from '../../texts/integrations.ts'

const off = lookOf('off', CirclePause, () => integrationsText('state.off'))
const disconnected = lookOf('warn', Unplug, () => integrationsText('state.disconnected'))
const rejecting = lookOf('bad', OctagonX, () => integrationsText('state.rejecting'))
const delivering = lookOf('good', CircleCheck, () => integrationsText('state.delivering'))
const ignoring = lookOf('warn', CircleMinus, () => integrationsText('ignored.look'))
const unknown = lookOf('off', CircleQuestionMark, () => integrationsText('state.unknown'))
const quiet = lookOf('off', CircleDashed, () => integrationsText('state.quiet'))

const DAY_MS = 86_400_000

/** True when deliveries have been ignored for a day or more, measured to the last ignored one. */
const ignoresAll = ({ ignoring_since, ignored }: Integration): boolean =>
  ignoring_since !== null && ignored.some(({ last_at }) => Date.parse(last_at) - Date.parse(ignoring_since) >= DAY_MS)

export function integrationLook(integration: Integration): Look {
  const { enabled, disconnected_at, error_count_24h, event_count_24h, last_event_at } = integration
  if (!enabled) return off
  if (disconnected_at !== null) return disconnected
  if (error_count_24h !== null && error_count_24h > 0) return rejecting
  if (ignoresAll(integration)) return ignoring
  if (last_event_at !== null) return delivering
  return event_count_24h === null ? unknown : quiet
}

export const alertsInWords = (count: number): string =>
  count === 1 ? integrationsText('count.alert') : integrationsText('count.alerts', { count: figure(count) })

export const payloadsInWords = (count: number): string =>
  count === 1 ? integrationsText('count.payload') : integrationsText('count.payloads', { count: figure(count) })

const integrationsInWords = (count: number): string =>
  count === 1 ? integrationsText('count.integration') : integrationsText('count.integrations', { count: figure(count) })

/** Returns the headline of an integration's page. */
export function integrationAnswer(integration: Integration): ReactNode {
  const { disconnected_at, error_count_24h, last_event_at } = integration
  const look = integrationLook(integration)
  if (look === off) return integrationsText('answer.off')
  if (look === disconnected && disconnected_at !== null)
    return (
      <Around text={integrationsText('answer.disconnected', { at: HERE })}>
        <Since at={disconnected_at} />
      </Around>
    )
  if (look === rejecting) return integrationsText('answer.rejecting', { payloads: payloadsInWords(error_count_24h ?? 0) })
  if (look === ignoring && integration.ignoring_since !== null)
    return (
      <>
        {integrationsText('ignored.answer')} <Since at={integration.ignoring_since} />
      </>
    )
  if (look === delivering && last_event_at !== null)
    return (
      <Around text={integrationsText('answer.delivering', { at: HERE })}>
        <Since at={last_event_at} />
      </Around>
    )
  return integrationsText(look === unknown ? 'answer.unknown' : 'answer.quiet')
}

/** Returns the headline of the list of integrations. */
export function integrationsAnswer(integrations: readonly Integration[]): ReactNode {
  if (integrations.length === 0) return integrationsText('all.none')
  const count = (look: Look): number => integrations.filter((integration) => integrationLook(integration) === look).length
  const rejects = count(rejecting)
  if (rejects === 1) return integrationsText('all.rejects_one')
  if (rejects > 1) return integrationsText('all.rejects', { count: figure(rejects) })
  const gone = count(disconnected)
  if (gone === 1) return integrationsText('all.gone_one')
  if (gone > 1) return integrationsText('all.gone', { count: figure(gone) })
  const last = integrations
    .flatMap(({ last_event_at }) => last_event_at ?? [])
    .sort()
    .at(-1)
  const all = integrationsInWords(integrations.length)
  if (last === undefined) return integrationsText('all.no_alert', { integrations: all })
  return (
    <Around text={integrationsText('all.last', { integrations: all, at: HERE })}>
      <Since at={last} />
    </Around>
  )
}
