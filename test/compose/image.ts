/**
 * Plays compose/Dockerfile without a container engine: each stage is a folder, COPY copies what
 * .dockerignore allows, and `npm run build` really runs. Only `npm ci` is simulated: it links the
 * packages of package-lock.json that are installed here, without the development packages where the
 * Dockerfile says so. The one Debian package comes from this machine. Any other RUN is an error.
 */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../../schemas/files.ts'
import { program } from '../harness/debian.ts'
import { importsOf } from '../harness/imports.ts'

/**
 * Runs Node as in a container: without the options of the test runner. Packages are looked up where
 * their links are, not where the links lead, so that packages that were left out are missing.
 */
export const plainNode = ['env', '-u', 'NODE_OPTIONS', process.execPath, '--preserve-symlinks', '--preserve-symlinks-main'] as const

interface Stage {
  /** The stage's root folder. */
  root: string
  workdir: string
  environment: Record<string, string>
  entrypoint: string[]
  /** Command of the health check. */
  health: string[]
}

/** Instructions of a Dockerfile in order, without comments and with continued lines joined. */
export const instructionsOf = (dockerfile: string): string[] =>
  dockerfile
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/**
 * Names directly under the root that may enter the image: .dockerignore excludes everything and
 * includes these again.
 */
function lettingIn(): Set<string> {
  const [all, ...names] = readFileSync(join(projectRoot, '.dockerignore'), 'utf8').trim().split('\n')
  if (all !== '**' || names.some((name) => !/^![\w.-]+$/.test(name))) throw new Error('.dockerignore: expected ** and lines of !name')
  return new Set(names.map((name) => name.slice(1)))
}

interface Locked {
  dev?: boolean
}

function install(folder: string, withDevelopment: boolean): void {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> }
  for (const file of ['package.json', 'package-lock.json'])
    if (readFileSync(join(folder, file), 'utf8') !== readFileSync(join(projectRoot, file), 'utf8'))
      throw new Error(`${file} is another one`)
  if (withDevelopment) {
    symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
    return
  }
  for (const [path, { dev = false }] of Object.entries(lock.packages)) {
    // A nested package comes with the link of the outer one. A package for another platform is not
    // installed.
    if (dev || !/^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) || !existsSync(join(projectRoot, path))) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    symlinkSync(join(projectRoot, path), join(folder, path))
  }
}

/** Returns the imports of compiled modules that lead to no file. */
function brokenImports(dist: string): string[] {
  const modules = readdirSync(dist, { recursive: true, withFileTypes: true }).filter(({ name }) => name.endsWith('.js'))
  return modules.flatMap(({ parentPath, name }) => {
    const text = readFileSync(join(parentPath, name), 'utf8')
    const imports = importsOf(text).filter((target) => target.startsWith('.'))
    return imports.filter((target) => !existsSync(join(parentPath, target))).map((target) => `${join(parentPath, name)}: ${target}`)
  })
}

/**
 * Runs the build script of the folder's package.json. Without `typed`, the compiler checks no
 * types, which takes half of the time. Then missing modules, which the compiler would report, are
 * looked for in what it wrote, before the rest of the script.
 */
async function build(folder: string, typed: boolean): Promise<void> {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts: { build: string } }
  const compile = 'tsc -p tsconfig.build.json'
  if (!scripts.build.startsWith(`${compile} && `)) throw new Error(`the build does not begin with ${compile}`)
  const path = `PATH=${join(folder, 'node_modules/.bin')}:${process.env.PATH}`
  const run = (script: string) => promisify(execFile)('env', ['-u', 'NODE_OPTIONS', path, 'sh', '-c', script], { cwd: folder })
  if (typed) return void (await run(scripts.build))
  await run(`${compile} --noCheck`)
  const broken = brokenImports(join(folder, 'dist'))
  if (broken.length > 0) throw new Error(`${broken.length} imports lead nowhere, as ${broken[0]}`)
  await run(scripts.build.slice(`${compile} && `.length))
}

/** Copies the file of a Debian package, with its capabilities, and then as the Dockerfile does. */
async function addPing(command: string, root: string): Promise<void> {
  const cp = (...words: string[]) => promisify(execFile)('cp', words)
  for (const place of ['usr/bin', 'usr/local/bin']) mkdirSync(join(root, place), { recursive: true })
  if (command.startsWith('apt-get install')) await cp('--preserve=all', await program('ping', 'iputils-ping'), join(root, 'usr/bin/ping'))
  else await cp(join(root, 'usr/bin/ping'), join(root, 'usr/local/bin/ping'))
}

async function runCommand(command: string, folder: string, typed: boolean): Promise<void> {
  const removed = /^rm -r?f (\S+)$/.exec(command)?.[1]
  if (removed) rmSync(join(folder, removed), { recursive: true, force: true })
  else if (/^npm ci( --omit=dev)? --ignore-scripts --no-audit --no-fund$/.test(command)) install(folder, !command.includes('--omit=dev'))
  else if (command === 'npm run build') await build(folder, typed)
  else if (/^(apt-get install -y --no-install-recommends iputils-ping|cp \/usr\/bin\/ping \/usr\/local\/bin\/ping)$/.test(command))
    await addPing(command, folder)
  else if (!/^((mkdir|chown 10001:10001) \/data|apt-get update)$/.test(command)) throw new Error(`no play for: ${command}`)
}

/** `words`: the sources and the destination, as in COPY. */
function copy(words: string[], from: string, to: Stage, isContext: boolean): void {
  const place = words.at(-1) ?? ''
  const allowed = isContext ? lettingIn() : null
  for (const source of words.slice(0, -1)) {
    const top = normalize(source).split('/')[0] ?? ''
    if (allowed && !allowed.has(top)) throw new Error(`COPY ${source}: .dockerignore shuts it out`)
    const path = join(from, source)
    const target = join(to.root, to.workdir, place)
    const isFolder = statSync(path).isDirectory()
    cpSync(path, !isFolder && place.endsWith('/') ? join(target, basename(source)) : target, { recursive: true, verbatimSymlinks: true })
  }
}

export interface Image extends Stage {
  /** The last stage's working directory. */
  app: string
  stages: ReadonlyMap<string, Stage>
}

/**
 * Plays instructions in `folder` and returns their last stage. `standing`: stages that were played
 * before; then the build checks no types. Rejects where docker build would fail.
 */
export async function buildImage(instructions: readonly string[], folder: string, standing?: Image['stages']): Promise<Image> {
  const stages = new Map(standing)
  let stage: Stage | undefined
  for (const instruction of instructions) {
    const [name = '', rest = ''] = /^(\w+) (.*)$/.exec(instruction)?.slice(1) ?? []
    if (name === 'FROM') {
      const title = / AS (\w+)$/.exec(rest)?.[1] ?? 'last'
      stage = { root: join(folder, title), workdir: '/', environment: {}, entrypoint: [], health: [] }
      stages.set(title, stage)
      mkdirSync(stage.root, { recursive: true })
      continue
    }
    if (!stage) throw new Error(`${name} before FROM`)
    if (name === 'WORKDIR') {
      stage.workdir = rest
      mkdirSync(join(stage.root, rest), { recursive: true })
    } else if (name === 'COPY') {
      const [, from, words = ''] = /^(?:--from=(\w+) )?(.*)$/.exec(rest) ?? []
      const source = from === undefined ? projectRoot : stages.get(from)?.root
      if (source === undefined) throw new Error(`COPY --from=${from}: no such stage`)
      copy(words.split(/\s+/), source, stage, from === undefined)
    } else if (name === 'RUN') {
      for (const command of rest.split(' && ')) await runCommand(command.trim(), join(stage.root, stage.workdir), !standing)
    } else if (name === 'ENV') {
      Object.assign(stage.environment, Object.fromEntries([...rest.matchAll(/(\w+)=(\S+)/g)].map(([, key, value]) => [key, value])))
    } else if (name === 'ENTRYPOINT') {
      stage.entrypoint = JSON.parse(rest) as string[]
    } else if (name === 'HEALTHCHECK') {
      stage.health = JSON.parse(rest.slice(rest.indexOf('[')).trim()) as string[]
    } else if (!['USER', 'STOPSIGNAL'].includes(name)) throw new Error(`no play for ${name}`)
  }
  if (!stage) throw new Error('no stage')
  return { ...stage, stages, app: join(stage.root, stage.workdir) }
}
