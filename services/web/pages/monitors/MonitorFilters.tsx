/**
 * Filters and order of the list of monitors. Frames change monitors many times a second. Of this
 * part, only the counts of each status render again with them.
 */
import { NativeSelect, TextInput } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { memo, useMemo } from 'react'
import type { Monitor, MonitorGroup } from '../../api/shapes.ts'
import { HERE_MS, useTyped } from '../../forms/useTyped.ts'
import { monitorLook, Status } from '../../parts/Status.tsx'
import { TeamFilter } from '../../parts/TeamFilter.tsx'
import { Toggles } from '../../parts/Toggles.tsx'
import { wordOf } from '../../search.ts'
import { monitorGroupsText } from '../../texts/monitor-groups.ts'
import { monitorListText } from '../../texts/monitor-list.ts'
import { worstFirst } from '../overview/answer.ts'
import classes from './Monitors.module.css'
import { regionsOf } from './regions-of.ts'
import { type MonitorsSearch, monitorSorts } from './search.ts'

const sortWords = (sort: (typeof monitorSorts)[number]): string =>
  sort === 'group' ? monitorGroupsText('sort.group') : monitorListText(`sort.${sort}`)

interface Choice {
  value: string
  label: string
}

/** The choices that the filters offer. */
interface Choices {
  tags: string[]
  regions: Choice[]
  groups: Choice[]
}

function choicesOf(monitors: readonly Monitor[], groups: readonly MonitorGroup[]): Choices {
  const tags = new Set<string>()
  const regions = new Map<string, string>()
  for (const monitor of monitors) {
    for (const tag of monitor.tags) tags.add(tag)
    for (const code of regionsOf(monitor)) if (!regions.has(code)) regions.set(code, monitor.prober_region_labels[code] ?? code)
  }
  return {
    tags: [...tags].sort(),
    regions: [...regions].map(([value, label]) => ({ value, label })),
    groups: groups.map(({ id, name }) => ({ value: id, label: name }))
  }
}

/** Returns the previous object while the new one has the same content. */
function useSame<Said extends object>(value: Said): Said {
  const said = JSON.stringify(value)
  // biome-ignore lint/correctness/useExhaustiveDependencies: its text is all of it
  return useMemo(() => value, [said])
}

function useChange(): (change: Partial<Record<keyof MonitorsSearch, unknown>>, replace?: boolean) => void {
  const navigate = useNavigate({ from: '/monitors' })
  return (change, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...change }) as MonitorsSearch, replace, resetScroll: false })
}

const Fields = memo(function Fields({ choices: { tags, regions, groups } }: { choices: Choices }) {
  const { tag, region, team_id, group, q, sort } = useSearch({ from: '/inside/monitors' })
  const set = useChange()
  const { typed, type } = useTyped(q ?? '', (text) => set({ q: text === '' ? undefined : text }, true), HERE_MS)
  return (
    <>
      <TextInput
        className={classes.q}
        aria-label={monitorListText('filter.q')}
        placeholder={monitorListText('filter.q_hint')}
        value={typed}
        maxLength={100}
        onChange={({ currentTarget: { value } }) => type(value)}
      />
      <div className={classes.selects}>
        {(tags.length > 0 || tag) && (
          <NativeSelect
            aria-label={monitorListText('filter.tag')}
            value={tag ?? ''}
            data={[{ value: '', label: monitorListText('filter.any_tag') }, ...new Set([...tags, ...(tag ? [tag] : [])])]}
            onChange={({ currentTarget: { value } }) => set({ tag: value || undefined })}
          />
        )}
        <NativeSelect
          aria-label={monitorListText('filter.region')}
          value={region ?? ''}
          data={[{ value: '', label: monitorListText('filter.any_region') }, ...regions]}
          onChange={({ currentTarget: { value } }) => set({ region: value || undefined })}
        />
        {(groups.length > 0 || group) && (
          <NativeSelect
            aria-label={monitorGroupsText('group.label')}
            value={group ?? ''}
            data={[{ value: '', label: monitorGroupsText('group.any') }, ...groups]}
            onChange={({ currentTarget: { value } }) => set({ group: value || undefined })}
          />
        )}
        <TeamFilter team_id={team_id} change={(chosen) => set({ team_id: chosen })} />
        <NativeSelect
          aria-label={monitorListText('sort.label')}
          value={sort ?? ''}
          data={[
            { value: '', label: monitorListText('sort.worst') },
            ...monitorSorts
              .filter((one) => one !== 'group' || groups.length > 0 || sort === 'group')
              .map((one) => ({ value: one, label: sortWords(one) }))
          ]}
          onChange={({ currentTarget: { value } }) => set({ sort: wordOf(value, monitorSorts) })}
        />
      </div>
    </>
  )
})

interface MonitorFiltersProps {
  monitors: readonly Monitor[]
  groups: readonly MonitorGroup[]
}

export function MonitorFilters({ monitors, groups }: MonitorFiltersProps) {
  const { phase = [] } = useSearch({ from: '/inside/monitors' })
  const set = useChange()
  const choices = useSame(choicesOf(monitors, groups))
  const phases = new Map<Monitor['phase'], Monitor[]>()
  for (const monitor of worstFirst(monitors)) {
    const those = phases.get(monitor.phase)
    if (those) those.push(monitor)
    else phases.set(monitor.phase, [monitor])
  }
  return (
    <search className={classes.filters}>
      <Fields choices={choices} />
      <Toggles
        label={monitorListText('filter.status')}
        toggles={[...phases].flatMap(([word, those]) => {
          const [first] = those
          return first ? [{ word, label: <Status look={monitorLook(first)} />, count: those.length }] : []
        })}
        pressed={phase}
        onChange={(pressed) => set({ phase: pressed.length > 0 ? pressed : undefined })}
      />
    </search>
  )
}
