/** package-lock.json as the other files here read it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'

export interface LockedPackage {
  /** Its folder, from the project's root. */
  folder: string
  /** What it is published as; an alias has another name in its folder. */
  name: string
  version: string
  /** SPDX identifier or expression; null: its package.json names none. */
  licence: string | null
  /** For development and the build; it is not installed where the roles run. */
  dev: boolean
}

interface Lockfile {
  packages: Record<string, { name?: string; version?: string; license?: string; dev?: boolean; link?: boolean }>
}

export const readLock = (file = join(projectRoot, 'package-lock.json')): LockedPackage[] =>
  Object.entries((JSON.parse(readFileSync(file, 'utf8')) as Lockfile).packages).flatMap(([folder, one]) => {
    if (folder === '' || one.link) return []
    const name = one.name ?? folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
    return [{ folder, name, version: one.version ?? '', licence: one.license ?? null, dev: one.dev ?? false }]
  })

/** Of a Maven repository: broker and registry of a local run. */
export interface MavenArchive {
  group: string
  name: string
  version: string
  licence: string
  sha256: string
}

export function readArchives(file = join(projectRoot, 'services/local/archives.json')): MavenArchive[] {
  const { kafka, registry } = JSON.parse(readFileSync(file, 'utf8')) as { kafka: MavenArchive[]; registry: MavenArchive }
  return [...kafka, registry]
}
