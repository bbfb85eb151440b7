/**
 * How long texts may be, and how many of them there may be. Lengths are in UTF-16 units.
 *
 * An alert on the log and an incident have limits of their own, by contract: an incident's summary
 * is shorter than an alert's description, and its labels may be longer, since it has other sources
 * too. Doors cut what senders wrote; the incident rules cut again, for a row must fit whatever the
 * log holds.
 */

/** An address, in alerts, incidents and monitors. */
export const MAX_URL = 2048

// An alert: records of alerts.inbound.v1, and what the api takes of alerts and labels.
export const MAX_ALERT_TITLE = 300
export const MAX_ALERT_DESCRIPTION = 15_000
/**
 * The source's own key of a condition, the id of a delivery, an alias, a key that a person
 * declares.
 */
export const MAX_ALERT_KEY = 512
export const MAX_ALERT_LABELS = 64
export const MAX_ALERT_LABEL_NAME = 64
export const MAX_ALERT_LABEL_VALUE = 256
export const MAX_ALERT_LINKS = 20

// An incident: its row, its events, and what people write into it.
export const MAX_INCIDENT_TITLE = 300
export const MAX_INCIDENT_SUMMARY = 4000
/** The key of a signal. Those that we make have 105 characters at most. */
export const MAX_INCIDENT_KEY = 512
export const MAX_INCIDENT_DELIVERY_ID = 512
export const MAX_INCIDENT_SOURCE_TYPE = 100
export const MAX_INCIDENT_REGION = 64
export const MAX_INCIDENT_REGIONS = 100
export const MAX_INCIDENT_LABELS = 64
export const MAX_INCIDENT_LABEL_NAME = 128
export const MAX_INCIDENT_LABEL_VALUE = 512
export const MAX_INCIDENT_LINKS = 20
/**
 * What is said with a command or by a source: the note of an acknowledgement, a resolution, a
 * closing.
 */
export const MAX_INCIDENT_NOTE = 2000
export const MAX_SILENCE_REASON = 500
/** A comment of its own, which people write in Markdown. */
export const MAX_COMMENT = 10_000
/** Alerts of one incident, ended ones too. */
export const MAX_GROUP_ALERTS = 10_000

// The result of a check.
export const MAX_RESULT_MESSAGE = 1000
/** What an assertion found. */
export const MAX_RESULT_ACTUAL = 256
/** The beginning of the body of a failed check. */
export const MAX_RESULT_EXCERPT = 2048
/** What is kept of the answer of a failed check. */
export const MAX_CAPTURE_BODY = 16_384
export const MAX_CAPTURE_HEADERS = 50
export const MAX_CAPTURE_HEADER_NAME = 100
export const MAX_CAPTURE_HEADER_VALUE = 512
export const MAX_CAPTURE_STATUS_TEXT = 100
/** As its topic and its table keep it. */
export const CAPTURE_KEPT_DAYS = 3
export const MAX_CERTIFICATE_NAME = 512
export const MAX_CERTIFICATE_ALTERNATIVE_NAME = 256
export const MAX_CERTIFICATE_ALTERNATIVE_NAMES = 20

/** Characters of a regular expression that people write. */
export const MAX_EXPRESSION = 512
