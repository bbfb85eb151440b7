/** Parses the address of the feed. */
import type { FeedCategory } from '../../api/shapes.ts'
import { wordOf, wordsOf } from '../../search.ts'

export const categories = ['incident', 'admin', 'billing'] as const satisfies readonly FeedCategory[]

/** The filters of the list. */
export interface FeedFilter {
  /** Unread items alone. */
  unread: boolean
  /** None: every category. */
  category: readonly FeedCategory[]
}

export interface FeedSearch {
  /** Unread items alone. */
  unread?: 'yes' | undefined
  category?: FeedCategory[] | undefined
}

export function feedSearch(search: Record<string, unknown>): FeedSearch {
  const category = wordsOf(search.category, categories)
  return { unread: wordOf(search.unread, ['yes']), category: category.length > 0 ? category : undefined }
}

export const toFilter = ({ unread, category = [] }: FeedSearch): FeedFilter => ({ unread: unread === 'yes', category })

export const toSearch = ({ unread, category }: FeedFilter): FeedSearch => ({
  unread: unread ? 'yes' : undefined,
  category: category.length > 0 ? [...category] : undefined
})
