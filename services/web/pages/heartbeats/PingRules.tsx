/** What of pings counts: failures that are accepted, methods, and what the words of a body mean. */
import { Checkbox, NumberInput, TagsInput } from '@mantine/core'
import { MAX_BODY_WORDS, MAX_EXCERPT_CHARS, pingMethods } from '../../../../schemas/http/heartbeats.ts'
import { Folded } from '../../forms/Form.tsx'
import type { Form as FormState } from '../../forms/useForm.ts'
import { heartbeatsText } from '../../texts/heartbeats.ts'
import type { Values } from './values.ts'

const wordKinds = ['success', 'failure', 'start'] as const

/** What is set apart from the usual, in words. */
function summaryOf({ fail_tolerance, recovery_pings, allowed_methods, body_rules, body_excerpt_chars }: Values): string {
  const words = [
    fail_tolerance > 0 ? heartbeatsText('rules.tolerates', { count: fail_tolerance }) : '',
    recovery_pings > 1 ? heartbeatsText('rules.recovers', { count: recovery_pings }) : '',
    allowed_methods.length < pingMethods.length ? heartbeatsText('rules.methods', { methods: allowed_methods.join(', ') }) : '',
    Object.values(body_rules).some((one) => one.length > 0) ? heartbeatsText('rules.words') : '',
    body_excerpt_chars < MAX_EXCERPT_CHARS ? heartbeatsText('rules.kept', { count: body_excerpt_chars }) : ''
  ].filter((word) => word !== '')
  return words.length === 0 ? heartbeatsText('rules.usual') : words.join('; ')
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
    <Folded title={heartbeatsText('rules.title')} summary={summaryOf(values)} faulty={paths.some((path) => fault(path) !== undefined)}>
      <NumberInput
        label={heartbeatsText('rules.tolerance')}
        description={heartbeatsText('rules.tolerance_hint')}
        {...number('fail_tolerance', 0)}
      />
      <NumberInput
        label={heartbeatsText('rules.recovery')}
        description={heartbeatsText('rules.recovery_hint')}
        {...number('recovery_pings', 1)}
      />
      <Checkbox.Group
        label={heartbeatsText('rules.allowed')}
        description={heartbeatsText('rules.allowed_hint')}
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
          label={heartbeatsText(`rules.${kind}`)}
          description={heartbeatsText(`rules.${kind}_hint`)}
          value={body_rules[kind]}
          onChange={(words) => set({ body_rules: { ...body_rules, [kind]: words } })}
          onBlur={() => left(`body_rules.${kind}`)}
          error={fault(`body_rules.${kind}`)}
          maxTags={MAX_BODY_WORDS}
          clearable
        />
      ))}
      <NumberInput
        label={heartbeatsText('rules.excerpt')}
        description={heartbeatsText('rules.excerpt_hint')}
        {...number('body_excerpt_chars', 0)}
      />
    </Folded>
  )
}
