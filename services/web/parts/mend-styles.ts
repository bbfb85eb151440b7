/**
 * Requests styles again that did not load, because the bundler's own loader requests them only
 * once.
 */
export function mendStyles(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')) if (!link.sheet) link.replaceWith(link.cloneNode())
}
