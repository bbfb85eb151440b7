/** Creates or changes one rule. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { isGone } from '../../api/client.ts'
import { changeRule, createRule, deleteRule, ruleQuery, rulesQuery } from '../../api/routing.ts'
import { useMay, useSession } from '../../api/session.ts'
import type { Rule } from '../../api/shapes.ts'
import { lateForm } from '../../forms/late-form.tsx'
import { type Begun, useBegun } from '../../forms/useBegun.ts'
import { useForm } from '../../forms/useForm.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Copyable } from '../../parts/Copy.tsx'
import { ownZone } from '../../parts/clock.ts'
import { PageHead } from '../../parts/Page.tsx'
import { lazyPart } from '../../parts/part.ts'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { routingText } from '../../texts/routing.ts'
import classes from './Routing.module.css'
import { Sentence, Warnings } from './RuleWords.tsx'
import { bodyOf, valuesOf } from './rule-values.ts'
import { fieldsOf, useManagesRule, useThings } from './things.ts'

const loadForm = async () => (await import('./RuleForm.tsx')).RuleForm
const RuleForm = lateForm(loadForm)
// It stands below the form. If it were shown before the form, the form would push it down.
const DraftBacktest = lazyPart(async () => {
  const [{ DraftBacktest }] = await Promise.all([import('./Backtest.tsx'), loadForm()])
  return DraftBacktest
})

const back = { to: '/settings/routing', label: routingText('page.trail') }

/** Returns a function for the time after a change: it reads the list again and shows it. */
function useToList(): () => Promise<void> {
  const navigate = useNavigate()
  const queries = useQueryClient()
  return async () => {
    await queries.invalidateQueries({ queryKey: rulesQuery.queryKey })
    void queries.invalidateQueries({ queryKey: ['routing'] })
    await navigate({ to: '/settings/routing' })
  }
}

export function NewRule() {
  const toList = useToList()
  const may = useMay('write')
  const { role } = useSession()
  const form = useForm({
    initial: valuesOf(null, ownZone()),
    schema: async () => (await import('../../../../schemas/http/routing.ts')).CreateRuleBody,
    toBody: (values) => ({ ...bodyOf(values), ...(values.place === 'first' && { position: 0 }) }),
    save: createRule,
    onSaved: ({ name }) => {
      tellDone(routingText('form.created', { name }))
      void toList()
    }
  })
  return (
    <>
      <PageHead title={routingText('form.new')} answer={routingText('form.new_answer')} back={back}>
        {!may && <span>{routingText('form.forbidden', { role })}</span>}
      </PageHead>
      {may && (
        <>
          <RuleForm form={form} verb={routingText('form.create')} isNew onCancel={() => void toList()} />
          <Suspense fallback={null}>
            <DraftBacktest rule={null} values={form.values} />
          </Suspense>
        </>
      )}
    </>
  )
}

export function RulePage() {
  const { id } = useParams({ from: '/inside/settings/routing/$id' })
  const asked = useQuery(ruleQuery(id))
  const { data: rule, error } = asked
  if (rule && !isGone(error)) return <Shown key={id} rule={rule} again={() => void asked.refetch()} />
  return (
    <>
      <PageHead title={routingText('page.title')} answer={routingText('page.title')} back={back} />
      {isGone(error) ? <Problem error={error} /> : <Awaiting of={asked} rows={6} />}
    </>
  )
}

function Shown({ rule, again }: { rule: Rule; again: () => void }) {
  const { id, name, is_default, warnings } = rule
  const { role } = useSession()
  const mayWrite = useMay('write')
  const manages = useManagesRule()
  const things = useThings(fieldsOf(rule))
  const managed = manages(rule)
  const mayChange = mayWrite && !is_default && managed === true
  return (
    <>
      <PageHead title={name} answer={routingText('form.answer', { name })} back={back}>
        {is_default && <span>{routingText('form.default')}</span>}
        {!is_default && !mayWrite && <span>{routingText('form.forbidden', { role })}</span>}
        {!is_default && mayWrite && managed === false && <span>{routingText('row.private')}</span>}
        <Copyable text={id} what={name} />
      </PageHead>
      <div className={classes.summary}>
        <Sentence rule={rule} things={things} />
        <Warnings warnings={warnings} />
      </div>
      {mayChange && <Change rule={rule} readAgain={again} />}
    </>
  )
}

interface ChangeProps {
  rule: Rule
  readAgain: () => void
}

function Change({ rule, readAgain }: ChangeProps) {
  const form = useBegun(rule)
  const { begun, begin } = form
  const [wantsNew, setWantsNew] = useState(false)
  if (wantsNew && rule.version !== begun.version) {
    begin(rule)
    setWantsNew(false)
  }
  return (
    <>
      <Fields
        key={begun.version}
        form={form}
        again={() => {
          setWantsNew(true)
          readAgain()
        }}
      />
      <Removal rule={rule} readAgain={readAgain} />
    </>
  )
}

function Fields({ form: { begun, onSet }, again }: { form: Begun<Rule>; again: () => void }) {
  const queries = useQueryClient()
  const toList = useToList()
  const form = useForm({
    initial: valuesOf(begun, ownZone()),
    schema: async () => (await import('../../../../schemas/http/routing.ts')).UpdateRuleBody,
    toBody: bodyOf,
    save: (body) => changeRule(begun, body),
    onSaved: (saved) => {
      queries.setQueryData(ruleQuery(begun.id).queryKey, saved)
      tellDone(routingText('form.saved', { name: saved.name }))
      void toList()
    },
    onSet
  })
  return (
    <>
      <RuleForm form={form} verb={routingText('form.save')} isNew={false} onCancel={() => void toList()} again={again} />
      <Suspense fallback={null}>
        <DraftBacktest rule={begun} values={form.values} />
      </Suspense>
    </>
  )
}

/** Deletes the newest version: a version that the form began with may be older. */
function Removal({ rule, readAgain }: ChangeProps) {
  const queries = useQueryClient()
  const toList = useToList()
  const { id, name } = rule
  return (
    <Confirm
      label={routingText('delete.label')}
      question={routingText('delete.question', { name })}
      verb={routingText('delete.verb')}
      c="var(--bad)"
      mt="lg"
      act={async () => {
        try {
          await deleteRule(rule)
        } catch (error) {
          // Somebody may have changed the rule since the page was read.
          readAgain()
          throw error
        }
        await toList()
        queries.removeQueries({ queryKey: ruleQuery(id).queryKey })
        tellDone(routingText('delete.done', { name }))
      }}
    >
      {routingText('delete.hint')}
    </Confirm>
  )
}
