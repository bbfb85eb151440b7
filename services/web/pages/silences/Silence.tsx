/**
 * Creates or changes one silence. A new one may start from an incident, an alert or an earlier
 * silence.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { alertQuery } from '../../api/alerts.ts'
import { isGone } from '../../api/client.ts'
import { incidentQuery, teamsQuery } from '../../api/lists.ts'
import { useMay, useSession } from '../../api/session.ts'
import type { Silence, SilenceChange, NewSilence as Wanted } from '../../api/shapes.ts'
import { changeSilence, createSilence, silenceQuery } from '../../api/silences.ts'
import { lateForm } from '../../forms/late-form.tsx'
import { useBegun } from '../../forms/useBegun.ts'
import { useForm } from '../../forms/useForm.ts'
import { serverNow } from '../../live/server-clock.ts'
import { ownZone } from '../../parts/clock.ts'
import { PageHead } from '../../parts/Page.tsx'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { silencesText } from '../../texts/silences.ts'
import { Warnings } from '../routing/RuleWords.tsx'
import { Expire } from './Expire.tsx'
import { bodyOf, changeOf, matchersOf, newValues, valuesOf } from './silence-values.ts'

const SilenceForm = lateForm(async () => (await import('./SilenceForm.tsx')).SilenceForm)

const back = { to: '/silences', label: silencesText('page.title') }

/**
 * Returns a function for the time after a change: it reads again what the silence holds, and shows
 * the list.
 */
function useToList(): (changed: boolean) => Promise<void> {
  const navigate = useNavigate()
  const queries = useQueryClient()
  return async (changed) => {
    if (changed) for (const resource of ['silences', 'incidents', 'alerts']) void queries.invalidateQueries({ queryKey: [resource] })
    await navigate({ to: '/silences' })
  }
}

export function NewSilence() {
  const { incident = '', alert = '', like = '' } = useSearch({ from: '/inside/silences/new' })
  const may = useMay('act')
  const { role } = useSession()
  const asked = [
    useQuery({ ...incidentQuery(incident), enabled: incident !== '' }),
    useQuery({ ...alertQuery(alert), enabled: alert !== '' }),
    useQuery({ ...silenceQuery(like), enabled: like !== '' })
  ] as const
  const [{ data: ofIncident }, { data: ofAlert }, { data: before }] = asked
  const { data: teams } = useQuery(teamsQuery)
  const of = ofIncident ?? ofAlert
  const waits = [incident, alert, like].some((id, at) => id !== '' && asked[at]?.data === undefined)
  const isPrivate = teams?.items.some(({ id, visibility }) => id === of?.team_id && visibility === 'private') ?? false
  const matchers = before?.matchers ?? (of ? matchersOf(of, isPrivate || of.visibility === 'private') : [])
  return (
    <>
      <PageHead title={silencesText('form.new')} answer={silencesText('form.new_answer')} back={back}>
        {!may && <span>{silencesText('form.forbidden', { role })}</span>}
      </PageHead>
      {may &&
        (waits || !teams ? (
          <Awaiting of={asked.filter((_, at) => [incident, alert, like][at] !== '')} rows={6} />
        ) : (
          <Begun matchers={matchers} comment={before?.comment ?? ''} />
        ))}
    </>
  )
}

function Begun({ matchers, comment }: { matchers: Wanted['matchers']; comment: string }) {
  const toList = useToList()
  const form = useForm({
    initial: newValues(matchers, comment, serverNow(), ownZone()),
    schema: async () => (await import('../../../../schemas/http/silences.ts')).CreateSilenceBody,
    toBody: bodyOf,
    save: (body) => createSilence(body as Wanted),
    onSaved: () => {
      tellDone(silencesText('form.created'))
      void toList(true)
    }
  })
  return <SilenceForm form={form} verb={silencesText('form.create')} onCancel={() => void toList(false)} looks={matchers.length > 0} />
}

export function SilencePage() {
  const { id } = useParams({ from: '/inside/silences/$id' })
  const asked = useQuery(silenceQuery(id))
  const { data: silence, error } = asked
  if (silence && !isGone(error)) return <Shown key={id} silence={silence} />
  return (
    <>
      <PageHead title={silencesText('form.change')} answer={silencesText('form.change')} back={back} />
      {isGone(error) ? <Problem error={error} /> : <Awaiting of={asked} rows={6} />}
    </>
  )
}

function Shown({ silence }: { silence: Silence }) {
  const { comment, state, warnings } = silence
  const { begun, onSet } = useBegun(silence)
  const may = useMay('act')
  const { role } = useSession()
  return (
    <>
      <PageHead
        title={silencesText('form.change')}
        answer={comment}
        back={back}
        actions={may && state !== 'expired' && <Expire silence={silence} />}
      >
        {!may && <span>{silencesText('form.forbidden', { role })}</span>}
        {state === 'expired' && <span>{silencesText('form.ended')}</span>}
      </PageHead>
      <Warnings warnings={warnings} />
      {may && state !== 'expired' && <Change key={begun.version} silence={begun} onSet={onSet} />}
    </>
  )
}

function Change({ silence, onSet }: { silence: Silence; onSet: () => void }) {
  const toList = useToList()
  const [before] = useState(() => valuesOf(silence, ownZone()))
  const form = useForm({
    initial: before,
    schema: async () => (await import('../../../../schemas/http/silences.ts')).UpdateSilenceBody,
    toBody: (values) => changeOf(values, before),
    save: (body) => changeSilence(silence, body as SilenceChange),
    onSaved: () => {
      tellDone(silencesText('form.saved'))
      void toList(true)
    },
    onSet
  })
  return <SilenceForm form={form} verb={silencesText('form.save')} onCancel={() => void toList(false)} looks={false} />
}
