/**
 * Replaces the token of an integration. The old token stays valid for a while, so that there is
 * time to change the sender.
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
import { formsText } from '../../texts/forms.ts'
import { setupText } from '../../texts/setup.ts'

/** How long the old token stays valid, in minutes. */
const graces = () => [
  { value: '60', label: setupText('rotate.hour') },
  { value: '1440', label: setupText('rotate.day') },
  { value: '10080', label: setupText('rotate.week') },
  { value: '0', label: setupText('rotate.none') }
]

export interface RotateProps {
  id: string
  /** Called after the rotation. The new token is then in memory (`mintedQuery`). */
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
      <Button aria-haspopup="dialog" variant="default" onClick={() => setOpened(true)}>
        {setupText('rotate.verb')}
      </Button>
      <LateModal opened={opened} onClose={() => setOpened(false)} title={setupText('rotate.title')}>
        <Text mb="md">{setupText('rotate.hint')}</Text>
        <Select
          label={setupText('rotate.keep')}
          data={graces()}
          value={grace}
          onChange={(value) => setGrace(value ?? '60')}
          mb="md"
          data-autofocus
        />
        <Refused refusal={refusal} />
        <Buttons>
          <Button loading={sending} onClick={() => void rotate()}>
            {setupText('rotate.create')}
          </Button>
          <Button variant="default" onClick={() => setOpened(false)}>
            {formsText('button.cancel')}
          </Button>
        </Buttons>
      </LateModal>
    </>
  )
}
