/**
 * The ping address of a heartbeat and how to use it: commands with its own address and schedule,
 * ready to copy.
 */
import '@mantine/core/styles/Tabs.css'
import { Button, Tabs } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ping, readAgain } from '../../api/heartbeats.ts'
import { useSession } from '../../api/session.ts'
import type { Heartbeat } from '../../api/shapes.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Copyable, CopyBlock } from '../../parts/Copy.tsx'
import { Section } from '../../parts/Page.tsx'
import { tellDone } from '../../parts/tell.ts'
import { heartbeatsText } from '../../texts/heartbeats.ts'
import classes from './PingAddress.module.css'
import { ways } from './search.ts'
import { snippetsOf } from './snippets.ts'

export function PingAddress({ heartbeat, first }: { heartbeat: Heartbeat; first: boolean }) {
  const { ping_url, ping_url_by_slug, allowed_methods } = heartbeat
  const { role } = useSession()
  if (ping_url === null)
    return (
      <Section title={heartbeatsText('address.title')}>
        <p className={classes.hint}>{heartbeatsText('address.hidden', { role })}</p>
      </Section>
    )
  return (
    <Section title={heartbeatsText(first ? 'address.first' : 'address.title')} aside={<TestPing heartbeat={heartbeat} />}>
      <div className={classes.address}>
        <Copyable text={ping_url} what={heartbeatsText('address.what')} />
      </div>
      <p className={classes.hint}>
        {heartbeatsText('address.methods', { methods: allowed_methods.join(', ') })} {heartbeatsText('address.secret')}{' '}
        {ping_url_by_slug && heartbeatsText('address.by_slug')}
      </p>
      <Ways heartbeat={heartbeat} ping_url={ping_url} open={first} />
    </Section>
  )
}

/** Sends a real ping. It affects the heartbeat exactly like a ping from a job. */
function TestPing({ heartbeat }: { heartbeat: Heartbeat }) {
  const queries = useQueryClient()
  return (
    <Confirm
      label={heartbeatsText('test.label')}
      question={heartbeatsText('test.question')}
      verb={heartbeatsText('test.verb')}
      harmless
      act={async () => {
        await ping(heartbeat)
        tellDone(heartbeatsText('test.done'))
        readAgain(queries)
      }}
    >
      {heartbeatsText('test.hint')}
    </Confirm>
  )
}

function Ways({
  heartbeat: { name, slug, schedule, allowed_methods },
  ping_url,
  open
}: {
  heartbeat: Heartbeat
  ping_url: string
  open: boolean
}) {
  const navigate = useNavigate({ from: '/heartbeats/$id' })
  const search = useSearch({ from: '/inside/heartbeats/$id' })
  const how = search.how ?? (open ? 'curl' : undefined)
  const show = (next: string | null): void =>
    void navigate({ search: { ...search, how: ways.find((way) => way === next) }, replace: true, resetScroll: false })
  if (how === undefined)
    return (
      <Button variant="default" onClick={() => show('curl')}>
        {heartbeatsText('address.commands')}
      </Button>
    )
  return (
    <Tabs value={how} onChange={show}>
      <Tabs.List aria-label={heartbeatsText('address.ways')}>
        {ways.map((way) => (
          <Tabs.Tab key={way} value={way}>
            {heartbeatsText(`way.${way}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {ways.map((way) => (
        <Tabs.Panel key={way} value={way} className={classes.panel}>
          {snippetsOf(way, { name, slug, schedule, allowed_methods, ping_url }).map(({ title, text }) => (
            <CopyBlock key={title} title={title} text={text} />
          ))}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
