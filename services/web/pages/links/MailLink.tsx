/**
 * The page of a link in a mail. It says what the link does and has a button to do it. Opening the
 * page changes nothing, because mail servers open links, too.
 */
import { Button } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { client, Refusal, take, toRefusal } from '../../api/client.ts'
import type { MailLinkAnswer } from '../../api/shapes.ts'
import { Refused } from '../../forms/Refused.tsx'
import { entitle } from '../../name.ts'
import { Brand } from '../../parts/Brand.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { TakenHeading } from '../../parts/TakenHeading.tsx'
import { linksText } from '../../texts/links.ts'
import login from '../login/Login.module.css'

const path = (token: string) => ({ params: { path: { token } } })

const linkQuery = (token: string) =>
  queryOptions({
    queryKey: ['links', token],
    queryFn: ({ signal }) => take(client.GET('/api/v1/notifications/links/{token}', { ...path(token), signal })),
    retry: (failures, error) => failures < 2 && toRefusal(error).mayPass,
    staleTime: Number.POSITIVE_INFINITY
  })

export function MailLink() {
  const { token } = useParams({ from: '/links/$token' })
  const asked = useQuery(linkQuery(token))
  useEffect(() => {
    entitle(linksText('page.title'))
  }, [])
  const isGone = asked.error instanceof Refusal && asked.error.status === 404
  return (
    <main className={login.page}>
      <div className={login.form}>
        <Brand />
        {isGone ? (
          <Said title={linksText('gone.title')}>{linksText('gone.hint')}</Said>
        ) : asked.data ? (
          <Ask token={token} link={asked.data} />
        ) : (
          <Awaiting of={asked} rows={4} />
        )}
      </div>
    </main>
  )
}

function Said({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <TakenHeading>{title}</TakenHeading>
      <p className={login.hint}>{children}</p>
      <Button component={Link} to="/" variant="default">
        {linksText('page.dashboard')}
      </Button>
    </>
  )
}

function Ask({ token, link }: { token: string; link: MailLinkAnswer }) {
  const { act, subject, workspace, done } = link
  const person = link.person ?? ''
  const queries = useQueryClient()
  const [acting, setActing] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)

  async function run(): Promise<void> {
    setActing(true)
    setRefusal(null)
    try {
      queries.setQueryData(linkQuery(token).queryKey, await take(client.POST('/api/v1/notifications/links/{token}', path(token))))
    } catch (error) {
      setRefusal(toRefusal(error))
    } finally {
      setActing(false)
    }
  }
  if (done) return <Said title={linksText(`${act}.done`, { subject })}>{linksText(`${act}.done_hint`, { workspace })}</Said>
  return (
    <div className={login.fields}>
      <h1>{linksText(`${act}.question`, { subject })}</h1>
      <p className={login.hint}>{linksText(`${act}.hint`, { workspace, person })}</p>
      <Refused refusal={refusal} />
      <Button size="md" fullWidth loading={acting} onClick={() => void run()}>
        {linksText(`${act}.verb`)}
      </Button>
    </div>
  )
}
