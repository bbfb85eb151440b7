/** Tests which windows the calendar of maintenance reads, from a real api. */
import { QueryClient } from '@tanstack/react-query'
import t from 'tap'
import { stand } from '../api/stand.ts'

const WINDOWS = '/api/v1/maintenance-windows'
const HOUR = 3_600_000
const YEAR = 365 * 24 * HOUR

const later = (ms: number): string => new Date(Date.now() + ms).toISOString()

t.test('the calendar has the window that runs now, however many begin later', async (t) => {
  const s = await stand(t)
  const home = await s.workspace('calendar')
  const plan = async (name: string, from: number): Promise<void> => {
    const schedule = { kind: 'once', starts_at: later(from), ends_at: later(from + HOUR) }
    const answer = await s.call(home, 'POST', WINDOWS, { name, scope: { all: true }, schedule })
    if (answer.statusCode !== 201) throw new Error(answer.body)
  }
  await plan('Now', -60_000)
  for (let nth = 0; nth < 200; nth++) await plan(`Later ${nth}`, YEAR - 48 * HOUR)

  // The module makes its client when it is loaded, and its addresses are relative to the page.
  class PageRequest extends Request {
    constructor(input: string | URL | Request, init?: RequestInit) {
      super(typeof input === 'string' ? new URL(input, 'http://127.0.0.1') : input, init)
    }
  }
  const fetch = async (input: string | URL | Request): Promise<Response> => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input)
    const answer = await s.call(home, 'GET', pathname + search)
    return new Response(answer.body, { status: answer.statusCode, headers: { 'content-type': 'application/json' } })
  }
  t.intercept(globalThis, 'Request', { value: PageRequest })
  t.intercept(globalThis, 'fetch', { value: fetch })
  const { windowsBetween } = await import('../../../services/web/api/maintenance.ts')
  const { items } = await new QueryClient().fetchQuery(windowsBetween(later(-HOUR), later(35 * 24 * HOUR)))
  t.equal(items.length, 201)
  t.match(
    items.filter(({ in_range = [] }) => in_range.length > 0).map(({ name }) => name),
    ['Now']
  )
})
