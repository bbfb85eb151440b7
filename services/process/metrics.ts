/**
 * The metrics of a process and its internal listener: GET /metrics (Prometheus text), /health/live
 * and /health/ready, and /domain. The proxy in front asks `/domain?domain=<name>` before it gets a
 * certificate for a name: 200 means yes, 404 no
 * (https://caddyserver.com/docs/automatic-https#on-demand-tls). These requests are not logged. It
 * listens on loopback unless SERVICE_METRICS_HOST says otherwise, and is never reachable through
 * the public address (docs/design/api/public.md#pu-13). The gauge service_role_ready shows in
 * /metrics what /health/ready answers: a part that cannot work, such as a notifier without
 * Postgres, often has no other metric that changes.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export interface Metrics {
  registry: Registry
  counter(name: string, help: string, labelNames?: string[]): Counter
  gauge(name: string, help: string, labelNames?: string[]): Gauge
  histogram(name: string, help: string, buckets: number[], labelNames?: string[]): Histogram
}

/**
 * Creates the metrics. Names are service_<part>_<what>_<unit>. Asking again for a name returns the
 * same metric, so the roles in one process share it.
 */
export function createMetrics(): Metrics {
  const registry = new Registry()
  // A timer samples the lag of the event loop. At the default of 10 ms, this alone costs an idle
  // process half a percent of a core.
  collectDefaultMetrics({ register: registry, prefix: 'service_process_', eventLoopMonitoringPrecision: 500 })
  const once = <M>(name: string, make: () => M): M => (registry.getSingleMetric(name) as M | undefined) ?? make()
  const registers = [registry]
  return {
    registry,
    counter: (name, help, labelNames = []) => once(name, () => new Counter({ name, help, labelNames, registers })),
    gauge: (name, help, labelNames = []) => once(name, () => new Gauge({ name, help, labelNames, registers })),
    histogram: (name, help, buckets, labelNames = []) => once(name, () => new Histogram({ name, help, buckets, labelNames, registers }))
  }
}

/**
 * Serves the listener. `ready` returns the state of each part, for example { log: true, store: true
 * }: 200 when all are true, else 503. `serves` says whether a host name is one of ours.
 */
export async function serveMetrics(
  metrics: Metrics,
  options: { port: number; host?: string; ready: () => Record<string, boolean>; serves: (domain: string) => boolean }
): Promise<{ port: number; close(): Promise<void> }> {
  const roleReady = metrics.gauge('service_role_ready', 'Whether this part of the process can work: 1 yes, 0 no', ['part'])
  const server = createServer((request, response) => {
    const [path, query] = request.url?.split('?') ?? []
    if (request.method !== 'GET') {
      response.writeHead(405, { allow: 'GET' }).end()
    } else if (path === '/metrics') {
      for (const [part, isReady] of Object.entries(options.ready())) roleReady.set({ part }, Number(isReady))
      metrics.registry.metrics().then(
        (text) => response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text),
        (error: Error) => response.writeHead(500).end(error.message)
      )
    } else if (path === '/health/live') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}')
    } else if (path === '/health/ready') {
      const checks = options.ready()
      const ok = Object.values(checks).every(Boolean)
      response
        .writeHead(ok ? 200 : 503, { 'content-type': 'application/json' })
        .end(JSON.stringify({ status: ok ? 'ok' : 'unavailable', checks }))
    } else if (path === '/domain') {
      response.writeHead(options.serves(new URLSearchParams(query).get('domain') ?? '') ? 200 : 404).end()
    } else {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host ?? '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve()))
  }
}
