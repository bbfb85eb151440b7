/**
 * How to set up the sender: what to paste where, with the token filled in while it is known, and
 * whether the first alert has arrived.
 */
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { mintedQuery } from '../../api/integrations.ts'
import { useMay } from '../../api/session.ts'
import type { Integration, Source } from '../../api/shapes.ts'
import { Copyable, CopyBlock } from '../../parts/Copy.tsx'
import { Facts, Section } from '../../parts/Page.tsx'
import { Coded } from '../../parts/Said.tsx'
import { setupText } from '../../texts/setup.ts'
import { Arrival } from './Arrival.tsx'
import { Rotate } from './Rotate.tsx'
import classes from './Setup.module.css'

export function Setup({ integration, source }: { integration: Integration; source: Source }) {
  const mayWrite = useMay('write')
  const { data: minted } = useQuery(mintedQuery(integration.id))
  const { instructions, door_url, token_prefix } = minted ?? integration
  return (
    <>
      <Section title={setupText('page.works')}>
        <Arrival id={integration.id} />
      </Section>
      {minted ? (
        <Minted minted={minted} />
      ) : (
        <Section title={setupText('page.address')}>
          <Facts
            facts={[
              [setupText('fact.address'), <Copyable key="door" text={door_url} what={setupText('copy.address')} />],
              [setupText('fact.token'), <code key="token">{token_prefix}…</code>]
            ]}
          />
          <p className={classes.hint}>
            <Coded text={setupText('token.hint')} />
          </p>
          {mayWrite ? <Rotate id={integration.id} /> : <p className={classes.hint}>{setupText('token.editor')}</p>}
        </Section>
      )}
      <Section title={source.source_type === 'generic' ? setupText('page.how') : setupText('page.how_of', { tool: source.name })}>
        <p className={classes.hint}>{source.description}</p>
        <div className={classes.blocks}>
          {instructions.map(({ title, text }) => (
            <CopyBlock key={title} title={title} text={text} />
          ))}
        </div>
      </Section>
      <Section title={setupText('page.resolves')}>
        <p className={classes.hint}>{source.resolves_when}</p>
      </Section>
    </>
  )
}

function Minted({ minted: { id, token, endpoint_url } }: { minted: Integration }) {
  const queries = useQueryClient()
  return (
    <section className={classes.minted} aria-label={setupText('minted.label')}>
      <h2>
        <KeyRound size={16} aria-hidden /> {setupText('minted.title')}
      </h2>
      <p>{setupText('minted.hint')}</p>
      <Facts
        facts={[
          token === null ? null : [setupText('fact.token'), <Copyable key="token" text={token} what={setupText('copy.token')} />],
          endpoint_url === null
            ? null
            : [setupText('fact.with_token'), <Copyable key="url" text={endpoint_url} what={setupText('copy.address')} />]
        ]}
      />
      <Button variant="default" onClick={() => void queries.resetQueries({ queryKey: mintedQuery(id).queryKey })}>
        {setupText('minted.done')}
      </Button>
    </section>
  )
}
