/**
 * The dialog of a Confirm button. It stays open and shows the server's words when the action
 * failed.
 */
import { Button, Modal, Text } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import { type Refusal, toRefusal } from '../api/client.ts'
import { Buttons } from '../forms/Form.tsx'
import { Refused } from '../forms/Refused.tsx'
import { formsText } from '../texts/forms.ts'
import { tellRefused } from './tell.ts'

export interface ConfirmDialogProps {
  opened: boolean
  onClose: () => void
  /** The heading. */
  question: string
  /** What will happen. */
  children: ReactNode
  /** The label of the button that runs the action. */
  verb: string
  act: () => Promise<unknown>
  /** The action loses no data. */
  harmless?: boolean
}

export function ConfirmDialog({ opened, onClose, question, children, verb, act, harmless = false }: ConfirmDialogProps) {
  const [acting, setActing] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  /** Whether the dialog was closed before the action had ended. */
  const isLeft = useRef(false)

  function close(): void {
    isLeft.current = true
    setRefusal(null)
    onClose()
  }
  async function confirm(): Promise<void> {
    // A closing dialog stays for a moment, within reach of the second press of a double click.
    if (!opened) return
    isLeft.current = false
    setActing(true)
    try {
      await act()
      close()
    } catch (error) {
      if (isLeft.current) tellRefused(verb, error)
      else setRefusal(toRefusal(error))
    } finally {
      setActing(false)
    }
  }

  return (
    <Modal opened={opened} onClose={close} title={question}>
      <Text component="div" mb="md">
        {children}
      </Text>
      <Refused refusal={refusal} />
      <Buttons>
        <Button {...(!harmless && { color: 'red.9' })} loading={acting} onClick={() => void confirm()}>
          {verb}
        </Button>
        <Button variant="default" onClick={close} disabled={acting} data-autofocus>
          {formsText('button.cancel')}
        </Button>
      </Buttons>
    </Modal>
  )
}
