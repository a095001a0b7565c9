import type { ServiceName, ServiceProblem } from '../../../shared/services.ts';

const ADVICE: Record<ServiceProblem, string> = {
  unreachable: 'Nothing answers at its address. Is it running, and can this service reach it?',
  slow: 'It takes more than a second, or did not answer in time.',
  refuses_key: 'It refuses the API key that is stored for it, or wants one and none is stored. See Settings.',
  key_unreadable: 'The API key stored for it cannot be decrypted or sent. Store it again under Settings.',
  too_many_requests: 'It asks for fewer requests for a while.',
  failing: 'It is reachable but says that it is not ready, or breaks off its answers.',
  nonsense: 'Something else answers at its address. Is the address the right one?',
};

const OF_OWN: Partial<Record<ServiceName, Partial<Record<ServiceProblem, string>>>> = {
  database: {
    unreachable: 'The database does not answer: settings, audit and sign-ins wait for it.',
    failing: 'The database cannot be written to.',
  },
  geo: { unreachable: 'The file that places addresses cannot be read: maps and places stay empty.' },
};

/** What an administrator can look at. */
export const adviceOn = (name: ServiceName, problem: ServiceProblem): string =>
  OF_OWN[name]?.[problem] ?? ADVICE[problem];
