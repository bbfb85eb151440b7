/** The button in a notice about a failed action that tries it again. */
import { Button } from '@mantine/core'
import { statesText } from '../texts/states.ts'

export const Retry = ({ act }: { act: () => void }) => (
  <Button variant="default" size="compact-sm" mt={8} display="block" onClick={act}>
    {statesText('problem.again')}
  </Button>
)
