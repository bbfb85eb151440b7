/**
 * Translates places in compiled test files to places in the sources. Node could do this while a
 * file runs (`--enable-source-maps`), but would read the source map of every module for it. Here it
 * is done only for the lines that a person reads.
 */
import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join, normalize } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'

/** The source map that the compiler appends (tsconfig.test.json). */
const MAP = /^\/\/# sourceMappingURL=data:application\/json;base64,(\S+)$/m
const PLACE = /(?:file:\/\/)?[^\s()]*?\b(dist-test\/[^\s():]+\.js):(\d+):(\d+)/g

const mapOf = (file: string): SourceMap | null => {
  const path = join(projectRoot, file)
  const map = existsSync(path) ? MAP.exec(readFileSync(path, 'utf8'))?.[1] : undefined
  return map === undefined ? null : new SourceMap(JSON.parse(Buffer.from(map, 'base64').toString()))
}

/** Returns the lines with each known place translated. Other places stay as they are. */
export function sourcePlaces(lines: readonly string[], read: (file: string) => SourceMap | null = mapOf): string[] {
  const maps = new Map<string, SourceMap | null>()
  return lines.map((text) =>
    text.replace(PLACE, (place: string, file: string, line: string, column: string) => {
      const map = maps.get(file) ?? read(file)
      maps.set(file, map)
      const found = map?.findEntry(Number(line) - 1, Number(column) - 1)
      if (!found || !('originalSource' in found)) return place
      return `${normalize(join(dirname(file), found.originalSource))}:${found.originalLine + 1}:${found.originalColumn + 1}`
    })
  )
}
