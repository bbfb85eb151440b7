/** One layer of a schedule: who takes turns, how they rotate in civil time, and when it applies. */
import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core'
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react'
import { MAX_EVERY, MAX_PARTICIPANTS, MAX_RESTRICTIONS, MAX_SHIFT_HOURS, rotations } from '../../../../schemas/http/on-call-words.ts'
import { weekdays } from '../../../../schemas/http/routing-words.ts'
import { Folded, Group } from '../../forms/Form.tsx'
import { MultiSelect, NumberInput } from '../../forms/late-fields.tsx'
import { ZoneSelect } from '../../forms/ZoneSelect.tsx'
import { onCallText } from '../../texts/on-call.ts'
import { type Choice, useNameOf } from './people.ts'
import { RestrictionFields } from './RestrictionFields.tsx'
import classes from './ScheduleForm.module.css'
import { type LayerRow, newRestriction, newTurn, shifted, type TurnRow } from './schedule-values.ts'
import { weekdayName } from './zone-days.ts'

export interface LayerFieldsProps {
  row: LayerRow
  /** Index from 0; the last layer wins. */
  at: number
  count: number
  people: readonly Choice[]
  zone: string
  onChange: (row: LayerRow) => void
  onMove: (by: 1 | -1) => void
  onRemove: () => void
  fault: (field: string) => string | undefined
}

const every = { daily: 'layer.every_days', weekly: 'layer.every_weeks', monthly: 'layer.every_months' } as const
const number = (typed: string | number): number | '' => (typed === '' ? '' : Number(typed))

export function LayerFields(props: LayerFieldsProps) {
  const { row, at, count, onChange, onMove, onRemove, fault } = props
  const set = (change: Partial<LayerRow>): void => onChange({ ...row, ...change })
  const title = row.name.trim() === '' ? onCallText('layer.number', { number: at + 1 }) : onCallText('calendar.layer', { name: row.name })
  return (
    <li>
      <Group title={title} hint={count > 1 ? onCallText(at === count - 1 ? 'layer.top' : 'layer.below') : undefined}>
        <div className={classes.buttons}>
          <Button
            variant="default"
            size="xs"
            disabled={at === count - 1}
            onClick={() => onMove(1)}
            aria-label={onCallText('layer.up_one', { title })}
          >
            {onCallText('layer.up')}
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={at === 0}
            onClick={() => onMove(-1)}
            aria-label={onCallText('layer.down_one', { title })}
          >
            {onCallText('layer.down')}
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={count === 1}
            onClick={onRemove}
            aria-label={onCallText('layer.remove_one', { title })}
          >
            {onCallText('layer.remove')}
          </Button>
        </div>
        <TextInput
          label={onCallText('layer.name')}
          value={row.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={fault('name')}
        />
        <Turns {...props} />
        <Rotation {...props} />
        <Hours {...props} />
      </Group>
    </li>
  )
}

function Turns({ row, people, onChange, fault }: LayerFieldsProps) {
  const { turns } = row
  const nameOf = useNameOf()
  const set = (next: readonly TurnRow[]): void => onChange({ ...row, turns: next })
  const known = new Set(people.map(({ value }) => value))
  /** People who are already chosen stay visible, even if they have left. */
  const choices = [
    ...people,
    ...[...new Set(turns.flatMap((turn) => turn.people))].filter((id) => !known.has(id)).map((value) => ({ value, label: nameOf(value) }))
  ]
  return (
    <div>
      <p className={classes.hint}>{onCallText('turn.hint')}</p>
      <ol className={classes.turns} aria-label={onCallText('turn.list')}>
        {turns.map((turn, at) => {
          const label = onCallText('turn.number', { number: at + 1 })
          return (
            <li key={turn.key} className={classes.turn}>
              <span className={classes.number} aria-hidden>
                {at + 1}
              </span>
              <MultiSelect
                aria-label={label}
                data={choices}
                value={[...turn.people]}
                onChange={(chosen) => set(turns.map((one) => (one.key === turn.key ? { ...one, people: chosen } : one)))}
                placeholder={turn.people.length === 0 ? onCallText('turn.nobody') : ''}
                error={fault(`participants[${at}]`)}
                searchable
                hidePickedOptions
              />
              <span className={classes.buttons}>
                <ActionIcon aria-label={onCallText('turn.up', { label })} disabled={at === 0} onClick={() => set(shifted(turns, at, -1))}>
                  <ArrowUp size={15} aria-hidden />
                </ActionIcon>
                <ActionIcon
                  aria-label={onCallText('turn.down', { label })}
                  disabled={at === turns.length - 1}
                  onClick={() => set(shifted(turns, at, 1))}
                >
                  <ArrowDown size={15} aria-hidden />
                </ActionIcon>
                <ActionIcon
                  aria-label={onCallText('turn.remove', { label })}
                  onClick={() => set(turns.filter(({ key }) => key !== turn.key))}
                >
                  <X size={15} aria-hidden />
                </ActionIcon>
              </span>
            </li>
          )
        })}
      </ol>
      {turns.length === 0 && fault('participants') !== undefined && (
        <p role="alert" className={classes.fault}>
          {fault('participants')}
        </p>
      )}
      {turns.length < MAX_PARTICIPANTS && (
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => set([...turns, newTurn([])])}
        >
          {onCallText('turn.add')}
        </Button>
      )}
    </div>
  )
}

function Rotation({ row, people, onChange, fault }: LayerFieldsProps) {
  const { rotation, turns } = row
  const nameOf = useNameOf()
  const set = (change: Partial<LayerRow>): void => onChange({ ...row, ...change })
  const labels = new Map(people.map(({ value, label }) => [value, label]))
  const nameOfTurn = ({ people: ids }: TurnRow): string =>
    ids.length === 0 ? onCallText('turn.nobody') : ids.map((id) => labels.get(id) ?? nameOf(id)).join(', ')
  return (
    <div className={classes.fields}>
      <NativeSelect
        label={onCallText('layer.rotation')}
        data={rotations.map((value) => ({ value, label: onCallText(`rotation.${value}`) }))}
        value={rotation}
        onChange={(event) => set({ rotation: rotations.find((one) => one === event.currentTarget.value) ?? 'weekly' })}
        error={fault('rotation')}
      />
      {rotation === 'hours' ? (
        <NumberInput
          label={onCallText('layer.shift_hours')}
          min={1}
          max={MAX_SHIFT_HOURS}
          value={row.shift_hours}
          onChange={(typed) => set({ shift_hours: number(typed) })}
          error={fault('shift_hours')}
        />
      ) : (
        <NumberInput
          label={onCallText(every[rotation])}
          min={1}
          max={MAX_EVERY}
          value={row.every}
          onChange={(typed) => set({ every: number(typed) })}
          error={fault('every')}
        />
      )}
      {rotation === 'weekly' && (
        <NativeSelect
          label={onCallText('layer.handoff_day')}
          data={weekdays.map((day, index) => ({ value: day, label: weekdayName(index) }))}
          value={row.weekday}
          onChange={(event) => set({ weekday: weekdays.find((day) => day === event.currentTarget.value) ?? 'mon' })}
          error={fault('handoff_day')}
        />
      )}
      {rotation === 'monthly' && (
        <NumberInput
          label={onCallText('layer.month_day')}
          min={1}
          max={28}
          value={row.month_day}
          onChange={(typed) => set({ month_day: number(typed) })}
          error={fault('handoff_day')}
        />
      )}
      <TextInput
        type="time"
        label={onCallText('layer.handoff_time')}
        value={row.handoff_time}
        onChange={(event) => set({ handoff_time: event.currentTarget.value })}
        error={fault('handoff_time')}
      />
      <TextInput
        type="date"
        label={onCallText('layer.starts_on')}
        value={row.starts_on}
        onChange={(event) => set({ starts_on: event.currentTarget.value })}
        error={fault('starts_on')}
      />
      <TextInput
        type="date"
        label={onCallText('layer.ends_on')}
        value={row.ends_on}
        onChange={(event) => set({ ends_on: event.currentTarget.value })}
        error={fault('ends_on')}
      />
      <NativeSelect
        label={onCallText('layer.begins')}
        data={turns.map((turn, index) => ({ value: String(index), label: `${index + 1}. ${nameOfTurn(turn)}` }))}
        value={String(Math.min(row.start_index, Math.max(0, turns.length - 1)))}
        onChange={(event) => set({ start_index: Number(event.currentTarget.value) })}
        error={fault('start_index')}
      />
    </div>
  )
}

/** Active hours and a time zone of the layer's own. Most layers have neither. */
function Hours({ row, zone, onChange, fault }: LayerFieldsProps) {
  const { restrictions } = row
  const set = (change: Partial<LayerRow>): void => onChange({ ...row, ...change })
  const summary = [
    restrictions.length === 0
      ? onCallText('layer.always')
      : restrictions.length === 1
        ? onCallText('layer.window')
        : onCallText('layer.windows', { count: restrictions.length }),
    row.time_zone === '' ? zone : row.time_zone
  ].join(', ')
  return (
    <Folded
      title={onCallText('layer.hours')}
      summary={summary}
      faulty={fault('restrictions') !== undefined || fault('time_zone') !== undefined}
    >
      <p className={classes.hint}>{onCallText('layer.hours_hint')}</p>
      {restrictions.map((window, at) => (
        <RestrictionFields
          key={window.key}
          label={onCallText('window.number', { number: at + 1 })}
          row={window}
          onChange={(next) => set({ restrictions: restrictions.map((one) => (one.key === window.key ? next : one)) })}
          onRemove={() => set({ restrictions: restrictions.filter(({ key }) => key !== window.key) })}
          fault={(field) => fault(`restrictions[${at}].${field}`)}
        />
      ))}
      {restrictions.length < MAX_RESTRICTIONS && (
        <Button
          variant="default"
          size="xs"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => set({ restrictions: [...restrictions, newRestriction()] })}
        >
          {onCallText('window.add')}
        </Button>
      )}
      <ZoneSelect
        label={onCallText('layer.zone')}
        description={onCallText('layer.zone_hint')}
        value={row.time_zone === '' ? zone : row.time_zone}
        onChange={(chosen) => set({ time_zone: chosen === zone ? '' : chosen })}
        error={fault('time_zone')}
      />
    </Folded>
  )
}
