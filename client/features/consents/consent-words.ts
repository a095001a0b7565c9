import type { Consent } from '../../api/consents.ts';
import { counted } from '../../format/counted.ts';
import { formatMethods } from '../../format/sign-in-methods.ts';
import type { ClientConsents } from './consent-groups.ts';

/** What a client is called where it cannot be pointed at. */
export const clientCalled = ({ clientId, clientName }: Pick<Consent, 'clientId' | 'clientName'>): string =>
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

/** Whether the OAuth server asks again the next time. */
export function formatMemory(rememberedFor: number): string {
  if (rememberedFor === Number.POSITIVE_INFINITY) return 'remembered until it is revoked';
  const [size, one] = UNITS.find(([seconds]) => rememberedFor >= seconds) ?? [];
  if (size === undefined || one === undefined) return 'not remembered';
  return `remembered for ${counted(Math.round(rememberedFor / size), one, `${one}s`)}`;
}

/** “Signed in by password”, as the login page told the OAuth server; undefined where it told nothing. */
export const formatSignIn = ({ methods }: Pick<Consent, 'methods'>): string | undefined =>
  methods.length === 0
    ? undefined
    : `signed in ${formatMethods(methods.map((method) => ({ method }))).replace('By', 'by')}`;
