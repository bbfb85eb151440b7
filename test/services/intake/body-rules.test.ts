/**
 * Table of the words in a ping's body and what they mean for the ping. Each row reads as a
 * sentence.
 */
import t from 'tap'
import type { BodyRules } from '../../../schemas/http/heartbeats.ts'
import { hasRules, kindByBody } from '../../../services/intake/pings/body-rules.ts'

t.test('words in the body of a ping decide its kind', async (t) => {
  const all: BodyRules = { success: ['backup completed'], failure: ['ERROR', 'fatal'], start: ['starting'] }
  const rows: [said: string, rules: BodyRules, body: string | Buffer, kind: string][] = [
    ['a word of success', all, 'Backup completed: 12 files', 'success'],
    ['a word of failure, whatever else it says', all, 'starting\nbackup completed\n1 error', 'fail'],
    ['a word of success before one of a start', all, 'starting … backup completed', 'success'],
    ['a word of a start', all, 'Starting the backup', 'start'],
    ['none of them, and success has words: a note', all, 'still copying', 'log'],
    ['no body, and success has words: a note', all, '', 'log'],
    ['none of them, and only failure has words', { failure: ['error'] }, 'all is well', 'success'],
    ['none of them, and only start has words', { start: ['begin'] }, 'all is well', 'success'],
    ['no text', all, Buffer.from([0xff, 0xfe, 0x00]), 'log'],
    ['no text, and only failure has words', { failure: ['error'] }, Buffer.from([0xff, 0xfe]), 'success'],
    ['a word at the very end of a long body', all, `${'x'.repeat(100_000)} fatal`, 'fail'],
    ['letters with marks', { failure: ['FEHLER: Überlauf'] }, 'fehler: überlauf', 'fail']
  ]
  for (const [said, rules, body, kind] of rows) t.equal(kindByBody(rules, Buffer.from(body)), kind, said)
  t.same([{}, { success: [] }, { start: ['x'] }].map(hasRules), [false, false, true])
})
