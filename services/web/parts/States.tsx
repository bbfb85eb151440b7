/**
 * What a place shows while it has nothing to show: waiting, empty, refused, over a limit.
 * Source: docs/design/ui.md#principle-6.
 */
import { Button, Skeleton } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Ban, CloudOff, Lock, type LucideIcon, SearchX, TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type Detail, type Refusal, toRefusal } from '../api/client.ts'
import { CopyButton } from './Copy.tsx'
import classes from './States.module.css'

/** Rows to come, in the height they will have: nothing jumps when they are there. */
export function Loading({ rows = 5, height = 44 }: { rows?: number; height?: number }) {
  return (
    <div className={classes.loading} aria-busy="true" role="status" aria-label="Loading">
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
  /** The one button that fills it. */
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

/** Words of a refusal for people: what happened, and what can be done about it. */
export function explain(refusal: Refusal): { icon: LucideIcon; title: string; hint: string } {
  const [detail] = refusal.details
  switch (refusal.code) {
    case 'FORBIDDEN':
    case 'READ_ONLY_TOKEN':
      return {
        icon: Lock,
        title: 'You may not see or do this',
        hint: detail?.needed
          ? `It needs the role ${detail.needed.role} or above. An admin of the workspace can change yours.`
          : refusal.message
      }
    case 'NOT_FOUND':
      return { icon: SearchX, title: 'There is nothing here', hint: 'It may have been deleted, or it belongs to another workspace.' }
    case 'TIER_LIMIT_EXCEEDED':
      return { icon: Ban, title: 'The plan’s limit is reached', hint: limitInWords(refusal) }
    case 'IN_USE':
      return { icon: Ban, title: 'It is still in use', hint: usesInWords(refusal) }
    case 'VERSION_MISMATCH':
      return {
        icon: TriangleAlert,
        title: 'Somebody changed it meanwhile',
        hint: 'What you see is older than what is saved. Look at it as it is now, and change it again.'
      }
    case 'RATE_LIMITED':
      return { icon: Ban, title: 'Too many requests', hint: `Trying again helps in ${refusal.retryAfterSeconds ?? 60} s.` }
    case 'UNREACHABLE':
      return { icon: CloudOff, title: 'The service cannot be reached', hint: 'The page goes on trying.' }
    default:
      return {
        icon: TriangleAlert,
        title: refusal.status >= 500 ? 'This part of the service is not there just now' : 'That did not work',
        hint: refusal.message
      }
  }
}

/** As explain, of something that was to be done: whoever asked for it must ask again. */
export function explainAction(refusal: Refusal): ReturnType<typeof explain> {
  if (refusal.code !== 'UNREACHABLE') return explain(refusal)
  return navigator.onLine
    ? { icon: CloudOff, title: 'The service did not answer', hint: 'It was probably not done. Try again in a moment.' }
    : { icon: CloudOff, title: 'This device has no network', hint: 'Nothing was sent. Try again when the network is back.' }
}

/** `12 of 10 monitors on the plan free; pro has more.` */
export function limitInWords({ message, details: [detail] }: Refusal): string {
  if (!detail || detail.limit === undefined) return message
  const upgrade = detail.upgrade_to ? ` The plan ${detail.upgrade_to} has more.` : ''
  return `${message}: ${detail.limit} ${(detail.limit_key ?? 'of them').replaceAll('_', ' ')}${detail.plan ? ` on the plan ${detail.plan}` : ''}.${upgrade}`
}

/** `The schedule is used 2 times. Remove it there first: Page, Night.` */
function usesInWords({ message, details }: Refusal): string {
  if (details.some(({ names }) => names !== undefined)) return `Used by ${details.map(useByName).join('; ')}.`
  const names = details.flatMap(({ message: name, actual }) => (actual === undefined && name ? [name] : []))
  return names.length === 0 ? `${message}.` : `${message}: ${names.join(', ')}.`
}

/** `2 monitors: Shop, Blog`; those that the person does not see have no name. */
function useByName({ message: what = '', actual = 0, names = [] }: Detail): string {
  const counted = `${actual} ${actual === 1 ? what.replace(/ies$/, 'y').replace(/s$/, '') : what}`
  if (names.length === 0) return counted
  return `${counted}: ${names.join(', ')}${names.length < actual ? ' and others' : ''}`
}

/** What a page needs of a query to wait for it. */
export type Asked = Pick<UseQueryResult, 'data' | 'error' | 'errorUpdateCount' | 'refetch' | 'fetchStatus'>

/**
 * What stands where data will be: rows to come or, from the first failure until there is an answer,
 * why it failed. A query forgets its error as it asks again; the person should not see the reason
 * come and go meanwhile.
 */
export function Awaiting({ of, ...loading }: { of: Asked | readonly Asked[]; rows?: number; height?: number }) {
  const missing = [of].flat().filter(({ data }) => data === undefined)
  const error = missing.find((one) => one.error)?.error
  const [known, setKnown] = useState(error)
  if (error && error !== known) setKnown(error)
  // It goes on by itself when there is a network.
  if (missing.some(({ fetchStatus }) => fetchStatus === 'paused')) return <Offline />
  const failed = missing.filter(({ errorUpdateCount }) => errorUpdateCount > 0)
  if (!known || failed.length === 0) return <Loading {...loading} />
  return <Problem error={known} retry={() => void Promise.all(failed.map((one) => one.refetch()))} />
}

function Offline() {
  return (
    <Empty icon={CloudOff} title="This device has no network">
      This was not read before the network went away. It appears by itself when the network is back.
    </Empty>
  )
}

/** Why something cannot be shown, with the server's words and the id of the request. */
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
          Request <code>{refusal.request_id}</code>
          <CopyButton text={refusal.request_id} what="the request id" />
        </p>
      )}
      {retry && refusal.code !== 'FORBIDDEN' && refusal.code !== 'NOT_FOUND' && (
        <Button variant="default" onClick={retry}>
          Try again
        </Button>
      )}
      {refusal.code === 'NOT_FOUND' && (
        <Button variant="default" component={Link} to="/">
          To the overview
        </Button>
      )}
    </div>
  )
}
