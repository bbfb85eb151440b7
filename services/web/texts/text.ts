/**
 * How the dashboard's texts are kept: one file an area, loaded by the pages that use it, so that
 * the first load carries no texts of pages that are not shown. A text is plain, or has places for
 * values in braces, as ICU messages have them (`{count} open`): a library for translations can take
 * the files over as they are. Keys, and the values that a text asks for, are checked by the
 * compiler.
 */

/** Names in braces. */
type Places<T> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Places<Rest> : never
type Values<T> = [Places<T>] extends [never] ? [] : [values: Readonly<Record<Places<T>, string | number>>]

/** Gives the text of a key, with its places filled. */
export type TextOf<Texts> = <K extends keyof Texts & string>(key: K, ...values: Values<Texts[K]>) => string

/** `text` with its places filled; one without a value stays as it is written. */
export const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place))

/** Texts of another language, by the names of their areas. What it lacks is said in English. */
export type Words = Readonly<Record<string, Readonly<Record<string, string>>>>

/** An area in another language: what it does not have is said in English. */
export type Translation<Texts> = { readonly [K in keyof Texts]?: string }

let spoken: Words = {}

/** From now on texts are in these words; without any they are English. */
export const speak = (words: Words): void => {
  spoken = words
}

/** The function that pages of one area ask for its texts. `area`: the name of its file. */
export const textsOf =
  <const Texts extends Readonly<Record<string, string>>>(texts: Texts, area = ''): TextOf<Texts> =>
  (key, ...[values]) =>
    filled(spoken[area]?.[key] ?? texts[key] ?? key, values ?? {})
