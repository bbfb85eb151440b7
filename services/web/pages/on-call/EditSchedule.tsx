/**
 * Creates a schedule or changes all of it: its layers, what happens in a gap, and when the change
 * takes effect. It previews the shifts before they are saved.
 */
import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { Suspense } from 'react'
import { fallbackKinds, MAX_AHEAD_DAYS, MAX_LAYERS, MAX_MIN_PARTICIPANTS } from '../../../../schemas/http/on-call-words.ts'
import { isGone } from '../../api/client.ts'
import { changeSchedule, createSchedule, readSchedulesAgain, scheduleQuery, schedulesQuery } from '../../api/on-call.ts'
import { useMay, useSession } from '../../api/session.ts'
import type { NewSchedule, Schedule, ScheduleChange } from '../../api/shapes.ts'
import { useManagedTeams } from '../../api/teams.ts'
import { Form, Group } from '../../forms/Form.tsx'
import { NumberInput } from '../../forms/late-fields.tsx'
import { lateForm } from '../../forms/late-form.tsx'
import { TeamSelect } from '../../forms/TeamSelect.tsx'
import { useBegun } from '../../forms/useBegun.ts'
import { type Form as FormState, useForm } from '../../forms/useForm.ts'
import { ZoneSelect } from '../../forms/ZoneSelect.tsx'
import { serverNow } from '../../live/server-clock.ts'
import { ownZone } from '../../parts/clock.ts'
import { PageHead } from '../../parts/Page.tsx'
import { lazyPart } from '../../parts/part.ts'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { onCallText } from '../../texts/on-call.ts'
import { usePeople } from './people.ts'
import classes from './ScheduleForm.module.css'
import { bodyOf, changeOf, emptyValues, newLayer, plannedFor, type ScheduleValues, shifted, valuesOf } from './schedule-values.ts'
import { dateOf, dayAt, knownZone } from './zone-days.ts'

const NoticeFields = lateForm(async () => (await import('./NoticeFields.tsx')).NoticeFields)

const DeleteSchedule = lazyPart(async () => (await import('./DeleteSchedule.tsx')).DeleteSchedule)
const Preview = lateForm(async () => (await import('./Preview.tsx')).Preview)
const LayerFields = lateForm(async () => (await import('./LayerFields.tsx')).LayerFields)

const back = { to: '/on-call', label: onCallText('nav.schedules') }
/** A layer that starts yesterday is in effect at once, whatever the hour. */
const yesterday = (zone: string): string => dateOf(dayAt(knownZone(zone), serverNow()) - 1)

function useSaved(done: string) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return ({ id }: Schedule): void => {
    void readSchedulesAgain(queries)
    tellDone(done)
    void navigate({ to: '/on-call/schedules/$id', params: { id } })
  }
}

export function NewSchedulePage() {
  const { user } = useSession()
  const may = useMay('write')
  const navigate = useNavigate()
  const zone = ownZone()
  const onSaved = useSaved(onCallText('edit.created'))
  const form = useForm({
    initial: emptyValues(zone, newLayer(onCallText('new.layer'), user ? [user.id] : [], yesterday(zone))),
    schema: async () => (await import('../../../../schemas/http/on-call.ts')).CreateScheduleBody,
    toBody: bodyOf,
    save: (body) => createSchedule(body as NewSchedule),
    onSaved
  })
  return (
    <>
      <PageHead title={onCallText('new.title')} answer={onCallText('edit.new_answer')} back={back}>
        {!may && <span>{onCallText('list.read_only')}</span>}
      </PageHead>
      {may && <Fields form={form} schedule={null} verb={onCallText('new.create')} onCancel={() => void navigate({ to: '/on-call' })} />}
    </>
  )
}

export function EditSchedulePage() {
  const { id } = useParams({ from: '/inside/on-call/schedules/$id/edit' })
  const asked = useQuery(scheduleQuery(id))
  const may = useMay('write')
  const { data: schedule, error } = asked
  if (schedule && !isGone(error) && may) return <Edit key={id} schedule={schedule} />
  return (
    <>
      <PageHead title={onCallText('page.title')} answer={onCallText('schedule.unknown')} back={back}>
        {!may && <span>{onCallText('list.read_only')}</span>}
      </PageHead>
      {isGone(error) ? <Problem error={error} /> : may && <Awaiting of={asked} rows={6} />}
    </>
  )
}

function Edit({ schedule }: { schedule: Schedule }) {
  const { id, name } = schedule
  const { begun, onSet } = useBegun(schedule)
  return (
    <>
      <PageHead
        title={name}
        answer={onCallText('edit.answer', { name })}
        back={{ to: `/on-call/schedules/${id}`, label: name }}
        actions={
          <Suspense fallback={null}>
            <DeleteSchedule schedule={schedule} />
          </Suspense>
        }
      />
      <Change key={begun.version} schedule={begun} onSet={onSet} />
    </>
  )
}

function Change({ schedule, onSet }: { schedule: Schedule; onSet: () => void }) {
  const { id } = schedule
  const navigate = useNavigate()
  const onSaved = useSaved(onCallText('edit.saved'))
  const form = useForm({
    initial: valuesOf(schedule, serverNow()),
    schema: async () => (await import('../../../../schemas/http/on-call.ts')).UpdateScheduleBody,
    toBody: changeOf,
    save: (body) => changeSchedule(schedule, body as ScheduleChange),
    onSaved,
    onSet
  })
  const cancel = (): void => void navigate({ to: '/on-call/schedules/$id', params: { id } })
  return <Fields form={form} schedule={schedule} verb={onCallText('edit.save')} onCancel={cancel} />
}

interface FieldsProps {
  form: FormState<ScheduleValues>
  /** null: a new one. */
  schedule: Schedule | null
  verb: string
  onCancel: () => void
}

function Fields({ form, schedule, verb, onCancel }: FieldsProps) {
  const { values, set, fault, left } = form
  const teams = useManagedTeams()
  return (
    <Form form={form} verb={verb} onCancel={onCancel}>
      <Group title={onCallText('edit.schedule')}>
        <TextInput
          label={onCallText('new.name')}
          value={values.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          onBlur={() => values.name !== '' && left('name')}
          error={fault('name')}
        />
        <Textarea
          label={onCallText('edit.description')}
          autosize
          minRows={1}
          maxRows={6}
          value={values.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
          error={fault('description')}
        />
        <ZoneSelect
          description={onCallText('edit.zone_hint')}
          value={values.time_zone}
          onChange={(time_zone) => set({ time_zone })}
          error={fault('time_zone')}
        />
        <TeamSelect value={values.team_id} onChange={(team_id) => set({ team_id })} error={fault('team_id')} offered={teams} />
      </Group>
      <Layers form={form} />
      <Gaps form={form} own={schedule?.id ?? null} />
      <NoticeFields form={form} />
      <Group title={onCallText('ical.title')} hint={onCallText('ical.hint')}>
        <TextInput
          label={onCallText('ical.url')}
          description={onCallText('ical.url_hint')}
          value={values.calendar}
          onChange={(event) => set({ calendar: event.currentTarget.value })}
          error={fault('ical_overrides_url')}
        />
      </Group>
      {schedule && (
        <Group
          title={onCallText('edit.when')}
          hint={onCallText(plannedFor(schedule, serverNow()) === null ? 'edit.when_hint' : 'edit.planned_hint')}
        >
          <TextInput
            type="datetime-local"
            label={onCallText('edit.effective')}
            description={onCallText('edit.effective_hint', { zone: knownZone(values.time_zone), days: MAX_AHEAD_DAYS })}
            value={values.effective}
            onChange={(event) => set({ effective: event.currentTarget.value })}
            error={fault('effective_at')}
          />
        </Group>
      )}
      <Preview body={bodyOf(values)} />
    </Form>
  )
}

function Layers({ form: { values, set, fault } }: { form: FormState<ScheduleValues> }) {
  const { layers } = values
  const people = usePeople()
  return (
    <>
      <ol className={classes.layers} aria-label={onCallText('layer.list')}>
        {/* The layer that wins is on top, as its shifts are in the calendar. */}
        {layers
          .map((row, at) => ({ row, at }))
          .reverse()
          .map(({ row, at }) => (
            <LayerFields
              key={row.key}
              row={row}
              at={at}
              count={layers.length}
              people={people}
              zone={values.time_zone}
              onChange={(next) => set({ layers: layers.map((one) => (one.key === row.key ? next : one)) })}
              onMove={(by) => set({ layers: shifted(layers, at, by) })}
              onRemove={() => set({ layers: layers.filter(({ key }) => key !== row.key) })}
              fault={(field) => fault(`layers[${at}].${field}`)}
            />
          ))}
      </ol>
      {layers.length < MAX_LAYERS && (
        <div>
          <Button
            variant="default"
            leftSection={<Plus size={16} aria-hidden />}
            onClick={() =>
              set({
                layers: [...layers, newLayer(onCallText('layer.number', { number: layers.length + 1 }), [], yesterday(values.time_zone))]
              })
            }
          >
            {onCallText('layer.add')}
          </Button>
        </div>
      )}
    </>
  )
}

/** What happens at times when no layer has anybody. */
function Gaps({ form: { values, set, fault }, own }: { form: FormState<ScheduleValues>; own: string | null }) {
  const people = usePeople()
  const { data } = useQuery(schedulesQuery)
  const others = (data?.items ?? []).filter(({ id }) => id !== own).map(({ id, name }) => ({ value: id, label: name }))
  const choose = { value: '', label: onCallText('fallback.choose') }
  return (
    <Group title={onCallText('fallback.title')}>
      <NativeSelect
        label={onCallText('fallback.kind')}
        data={fallbackKinds.map((kind) => ({ value: kind, label: onCallText(`fallback.${kind}`) }))}
        value={values.fallback}
        onChange={(event) => set({ fallback: fallbackKinds.find((kind) => kind === event.currentTarget.value) ?? 'none' })}
        error={values.fallback === 'user' || values.fallback === 'schedule' ? undefined : fault('fallback')}
      />
      {values.fallback === 'user' && (
        <NativeSelect
          label={onCallText('fallback.person')}
          data={[choose, ...people]}
          value={values.fallback_user}
          onChange={(event) => set({ fallback_user: event.currentTarget.value })}
          error={fault('fallback')}
        />
      )}
      {values.fallback === 'schedule' && (
        <NativeSelect
          label={onCallText('fallback.other')}
          data={[choose, ...others]}
          value={values.fallback_schedule}
          onChange={(event) => set({ fallback_schedule: event.currentTarget.value })}
          error={fault('fallback')}
        />
      )}
      <NumberInput
        label={onCallText('edit.min')}
        description={onCallText('edit.min_hint')}
        min={1}
        max={MAX_MIN_PARTICIPANTS}
        value={values.min_participants}
        onChange={(typed) => set({ min_participants: typed === '' ? '' : Number(typed) })}
        error={fault('min_participants')}
      />
    </Group>
  )
}
