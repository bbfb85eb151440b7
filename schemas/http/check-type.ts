/**
 * A check type as people write it: one file in check-types/, named after the type, exports
 * `checkType`. The file of the same name in services/prober/types/ performs the check. Nothing here
 * needs a network, because the dashboard builds its form from it.
 * Source: docs/design/api/monitors.md#s3-2 to #s3-4.
 */
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { AssertionRules, CheckConfig } from './check-config.ts'

/**
 * The form of a target:
 * - `http`: an http or https URL. `websocket`: a ws or wss URL.
 * - `host_port`: `host:port`. `host`: a host name or an address.
 * - `name`: a DNS name, or an address to look up the name of.
 * - `domain`: a registered domain name.
 * - `none`: the check sends nothing.
 */
export type TargetForm = 'http' | 'websocket' | 'host_port' | 'host' | 'name' | 'domain' | 'none'

export interface TargetRule {
  form: TargetForm
  /** What the target must be, in words for people. */
  words: string
  /** Default port when the target names none. */
  port?: number
}

/** A setting that conflicts with another setting. `path` is within the settings. */
export interface SettingFault {
  path: string
  rule: 'required' | 'unknown_field' | 'pattern' | 'unsafe_regex' | 'max'
  message: string
}

export interface CheckType {
  /** For people. */
  label: string
  /** Other names of the type that are accepted when a monitor is created. */
  aliases: readonly string[]
  target: TargetRule
  /**
   * Unknown settings are refused. Every setting may be left out. In all types but http, null stands
   * for the default.
   */
  config: TObject
  assertions: AssertionRules
  /** What counts as a success when the monitor has no assertions, in words. */
  success: string
  /** Settings that are regular expressions. They have the same limits as those of assertions. */
  expressions?: readonly string[]
  /**
   * Settings that are IP addresses to connect to, with the port to use when a setting names none.
   */
  reaches?: readonly { setting: string; port: number }[]
  /** Defaults of this type, in place of the defaults of all types. */
  usual?: { interval_seconds?: number; rounds?: number }
  /** The shortest interval that the type allows. */
  least_interval_seconds?: number
  /**
   * Finds faults that depend on several settings. On a change it judges the old settings merged
   * with the change.
   */
  faults?(config: CheckConfig, target: string): SettingFault[]
}

/** Returns the schema of a setting that may be left out. Null resets it to its default. */
export const setting = <T extends TSchema>(schema: T) => {
  const { type, enum: words } = schema as { type?: string; enum?: readonly unknown[] }
  if (type === undefined) throw new TypeError('setting: the schema has no type')
  return Type.Optional(Type.Unsafe<Static<T> | null>({ ...schema, type: [type, 'null'], ...(words && { enum: [...words, null] }) }))
}

export const ipFamily = () =>
  setting(Type.Unsafe<'auto' | '4' | '6'>({ type: 'string', enum: ['auto', '4', '6'], default: 'auto', title: 'IP version' }))
