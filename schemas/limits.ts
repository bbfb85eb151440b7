/**
 * Limits for the length of texts and for the number of them. Lengths are in UTF-16 units.
 *
 * An alert on the log and an incident have separate limits, by contract: an incident's summary is
 * shorter than an alert's description, and an incident's labels may be longer because it also has
 * other sources. Doors cut what senders wrote. The incident rules cut again, because a row must fit
 * whatever the log holds.
 */

/** A URL in alerts, incidents and monitors. */
export const MAX_URL = 2048

// Alerts: records of alerts.inbound.v1, and what the api accepts for alerts and labels.
export const MAX_ALERT_TITLE = 300
export const MAX_ALERT_DESCRIPTION = 15_000
/**
 * A source's own key of a condition, the id of a delivery, an alias, or a key that a person
 * declares.
 */
export const MAX_ALERT_KEY = 512
export const MAX_ALERT_LABELS = 64
export const MAX_ALERT_LABEL_NAME = 64
export const MAX_ALERT_LABEL_VALUE = 256
export const MAX_ALERT_LINKS = 20

// Incidents: their rows, their events, and what people write into them.
export const MAX_INCIDENT_TITLE = 300
export const MAX_INCIDENT_SUMMARY = 4000
/** A signal key. The keys that the service makes have at most 105 characters. */
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
 * A note that comes with a command or from a source: with an acknowledgement, a resolution or a
 * closing.
 */
export const MAX_INCIDENT_NOTE = 2000
export const MAX_SILENCE_REASON = 500
/** The longest silence of one incident: seven days. */
export const MAX_SILENCE_MINUTES = 10_080
/** A comment on an incident, which people write in Markdown. */
export const MAX_COMMENT = 10_000
/** Alerts of one incident, including ended ones. */
export const MAX_GROUP_ALERTS = 10_000

// Results of checks.
export const MAX_RESULT_MESSAGE = 1000
/** The value that an assertion found. */
export const MAX_RESULT_ACTUAL = 256
/** The beginning of a failed check's body. */
export const MAX_RESULT_EXCERPT = 2048
/** The stored answer of a failed check. */
export const MAX_CAPTURE_BODY = 16_384
export const MAX_CAPTURE_HEADERS = 50
export const MAX_CAPTURE_HEADER_NAME = 100
export const MAX_CAPTURE_HEADER_VALUE = 512
export const MAX_CAPTURE_STATUS_TEXT = 100
/** Days for which the topic and the table of captures keep them. */
export const CAPTURE_KEPT_DAYS = 3
export const MAX_CERTIFICATE_NAME = 512
export const MAX_CERTIFICATE_ALTERNATIVE_NAME = 256
export const MAX_CERTIFICATE_ALTERNATIVE_NAMES = 20

/** Most characters of a regular expression that people write. */
export const MAX_EXPRESSION = 512
