/**
 * The person's own settings: name, time zone and language, password, light or dark. They are the
 * same in all their workspaces.
 */
import { type MantineColorScheme, SegmentedControl, useMantineColorScheme } from '@mantine/core'
import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { accountQuery } from '../../api/session.ts'
import { PageHead, Section } from '../../parts/Page.tsx'
import { latePart } from '../../parts/part.ts'
import { Awaiting, Loading } from '../../parts/States.tsx'
import { accountText } from '../../texts/account.ts'
import { shellText } from '../../texts/shell.ts'
import classes from './Account.module.css'
import { roleWords } from './roles.ts'

const PasswordForm = latePart(async () => (await import('./PasswordForm.tsx')).PasswordForm)
const ProfileForm = latePart(async () => (await import('./ProfileForm.tsx')).ProfileForm)

export function AccountSettings() {
  const asked = useQuery(accountQuery)
  const { data: account } = asked
  const [saves, setSaves] = useState(0)
  const [changes, setChanges] = useState(0)
  return (
    <>
      <PageHead
        title={accountText('page.title')}
        answer={
          account
            ? accountText('page.answer', {
                name: account.user.name,
                role: roleWords(account.role).name,
                workspace: account.workspace.name
              })
            : accountText('page.title')
        }
      >
        {account && <span>{account.user.email}</span>}
      </PageHead>
      {account ? (
        <div className={classes.forms}>
          <Suspense fallback={<Loading rows={8} height={36} />}>
            <ProfileForm key={`profile ${saves}`} user={account.user} onSaved={() => setSaves(saves + 1)} />
            <PasswordForm key={`password ${changes}`} email={account.user.email} onSaved={() => setChanges(changes + 1)} />
            <Scheme />
          </Suspense>
        </div>
      ) : (
        <Awaiting of={asked} rows={8} />
      )}
    </>
  )
}

const schemes: readonly MantineColorScheme[] = ['auto', 'light', 'dark']

function Scheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Section title={accountText('look.title')} aside={accountText('look.where')}>
      <SegmentedControl
        aria-label={accountText('look.title')}
        data={schemes.map((value) => ({ value, label: shellText(`scheme.${value}`) }))}
        value={colorScheme}
        onChange={(chosen) => {
          const scheme = schemes.find((one) => one === chosen)
          if (scheme) setColorScheme(scheme)
        }}
      />
    </Section>
  )
}
