/**
 * Rules for commit subjects: the area, a colon and what the commit does, in at most 72 characters.
 * Commits before this rule are not checked.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { projectRoot } from '../../schemas/files.ts'

/** The last commit before the rule. */
const RULE_SINCE = '58543c9'
const MAX_LENGTH = 72

/** Returns what is wrong with a subject, or null. */
function faultOf(subject: string): string | null {
  if (subject.length > MAX_LENGTH) return `has ${subject.length} characters; at most ${MAX_LENGTH} are allowed`
  if (!/^[a-z0-9][a-z0-9 ./-]*: \S/.test(subject)) return 'must begin with its area, like `incident: keep the first time`'
  return subject.endsWith('.') ? 'must not end with a full stop' : null
}

t.test('good and bad commit subjects', async (t) => {
  for (const [subject, isGood] of [
    ['incident: keep the first acknowledgement time', true],
    ['streams/runtime: split the commit', true],
    [`door: ${'a'.repeat(66)}`, true],
    [`door: ${'a'.repeat(67)}`, false],
    ['Keep the first acknowledgement time', false],
    ['door:', false],
    ['door: build the signal in one place.', false]
  ] as const) {
    t.equal(faultOf(subject) === null, isGood, subject)
  }
})

t.test('commit subjects made since the rule follow it', async (t) => {
  const git = (...args: string[]): Promise<string> => promisify(execFile)('git', args, { cwd: projectRoot }).then(({ stdout }) => stdout)
  const isKnown = await git('merge-base', '--is-ancestor', RULE_SINCE, 'HEAD').then(
    () => true,
    () => false
  )
  // A shallow clone or an unpacked archive has no history to check.
  if (!isKnown) return t.pass('there is no history')
  const subjects = (await git('log', '--no-merges', '--format=%s', `${RULE_SINCE}..HEAD`)).split('\n').filter(Boolean)
  t.same(
    subjects.map((subject) => ({ subject, fault: faultOf(subject) })).filter(({ fault }) => fault !== null),
    []
  )
})
