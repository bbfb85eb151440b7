/** Inbound integrations and the sources they may have. Source: specification.md 2.7, api-design.md 6.5. */
import { type Static, Type } from 'typebox'
import { sourceTypes } from '../generated/source-types.ts'
import { common, Id, Labels, list, Name, nullable, oneOf, Severity, severities } from './common.ts'

const SeverityMap = Type.Unsafe<Record<string, (typeof severities)[number]>>({
  type: 'object',
  propertyNames: { type: 'string', minLength: 1, maxLength: 64 },
  additionalProperties: { type: 'string', enum: [...severities] },
  maxProperties: 64,
  description: 'The sender’s word → severity; before the source’s own table.'
})

const writable = {
  name: Name,
  enabled: Type.Optional(Type.Boolean({ default: true })),
  default_severity: Type.Optional(nullable(Severity)),
  severity_map: Type.Optional(SeverityMap),
  labels_add: Type.Optional(Labels),
  capture: Type.Optional(Type.Boolean({ default: false, description: 'Keep accepted payloads for 3 days too.' }))
}

export const CreateIntegrationBody = Type.Object({ ...writable, source_type: oneOf(sourceTypes) }, { additionalProperties: false })

/** `source_type` stands here only to be refused as immutable. */
export const UpdateIntegrationBody = Type.Partial(Type.Object({ ...writable, source_type: Type.Unknown() }), {
  additionalProperties: false
})

export const RotateBody = Type.Object(
  {
    grace_minutes: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 10_080, default: 60, description: 'The old token is good for so long.' })
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
  visibility: oneOf(['org', 'private']),
  default_severity: nullable(Severity),
  severity_map: SeverityMap,
  labels_add: Labels,
  capture: Type.Boolean(),
  token_prefix: Type.String({ description: 'First characters of the token.' }),
  token: nullable(Type.String({ description: 'Shown once, when it was made; else null.' })),
  endpoint_url: nullable(Type.String({ description: 'Address with the token in it; shown once, else null.' })),
  door_url: Type.String({ description: 'Address without a credential.' }),
  instructions: Instructions
}

export const IntegrationDetail = Type.Object(fields)
export type IntegrationDetail = Static<typeof IntegrationDetail>
export const IntegrationList = list(IntegrationDetail)

export const SourceItem = Type.Object({
  source_type: oneOf(sourceTypes),
  name: Type.String(),
  description: Type.String(),
  doors: Type.Array(Type.String()),
  severity_map: SeverityMap,
  resolves_when: Type.String(),
  sample: Type.Unknown(),
  instructions: Instructions
})
export const SourceList = list(SourceItem)
