// Written by `npm run generate` from this folder's listing. Never edited by hand.
import type { SourceType } from '../../../schemas/generated/source-types.ts'
import type { Source } from '../source.ts'
import { source as alertmanager } from './alertmanager.ts'
import { source as azure } from './azure.ts'
import { source as betterstack } from './betterstack.ts'
import { source as bugsnag } from './bugsnag.ts'
import { source as checkly } from './checkly.ts'
import { source as circleci } from './circleci.ts'
import { source as cloudwatch } from './cloudwatch.ts'
import { source as cronitor } from './cronitor.ts'
import { source as datadog } from './datadog.ts'
import { source as elastic } from './elastic.ts'
import { source as gcp } from './gcp.ts'
import { source as generic } from './generic.ts'
import { source as github } from './github.ts'
import { source as gitlab } from './gitlab.ts'
import { source as grafana } from './grafana.ts'
import { source as healthchecks } from './healthchecks.ts'
import { source as jenkins } from './jenkins.ts'
import { source as newrelic } from './newrelic.ts'
import { source as pingdom } from './pingdom.ts'
import { source as rollbar } from './rollbar.ts'
import { source as sentry } from './sentry.ts'
import { source as splunk } from './splunk.ts'
import { source as statuscake } from './statuscake.ts'
import { source as statuspage } from './statuspage.ts'
import { source as uptimerobot } from './uptimerobot.ts'
import { source as zabbix } from './zabbix.ts'

/** Every source by its type. */
export const sources: Readonly<Record<SourceType, Source>> = {
  alertmanager,
  azure,
  betterstack,
  bugsnag,
  checkly,
  circleci,
  cloudwatch,
  cronitor,
  datadog,
  elastic,
  gcp,
  generic,
  github,
  gitlab,
  grafana,
  healthchecks,
  jenkins,
  newrelic,
  pingdom,
  rollbar,
  sentry,
  splunk,
  statuscake,
  statuspage,
  uptimerobot,
  zabbix
}
