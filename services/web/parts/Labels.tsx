/** Labels and links from a sender. */
import classes from './Labels.module.css'

export function Labels({ labels }: { labels: Readonly<Record<string, string>> }) {
  return (
    <ul className={classes.labels}>
      {Object.entries(labels).map(([name, value]) => (
        <li key={name}>
          <span>{name}</span> {value}
        </li>
      ))}
    </ul>
  )
}

/** Only web addresses become links, because a sender may have written anything. */
export function Links({ links }: { links: readonly { title: string; url: string }[] }) {
  return (
    <ul className={classes.links}>
      {links.map(({ title, url }) => (
        <li key={`${title} ${url}`}>
          {/^https?:\/\//i.test(url) ? (
            <a href={url} target="_blank" rel="noreferrer">
              {title || url}
            </a>
          ) : (
            <span>{url}</span>
          )}
        </li>
      ))}
    </ul>
  )
}
