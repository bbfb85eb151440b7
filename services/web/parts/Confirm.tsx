/**
 * A button for what cannot be undone: it says what will happen, and asks. The dialog stays, with
 * the server's words, when it did not.
 */
import { Button, type ButtonProps, Group, Modal, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { type Refusal, toRefusal } from '../api/client.ts'
import { Refused } from '../forms/Refused.tsx'

export interface ConfirmProps extends ButtonProps {
  label: string
  /** The dialog's heading, as a question. */
  question: string
  /** What will happen. */
  children: ReactNode
  /** The word on the button that does it. */
  verb: string
  act: () => Promise<unknown>
}

export function Confirm({ label, question, children, verb, act, ...button }: ConfirmProps) {
  const [opened, setOpened] = useState(false)
  const [acting, setActing] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)

  async function confirm(): Promise<void> {
    setActing(true)
    try {
      await act()
      setOpened(false)
    } catch (error) {
      setRefusal(toRefusal(error))
    } finally {
      setActing(false)
    }
  }

  return (
    <>
      <Button
        variant="default"
        {...button}
        onClick={() => {
          setRefusal(null)
          setOpened(true)
        }}
      >
        {label}
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={question}>
        <Text component="div" mb="md">
          {children}
        </Text>
        <Refused refusal={refusal} />
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={() => setOpened(false)} data-autofocus>
            Cancel
          </Button>
          <Button color="red.9" loading={acting} onClick={() => void confirm()}>
            {verb}
          </Button>
        </Group>
      </Modal>
    </>
  )
}
