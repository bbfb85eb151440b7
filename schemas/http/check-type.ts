/**
 * A type of check as people write it: one file in check-types/, named after the type, which exports
 * `checkType`. How it is done is the file of the same name in services/prober/types/. Nothing here
 * needs a network: the dashboard makes its form of it.
 * Source: docs/design/api/monitors.md#s3-2 to #s3-4.
 */
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { AssertionRules, CheckConfig } from './check-config.ts'

/**
 * `http`: http or https; `websocket`: ws or wss; `host_port`: `host:port`; `host`: a name or an
 * address; `name`: a name of the DNS, or an address whose name is asked for; `domain`: a name that
 * was registered; `none`: nothing is asked.
 */
export type TargetForm = 'http' | 'websocket' | 'host_port' | 'host' | 'name' | 'domain' | 'none'

export interface TargetRule {
  form: TargetForm
  /** What it must be, for people. */
  words: string
  /** Where the target names none. */
  port?: number
}

/** A setting that is wrong for what another one says; `path` within the settings. */
export interface SettingFault {
  path: string
  rule: 'required' | 'unknown_field' | 'pattern' | 'unsafe_regex' | 'max'
  message: string
}

export interface CheckType {
  /** For people. */
  label: string
  /** Other words for it when a monitor is created. */
  aliases: readonly string[]
  target: TargetRule
  /** Closed. Every setting may be left out, and but in http null stands for its default. */
  config: TObject
  assertions: AssertionRules
  /** What it takes where nothing is asserted, in words. */
  success: string
  /** Settings that are regular expressions: bounded like those of assertions. */
  expressions?: readonly string[]
  /** Settings that are IP addresses to speak to, and the port where they name none. */
  reaches?: readonly { setting: string; port: number }[]
  /** Where people say nothing, in place of what all types have. */
  usual?: { interval_seconds?: number; rounds?: number }
  /** It is not checked more often. */
  least_interval_seconds?: number
  /** What depends on several settings; judged after a change was put over what was there. */
  faults?(config: CheckConfig, target: string): SettingFault[]
}

/** A setting that may be left out, or set back to its default by null. */
export const setting = <T extends TSchema>(schema: T) => {
  const { type, enum: words } = schema as { type?: string; enum?: readonly unknown[] }
  if (type === undefined) throw new TypeError('setting: the schema has no type')
  return Type.Optional(Type.Unsafe<Static<T> | null>({ ...schema, type: [type, 'null'], ...(words && { enum: [...words, null] }) }))
}

export const ipFamily = () =>
  setting(Type.Unsafe<'auto' | '4' | '6'>({ type: 'string', enum: ['auto', '4', '6'], default: 'auto', title: 'IP version' }))
