// Written by `npm run generate` from the listing of services/intake/sources. Never edited by hand.

/** What an inbound integration may be made for. */
export const sourceTypes = [
  'alertmanager',
  'azure',
  'betterstack',
  'bugsnag',
  'checkly',
  'circleci',
  'cloudwatch',
  'cronitor',
  'datadog',
  'elastic',
  'gcp',
  'generic',
  'github',
  'gitlab',
  'grafana',
  'healthchecks',
  'jenkins',
  'newrelic',
  'pingdom',
  'rollbar',
  'sentry',
  'splunk',
  'statuscake',
  'statuspage',
  'uptimerobot',
  'zabbix'
] as const

export type SourceType = (typeof sourceTypes)[number]
