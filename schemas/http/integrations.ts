/**
 * Inbound integrations and their sources.
 * Source: docs/design/specification.md#s2-7, docs/design/api/alerts-and-routing.md#s6-5.
 */
import { type Static, Type } from 'typebox'
import { sourceTypes } from '../generated/source-types.ts'
import { logList, pageOfLog, range, several } from './analytics.ts'
import { Cidrs, common, Id, Instant, Labels, list, Name, nullable, oneOf, Severity, severities } from './common.ts'

const SeverityMap = Type.Unsafe<Record<string, (typeof severities)[number]>>({
  type: 'object',
  propertyNames: { type: 'string', minLength: 1, maxLength: 64 },
  additionalProperties: { type: 'string', enum: [...severities] },
  maxProperties: 64,
  description: 'Maps the sender’s words to severities; it is used before the source’s own table.'
})

/**
 * Settings by name. Each source declares its settings and their types (GET /integrations/sources),
 * and the api checks them.
 */
const Settings = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    propertyNames: { type: 'string', maxLength: 64 },
    additionalProperties: true,
    maxProperties: 50,
    description
  })

const writable = {
  name: Name,
  enabled: Type.Optional(Type.Boolean({ default: true })),
  default_severity: Type.Optional(nullable(Severity)),
  severity_map: Type.Optional(SeverityMap),
  labels_add: Type.Optional(Labels),
  capture: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether accepted payloads are kept for 3 days, as refused ones are.' })
  ),
  options: Type.Optional(Settings('Options of the source; null takes one away.')),
  verify: Type.Optional(
    Settings('What proves the sender; null takes one away. A secret is ******** in answers; that, or nothing, keeps it.')
  ),
  allowed_cidrs: Type.Optional(Cidrs),
  dedup_template: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description:
          'Template for the key of a condition, made of {title}, {dedup_key} and {label.<name>}; null when the source’s own key is used. A recovery must carry the same fields; open incidents keep the key they have. At the native receiver (Opsgenie API) the key is always the alias.'
      })
    )
  ),
  auto_resolve_minutes: Type.Optional(
    nullable(Type.Integer({ minimum: 1, maximum: 43_200, description: 'null when nothing is resolved automatically.' }))
  ),
  escalation_policy_id: Type.Optional(
    Type.Unsafe<string | null>({ ...nullable(Id), description: 'null when routing rules, the team or the workspace decide.' })
  ),
  team_id: Type.Optional(nullable(Id))
}

export const CreateIntegrationBody = Type.Object({ ...writable, source_type: oneOf(sourceTypes) }, { additionalProperties: false })

/** `source_type` is accepted by the schema only so that it can be refused as immutable. */
export const UpdateIntegrationBody = Type.Partial(Type.Object({ ...writable, source_type: Type.Unknown() }), {
  additionalProperties: false
})

export const RotateBody = Type.Object(
  {
    grace_minutes: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 10_080, default: 60, description: 'How long the old token stays valid.' })
    )
  },
  { additionalProperties: false }
)

const Instructions = Type.Array(Type.Object({ title: Type.String(), language: Type.String(), text: Type.String() }))

const fields = {
  ...common,
  name: Type.String(),
  source_type: oneOf(sourceTypes),
  enabled: Type.Boolean(),
  team_id: nullable(Id),
  escalation_policy_id: nullable(Id),
  visibility: oneOf(['org', 'private']),
  default_severity: nullable(Severity),
  severity_map: SeverityMap,
  labels_add: Labels,
  capture: Type.Boolean(),
  options: Settings('As set; defaults stand with the source.'),
  verify: Settings('As set; secrets are ********.'),
  allowed_cidrs: Cidrs,
  dedup_template: nullable(Type.String()),
  auto_resolve_minutes: nullable(Type.Integer()),
  disconnected_at: nullable(Type.Unsafe<string>({ ...Instant, description: 'When the sender said that it no longer delivers here.' })),
  last_event_at: nullable(
    Type.Unsafe<string>({
      ...Instant,
      description: 'Last delivery of the last 31 days; null when there was none, or when it is not known now.'
    })
  ),
  event_count_24h: nullable(Type.Integer({ description: 'Number of alerts accepted; null when not known now.' })),
  error_count_24h: nullable(
    Type.Integer({ description: 'Number of deliveries refused by the parser or for lack of proof; null when not known now.' })
  ),
  ignored: Type.Array(
    Type.Object({
      reason: Type.String({ description: 'Why deliveries were ignored, in a few fixed words of the source.' }),
      deliveries: Type.Integer(),
      last_at: Instant
    }),
    {
      description:
        'Deliveries of the last 31 days that were understood but opened or changed nothing, by reason; at most 20, the latest first.'
    }
  ),
  ignoring_since: nullable(
    Type.Unsafe<string>({
      ...Instant,
      description: 'Every delivery since then was ignored; null when the last one was processed, or none came.'
    })
  ),
  token_prefix: Type.String({ description: 'First characters of the token.' }),
  token: nullable(Type.String({ description: 'Shown once, when the token was made; otherwise null.' })),
  endpoint_url: nullable(Type.String({ description: 'Address that contains the token; shown once, otherwise null.' })),
  door_url: Type.String({ description: 'Address without a token.' }),
  instructions: Instructions
}

export const IntegrationDetail = Type.Object(fields)
export type IntegrationDetail = Static<typeof IntegrationDetail>
export const IntegrationList = list(IntegrationDetail)

export const SourceSetting = Type.Object({
  name: Type.String(),
  type: oneOf(['boolean', 'choice', 'texts', 'text']),
  description: Type.String(),
  default: Type.Optional(Type.Unsafe<boolean | string>({ type: ['boolean', 'string'] })),
  choices: Type.Optional(Type.Array(Type.String())),
  most: Type.Optional(Type.Integer({ description: 'Largest number of texts.' })),
  pattern: Type.Optional(Type.String()),
  secret: Type.Optional(Type.Boolean())
})
export type SourceSetting = Static<typeof SourceSetting>

export const SourceItem = Type.Object({
  source_type: oneOf(sourceTypes),
  name: Type.String(),
  description: Type.String(),
  doors: Type.Array(Type.String()),
  severity_map: SeverityMap,
  resolves_when: Type.String(),
  sample: Type.Unknown(),
  default_severity: Severity,
  options: Type.Array(SourceSetting),
  verify: nullable(
    Type.Object({
      always: Type.Boolean({ description: 'Whether proof of the sender is required even when the integration sets nothing.' }),
      settings: Type.Array(SourceSetting)
    })
  ),
  instructions: Instructions
})
export type SourceItem = Static<typeof SourceItem>
export const SourceList = list(SourceItem)

const outcomes = ['accepted', 'ignored', 'rejected', 'unknown'] as const

export const DeliveryQuery = Type.Object({ ...range, ...pageOfLog, outcome: several(oneOf(outcomes)) }, { additionalProperties: false })

const delivery = {
  id: Id,
  integration_id: Id,
  at: Instant,
  source: Type.String(),
  outcome: oneOf(outcomes),
  reason: nullable(Type.String({ description: 'Error code and message of a refused delivery.' })),
  alerts: Type.Integer({ description: 'Number of alerts; 0 when the payload could not be read.' }),
  bytes: Type.Integer({ description: 'Size of the payload before any cut.' }),
  content_type: nullable(Type.String()),
  payload_sha256: Type.String({ description: 'SHA-256 of the bytes as they arrived.' }),
  raw_ref: Type.String({ description: 'Path of the delivery with its payload; reading it needs the scope admin.' })
}
export const Delivery = Type.Object(delivery)
export type Delivery = Static<typeof Delivery>
export const DeliveryList = logList(Delivery)
export const DeliveryDetail = Type.Object({
  ...delivery,
  encoding: oneOf(['utf8', 'base64']),
  payload: Type.String({ description: 'The payload without what looks secret, cut at 256 KiB.' })
})

export const ParseBody = Type.Object(
  {
    body: Type.Unsafe<unknown>({
      type: ['string', 'object', 'array'],
      description: 'The body as text or as JSON. A signature is computed over the text.'
    }),
    headers: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        propertyNames: { type: 'string', minLength: 1, maxLength: 128 },
        additionalProperties: { type: 'string', maxLength: 8192 },
        maxProperties: 50
      })
    )
  },
  { additionalProperties: false }
)

export const ParsedAlert = Type.Object({
  action: oneOf(['fire', 'resolve', 'ignore', 'note', 'update']),
  reason: nullable(Type.String({ description: 'Why the alert is ignored.' })),
  dedup_key: Type.String({ description: 'Key of the condition.' }),
  source_dedup_key: Type.String(),
  title: Type.String(),
  description: nullable(Type.String()),
  severity: Severity,
  source_severity: nullable(Type.String()),
  occurred_at: Instant,
  labels: Labels,
  links: Type.Array(Type.Object({ title: Type.String(), url: Type.String() }))
})
export type ParsedAlert = Static<typeof ParsedAlert>

export const Proof = Type.Object({
  asked: Type.Boolean({ description: 'Whether a delivery must carry a proof of the sender.' }),
  proven: nullable(Type.Boolean({ description: 'null when no proof is required, or when it cannot be decided here.' })),
  reason: nullable(Type.String())
})
export type Proof = Static<typeof Proof>

export const ParseAnswer = Type.Object({
  alerts: Type.Array(ParsedAlert, { description: 'The first 200 alerts.' }),
  total: Type.Integer(),
  warnings: Type.Array(Type.String()),
  proof: Proof
})
