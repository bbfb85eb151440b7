/**
 * The bare live page: ongoing incidents over REST, kept current by the frames of the WebSocket. A frame says only what changed; the incident itself is read
 * again, and of two states the one with the higher `ver` stays. Whatever the page can do, a script can do: it uses the public API alone.
 */
const $ = (id) => document.getElementById(id)
const incidents = new Map()
/** Highest version heard of each incident: what is older came late. */
const versions = new Map()
let socket = null
let attempts = 0
let lastFrameAt = null
let lost = false

class Refused extends Error {
  constructor(status, body) {
    super(body.request_id ? `${body.error} (request ${body.request_id})` : body.error)
    this.status = status
  }
}

async function call(method, path, body) {
  const answer = await fetch(path, {
    method,
    headers: method === 'GET' ? {} : { 'content-type': 'application/json' },
    body: method === 'GET' ? undefined : JSON.stringify(body ?? {})
  })
  const text = await answer.text()
  const value = text === '' ? {} : JSON.parse(text)
  if (answer.ok) return value
  throw new Refused(answer.status, value)
}

function problem(error) {
  $('problem').hidden = !error
  $('problem').textContent = error ? error.message : ''
  if (error?.status === 401) showLogin()
}

/** Runs what a person asked for; the button waits meanwhile. */
async function attempt(button, work) {
  if (button) button.disabled = true
  try {
    await work()
    problem(null)
  } catch (error) {
    problem(error)
  } finally {
    if (button) button.disabled = false
  }
}

const clock = (at) => at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' })

function mark(state) {
  const since = lastFrameAt ? `, last change ${clock(lastFrameAt)}` : ''
  const words = { live: `● Live${since}`, reconnecting: `◌ Reconnecting${since}`, stale: `▲ Stale: changes are late${since}`, off: '' }
  $('mark').dataset.state = state
  $('mark').textContent = words[state]
}

function ago(text) {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(text)) / 1000))
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`
  return `${Math.floor(seconds / 86400)} d ago`
}

const signs = { critical: '■', warning: '▲', info: '●' }

function fill(row, incident) {
  const acknowledged = incident.acknowledged_at !== null
  row.dataset.severity = incident.severity
  row.querySelector('.severity').textContent = `${signs[incident.severity] ?? ''} ${incident.severity}`
  row.querySelector('.state').textContent = incident.dashboard_state
  row.querySelector('.key').textContent = incident.key
  row.querySelector('.title').textContent = incident.title
  row.querySelector('.who').textContent = acknowledged ? `· acknowledged ${ago(incident.acknowledged_at)}` : ''
  const time = row.querySelector('time')
  time.dateTime = incident.started_at
  time.title = incident.started_at
  time.textContent = `started ${ago(incident.started_at)}`
  row.querySelector('[data-action=acknowledge]').hidden = acknowledged
}

/** Rows change in place; a new one comes on top. */
function draw() {
  const ongoing = [...incidents.values()].filter((incident) => incident.status === 'ongoing')
  ongoing.sort((a, b) => b.started_at.localeCompare(a.started_at) || b.number - a.number)
  const waiting = ongoing.filter((incident) => incident.acknowledged_at === null).length
  const taken = ongoing.length - waiting
  if (ongoing.length === 0) $('answer').textContent = 'Nothing is wrong: no ongoing incident'
  else if (waiting === 0) $('answer').textContent = `${taken} ongoing, all acknowledged`
  else
    $('answer').textContent =
      `${waiting} ${waiting === 1 ? 'incident needs' : 'incidents need'} someone${taken > 0 ? `, ${taken} acknowledged` : ''}`
  document.title = waiting > 0 ? `(${waiting}) Incidents` : 'Incidents'

  const list = $('incidents')
  const rows = new Map([...list.children].map((row) => [row.dataset.id, row]))
  for (const [id, row] of rows) if (!ongoing.some((incident) => incident.id === id)) row.remove()
  ongoing.forEach((incident, place) => {
    let row = rows.get(incident.id)
    if (!row) {
      row = $('row').content.cloneNode(true).firstElementChild
      row.dataset.id = incident.id
      for (const button of row.querySelectorAll('button')) {
        button.addEventListener('click', () =>
          attempt(button, async () => keep(await call('POST', `/api/v1/incidents/${incident.id}/${button.dataset.action}`)))
        )
      }
    }
    fill(row, incident)
    if (list.children[place] !== row) list.insertBefore(row, list.children[place] ?? null)
  })
  $('empty').hidden = ongoing.length > 0
}

const isNews = (id, ver) => ver >= (versions.get(id) ?? 0)

function keep(incident) {
  if (!isNews(incident.id, incident.ver)) return
  versions.set(incident.id, incident.ver)
  if (incident.status === 'ongoing') incidents.set(incident.id, incident)
  else incidents.delete(incident.id)
  draw()
}

async function load() {
  const { items } = await call('GET', '/api/v1/incidents?status=ongoing&per_page=200')
  incidents.clear()
  draw()
  for (const incident of items) keep(incident)
}

/** One read at a time for each incident; what comes meanwhile leads to one more. */
const reading = new Map()
async function readAgain(id) {
  if (reading.has(id)) {
    reading.set(id, true)
    return
  }
  reading.set(id, false)
  await attempt(null, async () => keep(await call('GET', `/api/v1/incidents/${id}`)))
  const again = reading.get(id)
  reading.delete(id)
  if (again) await readAgain(id)
}

function onFrame({ channel, type, data, ver }) {
  if (channel === 'system') {
    if (type === 'stale') mark('stale')
    else if (type === 'resumed' || type === 'hello') mark('live')
    if (type === 'resumed' || type === 'resync') void attempt(null, load)
    return
  }
  lastFrameAt = new Date()
  mark('live')
  if (!type.startsWith('incident.') || !isNews(data.incident_id, ver)) return
  const known = incidents.get(data.incident_id)
  versions.set(data.incident_id, ver)
  if (type === 'incident.resolved') {
    incidents.delete(data.incident_id)
    draw()
  } else if (known?.ver !== ver) void readAgain(data.incident_id)
}

function connect() {
  if (lost) return
  const address = new URL('/api/v1/ws', location.href)
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:'
  const opened = new WebSocket(address)
  socket = opened
  opened.addEventListener('open', () => {
    attempts = 0
    mark('live')
    // Whatever happened while nobody was listening.
    void attempt(null, load)
  })
  opened.addEventListener('message', (event) => onFrame(JSON.parse(event.data)))
  opened.addEventListener('close', async () => {
    if (socket !== opened || lost) return
    mark('reconnecting')
    const wait = Math.min(10_000, 500 * 2 ** attempts++) * (0.5 + Math.random())
    await new Promise((resolve) => setTimeout(resolve, wait))
    // A session that has ended shows here; the socket alone does not tell.
    await attempt(null, () => call('GET', '/api/v1/auth/session'))
    if (socket === opened && !lost) connect()
  })
}

function showLogin() {
  lost = true
  socket?.close()
  socket = null
  incidents.clear()
  versions.clear()
  mark('off')
  $('login').hidden = false
  $('board').hidden = true
  $('logout').hidden = true
}

async function showBoard(workspace) {
  lost = false
  attempts = 0
  $('workspace').textContent = workspace.name
  $('login').hidden = true
  $('board').hidden = false
  $('logout').hidden = false
  mark('reconnecting')
  await load()
  connect()
}

function show(instructions) {
  $('instructions').replaceChildren(
    ...instructions.map(({ title, text }) => {
      const figure = $('text').content.cloneNode(true).firstElementChild
      figure.querySelector('figcaption').textContent = title
      figure.querySelector('pre').textContent = text
      const button = figure.querySelector('button')
      button.addEventListener('click', () =>
        attempt(button, async () => {
          await navigator.clipboard.writeText(text)
          button.textContent = 'Copied'
        })
      )
      return figure
    })
  )
}

$('login').addEventListener('submit', (event) => {
  event.preventDefault()
  const form = event.target
  void attempt(form.querySelector('button'), async () => {
    const { workspace } = await call('POST', '/api/v1/auth/login', {
      email: form.email.value,
      password: form.password.value,
      remember: form.remember.checked
    })
    form.reset()
    await showBoard(workspace)
  })
})

$('logout').addEventListener('click', (event) =>
  attempt(event.currentTarget, async () => {
    await call('POST', '/api/v1/auth/logout')
    showLogin()
  })
)

for (const button of document.querySelectorAll('[data-create]')) {
  button.addEventListener('click', () =>
    attempt(button, async () => {
      const source_type = button.dataset.create
      const { instructions } = await call('POST', '/api/v1/integrations/inbound', {
        name: `From the live page (${source_type})`,
        source_type
      })
      show(instructions)
    })
  )
}

setInterval(() => {
  if (!$('board').hidden) draw()
}, 30_000)

call('GET', '/api/v1/auth/session').then(
  ({ workspace }) => attempt(null, () => showBoard(workspace)),
  (error) => (error.status === 401 ? showLogin() : problem(error))
)
