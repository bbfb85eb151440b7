/**
 * The routing rules in the order in which they are evaluated: which alerts each matches and what it
 * does, in words. The default rule is last.
 */
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { FlaskConical, History, Plus, Rewind } from 'lucide-react'
import { useState } from 'react'
import { changeRule, rulesQuery } from '../../api/routing.ts'
import { useMay } from '../../api/session.ts'
import type { Rule, RuleList } from '../../api/shapes.ts'
import { useLimit } from '../../api/workspace.ts'
import { PageHead } from '../../parts/Page.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { tellRefused } from '../../parts/tell.ts'
import { useKeys } from '../../shell/keys.ts'
import { routingText } from '../../texts/routing.ts'
import classes from './Routing.module.css'
import { RuleRow } from './RuleRow.tsx'
import { rulesAnswer } from './rule-words.ts'
import { fieldsOf, useManagesRule, useNamesPrivate, useThings } from './things.ts'
import { useOrder } from './use-order.ts'

export function Routing() {
  const navigate = useNavigate()
  const may = useMay('write')
  const asked = useQuery(rulesQuery)
  const { data: list } = asked
  const limit = useLimit('routing_rules')?.limit ?? null
  const full = limit !== null && list !== undefined && list.total - 1 >= limit
  const create = (): void => void navigate({ to: '/settings/routing/new' })
  useKeys(may && !full ? { c: create } : {})
  return (
    <>
      <PageHead
        title={routingText('page.title')}
        answer={list ? rulesAnswer(list.items) : routingText('page.title')}
        actions={
          <>
            <Button variant="default" component={Link} to="/settings/routing/try" leftSection={<FlaskConical size={16} aria-hidden />}>
              {routingText('list.try')}
            </Button>
            <Button variant="default" component={Link} to="/settings/routing/backtest" leftSection={<Rewind size={16} aria-hidden />}>
              {routingText('list.backtest')}
            </Button>
            <Button variant="default" component={Link} to="/settings/routing/versions" leftSection={<History size={16} aria-hidden />}>
              {routingText('list.versions')}
            </Button>
            {may && (
              <Button leftSection={<Plus size={16} aria-hidden />} onClick={create} disabled={full}>
                {routingText('list.create')}
              </Button>
            )}
          </>
        }
      >
        <span>{routingText('list.how')}</span>
        {!may && <span>{routingText('page.read_only')}</span>}
        {may && full && <span role="status">{routingText('list.full', { count: limit ?? 0 })}</span>}
      </PageHead>
      {list ? <Rules list={list} may={may} /> : <Awaiting of={asked} rows={3} height={72} />}
    </>
  )
}

/** Returns the id of the rule that has the keyboard focus. */
const focusedRule = (): string | undefined => document.activeElement?.closest<HTMLElement>('[data-rule]')?.dataset.rule

function Rules({ list, may }: { list: RuleList; may: boolean }) {
  const queries = useQueryClient()
  const [said, setSaid] = useState('')
  const things = useThings(list.items.flatMap(fieldsOf))
  const manages = useManagesRule()
  const namesPrivate = useNamesPrivate()
  const own = list.items.filter(({ is_default }) => !is_default)

  const move = useOrder(
    ({ name }, at) => setSaid(routingText('row.moved', { name, ...at })),
    (error) => {
      setSaid('')
      tellRefused(routingText('move.refused'), error)
    }
  )

  async function enable(rule: Rule, enabled: boolean): Promise<void> {
    try {
      await changeRule(rule, { enabled })
    } catch (error) {
      tellRefused(routingText('enable.refused'), error)
    }
    await queries.invalidateQueries({ queryKey: ['routing'] })
  }

  const step = (by: 1 | -1): void => {
    const rule = own.find(({ id }) => id === focusedRule())
    if (rule && may) void move(rule, by)
  }
  useKeys({ J: () => step(1), K: () => step(-1) })

  return (
    <>
      <ol className={classes.rules} aria-label={routingText('list.label')}>
        {list.items.map((rule, at) => (
          <RuleRow
            key={rule.id}
            rule={rule}
            things={things}
            isPrivate={namesPrivate(rule)}
            isFirst={at === 0}
            isLast={at === own.length - 1}
            mayOrder={may && own.length > 1}
            mayChange={may && manages(rule) === true}
            move={(by) => void move(rule, by)}
            enable={(enabled) => enable(rule, enabled)}
          />
        ))}
      </ol>
      <p className="unseen" role="status">
        {said}
      </p>
      {may && own.length > 1 && <p className={classes.keys}>{routingText('list.keys')}</p>}
    </>
  )
}
