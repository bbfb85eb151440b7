/**
 * What a place shows while it has no data to show: loading, empty, refused, over a limit.
 * Source: docs/design/ui.md#principle-6.
 */
import { Button, Skeleton } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Ban, CloudOff, Lock, type LucideIcon, SearchX, TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type Detail, type Refusal, toRefusal } from '../api/client.ts'
import { statesText } from '../texts/states.ts'
import { CopyButton } from './Copy.tsx'
import classes from './States.module.css'

/**
 * Placeholder rows with the height of the later rows, so that nothing jumps when the data comes.
 */
export function Loading({ rows = 5, height = 44 }: { rows?: number; height?: number }) {
  return (
    <div className={classes.loading} aria-busy="true" role="status" aria-label={statesText('loading.label')}>
      {Array.from({ length: rows }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows without content have no other name
        <Skeleton key={at} height={height - 12} radius="sm" />
      ))}
    </div>
  )
}

export interface EmptyProps {
  icon: LucideIcon
  title: string
  children?: ReactNode
  /** The one button that leads out of the empty state. */
  action?: ReactNode
}

export function Empty({ icon: Icon, title, children, action }: EmptyProps) {
  return (
    <div className={classes.empty}>
      <Icon aria-hidden size={28} strokeWidth={1.5} />
      <h2>{title}</h2>
      {children && <div className={classes.hint}>{children}</div>}
      {action}
    </div>
  )
}

/** Returns a refusal in words for people: what happened, and what can be done about it. */
export function explain(refusal: Refusal): { icon: LucideIcon; title: string; hint: string } {
  const [detail] = refusal.details
  switch (refusal.code) {
    case 'FORBIDDEN':
    case 'READ_ONLY_TOKEN':
      return {
        icon: Lock,
        title: statesText('forbidden.title'),
        hint: detail?.needed ? statesText('forbidden.hint', { role: detail.needed.role }) : refusal.message
      }
    case 'NOT_FOUND':
      return { icon: SearchX, title: statesText('missing.title'), hint: statesText('missing.hint') }
    case 'TIER_LIMIT_EXCEEDED':
      return { icon: Ban, title: statesText('limit.title'), hint: limitInWords(refusal) }
    case 'IN_USE':
      return { icon: Ban, title: statesText('in_use.title'), hint: usesInWords(refusal) }
    case 'VERSION_MISMATCH':
      return { icon: TriangleAlert, title: statesText('changed.title'), hint: statesText('changed.hint') }
    case 'RATE_LIMITED':
      return { icon: Ban, title: statesText('rate.title'), hint: statesText('rate.hint', { seconds: refusal.retryAfterSeconds ?? 60 }) }
    case 'UNREACHABLE':
      return { icon: CloudOff, title: statesText('unreachable.title'), hint: statesText('unreachable.hint') }
    default:
      return {
        icon: TriangleAlert,
        title: statesText(refusal.status >= 500 ? 'broken.title' : 'failed.title'),
        hint: refusal.message
      }
  }
}

/** Like explain, for an action that was refused: the person must try it again. */
export function explainAction(refusal: Refusal): ReturnType<typeof explain> {
  if (refusal.code !== 'UNREACHABLE') return explain(refusal)
  return navigator.onLine
    ? { icon: CloudOff, title: statesText('unanswered.title'), hint: statesText('unanswered.hint') }
    : { icon: CloudOff, title: statesText('offline.title'), hint: statesText('offline.hint') }
}

/**
 * Returns for example `The plan has no more: 10 monitors on the plan free. The plan pro has more.`
 * The message alone says what the plan does not have at all, and what its shortest interval is.
 */
export function limitInWords({ message, details: [detail] }: Refusal): string {
  if (!detail || detail.limit === undefined) return message
  const { limit, limit_key, plan, upgrade_to } = detail
  const what = limit_key?.replaceAll('_', ' ') ?? statesText('limit.things')
  const isCount = limit > 0 && limit_key !== 'min_interval_seconds'
  const full = !isCount
    ? message
    : plan
      ? statesText('limit.of_plan', { message, limit, what, plan })
      : statesText('limit.of', { message, limit, what })
  return upgrade_to ? `${full} ${statesText('limit.more', { plan: upgrade_to })}` : full
}

/** Returns for example `The schedule is used 2 times. Remove it there first: Page, Night.` */
function usesInWords({ message, details }: Refusal): string {
  if (details.some(({ names }) => names !== undefined)) return statesText('in_use.by', { uses: details.map(useByName).join('; ') })
  const names = details.flatMap(({ message: name, actual }) => (actual === undefined && name ? [name] : []))
  return names.length === 0 ? `${message}.` : `${message}: ${names.join(', ')}.`
}

/**
 * Returns for example `2 monitors: Shop, Blog`. Objects that the person may not see are counted but
 * not named.
 */
function useByName({ message: what = '', actual = 0, names = [] }: Detail): string {
  const counted = `${actual} ${actual === 1 ? what.replace(/ies$/, 'y').replace(/s$/, '') : what}`
  if (names.length === 0) return counted
  const all = names.join(', ')
  return `${counted}: ${names.length < actual ? statesText('in_use.others', { names: all }) : all}`
}

/** The fields of a query that a page needs in order to wait for it. */
export type Asked = Pick<UseQueryResult, 'data' | 'error' | 'errorUpdateCount' | 'refetch' | 'fetchStatus'>

/**
 * Stands in for data that is still missing: placeholder rows or, from the first failure until there
 * is an answer, the reason of the failure. A query clears its error when it retries, but the reason
 * should not flicker meanwhile.
 */
export function Awaiting({ of, ...loading }: { of: Asked | readonly Asked[]; rows?: number; height?: number }) {
  const missing = [of].flat().filter(({ data }) => data === undefined)
  const error = missing.find((one) => one.error)?.error
  const [known, setKnown] = useState(error)
  if (error && error !== known) setKnown(error)
  // A paused query continues by itself when the network is back.
  if (missing.some(({ fetchStatus }) => fetchStatus === 'paused')) return <Offline />
  const failed = missing.filter(({ errorUpdateCount }) => errorUpdateCount > 0)
  if (!known || failed.length === 0) return <Loading {...loading} />
  return <Problem error={known} retry={() => void Promise.all(failed.map((one) => one.refetch()))} />
}

function Offline() {
  return (
    <Empty icon={CloudOff} title={statesText('offline.title')}>
      {statesText('offline.unread')}
    </Empty>
  )
}

/** Shows why something cannot be shown, with the server's words and the id of the request. */
export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  const refusal = toRefusal(error)
  const { icon: Icon, title, hint } = explain(refusal)
  return (
    <div className={classes.empty} role="alert">
      <Icon aria-hidden size={28} strokeWidth={1.5} />
      <h2>{title}</h2>
      <p className={classes.hint}>{hint}</p>
      {refusal.request_id && (
        <p className={classes.request}>
          {statesText('problem.request')} <code>{refusal.request_id}</code>
          <CopyButton text={refusal.request_id} what={statesText('problem.request_id')} />
        </p>
      )}
      {retry && refusal.code !== 'FORBIDDEN' && refusal.code !== 'NOT_FOUND' && (
        <Button variant="default" onClick={retry}>
          {statesText('problem.again')}
        </Button>
      )}
      {refusal.code === 'NOT_FOUND' && (
        <Button variant="default" component={Link} to="/">
          {statesText('missing.action')}
        </Button>
      )}
    </div>
  )
}
