/** Text messages by Twilio. Source: docs/design/outbound-channels.md#s3-25. */
import { ACCOUNT, AUTH_TOKEN, answerOfTwilio, FROM } from '../../../harness/twilio.ts'
import { type Contract, RETRY_AFTER_SECONDS, refused, took, type Vendor, withField, withHeader } from '../contract.ts'

type Config = { number: string }

const NUMBER = '+4915112345678'

/** Texts and calls share this: one account, one address. */
export function twilio({ number }: Config): Vendor {
  const memory = { sent: [], fixedLines: new Set<string>(), stopped: new Set<string>() }
  return (asked) => {
    const { status, body } = answerOfTwilio(asked, memory)
    if (status !== 201) return refused(status, JSON.stringify(body), body)
    if (new URLSearchParams(asked.body).get('To') !== number) return refused(400, 'another number', { code: 21211, status: 400 })
    return took(asked.path.endsWith('/Calls.json') ? 'call' : 'text', body, status)
  }
}

export const twilioFaults: NonNullable<Contract['faults']> = {
  '400': { answer: { status: 400, body: { code: 21617, message: 'As the test has it', status: 400 } } },
  // The account belongs to the deployment, so the fault is its operator's.
  '401': { answer: { status: 401, body: { code: 20003, message: 'Authenticate', status: 401 } }, times: 1 },
  '404': { answer: { status: 400, body: { code: 21211, message: "Invalid 'To' Phone Number", status: 400 } }, name: '400 no such number' },
  '429': {
    answer: {
      status: 429,
      headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
      body: { code: 20429, message: 'Too Many Requests', status: 429 }
    },
    times: 1
  }
}

export const contract: Contract<Config> = {
  base: 'twilio',
  config: () => ({ number: NUMBER }),
  rotated: null,
  vendor: twilio,
  faults: twilioFaults,
  wrong: {
    'another account': withHeader('authorization', 'Basic bm9ib2R5OngK'),
    'no text': withField('Body', null),
    'a text that is too long': withField('Body', 'x'.repeat(1601)),
    'a sender of others': withField('From', '+12025550199'),
    JSON: withHeader('content-type', 'application/json')
  },
  apprise: {
    target: () => `twilio://${ACCOUNT}:${AUTH_TOKEN}@${FROM}/${NUMBER}`,
    hosts: ['api.twilio.com']
  },
  checked: "Twilio's own library sends the same requests; Apprise is taken by the same contract server",
  row: {
    create: 'nothing → saved',
    test: 'text → arrived',
    down: 'text → sent',
    update: 'text → sent',
    acknowledge: 'text → sent',
    recover: 'text → sent',
    rotate: 'not applicable: the account is that of the deployment',
    '400': '400 → failed',
    '401': '401, text → sent',
    '404': '400 no such number → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), text → sent',
    '500': '500, text → sent',
    timeout: 'no answer, text → sent',
    malformed: 'nonsense, text → sent'
  }
}
