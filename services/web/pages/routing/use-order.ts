/**
 * The order of the routing rules while somebody changes it. A move is shown at once. Only one save
 * runs at a time, and the next save starts from the version that the last one returned. So the
 * second of two quick moves is not refused for an outdated version.
 */
import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { orderRules, rulesQuery } from '../../api/routing.ts'
import type { Rule, RuleList } from '../../api/shapes.ts'
import { moved } from './rule-words.ts'

/** The place of a rule after a move (1 is the first), and the number of rules. */
export interface Place {
  place: number
  count: number
}

const inOrder = (list: RuleList, order: readonly string[]): RuleList => {
  const place = (id: string): number => (order.includes(id) ? order.indexOf(id) : order.length)
  return { ...list, items: list.items.toSorted((one, other) => place(one.id) - place(other.id)) }
}

/**
 * Moves a rule one place up (-1) or down (1). Calls `shown` as soon as the page shows the move.
 * Calls `refused` when the server keeps its order, which the page then shows again.
 */
export function useOrder(shown: (rule: Rule, at: Place) => void, refused: (error: unknown) => void) {
  const queries = useQueryClient()
  const { queryKey } = rulesQuery
  const wanted = useRef<string[] | null>(null)
  const isSaving = useRef(false)

  async function save(saved: RuleList): Promise<void> {
    let last = saved
    isSaving.current = true
    try {
      while (wanted.current) {
        const order = wanted.current
        last = await orderRules(order, last.version)
        if (wanted.current === order) wanted.current = null
        queries.setQueryData(queryKey, wanted.current ? inOrder(last, wanted.current) : last)
      }
    } catch (error) {
      wanted.current = null
      queries.setQueryData(queryKey, last)
      refused(error)
      void queries.invalidateQueries({ queryKey: ['routing'] })
    } finally {
      isSaving.current = false
    }
  }

  return async (rule: Rule, by: 1 | -1): Promise<void> => {
    await queries.cancelQueries({ queryKey })
    const list = queries.getQueryData(queryKey)
    const order = list && moved(idsInOrder(list), rule.id, by)
    if (!order) return
    wanted.current = order
    queries.setQueryData(queryKey, inOrder(list, order))
    shown(rule, { place: order.indexOf(rule.id) + 1, count: order.length })
    if (!isSaving.current) await save(list)
  }
}

/** Without the default rule, which is always the last. */
const idsInOrder = (list: RuleList): string[] => list.items.filter(({ is_default }) => !is_default).map(({ id }) => id)
