/** The result of a test, in the words of the service that received it. */
import { Alert, Button, type ButtonProps } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ChannelTestAnswer } from '../../../../schemas/http/deliveries.ts'
import { testChannel } from '../../api/channels.ts'
import type { NotificationChannel } from '../../api/shapes.ts'
import { CopyBlock } from '../../parts/Copy.tsx'
import { tellRefused } from '../../parts/tell.ts'
import { channelsText } from '../../texts/channels.ts'

export function TestAnswer({ answer: { ok, latency_ms, http_status, error, reply } }: { answer: ChannelTestAnswer }) {
  return (
    <Alert role="status" color={ok ? 'green' : 'red'} variant="light" mt="xs">
      {ok
        ? channelsText('test.ok', { ms: latency_ms })
        : channelsText('test.bad', { error: (error ?? channelsText('test.unknown')).replace(/\.$/, '') })}{' '}
      {http_status !== null && channelsText('test.status', { status: http_status })}
      {reply && <CopyBlock title={channelsText('test.reply')} text={reply} />}
    </Alert>
  )
}

export interface TestButtonProps extends ButtonProps {
  channel: Pick<NotificationChannel, 'id' | 'name'>
  /** Sends the test when the channel is not a channel of the workspace. */
  send?: (id: string) => Promise<ChannelTestAnswer>
  /** Called with null when a test starts. */
  onAnswer: (answer: ChannelTestAnswer | null) => void
}

export function TestButton({ channel: { id, name }, send = testChannel, onAnswer, ...button }: TestButtonProps) {
  const queries = useQueryClient()
  const test = useMutation({
    mutationFn: () => send(id),
    onMutate: () => onAnswer(null),
    onSuccess: onAnswer,
    onError: (error) => tellRefused(channelsText('test.what'), error),
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['channels'] })
      void queries.invalidateQueries({ queryKey: ['deliveries'] })
    }
  })
  return (
    <Button
      variant="default"
      {...button}
      loading={test.isPending}
      onClick={() => test.mutate()}
      aria-label={`${channelsText('page.test')}: ${name}`}
    >
      {channelsText('page.test')}
    </Button>
  )
}
