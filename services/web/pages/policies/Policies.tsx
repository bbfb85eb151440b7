/** The escalation policies: whom each asks, one step after the other, and what uses it. */
import { Button } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ListOrdered, Plus } from 'lucide-react'
import { POLICIES_PER_PAGE, policiesQuery, policyQuery } from '../../api/escalation.ts'
import { useMay } from '../../api/session.ts'
import { isFull, useLimit } from '../../api/workspace.ts'
import { PageHead } from '../../parts/Page.tsx'
import { Pager } from '../../parts/Pager.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { useKeys } from '../../shell/keys.ts'
import { policiesText } from '../../texts/policies.ts'
import classes from './Policies.module.css'
import { PolicyRow } from './PolicyRow.tsx'
import { policiesAnswer } from './policy-words.ts'
import { useTargets } from './targets.ts'

export function Policies() {
  const { page = 1 } = useSearch({ from: '/inside/on-call/policies' })
  const navigate = useNavigate()
  const may = useMay('write')
  const asked = useQuery(policiesQuery(page))
  const { data: list } = asked
  const limit = useLimit('escalation_policies')
  const full = isFull(limit)
  const targets = useTargets()
  // The list does not say how each policy stands, so each one is read.
  const details = useQueries({ queries: (list?.items ?? []).map(({ id }) => policyQuery(id)) }).map(({ data }) => data)
  const create = (): void => void navigate({ to: '/on-call/policies/new' })
  useKeys(may && !full ? { c: create } : {})
  const button = may && (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={create} disabled={full}>
      {policiesText('list.create')}
    </Button>
  )
  return (
    <>
      <PageHead
        title={policiesText('page.title')}
        answer={
          list
            ? policiesAnswer(
                list.total,
                details.filter((one) => one !== undefined)
              )
            : policiesText('page.title')
        }
        actions={list?.total === 0 ? null : button}
      >
        <span>{policiesText('page.how')}</span>
        {!may && <span>{policiesText('page.read_only')}</span>}
        {may && full && <span role="status">{policiesText('list.full', { count: limit?.limit ?? 0 })}</span>}
      </PageHead>
      {!list ? (
        <Awaiting of={asked} rows={3} height={84} />
      ) : list.items.length === 0 ? (
        <Empty icon={ListOrdered} title={policiesText('list.empty')} action={button}>
          {policiesText('list.empty_hint')}
        </Empty>
      ) : (
        <ul className={classes.list} aria-label={policiesText('page.title')}>
          {list.items.map((policy, at) => (
            <PolicyRow key={policy.id} policy={policy} detail={details[at]} nameOf={targets.nameOf} />
          ))}
        </ul>
      )}
      {list && (
        <Pager
          page={page}
          perPage={POLICIES_PER_PAGE}
          total={list.total}
          go={(to) => void navigate({ to: '/on-call/policies', search: to === undefined ? {} : { page: to } })}
        />
      )}
    </>
  )
}
