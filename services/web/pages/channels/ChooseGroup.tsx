/** For a Telegram channel: the group that it writes to is chosen in Telegram. */
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { groupLink } from '../../api/chat.ts'
import { tellRefused } from '../../parts/tell.ts'
import { channelsText } from '../../texts/channels.ts'
import classes from './Channel.module.css'

/** Creates the link on a click. The link works once and expires after 15 minutes. */
export function ChooseGroup({ id, bot }: { id: string; bot: string }) {
  const make = useMutation({
    mutationFn: () => groupLink(bot, id),
    onError: (error) => tellRefused(channelsText('group.what'), error)
  })
  if (!make.data)
    return (
      <p className={classes.words}>
        <Button variant="default" loading={make.isPending} onClick={() => make.mutate()}>
          {channelsText('group.verb')}
        </Button>
      </p>
    )
  return (
    <p role="status" className={classes.words}>
      <a href={make.data.url} target="_blank" rel="noreferrer">
        {channelsText('group.open', { bot })}
      </a>{' '}
      {channelsText('group.hint')}
    </p>
  )
}
