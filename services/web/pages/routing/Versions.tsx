/** The versions of the rules, newest first, each with a way to go back to it. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { useNames } from '../../api/names.ts'
import { rollbackRules, rulesQuery, ruleVersionsQuery, VERSIONS_PER_PAGE } from '../../api/routing.ts'
import { useMay } from '../../api/session.ts'
import type { RuleVersion } from '../../api/shapes.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { PageHead } from '../../parts/Page.tsx'
import { Pager } from '../../parts/Pager.tsx'
import { Since } from '../../parts/Since.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { routingText } from '../../texts/routing.ts'
import classes from '../settings/List.module.css'

const back = { to: '/settings/routing', label: routingText('page.trail') }

export function RuleVersions() {
  const { page = 1 } = useSearch({ from: '/inside/settings/routing/versions' })
  const navigate = useNavigate({ from: '/settings/routing/versions' })
  const asked = useQuery(ruleVersionsQuery(page))
  const { data: list } = asked
  const inForce = useQuery(rulesQuery).data?.version
  const may = useMay('write')
  const answer =
    inForce === undefined
      ? routingText('versions.title')
      : inForce === 1
        ? routingText('versions.answer_one')
        : routingText('versions.answer', { version: inForce })
  return (
    <>
      <PageHead title={routingText('versions.title')} answer={answer} back={back} />
      {!list ? (
        <Awaiting of={asked} rows={4} height={56} />
      ) : list.items.length === 0 ? (
        <Empty icon={History} title={routingText('versions.answer_one')}>
          {routingText('versions.none')}
        </Empty>
      ) : (
        <ul className={classes.list} aria-label={routingText('versions.title')}>
          {list.items.map((version) => (
            <Row key={version.version} version={version} inForce={inForce} may={may} />
          ))}
        </ul>
      )}
      {list && (
        <Pager
          page={page}
          perPage={VERSIONS_PER_PAGE}
          total={list.total}
          go={(to) => void navigate({ search: to === undefined ? {} : { page: to } })}
        />
      )}
    </>
  )
}

function Row({ version: one, inForce, may }: { version: RuleVersion; inForce: number | undefined; may: boolean }) {
  const { version, created_at, created_by, note } = one
  const queries = useQueryClient()
  const nameOf = useNames()
  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>{routingText('versions.version', { version })}</p>
        <p className={classes.facts}>
          {version === inForce && <span>{routingText('versions.now')}</span>}
          <span>{note}</span>
          <span>{nameOf(created_by)}</span>
          <Since at={created_at} />
        </p>
      </div>
      {may && inForce !== undefined && version !== inForce && (
        <div className={classes.actions}>
          <Confirm
            label={routingText('versions.back')}
            aria-label={routingText('versions.back_to', { version })}
            question={routingText('versions.question', { version })}
            verb={routingText('versions.verb')}
            harmless
            act={async () => {
              try {
                await rollbackRules(version, inForce)
              } finally {
                // If the request was refused, the rules may have another version by now.
                await queries.invalidateQueries({ queryKey: ['routing'] })
              }
              tellDone(routingText('versions.done', { version }))
            }}
          >
            {routingText('versions.hint')}
          </Confirm>
        </div>
      )}
    </li>
  )
}
