/**
 * Passwords of the embedded Postgres, made at the first start and kept in the data folder, readable by the owner only. They live and die with the
 * data: whoever deletes the folder deletes both.
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from './lock.ts'

const names = ['service_owner', 'service_tenant', 'service_system', 'service_registry'] as const
export type Secrets = Record<(typeof names)[number], string>

export function readSecrets(folder: string): Secrets {
  const file = join(folder, 'secrets.json')
  let known: Partial<Secrets> = {}
  try {
    known = JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>
    chmodSync(file, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const secrets = Object.fromEntries(names.map((name) => [name, known[name] ?? randomBytes(24).toString('hex')])) as Secrets
  if (names.some((name) => known[name] === undefined)) writeWhole(file, `${JSON.stringify(secrets, null, 2)}\n`)
  return secrets
}
