/** Tests of what search finds when a part of the service, or all of it, does not answer. */
import { QueryClient } from '@tanstack/react-query'
import t, { type Test } from 'tap'
import { answerWith } from './own-client.ts'

const refused = (status: number, code: string): Response => Response.json({ error: 'Not now', code }, { status })

/** Searches while the path that ends with a key of `failing` answers with its value. */
async function search(t: Test, failing: Record<string, () => Response>) {
  answer = async (request) => {
    const end = new URL(request.url).pathname.split('/').at(-1) ?? ''
    const items = end === 'incidents' ? [{ key: 'INC-7', title: 'Checkout is slow' }] : []
    return failing[end]?.() ?? Response.json({ items })
  }
  const { find } = await import('../../../services/web/shell/find.ts')
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  t.teardown(() => queries.clear())
  return find(queries, 'checkout', new AbortController().signal)
}

let answer: (request: Request) => Promise<Response> = () => Promise.reject(new TypeError('no network'))
answerWith((request) => answer(request))
const { toRefusal } = await import('../../../services/web/api/client.ts')

t.test('what was found is shown also when a part could not be searched', async (t) => {
  const labels = ({ hits }: { hits: readonly { label: string }[] }) => hits.map(({ label }) => label)
  const all = await search(t, {})
  t.same([labels(all), all.error], [['Checkout is slow'], null])
  const some = await search(t, { monitors: () => refused(503, 'UNAVAILABLE') })
  t.same(labels(some), ['Checkout is slow'])
  t.match(some.error, { status: 503 }, 'and it is told that not everything was searched')
  const less = await search(t, { teams: () => refused(403, 'FORBIDDEN') })
  t.same([labels(less), less.error], [['Checkout is slow'], null], 'what a person may not list is no failure')
})

t.test('a search that found nothing and could not look everywhere fails', async (t) => {
  const gone = (): Response => {
    throw new TypeError('no network')
  }
  const why = (failing: Record<string, () => Response>) => search(t, failing).then(() => null, toRefusal)
  t.match(await why({ incidents: () => refused(429, 'RATE_LIMITED') }), { status: 429 })
  t.match(await why({ monitors: gone, incidents: gone, schedules: gone }), { code: 'UNREACHABLE' })
})
