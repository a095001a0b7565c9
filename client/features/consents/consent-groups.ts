import type { Consent } from '../../api/consents.ts';
import { counted } from '../../lib/format-count.ts';
import { formatSeconds } from '../../lib/format-time.ts';
import { formatMethods } from '../../lib/session-labels.ts';

/** The consents to one client, newest first. */
export interface ClientConsents {
  /** Empty if the OAuth server names no client. */
  clientId: string;
  clientName: string;
  consents: readonly Consent[];
}

/** Groups consents by client, newest first, because Hydra returns them in no particular order. */
export function byClient(consents: readonly Consent[]): ClientConsents[] {
  const groups = new Map<string, ClientConsents & { consents: Consent[] }>();
  for (const consent of consents.toSorted((one, other) => timeOf(other) - timeOf(one))) {
    const { clientId, clientName } = consent;
    const group = groups.get(clientId);
    if (group === undefined) groups.set(clientId, { clientId, clientName, consents: [consent] });
    else group.consents.push(consent);
  }
  return [...groups.values()];
}

/** Consents without a time come last. */
const timeOf = ({ at }: Consent): number => Date.parse(at) || 0;

export const clientTitle = ({ clientId, clientName }: Pick<Consent, 'clientId' | 'clientName'>): string =>
  clientName || clientId || 'a client without a name';

/** “12 consents to 3 clients, newest first” */
export function formatConsents(groups: readonly ClientConsents[], complete: boolean): string {
  const count = groups.reduce((sum, { consents }) => sum + consents.length, 0);
  const what = `${counted(count, 'consent', 'consents')} to ${counted(groups.length, 'client', 'clients')}`;
  return `${what}${complete ? '' : ' loaded so far'}, newest first`;
}

/** How long the OAuth server remembers the consent. @param seconds `Infinity` until revoked */
export function formatMemory(seconds: number): string {
  if (seconds === Number.POSITIVE_INFINITY) return 'remembered until it is revoked';
  return seconds < 1 ? 'not remembered' : `remembered for ${formatSeconds(seconds)}`;
}

/** “signed in by password”, as reported by the login page; undefined if it reported no method. */
export const formatSignIn = ({ methods }: Pick<Consent, 'methods'>): string | undefined =>
  methods.length === 0
    ? undefined
    : `signed in ${formatMethods(methods.map((method) => ({ method }))).replace('By', 'by')}`;
