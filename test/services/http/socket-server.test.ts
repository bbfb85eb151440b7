/**
 * Which build of the socket server is loaded, the message where none fits, and the error that names
 * an address already in use.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { chooseSocketServer, OFFICIAL, type Platform, packageFor } from '../../../services/http/socket-server.ts'
import { createApp } from '../../../services/http/uws.ts'
import { loaderOf, moduleUrl } from '../../harness/modules.ts'

const script = `import { createApp } from ${JSON.stringify(moduleUrl('../../../services/http/uws.ts', import.meta.url))}
try { createApp(); console.log('created') } catch (error) { console.log('refused: ' + error.message) }`

/** Returns the output of a process that also finds the packages in `folder`. */
function run(folder: string): string {
  const { stdout } = spawnSync(process.execPath, [...loaderOf(import.meta.url), '--input-type=module', '-e', script], {
    cwd: projectRoot,
    env: { ...process.env, NODE_PATH: folder },
    encoding: 'utf8'
  })
  return stdout
}

const linux: Platform = { node: '24.1.0', platform: 'linux', arch: 'x64', glibc: '2.41' }

//  a case                          where                                                     loads, or says
const cases: [string, Partial<Platform>, string | RegExp][] = [
  ['Node 20 on an old system', { node: '20.19.0', glibc: '2.31' }, 'uwebsockets-node20'],
  ['Node 20 on a new one', { node: '20.20.2' }, 'uwebsockets-node20'],
  ['Node 22', { node: '22.23.3' }, 'uwebsockets-current'],
  ['Node 24', {}, 'uwebsockets-current'],
  ['the oldest glibc that fits', { glibc: '2.38' }, 'uwebsockets-current'],
  ['a glibc of a later number', { glibc: '3.0' }, 'uwebsockets-current'],
  ['macOS has no glibc', { platform: 'darwin', arch: 'arm64', glibc: null }, 'uwebsockets-current'],
  [
    'an older glibc',
    { glibc: '2.36' },
    /^The socket server for Node 24\.1\.0 on linux-x64 needs glibc 2\.38, and this system has 2\.36: run Node 20, or/
  ],
  ['no glibc', { glibc: null }, /needs glibc 2\.38, and this system has no glibc/],
  [
    'an older Node',
    { node: '18.20.0' },
    /^There is no socket server for Node 18\.20\.0 on linux-x64: run Node 20, 22 or 24, or install the official/
  ],
  ['an odd Node', { node: '23.5.0' }, /^There is no socket server for Node 23/],
  ['a later Node', { node: '26.10.0' }, /^There is no socket server for Node 26/]
]

for (const [name, where, expected] of cases) {
  t.test(name, async (t) => {
    const choice = packageFor({ ...linux, ...where })
    if (typeof expected === 'string') t.same(choice, { name: expected })
    else t.match('refusal' in choice ? choice.refusal : choice.name, expected)
  })
}

t.test('an official release of the socket server is preferred, and a missing build is explained', async (t) => {
  const packages = (index: string): string => t.testdir({ [OFFICIAL]: { 'package.json': '{}', 'index.js': index } })
  const chosen = join(projectRoot, 'node_modules', chooseSocketServer())
  t.match(run(t.testdir({})), /^created/)
  t.match(run(packages(`console.log('official'); module.exports = require(${JSON.stringify(chosen)})`)), /^official\ncreated/)
  t.match(
    run(packages('exports.App = () => ({}); exports.us_listen_socket_close = () => {}')),
    /refused: The socket server uWebSockets\.js has no native build for Node/
  )
  t.match(
    run(packages('throw new Error("some lines\\nfound: no such file")')),
    /^refused: The socket server uWebSockets\.js has no build that loads in Node [\d.]+ on \S+ \(found: no such file\)\.\n$/
  )
})

t.test('an address that is already in use is named in the error', async (t) => {
  const [first, second] = [createApp(), createApp()]
  t.teardown(() => first.close())
  const port = await first.listen('127.0.0.1', 0)
  t.ok(port > 0)
  await t.rejects(second.listen('127.0.0.1', port), { message: new RegExp(`127\\.0\\.0\\.1:${port}`) })
})
