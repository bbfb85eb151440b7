/** The roles that the person may give, each with what it allows. */
import '@mantine/core/styles/RadioIndicator.css'
import '@mantine/core/styles/Radio.css'
import { Radio, Stack } from '@mantine/core'
import { roles } from '../../../../schemas/http/roles.ts'
import { useSession } from '../../api/session.ts'
import type { Role } from '../../api/shapes.ts'
import { membersText } from '../../texts/members.ts'
import { rolesToGive, roleWords } from './roles.ts'

export interface RoleChoiceProps {
  value: Role
  onChange: (role: Role) => void
  error?: string | undefined
}

export function RoleChoice({ value, onChange, error }: RoleChoiceProps) {
  const given = rolesToGive(useSession().role)
  return (
    <Radio.Group
      label={membersText('role.label')}
      value={value}
      onChange={(chosen) => {
        const role = roles.find((one) => one === chosen)
        if (role) onChange(role)
      }}
      error={error}
    >
      <Stack gap="xs" mt={6}>
        {given.map((role) => {
          const { name, does } = roleWords(role)
          return <Radio key={role} value={role} label={name} description={does} />
        })}
      </Stack>
    </Radio.Group>
  )
}
