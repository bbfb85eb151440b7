/**
 * A long form comes right after the head of its page: rows stand in its place till then, in about
 * its height.
 */
import { type ComponentType, Suspense } from 'react'
import { lazyPart } from '../parts/part.ts'
import { Loading } from '../parts/States.tsx'

/** `load` gives the form, or a long part of one. */
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
