/**
 * The frame around every page of the documentation. Pages work without script and use one style
 * file; the script only adds copy buttons.
 */
import { type Html, html } from './html.ts'

export interface Page {
  title: string
  /** The table of contents shown beside the page. */
  contents: Html | null
  main: Html
}

export interface Place {
  url: string
  title: string
}

/** Where the style file and the script are served. */
export const STYLE = '/docs/style.css'
export const SCRIPT = '/docs/docs.js'

export const places = {
  index: { url: '/docs', title: 'Documentation' },
  api: { url: '/docs/api', title: 'API reference' },
  operations: { url: '/docs/operations', title: 'Operations' }
} as const satisfies Record<string, Place>

/** The URL of a picture that shows what arrives through a kind of channel. */
export const pictureUrl = (name: string): string => `/docs/pictures/${name}.svg`

/** The URL of a picture of the dashboard. */
export const imageUrl = (name: string): string => `/docs/images/${name}.webp`

export const guideUrl = (name: string): string => `/docs/guides/${name}`

/**
 * Builds a whole document. `url` is the page's own address, so that links to it are marked.
 * `query`: what was searched for.
 */
export function framed(url: string, { title, contents, main }: Page, query = ''): string {
  const link = (place: Place): Html =>
    html`<a href="${place.url}"${place.url === url ? html` aria-current="page"` : null}>${place.title}</a>`
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="${STYLE}">
<script type="module" src="${SCRIPT}"></script>
</head>
<body>
<a class="skip" href="#main">To the text</a>
<header class="top"><nav aria-label="Documentation">${Object.values(places).map(link)}<a class="away" href="/">Dashboard</a></nav>
<form role="search" action="/docs/search"><input name="q" type="search" maxlength="100" aria-label="Search the documentation" placeholder="Search" value="${query}"><button type="submit">Search</button></form></header>
<div class="${contents ? 'beside' : 'alone'}">
${contents && html`<nav class="contents" aria-label="Contents">${contents}</nav>`}
<main id="main">
${main}
</main>
</div>
</body>
</html>
`
  return text
}
