/**
 * The text about a source for users: its description, when it resolves, and what to paste into the
 * sender.
 *
 * Source: docs/design/specification.md#s2-7, #s4-2, #s4-3;
 * docs/design/api/alerts-and-routing.md#ib-9.
 */
import type { Severity } from '../../schemas/generated/events.ts'

export interface Instruction {
  title: string
  /** For syntax highlighting: yaml, shell, json, text. */
  language: string
  text: string
}

export interface SourceText {
  /** The tool's own name. */
  name: string
  /** What the source is and what must be set at the sender, in one or two sentences. */
  description: string
  /** Doors besides the one with the token in its path. */
  doors?: readonly string[]
  /** Words of the sender → severity of the alert. */
  severity_map: Readonly<Record<string, Severity>>
  /** A sentence: when the alert is resolved. */
  resolves_when: string
  /** An example of a body, as the sender sends it. */
  sample: unknown
  /** `publicUrl` has no slash at its end; `token` is an issued token, or a placeholder. */
  instructions(publicUrl: string, token: string): Instruction[]
}

/** The webhook address that contains the token. */
export const incomingUrl = (publicUrl: string, token: string): string => `${publicUrl}/api/v1/webhooks/incoming/${token}`

/** Quotes a value with single quotes for a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Returns a curl command that sends a body as the tool would; `headers` as in `X-Event: test`. */
export const curl = (title: string, url: string, body: unknown, headers: readonly string[] = []): Instruction => ({
  title,
  language: 'shell',
  text: `curl -sS ${quoted(url)} -H 'Content-Type: application/json'${headers.map((header) => ` -H ${quoted(header)}`).join('')} \\
  -d ${quoted(JSON.stringify(body))}
`
})

/** The common severity words of the fallback, to show to users. */
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
