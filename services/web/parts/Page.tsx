/**
 * The head of every page: the page's one question answered in words, then the actions. Also the
 * sections below it.
 * Source: docs/design/ui.md#principle-1.
 */
import { Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { entitle } from '../name.ts'
import { noteVisit } from '../shell/recent.ts'
import classes from './Page.module.css'

export interface PageHeadProps {
  /** The title of the browser tab. */
  title: string
  /** The answer, as the page's heading. */
  answer: ReactNode
  /** A line below it. */
  children?: ReactNode
  actions?: ReactNode
  /** The list that this page belongs to. */
  back?: { to: string; label: string }
}

/**
 * Length in characters from which a narrow screen cuts a heading. A page with a longer heading
 * shows the full text elsewhere.
 */
export const LONG = 90

export function PageHead({ title, answer, children, actions, back }: PageHeadProps) {
  useEffect(() => {
    entitle(title)
    noteVisit(location.pathname, title)
  }, [title])
  return (
    <div className={classes.head}>
      {back && (
        <Link to={back.to} className={classes.back}>
          <ChevronLeft size={15} aria-hidden />
          {back.label}
        </Link>
      )}
      <div className={classes.row}>
        <h1 data-long={(typeof answer === 'string' && answer.length > LONG) || undefined}>{answer}</h1>
        {actions && <div className={classes.actions}>{actions}</div>}
      </div>
      {children && <div className={classes.below}>{children}</div>}
    </div>
  )
}

export function Section({ title, aside, children, id }: { title: string; aside?: ReactNode; children: ReactNode; id?: string }) {
  return (
    <section className={classes.section} aria-label={title} id={id}>
      <div className={classes.sectionHead}>
        <h2>{title}</h2>
        {aside && <div className={classes.aside}>{aside}</div>}
      </div>
      {children}
    </section>
  )
}

export interface FactsProps {
  facts: readonly (readonly [string, ReactNode] | null)[]
  /** For short values such as figures: two stand side by side even on a phone. */
  short?: boolean
}

/** Names and values, for settings and details. */
export function Facts({ facts, short = false }: FactsProps) {
  return (
    <dl className={classes.facts} data-short={short || undefined}>
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          )
      )}
    </dl>
  )
}
