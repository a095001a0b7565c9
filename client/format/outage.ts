import type { ServiceName, ServiceState } from '../../shared/services.ts';
import { SERVICE_NAMES } from './services.ts';
import { clockTime, inWords, lasting } from './since.ts';

/** What does not work while a service is down, those first that hurt most. */
const HURTS: Record<ServiceName, string> = {
  database: 'Settings, the audit trail and sign-ins fail.',
  operators: 'Nobody can sign in to this dashboard; open sessions stay.',
  'identity-admin': 'Identities, sessions and messages cannot be read.',
  'iam-identity-admin': 'The workforce’s identities, sessions and messages cannot be read.',
  oauth: 'Signing in through it fails.',
  'oauth-admin': 'OAuth2 clients, consents and tokens cannot be read.',
  identity: 'People cannot sign in, register or recover their accounts.',
  'iam-identity': 'The workforce cannot sign in or recover accounts.',
  geo: 'The map and the places of sessions are empty.',
};
const ORDER = Object.keys(HURTS);
/** Of more services, the rest is counted. */
const NAMED_MAX = 3;

export interface OutageText {
  /** "OAuth 2.0 and OAuth 2.0 admin have been down since 10:02" */
  what: string;
  /** "four minutes"; undefined as long as the beginning is not known. */
  lasting: string | undefined;
  /** What it affects, in sentences. */
  hurts: string;
}

/** What is down of the services; undefined if nothing is. @param now milliseconds since the epoch, by the server's clock */
export function formatOutage(services: readonly ServiceState[], now: number): OutageText | undefined {
  const down = services
    .filter(({ status }) => status === 'down')
    .sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name));
  if (down.length === 0) return undefined;
  const names = down.slice(0, NAMED_MAX).map(({ name }) => SERVICE_NAMES[name] ?? name);
  if (down.length > NAMED_MAX) names.push(`${inWords(down.length - NAMED_MAX)} more`);
  const last = names.length > 1 ? ` and ${names.pop()}` : '';
  const subject = names.join(', ') + last;
  const hurts = down
    .slice(0, NAMED_MAX)
    .flatMap(({ name }) => HURTS[name] ?? [])
    .join(' ');
  const [first] = down.flatMap(({ since }) => since ?? []).sort();
  if (first === undefined)
    return { what: `${subject} ${down.length === 1 ? 'is' : 'are'} down`, lasting: undefined, hurts };
  const began = Date.parse(first);
  return {
    what: `${subject} ${down.length === 1 ? 'has' : 'have'} been down since ${clockTime(began, now)}`,
    lasting: lasting(now - began),
    hurts,
  };
}
