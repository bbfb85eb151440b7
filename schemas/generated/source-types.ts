// Written by `npm run generate` from the listing of services/intake/sources. Never edited by hand.

/** What an inbound integration may be made for. */
export const sourceTypes = [
  'alertmanager',
  'azure',
  'betterstack',
  'bugsnag',
  'checkly',
  'cloudwatch',
  'cronitor',
  'datadog',
  'elastic',
  'gcp',
  'generic',
  'grafana',
  'healthchecks',
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
