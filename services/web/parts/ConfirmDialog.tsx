/** The question of a Confirm button. It stays, with the server's words, when it was not done. */
import { Button, Modal, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { type Refusal, toRefusal } from '../api/client.ts'
import { Buttons } from '../forms/Form.tsx'
import { Refused } from '../forms/Refused.tsx'
import { formsText } from '../texts/forms.ts'

export interface ConfirmDialogProps {
  opened: boolean
  onClose: () => void
  /** The heading. */
  question: string
  /** What will happen. */
  children: ReactNode
  /** The word on the button that does it. */
  verb: string
  act: () => Promise<unknown>
  /** Nothing is lost by it. */
  harmless?: boolean
}

export function ConfirmDialog({ opened, onClose, question, children, verb, act, harmless = false }: ConfirmDialogProps) {
  const [acting, setActing] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)

  function close(): void {
    setRefusal(null)
    onClose()
  }
  async function confirm(): Promise<void> {
    setActing(true)
    try {
      await act()
      close()
    } catch (error) {
      setRefusal(toRefusal(error))
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
        <Button variant="default" onClick={close} data-autofocus>
          {formsText('button.cancel')}
        </Button>
      </Buttons>
    </Modal>
  )
}
