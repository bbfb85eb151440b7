/**
 * For a menu that loads when its button is first pressed: it takes the button's place, with the
 * focus as if it had been there all along, and gives the focus back to it when it closes.
 */
import { useMounted } from '@mantine/hooks'
import { type RefObject, useEffect, useRef } from 'react'

/** `isThere`: from then on it can open. */
export function useTakenPlace(): { button: RefObject<HTMLButtonElement | null>; isThere: boolean } {
  const button = useRef<HTMLButtonElement>(null)
  const isThere = useMounted()
  useEffect(() => button.current?.focus(), [])
  return { button, isThere }
}
