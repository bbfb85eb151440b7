/**
 * A short run of the API fuzzer: every caller calls every operation of the document, over HTTP, on
 * the real api with everything behind it. `npm run fuzz -- api` runs for as long as needed. First
 * the test shows that the fuzzer's checks find each kind of fault.
 */
import t from 'tap'
import { roles } from '../../../schemas/http/endpoints.ts'
import { type Fault, judge, judgeTwins } from '../../fuzz/api/checks.ts'
import { type OpenApi, readDocument } from '../../fuzz/api/document.ts'
import type { Answer } from '../../fuzz/api/http.ts'
import { known } from '../../fuzz/api/known.ts'
import { type Asked, callers } from '../../fuzz/api/requests.ts'
import { fuzzApi } from '../../fuzz/api/run.ts'
import { shrink } from '../../fuzz/api/shrink.ts'
import { fuzzStand } from '../../fuzz/api/stand.ts'
import { type Actor, actorNames, foreignIn, type Tenant, type Victim } from '../../fuzz/api/world.ts'

const SEED = 20_261_122
/** CPU time of the api for one answer. */
const MAX_CPU_MS = 1000
const MAX_GROWTH_MIB = 64
const SOCKETS = 24
const DOOR_EVERY = 10

t.setTimeout(1_200_000)
t.comment(`seed ${SEED}`)

const OTHERS = '0198e000-0000-7000-8000-00000000000b'

const document: OpenApi = {
  paths: {
    '/things/{id}': {
      get: {
        operationId: 'readThing',
        description: 'Scope `read`, role viewer or above.',
        security: [{ token: [] }],
        responses: {
          200: {
            content: {
              'application/json': {
                schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, size: { type: 'integer' } } }
              }
            }
          },
          404: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } }
        }
      }
    }
  },
  components: { schemas: { Error: { type: 'object', required: ['error', 'code', 'request_id'], additionalProperties: true } } }
}

t.test('the fuzzer finds each kind of fault', async (t) => {
  const [operation] = readDocument(document)
  if (!operation) throw new Error('the document has an operation')
  const tenant: Tenant = { tenant_id: '', email: '', actors: [], pools: new Map(), doors: [], pings: [], spared: new Set() }
  const victim: Victim = { tenant, canary: 'canary-1', ids: new Set([OTHERS]), dump: async () => new Map() }
  const viewer: Actor = { name: 'viewer, token', kind: 'token', role: 'viewer', scopes: ['read'], user_id: '', headers: {} }
  const sent = { method: 'GET', path: '/things/1', headers: {}, body: null }
  const asked: Asked = { n: 0, operation, tenant, actor: viewer, kind: 'valid', params: ['1'], foreign: null, sent }
  const answer = (status: number, body: unknown, more: Partial<Answer> = {}): Answer => ({
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ms: 1,
    ...more
  })
  const refusal = (error: string) => ({ error, code: 'NOT_FOUND', request_id: 'r' })
  const whats = (one: Answer, over: Partial<Asked> = {}): Fault['what'][] =>
    judge({ ...asked, ...over }, one, victim).map(({ what }) => what)

  t.same(whats(answer(200, { id: '1', size: 2 })), [], 'a good answer')
  t.same(whats(answer(404, refusal('There is none'))), [], 'a good refusal')
  const cases: [string, Fault['what'], Answer, Partial<Asked>?][] = [
    ['no answer', 'no answer', answer(0, 'ECONNRESET')],
    ['500', '5xx', answer(500, refusal('Something went wrong'))],
    ['503', '5xx', answer(503, refusal('Away'))],
    ['a name of the other workspace', 'foreign id', answer(200, { id: 'the canary-1 shop' })],
    ['an id of the other workspace', 'foreign id', answer(200, { id: OTHERS.toUpperCase() })],
    ['200 for an id of the other workspace', 'foreign id', answer(200, { id: '1' }), { foreign: { path: true, ids: [OTHERS] } }],
    ['409 for an id of the other workspace', 'foreign id', answer(409, refusal('No')), { foreign: { path: true, ids: [OTHERS] } }],
    ['200 without a credential', 'rights', answer(200, { id: '1' }), { actor: { ...viewer, kind: 'none', role: null } }],
    ['200 for a role that may not', 'rights', answer(200, { id: '1' }), { actor: { ...viewer, role: 'billing' } }],
    ['200 for a scope that is too small', 'rights', answer(200, { id: '1' }), { actor: { ...viewer, scopes: ['ingest'] } }],
    ['a status that is not in the document', 'document', answer(409, refusal('No'))],
    ['a field that is missing', 'document', answer(200, { size: 1 })],
    ['a field of another type', 'document', answer(200, { id: '1', size: '1' })],
    ['a field too many', 'document', answer(200, { id: '1', token_sha256: 'ab' })],
    ['another content type', 'document', answer(200, 'id', { headers: { 'content-type': 'text/html' } })],
    ['no JSON', 'document', answer(200, '{"id":')],
    ['an error of another shape', 'error shape', answer(404, { message: 'none' })],
    ['an error of another request', 'error shape', answer(404, { ...refusal('None'), request_id: 'other' })],
    ['a stack', 'leak', answer(404, refusal('Error: x at handler (file:///app/dist/services/api/app.js:1:2)'))],
    ['a statement', 'leak', answer(404, refusal('SELECT a FROM b WHERE c'))],
    ['words of Postgres', 'leak', answer(404, refusal('invalid input syntax for type uuid'))]
  ]
  for (const [name, what, one, over] of cases) t.ok(whats(one, over).includes(what), `${name}: ${what}`)

  t.same(judgeTwins(answer(404, refusal('None')), answer(404, refusal('None'))), [])
  t.equal(
    judgeTwins(answer(403, { ...refusal('No'), code: 'FORBIDDEN' }), answer(404, refusal('None')))[0]?.what,
    'foreign id',
    'one that exists is told from one that does not'
  )
  t.equal(foreignIn(victim, `"${OTHERS}"`, OTHERS), null, 'what the request itself said is no news')
  t.same(
    await shrink({ a: 'long text', b: [1, { c: 'x' }], d: 2 }, async (value) => JSON.stringify(value).includes('"c"')),
    { b: [{ c: '' }] },
    'a failing body is made small'
  )
})

t.test('no caller finds a fault in any operation', async (t) => {
  const stand = await fuzzStand(t, { analytics: 'double' })
  const requests = stand.operations.length * callers.length
  const report = await fuzzApi(stand, {
    seed: SEED,
    from: 0,
    more: (n) => n < requests,
    sockets: SOCKETS,
    doorEvery: DOOR_EVERY,
    mostCpuMs: MAX_CPU_MS,
    mostGrowthMiB: MAX_GROWTH_MIB,
    tell: () => undefined
  })
  for (const { fault, asked } of report.failures) t.fail(`${fault.what}: ${fault.why}\n${asked}`)
  t.same([...report.faults], [], 'no faults')
  t.equal(report.requests, requests)
  t.equal(report.byOperation.size, stand.operations.length, 'every operation was asked')
  t.same([...report.byActor.keys()].sort(), [...actorNames].sort(), 'by everybody')
  t.equal(new Set([...report.byActor.keys()].map((name) => name.split(',')[0])).size, roles.length + 6)

  // A run whose requests are all refused early shows little.
  const of = (counts: ReadonlyMap<string, number> | undefined, status: string): number => counts?.get(status) ?? 0
  const { statuses } = report
  t.ok(of(report.byKind.get('valid'), '2xx') > requests / 10, 'what is valid is taken')
  t.ok((statuses.get(422) ?? 0) > requests / 20 && (statuses.get(400) ?? 0) > 10, 'what is not is refused')
  t.ok((statuses.get(429) ?? 0) < requests / 20, 'limits do not stop the run')
  t.ok(report.twins > requests / 20, 'ids of the other workspace were tried')
  t.ok(of(report.doors.get('POST'), '2xx') > 0 && of(report.doors.get('POST'), '4xx') > 0)
  t.ok(report.sockets.sockets > SOCKETS / 2, 'most sockets were let in')
  t.equal(report.memory.length, 2)
  for (const { name } of known) t.comment(`known: ${name}: ${report.known.get(name) ?? 0}`)
})
