/**
 * Which things of a shown list are selected. A thing that leaves the list, after a frame or on
 * another page, is no longer selected: nobody should act on what they do not see.
 */
import { useCallback, useState } from 'react'

export interface Selection<Thing extends { id: string }> {
  things: readonly Thing[]
  /** Ids of the selected things that are in the list. */
  selected: ReadonlySet<string>
  /** The same function for the lifetime of the list. */
  select: (id: string, selected: boolean) => void
  selectAll: (selected: boolean) => void
  /** These, and no others. */
  selectOnly: (ids: readonly string[]) => void
  /** On a narrow screen: whether the checkboxes are shown. */
  selecting: boolean
  setSelecting: (selecting: boolean) => void
}

export function useSelection<Thing extends { id: string }>(things: readonly Thing[]): Selection<Thing> {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [selecting, setSelecting] = useState(false)
  const shown = things.map(({ id }) => id)
  const select = useCallback(
    (id: string, selected: boolean) => setChosen((before) => new Set(selected ? [...before, id] : [...before].filter((one) => one !== id))),
    []
  )
  return {
    things,
    selected: new Set(shown.filter((id) => chosen.has(id))),
    select,
    selectAll: (selected) => setChosen(new Set(selected ? shown : [])),
    selectOnly: (ids) => setChosen(new Set(ids)),
    selecting,
    setSelecting
  }
}
