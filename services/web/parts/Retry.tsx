/** Within a notice of what did not work: does it once more. */
import { Button } from '@mantine/core'
import { statesText } from '../texts/states.ts'

export const Retry = ({ act }: { act: () => void }) => (
  <Button variant="default" size="compact-sm" mt={8} display="block" onClick={act}>
    {statesText('problem.again')}
  </Button>
)
