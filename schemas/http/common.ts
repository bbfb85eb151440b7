/**
 * Shapes that all resources share: ids, instants, the list envelope, and the error body. Types,
 * validation and OpenAPI all derive from these schemas.
 * Source: docs/design/specification.md#s2-1, #s4-1, #s7; docs/design/api.md#s1.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { MAX_ALERT_LABEL_NAME, MAX_ALERT_LABEL_VALUE, MAX_ALERT_LABELS, MAX_INCIDENT_SUMMARY } from '../limits.ts'
import { emailPattern, namePattern } from './patterns.ts'
import { severities } from './severity-words.ts'

/** Lower case in answers; requests may use either case. */
export const Id = Type.String({ format: 'uuid' })

/** `YYYY-MM-DDTHH:mm:ss.sssZ` in answers; requests may use any offset. */
export const Instant = Type.String({ format: 'date-time' })

/** One of some words. */
export const oneOf = <const V extends readonly string[]>(values: V, options: { description?: string; default?: V[number] } = {}) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options })

/** The schema, or null. */
export function nullable<T extends TSchema>(schema: T) {
  const { type, enum: values, ...rest } = schema as TSchema & { type?: string; enum?: unknown[] }
  if (type === undefined) throw new TypeError('nullable: the schema has no type')
  return Type.Unsafe<Static<T> | null>({ ...rest, type: [type, 'null'], ...(values && { enum: [...values, null] }) })
}

/** Returns an instant in the format of answers; `null` stays null. */
export function iso(ms: number): string
export function iso(ms: number | null): string | null
export function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

/** A name that a person gives: no control characters, and not only blanks. */
export const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: namePattern
})

export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: emailPattern
})

/** A time zone of the tz database. Routes check that the zone exists. */
export const ZoneName = Type.String({ minLength: 1, maxLength: 64 })

export { severities }
export const Severity = oneOf(severities)

const labelName = `[a-zA-Z_][a-zA-Z0-9_.-]{0,${MAX_ALERT_LABEL_NAME - 1}}`
export const LabelName = `^${labelName}$`
/** Pattern of the query parameters that filter by a label: label.<name>. */
export const LabelFilter = `^label\\.${labelName}$`
export const Labels = Type.Unsafe<Record<string, string>>({
  type: 'object',
  propertyNames: { type: 'string', pattern: LabelName },
  additionalProperties: { type: 'string', maxLength: MAX_ALERT_LABEL_VALUE },
  maxProperties: MAX_ALERT_LABELS
})

/** Markdown for people. */
export const Description = Type.String({ maxLength: MAX_INCIDENT_SUMMARY })

export const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 20 })

/** Networks from which a credential may be used. Empty: any network. */
export const Cidrs = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 50 })

/** Fields that every detail object has. */
export const common = {
  id: Id,
  tenant_id: Id,
  created_at: Instant,
  updated_at: Instant,
  version: Type.Integer({ description: 'Increases by 1 with every change' })
}

export const paging = {
  page: Type.Optional(Type.Integer({ minimum: 1, default: 1 })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 }))
}

/** The list envelope. */
export const list = <T extends TSchema>(item: T) =>
  Type.Object({
    items: Type.Array(item),
    total: Type.Integer(),
    page: Type.Integer(),
    per_page: Type.Integer(),
    total_pages: Type.Integer()
  })

export interface Page {
  page: number
  per_page: number
}

/** Returns the list envelope: the items with their total and page numbers. */
export const envelope = <T>(items: T[], total: number, { page, per_page }: Page) => ({
  items,
  total,
  page,
  per_page,
  total_pages: Math.ceil(total / per_page)
})

/** Name of the error body among the shared schemas. */
export const ERROR_SCHEMA = 'Error'

export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'Message for people; its words may change.' }),
    code: Type.String({ description: 'Error code for programs; it is part of the API contract.' }),
    request_id: Type.String(),
    details: Type.Optional(
      Type.Array(
        Type.Object(
          {
            path: Type.Optional(Type.String({ description: 'Path of the field that is wrong, with dots.' })),
            rule: Type.Optional(Type.String()),
            message: Type.Optional(Type.String()),
            limit_key: Type.Optional(Type.String()),
            limit: Type.Optional(Type.Number()),
            actual: Type.Optional(Type.Number()),
            names: Type.Optional(Type.Array(Type.String(), { description: 'Names of the objects concerned that the caller may see.' })),
            plan: Type.Optional(Type.String()),
            upgrade_to: Type.Optional(nullable(Type.String())),
            needed: Type.Optional(Type.Object({ scope: Type.String(), role: Type.String() }))
          },
          { additionalProperties: true }
        )
      )
    )
  },
  { $id: ERROR_SCHEMA, additionalProperties: true }
)
export type ErrorBody = Static<typeof ErrorBody>
export type ErrorDetail = NonNullable<ErrorBody['details']>[number]
