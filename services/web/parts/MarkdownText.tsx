/** Turns the tree of markdown.ts into elements. Only this module loads the parser. */
import { createElement, Fragment, type ReactNode } from 'react'
import { type Node, toTree } from './markdown.ts'

function elementOf(node: Node, key: number): ReactNode {
  if (typeof node === 'string') return <Fragment key={key}>{node}</Fragment>
  const { tag, href, start } = node
  const children = node.children.map(elementOf)
  if (tag === 'a')
    return (
      <a key={key} href={href} target="_blank" rel="noreferrer nofollow">
        {children}
      </a>
    )
  // Focusable, so that a block wider than the page can be scrolled with the keyboard too.
  if (tag === 'pre')
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached without a mouse
      <pre key={key} tabIndex={0}>
        {children}
      </pre>
    )
  return createElement(tag, { key, ...(start !== undefined && { start }) }, ...children)
}

export const MarkdownText = ({ text }: { text: string }) => <>{toTree(text).map(elementOf)}</>
