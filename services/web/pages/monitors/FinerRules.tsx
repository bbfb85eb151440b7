/**
 * Rules that most monitors leave at their defaults: a failure rate, a shorter interval while it
 * fails, when to report a single failing region, and when it counts as flapping.
 */
import { Checkbox, TextInput } from '@mantine/core'
import { PUSHED } from '../../../../schemas/http/check-words.ts'
import { monitorsText } from '../../texts/monitors.ts'
import classes from './MonitorForm.module.css'
import { type MonitorFormState, textField } from './text-field.ts'

export function FinerRules({ form }: { form: MonitorFormState }) {
  return (
    <>
      <p className={classes.words}>{monitorsText('rate.hint')}</p>
      <div className={classes.pair}>
        <TextInput
          label={monitorsText('rate.failures')}
          inputMode="numeric"
          {...textField(form, 'rate_failures', 'confirmation.failure_rate.failures')}
        />
        <TextInput
          label={monitorsText('rate.window')}
          inputMode="numeric"
          {...textField(form, 'rate_window', 'confirmation.failure_rate.window_seconds')}
        />
      </div>
      {form.values.type !== PUSHED && (
        <TextInput
          label={monitorsText('rhythm.label')}
          description={monitorsText('rhythm.hint')}
          inputMode="numeric"
          {...textField(form, 'down_interval', 'down_interval_seconds')}
        />
      )}
      <TextInput
        label={monitorsText('advisory.label')}
        description={monitorsText('advisory.hint')}
        inputMode="numeric"
        {...textField(form, 'advisory_after', 'confirmation.advisory_after_seconds')}
      />
      <Flapping form={form} />
    </>
  )
}

function Flapping({ form }: { form: MonitorFormState }) {
  const { values, set } = form
  return (
    <>
      <Checkbox
        label={monitorsText('flap.label')}
        description={monitorsText('flap.hint')}
        checked={values.flap}
        onChange={(event) => set({ flap: event.currentTarget.checked })}
      />
      {values.flap && (
        <div className={classes.pair}>
          <TextInput label={monitorsText('flap.rounds')} inputMode="numeric" {...textField(form, 'flap_rounds', 'flap.window_rounds')} />
          <TextInput label={monitorsText('flap.high')} inputMode="numeric" {...textField(form, 'flap_high', 'flap.high_percent')} />
          <TextInput label={monitorsText('flap.low')} inputMode="numeric" {...textField(form, 'flap_low', 'flap.low_percent')} />
        </div>
      )}
    </>
  )
}

export const Reminders = ({ form }: { form: MonitorFormState }) => (
  <TextInput
    label={monitorsText('remind.label')}
    description={monitorsText('remind.hint')}
    inputMode="numeric"
    {...textField(form, 'repeat', 'repeat_interval_seconds')}
  />
)
