/**
 * Search: monitors, heartbeats, incidents, teams by a part of their name, an incident by its key,
 * and the places of the dashboard.
 */
import { Modal, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Activity, CornerDownLeft, HeartPulse, type LucideIcon, MapPin, Search, Siren, Users } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { client, take, takeJson } from '../api/client.ts'
import classes from './Palette.module.css'

interface Hit {
  key: string
  icon: LucideIcon
  kind: string
  label: string
  to: string
}

const places: readonly Hit[] = [
  ['Overview', '/'],
  ['Incidents', '/incidents'],
  ['Alerts', '/alerts'],
  ['Maintenance', '/maintenance'],
  ['New maintenance window', '/maintenance/new'],
  ['Silences', '/silences'],
  ['New silence', '/silences/new'],
  ['Monitors', '/monitors'],
  ['New monitor', '/monitors/new'],
  ['Heartbeats', '/heartbeats'],
  ['New heartbeat', '/heartbeats/new'],
  ['On-call', '/on-call'],
  ['Integrations', '/integrations'],
  ['New integration', '/integrations/new'],
  ['Feed', '/feed'],
  ['Members', '/settings/members'],
  ['Teams', '/settings/teams'],
  ['Routing rules', '/settings/routing'],
  ['New routing rule', '/settings/routing/new'],
  ['Try the routing rules', '/settings/routing/try'],
  ['Back-test the routing rules', '/settings/routing/backtest'],
  ['API tokens', '/settings/tokens'],
  ['Usage and limits', '/settings/usage'],
  ['Your account', '/settings/account'],
  ['First steps', '/welcome']
].map(([label = '', to = '']) => ({ key: to, icon: MapPin, kind: 'Go to', label, to }))

const SHOWN = 5

async function find(q: string, signal: AbortSignal): Promise<Hit[]> {
  const query = { q, per_page: SHOWN }
  const [monitors, heartbeats, incidents, teams] = await Promise.all([
    take(client.GET('/api/v1/monitors', { params: { query }, signal })),
    take(client.GET('/api/v1/heartbeats', { params: { query }, signal })),
    takeJson(client.GET('/api/v1/incidents', { params: { query }, signal })),
    take(client.GET('/api/v1/teams', { params: { query }, signal }))
  ])
  return [
    ...monitors.items.map(({ id, name }) => ({ key: id, icon: Activity, kind: 'Monitor', label: name, to: `/monitors/${id}` })),
    ...heartbeats.items.map(({ id, name }) => ({ key: id, icon: HeartPulse, kind: 'Heartbeat', label: name, to: `/heartbeats/${id}` })),
    ...incidents.items.map(({ key, title }) => ({ key, icon: Siren, kind: key, label: title, to: `/incidents/${key}` })),
    ...teams.items.map(({ id, name }) => ({ key: id, icon: Users, kind: 'Team', label: name, to: `/settings/teams/${id}` }))
  ]
}

const isKey = (text: string): boolean => /^inc-[1-9]\d*$/i.test(text)

export function Palette({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal.Root opened={opened} onClose={onClose} size="lg" yOffset="12vh" centered={false} padding={0}>
      <Modal.Overlay />
      <Modal.Content aria-label="Search">
        <Finder onClose={onClose} />
      </Modal.Content>
    </Modal.Root>
  )
}

function Finder({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const list = useId()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const typed = text.trim()
  const [q] = useDebouncedValue(typed, 150)
  const { data: found, isFetching } = useQuery({
    queryKey: ['search', q],
    queryFn: ({ signal }) => find(q, signal),
    enabled: q.length >= 2,
    placeholderData: keepPreviousData
  })
  const hits: Hit[] = [
    ...(isKey(typed)
      ? [{ key: 'by-key', icon: Siren, kind: 'Incident', label: typed.toUpperCase(), to: `/incidents/${typed.toUpperCase()}` }]
      : []),
    ...(q.length >= 2 ? (found ?? []) : []),
    ...places.filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()))
  ]
  const chosen = Math.min(at, hits.length - 1)

  function open(hit: Hit | undefined): void {
    if (!hit) return
    onClose()
    void navigate({ to: hit.to })
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, hits.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0))
    else if (event.key === 'Enter') open(hits[chosen])
    else return
    event.preventDefault()
  }

  return (
    <>
      <TextInput
        size="md"
        variant="unstyled"
        className={classes.input}
        leftSection={<Search size={17} aria-hidden />}
        placeholder="Name, or key such as INC-42"
        aria-label="Search"
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={hits.length > 0 ? `${list}-${chosen}` : undefined}
        value={text}
        maxLength={100}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
        data-autofocus
      />
      <div id={list} role="listbox" aria-label="Found" className={classes.hits}>
        {hits.map((hit, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field that controls the list
          <div
            key={`${hit.kind} ${hit.key}`}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className={classes.hit}
            onClick={() => open(hit)}
            onMouseMove={() => setAt(index)}
          >
            <hit.icon size={16} aria-hidden />
            <span className={classes.label}>{hit.label}</span>
            <span className={classes.kind}>{hit.kind}</span>
            {index === chosen && <CornerDownLeft size={14} aria-hidden />}
          </div>
        ))}
      </div>
      {hits.length === 0 && <p className={classes.none}>{isFetching ? 'Searching…' : `Nothing is called “${typed}”.`}</p>}
    </>
  )
}
