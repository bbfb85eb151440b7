/** Tests of what the answers to results mean, and of how many results go in a batch. */
import t from 'tap'
import { BatchSize } from '../../../services/prober/batch-size.ts'
import { judgeReply, offer, offerCaptures, pauseMs } from '../../../services/prober/offer.ts'

t.test('status codes and what they mean for a batch', async (t) => {
  const rows: [status: number, kind: string][] = [
    [200, 'taken'],
    [202, 'taken'],
    [301, 'away'],
    [400, 'misshapen'],
    [401, 'away'],
    [403, 'away'],
    [404, 'away'],
    [413, 'misshapen'],
    [422, 'misshapen'],
    [429, 'away'],
    [500, 'away'],
    [503, 'away']
  ]
  for (const [status, kind] of rows) t.equal(judgeReply({ status, retryAfter: null }).kind, kind, String(status))
})

t.test('a missing answer counts as away, with its reason', async (t) => {
  const error = new Error('connection refused')
  const offered = await offer({ results: () => Promise.reject(error) }, 'prober-1', ['{}'], new AbortController().signal)
  t.same(offered, { kind: 'away', status: null, error, retryAfter: null })
})

t.test('a batch is sent as one JSON text', async (t) => {
  const sent: string[] = []
  const results = async (text: string) => {
    sent.push(text)
    return { status: 202, body: null, retryAfter: null }
  }
  await offer({ results }, 'prober "1"', ['{"check_id":"a"}', '{"check_id":"b"}'], new AbortController().signal)
  t.same(
    sent.map((text) => JSON.parse(text)),
    [{ instance_id: 'prober "1"', results: [{ check_id: 'a' }, { check_id: 'b' }] }]
  )
  await offerCaptures({ results }, 'p', ['{"check_id":"c"}'], new AbortController().signal)
  t.same(JSON.parse(sent[1] ?? ''), { instance_id: 'p', results: [], captures: [{ check_id: 'c' }] })
})

t.test('the pause after a failure', async (t) => {
  const rows: [name: string, failures: number, retryAfter: number | null, ms: number][] = [
    ['half a second at first', 1, null, 500],
    ['then twice as long', 3, null, 2000],
    ['as long as the service asks for', 3, 7, 7000],
    ['never shorter than the first', 3, 0, 500],
    ['a minute at most', 3, 86_400, 60_000]
  ]
  for (const [name, failures, retryAfter, ms] of rows) t.equal(pauseMs(failures, retryAfter, 1), ms, name)
})

t.test('the number of results in a batch', async (t) => {
  const rows: { name: string; steps(size: BatchSize): void; most: number }[] = [
    { name: 'at first as many as there is room for', steps: () => undefined, most: 100 },
    { name: 'half of what was refused', steps: (size) => size.halve(7), most: 4 },
    { name: 'twice as many after a good one', steps: (size) => [size.halve(8), size.passed(4)], most: 8 },
    { name: 'never more than the limit', steps: (size) => [size.halve(120), size.passed(60)], most: 100 },
    { name: 'a lower limit counts at once', steps: (size) => size.setLimit(10), most: 10 },
    { name: 'a higher limit is reached by doubling', steps: (size) => [size.setLimit(500), size.passed(100)], most: 200 },
    { name: 'half of those among which one is faulty', steps: (size) => size.suspect(100), most: 50 },
    { name: 'half of the rest, if the first half is well', steps: (size) => [size.suspect(100), size.passed(50)], most: 25 },
    { name: 'the limit again after the faulty one', steps: (size) => [size.suspect(2), size.passed(1), size.dropped()], most: 100 },
    { name: 'one after several faulty ones', steps: (size) => [size.dropped(), size.dropped()], most: 1 },
    { name: 'and more again', steps: (size) => [size.dropped(), size.dropped(), size.passed(1), size.passed(2)], most: 4 },
    { name: 'the limit while it is searched', steps: (size) => [size.suspect(100), size.setLimit(10)], most: 10 }
  ]
  for (const { name, steps, most } of rows) {
    const size = new BatchSize(100)
    steps(size)
    t.equal(size.most, most, name)
  }
})
