/**
 * A button for what cannot be undone: it says what will happen, and asks. The dialog loads when the
 * button is first pressed.
 */
import { Button, type ButtonProps } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import type { ConfirmDialogProps } from './ConfirmDialog.tsx'
import { useWanted } from './use-wanted.ts'

const Dialog = lazy(() => import('./ConfirmDialog.tsx').then(({ ConfirmDialog }) => ({ default: ConfirmDialog })))

export interface ConfirmProps extends Omit<ButtonProps, 'children'>, Omit<ConfirmDialogProps, 'opened' | 'onClose'> {
  label: string
}

export function Confirm({ label, question, children, verb, act, ...button }: ConfirmProps) {
  const [opened, setOpened] = useState(false)
  const wanted = useWanted(opened)
  return (
    <>
      <Button variant="default" {...button} onClick={() => setOpened(true)}>
        {label}
      </Button>
      {wanted && (
        <Suspense>
          <Dialog opened={opened} onClose={() => setOpened(false)} question={question} verb={verb} act={act}>
            {children}
          </Dialog>
        </Suspense>
      )}
    </>
  )
}
