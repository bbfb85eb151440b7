/**
 * The recent deliveries: refused payloads always, with the reason; other payloads only while
 * capture is on. Administrators of the workspace also see the payload itself.
 */
import { Button, UnstyledButton } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ChevronRight, CircleCheck, CircleMinus, CircleQuestionMark, Inbox, OctagonX } from 'lucide-react'
import { useRef } from 'react'
import { deliveriesQuery, deliveryQuery, type Outcome } from '../../api/integrations.ts'
import { useMay } from '../../api/session.ts'
import type { Delivery, Integration } from '../../api/shapes.ts'
import { CopyBlock } from '../../parts/Copy.tsx'
import { figure } from '../../parts/clock.ts'
import { Facts } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { type Look, lookOf, Status } from '../../parts/Status.tsx'
import { useSteps } from '../../parts/steps.ts'
import { Toggles } from '../../parts/Toggles.tsx'
import { inboundText } from '../../texts/inbound.ts'
import { Capture } from './Capture.tsx'
import classes from './Deliveries.module.css'
import { outcomes } from './search.ts'
import { alertsInWords } from './state.tsx'

const looks: Readonly<Record<Outcome, Look>> = {
  accepted: lookOf('good', CircleCheck, () => inboundText('outcome.accepted')),
  ignored: lookOf('off', CircleMinus, () => inboundText('outcome.ignored')),
  rejected: lookOf('bad', OctagonX, () => inboundText('outcome.rejected')),
  unknown: lookOf('off', CircleQuestionMark, () => inboundText('outcome.unknown'))
}

export function Deliveries({ integration }: { integration: Integration }) {
  const { id, capture } = integration
  const navigate = useNavigate({ from: '/integrations/$id' })
  const { outcome = [], delivery: opened } = useSearch({ from: '/inside/integrations/$id' })
  const asked = useInfiniteQuery({
    ...deliveriesQuery(id, outcome),
    placeholderData: keepPreviousData
  })
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = asked
  const items = data?.pages.flatMap((page) => page.items) ?? []
  const list = useRef<HTMLUListElement>(null)
  useSteps(list, 'button[aria-expanded]')
  return (
    <>
      <div className={classes.tools}>
        <Toggles
          label={inboundText('list.which')}
          toggles={outcomes.map((word) => ({ word, label: looks[word].word }))}
          pressed={outcome}
          onChange={(pressed) => void navigate({ search: pressed.length > 0 ? { outcome: pressed } : {} })}
        />
        <Capture integration={integration} />
      </div>
      {data ? (
        items.length === 0 ? (
          <Empty
            icon={Inbox}
            title={inboundText(outcome.length > 0 ? 'empty.narrowed' : 'empty.none')}
            action={
              <Button
                variant="default"
                renderRoot={(props) => <Link {...props} to="/integrations/$id" params={{ id }} search={{ tab: 'setup' }} />}
              >
                {inboundText('empty.setup')}
              </Button>
            }
          >
            {inboundText(capture ? 'empty.capture' : 'empty.no_capture')}
          </Empty>
        ) : (
          <>
            <ul ref={list} className={classes.list} aria-label={inboundText('list.label')}>
              {items.map((delivery) => (
                <Row
                  key={delivery.id}
                  delivery={delivery}
                  opened={delivery.id === opened}
                  toggle={() =>
                    void navigate({
                      search: ({ delivery: _, ...others }) => (delivery.id === opened ? others : { ...others, delivery: delivery.id }),
                      resetScroll: false
                    })
                  }
                />
              ))}
            </ul>
            {hasNextPage && (
              <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                {inboundText('list.older')}
              </Button>
            )}
          </>
        )
      ) : (
        <Awaiting of={asked} rows={6} />
      )}
    </>
  )
}

/** Splits `UNPARSEABLE_PAYLOAD: title: …` into its code and the message for people. */
function parted(reason: string): { code: string; message: string } {
  const [, code = '', message = ''] = /^([A-Z_]+): (.*)$/s.exec(reason) ?? []
  return code === '' ? { code: reason, message: reason } : { code, message }
}

function Row({ delivery, opened, toggle }: { delivery: Delivery; opened: boolean; toggle: () => void }) {
  const { outcome, reason, alerts, at, bytes } = delivery
  return (
    <li>
      <UnstyledButton className={classes.row} aria-expanded={opened} onClick={toggle}>
        <ChevronRight size={15} aria-hidden className={classes.chevron} />
        <span className={classes.outcome}>
          <Status look={looks[outcome]} />
        </span>
        <span className={classes.reason}>{reason === null ? alertsInWords(alerts) : parted(reason).message}</span>
        <span className={classes.at}>
          <Since at={at} />
        </span>
        <span className={classes.bytes}>{figure(bytes)} B</span>
      </UnstyledButton>
      {opened && <Detail delivery={delivery} />}
    </li>
  )
}

function Detail({ delivery: { id, integration_id, reason, content_type, payload_sha256, alerts } }: { delivery: Delivery }) {
  const mayAdminister = useMay('administer')
  return (
    <div className={classes.detail}>
      <Facts
        facts={[
          reason === null ? null : [inboundText('detail.code'), <code key="code">{parted(reason).code}</code>],
          [inboundText('detail.alerts'), alerts === 0 && reason !== null ? inboundText('detail.not_read') : alerts],
          [inboundText('detail.type'), content_type ?? inboundText('detail.no_type')],
          ['SHA-256', <code key="sha">{payload_sha256.slice(0, 16)}…</code>]
        ]}
      />
      {mayAdminister ? <Payload integration_id={integration_id} id={id} /> : <p className={classes.hint}>{inboundText('detail.admins')}</p>}
    </div>
  )
}

function Payload({ integration_id, id }: { integration_id: string; id: string }) {
  const asked = useQuery(deliveryQuery(integration_id, id))
  const { data } = asked
  if (!data) return <Awaiting of={asked} rows={3} />
  return (
    <>
      <CopyBlock title={inboundText(data.encoding === 'utf8' ? 'detail.payload' : 'detail.base64')} text={data.payload} />
      {data.encoding === 'utf8' && (
        <Button
          variant="default"
          renderRoot={(props) => (
            <Link {...props} to="/integrations/$id" params={{ id: integration_id }} search={{ tab: 'try', delivery: id }} />
          )}
        >
          {inboundText('detail.again')}
        </Button>
      )}
    </>
  )
}
