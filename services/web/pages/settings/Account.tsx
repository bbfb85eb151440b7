/**
 * The person's own: name, clock and language, password, light or dark. The same in all their
 * workspaces.
 */
import { type MantineColorScheme, SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { accountQuery } from '../../api/session.ts'
import { PageHead, Section } from '../../parts/Page.tsx'
import { Awaiting } from '../../parts/States.tsx'
import classes from './Account.module.css'
import { PasswordForm } from './PasswordForm.tsx'
import { ProfileForm } from './ProfileForm.tsx'
import { roleWords } from './roles.ts'

export function AccountSettings() {
  const asked = useQuery(accountQuery)
  const { data: account } = asked
  const [saves, setSaves] = useState(0)
  const [changes, setChanges] = useState(0)
  return (
    <>
      <PageHead
        title="Your account"
        answer={
          account
            ? `You are ${account.user.name}, ${roleWords(account.role).name.toLowerCase()} of ${account.workspace.name}`
            : 'Your account'
        }
      >
        {account && <span>{account.user.email}</span>}
      </PageHead>
      {account ? (
        <div className={classes.forms}>
          <ProfileForm key={`profile ${saves}`} user={account.user} onSaved={() => setSaves(saves + 1)} />
          <PasswordForm key={`password ${changes}`} email={account.user.email} onSaved={() => setChanges(changes + 1)} />
          <Scheme />
        </div>
      ) : (
        <Awaiting of={asked} rows={8} />
      )}
    </>
  )
}

const schemes: { value: MantineColorScheme; label: string }[] = [
  { value: 'auto', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' }
]

function Scheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Section title="Look" aside="On this device">
      <SegmentedControl
        aria-label="Look"
        data={schemes}
        value={colorScheme}
        onChange={(chosen) => {
          const scheme = schemes.find(({ value }) => value === chosen)
          if (scheme) setColorScheme(scheme.value)
        }}
      />
    </Section>
  )
}
