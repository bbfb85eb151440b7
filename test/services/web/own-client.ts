/**
 * Lets the client of the dashboard work without a browser. Import the client, and what uses it,
 * only after `answerWith`, because it takes `fetch` when it is loaded.
 */

/** Every request of the client goes to `answer`. */
export function answerWith(answer: (request: Request) => Promise<Response>): void {
  const Plain = globalThis.Request
  // Paths of the dashboard are relative to the page.
  class PageRequest extends Plain {
    constructor(input: string | URL | Request, init?: RequestInit) {
      super(typeof input === 'string' ? new URL(input, 'http://dashboard.test') : input, init)
    }
  }
  Object.assign(globalThis, { Request: PageRequest, fetch: answer })
}
