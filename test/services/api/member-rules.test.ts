/** Tables of the rules alone: who may change whose role, and who may invite with which role. */
import t from 'tap'
import type { MemberRole } from '../../../schemas/http/endpoints.ts'
import { refusedChange, refusedInvite } from '../../../services/api/people/member-rules.ts'

type To = MemberRole | null

//  a case                                             by           of whom      to      other owners  outcome
const changes: [string, MemberRole, 'self' | MemberRole, To, number, string | null][] = [
  ['an admin changes an editor', 'admin', 'editor', 'responder', 0, null],
  ['an admin makes an admin', 'admin', 'viewer', 'admin', 0, null],
  ['an admin removes an admin', 'admin', 'admin', null, 0, null],
  ['an admin makes somebody keep the books', 'admin', 'viewer', 'billing', 0, null],
  ['an admin makes no owner', 'admin', 'admin', 'owner', 0, 'FORBIDDEN'],
  ['an admin unmakes no owner', 'admin', 'owner', 'admin', 1, 'FORBIDDEN'],
  ['an admin removes no owner', 'admin', 'owner', null, 1, 'FORBIDDEN'],
  ['an admin may write down what an owner is already', 'admin', 'owner', 'owner', 0, null],
  ['an admin raises themselves to nothing', 'admin', 'self', 'owner', 0, 'FORBIDDEN'],
  ['an admin does not take the books', 'admin', 'self', 'billing', 0, 'FORBIDDEN'],
  ['an admin steps down', 'admin', 'self', 'editor', 0, null],
  ['an admin leaves', 'admin', 'self', null, 0, null],
  ['an owner makes an owner', 'owner', 'viewer', 'owner', 0, null],
  ['an owner unmakes another', 'owner', 'owner', 'viewer', 1, null],
  ['an owner removes another', 'owner', 'owner', null, 1, null],
  ['an owner of two steps down', 'owner', 'self', 'admin', 1, null],
  ['an owner of two leaves', 'owner', 'self', null, 1, null],
  ['the last owner does not step down', 'owner', 'self', 'admin', 0, 'LAST_OWNER'],
  ['the last owner does not leave', 'owner', 'self', null, 0, 'LAST_OWNER'],
  ['the last owner stays what they are', 'owner', 'self', 'owner', 0, null],
  ['an editor changes nobody', 'editor', 'viewer', 'billing', 0, 'FORBIDDEN'],
  ['a responder removes nobody', 'responder', 'viewer', null, 0, 'FORBIDDEN'],
  ['a viewer does not raise themselves', 'viewer', 'self', 'editor', 0, 'FORBIDDEN'],
  ['who keeps the books does not raise themselves', 'billing', 'self', 'admin', 0, 'FORBIDDEN']
]
for (const [name, by, whom, role, otherOwners, code] of changes) {
  t.test(name, async (t) => {
    const asking = { user_id: 'asking', role: by }
    const member = whom === 'self' ? asking : { user_id: 'other', role: whom }
    t.equal(refusedChange({ by: asking, member, role, otherOwners })?.code ?? null, code)
  })
}

//  a case                               by           to         outcome
const invites: [string, MemberRole, MemberRole, string | null][] = [
  ['an owner invites an owner', 'owner', 'owner', null],
  ['an admin invites an admin', 'admin', 'admin', null],
  ['an admin invites somebody for the books', 'admin', 'billing', null],
  ['an admin invites no owner', 'admin', 'owner', 'FORBIDDEN'],
  ['an editor invites nobody', 'editor', 'viewer', 'FORBIDDEN'],
  ['a viewer invites nobody', 'viewer', 'viewer', 'FORBIDDEN']
]
for (const [name, by, role, code] of invites) {
  t.test(name, async (t) => {
    t.equal(refusedInvite(by, role)?.code ?? null, code)
  })
}
