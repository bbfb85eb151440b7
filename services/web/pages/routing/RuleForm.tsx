/** The form of a rule: which alerts it matches, when, and what happens to them. */
import { Button, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { MAX_CONDITIONS } from '../../../../schemas/http/routing-words.ts'
import { Folded, Form, Group } from '../../forms/Form.tsx'
import type { Form as FormState } from '../../forms/useForm.ts'
import { routingText } from '../../texts/routing.ts'
import { ActionsField } from './ActionsField.tsx'
import { ConditionsField } from './ConditionsField.tsx'
import type { RuleValues } from './rule-values.ts'
import { WindowFields } from './WindowFields.tsx'

export type RuleFormState = FormState<RuleValues>

export interface RuleFormProps {
  form: RuleFormState
  verb: string
  isNew: boolean
  onCancel: () => void
  /** Reads the rule again, after somebody else has changed it. */
  again?: () => void
}

export function RuleForm({ form, verb, isNew, onCancel, again }: RuleFormProps) {
  const { values, set, fault, left, refusal } = form
  const isOld = refusal?.code === 'VERSION_MISMATCH' && again
  return (
    <Form
      form={form}
      verb={verb}
      onCancel={onCancel}
      aside={
        isOld && (
          <Button variant="default" onClick={again}>
            {routingText('form.again')}
          </Button>
        )
      }
    >
      <Group title={routingText('form.general')}>
        <TextInput
          label={routingText('form.name')}
          value={values.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          onBlur={() => left('name')}
          error={fault('name')}
        />
        <Textarea
          label={routingText('form.description')}
          description={routingText('form.description_hint')}
          autosize
          minRows={1}
          maxRows={6}
          value={values.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
          error={fault('description')}
        />
        {isNew && (
          <NativeSelect
            label={routingText('form.place')}
            data={[
              { value: 'last', label: routingText('form.place_last') },
              { value: 'first', label: routingText('form.place_first') }
            ]}
            value={values.place}
            onChange={(event) => set({ place: event.currentTarget.value === 'first' ? 'first' : 'last' })}
          />
        )}
        <Checkbox
          label={routingText('form.enabled')}
          checked={values.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
      </Group>
      <Group title={routingText('form.match')} hint={routingText('form.match_hint', { count: MAX_CONDITIONS })}>
        <ConditionsField form={form} />
        <Checkbox
          label={routingText('form.window_on')}
          checked={values.hasWindow}
          onChange={(event) => set({ hasWindow: event.currentTarget.checked })}
        />
        {values.hasWindow && (
          <WindowFields
            label={routingText('form.window')}
            window={values.window}
            onChange={(window) => set({ window })}
            fault={(field) => fault(`time_window.${field}`)}
          />
        )}
      </Group>
      <Group title={routingText('form.actions')}>
        <ActionsField form={form} />
      </Group>
      <Folded
        title={routingText('form.more')}
        summary={routingText('form.more_summary')}
        faulty={fault('expires_at') !== undefined || fault('mode') !== undefined}
      >
        <Checkbox
          label={routingText('form.continue')}
          description={routingText('form.continue_hint')}
          checked={values.continue}
          onChange={(event) => set({ continue: event.currentTarget.checked })}
        />
        <TextInput
          type="datetime-local"
          label={routingText('form.expires')}
          description={routingText('form.expires_hint')}
          value={values.expires}
          onChange={(event) => set({ expires: event.currentTarget.value })}
          error={fault('expires_at')}
        />
        <NativeSelect
          label={routingText('form.mode')}
          data={[
            { value: 'live', label: routingText('form.mode_live') },
            { value: 'shadow', label: routingText('form.mode_shadow') }
          ]}
          value={values.mode}
          onChange={(event) => set({ mode: event.currentTarget.value === 'shadow' ? 'shadow' : 'live' })}
          error={fault('mode')}
        />
      </Folded>
    </Form>
  )
}
