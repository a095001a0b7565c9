import type { ServiceName, ServiceProblem } from '../../../shared/services.ts';

const ADVICE: Record<ServiceProblem, string> = {
  unreachable: 'Nothing answers at its address. Check that it is running and reachable from this service.',
  slow: 'It takes more than a second, or did not answer in time.',
  refuses_key: 'It rejects the stored API key, or requires one and none is stored. See Settings.',
  key_unreadable: 'The API key stored for it cannot be decrypted or sent. Store it again under Settings.',
  too_many_requests: 'It is limiting requests for now.',
  failing: 'It is reachable but reports that it is not ready, or drops connections.',
  nonsense: 'Something else answers at its address. Check the address.',
};

const OF_OWN: Partial<Record<ServiceName, Partial<Record<ServiceProblem, string>>>> = {
  database: {
    unreachable: 'The database does not answer: settings, audit and sign-ins depend on it.',
    failing: 'The database cannot be written to.',
  },
  geo: { unreachable: 'The geolocation file cannot be read: maps and locations stay empty.' },
};

/** What an administrator can check. */
export const adviceOn = (name: ServiceName, problem: ServiceProblem): string =>
  OF_OWN[name]?.[problem] ?? ADVICE[problem];
