/**
 * The material that payloads of a source are made from: the bodies of its fixtures, its sample, and
 * bodies of real senders when they are stored beside the project. Each has the headers, options and
 * settings of its fixture.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'
import type { SourceType } from '../../schemas/generated/source-types.ts'
import type { Json, Source } from '../../services/intake/source.ts'
import { sources } from '../../services/intake/sources/index.ts'
import { payloadFolder } from '../harness/payloads.ts'

export interface Seed {
  /** The body as text, and whether it is JSON. */
  text: string
  isJson: boolean
  headers: Record<string, string>
  options: Json
  settings: Json
}

export interface Corpus {
  kind: SourceType
  source: Source
  seeds: readonly [Seed, ...Seed[]]
  /** Names of the members in all of the bodies. */
  names: readonly string[]
}

const isJson = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch {
    return false // A form, or a body that is broken on purpose.
  }
}

function namesOf(value: unknown, names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) for (const name of Object.keys(value)) names.add(name)
  for (const inner of Object.values(value)) namesOf(inner, names)
}

const given = { headers: {}, options: {}, settings: {} }

export function corpusOf(kind: SourceType): Corpus {
  const source: Source = sources[kind]
  const seed = (text: string, brought: Partial<Seed> = {}): Seed => ({ ...given, ...brought, text, isJson: isJson(text) })
  const sample = JSON.stringify(source.about.sample)
  const seeds: [Seed, ...Seed[]] = [seed(sample)]
  const fixtures = join(projectRoot, 'test/fixtures/sources', kind)
  for (const file of readdirSync(fixtures).sort()) {
    if (file.endsWith('.expected.json')) continue
    const expected = JSON.parse(readFileSync(join(fixtures, file.replace(/\.(json|txt)$/, '.expected.json')), 'utf8'))
    const { headers = {}, options = {}, settings = {} } = expected
    seeds.push(seed(readFileSync(join(fixtures, file), 'utf8'), { headers, options, settings }))
  }
  const real = join(payloadFolder, kind)
  if (existsSync(real)) for (const file of readdirSync(real).sort()) seeds.push(seed(readFileSync(join(real, file), 'utf8')))
  const names = new Set<string>()
  for (const { text, isJson } of seeds) if (isJson) namesOf(JSON.parse(text), names)
  return { kind, source, seeds, names: [...names].sort() }
}
