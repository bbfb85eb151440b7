/**
 * A button for an action that cannot be undone: it says what will happen and asks for confirmation.
 * The dialog's code loads when the button is first pressed.
 */
import { Button, type ButtonProps } from '@mantine/core'
import { Suspense, useState } from 'react'
import type { ConfirmDialogProps } from './ConfirmDialog.tsx'
import { lazyPart } from './part.ts'
import { useWanted } from './use-wanted.ts'

const Dialog = lazyPart(() => import('./ConfirmDialog.tsx').then(({ ConfirmDialog }) => ConfirmDialog))

export interface ConfirmProps extends Omit<ButtonProps, 'children'>, Omit<ConfirmDialogProps, 'opened' | 'onClose'> {
  label: string
}

export function Confirm({ label, question, children, verb, act, harmless = false, ...button }: ConfirmProps) {
  const [opened, setOpened] = useState(false)
  const wanted = useWanted(opened)
  return (
    <>
      <Button variant="default" {...button} aria-haspopup="dialog" onClick={() => setOpened(true)}>
        {label}
      </Button>
      {wanted && (
        <Suspense>
          <Dialog opened={opened} onClose={() => setOpened(false)} question={question} verb={verb} act={act} harmless={harmless}>
            {children}
          </Dialog>
        </Suspense>
      )}
    </>
  )
}
