/** Tests that answers on bare sockets are made in one place, in the common error format. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { ApiError } from '../../../services/api/http/errors.ts'
import { headText, refusalText } from '../../../services/api/http/raw-answer.ts'

t.test('a head has the status line and one line for each header value', async (t) => {
  t.equal(
    headText(101, { upgrade: 'websocket', via: ['a', 'b'], nothing: undefined }),
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nvia: a\r\nvia: b\r\n\r\n'
  )
  t.equal(headText(299, {}), 'HTTP/1.1 299 \r\n\r\n', 'a status without a name')
})

t.test('a refusal has the headers, the length in bytes, the id and the body of an error', async (t) => {
  const error = new ApiError('UNAVAILABLE', 'später', { headers: { 'retry-after': '5' } })
  const body = '{"error":"später","code":"UNAVAILABLE","request_id":"r-1"}'
  t.equal(
    refusalText(error, 'r-1'),
    [
      'HTTP/1.1 503 Service Unavailable',
      'retry-after: 5',
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'x-request-id: r-1',
      'connection: close',
      '',
      body
    ].join('\r\n')
  )
})

t.test('only raw-answer.ts writes HTTP status lines', async (t) => {
  const services = join(projectRoot, 'services')
  const writers = readdirSync(services, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && /HTTP\/1\.[01] (?:\d|\$\{)/.test(readFileSync(join(services, path), 'utf8')))
    .filter((path) => path !== 'web/api/openapi.ts')
  t.same(writers, ['api/http/raw-answer.ts'])
})
