/**
 * Commands and files that ping a heartbeat. They contain its own address and schedule; only the job
 * must be filled in. Each keeps the job independent of the ping: a bad network delays a job by at
 * most 10 s, its end by at most 40 s, and does not change its exit status. Each pings only by
 * methods that the heartbeat accepts.
 *
 * Source: docs/design/api/heartbeats.md#s4-3; crontab(5), systemd.exec(5), systemd.timer(5),
 * Kubernetes CronJob v1.
 */
import type { Heartbeat } from '../../api/shapes.ts'
import { heartbeatsText } from '../../texts/heartbeats.ts'
import { toCron, toTimer } from './crontab.ts'
import type { ways } from './search.ts'

export interface Watched {
  name: string
  slug: string | null
  ping_url: string
  schedule: Heartbeat['schedule']
  /** The methods that the heartbeat accepts: GET, HEAD, POST, or some of them. */
  allowed_methods: readonly string[]
}

export interface Snippet {
  /** What the text is, or the name of the file for it. */
  title: string
  text: string
}

/** How to ping this heartbeat. */
interface Means {
  /** The method of a ping without a body. */
  method: 'GET' | 'POST' | 'HEAD'
  /** A body is a POST, which not every heartbeat accepts. */
  takesBody: boolean
  /** The command after a job. */
  curl: string
  /** The command before a job, which waits for it. */
  first: string
  /** The command after a job whose end waits for it. */
  last: string
}

function meansOf(allowed: readonly string[]): Means {
  const takesBody = allowed.includes('POST')
  const method = allowed.includes('GET') ? 'GET' : takesBody ? 'POST' : 'HEAD'
  const curl = (retry: string): string => `curl -fsS -m 10${retry} -o /dev/null${{ GET: '', POST: ' -X POST', HEAD: ' -I' }[method]}`
  return { method, takesBody, curl: curl(' --retry 5'), first: curl(''), last: curl(' --retry 5 --retry-max-time 30') }
}

type Way = (watched: Watched, means: Means) => Snippet[]

/** Returns a name that is valid for a file or a Kubernetes object. */
const plainName = ({ slug, name }: Watched): string =>
  (slug ?? name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '') || 'job'

function crontab({ ping_url, schedule }: Watched, { curl }: Means): Snippet[] {
  const cron = toCron(schedule)
  const zone =
    schedule.kind === 'cron'
      ? [`# The times of this heartbeat are those of ${schedule.time_zone}: cron takes the zone of the machine.`]
      : []
  const unsaid = cron === null ? ['# Cron has no words for this schedule: put its times in place of 0 3 * * *.'] : []
  return [
    {
      title: 'crontab -e',
      text: [...zone, ...unsaid, `${cron ?? '0 3 * * *'} /usr/local/bin/your-job && ${curl} ${ping_url}`].join('\n')
    }
  ]
}

const script: Way = ({ ping_url }, { first, last, takesBody }) => [
  {
    title: heartbeatsText('snippet.script'),
    text: takesBody
      ? `#!/bin/sh
# Tells of the start and of the exit code, sends the end of the output, and ends as the command did.
url='${ping_url}'
rid=$(cat /proc/sys/kernel/random/uuid) # Where there is no /proc: uuidgen.
log=$(mktemp)
${first} "$url/start?rid=$rid"
"$@" > "$log" 2>&1
code=$?
cat "$log"
tail -c 10000 "$log" | ${last} --data-binary @- "$url/$code?rid=$rid"
rm "$log"
exit $code`
      : `#!/bin/sh
# Tells of the start and of the exit code, and ends as the command did.
url='${ping_url}'
rid=$(cat /proc/sys/kernel/random/uuid) # Where there is no /proc: uuidgen.
${first} "$url/start?rid=$rid"
"$@"
code=$?
${last} "$url/$code?rid=$rid"
exit $code`
  }
]

function systemd(watched: Watched, { first, last }: Means): Snippet[] {
  const { ping_url, schedule } = watched
  const name = plainName(watched)
  const timer = toTimer(schedule) ?? ['# A calendar has no words for this schedule: put its times here.', 'OnCalendar=*-*-* 03:00:00']
  return [
    {
      title: `/etc/systemd/system/${name}.service`,
      text: `[Unit]
Description=${watched.name.replaceAll('%', '%%')}
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
ExecStartPre=-/usr/bin/${first} ${ping_url}/start
ExecStart=/usr/local/bin/your-job
# Also after a failure: EXIT_STATUS is the exit code, or the name of a signal.
ExecStopPost=-/bin/sh -c 'case "$$EXIT_CODE" in exited) end=$$EXIT_STATUS ;; *) end=fail ;; esac; \\
  exec ${last} "${ping_url}/$$end"'`
    },
    {
      title: `/etc/systemd/system/${name}.timer`,
      text: `[Unit]
Description=Runs ${name}.service

[Timer]
${timer.join('\n')}

[Install]
WantedBy=timers.target`
    },
    { title: heartbeatsText('snippet.then'), text: `systemctl daemon-reload\nsystemctl enable --now ${name}.timer` }
  ]
}

function kubernetes(watched: Watched, { first, last }: Means): Snippet[] {
  const { ping_url, schedule } = watched
  const name = plainName(watched)
  const cron = toCron(schedule)
  return [
    {
      title: `${name}.yaml`,
      text: `apiVersion: batch/v1
kind: CronJob
metadata:
  name: ${name}
spec:
  schedule: "${cron ?? '0 3 * * *'}"${cron === null ? ' # Cron has no words for the schedule of this heartbeat: put its times here.' : ''}
  timeZone: ${schedule.time_zone ?? 'Etc/UTC'}
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      backoffLimit: 0
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: job
              image: your-image # With sh and curl in it.
              env:
                - name: PING_URL
                  value: ${ping_url}
              command:
                - /bin/sh
                - -c
                - |
                  ${first} "$PING_URL/start"
                  /usr/local/bin/your-job
                  code=$?
                  ${last} "$PING_URL/$code"
                  exit $code`
    }
  ]
}

const python: Way = ({ ping_url }, { method, takesBody }) => [
  {
    title: heartbeatsText('snippet.python'),
    text: `import sys
import urllib.request

PING = "${ping_url}"


def ping(path=""${takesBody ? ', body=None' : ''}):
    try:
        ${method === 'HEAD' ? 'head = urllib.request.Request(PING + path, method="HEAD")\n        urllib.request.urlopen(head' : 'urllib.request.urlopen(PING + path'}${takesBody ? `, data=body${method === 'POST' ? ' or b""' : ''}` : ''}, timeout=10)
    except OSError as error:
        print("The ping failed:", error, file=sys.stderr)


def job():
    print("Your job")


ping("/start")
try:
    job()
except SystemExit as end:
    # As Python does: no code is 0, and a text is 1.
    code = 0 if end.code is None else end.code & 255 if isinstance(end.code, int) else 1
    ping(f"/{code}")
    raise
except BaseException as error:
    ping("/fail"${takesBody ? ', repr(error).encode()' : ''})
    raise
ping()`
  }
]

const powershell: Way = ({ ping_url }, { method }) => [
  {
    title: heartbeatsText('snippet.powershell'),
    text: `$url = '${ping_url}'

function Send-Ping([string] $path) {
  try { Invoke-WebRequest -Uri "$url$path"${{ GET: '', POST: ' -Method Post', HEAD: ' -Method Head' }[method]} -UseBasicParsing -TimeoutSec 10 | Out-Null }
  catch { Write-Warning "The ping failed: $_" }
}

Send-Ping '/start'
& 'C:\\Jobs\\your-job.exe'
$code = $LASTEXITCODE
# Exit codes of Windows can be larger than those that a ping tells.
if ($code -ge 0 -and $code -le 255) { Send-Ping "/$code" } else { Send-Ping '/fail' }
exit $code`
  }
]

const plain: Way = ({ ping_url }, { curl, first, takesBody }) => [
  { title: heartbeatsText('snippet.end'), text: `${curl} ${ping_url}` },
  {
    title: heartbeatsText('snippet.more'),
    text: [
      '# It runs now: the time to its end is measured.',
      `${first} ${ping_url}/start`,
      '# It failed.',
      `${curl} ${ping_url}/fail`,
      '# It ended with exit code 3; 0 is success.',
      `${curl} ${ping_url}/3`,
      ...(takesBody ? ['# A body is kept in the log.', `${curl} --data "1204 files copied" ${ping_url}`] : []),
      '# A note, which changes nothing.',
      `${curl} ${takesBody ? '--data "still copying" ' : ''}${ping_url}/log`
    ].join('\n')
  }
]

const snippets: Readonly<Record<(typeof ways)[number], Way>> = { curl: plain, crontab, script, systemd, kubernetes, python, powershell }

export const snippetsOf = (way: (typeof ways)[number], watched: Watched): Snippet[] =>
  snippets[way](watched, meansOf(watched.allowed_methods))
