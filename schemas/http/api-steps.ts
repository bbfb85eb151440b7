/**
 * The requests of a multi-step check: placeholders for values in what is sent (`{{name}}`), where
 * the values come from, and which combinations are refused. A secret goes only to an address that
 * somebody wrote into the settings, so that a server's answer cannot choose who receives it.
 * Source: docs/design/api/monitors.md#steps.
 */
import { type Static, Type } from 'typebox'
import { MAX_URL } from '../limits.ts'
import { Assertion, isSecretHeader } from './check-config.ts'
import type { SettingFault } from './check-type.ts'
import { bodyTypes, methods } from './check-types/http.ts'
import { oneOf } from './common.ts'
import { isSensitiveHeader } from './secret-headers.ts'

export const MAX_STEPS = 10

const VariableName = Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$' })

export const Variable = Type.Object(
  {
    name: VariableName,
    value: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: 8192,
      description: 'Value of the variable. A secret one is ******** in answers; sending that, or null, keeps the stored value.'
    }),
    secret: Type.Optional(Type.Boolean({ default: false, description: 'Whether the value is stored encrypted and never shown again.' }))
  },
  { additionalProperties: false }
)
export type Variable = Static<typeof Variable>

export const extractSources = ['json', 'header'] as const

const Extract = Type.Object(
  {
    name: VariableName,
    source: oneOf(extractSources),
    property: Type.String({ minLength: 1, maxLength: 512, description: 'JSONPath (RFC 9535) of a single place, or name of the header.' })
  },
  { additionalProperties: false }
)

const StepHeader = Type.Object(
  {
    name: Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$" }),
    value: Type.String({ maxLength: 8192, pattern: '^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$' })
  },
  { additionalProperties: false }
)

export const Step = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 100 })),
    method: Type.Optional(oneOf(methods, { default: 'GET' })),
    url: Type.String({
      minLength: 1,
      maxLength: MAX_URL,
      description: 'A path at the target, or a whole address. {{name}} is replaced by the value of that name.'
    }),
    headers: Type.Optional(Type.Array(StepHeader, { maxItems: 20 })),
    body: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 65_536 })),
    body_type: Type.Optional(oneOf(bodyTypes, { default: 'json' })),
    assertions: Type.Optional(
      Type.Array(Assertion, { maxItems: 10, description: 'When no assertion is about the status, the status must be 200 to 299.' })
    ),
    extract: Type.Optional(Type.Array(Extract, { maxItems: 10 }))
  },
  { additionalProperties: false }
)
export type Step = Static<typeof Step>

const PLACE = /\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/g

/** Returns the names in the placeholders of a text. */
export const namesIn = (text: string): string[] => [...text.matchAll(PLACE)].map(([, name = '']) => name)

/** Returns the text with its placeholders replaced by values. */
export const filledIn = (text: string, lookUp: (name: string) => string): string => text.replace(PLACE, (_, name: string) => lookUp(name))

/** Returns scheme, host and port of a whole address, exactly as they are written; '' for a path. */
export const originPart = (url: string): string => /^[a-z]+:\/\/[^/?#]*/i.exec(url)?.[0] ?? ''

const textsOf = ({ url, headers = [], body }: Step): [path: string, text: string][] => [
  ['url', url],
  ...headers.map(({ value }, at): [string, string] => [`headers[${at}].value`, value]),
  ['body', body ?? '']
]

/**
 * Returns the origins that secrets may be sent to, sorted. An origin that contains a placeholder is
 * not among them.
 */
export function originsOf(target: string, steps: readonly Step[]): string[] {
  const addresses = [target, ...steps.map(({ url }) => originPart(url))]
  const written = addresses.filter((address) => address !== '' && namesIn(address).length === 0 && URL.canParse(address))
  return [...new Set(written.map((address) => new URL(address).origin))].sort()
}

/** Returns the faults that concern the steps as a whole. Paths are within the settings. */
export function stepFaults({ steps = [], variables = [] }: { steps?: readonly Step[]; variables?: readonly Variable[] }): SettingFault[] {
  if (steps.length === 0) return [{ path: 'steps', rule: 'required', message: 'is required' }]
  const faults: SettingFault[] = []
  const names = variables.map(({ name }) => name)
  for (const [at, name] of names.entries()) {
    if (names.indexOf(name) < at)
      faults.push({ path: `variables[${at}].name`, rule: 'pattern', message: 'must be another name than those before it' })
  }
  const secret = new Set(variables.filter(isSecretHeader).map(({ name }) => name))
  const extracted = new Set<string>()
  for (const [nth, step] of steps.entries()) {
    faults.push(...faultsOfStep(step, `steps[${nth}]`, { known: new Set([...names, ...extracted]), secret, extracted }))
    for (const [at, { name }] of (step.extract ?? []).entries()) {
      if (names.includes(name))
        faults.push({ path: `steps[${nth}].extract[${at}].name`, rule: 'pattern', message: 'must not be the name of a variable' })
      extracted.add(name)
    }
  }
  return faults
}

interface Values {
  known: ReadonlySet<string>
  secret: ReadonlySet<string>
  extracted: ReadonlySet<string>
}

function faultsOfStep(step: Step, at: string, { known, secret, extracted }: Values): SettingFault[] {
  const faults: SettingFault[] = []
  const { url, headers = [] } = step
  if (!/^(\/(?!\/)|https?:\/\/[^/])/i.test(url)) {
    faults.push({ path: `${at}.url`, rule: 'pattern', message: 'must begin with /, http:// or https://' })
  }
  const texts = textsOf(step)
  for (const [path, text] of texts) {
    const strange = namesIn(text).find((name) => !known.has(name))
    if (strange !== undefined) {
      const message = `must not use {{${strange}}}: no variable has this name, and no step before it extracts it`
      faults.push({ path: `${at}.${path}`, rule: 'pattern', message })
    }
  }
  if (namesIn(originPart(url)).length > 0 && texts.some(([, text]) => namesIn(text).some((name) => secret.has(name)))) {
    faults.push({ path: `${at}.url`, rule: 'pattern', message: 'must name its host without {{…}}, since the step sends a secret variable' })
  }
  for (const [nth, { name, value }] of headers.entries()) {
    const isHidden = namesIn(value).some((one) => secret.has(one) || extracted.has(one))
    if (isSensitiveHeader(name) && !isHidden) {
      faults.push({
        path: `${at}.headers[${nth}].value`,
        rule: 'pattern',
        message: 'must take what is secret from a secret variable, as {{token}}'
      })
    }
  }
  return faults
}
