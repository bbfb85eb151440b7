/**
 * The page of one integration: whether it delivers, what arrived, how to set up its sender, a dry
 * run of a payload, and its settings.
 */
import '@mantine/core/styles/Tabs.css'
import { Button, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { isGone } from '../../api/client.ts'
import { integrationQuery, sourcesQuery } from '../../api/integrations.ts'
import { useMay } from '../../api/session.ts'
import type { Integration, Source } from '../../api/shapes.ts'
import { PageHead } from '../../parts/Page.tsx'
import { lazyPart } from '../../parts/part.ts'
import { Around, HERE } from '../../parts/Said.tsx'
import { Since } from '../../parts/Since.tsx'
import { Awaiting, Loading, Problem } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { useActions } from '../../shell/actions.ts'
import { useKeys } from '../../shell/keys.ts'
import { integrationsText } from '../../texts/integrations.ts'
import { Deliveries } from './Deliveries.tsx'
import { Ignored } from './Ignored.tsx'
import classes from './Integration.module.css'
import { type Tab, tabs } from './search.ts'
import { alertsInWords, integrationAnswer, integrationLook, payloadsInWords } from './state.tsx'
import { TestAlert } from './TestAlert.tsx'

/** Loaded late: these tabs are rarely opened. */
const Setup = lazyPart(async () => (await import('./Setup.tsx')).Setup)
const TryPayload = lazyPart(async () => (await import('./TryPayload.tsx')).TryPayload)
const IntegrationSettings = lazyPart(async () => (await import('./IntegrationSettings.tsx')).IntegrationSettings)

export function IntegrationPage() {
  const { id } = useParams({ from: '/inside/integrations/$id' })
  const integration = useQuery(integrationQuery(id))
  const sources = useQuery(sourcesQuery)
  const source = sources.data?.items.find(({ source_type }) => source_type === integration.data?.source_type)
  const back = { to: '/integrations', label: integrationsText('page.title') }
  const gone = isGone(integration.error)
  if (integration.data && source && !gone) return <Page key={id} integration={integration.data} source={source} />
  return (
    <>
      <PageHead title={integrationsText('page.one')} answer={integrationsText('page.one')} back={back} />
      {gone ? <Problem error={integration.error} /> : <Awaiting of={[integration, sources]} rows={8} />}
    </>
  )
}

function Page({ integration, source }: { integration: Integration; source: Source }) {
  const mayWrite = useMay('write')
  const navigate = useNavigate({ from: '/integrations/$id' })
  const { tab = 'deliveries' } = useSearch({ from: '/inside/integrations/$id' })
  const open = (to: Tab): void => void navigate({ search: to === 'deliveries' ? {} : { tab: to } })
  useKeys(mayWrite ? { e: () => open('settings') } : {})
  const { id, name, event_count_24h, error_count_24h, created_at } = integration
  useActions([
    {
      label: integrationsText('do.incidents', { name }),
      run: () => void navigate({ to: '/incidents', search: { status: 'all', integration_id: id } })
    },
    ...(mayWrite ? [{ label: integrationsText('do.settings', { name }), run: () => open('settings') }] : [])
  ])
  const panels: Readonly<Record<Tab, () => ReactNode>> = {
    deliveries: () => (
      <>
        <Deliveries integration={integration} />
        <Ignored integration={integration} />
      </>
    ),
    setup: () => <Setup integration={integration} source={source} />,
    try: () => <TryPayload integration={integration} source={source} />,
    settings: () => <IntegrationSettings integration={integration} source={source} />
  }
  return (
    <>
      <PageHead
        title={name}
        answer={name}
        back={{ to: '/integrations', label: integrationsText('page.title') }}
        actions={
          <>
            {mayWrite && integration.enabled && <TestAlert integration={integration} />}
            <Button
              variant="default"
              renderRoot={(props) => <Link {...props} to="/incidents" search={{ status: 'all', integration_id: id }} />}
            >
              {integrationsText('page.incidents')}
            </Button>
          </>
        }
      >
        <Status look={integrationLook(integration)} filled />
        <span className={classes.state}>{integrationAnswer(integration)}</span>
        <span>{source.name}</span>
        <TeamMark team_id={integration.team_id} />
        {event_count_24h !== null && error_count_24h !== null && (
          <span>
            {integrationsText('page.counts', { alerts: alertsInWords(event_count_24h), payloads: payloadsInWords(error_count_24h) })}
          </span>
        )}
        <span>
          <Around text={integrationsText('page.created', { at: HERE })}>
            <Since at={created_at} />
          </Around>
        </span>
      </PageHead>
      <Tabs value={tab} onChange={(value) => open(tabs.find((one) => one === value) ?? 'deliveries')} className={classes.tabs}>
        <Tabs.List aria-label={integrationsText('tab.label')}>
          {tabs.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {integrationsText(`tab.${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map((one) => (
          <Tabs.Panel key={one} value={one} pt="lg">
            {one === tab && <Suspense fallback={<Loading rows={8} />}>{panels[one]()}</Suspense>}
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  )
}
