/**
 * Loads a long form right after the head of its page. Until then placeholder rows of about the same
 * height are shown.
 */
import { type ComponentType, Suspense } from 'react'
import { lazyPart } from '../parts/part.ts'
import { Loading } from '../parts/States.tsx'

/** `load` returns the form, or a long part of one. */
export function lateForm<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Loaded = lazyPart(load)
  return function LateForm(props: Props) {
    return (
      <Suspense fallback={<Loading rows={8} height={64} />}>
        <Loaded {...props} />
      </Suspense>
    )
  }
}
