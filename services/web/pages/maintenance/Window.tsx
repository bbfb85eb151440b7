/**
 * The page to create or change one window. A new one can start from a monitor or from a copy of an
 * old window.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { isGone } from '../../api/client.ts'
import { changeWindow, createWindow, windowQuery } from '../../api/maintenance.ts'
import { useMay, useSession } from '../../api/session.ts'
import type { NewWindow as Body, MaintenanceWindow, WindowChange } from '../../api/shapes.ts'
import { lateForm } from '../../forms/late-form.tsx'
import { useBegun } from '../../forms/useBegun.ts'
import { useForm } from '../../forms/useForm.ts'
import { serverNow } from '../../live/server-clock.ts'
import { ownZone } from '../../parts/clock.ts'
import { Facts, PageHead, Section } from '../../parts/Page.tsx'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { tellDone } from '../../parts/tell.ts'
import { maintenanceText } from '../../texts/maintenance.ts'
import { dayTimeIn } from '../on-call/zone-days.ts'
import { Delete, EndNow, When } from './Maintenance.tsx'
import { bodyOf, changeOf, likeBefore, newValues, valuesOf, type WindowValues } from './window-values.ts'
import { recurrenceInWords, scopeInWords, windowLooks } from './window-words.ts'

const WindowForm = lateForm(async () => (await import('./WindowForm.tsx')).WindowForm)

const back = { to: '/maintenance', label: maintenanceText('page.title') }

/** After a change, reloads what the window affects, then shows the list. */
function useToList(): (changed: boolean) => Promise<void> {
  const navigate = useNavigate()
  const queries = useQueryClient()
  return async (changed) => {
    if (changed) for (const resource of ['maintenance', 'incidents', 'alerts']) void queries.invalidateQueries({ queryKey: [resource] })
    await navigate({ to: '/maintenance' })
  }
}

export function NewWindow() {
  const { monitor = '', like = '' } = useSearch({ from: '/inside/maintenance/new' })
  const may = useMay('write')
  const { role } = useSession()
  const asked = useQuery({ ...windowQuery(like), enabled: like !== '' })
  const waits = like !== '' && asked.data === undefined
  const begin = (): WindowValues =>
    asked.data ? likeBefore(asked.data, serverNow(), ownZone()) : newValues(monitor === '' ? null : monitor, serverNow(), ownZone())
  return (
    <>
      <PageHead title={maintenanceText('form.new')} answer={maintenanceText('form.new_answer')} back={back}>
        {!may && <span>{maintenanceText('form.forbidden', { role })}</span>}
      </PageHead>
      {may && (waits ? <Awaiting of={asked} rows={6} /> : <Begun initial={begin()} />)}
    </>
  )
}

function Begun({ initial }: { initial: WindowValues }) {
  const toList = useToList()
  const form = useForm({
    initial,
    schema: async () => (await import('../../../../schemas/http/maintenance.ts')).CreateWindowBody,
    toBody: (values) => bodyOf(values, serverNow()),
    save: (body) => createWindow(body as Body),
    onSaved: () => {
      tellDone(maintenanceText('form.created'))
      void toList(true)
    }
  })
  return <WindowForm form={form} verb={maintenanceText('form.create')} onCancel={() => void toList(false)} />
}

export function WindowPage() {
  const { id } = useParams({ from: '/inside/maintenance/$id' })
  const asked = useQuery(windowQuery(id))
  const { data: window, error } = asked
  if (window && !isGone(error)) return <Shown key={id} window={window} />
  return (
    <>
      <PageHead title={maintenanceText('form.change')} answer={maintenanceText('form.change')} back={back} />
      {isGone(error) ? <Problem error={error} /> : <Awaiting of={asked} rows={6} />}
    </>
  )
}

function Shown({ window }: { window: MaintenanceWindow }) {
  const { name, state, reason, origin, next_occurrences, schedule, scope, effect } = window
  const may = useMay('write')
  const { role } = useSession()
  const toList = useToList()
  const { begun, onSet, begin } = useBegun(window)
  const isOver = state === 'ended' || state === 'cancelled'
  const planned = may && origin === 'planned'
  const zone = schedule.time_zone ?? ownZone()
  return (
    <>
      <PageHead
        title={name}
        answer={
          <>
            {name}: <Status look={windowLooks[state]} size="lg" />
          </>
        }
        back={back}
        actions={
          planned && (
            <>
              {state === 'active' && <EndNow window={window} onDone={begin} />}
              <Delete window={window} onDone={() => void toList(true)} />
            </>
          )
        }
      >
        <When window={window} />
        {reason !== null && <span>{reason}</span>}
        {origin === 'deployment' && <span>{maintenanceText('form.deployment')}</span>}
        {!may && <span>{maintenanceText('form.forbidden', { role })}</span>}
        {planned && isOver && <span>{maintenanceText('form.ended')}</span>}
      </PageHead>
      {next_occurrences.length > 0 && (
        <Section title={maintenanceText('preview.next')}>
          <ul>
            {next_occurrences.map(({ starts_at, ends_at }) => (
              <li key={starts_at}>
                {dayTimeIn(zone, starts_at)} – {dayTimeIn(zone, ends_at)}
              </li>
            ))}
          </ul>
        </Section>
      )}
      {planned && !isOver ? (
        <Change key={begun.version} window={begun} onSet={onSet} />
      ) : (
        <Facts
          facts={[
            [maintenanceText('form.scope'), scopeInWords(scope)],
            [maintenanceText('form.effect'), maintenanceText(`effect.${effect}`)],
            [maintenanceText('form.when'), recurrenceInWords(schedule) ?? maintenanceText('form.once')]
          ]}
        />
      )}
    </>
  )
}

function Change({ window, onSet }: { window: MaintenanceWindow; onSet: () => void }) {
  const toList = useToList()
  const [before] = useState(() => valuesOf(window, serverNow(), ownZone()))
  const form = useForm({
    initial: before,
    schema: async () => (await import('../../../../schemas/http/maintenance.ts')).UpdateWindowBody,
    toBody: (values) => changeOf(values, before, serverNow()),
    save: (body) => changeWindow(window, body as WindowChange),
    onSaved: () => {
      tellDone(maintenanceText('form.saved'))
      void toList(true)
    },
    onSet
  })
  return <WindowForm form={form} verb={maintenanceText('form.save')} onCancel={() => void toList(false)} />
}
