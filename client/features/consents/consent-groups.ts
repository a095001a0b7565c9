import type { Consent, ConsentsMeant } from '../../api/consents.ts';
import { counted } from '../../lib/format-count.ts';
import { formatMethods } from '../../lib/session-labels.ts';

/** What is about to be revoked, and its name in a sentence: "the consent to Web shop". */
export interface Revocation {
  meant: ConsentsMeant;
  called: string;
}

/** The consents to one client, latest first. */
export interface ClientConsents {
  /** Empty if the OAuth server names no client. */
  clientId: string;
  clientName: string;
  consents: readonly Consent[];
}

/** Groups consents by client, the most recent grant first: the OAuth server returns them in no particular order. */
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

/** A consent without a time comes last. */
const timeOf = ({ at }: Consent): number => Date.parse(at) || 0;

/** The name of a client in a sentence. */
export const clientTitle = ({ clientId, clientName }: Pick<Consent, 'clientId' | 'clientName'>): string =>
  clientName || clientId || 'a client without a name';

/** “12 consents to 3 clients, latest first” */
export function formatConsents(groups: readonly ClientConsents[], complete: boolean): string {
  const count = groups.reduce((sum, { consents }) => sum + consents.length, 0);
  const what = `${counted(count, 'consent', 'consents')} to ${counted(groups.length, 'client', 'clients')}`;
  return `${what}${complete ? '' : ' loaded so far'}, latest first`;
}

const UNITS: readonly [seconds: number, one: string][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** For how long the OAuth server does not ask again. */
export function formatMemory(rememberedFor: number): string {
  if (rememberedFor === Number.POSITIVE_INFINITY) return 'remembered until it is revoked';
  const [size, one] = UNITS.find(([seconds]) => rememberedFor >= seconds) ?? [];
  if (size === undefined || one === undefined) return 'not remembered';
  return `remembered for ${counted(Math.round(rememberedFor / size), one, `${one}s`)}`;
}

/** “Signed in by password”, as the login page told the OAuth server; undefined if it did not. */
export const formatSignIn = ({ methods }: Pick<Consent, 'methods'>): string | undefined =>
  methods.length === 0
    ? undefined
    : `signed in ${formatMethods(methods.map((method) => ({ method }))).replace('By', 'by')}`;
