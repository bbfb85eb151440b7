/**
 * How the commands about stops and dead letters read their arguments, and what they say about wrong
 * ones.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { wantedOf as jobWords } from '../../../services/operator/jobs.ts'
import { wantedOf as redriveWords } from '../../../services/operator/redrive.ts'
import { wantedOf as refusedWords } from '../../../services/operator/refused.ts'
import { wantedOf as resumeWords } from '../../../services/operator/resume.ts'
import { wantedOf as skipWords } from '../../../services/operator/skip.ts'
import { rangesText } from '../../../services/operator/stops.ts'
import { UsageError } from '../../../services/operator/tool.ts'
import { database } from '../../harness/engines.ts'

const place = ['incident', 'alerts.inbound.v1', '3']
const accounted = ['--by', 'ada', '--why', 'mended']

function refuses(t: Test, wantedOf: (words: string[]) => unknown, wrong: readonly [words: string[], message: RegExp][]): void {
  for (const [words, message] of wrong) {
    t.throws(() => wantedOf(words), UsageError, words.join(' '))
    t.throws(() => wantedOf(words), { message }, words.join(' '))
  }
}

t.test('arguments of jobs', async (t) => {
  const id = '0190AAAA-0000-7000-8000-000000000001'
  t.equal(jobWords([]), null, 'nothing but the list')
  t.same(jobWords(['retry', 'all']), { verb: 'retry', id: null })
  t.same(jobWords(['retry', id]), { verb: 'retry', id: id.toLowerCase() })
  t.same(jobWords(['drop', id]), { verb: 'drop', id: id.toLowerCase() })
  refuses(t, jobWords, [
    [['drop', 'all'], /^usage: npm run jobs/],
    [['drop'], /^usage:/],
    [['retry', 'x'], /^usage:/],
    [['retry', id, id], /^usage:/],
    [['list'], /^usage:/]
  ])
})

t.test('arguments of refused', async (t) => {
  t.equal(refusedWords([]), null, 'nothing but the list')
  t.same(refusedWords(['retry', 'all']), { verb: 'retry', id: null })
  t.same(refusedWords(['retry', '17']), { verb: 'retry', id: 17 })
  t.same(refusedWords(['drop', '17']), { verb: 'drop', id: 17 })
  refuses(t, refusedWords, [
    [['drop', 'all'], /^usage: npm run refused/],
    [['retry', '-1'], /^usage:/],
    [['retry', '17', '18'], /^usage:/],
    [['list'], /^usage:/]
  ])
})

t.test('arguments of resume', async (t) => {
  t.equal(resumeWords([]), null, 'nothing but the list')
  t.same(resumeWords([...place, ...accounted]), {
    processor: 'incident',
    topic: 'alerts.inbound.v1',
    partition: 3,
    by: 'ada',
    why: 'mended'
  })
  refuses(t, resumeWords, [
    [['--help'], /^usage: npm run resume/],
    [['--nonsense'], /nonsense[\s\S]*usage:/],
    [place.slice(0, 2), /^usage:/],
    [[...place, '7', ...accounted], /^usage:/],
    [[...place.with(0, 'incidents'), ...accounted], /expected a processor \(status, heartbeat, budget, incident\), got "incidents"/],
    [[...place.with(1, 'alerts'), ...accounted], /expected a topic such as alerts\.inbound\.v1, got "alerts"/],
    [[...place.with(2, '-1'), ...accounted], /.+/],
    [[...place.with(2, 'x'), ...accounted], /expected the number of a partition, got "x"/],
    [place, /--by: expected who decides this/],
    [[...place, '--by', 'ada', '--why', ' '], /--why: expected the reason, one line/],
    [[...place, '--by', 'ada', '--why', 'two\nlines'], /--why: expected the reason, one line/]
  ])
})

t.test('arguments of skip', async (t) => {
  t.equal(skipWords([]), null)
  t.match(skipWords([...place, '120-139,150', ...accounted]), {
    skips: [
      { first: 120n, last: 139n },
      { first: 150n, last: 150n }
    ]
  })
  refuses(t, skipWords, [
    [['--help'], /^usage: npm run skip/],
    [[...place, ...accounted], /^usage:/],
    [[...place, '139-120', ...accounted], /expected offsets such as 120 or 120-139,150, got "139-120"/],
    [[...place, '1,,2', ...accounted], /expected offsets/],
    [[...place, 'all', ...accounted], /expected offsets/],
    [[...place, Array.from({ length: 1001 }, (_, index) => 2 * index).join(','), ...accounted], /at most 1000 ranges/]
  ])
  t.equal(rangesText([5n, 3n, 4n, 9n]), '3-5,9')
})

t.test('arguments of redrive', async (t) => {
  t.match(redriveWords(['--processor', 'incident', '--dry-run']), { processor: 'incident', topic: null, limit: 1000, accounted: null })
  t.match(
    redriveWords(['--processor', 'incident', '--since', '2026-11-23T10:00:00Z', '--reason', 'refused', '--limit', '5', ...accounted]),
    {
      since: Date.UTC(2026, 10, 23, 10),
      reason: 'refused',
      limit: 5,
      accounted: { by: 'ada', why: 'mended' }
    }
  )
  refuses(t, redriveWords, [
    [[], /^usage: npm run redrive/],
    [['--help'], /^usage: npm run redrive/],
    [['--dry-run'], /--processor: expected one of status, heartbeat, budget, incident/],
    [['--processor', 'relay'], /--processor: expected one of .*; got "relay"/],
    [['--processor', 'incident'], /--by: expected/],
    [['--processor', 'incident', '--topic', 'x'], /--topic: expected one of/],
    [['--processor', 'incident', '--reason', 'bad'], /--reason: expected one of decode, refused, unfit, redrive, skipped/],
    [['--processor', 'incident', '--since', 'yesterday'], /--since: expected a time such as/],
    [['--processor', 'incident', '--until', '2026-13-01T00:00:00Z'], /--until: expected a time such as/],
    [['--processor', 'incident', '--limit', '0'], /--limit: expected a whole number from 1 to 10000/],
    [['--processor', 'incident', '--limit', '1e3'], /--limit: expected/]
  ])
})

t.test('the commands list stopped partitions and exit with 2 on a wrong argument', async (t) => {
  const { systemUrl } = await database(t)
  const run = (tool: string, ...words: string[]) =>
    promisify(execFile)(process.execPath, ['--import=tsx', `services/operator/${tool}.ts`, ...words], {
      cwd: projectRoot,
      env: { ...process.env, NODE_OPTIONS: '', SERVICE_POSTGRES_SYSTEM_URL: systemUrl }
    })
  for (const tool of ['resume', 'skip']) t.equal((await run(tool)).stdout, 'no partition is stopped\n')
  t.match(await run('resume', ...place, ...accounted).catch((error: unknown) => error), {
    code: 2,
    stderr: /incident is not stopped on alerts\.inbound\.v1 partition 3\nno partition is stopped/
  })
  t.match(await run('redrive', '--help').catch((error: unknown) => error), { code: 2, stderr: /usage: npm run redrive/ })
})
