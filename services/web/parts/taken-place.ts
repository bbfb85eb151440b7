/**
 * For a menu that loads when its button is first pressed. It takes the button's place and the
 * focus, as if it had always been there, and returns the focus to the button when it closes.
 */
import { useMounted } from '@mantine/hooks'
import { type RefObject, useEffect, useRef } from 'react'

/** `isThere`: true once it is mounted. Only then can it open. */
export function useTakenPlace(): { button: RefObject<HTMLButtonElement | null>; isThere: boolean } {
  const button = useRef<HTMLButtonElement>(null)
  const isThere = useMounted()
  useEffect(() => button.current?.focus(), [])
  return { button, isThere }
}
