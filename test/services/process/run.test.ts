/** Tests of a process of roles as it is started: what it says of wrong settings. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'

t.test('a prober with wrong settings names all of them and ends with code 2', async (t) => {
  const env = { PATH: process.env.PATH, SERVICE_METRICS_PORT: '0', SERVICE_PROBER_CONCURRENCY: 'many' }
  const words = ['--import=tsx', 'services/process/run.ts', 'prober']
  const ended: unknown = await promisify(execFile)(process.execPath, words, { cwd: projectRoot, env }).catch((error: unknown) => error)
  t.match(ended, { code: 2, stderr: /SERVICE_PROBER_URL: required/ })
  for (const name of ['SERVICE_PROBER_TOKEN', 'SERVICE_PROBER_CONCURRENCY']) t.match(ended, { stderr: new RegExp(name) })
})
