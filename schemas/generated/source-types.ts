// Written by `npm run generate` from the listing of services/intake/sources. Never edited by hand.

/** What an inbound integration may be made for. */
export const sourceTypes = [
  'alertmanager',
  'azure',
  'bugsnag',
  'checkly',
  'cloudwatch',
  'datadog',
  'elastic',
  'gcp',
  'generic',
  'grafana',
  'newrelic',
  'pingdom',
  'rollbar',
  'sentry',
  'splunk',
  'statuscake',
  'uptimerobot',
  'zabbix'
] as const

export type SourceType = (typeof sourceTypes)[number]
