/**
 * Secrets of a local run, made at the first start and stored in the data folder, readable only by
 * the owner: passwords of the embedded Postgres, the key that seals secrets of workspaces, the
 * tokens of the probers. They exist as long as the data: deleting the folder deletes both.
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from './lock.ts'
import type { LocalRegion } from './regions.ts'

/** The bytes of each secret. All are stored as hex. */
const sizes = {
  service_owner: 24,
  service_tenant: 24,
  service_system: 24,
  service_registry: 24,
  secrets_key: 32,
  'prober_eu-central': 32,
  'prober_us-east': 32,
  'prober_ap-south': 32
} as const satisfies Record<string, number> & Record<`prober_${LocalRegion}`, number>
export type Secrets = Record<keyof typeof sizes, string>
const names = Object.keys(sizes) as (keyof typeof sizes)[]

export function readSecrets(folder: string): Secrets {
  const file = join(folder, 'secrets.json')
  let known: Partial<Secrets> = {}
  try {
    known = JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>
    chmodSync(file, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const secrets = Object.fromEntries(names.map((name) => [name, known[name] ?? randomBytes(sizes[name]).toString('hex')])) as Secrets
  if (names.some((name) => known[name] === undefined)) writeWhole(file, `${JSON.stringify(secrets, null, 2)}\n`)
  return secrets
}
