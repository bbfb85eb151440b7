/** A button that opens something. The code of what it opens loads on first use. */
import { type ComponentType, cloneElement, type ReactElement, type Ref, Suspense, useState } from 'react'
import { lazyPart, loadAhead } from './part.ts'

export interface OpeningButtonProps {
  ref?: Ref<HTMLButtonElement>
  onClick?: () => void
  onPointerEnter?: () => void
  onFocus?: () => void
  'aria-haspopup'?: 'menu' | 'dialog'
  'aria-expanded'?: boolean
}

/** `load` returns the component that takes the place of the button and opens. */
export function openingButton<Props extends { button: ReactElement<OpeningButtonProps> }>(
  opens: 'menu' | 'dialog',
  load: () => Promise<ComponentType<Props>>
): ComponentType<Props> {
  const Loaded = lazyPart(load)
  const sign = loadAhead(load)
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
