/**
 * Tests of the commands that the integration page tells people to try. A shell runs each as printed
 * against a real door, and the door must accept it; every source has a command. Amazon SNS signs
 * its messages, so nobody can try it by hand; its proof has its own tests.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { sourceTypes } from '../../../schemas/generated/source-types.ts'
import { sources } from '../../../services/intake/sources/index.ts'
import { integration } from './credential.ts'
import { stand } from './stand.ts'

const shell = promisify(execFile)
const signed = ['cloudwatch']

const tokenOf = (kind: string): string => `svc_${kind.padEnd(43, 'x')}`

t.test('a door accepts each command of an integration page as printed', async (t) => {
  const byToken = new Map(sourceTypes.map((source_type) => [tokenOf(source_type), integration({ source_type })]))
  const door = await stand(t, { check: (token) => byToken.get(token) ?? null })
  for (const kind of sourceTypes) {
    const commands = sources[kind].about
      .instructions(`http://127.0.0.1:${door.port}`, tokenOf(kind))
      .filter(({ language, text }) => language === 'shell' && text.startsWith('curl '))
    if (signed.includes(kind)) {
      t.same(commands, [], `${kind}: nobody can sign by hand`)
      continue
    }
    t.ok(commands.length > 0, `${kind}: something to try`)
    for (const { title, text } of commands) {
      const before = door.alerts().length
      const { stdout } = await shell('bash', ['-euc', text])
      t.match(JSON.parse(stdout), { status: 'accepted' }, `${kind}: ${title}`)
      const alerts = door.alerts().slice(before)
      t.ok(alerts.length > 0, `${kind}: ${title}: an alert on the log`)
      for (const alert of alerts) t.equal(alert.source, kind)
    }
  }
})
