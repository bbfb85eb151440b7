/**
 * Settings of monitors of any type, as answers and assignments contain them, and as a request
 * contains them before its type is known. A setting means the same in every type that has it.
 */
import { Type } from 'typebox'
import { type CheckConfig, written } from './check-config.ts'
import { checkTypes } from './check-types/index.ts'

const all = Object.assign({}, ...Object.values(checkTypes).map(({ config }) => config.properties))

/** Every setting by its name, without limits, because the limits depend on the type. */
export const settingsByName: Readonly<Record<string, unknown>> = Reflect.get(written(Type.Object(all)), 'properties')

/** The settings in an answer. */
export const WrittenConfig = Type.Unsafe<CheckConfig>({ type: 'object', properties: settingsByName })
