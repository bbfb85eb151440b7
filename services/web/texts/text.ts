/**
 * Defines how the dashboard's texts are stored and read. Each area has one file. A page loads only
 * the areas it uses, so the first load carries no texts of pages that are not shown. A text is
 * plain, or has named places for values in braces, as in ICU messages (`{count} open`). A
 * translation library can therefore use the files as they are. The compiler checks the keys and the
 * values that a text needs.
 */

/** Names in braces. */
type Places<T> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Places<Rest> : never
type Values<T> = [Places<T>] extends [never] ? [] : [values: Readonly<Record<Places<T>, string | number>>]

/** Returns the text of a key, with values in its places. */
export type TextOf<Texts> = <K extends keyof Texts & string>(key: K, ...values: Values<Texts[K]>) => string

/** Returns `text` with values in its places. A place without a value stays as it is written. */
export const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place))

/** Texts of another language, by the name of their area. Missing texts are shown in English. */
export type Words = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The texts of one area in another language. Missing texts are shown in English. */
export type Translation<Texts> = { readonly [K in keyof Texts]?: string }

let spoken: Words = {}

/** Sets the texts of the language to use from now on. Empty `words` means English. */
export const speak = (words: Words): void => {
  spoken = words
}

/**
 * Returns the function with which pages read the texts of one area. `area`: the name of its file.
 */
export const textsOf =
  <const Texts extends Readonly<Record<string, string>>>(texts: Texts, area = ''): TextOf<Texts> =>
  (key, ...[values]) =>
    filled(spoken[area]?.[key] ?? texts[key] ?? key, values ?? {})
