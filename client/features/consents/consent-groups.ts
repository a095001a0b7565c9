import type { Consent } from '../../api/consents.ts';
import type { ConsentsMeant } from '../../api/consents-end.ts';

/** What is about to be revoked, and what it is called: "the consent to Web shop". */
export interface Revocation {
  meant: ConsentsMeant;
  called: string;
}

/** What was granted to one client, the latest first. */
export interface ClientConsents {
  /** Empty where the OAuth server names no client. */
  clientId: string;
  clientName: string;
  consents: readonly Consent[];
}

/** By client, the one that was granted something last first: the OAuth server's own order means nothing. */
export function byClient(consents: readonly Consent[]): ClientConsents[] {
  const groups = new Map<string, Consent[]>();
  for (const consent of consents.toSorted((one, other) => timeOf(other) - timeOf(one))) {
    const group = groups.get(consent.clientId);
    if (group === undefined) groups.set(consent.clientId, [consent]);
    else group.push(consent);
  }
  return [...groups].map(([clientId, group]) => ({
    clientId,
    clientName: group[0]?.clientName ?? '',
    consents: group,
  }));
}

/** One that does not say when it was given comes last. */
const timeOf = ({ at }: Consent): number => Date.parse(at) || 0;
