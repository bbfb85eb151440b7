/** The socket server refuses to work as an emulation, and says which address it could not have. */
import { spawnSync } from 'node:child_process'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { createApp } from '../../../services/http/uws.ts'
import { loaderOf, moduleUrl } from '../../harness/modules.ts'

const script = `import { createApp } from ${JSON.stringify(moduleUrl('../../../services/http/uws.ts', import.meta.url))}
try { createApp(); console.log('created') } catch (error) { console.log('refused: ' + error.message) }`

function run(environment: NodeJS.ProcessEnv): string {
  const { stdout } = spawnSync(process.execPath, [...loaderOf(import.meta.url), '--input-type=module', '-e', script], {
    cwd: projectRoot,
    env: { ...process.env, ...environment },
    encoding: 'utf8'
  })
  return stdout
}

t.test('without its native binary there is no app', async (t) => {
  t.match(run({ UWS_USE_FALLBACK: '1' }), /refused: uWebSockets\.js has no native binary for Node v\d+/)
  t.match(run({ UWS_USE_FALLBACK: '0' }), /^created/, 'and with it there is one')
})

t.test('an address that is taken is said', async (t) => {
  const [first, second] = [createApp(), createApp()]
  t.teardown(() => first.close())
  const port = await first.listen('127.0.0.1', 0)
  t.ok(port > 0)
  await t.rejects(second.listen('127.0.0.1', port), { message: new RegExp(`127\\.0\\.0\\.1:${port}`) })
})
