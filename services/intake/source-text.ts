/**
 * What people are told about a source: where it is described, when it resolves, and what to paste
 * into the sender.
 * Source: docs/design/specification.md#s2-7, #s4-2, #s4-3;
 * docs/design/api/alerts-and-routing.md#ib-9.
 */
import type { Severity } from '../../schemas/generated/events.ts'

export interface Instruction {
  title: string
  /** For highlighting: yaml, shell, json, text. */
  language: string
  text: string
}

export interface SourceText {
  /** The tool's own name. */
  name: string
  /** What it is and what must be set at the sender, in one or two sentences. */
  description: string
  /** Further doors than the one with the token in its path. */
  doors?: readonly string[]
  /** Words of the sender → our severity. */
  severity_map: Readonly<Record<string, Severity>>
  /** In a sentence. */
  resolves_when: string
  /** A body as the sender sends it. */
  sample: unknown
  /** `publicUrl` without a slash at its end; `token` as issued, or a placeholder. */
  instructions(publicUrl: string, token: string): Instruction[]
}

/** The address that holds the token. */
export const incomingUrl = (publicUrl: string, token: string): string => `${publicUrl}/api/v1/webhooks/incoming/${token}`

/** A value between single quotes for a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A command that sends a body as the tool would; `headers` as in `X-Event: test`. */
export const curl = (title: string, url: string, body: unknown, headers: readonly string[] = []): Instruction => ({
  title,
  language: 'shell',
  text: `curl -sS ${quoted(url)} -H 'Content-Type: application/json'${headers.map((header) => ` -H ${quoted(header)}`).join('')} \\
  -d ${quoted(JSON.stringify(body))}
`
})

/** The words of the fallback that are worth showing. */
export const usualWords: Readonly<Record<string, Severity>> = {
  critical: 'critical',
  fatal: 'critical',
  emergency: 'critical',
  page: 'critical',
  high: 'critical',
  error: 'critical',
  P1: 'critical',
  P2: 'critical',
  warning: 'warning',
  medium: 'warning',
  minor: 'warning',
  P3: 'warning',
  info: 'info',
  notice: 'info',
  low: 'info',
  none: 'info',
  P4: 'info',
  P5: 'info'
}
