/**
 * Checks links in Markdown files: each must lead to a file of the repository, or to a heading of
 * one.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'
import { anchorsOf } from '../../services/api/docs/anchors.ts'

/** `text` without code blocks and code spans, in which brackets are no links. */
const prose = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '')

/** Explicit anchors in a text: they stay when its headings change. */
export const namedAnchors = (text: string): Set<string> => new Set([...text.matchAll(/<a id="([\w-]+)"><\/a>/g)].map(([, id = '']) => id))

/**
 * Links of a Markdown file that lead nowhere in the repository. `file` is the path from the
 * project's folder, `text` the file's content.
 */
export function deadLinks(file: string, text: string): string[] {
  return [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    if (/^https?:/.test(link)) return []
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? file : normalize(join(dirname(file), path))
    const whole = join(projectRoot, target)
    if (path !== '' && (target.startsWith('..') || !existsSync(whole))) return [`${file}: ${link} is no file of the repository`]
    if (anchor === undefined) return []
    const there = path === '' ? text : readFileSync(whole, 'utf8')
    return anchorsOf(there).includes(anchor) || namedAnchors(there).has(anchor) ? [] : [`${file}: ${target} has no heading #${anchor}`]
  })
}
