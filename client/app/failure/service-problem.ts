import type { ServiceState } from '../../../shared/services.ts';
import { apiKeySetting, UPSTREAMS, type UpstreamName } from '../../../shared/upstreams.ts';

export interface ProblemText {
  /** Which service, and what is wrong with it. */
  what: string;
  /** What an administrator can do about it. */
  helps: string;
  /** Key of the setting at fault. */
  setting?: string;
}

const NAMES: Record<UpstreamName, string> = {
  identity: 'The identity service’s public API',
  'identity-admin': 'The identity service’s admin API',
  'iam-identity': 'The workforce identity service’s public API',
  'iam-identity-admin': 'The workforce identity service’s admin API',
  oauth: 'The OAuth 2.0 server’s public API',
  'oauth-admin': 'The OAuth 2.0 server’s admin API',
};

/**
 * Describes a failed call by the result of its upstream's health check.
 * @param status of the failed call: a small health check may pass where the call failed
 * @returns undefined when the check explains nothing
 */
export function formatProblem(
  name: UpstreamName,
  { status: state, problem }: Pick<ServiceState, 'status' | 'problem'>,
  status: number | undefined,
): ProblemText | undefined {
  const subject = NAMES[name];
  const variable = UPSTREAMS.find((upstream) => upstream.name === name)?.urlVariable;
  const setting = apiKeySetting(name);
  if (state === 'not_configured')
    return {
      what: `${subject} is not configured.`,
      helps: `Set ${variable} in the dashboard’s environment and restart it.`,
    };
  switch (status === 429 ? 'too_many_requests' : problem) {
    case 'unreachable':
      return {
        what: `${subject} cannot be reached: nothing answers at the address in ${variable}.`,
        helps: 'Check that the service is running and that the dashboard’s host can connect to it.',
      };
    case 'slow':
      return {
        what: `${subject} is too slow or does not respond.`,
        helps: 'It may be overloaded. PROXY_TIMEOUT_MS sets how long the dashboard waits.',
      };
    case 'refuses_key':
      return {
        what: `${subject} rejects the dashboard’s API key.`,
        helps: `The setting ${setting} is missing or wrong.`,
        setting,
      };
    case 'key_unreadable':
      return {
        what: `The stored API key for ${subject.replace('The', 'the')} cannot be used, so no request was sent.`,
        helps: `The setting ${setting} cannot be decrypted, or contains characters that are not allowed in a header. Store it again.`,
        setting,
      };
    case 'too_many_requests':
      return { what: `${subject} is receiving too many requests.`, helps: 'Wait a moment, then try again.' };
    case 'failing':
      return {
        what: `${subject} returns errors or drops connections.`,
        helps: 'Check its log.',
      };
    case 'nonsense':
      return {
        what: `Something other than ${subject.replace('The', 'the')} answers at its address.`,
        helps: `Check the host, port and path in ${variable}.`,
      };
    case null:
      return status !== undefined && status >= 500
        ? { what: `${subject} failed a moment ago but is responding now.`, helps: 'Try again.' }
        : undefined;
  }
}
