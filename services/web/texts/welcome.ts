/** Texts of the page of first steps. */
import { textsOf } from './text.ts'

export const welcome = {
  'page.title': 'First steps',
  'answer.0': 'See it work: three ways, one minute each',
  'answer.1': 'One works, two to go',
  'answer.2': 'Two work, one to go',
  'answer.3': 'All three work',
  'page.hint': 'In any order. Each step turns green on its own when it works.',
  'page.hint_done': 'Below you see what you can do next.',
  'next.label': 'What you can do next',
  'next.tool': 'Connect a tool you use',
  'next.monitor': 'Monitor more',
  'next.invite': 'Invite others',
  'next.token': 'Create an API token',
  'next.overview': 'To the overview',
  'step.done': 'Done',
  'step.turns': 'This line turns green on its own.',
  'step.editor': 'An editor of the workspace can do this step.',
  'watch.title': 'Monitor a site',
  'watch.what': 'Every region checks the URL. Each answer appears here as it arrives.',
  'watch.next':
    'After that, the URL is checked every minute, or as often as your plan allows. An incident opens when most regions get no answer.',
  'watch.next_now':
    'The URL is now checked every {seconds} s. An incident opens when most regions get no answer, and resolves when they get one again.',
  'watch.url': 'URL',
  'watch.verb': 'Monitor it',
  'watch.name': 'My first monitor',
  'watch.refused': 'The check',
  'watch.regions': 'Answers by region',
  'watch.checking': 'Checking…',
  'watch.up': 'Up',
  'watch.slow': 'Slow',
  'watch.failed': 'Failed',
  'watch.all_fail':
    'The check fails in every region, so this step is not done yet. Correct the URL or the expected answer {link}, or wait until the site answers.',
  'watch.all_fail_link': 'in the settings',
  'watch.blocked':
    'This URL is in a private network. By default, only public networks are checked. The operator of the service can allow more networks with `PROBER_ALLOW_CIDRS`. A public URL works at once.',
  'ping.title': 'Monitor a job',
  'ping.what': 'A job, such as a backup, calls a URL after each run. You are notified when the call is missing.',
  'ping.next': 'Put the command at the end of the job. When a ping does not arrive in time, an incident opens. The next ping resolves it.',
  'ping.next_first': 'Then put its command at the end of the job. When a ping does not arrive in time, an incident opens.',
  'ping.command': 'Send a ping',
  'ping.name': 'My first heartbeat',
  'ping.verb': 'Create a heartbeat',
  'ping.waiting': 'Waiting for the first ping…',
  'ping.arrived': 'The ping arrived',
  'ping.expected': ', the next one is expected {at}',
  'alert.title': 'Send an alert',
  'alert.what': 'Every tool that can send a POST request gets its own URL. Its alerts open an incident and later resolve it.',
  'alert.next':
    'Prometheus, Grafana, Datadog and 22 more can send alerts in their own format. Each integration shows what to paste into the tool.',
  'alert.name': 'My first alerts',
  'alert.verb': 'Create a URL for alerts',
  'alert.once': 'The token in the URL is shown only once. Keep it, or create a new one later.',
  'alert.lost': '{name} has a URL, and its token was shown once. If you did not keep the token, create a new one.',
  'alert.lost_editor': '{name} has a URL, and its token was shown once. An editor can create a new one.',
  'alert.again':
    '{name} already has a URL. Its token was shown once. The command contains a new token, and the old one stays valid for an hour.',
  'alert.show': 'Show the command',
  'alert.resolve': 'Resolve {key}',
  'alert.resolving': 'Resolving the incident',
  'alert.responder': 'A responder can resolve it.'
} as const

export const welcomeText = textsOf(welcome, 'welcome')
