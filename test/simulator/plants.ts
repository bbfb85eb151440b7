/** The bugs that must be found. */
import type { Plant } from './planted.ts'

const reopening = 'streams/incident/reopening.ts'
const signals = 'streams/incident/signals.ts'
const incident = 'streams/incident/rules.ts'
const status = 'streams/status/rules.ts'
const votes = 'streams/status/votes.ts'
const advisories = 'streams/status/advisories.ts'
const deadlines = 'streams/heartbeat/deadlines.ts'
const heartbeat = 'streams/heartbeat/rules.ts'
const task = 'streams/runtime/partition-task.ts'
const members = 'streams/incident/members.ts'
const grouping = 'streams/incident/grouping.ts'
const fold = 'streams/incident/fold.ts'
const holds = 'streams/incident/holds.ts'
const outcome = 'streams/routing/outcome.ts'
const order = 'streams/incident/order.ts'
const time = 'streams/partition-time.ts'
const windows = 'streams/maintenance/windows.ts'
const spans = 'streams/maintenance/spans.ts'
const outages = 'streams/incident/outages.ts'
const outageFold = 'streams/incident/outage-fold.ts'
const dependencies = 'streams/incident/dependencies.ts'

export const plants: readonly Plant[] = [
  {
    name: 'the same sequence fires again',
    point: 2,
    quick: true,
    changes: [
      {
        file: order,
        find: "if (isSameAction) return 'repeat'\n    if (signal.sequence_kind",
        put: "if (isSameAction) return 'newer'\n    if (signal.sequence_kind"
      }
    ]
  },
  {
    name: 'the clock of a door orders alerts',
    point: 2,
    quick: true,
    changes: [
      { file: signals, find: "if (time_source !== 'unknown') return time_source", put: "if (time_source !== 'unknown') return 'sender'" }
    ]
  },
  {
    name: 'the time of a sender orders what came without one',
    point: 2,
    changes: [{ file: order, find: "      if (!isOfLast) return 'older'\n", put: '' }]
  },
  {
    name: 'an occurrence that ended fires again',
    point: 2,
    changes: [
      {
        file: order,
        find: "return signal.action === 'resolve' ? 'newer' : 'older'",
        put: "return signal.action === 'resolve' ? 'newer' : 'newer'"
      }
    ]
  },
  {
    name: 'a resolve with an old time does not end its occurrence',
    point: 2,
    changes: [
      {
        file: order,
        find: "if (signal.sequence_kind === 'occurrence') return",
        put: "if (signal.sequence_kind === 'occurrence' && signal.action === 'fire') return"
      }
    ]
  },
  {
    name: 'what is older than the last signal is applied',
    point: 2,
    changes: [
      {
        file: order,
        find: "if (signal.occurred_at < sender_at) return 'older'",
        put: "if (signal.occurred_at < sender_at - 1e9) return 'older'"
      }
    ]
  },
  {
    name: 'a quiet key fires',
    changes: [
      {
        file: signals,
        find: "return quiet && !laterOccurrence(row, signal) && !isWorse(row, signal) ? 'suppressed' : 'applied'",
        put: "return quiet && signal.occurred_at < 0 ? 'suppressed' : 'applied'"
      }
    ]
  },
  {
    name: 'what was not heard of for long stays closed though it fires on',
    changes: [{ file: signals, find: "newest.resolution_reason === 'auto_timeout' &&", put: 'newest.resolution_reason === null &&' }]
  },
  {
    name: 'a later occurrence stays quiet',
    changes: [
      {
        file: signals,
        find: 'return quiet && !laterOccurrence(row, signal) &&',
        put: 'return quiet && (signal.occurred_at > 0 || laterOccurrence(row, signal)) &&'
      }
    ]
  },
  {
    name: 'the time that a door wrote is taken as it is',
    point: 3,
    changes: [{ file: time, find: 'written > time + AHEAD_MS ? time : written', put: 'written > time + 1e12 ? time : written' }]
  },
  {
    name: 'a door that is behind makes false misses',
    point: 3,
    changes: [{ file: time, find: 'return written < Math.min(time, last + TICK_GAP_MS) - BEHIND_MS || written', put: 'return written' }]
  },
  {
    name: 'ticks are ignored while the broker is off',
    point: 3,
    changes: [
      {
        file: time,
        find: 'if (tick_appended_at === undefined || agree(t, appended_at, last, tick_appended_at))',
        put: 'if (tick_appended_at === undefined || Math.abs(t - appended_at) <= TICK_STRAYS_MS)'
      },
      { file: time, find: 'stray_ticks.count + 1 >= AGREEING_TICKS', put: 'stray_ticks.count + 1 >= AGREEING_TICKS * 1e9' }
    ]
  },
  {
    name: 'a broker whose clock was set is never believed again',
    point: 3,
    changes: [{ file: time, find: 'stray_ticks.count + 1 >= AGREEING_TICKS', put: 'stray_ticks.count + 1 >= AGREEING_TICKS * 1e9' }]
  },
  {
    name: 'the door says which results are skewed',
    point: 3,
    changes: [
      {
        file: time,
        find: 'scheduled_at > (Number.isNaN(time) ? received_at : time) + SKEWED_AFTER_MS',
        put: 'scheduled_at > (Number.isNaN(time) ? time : received_at) + SKEWED_AFTER_MS'
      }
    ]
  },
  {
    name: 'ends of gaps of a door are taken as they are',
    point: 3,
    changes: [{ file: time, find: 'return shift === 0 ? { from, to }', put: 'return Math.abs(shift) < 1e12 ? { from, to }' }]
  },
  {
    name: 'a pause that overtakes a down leaves its incident',
    point: 5,
    quick: true,
    changes: [
      {
        file: status,
        find: "return config.resolve_open ? ending(step, config.pause_reason === 'entitlement' ? 'entitlement' : 'user') : step",
        put: 'return step'
      }
    ]
  },
  {
    name: 'a pause that overtakes a miss leaves its incident',
    point: 5,
    changes: [
      {
        file: heartbeat,
        find: "if (row.phase !== 'paused' && config.resolve_open)",
        put: "if (row.phase !== 'paused' && config.resolve_open && config.version < 0)"
      }
    ]
  },
  {
    name: 'a pause ends what was to stay open',
    point: 5,
    changes: [{ file: status, find: 'return config.resolve_open ? ending(step, config', put: 'return config.paused ? ending(step, config' }]
  },
  {
    name: 'a deleted monitor that was down is silent',
    changes: [{ file: status, find: "return row.status === 'down' || row.flapping", put: 'return row.flapping' }]
  },
  {
    name: 'a deleted monitor that was paused is silent',
    point: 5,
    changes: [{ file: status, find: 'return !row.config.resolve_open', put: 'return false' }]
  },
  {
    name: 'what a degraded monitor opened outlives the setting',
    changes: [{ file: status, find: 'if (isUnwell(row) && !row.flapping', put: 'if (isUnwell(row) && row.flapping' }]
  },
  {
    name: 'a monitor that is well keeps its incident',
    changes: [
      {
        file: signals,
        find: "if (status === 'up' && phase === 'ok') return 'resolve'",
        put: "if (transition.open_on_degraded && status === 'up' && phase === 'ok') return 'resolve'"
      }
    ]
  },
  {
    name: 'regions that join are not told',
    changes: [{ file: status, find: "status === 'down' && after.vote === 'down' &&", put: "status === 'down' && after.vote === 'up' &&" }]
  },
  {
    name: 'the timer that reopens is not started',
    point: 1,
    quick: true,
    changes: [
      {
        file: reopening,
        find: 'return { suppressed_until, jobs: [timer] }',
        put: 'return { suppressed_until, jobs: timer.run_at < 0 ? [timer] : [] }'
      }
    ]
  },
  {
    name: 'the timer that reopens outlives a recovery',
    point: 1,
    changes: [
      {
        file: reopening,
        find: 'row.suppressed_until !== null && isWatched(row) ?',
        put: 'row.suppressed_until === -1 && isWatched(row) ?'
      },
      {
        file: reopening,
        find: "row.last_action === 'fire' && row.suppressed_until === until && newest?.status === 'resolved'",
        put: "until > 0 && row.last_action !== null && newest?.status === 'resolved'"
      }
    ]
  },
  {
    name: 'a resolve by hand makes no quiet',
    point: 1,
    changes: [{ file: reopening, find: "if (row.last_action !== 'fire' || (", put: "if (row.last_action !== 'resolve' || (" }]
  },
  {
    name: 'a worse fire stays suppressed after a resolve by hand',
    changes: [{ file: signals, find: ' && !isWorse(row, signal) ?', put: ' ?' }]
  },
  {
    name: 'what a person resolved is known by its last fire',
    changes: [
      {
        file: signals,
        find: 'const worst = goesOn && rank[severity] <= rank[known] ?',
        put: 'const worst = goesOn && rank[severity] === rank[known] ?'
      }
    ]
  },
  {
    name: 'a worse alert that has ended counts for the next one',
    changes: [
      { file: signals, find: 'const goesOn = newest !== null && idOf(newest) === idOf(row)', put: 'const goesOn = newest !== null' }
    ]
  },
  {
    name: 'a recovery before its fire is forgotten',
    changes: [
      {
        file: signals,
        find: "  const applied = signal.accepted_as === 'applied'\n  return {",
        put: "  const applied = signal.accepted_as === 'applied' && (action === 'fire' || newest !== null)\n  return {"
      }
    ]
  },
  {
    name: 'a better severity lowers that of the incident',
    changes: [
      {
        file: incident,
        find: 'const isWorse = rank[signal.severity] > rank[open.severity] &&',
        put: 'const isWorse = rank[signal.severity] !== rank[open.severity] &&'
      }
    ]
  },
  {
    name: 'a worse fire opens a second incident',
    quick: true,
    changes: [
      {
        file: incident,
        find: 'if (!open) return created(signal, signal, context)',
        put: 'if (!open || rank[signal.severity] > rank[open.severity]) return created(signal, signal, context)'
      }
    ]
  },
  {
    name: 'a storm goes on as long as incidents open',
    quick: true,
    changes: [
      {
        file: 'streams/incident/storms.ts',
        find: 'const until = isInside ? before.storm_until :',
        put: 'const until = isInside && count <= threshold ? before.storm_until :'
      }
    ]
  },
  {
    name: 'two incidents of a batch get one number',
    changes: [
      {
        file: 'streams/incident/fold.ts',
        find: 'this.counters.set(tenant_id, number)',
        put: 'this.counters.set(tenant_id, Math.max(this.#loaded.counters.get(tenant_id) ?? 0, number - 1) || number)'
      }
    ]
  },
  {
    name: 'one region too few is enough to go down',
    quick: true,
    changes: [{ file: votes, find: 'configured >= 2 ? (configured >> 1) + 1 : 1', put: 'configured >= 2 ? configured >> 1 : 1' }]
  },
  {
    name: 'half of the regions are a majority',
    changes: [{ file: votes, find: 'majority: (fresh >> 1) + 1,', put: 'majority: (fresh + 1) >> 1,' }]
  },
  {
    name: 'a result that comes twice counts twice',
    changes: [{ file: votes, find: 'result.seq <= region.last_seq', put: 'result.seq < region.last_seq' }]
  },
  {
    name: 'a region is fresh a tick too long',
    changes: [{ file: votes, find: 'clock < region.heard_at + window', put: 'clock <= region.heard_at + window + 999' }]
  },
  {
    name: 'a monitor recovers by one success',
    changes: [
      { file: votes, find: 'streak >= confirmation.recovery_rounds &&', put: 'streak >= Math.min(confirmation.recovery_rounds, 1) &&' }
    ]
  },
  {
    name: 'a failure rate asks for one failure more',
    changes: [
      {
        file: votes,
        find: 'failures.length >= Math.max(confirmation.failure_rate.failures, 1)',
        put: 'failures.length > Math.max(confirmation.failure_rate.failures, 1)'
      }
    ]
  },
  {
    name: 'a region recovers while its failure rate is met',
    changes: [{ file: votes, find: 'recovery_seconds * 1000 && !often', put: 'recovery_seconds * 1000' }]
  },
  {
    name: 'a region that fails alone is told of too late',
    changes: [
      {
        file: advisories,
        find: 'const at = alone_at + advisory_after_seconds * 1000',
        put: 'const at = alone_at + advisory_after_seconds * 2000'
      }
    ]
  },
  {
    name: 'a region that fails with the others counts as alone',
    changes: [
      { file: advisories, find: "status === 'up' && vote === 'down' && !stale", put: "status !== 'paused' && vote === 'down' && !stale" }
    ]
  },
  {
    name: 'flapping ends where it begins',
    changes: [
      { file: status, find: 'was ? percent > flap.low_percent : percent >= flap.high_percent', put: 'percent >= flap.high_percent' }
    ]
  },
  {
    name: 'each result is a round of its own',
    changes: [{ file: status, find: 'const opens = (row.round & (1 << nth)) !== 0', put: 'const opens = row.round !== 0' }]
  },
  {
    name: 'an outage of the clock makes regions stale',
    changes: [
      {
        file: 'streams/status/fold.ts',
        find: 'const lost = gap > TICK_GAP_MS ? gap : 0',
        put: 'const lost = gap > TICK_GAP_MS * 1e6 ? gap : 0'
      }
    ]
  },
  {
    name: 'votes of before a pause count after it',
    changes: [
      {
        file: status,
        find: 'if (config.type !== PUSHED || !isFresh(region, clock, window)) return unheard(region.region, region.last_seq)',
        put: 'if (region.last_seq === -1) return unheard(region.region)'
      }
    ]
  },
  {
    name: 'a pushed state is forgotten over a pause',
    changes: [{ file: status, find: 'if (config.type !== PUSHED || !isFresh', put: "if (config.type !== '' || !isFresh" }]
  },
  {
    name: 'the cheap path forgets the sequence',
    changes: [{ file: status, find: '  region.last_seq = result.seq\n', put: '  region.last_seq ??= result.seq\n' }]
  },
  {
    name: 'the grace is ignored',
    quick: true,
    changes: [
      {
        file: deadlines,
        find: 'const planned = draft.expected_at + graceOf(draft) + draft.extended_ms',
        put: 'const planned = draft.expected_at + draft.extended_ms'
      }
    ]
  },
  {
    name: 'a miss does not wait for pings on their way',
    point: 3,
    changes: [
      {
        file: heartbeat,
        find: 'if (expected_at !== null && deadline_at !== null && due + LATENESS_MS <= t) {',
        put: 'if (expected_at !== null && deadline_at !== null && due <= t) {'
      },
      {
        file: deadlines,
        find: 'if (row.deadline_at !== null) next = row.deadline_at + LATENESS_MS',
        put: 'if (row.deadline_at !== null) next = row.deadline_at'
      }
    ]
  },
  {
    name: 'an outage of the clock moves no deadline',
    changes: [
      {
        file: deadlines,
        find: 'if (draft.expected_at !== null) draft.tick_gap_ms += gap',
        put: 'if (draft.expected_at !== null) draft.tick_gap_ms += 0 * gap'
      }
    ]
  },
  {
    name: 'a gap of a door moves no deadline',
    changes: [{ file: deadlines, find: '    draft.door_gap_until = to\n    moved = true', put: '    moved = true' }]
  },
  {
    name: 'a run that takes too long is none',
    changes: [
      {
        file: heartbeat,
        find: 'if (over && over.limit <= due && over.limit + LATENESS_MS <= t) {',
        put: 'if (over && over.limit < due && over.limit + LATENESS_MS <= t) {'
      }
    ]
  },
  {
    name: 'one ping recovers, whatever is asked for',
    changes: [
      {
        file: heartbeat,
        find: 'if (!late && draft.good < draft.config.recovery_pings) return',
        put: 'if (!late && draft.good < Math.min(draft.config.recovery_pings, 1)) return'
      }
    ]
  },
  {
    name: 'a run that ends too soon is a success',
    changes: [{ file: heartbeat, find: 'else if (isTooShort(draft, closed)) failed', put: 'else if (isTooShort(draft, null)) failed' }]
  },
  {
    name: 'after a window a heartbeat waits for its first ping',
    changes: [{ file: heartbeat, find: 'if (isOfWindow(config) && !startsAnew) draft', put: 'if (isOfWindow(config) && startsAnew) draft' }]
  },
  {
    name: 'a ping ends no pause',
    changes: [
      {
        file: heartbeat,
        find: "config.unpause_on_ping === true && kind !== 'log'",
        put: "config.unpause_on_ping === null && kind !== 'log'"
      }
    ]
  },
  {
    name: 'the ping that ends a pause does not count',
    changes: [
      { file: 'streams/heartbeat/fold.ts', find: '    this.#step(id, input, cause, origin)\n    return true', put: '    return true' }
    ]
  },
  {
    name: 'a job may report no failure at all',
    changes: [
      {
        file: heartbeat,
        find: 'if (draft.failures > draft.config.fail_tolerance) {',
        put: 'if (draft.failures > Math.min(draft.config.fail_tolerance, 0)) {'
      }
    ]
  },
  {
    name: 'pings before the configuration are lost',
    changes: [
      {
        file: 'streams/heartbeat/fold.ts',
        find: '      this.#putEarly(early, null)\n      for (',
        put: '      this.#putEarly(early, null)\n      if (early.inputs.length > 0) return\n      for ('
      }
    ]
  },
  {
    name: 'a transition is told without its row',
    quick: true,
    changes: [{ file: 'streams/status/fold.ts', find: 'if (row === null || matters.has(key)) {', put: 'if (row === null) {' }]
  },
  {
    name: 'an effect is lost by a restart',
    changes: [
      {
        file: task,
        find: 'const states = changed ? [...changed].map(([key, state]) => ({ key, state })) : []',
        put: "const states = changed ? [...changed].filter(([key]) => key.startsWith('partition:')).map(([key, state]) => ({ key, state })) : []"
      }
    ]
  },
  {
    name: 'a restart sees a gap between ticks',
    changes: [{ file: task, find: 'if (all || key.startsWith(PARTITION_KEY))', put: 'if (all)' }]
  },
  {
    name: 'a full group takes one more alert',
    quick: true,
    changes: [{ file: members, find: 'incident.alert_count < group.max_alerts', put: 'incident.alert_count <= group.max_alerts' }]
  },
  {
    name: 'the window of a group counts from its last change',
    changes: [{ file: members, find: 'now - incident.opened_at <=', put: 'now - incident.updated_at <=' }]
  },
  {
    name: 'an alert joins an incident that was given to another team',
    changes: [
      {
        file: members,
        find: 'incident.team_id === joining.team_id &&',
        put: '(joining.team_id === null || incident.team_id !== undefined) &&'
      }
    ]
  },
  {
    name: 'an alert that nothing holds leaves its incident held',
    changes: [
      {
        file: holds,
        find: 'isOngoing && (incident_id === null || !unmuted.has(incident_id))',
        put: 'isOngoing && (incident_id === null || unmuted.size >= 0)'
      }
    ]
  },
  {
    name: 'a group joins what is over',
    changes: [
      {
        file: members,
        find: "incident?.status === 'ongoing' &&\n  incident.ongoing_alerts !== null",
        put: 'incident !== null &&\n  incident.ongoing_alerts !== null'
      }
    ]
  },
  {
    name: 'joins of a batch count once',
    changes: [
      {
        file: members,
        find: 'alert_count: incident.alert_count + joined.length',
        put: 'alert_count: incident.alert_count + Math.min(joined.length, 1)'
      }
    ]
  },
  {
    name: 'a worse alert raises what a rule gave',
    changes: [
      {
        file: members,
        find: 'rank[severity] > rank[incident.severity] && !incident.routing?.severity_by_rule',
        put: 'rank[severity] > rank[incident.severity]'
      },
      {
        file: grouping,
        find: 'rank[severity] > rank[incident.severity] && !incident.routing?.severity_by_rule',
        put: 'rank[severity] > rank[incident.severity]'
      }
    ]
  },
  {
    name: 'an incident outlives the last of its alerts',
    quick: true,
    changes: [
      {
        file: incident,
        find: "incident.status === 'resolved' || next.ongoing_alerts !== 0 ||",
        put: "incident.status === 'resolved' || next.ongoing_alerts !== 0 || members.ended.length > 1 ||"
      }
    ]
  },
  {
    name: 'what is gathered for one incident of a batch is lost',
    changes: [
      {
        file: grouping,
        find: 'for (const incident_id of [...pending.keys()]) flush',
        put: 'for (const incident_id of [...pending.keys()].slice(0, 1)) flush'
      }
    ]
  },
  {
    name: 'what must never be promoted is',
    changes: [
      { file: grouping, find: '(!signal.decision.promote || signal.decision.group !== null)', put: 'signal.decision.group !== null' }
    ]
  },
  {
    name: 'rules decide again while it is ongoing',
    changes: [{ file: fold, find: 'isOngoing ? accepted : routed(', put: 'routed(' }]
  },
  {
    name: 'every rule is asked',
    changes: [
      { file: 'streams/routing/rules.ts', find: 'return one.rule.continue', put: 'return one.rule.continue || one.rule.id.length > 0' }
    ]
  },
  {
    name: 'the team is no part of the group',
    changes: [
      {
        file: outcome,
        find: '[rule_id, decision.team_id, decision.visibility, action.by, values]',
        put: '[rule_id, decision.visibility, action.by, values]'
      }
    ]
  },
  {
    name: 'a rule that mutes does not',
    changes: [
      {
        file: outcome,
        find: 'decision.suppressed_by = actions.suppress ? id : null',
        put: 'decision.suppressed_by = actions.suppress ? null : null'
      }
    ]
  },
  {
    name: 'a silence holds after its end',
    changes: [
      {
        file: 'streams/routing/silences.ts',
        find: "expired_at !== null || ends_at <= at ? 'expired'",
        put: "expired_at !== null || ends_at <= at - 30_000 ? 'expired'"
      }
    ]
  },
  {
    name: 'a silence that somebody ended holds',
    changes: [
      { file: 'streams/routing/silences.ts', find: "expired_at !== null || ends_at <= at ? 'expired'", put: "ends_at <= at ? 'expired'" }
    ]
  },
  {
    name: 'the silence of an incident itself is not first',
    changes: [
      {
        file: holds,
        find: '[pauses, maintenance, ownSilence, matcherSilences, keptForOthers',
        put: '[pauses, maintenance, matcherSilences, ownSilence, keptForOthers'
      }
    ]
  },
  {
    name: 'the end of a parent’s outage looks at nobody',
    changes: [
      {
        file: dependencies,
        find: 'return was !== null && is !== was && !isOut(after)',
        put: 'return was === null && is !== was && !isOut(after)'
      }
    ]
  },
  {
    name: 'a child is told of while its parent is judged',
    changes: [
      {
        file: dependencies,
        find: "return phase === 'maintenance' || phase === 'validating' ? phase : null",
        put: "return phase === 'maintenance' ? phase : null"
      }
    ]
  },
  {
    name: 'a child does not see the parent that failed in its batch',
    changes: [
      {
        file: fold,
        find: 'watched: this.row(nameOf(',
        put: 'watched: this.#loaded.signals.get(nameOf('
      }
    ]
  },
  {
    name: 'what went down long ago counts for a mass outage',
    changes: [
      { file: outages, find: 'id !== down.id && at > down.at - OUTAGE_MS)', put: 'id !== down.id && at > down.at - OUTAGE_MS * 100)' }
    ]
  },
  {
    name: 'those that paged first are no part of the mass outage',
    quick: true,
    changes: [
      {
        file: outages,
        find: 'downs.reduce((outage, one) => joined(outage, one), begun)',
        put: 'joined(begun, down)'
      }
    ]
  },
  {
    name: 'the regions of those that paged first are no part of the mass outage',
    changes: [
      {
        file: outages,
        find: 'joined(outage, one), begun)',
        put: 'joined(outage, { ...one, regions: down.regions ?? [] }), begun)'
      }
    ]
  },
  {
    name: 'what waits for its parent counts for a mass outage',
    changes: [{ file: outageFold, find: ' || signal.waits || muted !== null', put: ' || muted !== null' }]
  },
  {
    name: 'what is held for a parent is not looked at again',
    changes: [
      {
        file: incident,
        find: "return [{ start: 'dependency_end', idem_key, tenant_id, run_at: lookAgainAt({ until }, now), payload: { incident_id } }]",
        put: "return until > 0 ? [] : [{ start: 'dependency_end', idem_key, tenant_id, run_at: lookAgainAt({ until }, now), payload: { incident_id } }]"
      }
    ]
  },
  {
    name: 'a child is told of as soon as its parent is up again',
    changes: [
      {
        file: dependencies,
        find: 'down_until >= began_at ? down_until + wait_ms :',
        put: 'down_until >= began_at ? down_until :'
      }
    ]
  },
  {
    name: 'a window over a parent holds no child',
    changes: [
      {
        file: dependencies,
        find: '  if (ends.length > 0) return',
        put: '  if (ends.length > 0 && watched !== null && watched.ver < 0) return'
      }
    ]
  },
  {
    name: 'a mass outage outlives the last of its monitors',
    changes: [{ file: outageFold, find: 'if (ongoing.failing.length === 0) tell', put: 'if (ongoing.failing.length < 0) tell' }]
  },
  {
    name: 'a mass outage that a person ended goes on',
    changes: [
      {
        file: outageFold,
        find: 'const now = goesOn ? saved : { downs: saved.downs, ongoing: null }',
        put: 'const now = goesOn || saved.downs.length >= 0 ? saved : { downs: saved.downs, ongoing: null }'
      }
    ]
  },
  {
    name: 'what a mass outage bundles is not counted',
    changes: [{ file: outages, find: 'count: ongoing.count + 1,', put: 'count: Math.max(ongoing.count, 3),' }]
  },
  {
    name: 'the end of a mass outage releases nobody',
    changes: [
      {
        file: incident,
        find: "source_kind === 'mass_outage'\n    ? [{ start: 'outage_end'",
        put: "source_kind === 'mass_outage' && now < 0\n    ? [{ start: 'outage_end'"
      }
    ]
  },
  {
    name: 'a window does not settle',
    quick: true,
    changes: [{ file: windows, find: '  ends_at + settle_seconds * 1000', put: '  ends_at + Math.min(settle_seconds, 0)' }]
  },
  {
    name: 'the settle time of a window ends it late',
    changes: [{ file: windows, find: '  ends_at + settle_seconds * 1000', put: '  ends_at + settle_seconds * 1500' }]
  },
  {
    name: 'what a window keeps is never an incident',
    quick: true,
    changes: [{ file: fold, find: 'if (!decision?.maintenance) return []', put: 'if (!decision?.maintenance || alert_id) return []' }]
  },
  {
    name: 'every window keeps what it covers from an incident',
    changes: [{ file: windows, find: "window.effect === 'suppress_incidents')", put: "window.effect !== 'pause_checks')" }]
  },
  {
    name: 'a window that keeps incidents away does not',
    changes: [
      { file: fold, find: 'const maintenance = decision.promote ? keeping', put: 'const maintenance = !decision.promote ? keeping' }
    ]
  },
  {
    name: 'a window holds incidents no longer once it settles',
    changes: [
      {
        file: holds,
        find: 'const maintenance: Suppressor = (subject, facts, at) =>\n  mayBeMuted(subject, facts)',
        put: 'const maintenance: Suppressor = (subject, facts, at) =>\n  mayBeMuted(subject, facts) && facts.windows.windows.some(({ window }) => window.spans.some((span) => span.starts_at <= at && at < span.ends_at))'
      }
    ]
  },
  {
    name: 'what a person resolved in a mass outage opens again alone',
    changes: [{ file: outages, find: 'return goesOn && ongoing.failing.includes(id) ? ongoing.incident_id : null', put: 'return null' }]
  },
  {
    name: 'what a window covers counts for a mass outage',
    changes: [{ file: outageFold, find: '  return !isCovered(signal, at)', put: '  return !isCovered(signal, at) || at > 0' }]
  },
  {
    name: 'a window that somebody ended goes on',
    changes: [
      { file: spans, find: 'zones, now, horizon)], holes)', put: 'zones, now, horizon)], holes.filter(({ ends_at }) => ends_at < now))' }
    ]
  },
  {
    name: 'a window that recurs comes once',
    changes: [{ file: spans, find: 'if (starts_at >= from) yield', put: 'if (starts_at >= from && day <= first) yield' }]
  },
  {
    name: 'the earlier of two windows is named last',
    changes: [{ file: windows, find: '=> beginOf(a) - beginOf(b) ||', put: '=> beginOf(b) - beginOf(a) ||' }]
  },
  {
    name: 'what a window kept and a person ended is kept for good',
    changes: [{ file: reopening, find: 'return decision?.maintenance !== undefined', put: 'return decision?.maintenance === null' }]
  },
  {
    name: 'the incident that an alert joined is not stored with its cause',
    changes: [
      { file: 'streams/incident/alerts.ts', find: 'incident_id === null ? signal : { ...signal, joins: incident_id }', put: 'signal' }
    ]
  }
]
