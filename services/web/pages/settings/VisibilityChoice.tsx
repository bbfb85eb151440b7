/** Who can see what a team owns. Each choice says in plain words what it means. */
import '@mantine/core/styles/RadioIndicator.css'
import '@mantine/core/styles/Radio.css'
import { Radio, Stack } from '@mantine/core'
import { teamVisibilities } from '../../../../schemas/http/visibility.ts'
import type { Team } from '../../api/shapes.ts'
import { teamsText } from '../../texts/teams.ts'

export interface VisibilityChoiceProps {
  value: Team['visibility']
  onChange: (visibility: Team['visibility']) => void
  /** Whether the person may make the team private. */
  mayHide?: boolean
  error?: string | undefined
}

export function VisibilityChoice({ value, onChange, mayHide = true, error }: VisibilityChoiceProps) {
  return (
    <Radio.Group
      label={teamsText('form.visibility')}
      value={value}
      onChange={(chosen) => {
        const visibility = teamVisibilities.find((one) => one === chosen)
        if (visibility) onChange(visibility)
      }}
      error={error}
    >
      <Stack gap="xs" mt={6}>
        <Radio value="org" label={teamsText('form.org')} description={teamsText('form.org_hint')} />
        <Radio
          value="private"
          label={teamsText('form.private')}
          description={mayHide ? teamsText('form.private_hint') : teamsText('form.private_not_yours')}
          disabled={!mayHide && value !== 'private'}
        />
      </Stack>
    </Radio.Group>
  )
}
