/**
 * The certificates that monitors see: how many end soon, then each of them, the first to end on
 * top.
 */
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, SearchX, ShieldCheck } from 'lucide-react'
import { CERTIFICATES_PER_PAGE, certificateCountsQuery, certificatesQuery } from '../../api/certificates.ts'
import { useMay } from '../../api/session.ts'
import type { CertificateItem } from '../../api/shapes.ts'
import { useTyped } from '../../forms/useTyped.ts'
import { PageHead } from '../../parts/Page.tsx'
import { Pager } from '../../parts/Pager.tsx'
import { dayTime, exact, Since } from '../../parts/Since.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { TeamFilter } from '../../parts/TeamFilter.tsx'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { certificatesText } from '../../texts/certificates.ts'
import { monitorsText } from '../../texts/monitors.ts'
import rows from '../settings/List.module.css'
import { certificateLook } from './certificate-look.ts'
import classes from './Monitors.module.css'
import { type CertificatesSearch, withinDays } from './search.ts'

function useAnswer(): string {
  const { data } = useQuery(certificateCountsQuery)
  if (!data) return certificatesText('answer.unknown')
  if (data.all === 0) return certificatesText('answer.nothing')
  if (data.soon === 0) return certificatesText('answer.none')
  return data.soon === 1 ? certificatesText('answer.one') : certificatesText('answer.some', { count: data.soon })
}

export function Certificates() {
  const search = useSearch({ from: '/inside/monitors/certificates' })
  const navigate = useNavigate({ from: '/monitors/certificates' })
  const { page = 1, within, team_id, q } = search
  const asked = useQuery(
    certificatesQuery({ page, ...(within !== undefined && { within_days: within }), ...(team_id && { team_id }), ...(q && { q }) })
  )
  const { data: list } = asked
  const isFiltered = within !== undefined || team_id !== undefined || q !== undefined
  return (
    <>
      <PageHead title={certificatesText('page.title')} answer={useAnswer()} back={{ to: '/monitors', label: monitorsText('page.title') }}>
        <span>{certificatesText('page.how')}</span>
      </PageHead>
      {(isFiltered || (list && list.total > 0)) && <Filters search={search} />}
      {!list ? (
        <Awaiting of={asked} rows={5} height={72} />
      ) : list.items.length === 0 ? (
        <None isFiltered={isFiltered || page > 1} />
      ) : (
        <ul className={rows.list} aria-label={certificatesText('page.title')}>
          {list.items.map((one) => (
            <Row key={one.monitor_id} certificate={one} />
          ))}
        </ul>
      )}
      {list && (
        <Pager
          page={page}
          perPage={CERTIFICATES_PER_PAGE}
          total={list.total}
          go={(to) => void navigate({ search: ({ page: _page, ...before }) => ({ ...before, ...(to !== undefined && { page: to }) }) })}
        />
      )}
    </>
  )
}

function Filters({ search: { within, team_id, q } }: { search: CertificatesSearch }) {
  const navigate = useNavigate({ from: '/monitors/certificates' })
  const set = (change: { [K in keyof CertificatesSearch]?: CertificatesSearch[K] | undefined }): void =>
    void navigate({
      search: ({ page: _page, ...before }) => {
        const kept = Object.entries({ ...before, ...change }).filter(([, value]) => value !== undefined)
        return Object.fromEntries(kept) as CertificatesSearch
      },
      replace: true
    })
  const { typed, type } = useTyped(q ?? '', (text) => set({ q: text || undefined }))
  return (
    <search className={classes.filters}>
      <TextInput
        className={classes.q}
        aria-label={certificatesText('filter.name')}
        placeholder={certificatesText('filter.name_hint')}
        value={typed}
        maxLength={100}
        onChange={({ currentTarget: { value } }) => type(value)}
      />
      <div className={classes.selects}>
        <NativeSelect
          aria-label={certificatesText('filter.ends')}
          value={within ?? ''}
          data={[
            { value: '', label: certificatesText('filter.any') },
            ...withinDays.map((days) => ({ value: String(days), label: certificatesText('filter.days', { days }) }))
          ]}
          onChange={({ currentTarget: { value } }) => set({ within: withinDays.find((days) => String(days) === value) })}
        />
        <TeamFilter team_id={team_id} change={(chosen) => set({ team_id: chosen })} />
      </div>
    </search>
  )
}

function None({ isFiltered }: { isFiltered: boolean }) {
  const mayWrite = useMay('write')
  if (isFiltered)
    return (
      <Empty
        icon={SearchX}
        title={certificatesText('filter.none')}
        action={
          <Button variant="default" renderRoot={(props) => <Link to="/monitors/certificates" {...props} />}>
            {certificatesText('filter.all')}
          </Button>
        }
      />
    )
  const create = (
    <Button leftSection={<Plus size={15} aria-hidden />} renderRoot={(props) => <Link to="/monitors/new" {...props} />}>
      {certificatesText('list.create')}
    </Button>
  )
  return (
    <Empty icon={ShieldCheck} title={certificatesText('list.empty')} action={mayWrite ? create : undefined}>
      {certificatesText('list.empty_hint')}
    </Empty>
  )
}

function toldInWords({ threshold_days }: NonNullable<CertificateItem['told']>): string {
  if (threshold_days === 0) return certificatesText('row.told_end')
  return threshold_days === 1 ? certificatesText('row.told_day') : certificatesText('row.told', { days: threshold_days })
}

function Row({ certificate }: { certificate: CertificateItem }) {
  const { monitor_id, monitor_name, monitor_status, team_id, host, issuer, not_after, days_left, chain_ok, told } = certificate
  return (
    <li className={rows.row}>
      <div>
        <p className={rows.name}>
          <Link to="/monitors/$id" params={{ id: monitor_id }}>
            {monitor_name}
          </Link>
        </p>
        <p className={rows.facts}>
          <Status look={certificateLook(days_left)} />
          <span>
            {certificatesText('row.until')}{' '}
            <time dateTime={not_after} title={exact(not_after)}>
              {dayTime(not_after)}
            </time>
          </span>
          <TeamMark team_id={team_id} />
          <span>{certificatesText('row.for', { host })}</span>
          <span>{issuer === null ? certificatesText('row.issuer_unknown') : certificatesText('row.issuer', { issuer })}</span>
          {chain_ok === false && <span>{certificatesText('row.untrusted')}</span>}
        </p>
        <p className={rows.facts}>
          {certificate.tls_expiry_days.length === 0 && <span>{certificatesText('row.off')}</span>}
          {told && (
            <span>
              {toldInWords(told)}, <Since at={told.at} />
            </span>
          )}
          {monitor_status === 'paused' && certificate.last_checked_at !== null && (
            <span>
              {certificatesText('row.paused')} <Since at={certificate.last_checked_at} />
            </span>
          )}
        </p>
      </div>
    </li>
  )
}
