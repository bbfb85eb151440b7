/** Installing missing programs on a machine, with scripts in place of apt-get and sudo. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { program } from '../../harness/debian.ts'

/**
 * Sets up a machine whose apt-get runs `script`, in the folder of its programs. Returns that
 * folder, and the arguments that apt-get has received so far, without its options.
 */
function machine(t: Test, script: string): { folder: string; told(): string[] } {
  const folder = t.testdir()
  const file = (name: string, text: string): void => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  file('sudo', 'shift; exec "$@"')
  file('apt-get', `cd ${folder}\necho "$@" >> log\n${script}`)
  const path = process.env.PATH
  process.env.PATH = `${folder}:${path}`
  t.teardown(() => {
    process.env.PATH = path
  })
  const told = (): string[] =>
    readFileSync(join(folder, 'log'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.replaceAll(/-o \S+ /g, ''))
  return { folder, told }
}

const INSTALL = 'install -y --no-install-recommends a-package'
const MAKE = 'touch a-program-for-tests; chmod +x a-program-for-tests'

t.test('a program that is present is not installed', async (t) => {
  machine(t, 'exit 1')
  t.match(await program('sh', 'no-package', 0), /\/sh$/)
})

t.test('a missing program is installed', async (t) => {
  const { folder, told } = machine(t, MAKE)
  t.equal(await program('a-program-for-tests', 'a-package', 0), join(folder, 'a-program-for-tests'))
  t.same(told(), [INSTALL])
})

t.test('missing package lists are fetched, and a busy mirror is retried', async (t) => {
  const { folder, told } = machine(t, `case "$*" in *install*) [ "$(grep -c install log)" -ge 3 ] && ${MAKE};; *) exit 100;; esac`)
  t.equal(await program('a-program-for-tests', 'a-package', 0), join(folder, 'a-program-for-tests'))
  t.same(told(), [INSTALL, 'update', INSTALL, 'update', INSTALL])
})

t.test('a program that cannot be installed is reported in one line', async (t) => {
  machine(t, 'echo "W: one" >&2; echo "E: Unable to locate package a-package" >&2; exit 100')
  await t.rejects(program('a-program-for-tests', 'a-package', 0), {
    message: /^a-program-for-tests is not on this machine .*apt-get install a-package.*: E: Unable to locate package a-package$/
  })
})
