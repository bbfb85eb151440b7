/** The dashboard's beginning: styles, what every page is given, the router. */
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
    // A session that has ended anywhere has ended everywhere.
    onError: (error) => {
      if (error instanceof Refusal && error.status === 401) queries.setQueryData(sessionQuery.queryKey, null)
    }
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < 2 && (!(error instanceof Refusal) || error.mayPass),
      refetchOnWindowFocus: true
    },
    // Without a network a change is refused at once: one that waits would be lost with the page.
    mutations: { networkMode: 'always' }
  }
})
const router = makeRouter(queries)

/** Styles that components add carry the nonce that the page was served with. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

// react-remove-scroll asks for it under this name.
Reflect.set(globalThis, '__webpack_nonce__', nonce)

hearScrolling(window)

/** The first look comes first. */
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
      // All variables are written here: the library's sheet of them would be loaded as well.
      deduplicateCssVariables={false}
    >
      <QueryClientProvider client={queries}>
        <Notices />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>
)
