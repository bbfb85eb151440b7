/** Reads package-lock.json for the other files of this folder. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'

export interface LockedPackage {
  /** Its folder, relative to the project's root. */
  folder: string
  /** The name it is published under. The folder of an alias has another name. */
  name: string
  version: string
  /** SPDX identifier or expression. Null: its package.json names none. */
  licence: string | null
  /** Only for development and the build. It is not installed where the roles run. */
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

/** An archive of a Maven repository: the broker or the registry of a local run. */
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
