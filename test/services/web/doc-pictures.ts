/**
 * `npm run doc-pictures`: makes the pictures of the dashboard for the README and the guides. It
 * takes the pictures of `npm run screenshots` with the same names, cuts them to the first screen of
 * a desk, and writes them as WebP into docs/images.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectRoot } from '../../../schemas/files.ts'
import { openBrowser } from './browser.ts'

export const shownInDocs = ['overview', 'incident', 'monitor-down', 'heartbeat'] as const
/** Limit for each picture, because it loads together with a page of text. */
export const MAX_PICTURE_BYTES = 80_000

/** Size of a picture in pixels: the part of the page that is seen first. */
const [WIDTH, HEIGHT] = [1280, 800]
const QUALITY = 0.8

const DRAW = `async ([png, width, height, quality]) => {
  const image = new Image()
  image.src = 'data:image/png;base64,' + png
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = Math.min(height, image.naturalHeight)
  canvas.getContext('2d').drawImage(image, 0, 0)
  return canvas.toDataURL('image/webp', quality).split(',')[1]
}`

async function write(): Promise<void> {
  const browser = await openBrowser()
  try {
    const page = await browser.newPage()
    mkdirSync(join(projectRoot, 'docs/images'), { recursive: true })
    for (const name of shownInDocs) {
      const png = readFileSync(join(projectRoot, `.screenshots/${name}-light-1280.png`), 'base64')
      const webp = Buffer.from(await page.evaluate<string>(`(${DRAW})(${JSON.stringify([png, WIDTH, HEIGHT, QUALITY])})`), 'base64')
      if (webp.length > MAX_PICTURE_BYTES) throw new Error(`${name}: ${webp.length} bytes, expected at most ${MAX_PICTURE_BYTES}`)
      writeFileSync(join(projectRoot, `docs/images/${name}.webp`), webp)
      console.log(`docs/images/${name}.webp: ${webp.length} bytes`)
    }
  } finally {
    await browser.close()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await write()
