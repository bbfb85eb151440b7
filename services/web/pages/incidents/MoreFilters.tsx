/**
 * The less common filters and the order of the list, behind one button: assignee, source, label.
 * Loaded when the button is first used.
 */
import { NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { integrationsQuery } from '../../api/lists.ts'
import { useSession } from '../../api/session.ts'
import { membersQuery } from '../../api/workspace.ts'
import { wordOf } from '../../search.ts'
import { incidentListText } from '../../texts/incident-list.ts'
import { namesText } from '../../texts/names.ts'
import { kindWords } from './filter-words.ts'
import { type IncidentsSearch, labelOf, NOBODY, shownSorts, sourceKinds } from './search.ts'

export interface MoreFiltersProps {
  search: IncidentsSearch
  change: (next: IncidentsSearch, replace?: boolean) => void
}

const sortWords = { worst: incidentListText('sort.worst'), oldest: incidentListText('sort.oldest') } as const

export function MoreFilters({ search, change }: MoreFiltersProps) {
  const { data: members } = useQuery(membersQuery)
  const { data: integrations } = useQuery(integrationsQuery)
  const { user } = useSession()
  const { assignee = '', source_kind, integration_id, sort = '' } = search
  const people = (members?.items ?? []).map(({ user_id, name }) => ({
    value: user_id,
    label: user_id === user?.id ? namesText('person.you', { name }) : name
  }))
  const isGone = assignee !== '' && assignee !== NOBODY && !people.some(({ value }) => value === assignee)
  const sources = (integrations?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const source = source_kind ?? integration_id ?? ''
  const isGoneSource = integration_id !== undefined && source === integration_id && !sources.some(({ value }) => value === source)
  return (
    <>
      <NativeSelect
        label={incidentListText('filter.assignee')}
        data={[
          { value: '', label: incidentListText('filter.anybody') },
          { value: NOBODY, label: incidentListText('filter.nobody') },
          ...people,
          ...(isGone ? [{ value: assignee, label: incidentListText('filter.left') }] : [])
        ]}
        value={assignee}
        onChange={(event) => change({ assignee: event.currentTarget.value || undefined })}
        data-autofocus
      />
      <NativeSelect
        label={incidentListText('filter.source')}
        data={[
          { value: '', label: incidentListText('filter.any_source') },
          ...sourceKinds.map((kind) => ({ value: kind, label: kindWords[kind] })),
          ...sources,
          ...(isGoneSource ? [{ value: source, label: incidentListText('filter.gone_source') }] : [])
        ]}
        value={source}
        onChange={({ currentTarget: { value } }) => {
          const kind = wordOf(value, sourceKinds)
          change({ source_kind: kind, integration_id: kind === undefined && value !== '' ? value : undefined })
        }}
      />
      <LabelField label={search.label} change={change} />
      <NativeSelect
        label={incidentListText('sort.label')}
        data={[{ value: '', label: incidentListText('sort.newest') }, ...shownSorts.map((one) => ({ value: one, label: sortWords[one] }))]}
        value={sort}
        onChange={(event) => change({ sort: wordOf(event.currentTarget.value, shownSorts) })}
      />
    </>
  )
}

/**
 * The label is written to the address on Enter or when the field loses focus, once it is a valid
 * pair.
 */
function LabelField({ label = '', change }: { label: string | undefined; change: MoreFiltersProps['change'] }) {
  const [text, setText] = useState(label)
  const [judged, setJudged] = useState(false)
  const isWrong = text.trim() !== '' && labelOf(text) === undefined
  const take = (): void => {
    setJudged(true)
    if (!isWrong && text.trim() !== label) change({ label: text.trim() || undefined })
  }
  return (
    <TextInput
      label={incidentListText('filter.label')}
      description={incidentListText('filter.label_hint')}
      value={text}
      maxLength={400}
      onChange={(event) => {
        setText(event.currentTarget.value)
        setJudged(false)
      }}
      onBlur={take}
      onKeyDown={(event) => event.key === 'Enter' && take()}
      error={judged && isWrong ? incidentListText('filter.label_fault') : undefined}
    />
  )
}
