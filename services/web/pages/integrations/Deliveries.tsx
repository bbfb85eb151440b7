/**
 * What came lately: refused payloads always, with the reason; others while capture is on. Who
 * administers the workspace sees the payload itself.
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
import { type Look, Status } from '../../parts/Status.tsx'
import { useSteps } from '../../parts/steps.ts'
import { Toggles } from '../../parts/Toggles.tsx'
import { Capture } from './Capture.tsx'
import classes from './Deliveries.module.css'
import { outcomes } from './search.ts'
import { inWords } from './state.tsx'

const looks: Readonly<Record<Outcome, Look>> = {
  accepted: { tone: 'good', icon: CircleCheck, word: 'Accepted' },
  ignored: { tone: 'off', icon: CircleMinus, word: 'Ignored' },
  rejected: { tone: 'bad', icon: OctagonX, word: 'Refused' },
  unknown: { tone: 'off', icon: CircleQuestionMark, word: 'Unknown' }
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
          label="Which deliveries"
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
            title={outcome.length > 0 ? 'No delivery of this kind is stored' : 'No deliveries stored'}
            action={
              <Button
                variant="default"
                renderRoot={(props) => <Link {...props} to="/integrations/$id" params={{ id }} search={{ tab: 'setup' }} />}
              >
                Set up the sender
              </Button>
            }
          >
            {capture
              ? 'Deliveries are kept for 3 days.'
              : 'What is accepted opens incidents and is kept here only while capture is on; what is refused is always kept, for 3 days.'}
          </Empty>
        ) : (
          <>
            <ul ref={list} className={classes.list} aria-label="Deliveries">
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
                Older
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

/** `UNPARSEABLE_PAYLOAD: title: …` → its code, and the rest for people. */
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
        <span className={classes.reason}>{reason === null ? inWords(alerts, 'alert') : parted(reason).message}</span>
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
          reason === null ? null : ['Answered with', <code key="code">{parted(reason).code}</code>],
          ['Alerts in it', alerts === 0 && reason !== null ? 'not read' : alerts],
          ['Content type', content_type ?? 'none'],
          ['SHA-256', <code key="sha">{payload_sha256.slice(0, 16)}…</code>]
        ]}
      />
      {mayAdminister ? (
        <Payload integration_id={integration_id} id={id} />
      ) : (
        <p className={classes.hint}>Payloads may hold what a sender should not have written: an admin of the workspace can see this one.</p>
      )}
    </div>
  )
}

function Payload({ integration_id, id }: { integration_id: string; id: string }) {
  const asked = useQuery(deliveryQuery(integration_id, id))
  const { data } = asked
  if (!data) return <Awaiting of={asked} rows={3} />
  return (
    <>
      <CopyBlock title={data.encoding === 'utf8' ? 'Payload, without what sounds secret' : 'Payload, in base64'} text={data.payload} />
      {data.encoding === 'utf8' && (
        <Button
          variant="default"
          renderRoot={(props) => (
            <Link {...props} to="/integrations/$id" params={{ id: integration_id }} search={{ tab: 'try', delivery: id }} />
          )}
        >
          Try it again
        </Button>
      )}
    </>
  )
}
