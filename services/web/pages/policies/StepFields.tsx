/** The fields of one step: how long it waits, whom it asks and how, and when it applies. */
import { Checkbox, NativeSelect } from '@mantine/core'
import { emptyWays, strategies } from '../../../../schemas/http/escalation-words.ts'
import { Duration } from '../../forms/Duration.tsx'
import { Folded } from '../../forms/Form.tsx'
import { severityLook } from '../../parts/Status.tsx'
import { wordOf } from '../../search.ts'
import { policiesText } from '../../texts/policies.ts'
import { severities } from '../incidents/search.ts'
import { WindowFields } from '../routing/WindowFields.tsx'
import classes from './PolicyForm.module.css'
import type { StepRow } from './policy-values.ts'
import { conditionInWords } from './policy-words.ts'
import { TargetsField } from './TargetsField.tsx'
import type { Targets } from './targets.ts'

export interface StepFieldsProps {
  step: StepRow
  /** The index of the step, from 0. */
  at: number
  targets: Targets
  /** Returns the fault of a field of the step. */
  fault: (field: string) => string | undefined
  left: (field: string) => void
  onChange: (change: Partial<StepRow>) => void
}

const strategyChoices = strategies.map((value) => ({ value, label: policiesText(`strategy.${value}`) }))
const emptyChoices = emptyWays.map((value) => ({ value, label: policiesText(`on_empty.${value}`) }))

export function StepFields({ step, at, targets, fault, left, onChange }: StepFieldsProps) {
  const { delay_seconds, strategy, on_empty } = step
  return (
    <>
      <TargetsField step={step} at={at} targets={targets} fault={fault} onChange={(next) => onChange({ targets: next })} />
      <Duration
        label={policiesText(at === 0 ? 'form.wait_first' : 'form.wait')}
        description={at === 0 ? undefined : policiesText('form.wait_hint')}
        value={delay_seconds}
        onChange={(seconds) => onChange({ delay_seconds: seconds })}
        onBlur={() => left('delay_seconds')}
        error={fault('delay_seconds')}
      />
      <div className={classes.two}>
        <NativeSelect
          label={policiesText('form.strategy')}
          description={policiesText(`strategy_hint.${strategy}`)}
          data={strategyChoices}
          value={strategy}
          onChange={(event) => onChange({ strategy: wordOf(event.currentTarget.value, strategies) ?? strategy })}
          error={fault('strategy')}
        />
        <NativeSelect
          label={policiesText('form.on_empty')}
          data={emptyChoices}
          value={on_empty}
          onChange={(event) => onChange({ on_empty: wordOf(event.currentTarget.value, emptyWays) ?? on_empty })}
          error={fault('on_empty')}
        />
      </div>
      <Condition step={step} at={at} fault={fault} onChange={onChange} />
    </>
  )
}

function Condition({ step, at, fault, onChange }: Pick<StepFieldsProps, 'step' | 'at' | 'fault' | 'onChange'>) {
  const { severity, hasWindow, window } = step
  const when = conditionInWords({ severity, window: hasWindow ? window : null })
  return (
    <Folded
      title={policiesText('form.only_if')}
      summary={when === null ? policiesText('form.only_if_always') : policiesText('form.only_if_summary', { when })}
      faulty={fault('only_if') !== undefined}
    >
      <Checkbox.Group
        label={policiesText('form.severity')}
        description={policiesText('form.severity_hint')}
        value={[...severity]}
        onChange={(chosen) => onChange({ severity: severities.filter((one) => chosen.includes(one)) })}
        error={fault('only_if.severity')}
      >
        {severities.map((one) => (
          <Checkbox key={one} value={one} label={severityLook(one).word} mt="xs" />
        ))}
      </Checkbox.Group>
      <Checkbox
        label={policiesText('form.window_on')}
        checked={hasWindow}
        onChange={(event) => onChange({ hasWindow: event.currentTarget.checked })}
      />
      {hasWindow && (
        <WindowFields
          label={policiesText('form.window', { step: at + 1 })}
          window={window}
          onChange={(next) => onChange({ window: next })}
          fault={(field) => fault(`only_if.time_window.${field}`)}
        />
      )}
    </Folded>
  )
}
