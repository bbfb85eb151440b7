/**
 * The list of all heartbeats. It answers whether every job is on time and, if not, which one is
 * late.
 */
import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { HeartPulse, Plus, Search, SearchX } from 'lucide-react'
import { useMemo } from 'react'
import { heartbeatsQuery, teamsQuery } from '../../api/lists.ts'
import { useMay } from '../../api/session.ts'
import type { Heartbeat } from '../../api/shapes.ts'
import { Select } from '../../forms/late-fields.tsx'
import { HERE_MS, useTyped } from '../../forms/useTyped.ts'
import { PageHead } from '../../parts/Page.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { Said } from '../../parts/Said.tsx'
import { useNow } from '../../parts/Since.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { heartbeatLook } from '../../parts/Status.tsx'
import { stillComes } from '../../parts/still-comes.ts'
import { TeamFilter } from '../../parts/TeamFilter.tsx'
import { Toggles } from '../../parts/Toggles.tsx'
import { useKeys } from '../../shell/keys.ts'
import { heartbeatsText } from '../../texts/heartbeats.ts'
import { HeartbeatRow } from './HeartbeatRow.tsx'
import classes from './Heartbeats.module.css'
import { type HeartbeatsSearch, phases, sorts } from './search.ts'
import { answerOf, type Counts, countPhases, type Phase, phaseNow, ranks } from './words.ts'

interface Item {
  heartbeat: Heartbeat
  phase: Phase
}

const byName = (one: Item, other: Item): number =>
  one.heartbeat.name.localeCompare(other.heartbeat.name) || (one.heartbeat.id < other.heartbeat.id ? -1 : 1)

/** Compares instants given as text; null comes last. */
const byInstant = (one: string | null, other: string | null): number =>
  one === other ? 0 : one === null ? 1 : other === null ? -1 : one < other ? -1 : 1

const orders: Readonly<Record<'worst' | (typeof sorts)[number], (one: Item, other: Item) => number>> = {
  worst: (one, other) => ranks[one.phase] - ranks[other.phase] || byName(one, other),
  name: byName,
  last_ping: (one, other) =>
    one.heartbeat.last_ping_at === null || other.heartbeat.last_ping_at === null
      ? byInstant(one.heartbeat.last_ping_at, other.heartbeat.last_ping_at) || byName(one, other)
      : byInstant(other.heartbeat.last_ping_at, one.heartbeat.last_ping_at) || byName(one, other),
  next_due: (one, other) => byInstant(one.heartbeat.next_expected_at, other.heartbeat.next_expected_at) || byName(one, other)
}

function shownOf(items: readonly Item[], { phase = [], tag, team_id, q = '', sort }: HeartbeatsSearch): Item[] {
  const part = q.toLowerCase()
  return items
    .filter(
      (item) =>
        (phase.length === 0 || phase.includes(item.phase)) &&
        (tag === undefined || item.heartbeat.tags.includes(tag)) &&
        (team_id === undefined || item.heartbeat.team_id === team_id) &&
        (item.heartbeat.name.toLowerCase().includes(part) || (item.heartbeat.slug ?? '').includes(part))
    )
    .sort(orders[sort ?? 'worst'])
}

function NewButton() {
  return (
    <Button component={Link} to="/heartbeats/new" leftSection={<Plus size={16} aria-hidden />}>
      {heartbeatsText('do.new')}
    </Button>
  )
}

export function Heartbeats() {
  const navigate = useNavigate()
  const mayWrite = useMay('write')
  const asked = useQuery(heartbeatsQuery())
  const { data } = asked
  const waits = stillComes(useQuery(teamsQuery))
  const now = useNow(2)
  const items = useMemo(() => (data?.items ?? []).map((heartbeat) => ({ heartbeat, phase: phaseNow(heartbeat, now) })), [data, now])
  const counts = countPhases(items.map(({ phase }) => phase))
  useKeys(mayWrite ? { c: () => void navigate({ to: '/heartbeats/new' }) } : {})

  if (!data || waits)
    return (
      <>
        <PageHead title={heartbeatsText('page.title')} answer={heartbeatsText('page.title')} />
        <Awaiting of={asked} rows={8} />
      </>
    )
  if (items.length === 0)
    return (
      <>
        <PageHead title={heartbeatsText('page.title')} answer={heartbeatsText('page.none')} />
        <Empty icon={HeartPulse} title={heartbeatsText('list.empty')} action={mayWrite && <NewButton />}>
          <Said parts={{ command: <code>curl</code> }}>{({ command }) => heartbeatsText('list.empty_hint', { command })}</Said>{' '}
          {!mayWrite && heartbeatsText('list.empty_role')}
        </Empty>
      </>
    )
  return (
    <>
      <PageHead title={heartbeatsText('page.title')} answer={answerOf(counts)} actions={mayWrite && <NewButton />}>
        <Below counts={counts} total={items.length} />
      </PageHead>
      <Filters items={items} counts={counts} />
      <Shown items={items} />
    </>
  )
}

/** The counts that the headline leaves out. */
function Below({ counts, total }: { counts: Counts; total: number }) {
  const { on_time, running, waiting, paused } = counts
  const parts = [
    heartbeatsText('list.total', { count: total }),
    on_time > 0 && heartbeatsText('list.on_time', { count: on_time }),
    running > 0 && heartbeatsText('list.running', { count: running }),
    waiting > 0 && heartbeatsText('list.waiting', { count: waiting }),
    paused > 0 && heartbeatsText('list.paused', { count: paused })
  ]
  return <span>{parts.filter((part) => part !== false).join(' · ')}</span>
}

function Filters({ items, counts }: { items: readonly Item[]; counts: Counts }) {
  const navigate = useNavigate({ from: '/heartbeats' })
  const search = useSearch({ from: '/inside/heartbeats' })
  const { phase: pressed = [], tag, team_id, q, sort } = search
  const change = (changed: HeartbeatsSearch, replace = false): void =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace, resetScroll: false })
  const { typed, type } = useTyped(q ?? '', (text) => change({ q: text }, true), HERE_MS)
  const tags = [...new Set([...items.flatMap(({ heartbeat }) => heartbeat.tags), ...(tag ? [tag] : [])])].sort()
  return (
    <div className={classes.filters}>
      <TextInput
        className={classes.find}
        size="sm"
        type="search"
        aria-label={heartbeatsText('find.part')}
        placeholder={heartbeatsText('find.part')}
        leftSection={<Search size={15} aria-hidden />}
        value={typed}
        maxLength={100}
        onChange={(event) => type(event.currentTarget.value)}
      />
      {tags.length > 0 && (
        <Select
          className={classes.choice}
          aria-label={heartbeatsText('find.tag')}
          placeholder={heartbeatsText('find.any_tag')}
          data={tags}
          value={tag ?? null}
          onChange={(next) => change({ tag: next ?? undefined })}
          clearable
          searchable={tags.length > 8}
        />
      )}
      <TeamFilter className={classes.choice} team_id={team_id} change={(chosen) => change({ team_id: chosen })} />
      <Select
        className={classes.choice}
        aria-label={heartbeatsText('find.order')}
        data={(['worst', ...sorts] as const).map((value) => ({ value, label: heartbeatsText(`order.${value}`) }))}
        value={sort ?? 'worst'}
        onChange={(next) => change({ sort: sorts.find((one) => one === next) })}
      />
      <Toggles
        label={heartbeatsText('find.state')}
        toggles={phases
          .filter((phase) => counts[phase] > 0 || pressed.includes(phase))
          .map((phase) => ({ word: phase, label: heartbeatLook({ phase }).word, count: counts[phase] }))}
        pressed={pressed}
        onChange={(phase) => change({ phase })}
      />
    </div>
  )
}

function Shown({ items }: { items: readonly Item[] }) {
  const search = useSearch({ from: '/inside/heartbeats' })
  const shown = shownOf(items, search)
  if (shown.length === 0)
    return (
      <Empty
        icon={SearchX}
        title={heartbeatsText('find.none')}
        action={
          <Button variant="default" component={Link} to="/heartbeats">
            {heartbeatsText('find.all', { count: items.length })}
          </Button>
        }
      />
    )
  return (
    <Rows label={heartbeatsText('page.title')} items={shown} idOf={({ heartbeat }) => heartbeat.id} narrowHeight={60}>
      {({ heartbeat, phase }) => <HeartbeatRow heartbeat={heartbeat} phase={phase} />}
    </Rows>
  )
}
