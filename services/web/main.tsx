/** The entry point of the dashboard: styles, the providers around every page, the router. */
import './mantine.css'
import './fonts.css'
import './theme.css'
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Refusal } from './api/client.ts'
import { sessionQuery } from './api/session.ts'
import { Notices } from './parts/Notices.tsx'
import { hearScrolling } from './parts/rested.ts'
import { makeRouter } from './router.tsx'
import { theme } from './theme.ts'

const queries = new QueryClient({
  queryCache: new QueryCache({
    // A 401 from any request means that the session has ended for the whole page, or that another
    // tab has switched the workspace.
    onError: (error) => {
      if (error instanceof Refusal && error.status === 401)
        void queries.invalidateQueries({ queryKey: sessionQuery.queryKey }, { cancelRefetch: false })
    }
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < 2 && (!(error instanceof Refusal) || error.mayPass),
      refetchOnWindowFocus: true
    },
    // Without a network a change fails at once. A waiting change would be lost when the page
    // closes.
    mutations: { networkMode: 'always' }
  }
})
const router = makeRouter(queries)

/** The nonce of the page's CSP. Styles that components add must carry it. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

// react-remove-scroll reads the nonce under this name.
Reflect.set(globalThis, '__webpack_nonce__', nonce)

hearScrolling(window)

/** Delay, so that the first view loads before everything else. */
const AHEAD_AFTER_MS = 5_000
setTimeout(
  () =>
    void import('./shell/ahead.ts').then(
      ({ fetchAhead }) => fetchAhead(),
      () => undefined
    ),
  AHEAD_AFTER_MS
)

const schemes = localStorageColorSchemeManager({ key: 'scheme' })
const place = document.getElementById('root')
if (!place) throw new Error('there is no #root')
createRoot(place).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={schemes}
      getStyleNonce={() => nonce}
      // Writes all variables here. Otherwise the library's own sheet of them would have to be
      // loaded too.
      deduplicateCssVariables={false}
    >
      <QueryClientProvider client={queries}>
        <Notices />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>
)
