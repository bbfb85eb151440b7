/**
 * Tests of lists that pages choose from, name things by, or show whole: they are read to their end,
 * and a short one is read once.
 */
import { QueryClient } from '@tanstack/react-query'
import t from 'tap'
import { answerWith } from './own-client.ts'

const PER_PAGE = 200
const span = { from: Date.parse('2026-11-22T00:00:00Z'), to: Date.parse('2026-11-29T00:00:00Z') }

/** How many things every list has. */
let total = 0
const asked: string[] = []
answerWith(async ({ url }) => {
  const { pathname, searchParams } = new URL(url)
  const page = Number(searchParams.get('page') ?? 1)
  const per_page = Number(searchParams.get('per_page') ?? 25)
  asked.push(`${pathname} ${page}`)
  const items = Array.from({ length: total }, (_, at) => ({ id: `${at}`, schedule_id: `${pathname} ${at}` })).slice(
    (page - 1) * per_page,
    page * per_page
  )
  return Response.json({ items, total, page, per_page, total_pages: Math.ceil(total / per_page) })
})

t.test('lists are read to their end, and a short one is read once', async (t) => {
  const { membersQuery, invitesQuery, tokensQuery } = await import('../../../services/web/api/workspace.ts')
  const { channelsQuery } = await import('../../../services/web/api/channels.ts')
  const { schedulesToChoose, policiesToChoose } = await import('../../../services/web/api/escalation.ts')
  const { schedulesQuery, swapsQuery, mySchedulesQuery } = await import('../../../services/web/api/on-call.ts')
  const { linkedSendersQuery } = await import('../../../services/web/api/chat.ts')
  const lists = {
    ...{ membersQuery, invitesQuery, tokensQuery, channelsQuery, schedulesToChoose, policiesToChoose, schedulesQuery },
    ...{ swapsQuery: swapsQuery(null), linkedSendersQuery }
  }
  const read = async (query: { queryKey: unknown }): Promise<unknown> => {
    asked.length = 0
    const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
    try {
      return await queries.fetchQuery(query as Parameters<typeof queries.fetchQuery>[0])
    } finally {
      queries.clear()
    }
  }
  for (const [name, query] of Object.entries(lists))
    for (const [length, pages] of [
      [0, 1],
      [PER_PAGE, 1],
      [PER_PAGE + 1, 2],
      [2 * PER_PAGE + 40, 3]
    ] as const) {
      total = length
      const { items, total: said } = (await read(query)) as { items: { id: string }[]; total: number }
      t.same([new Set(items.map(({ id }) => id)).size, said, asked.length], [length, length, pages], `${name} of ${length}`)
    }
  total = PER_PAGE + 1
  t.equal(((await read(mySchedulesQuery('jo', span))) as string[]).length, 2 * total, 'schedules that name a person, and overrides')
  total = 3
  await read(mySchedulesQuery('jo', span))
  t.equal(asked.length, 2)
})
