/** A button of something that opens, which loads when somebody first wants it. */
import { type ComponentType, cloneElement, type ReactElement, type Ref, Suspense, useState } from 'react'
import { lazyPart } from './part.ts'

export interface OpeningButtonProps {
  ref?: Ref<HTMLButtonElement>
  onClick?: () => void
  onPointerEnter?: () => void
  onFocus?: () => void
  'aria-haspopup'?: 'menu' | 'dialog'
  'aria-expanded'?: boolean
}

/** `load` gives what takes the place of the button, and opens. */
export function openingButton<Props extends { button: ReactElement<OpeningButtonProps> }>(
  opens: 'menu' | 'dialog',
  load: () => Promise<ComponentType<Props>>
): ComponentType<Props> {
  const Loaded = lazyPart(load)
  /** The first sign that somebody wants it; where it does not load now, the press tries again. */
  const sign = (): void => void load().catch(() => undefined)
  return function OpeningButton(props: Props) {
    const [wanted, setWanted] = useState(false)
    if (wanted)
      return (
        <Suspense fallback={props.button}>
          <Loaded {...props} />
        </Suspense>
      )
    return cloneElement(props.button, {
      onClick: () => setWanted(true),
      onPointerEnter: sign,
      onFocus: sign,
      'aria-haspopup': opens,
      'aria-expanded': false
    })
  }
}
