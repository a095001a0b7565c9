import { timeOf } from '../../../../shared/json.ts';
import { formatTemplate } from '../../../format/message.ts';
import { type Evidence, lastSignIn } from './evidence.ts';
import type { Finding } from './finding.ts';

/** Recovery needs an address; some installations admit only those who verified one. */
export function addressFindings({ identity }: Evidence): Finding[] {
  const { verifiable_addresses: verifiable = [], recovery_addresses: recovery = [] } = identity;
  const findings: Finding[] = [];
  if (recovery.length === 0)
    findings.push({
      id: 'no-recovery-address',
      weight: 'note',
      title: 'They cannot recover the account themselves',
      evidence: ['The identity has no recovery address, so no recovery mail can be sent.'],
      help: { act: 'recovery' },
    });
  const [address] = verifiable;
  if (address !== undefined && !verifiable.some(({ verified }) => verified))
    findings.push({
      id: 'not-verified',
      weight: 'may-block',
      title: verifiable.length === 1 ? 'Their address is not verified' : 'None of their addresses is verified',
      since: address.created_at ?? identity.created_at,
      evidence: ['Where sign-in or recovery requires a verified address, it ends there.'],
      help: { act: 'verify', address },
    });
  return findings;
}

const RECOVERY = /^recovery(_code)?_valid$/;
/** Older ones say nothing of today. */
const RECENT_MS = 30 * 86_400_000;

/** A courier that runs sends within seconds. */
const SLOW_MS = 5 * 60_000;

/** Messages that did not leave, and recovery messages after which nobody signed in. @returns at most one of each */
export function messageFindings(evidence: Evidence, now = Date.now()): Finding[] {
  const { messages = [], sessions, courierReason } = evidence;
  const recent = messages.filter(({ created }) => timeOf(created) > now - RECENT_MS);
  const findings: Finding[] = [];
  const [newest] = recent;
  if (newest?.status === 'abandoned')
    findings.push({
      id: 'abandoned',
      weight: 'may-block',
      since: newest.created,
      title: 'The last message to them was not delivered',
      evidence: [
        `${formatTemplate(newest.template)} to ${newest.recipient}, written `,
        { at: newest.created },
        ', abandoned by the courier',
        courierReason === undefined ? '. It gave no reason that is known.' : `: “${courierReason}”`,
      ],
      help: { act: 'message', id: newest.id },
    });
  else if (newest !== undefined && newest.status !== 'sent' && timeOf(newest.created) < now - SLOW_MS)
    findings.push({
      id: 'waiting',
      weight: 'may-block',
      since: newest.created,
      title: 'The last message to them has not been sent yet',
      evidence: [
        `${formatTemplate(newest.template)} to ${newest.recipient}, written `,
        { at: newest.created },
        '. Messages wait while the identity service’s courier does not run, or cannot reach the mail server.',
      ],
      help: { act: 'message', id: newest.id },
    });
  const recovery = recent.find(({ template }) => RECOVERY.test(template));
  const signedIn = sessions === undefined ? undefined : lastSignIn(sessions)?.authenticated_at;
  if (
    recovery?.status === 'sent' &&
    sessions !== undefined &&
    !(signedIn !== undefined && timeOf(signedIn) >= timeOf(recovery.created))
  )
    findings.push({
      id: 'recovery-unused',
      weight: 'note',
      title: 'A recovery message was sent, and nobody has signed in since',
      evidence: [
        `${formatTemplate(recovery.template)} to ${recovery.recipient}, accepted by the mail server, sent `,
        { at: recovery.created },
        '. It may be in a spam folder, or have expired.',
      ],
      help: { act: 'recovery' },
    });
  return findings;
}
