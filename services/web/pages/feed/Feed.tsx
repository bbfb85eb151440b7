/**
 * The feed on its own page, which has an address: what the app has told the person, and what is
 * still unread.
 */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { unreadQuery } from '../../api/feed.ts'
import { PageHead } from '../../parts/Page.tsx'
import { feedText } from '../../texts/feed.ts'
import { FeedList } from './FeedList.tsx'
import { toFilter, toSearch } from './search.ts'
import { answerOf } from './words.ts'

const route = getRouteApi('/inside/feed')

export function Feed() {
  const navigate = route.useNavigate()
  const { data: count } = useQuery(unreadQuery)
  return (
    <>
      <PageHead title={feedText('page.title')} answer={count ? answerOf(count) : feedText('page.title')} />
      <FeedList filter={toFilter(route.useSearch())} change={(filter) => void navigate({ search: toSearch(filter) })} />
    </>
  )
}
