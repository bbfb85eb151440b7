/** When a job is expected: every so often, or by a cron expression that is read back in words while it is typed. */
import { SegmentedControl, Select, TextInput } from '@mantine/core'
import { DurationField } from '../../forms/DurationField.tsx'
import type { Form } from '../../forms/useForm.ts'
import classes from './HeartbeatForm.module.css'
import type { Values } from './values.ts'
import { cronInWords } from './words.ts'

export function ScheduleFields({ form: { values, set, fault, left } }: { form: Form<Values> }) {
  return (
    <>
      <SegmentedControl
        aria-label="Kind of schedule"
        className={classes.kinds}
        data={[
          { value: 'period', label: 'Every so often' },
          { value: 'cron', label: 'By a cron expression' }
        ]}
        value={values.kind}
        onChange={(kind) => set({ kind: kind === 'cron' ? 'cron' : 'period' })}
      />
      {values.kind === 'period' ? (
        <DurationField
          label="A ping every"
          description="From 30 s to 365 days, counted from the last ping"
          seconds={values.period_seconds}
          onChange={(period_seconds) => set({ period_seconds })}
          onBlur={() => left('schedule')}
          error={values.period_seconds === null ? fault('schedule') && 'This is required.' : fault('schedule')}
          required
        />
      ) : (
        <CronFields values={values} set={set} fault={fault} left={left} />
      )}
    </>
  )
}

function CronFields({ values: { expression, time_zone }, set, fault, left }: Pick<Form<Values>, 'values' | 'set' | 'fault' | 'left'>) {
  const said = cronInWords(expression)
  const refused = fault('schedule.expression')
  return (
    <>
      <TextInput
        label="Cron expression"
        description="Minute, hour, day of month, month, day of week; also names, L, # and @daily"
        value={expression}
        maxLength={200}
        onChange={(event) => set({ expression: event.currentTarget.value })}
        onBlur={() => left('schedule.expression')}
        error={refused ?? ('fault' in said && said.fault)}
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: classes.mono }}
        required
        withAsterisk={false}
      />
      {'words' in said && !refused && (
        <p className={classes.words} role="status">
          {said.words}, {time_zone}
        </p>
      )}
      <Select
        label="Time zone"
        description="Whose wall clock the expression means, changes to summer time included"
        data={zonesWith(time_zone)}
        value={time_zone}
        onChange={(next) => next !== null && set({ time_zone: next })}
        onBlur={() => left('schedule.time_zone')}
        error={fault('schedule.time_zone')}
        searchable
        limit={60}
        nothingFoundMessage="No zone is called so"
        selectFirstOptionOnChange
      />
    </>
  )
}

const known: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

const zonesWith = (zone: string): string[] => (known.includes(zone) ? [...known] : [zone, ...known])
