/**
 * Writes dist/sbom.json, as the last step of `npm run build`: the components of the service, as
 * CycloneDX. npm makes it from package-lock.json without asking a registry. This file adds the
 * service's own name, which component is shipped in which part, and the archives of a local run.
 * The result is the same for the same lockfile, except its serial number and time.
 *
 * Property `service:part`: `roles` (loaded by a process of the service), `dashboard` (built into
 * the files of dist/web), `local engines` (fetched for `npm start` alone), `tools` (for development
 * and the build: scope `excluded`).
 */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../../schemas/files.ts'
import { runTool } from '../operator/tool.ts'
import { type LockedPackage, type MavenArchive, readArchives, readLock } from './lock.ts'

interface Property {
  name: string
  value: string
}

export interface Component {
  'bom-ref': string
  type: string
  group?: string
  name: string
  version: string
  scope?: string
  purl?: string
  properties?: Property[]
  hashes?: { alg: string; content: string }[]
  licenses?: unknown[]
}

export interface Sbom {
  bomFormat: string
  specVersion: string
  metadata: { component: Component; [field: string]: unknown }
  components: Component[]
  dependencies: { ref: string; dependsOn?: string[] }[]
  [field: string]: unknown
}

export type Part = 'roles' | 'dashboard' | 'local engines' | 'tools'

const PART = 'service:part'

/**
 * Completes npm's answer. `dashboard`: the folders of the packages that the dashboard's files are
 * built from.
 */
export function completed(
  sbom: Sbom,
  about: { name: string; version: string },
  parts: { packages: readonly LockedPackage[]; dashboard: ReadonlySet<string>; archives: readonly MavenArchive[] }
): Sbom {
  const { packages, dashboard, archives } = parts
  /** A package may be in several folders. The part that ships it counts. */
  const byRef = new Map<string, Part>()
  const rank: readonly Part[] = ['tools', 'dashboard', 'roles']
  for (const { folder, name, version, dev } of packages) {
    const part: Part = dev ? (dashboard.has(folder) ? 'dashboard' : 'tools') : 'roles'
    const ref = `${name}@${version}`
    if (rank.indexOf(part) > rank.indexOf(byRef.get(ref) ?? 'tools') || !byRef.has(ref)) byRef.set(ref, part)
  }
  const components = sbom.components.map((component): Component => {
    const part = byRef.get(component['bom-ref'])
    if (part === undefined) throw new Error(`${component['bom-ref']} is in the answer of npm sbom, and not in package-lock.json`)
    const scope = part === 'tools' ? 'excluded' : component.scope === 'optional' && part === 'roles' ? 'optional' : 'required'
    return { ...component, scope, properties: [...(component.properties ?? []), { name: PART, value: part }] }
  })
  const fetched = archives.map(({ group, name, version, licence, sha256 }): Component => {
    const ref = `pkg:maven/${group}/${name}@${version}`
    return {
      'bom-ref': ref,
      type: 'library',
      group,
      name,
      version,
      scope: 'optional',
      purl: ref,
      properties: [{ name: PART, value: 'local engines' }],
      hashes: [{ alg: 'SHA-256', content: sha256 }],
      licenses: [{ license: { id: licence } }]
    }
  })
  return {
    ...sbom,
    metadata: {
      ...sbom.metadata,
      component: { ...sbom.metadata.component, type: 'application', name: about.name, version: about.version }
    },
    components: [...components, ...fetched],
    dependencies: [...sbom.dependencies, ...fetched.map((component) => ({ ref: component['bom-ref'] }))]
  }
}

/** Runs the npm that runs this script, or else the one on the PATH. It reads only the lockfile. */
async function askNpm(): Promise<Sbom> {
  const { npm_execpath: npm } = process.env
  const words = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--offline']
  const [program, before] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []]
  const { stdout } = await promisify(execFile)(program, [...before, ...words], { cwd: projectRoot, maxBuffer: 64 * 1024 * 1024 })
  return JSON.parse(stdout) as Sbom
}

runTool(import.meta.url, async () => {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(projectRoot, file), 'utf8'))
  const about = read('package.json') as { name: string; version: string }
  const dashboard = new Set(read('dist/dashboard-packages.json') as string[])
  const sbom = completed(await askNpm(), about, { packages: readLock(), dashboard, archives: readArchives() })
  writeFileSync(join(projectRoot, 'dist/sbom.json'), `${JSON.stringify(sbom, null, 1)}\n`)
})
