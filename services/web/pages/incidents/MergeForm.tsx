/** Which incident takes this one over. */
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { MergeBody } from '../../../../schemas/http/incidents.ts'
import { useShow } from '../../api/incidents.ts'
import { incidentsQuery } from '../../api/lists.ts'
import { merge } from '../../api/postmortems.ts'
import type { Incident } from '../../api/shapes.ts'
import { Form } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { text } from '../../texts/catalogue.ts'
import classes from './ActionDialog.module.css'

const SHOWN = 20
const TYPING_MS = 250

export function MergeForm({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const show = useShow()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim(), TYPING_MS)
  const isOngoing = incident.status === 'ongoing'
  const { data } = useQuery(
    incidentsQuery({ ...(isOngoing && { status: ['ongoing'] }), ...(q.length >= 2 && { q: q.slice(0, 100) }), per_page: SHOWN })
  )
  const form = useForm({
    initial: { into: null as { value: string; label: string } | null },
    schema: MergeBody,
    toBody: ({ into }) => ({ ...(into && { into_id: into.value }) }),
    save: (body) => merge(incident.id, body as { into_id: string }),
    onSaved: (target) => {
      show(target)
      onClose()
      void navigate({ to: '/incidents/$id', params: { id: target.key } })
    }
  })
  const { into } = form.values
  const found = (data?.items ?? [])
    .filter(({ id, team_id, visibility, merged_into }) => {
      return id !== incident.id && merged_into === null && team_id === incident.team_id && visibility === incident.visibility
    })
    .map(({ id, key, title }) => ({ value: id, label: `${key} ${title}` }))
  // What was chosen stays a choice when something else is looked for.
  const choices = into && !found.some(({ value }) => value === into.value) ? [into, ...found] : found
  return (
    <Form form={form} verb={text('postmortems', 'merge.verb')} onCancel={onClose}>
      <p className={classes.hint}>{text('postmortems', isOngoing ? 'merge.explained' : 'merge.explained_resolved')}</p>
      <Select
        label={text('postmortems', 'merge.into')}
        description={text('postmortems', data && choices.length === 0 ? 'merge.nothing' : 'merge.hint')}
        data={choices}
        value={into?.value ?? null}
        onChange={(_value, option) => form.set({ into: option })}
        searchable
        searchValue={typed}
        onSearchChange={setTyped}
        // The api has looked already.
        filter={({ options }) => options}
        error={form.fault('into_id') && (into ? form.fault('into_id') : text('postmortems', 'merge.into_missing'))}
        openOnFocus={false}
        data-autofocus
      />
    </Form>
  )
}
