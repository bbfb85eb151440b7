/** Links to routing rules, shown by name. */

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { rulesQuery } from '../api/routing.ts'
import { rulesText } from '../texts/rules.ts'

/** A rule that is not in the list was deleted, or the person may not see it. */
export function RuleLink({ id }: { id: string }) {
  const { data } = useQuery(rulesQuery)
  const rule = data?.items.find((one) => one.id === id)
  if (!rule) return <>{data ? rulesText('fact.gone') : '…'}</>
  return (
    <Link to="/settings/routing/$id" params={{ id }}>
      {rule.name}
    </Link>
  )
}

export function RuleLinks({ ids }: { ids: readonly string[] }) {
  const { data } = useQuery(rulesQuery)
  const shown = ids.filter((id) => data?.items.some((one) => one.id === id))
  const gone = ids.length - shown.length
  // Several missing rules are shown as one count, not one by one.
  if (data && gone > 1) {
    return (
      <>
        {shown.length > 0 && (
          <>
            <RuleLinks ids={shown} />
            {', '}
          </>
        )}
        {rulesText('fact.gone_some', { count: gone })}
      </>
    )
  }
  return (
    <>
      {ids.map((id, at) => (
        <Fragment key={id}>
          {at > 0 && ', '}
          <RuleLink id={id} />
        </Fragment>
      ))}
    </>
  )
}
