/** The guide to signatures: its printed code runs on what the webhook channel sends. No engines. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../schemas/files.ts'
import { serviceSignature } from '../../services/channels/signature.ts'
import { faultsOf, stepsOf } from './guide.ts'

const steps = stepsOf(readFileSync(join(projectRoot, 'docs/guides/notifications.md'), 'utf8'))

t.test('every command of the signature guide prints what the guide shows', async (t) => {
  t.equal(steps.length, 8)
  t.same(await faultsOf(steps, { environment: {}, limitSeconds: 60 }), [])
})

t.test('the Python code of the guide verifies signatures with the old and the new secret', async (t) => {
  const body = '{"event":"monitor.down","message":"größer <b> \\"x\\""}'
  const header = serviceSignature(['new-secret-new-secret', 'old-secret-old-secret'], 1_767_225_600, body)
  const check = (secret: string, given: string) =>
    `python3 -c 'import os; from verify import verify; print(verify("${secret}", os.environ["HEADER"], os.environ["BODY"].encode() + b"${given}", now=1767225600))'`
  const asked = (secret: string, given: string, promise: string) => ({ line: 1, commands: check(secret, given), promise })
  const [define, clean] = [steps.at(0), steps.at(-1)]
  if (!define || !clean) throw new Error('the guide has no steps')
  const table = [
    asked('new-secret-new-secret', '', 'True'),
    asked('old-secret-old-secret', '', 'True'),
    asked('bad-secret-bad-secret', '', 'False'),
    asked('new-secret-new-secret', ' ', 'False')
  ]
  t.same(await faultsOf([define, ...table, clean], { environment: { HEADER: header, BODY: body }, limitSeconds: 60 }), [])
})

t.test('the shell code of the guide verifies signatures up to 300 seconds old or ahead', async (t) => {
  const body = '{"event":"monitor.up","message":"größer <b> \\"x\\" %s"}'
  const at = 1_767_225_600
  const header = serviceSignature(['new-secret-new-secret', 'old-secret-old-secret'], at, body)
  const define = steps.find(({ commands }) => commands.includes('cat > verify.sh'))
  const clean = steps.at(-1)
  if (!define || !clean) throw new Error('the guide has no such step')
  const check = (secret: string, given: string, now: number) =>
    `printf '%s' "$BODY${given}" > body.json; sh verify.sh '${secret}' "$HEADER" body.json ${now} || echo refused`
  const asked = (secret: string, given: string, now: number, promise: string) => ({ line: 1, commands: check(secret, given, now), promise })
  const table = [
    asked('new-secret-new-secret', '', at, 'genuine'),
    asked('old-secret-old-secret', '', at + 300, 'genuine'),
    asked('old-secret-old-secret', '', at - 300, 'genuine'),
    asked('new-secret-new-secret', '', at + 301, 'refused'),
    asked('new-secret-new-secret', '', at - 301, 'refused'),
    asked('bad-secret-bad-secret', '', at, 'refused'),
    asked('new-secret-new-secret', ' ', at, 'refused')
  ]
  t.same(await faultsOf([define, ...table, clean], { environment: { HEADER: header, BODY: body }, limitSeconds: 60 }), [])
  const stripped = { HEADER: header.replace(/^t=\d+,/, ''), BODY: body }
  t.same(
    await faultsOf([define, asked('new-secret-new-secret', '', at, 'refused'), clean], { environment: stripped, limitSeconds: 60 }),
    []
  )
})
