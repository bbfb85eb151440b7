/**
 * A generic icon for the kind of tool that alerts come from. It shows what the tool does and is
 * never its logo.
 */
import { Activity, Bug, ChartLine, Cloud, GitBranch, Hammer, type LucideIcon, Radio, ScrollText, Webhook } from 'lucide-react'
import classes from './SourceMark.module.css'

const marks: Readonly<Record<string, LucideIcon>> = {
  alertmanager: ChartLine,
  azure: Cloud,
  betterstack: Activity,
  bugsnag: Bug,
  checkly: Activity,
  circleci: Hammer,
  cloudwatch: Cloud,
  cronitor: Activity,
  datadog: ChartLine,
  elastic: ScrollText,
  gcp: Cloud,
  github: GitBranch,
  gitlab: GitBranch,
  grafana: ChartLine,
  healthchecks: Activity,
  jenkins: Hammer,
  newrelic: ChartLine,
  pingdom: Activity,
  rollbar: Bug,
  sentry: Bug,
  splunk: ScrollText,
  statuscake: Activity,
  statuspage: Radio,
  uptimerobot: Activity,
  zabbix: ChartLine
}

/** Any other type gets the icon of a webhook. */
export function SourceMark({ type }: { type: string }) {
  const Mark = marks[type] ?? Webhook
  return (
    <span className={classes.mark} aria-hidden>
      <Mark size={16} strokeWidth={1.9} />
    </span>
  )
}
