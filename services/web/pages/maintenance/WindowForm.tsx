/** The form of a window: the planned work, what it covers, when, and its effect. */
import { Button, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { windowEffects } from '../../../../schemas/http/maintenance-words.ts'
import { MAX_CONDITIONS } from '../../../../schemas/http/routing-words.ts'
import { heartbeatsQuery, integrationsQuery, monitorsQuery } from '../../api/lists.ts'
import { windowPreviewQuery } from '../../api/maintenance.ts'
import { Duration } from '../../forms/Duration.tsx'
import { Form, Group } from '../../forms/Form.tsx'
import { MultiSelect } from '../../forms/late-fields.tsx'
import type { Form as FormState } from '../../forms/useForm.ts'
import { ZoneSelect } from '../../forms/ZoneSelect.tsx'
import { serverNow } from '../../live/server-clock.ts'
import { ownZone } from '../../parts/clock.ts'
import { Section } from '../../parts/Page.tsx'
import { Problem } from '../../parts/States.tsx'
import { wordOf } from '../../search.ts'
import { maintenanceText } from '../../texts/maintenance.ts'
import { dayTimeIn, weekdayName } from '../on-call/zone-days.ts'
import { ConditionFields } from '../routing/ConditionsField.tsx'
import ruleClasses from '../routing/RuleForm.module.css'
import { newCondition } from '../routing/rule-values.ts'
import { useThings } from '../routing/things.ts'
import listClasses from '../settings/List.module.css'
import own from './Maintenance.module.css'
import { WEEKDAYS } from './weekly-days.ts'
import { bodyOf, type Pattern, type WindowValues } from './window-values.ts'

type State = FormState<WindowValues>

export interface WindowFormProps {
  form: State
  verb: string
  onCancel: () => void
}

export function WindowForm({ form, verb, onCancel }: WindowFormProps) {
  return (
    <Form form={form} verb={verb} onCancel={onCancel}>
      <What form={form} />
      <Scope form={form} />
      <When form={form} />
      <How form={form} />
      <Preview values={form.values} />
    </Form>
  )
}

function What({ form: { values, set, fault, left } }: { form: State }) {
  return (
    <Group title={maintenanceText('form.what')}>
      <TextInput
        label={maintenanceText('form.name')}
        value={values.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        onBlur={() => left('name')}
        error={fault('name')}
      />
      <Textarea
        label={maintenanceText('form.reason')}
        description={maintenanceText('form.reason_hint')}
        autosize
        minRows={1}
        maxRows={6}
        value={values.reason}
        onChange={(event) => set({ reason: event.currentTarget.value })}
        error={fault('reason')}
      />
    </Group>
  )
}

const choices = (items: readonly { id: string; name: string }[] | undefined) =>
  (items ?? []).map(({ id, name }) => ({ value: id, label: name }))

function Scope({ form: { values, set, fault } }: { form: State }) {
  const monitors = useQuery(monitorsQuery()).data?.items
  const heartbeats = useQuery(heartbeatsQuery()).data?.items
  const integrations = useQuery(integrationsQuery).data?.items
  const nothing = fault('scope')
  return (
    <Group title={maintenanceText('form.scope')} hint={maintenanceText('form.scope_hint')}>
      <Checkbox label={maintenanceText('form.all')} checked={values.all} onChange={(event) => set({ all: event.currentTarget.checked })} />
      {!values.all && (
        <>
          <MultiSelect
            label={maintenanceText('form.monitors')}
            data={choices(monitors)}
            value={values.monitor_ids}
            onChange={(monitor_ids) => set({ monitor_ids })}
            searchable
            error={fault('scope.monitor_ids')}
          />
          <MultiSelect
            label={maintenanceText('form.heartbeats')}
            data={choices(heartbeats)}
            value={values.heartbeat_ids}
            onChange={(heartbeat_ids) => set({ heartbeat_ids })}
            searchable
            error={fault('scope.heartbeat_ids')}
          />
          <TextInput
            label={maintenanceText('form.tags')}
            description={maintenanceText('form.tags_hint')}
            value={values.tags}
            onChange={(event) => set({ tags: event.currentTarget.value })}
            error={fault('scope.tags')}
          />
          {values.effect !== 'pause_checks' && (
            <>
              <MultiSelect
                label={maintenanceText('form.integrations')}
                data={choices(integrations)}
                value={values.integration_ids}
                onChange={(integration_ids) => set({ integration_ids })}
                searchable
                error={fault('scope.integration_ids')}
              />
              <Matchers values={values} set={set} fault={fault} />
            </>
          )}
        </>
      )}
      {nothing !== undefined && <p role="alert">{nothing}</p>}
    </Group>
  )
}

function Matchers({ values: { matchers }, set, fault }: Pick<State, 'values' | 'set' | 'fault'>) {
  const things = useThings(matchers.map(({ field }) => field))
  const group = maintenanceText('form.matchers')
  return (
    <div className={ruleClasses.group}>
      <p className={ruleClasses.groupName}>{group}</p>
      {matchers.length > 0 && (
        <ol className={ruleClasses.conditions} aria-label={group}>
          {matchers.map((row, at) => (
            <ConditionFields
              key={row.key}
              row={row}
              place={{ at: at + 1, group }}
              things={things}
              fault={(field) => fault(`scope.matchers[${at}].${field}`)}
              left={() => undefined}
              onChange={(next) => set({ matchers: matchers.map((one) => (one.key === row.key ? next : one)) })}
              onRemove={() => set({ matchers: matchers.filter((one) => one.key !== row.key) })}
            />
          ))}
        </ol>
      )}
      {matchers.length < MAX_CONDITIONS && (
        <Button
          variant="default"
          size="xs"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => set({ matchers: [...matchers, newCondition(ownZone())] })}
        >
          {maintenanceText('form.add')}
        </Button>
      )}
    </div>
  )
}

function When({ form }: { form: State }) {
  const { values, set } = form
  return (
    <Group title={maintenanceText('form.when')}>
      <NativeSelect
        label={maintenanceText('form.kind')}
        data={[
          { value: 'once', label: maintenanceText('form.once') },
          { value: 'recurring', label: maintenanceText('form.recurring') }
        ]}
        value={values.kind}
        onChange={(event) => set({ kind: wordOf(event.currentTarget.value, ['once', 'recurring']) ?? values.kind })}
      />
      {values.kind === 'once' ? <Once form={form} /> : <Recurring form={form} />}
    </Group>
  )
}

function Once({ form: { values, set, fault } }: { form: State }) {
  return (
    <div className={own.half}>
      <TextInput
        type="datetime-local"
        label={maintenanceText('form.starts')}
        description={maintenanceText('form.starts_hint')}
        value={values.starts}
        onChange={(event) => set({ starts: event.currentTarget.value })}
        error={fault('schedule.starts_at')}
      />
      <TextInput
        type="datetime-local"
        label={maintenanceText('form.ends')}
        description={maintenanceText('form.ends_hint')}
        value={values.ends}
        onChange={(event) => set({ ends: event.currentTarget.value })}
        error={fault('schedule.ends_at')}
      />
    </div>
  )
}

const patterns: readonly Pattern[] = ['daily', 'weekly', 'monthly', 'own']

function Recurring({ form: { values, set, fault, left } }: { form: State }) {
  return (
    <>
      <NativeSelect
        label={maintenanceText('form.pattern')}
        data={patterns.map((value) => ({ value, label: maintenanceText(`form.${value}`) }))}
        value={values.pattern}
        onChange={(event) => set({ pattern: wordOf(event.currentTarget.value, patterns) ?? values.pattern })}
      />
      {values.pattern === 'weekly' && (
        <MultiSelect
          label={maintenanceText('form.days')}
          data={WEEKDAYS.map((value, at) => ({ value, label: weekdayName(at) }))}
          value={values.days}
          onChange={(days) => set({ days: WEEKDAYS.filter((day) => days.includes(day)) })}
          error={fault('schedule.rrule')}
        />
      )}
      {values.pattern === 'own' && (
        <TextInput
          label={maintenanceText('form.rrule')}
          description={maintenanceText('form.rrule_hint')}
          value={values.rrule}
          onChange={(event) => set({ rrule: event.currentTarget.value })}
          onBlur={() => left('schedule.rrule')}
          error={fault('schedule.rrule')}
        />
      )}
      <div className={own.half}>
        <TextInput
          type="date"
          label={maintenanceText('form.starts_on')}
          value={values.starts_on}
          onChange={(event) => set({ starts_on: event.currentTarget.value })}
          error={fault('schedule.starts_on')}
        />
        <TextInput
          type="time"
          label={maintenanceText('form.at')}
          value={values.at}
          onChange={(event) => set({ at: event.currentTarget.value })}
          error={fault('schedule.at')}
        />
        <Duration
          label={maintenanceText('form.lasts')}
          value={values.duration_seconds}
          onChange={(duration_seconds) => set({ duration_seconds })}
          onBlur={() => left('schedule.duration_minutes')}
          error={fault('schedule.duration_minutes')}
        />
        <ZoneSelect value={values.zone} onChange={(zone) => set({ zone })} error={fault('schedule.time_zone')} />
      </div>
      <TextInput
        type="datetime-local"
        label={maintenanceText('form.until')}
        description={maintenanceText('form.until_hint')}
        value={values.until}
        onChange={(event) => set({ until: event.currentTarget.value })}
        error={fault('schedule.until')}
      />
    </>
  )
}

function How({ form: { values, set, fault, left } }: { form: State }) {
  return (
    <Group title={maintenanceText('form.how')}>
      <NativeSelect
        label={maintenanceText('form.effect')}
        description={maintenanceText(`effect.${values.effect}_hint`)}
        data={windowEffects.map((value) => ({ value, label: maintenanceText(`effect.${value}`) }))}
        value={values.effect}
        onChange={(event) => {
          const effect = wordOf(event.currentTarget.value, windowEffects) ?? values.effect
          // Integrations and matchers have no checks that could be paused.
          set(effect === 'pause_checks' ? { effect, integration_ids: [], matchers: [] } : { effect })
        }}
        error={fault('effect')}
      />
      <Duration
        label={maintenanceText('form.settle')}
        description={maintenanceText('form.settle_hint')}
        value={values.settle_seconds}
        onChange={(settle_seconds) => set({ settle_seconds })}
        onBlur={() => left('settle_seconds')}
        error={fault('settle_seconds')}
      />
      <Checkbox
        label={maintenanceText('form.count')}
        checked={values.count_in_uptime}
        onChange={(event) => set({ count_in_uptime: event.currentTarget.checked })}
      />
    </Group>
  )
}

/** The server computes the preview, because it has the rules of time zones. */
function Preview({ values }: { values: WindowValues }) {
  const present = JSON.stringify({ ...values, matchers: values.matchers.map(({ key: _key, ...row }) => row) })
  const [asked, setAsked] = useState<{ of: string; body: string } | null>(null)
  const { data, error, isFetching, refetch } = useQuery(windowPreviewQuery(asked?.body ?? null))
  const look = (): void => {
    if (asked?.of === present) void refetch()
    // Saving needs a name; the preview does not.
    else setAsked({ of: present, body: JSON.stringify(bodyOf({ ...values, name: values.name.trim() || '-' }, serverNow())) })
  }
  const counted = (one: 'monitor' | 'heartbeat', count: number): string =>
    count === 1 ? maintenanceText(`scope.${one}`) : maintenanceText(`scope.${one}s`, { count })
  const zone = values.kind === 'once' ? ownZone() : values.zone
  return (
    <Section
      title={maintenanceText('preview.title')}
      aside={
        <Button variant="default" size="xs" loading={isFetching} onClick={look}>
          {maintenanceText(asked === null ? 'preview.ask' : 'preview.again')}
        </Button>
      }
    >
      <div role="status">
        {asked === null && <p className={listClasses.note}>{maintenanceText('preview.hint')}</p>}
        {asked !== null && asked.of !== present && <p className={listClasses.note}>{maintenanceText('preview.old')}</p>}
        {data && (
          <p className={listClasses.note}>
            {maintenanceText('preview.matched', {
              monitors: counted('monitor', data.matched.monitors),
              heartbeats: counted('heartbeat', data.matched.heartbeats)
            })}
          </p>
        )}
      </div>
      {error && <Problem error={error} />}
      {data && data.next_occurrences.length > 0 && (
        <ul aria-label={maintenanceText('preview.next')}>
          {data.next_occurrences.map(({ starts_at, ends_at }) => (
            <li key={starts_at}>
              {dayTimeIn(zone, starts_at)} – {dayTimeIn(zone, ends_at)}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
