/**
 * Generates files from the schemas and folders: event types, the AsyncAPI document, the table of
 * rights, and the index files of inbound sources, jobs, channels and check types. The command that
 * writes them, and the list of what is generated elsewhere, is services/operator/generate.ts.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectRoot } from './files.ts'
import { toAsyncApi } from './generate/asyncapi.ts'
import { toAppsIndex, toChannelsIndex } from './generate/channels.ts'
import { toCheckTypesIndex, toPerformersIndex } from './generate/check-types.ts'
import { toJobsIndex } from './generate/jobs.ts'
import { release } from './generate/releases.ts'
import { toRights } from './generate/rights.ts'
import { toSourcesIndex, toSourceTypes } from './generate/sources.ts'
import { toTypes } from './generate/types.ts'
import { loadRecords } from './load.ts'
import { topics } from './topics.ts'

const SOURCES = 'services/intake/sources'
const JOBS = 'services/notifier/jobs'
const CHANNELS = 'services/channels/kinds'
const APPS = 'services/channels/apps'
const CHECK_TYPES = 'schemas/http/check-types'
const PERFORMERS = 'services/prober/types'

/** Returns the text of every generated file by its path from the project's folder. */
export function generated(root: string = projectRoot): ReadonlyMap<string, string> {
  const records = loadRecords(join(root, 'schemas', 'events'))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const listing = (folder: string): string[] => (existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : [])
  const sources = listing(SOURCES)
  return new Map([
    ['schemas/generated/events.ts', toTypes(records.values())],
    ['schemas/generated/asyncapi.yaml', toAsyncApi(topics, records, version)],
    ['docs/rights.md', toRights()],
    ['schemas/generated/source-types.ts', toSourceTypes(sources)],
    [`${SOURCES}/index.ts`, toSourcesIndex(sources)],
    [`${JOBS}/index.ts`, toJobsIndex(listing(JOBS))],
    [`${CHANNELS}/index.ts`, toChannelsIndex(listing(CHANNELS))],
    [`${APPS}/index.ts`, toAppsIndex(listing(APPS))],
    [`${CHECK_TYPES}/index.ts`, toCheckTypesIndex(listing(CHECK_TYPES))],
    [`${PERFORMERS}/index.ts`, toPerformersIndex(listing(PERFORMERS))]
  ])
}

/** Returns the paths in `files` whose file on disk is missing or different. */
export function stale(files: ReadonlyMap<string, string>, root: string = projectRoot): string[] {
  return [...files]
    .filter(([path, text]) => !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text)
    .map(([path]) => path)
}

/** Runs `npm run generate` on `files` as its flags say. Returns the exit code. */
export function generate(flags: readonly string[], files: ReadonlyMap<string, string>): number {
  const unknown = flags.filter((flag) => flag !== '--check' && flag !== '--release')
  if (unknown.length > 0) {
    process.stderr.write(`generate: unknown ${unknown.join(' ')}; known: --check, --release\n`)
    return 2
  }
  const old = stale(files)
  if (flags.includes('--check')) {
    for (const path of old) process.stderr.write(`stale: ${path}: run npm run generate\n`)
    return old.length > 0 ? 1 : 0
  }
  for (const path of old) {
    mkdirSync(dirname(join(projectRoot, path)), { recursive: true })
    writeFileSync(join(projectRoot, path), files.get(path) ?? '')
    process.stdout.write(`wrote ${path}\n`)
  }
  if (flags.includes('--release')) for (const version of release(loadRecords())) process.stdout.write(`released ${version}\n`)
  return 0
}
