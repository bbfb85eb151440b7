/**
 * The product's name, which the api writes into the page (SERVICE_PRODUCT_NAME). In development the
 * placeholder stays.
 */
const PLACEHOLDER = /^__\w+__$/

export function productName(): string {
  const written = document.querySelector<HTMLMetaElement>('meta[name="application-name"]')?.content ?? ''
  return written === '' || PLACEHOLDER.test(written) ? 'Dashboard' : written
}

/** Sets the title of the browser tab. */
export function entitle(title: string): void {
  document.title = `${title} · ${productName()}`
}
