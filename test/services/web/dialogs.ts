/** Opens the dialogs of a page, one after the other, as a person would: by buttons and menus. */
import type { Page } from 'playwright-core'

const OPENS_DIALOG = '[aria-haspopup=dialog]'
const OPENS_MENU = '[aria-haspopup=menu]'
const IN_MENU = `[role=menu] [role=menuitem]${OPENS_DIALOG}:not([data-disabled])`
const BOX = '[role=dialog]:visible'

interface Opener {
  /** Among all that match. */
  at: number
  /** The button's text. Buttons in the rows of a list have the same text. */
  words: string
}

/** Returns the matching elements that can be pressed, one of each kind. */
async function openersOf(page: Page, selector: string): Promise<Opener[]> {
  const found = await page.evaluate<Opener[]>(`[...document.querySelectorAll(${JSON.stringify(selector)})].flatMap((button, at) => {
    const shown = button.checkVisibility() && !button.disabled && button.getBoundingClientRect().width > 0
    // Bars of a calendar say who and when.
    const words = button.hasAttribute('data-person') || button.hasAttribute('data-gap') ? 'shift' : button.innerText.trim() || button.ariaLabel || ''
    return shown ? [{ at, words: words.replaceAll(/[0-9]+/g, '') }] : []
  })`)
  return found.filter(({ words }, at) => found.findIndex((other) => other.words === words) === at)
}

async function leave(page: Page, selector: string): Promise<void> {
  await page.keyboard.press('Escape')
  await page.locator(selector).first().waitFor({ state: 'detached' })
}

/**
 * Opens each dialog below `scope`, calls `work` with the text of its button, and closes it. Returns
 * the texts of the buttons.
 */
export async function eachDialog(page: Page, scope: string, work: (words: string) => Promise<void>): Promise<string[]> {
  const opened: string[] = []
  async function visit(words: string): Promise<void> {
    await page.locator(BOX).first().waitFor()
    opened.push(words)
    await work(words)
    await leave(page, BOX)
  }
  for (const { at, words } of await openersOf(page, `${scope} ${OPENS_DIALOG}`)) {
    await page.locator(`${scope} ${OPENS_DIALOG}`).nth(at).click()
    await visit(words)
  }
  for (const menu of await openersOf(page, `${scope} ${OPENS_MENU}`)) {
    const button = page.locator(`${scope} ${OPENS_MENU}`).nth(menu.at)
    await button.click()
    await page.locator('[role=menu]:visible').waitFor()
    const items = await openersOf(page, IN_MENU)
    await leave(page, '[role=menu]:visible')
    for (const { at, words } of items) {
      await button.click()
      await page.locator(IN_MENU).nth(at).click()
      await visit(words)
    }
  }
  return opened
}
