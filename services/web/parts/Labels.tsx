/** Labels and links that a sender gave. */
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

/** Only addresses of the web are links: what a sender wrote may be anything. */
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
