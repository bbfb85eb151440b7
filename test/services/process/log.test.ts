/** What a log line says about an error: which error and where, but nothing that a user sent. */
import t from 'tap'
import { InvalidRecord } from '../../../schemas/codec.ts'
import { createLog, errorForLog } from '../../../services/process/log.ts'

const CANARY = 'canary-4711'

const thrownBy = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

/** An error as the driver builds it from the answer of Postgres. */
const ofPostgres = Object.assign(new Error(`invalid input syntax for type uuid: "${CANARY}"`), {
  name: 'error',
  severity: 'ERROR',
  code: '22P02',
  detail: `Failing row contains (${CANARY}).`,
  hint: CANARY,
  where: `unnamed portal parameter $1 = '${CANARY}'`,
  internalQuery: CANARY,
  constraint: 'no_canary',
  table: 'users',
  routine: 'string_to_uuid'
})

t.test('a log line does not contain the input that an error quotes', async (t) => {
  const wrapped = new Error('the row was not stored', { cause: new AggregateError([ofPostgres, new Error(`no "${CANARY}"`)], 'several') })
  const errors: [string, unknown, object][] = [
    ['JSON', thrownBy(() => JSON.parse(`{"a": ${CANARY}}`)), { type: 'SyntaxError' }],
    ['a URL', thrownBy(() => new URL(CANARY)), { type: 'TypeError', code: 'ERR_INVALID_URL' }],
    ['an escape', thrownBy(() => decodeURIComponent(`%zz${CANARY}`)), { type: 'URIError' }],
    ['a regular expression', thrownBy(() => new RegExp(`(${CANARY}`)), { type: 'SyntaxError' }],
    ['a header', thrownBy(() => new Headers({ x: `${CANARY}\u0000` })), { type: 'TypeError' }],
    ['Postgres', ofPostgres, { type: 'DatabaseError', code: '22P02', constraint: 'no_canary', table: 'users', routine: 'string_to_uuid' }],
    ['a word in quotes', new Error(`no such zone: "${CANARY}"`), { type: 'Error', message: 'no such zone: "…"' }],
    ['a quote that is cut off', new Error(`it doesn't know '${CANARY} and`), { type: 'Error', message: `it doesn't know "…"` }],
    [
      'what an error hangs on',
      wrapped,
      { type: 'Error', message: 'the row was not stored', cause: { errors: [{ code: '22P02' }, { type: 'Error' }] } }
    ],
    ['no error at all', CANARY, { type: 'string' }],
    ['an object', { message: CANARY }, { type: 'object' }],
    ['more on an error', Object.assign(new Error('failed'), { input: CANARY, parameters: [CANARY] }), { type: 'Error', message: 'failed' }]
  ]
  for (const [name, error, wanted] of errors) {
    const lines: string[] = []
    const log = createLog('test', 'debug', { write: (line: string) => void lines.push(line) })
    log.error({ err: error }, 'it failed')
    log.child({ request_id: 'r' }).error({ ...(error instanceof Error && { error }), err: error }, 'it failed')
    log.error(error instanceof Error ? error : { err: error })
    log.error({ err: error })
    log.error({ err: error }, error instanceof Error ? error.message : 'it failed')
    t.equal(lines.length, 5)
    t.notOk(lines.join('').includes(CANARY), `${name}: ${lines.join('')}`)
    t.match(JSON.parse(lines[0] ?? '').err, wanted, name)
  }
})

t.test('a log line keeps what an operator must know about an error', async (t) => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED', syscall: 'connect', errno: -111 })
  t.match(errorForLog(refused), {
    type: 'Error',
    message: 'connect ECONNREFUSED 127.0.0.1:5432',
    code: 'ECONNREFUSED',
    syscall: 'connect',
    stack: /^\s+at .*log\.test/
  })
  t.match(errorForLog(new InvalidRecord('InboundAlert.title: no string')), {
    type: 'InvalidRecord',
    message: 'InboundAlert.title: no string'
  })
  const deep = Array.from({ length: 20 }).reduce((cause: Error) => new Error('outer', { cause }), new Error('inner'))
  t.notMatch(JSON.stringify(errorForLog(deep)), 'inner', 'causes end somewhere')
})
