/**
 * Chooses the build of uWebSockets.js to run. The official project is not on npm. So two packages
 * that carry its binaries are installed, and an official release that the operator installed takes
 * precedence over both:
 *
 *   uWebSockets.js       the official release, where the operator installed it
 *   uwebsockets-node20   @trufflesuite/uws-js-unofficial 20.30, on Node 20: also for an older libc
 *   uwebsockets-current  @btc-vision/uwebsockets.js 20.57, on Node 22 and 24: needs glibc 2.38
 *
 * When the chosen build cannot be loaded, no other is tried: an operator who installed the official
 * release must learn that it does not fit. The package for Node 20 loads an emulation in JavaScript
 * when it has no binary; that is refused, too.
 * Source: docs/dependencies.md, "The socket server".
 */
import { createRequire } from 'node:module'
import type * as Types from 'uwebsockets-current'

export type UwsModule = typeof Types

/** The facts about this process that the choice depends on. */
export interface Platform {
  /** As `process.versions.node`. */
  node: string
  platform: string
  arch: string
  /** Version of glibc. Null on systems without it (musl, macOS, Windows). */
  glibc: string | null
}

export const OFFICIAL = 'uWebSockets.js'
const FOR_NODE_20 = 'uwebsockets-node20'
const CURRENT = 'uwebsockets-current'

/** Node's major versions that `CURRENT` has binaries for, apart from 20. */
const CURRENT_NODES: readonly number[] = [22, 24]

/** The glibc version that the Linux binaries of `CURRENT` are linked against. */
const GLIBC: readonly [number, number] = [2, 38]

const OR_OFFICIAL = 'or install the official release of uWebSockets.js (docs/dependencies.md, "The socket server")'

/**
 * Returns the package to load when no official release is installed, or the sentence that says why
 * there is none.
 */
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

/** Returns the version of glibc that Node runs on; null without glibc. */
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

/**
 * Returns the package to load, without loading it. Throws an error of one sentence when no build
 * fits.
 */
export function chooseSocketServer(): string {
  if (isInstalled(OFFICIAL)) return OFFICIAL
  const { platform, arch, versions } = process
  const choice = packageFor({ node: versions.node, platform, arch, glibc: platform === 'linux' ? glibcVersion() : null })
  if ('refusal' in choice) throw new Error(choice.refusal)
  return choice.name
}

/**
 * Loads the server. Throws an error of one sentence when no build fits, when the chosen build does
 * not load, or when it is the emulation.
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

/** Returns the socket server, which is loaded at the first call. Throws like `load`. */
export function socketServer(): UwsModule {
  loaded ??= load()
  return loaded
}
