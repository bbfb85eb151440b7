/**
 * The fields for when a job is expected: a period, or a cron expression. The cron expression is
 * shown in words while it is typed.
 */
import { SegmentedControl, TextInput } from '@mantine/core'
import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { Duration } from '../../forms/Duration.tsx'
import type { Form } from '../../forms/useForm.ts'
import { ZoneSelect } from '../../forms/ZoneSelect.tsx'
import { heartbeatFormText } from '../../texts/heartbeat-form.ts'
import { cronInWords } from './cron-words.ts'
import classes from './HeartbeatForm.module.css'
import type { Values } from './values.ts'

export function ScheduleFields({ form: { values, set, fault, left } }: { form: Form<Values> }) {
  return (
    <>
      <SegmentedControl
        aria-label={heartbeatFormText('schedule.kind')}
        className={classes.kinds}
        data={[
          { value: 'period', label: heartbeatFormText('schedule.period') },
          { value: 'cron', label: heartbeatFormText('schedule.cron') }
        ]}
        value={values.kind}
        onChange={(kind) => set({ kind: kind === 'cron' ? 'cron' : 'period' })}
      />
      {values.kind === 'period' ? (
        <Duration
          label={heartbeatFormText('schedule.every')}
          description={heartbeatFormText('schedule.every_hint')}
          value={values.period_seconds}
          onChange={(period_seconds) => set({ period_seconds })}
          onBlur={() => left('schedule')}
          error={fault('schedule') && (Number.isNaN(values.period_seconds) ? heartbeatFormText('schedule.no_number') : fault('schedule'))}
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
        label={heartbeatFormText('cron.label')}
        description={heartbeatFormText('cron.hint')}
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
      <ZoneSelect
        description={heartbeatFormText('cron.zone')}
        value={time_zone}
        onChange={(zone) => set({ time_zone: zone })}
        error={fault('schedule.time_zone')}
      />
    </>
  )
}
