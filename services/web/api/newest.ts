/** Reads the newest items of a long list. */

interface Page<Item> {
  items: Item[]
  next_cursor: string | null
}

/**
 * Reads pages, the newest first, until there are `most` items. `isCut`: the list has older ones,
 * which were left out.
 */
export async function newestOf<Item>(
  read: (cursor: string | null) => Promise<Page<Item>>,
  most: number
): Promise<{ items: Item[]; isCut: boolean }> {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const page: Page<Item> = await read(cursor)
    items.push(...page.items)
    cursor = page.next_cursor
  } while (cursor !== null && items.length < most)
  return { items, isCut: cursor !== null }
}
