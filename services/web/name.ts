/**
 * What the product is called: the api writes it into the page (SERVICE_PRODUCT_NAME). In
 * development nobody does.
 */
const PLACEHOLDER = /^__\w+__$/

export function productName(): string {
  const written = document.querySelector<HTMLMetaElement>('meta[name="application-name"]')?.content ?? ''
  return written === '' || PLACEHOLDER.test(written) ? 'Dashboard' : written
}

/** For the browser's tab. */
export function entitle(title: string): void {
  document.title = `${title} · ${productName()}`
}
