import type { ServiceState } from '../../../shared/services.ts';
import { apiKeySetting, UPSTREAMS, type UpstreamName } from '../../../shared/upstreams.ts';

export interface ProblemWords {
  /** Which service, and what is the matter with it. */
  what: string;
  /** What an administrator can do about it. */
  helps: string;
  /** The key of the setting that is at fault. */
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
 * Words a failed call by what the check of its upstream finds.
 * @param status the failed call's: a check of one small question may pass where the call did not
 * @returns undefined where the check has nothing to add
 */
export function formatProblem(
  name: UpstreamName,
  { status: state, problem }: Pick<ServiceState, 'status' | 'problem'>,
  status: number | undefined,
): ProblemWords | undefined {
  const subject = NAMES[name];
  const variable = UPSTREAMS.find((upstream) => upstream.name === name)?.urlVariable;
  const setting = apiKeySetting(name);
  if (state === 'not_configured')
    return {
      what: `${subject} has no address here.`,
      helps: `Set ${variable} where the dashboard runs, and restart it.`,
    };
  switch (status === 429 ? 'too_many_requests' : problem) {
    case 'unreachable':
      return {
        what: `${subject} cannot be reached: nothing answers at the address in ${variable}.`,
        helps: 'Check that the service runs, and that the dashboard’s host can connect to it.',
      };
    case 'slow':
      return {
        what: `${subject} is too slow, or does not answer at all.`,
        helps: 'It may be overloaded. How long the dashboard waits is set by PROXY_TIMEOUT_MS.',
      };
    case 'refuses_key':
      return { what: `${subject} refuses our key.`, helps: `The setting ${setting} is missing or wrong.`, setting };
    case 'key_unreadable':
      return {
        what: `The stored key for it cannot be used: ${subject.replace('The', 'the')} was not asked.`,
        helps: `The setting ${setting} cannot be decrypted, or no header can carry it. Store it again.`,
        setting,
      };
    case 'too_many_requests':
      return { what: `${subject} has had too many requests.`, helps: 'Wait a moment, then try again.' };
    case 'failing':
      return {
        what: `${subject} fails: it answers with errors, or breaks off its answers.`,
        helps: 'Its log says why.',
      };
    case 'nonsense':
      return {
        what: `Something else answers in its place: not ${subject.replace('The', 'the')}.`,
        helps: `Check host, port and path of the address in ${variable}.`,
      };
    case null:
      return status !== undefined && status >= 500
        ? { what: `${subject} failed a moment ago, and answers now.`, helps: 'Try again.' }
        : undefined;
  }
}
