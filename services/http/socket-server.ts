/**
 * Which build of uWebSockets.js runs here. The official project is not on npm, so two packages that
 * carry its binaries are installed, and one that the operator installed under the official name
 * comes before both:
 *
 *   uWebSockets.js       the official release, where the operator installed it
 *   uwebsockets-node20   @trufflesuite/uws-js-unofficial 20.30, on Node 20: also for an older libc
 *   uwebsockets-current  @btc-vision/uwebsockets.js 20.57, on Node 22 and 24: needs glibc 2.38
 *
 * Where the chosen build cannot be loaded, no other is tried: whoever installed the official
 * release must hear that it does not fit. The package for Node 20 loads an emulation in JavaScript
 * where it has no binary; that is refused, too.
 * Source: docs/dependencies.md, "The socket server".
 */
import { createRequire } from 'node:module'
import type * as Types from 'uwebsockets-current'

export type UwsModule = typeof Types

/** Where this process runs, as the choice needs it. */
export interface Platform {
  /** As `process.versions.node`. */
  node: string
  platform: string
  arch: string
  /** Version of glibc; null without one (musl, macOS, Windows). */
  glibc: string | null
}

export const OFFICIAL = 'uWebSockets.js'
const FOR_NODE_20 = 'uwebsockets-node20'
const CURRENT = 'uwebsockets-current'

/** Node's major versions that `CURRENT` has binaries for, other than 20. */
const CURRENT_NODES: readonly number[] = [22, 24]

/** What the binaries of `CURRENT` for Linux are linked against. */
const GLIBC: readonly [number, number] = [2, 38]

const OR_OFFICIAL = 'or install the official release of uWebSockets.js (docs/dependencies.md, "The socket server")'

/** The package to load where no official release is installed, or the sentence that refuses. */
export function packageFor({ node, platform, arch, glibc }: Platform): { name: string } | { refusal: string } {
  const major = Number.parseInt(node, 10)
  if (major === 20) return { name: FOR_NODE_20 }
  const here = `Node ${node} on ${platform}-${arch}`
  if (!CURRENT_NODES.includes(major)) return { refusal: `There is no socket server for ${here}: run Node 20, 22 or 24, ${OR_OFFICIAL}.` }
  if (platform === 'linux' && !isAtLeast(glibc, GLIBC)) {
    const found = glibc === null ? 'this system has no glibc' : `this system has ${glibc}`
    return {
      refusal: `The socket server for ${here} needs glibc ${GLIBC.join('.')}, and ${found}: run Node 20, or a newer system such as Debian 13, ${OR_OFFICIAL}.`
    }
  }
  return { name: CURRENT }
}

function isAtLeast(version: string | null, [major, minor]: readonly [number, number]): boolean {
  const [m = 0, n = 0] = (version ?? '').split('.').map(Number)
  return m > major || (m === major && n >= minor)
}

/** The version of glibc that Node runs on; null without one. */
function glibcVersion(): string | null {
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: unknown } }
  return typeof header?.glibcVersionRuntime === 'string' ? header.glibcVersionRuntime : null
}

const isNative = (candidate: unknown): boolean =>
  typeof candidate === 'function' && Function.prototype.toString.call(candidate).includes('[native code]')

const require = createRequire(import.meta.url)

function isInstalled(name: string): boolean {
  try {
    require.resolve(name)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return false
    throw error
  }
}

/** The package to load. Throws one sentence when no build fits; loads nothing. */
export function chooseSocketServer(): string {
  if (isInstalled(OFFICIAL)) return OFFICIAL
  const { platform, arch, versions } = process
  const choice = packageFor({ node: versions.node, platform, arch, glibc: platform === 'linux' ? glibcVersion() : null })
  if ('refusal' in choice) throw new Error(choice.refusal)
  return choice.name
}

/**
 * Throws one sentence when no build fits, when the one that should does not load, or when it is the
 * emulation.
 */
function load(): UwsModule {
  const name = chooseSocketServer()
  const here = `Node ${process.versions.node} on ${process.platform}-${process.arch}`
  let uws: UwsModule
  try {
    uws = require(name) as UwsModule
  } catch (error) {
    const reason = error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? '') : String(error)
    throw new Error(`The socket server ${name} has no build that loads in ${here} (${reason}).`, { cause: error })
  }
  if (!isNative(uws.App) || !isNative(uws.us_listen_socket_close)) {
    throw new Error(
      `The socket server ${name} has no native build for ${here}, and its emulation is not fit for service: ` +
        `run Node 20, 22 or 24 on a common platform, ${OR_OFFICIAL}.`
    )
  }
  return uws
}

let loaded: UwsModule | undefined

/** The socket server, loaded at the first call. Throws as `load` does. */
export function socketServer(): UwsModule {
  loaded ??= load()
  return loaded
}
