/** The link to the vendor's page that adds the app, and the result of the last attempt. */
import { Alert, Button } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import type { ChannelKindItem } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { channelsText } from '../../texts/channels.ts'
import classes from './Channel.module.css'

const startOf = (kind: string): string => `/api/v1/notifications/oauth/${kind}/start`

interface AddAppProps {
  kind: ChannelKindItem
  app: NonNullable<ChannelKindItem['app']>
}

/** Shows nothing when the deployment has no such app: then a webhook is the only way. */
export function AddApp({ kind: { kind, name }, app: { set_up, available, upgrade_to } }: AddAppProps) {
  const { problem } = useSearch({ from: '/inside/settings/channels/new' })
  if (!set_up && problem === undefined) return null
  return (
    <Section title={channelsText('app.title', { name })}>
      {problem && (
        <Alert color="red" variant="light" mb="md" title={channelsText('app.problem')} role="alert">
          {channelsText(`app.${problem}`, { name })}
        </Alert>
      )}
      {set_up && available && (
        <>
          <p className={classes.words}>{channelsText('app.hint', { name })}</p>
          <Button component="a" href={startOf(kind)} mb="sm">
            {channelsText('app.verb', { name })}
          </Button>
        </>
      )}
      {set_up && !available && (
        <p className={classes.words}>
          {upgrade_to === null ? channelsText('pick.no_plan') : channelsText('pick.plan', { plan: upgrade_to })}
        </p>
      )}
      <p className={classes.words}>{channelsText('app.webhook')}</p>
    </Section>
  )
}

/** The button for a channel whose app was removed. */
export const AddAgain = ({ kind, name }: { kind: string; name: string }) => (
  <Button component="a" href={startOf(kind)} mb="md">
    {channelsText('app.again', { name })}
  </Button>
)
