/**
 * The rules for pings: how many failures are tolerated, which methods count, and what words in a
 * body mean.
 */
import { Checkbox } from '@mantine/core'
import { MAX_BODY_WORDS, MAX_EXCERPT_CHARS, pingMethods } from '../../../../schemas/http/heartbeats.ts'
import { Folded } from '../../forms/Form.tsx'
import { NumberInput, TagsInput } from '../../forms/late-fields.tsx'
import type { Form as FormState } from '../../forms/useForm.ts'
import { heartbeatFormText } from '../../texts/heartbeat-form.ts'
import type { Values } from './values.ts'

const wordKinds = ['success', 'failure', 'start'] as const

/** Returns in words the rules that differ from the defaults. */
function summaryOf({ fail_tolerance, recovery_pings, allowed_methods, body_rules, body_excerpt_chars }: Values): string {
  const words = [
    fail_tolerance > 0 ? heartbeatFormText('rules.tolerates', { count: fail_tolerance }) : '',
    recovery_pings > 1 ? heartbeatFormText('rules.recovers', { count: recovery_pings }) : '',
    allowed_methods.length < pingMethods.length ? heartbeatFormText('rules.methods', { methods: allowed_methods.join(', ') }) : '',
    Object.values(body_rules).some((one) => one.length > 0) ? heartbeatFormText('rules.words') : '',
    body_excerpt_chars < MAX_EXCERPT_CHARS ? heartbeatFormText('rules.kept', { count: body_excerpt_chars }) : ''
  ].filter((word) => word !== '')
  return words.length === 0 ? heartbeatFormText('rules.usual') : words.join('; ')
}

const paths = ['fail_tolerance', 'recovery_pings', 'allowed_methods', 'body_rules', 'body_excerpt_chars'] as const

export function PingRules({ form }: { form: FormState<Values> }) {
  const { values, set, fault, left } = form
  const { body_rules } = values
  const number = (key: 'fail_tolerance' | 'recovery_pings' | 'body_excerpt_chars', least: number) => ({
    value: values[key],
    min: least,
    clampBehavior: 'none' as const,
    onChange: (typed: string | number) => set({ [key]: typed === '' ? least : Number(typed) }),
    onBlur: () => left(key),
    error: fault(key)
  })
  return (
    <Folded title={heartbeatFormText('rules.title')} summary={summaryOf(values)} faulty={paths.some((path) => fault(path) !== undefined)}>
      <NumberInput
        label={heartbeatFormText('rules.tolerance')}
        description={heartbeatFormText('rules.tolerance_hint')}
        {...number('fail_tolerance', 0)}
      />
      <NumberInput
        label={heartbeatFormText('rules.recovery')}
        description={heartbeatFormText('rules.recovery_hint')}
        {...number('recovery_pings', 1)}
      />
      <Checkbox.Group
        label={heartbeatFormText('rules.allowed')}
        description={heartbeatFormText('rules.allowed_hint')}
        value={values.allowed_methods}
        onChange={(chosen) => set({ allowed_methods: pingMethods.filter((method) => chosen.includes(method)) })}
        error={fault('allowed_methods')}
      >
        {pingMethods.map((method) => (
          <Checkbox key={method} value={method} label={method} mt="xs" />
        ))}
      </Checkbox.Group>
      {wordKinds.map((kind) => (
        <TagsInput
          key={kind}
          label={heartbeatFormText(`rules.${kind}`)}
          description={heartbeatFormText(`rules.${kind}_hint`)}
          value={body_rules[kind]}
          onChange={(words) => set({ body_rules: { ...body_rules, [kind]: words } })}
          onBlur={() => left(`body_rules.${kind}`)}
          error={fault(`body_rules.${kind}`)}
          maxTags={MAX_BODY_WORDS}
          clearable
        />
      ))}
      <NumberInput
        label={heartbeatFormText('rules.excerpt')}
        description={heartbeatFormText('rules.excerpt_hint')}
        {...number('body_excerpt_chars', 0)}
      />
    </Folded>
  )
}
