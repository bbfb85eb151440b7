/**
 * A new token for an integration; the old one stays good for as long as it takes to change the
 * sender.
 */
import { Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Refusal, toRefusal } from '../../api/client.ts'
import { rotateToken } from '../../api/integrations.ts'
import { Buttons } from '../../forms/Form.tsx'
import { Select } from '../../forms/late-fields.tsx'
import { Refused } from '../../forms/Refused.tsx'
import { LateModal } from '../../parts/LateModal.tsx'

const graces = [
  { value: '60', label: '1 hour' },
  { value: '1440', label: '1 day' },
  { value: '10080', label: '7 days' },
  { value: '0', label: 'Do not keep it: it stops working at once' }
]

export interface RotateProps {
  id: string
  /** The new token is in memory (mintedQuery). */
  onRotated?: () => void
}

export function Rotate({ id, onRotated }: RotateProps) {
  const queries = useQueryClient()
  const [opened, setOpened] = useState(false)
  const [grace, setGrace] = useState('60')
  const [sending, setSending] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)

  async function rotate(): Promise<void> {
    setSending(true)
    setRefusal(null)
    try {
      await rotateToken(queries, id, Number(grace))
      setOpened(false)
      onRotated?.()
    } catch (error) {
      setRefusal(toRefusal(error))
    } finally {
      setSending(false)
    }
  }

  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        New token
      </Button>
      <LateModal opened={opened} onClose={() => setOpened(false)} title="Create a new token?">
        <Text mb="md">The new token is shown once, with everything to paste into the sender.</Text>
        <Select
          label="The old token stays good for"
          data={graces}
          value={grace}
          onChange={(value) => setGrace(value ?? '60')}
          mb="md"
          data-autofocus
        />
        <Refused refusal={refusal} />
        <Buttons>
          <Button loading={sending} onClick={() => void rotate()}>
            Create a new token
          </Button>
          <Button variant="default" onClick={() => setOpened(false)}>
            Cancel
          </Button>
        </Buttons>
      </LateModal>
    </>
  )
}
