/**
 * One feed item: its text, its severity and its time. The title links to its subject. An unread
 * item has a dot and a bold title; screen readers get this as text.
 */
import { ActionIcon } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Mail, MailOpen } from 'lucide-react'
import type { FeedItem } from '../../api/shapes.ts'
import { Since } from '../../parts/Since.tsx'
import { Status, severityLook } from '../../parts/Status.tsx'
import { feedText } from '../../texts/feed.ts'
import classes from './FeedRow.module.css'
import { Reactions } from './Reactions.tsx'
import { placeOf } from './words.ts'

export interface FeedRowProps {
  item: FeedItem
  mark: (read: boolean) => void
  onOpen: () => void
}

export function FeedRow({ item, mark, onOpen }: FeedRowProps) {
  const { title, body, severity, category, created_at, read_at } = item
  const place = placeOf(item)
  const unread = read_at === null
  const verb = feedText(unread ? 'row.read_verb' : 'row.unread_verb')
  return (
    <li className={classes.item} data-unread={unread || undefined}>
      <div className={classes.words}>
        <h3>
          {unread && <span className="unseen">{feedText('row.unread')} </span>}
          {place !== null ? (
            <Link to={place} className={classes.title} onClick={onOpen}>
              {title}
            </Link>
          ) : (
            title
          )}
        </h3>
        {body !== '' && <p className={classes.body}>{body}</p>}
        <div className={classes.foot}>
          <p className={classes.about}>
            <Status look={severityLook(severity)} />
            <span>{feedText(`category.${category}`)}</span>
            <Since at={created_at} />
          </p>
          <Reactions item={item} />
        </div>
      </div>
      <ActionIcon aria-label={feedText('row.verb_of', { verb, title })} title={verb} className={classes.mark} onClick={() => mark(unread)}>
        {unread ? <MailOpen size={16} aria-hidden /> : <Mail size={16} aria-hidden />}
      </ActionIcon>
    </li>
  )
}
