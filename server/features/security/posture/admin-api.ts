import { apiKeySetting, upstreamPrefix } from '../../../../shared/upstreams.ts';
import type { OperatorsApi, Upstream } from '../../../config/config.ts';
import type { UpstreamFailure } from '../../../upstream/upstream-failure.ts';

/** An admin API as checks speak of it. */
export interface NamedApi {
  /** Within a sentence. */
  name: string;
  urlVariable: string;
  /** How its key is given, within a sentence. */
  giveKey: string;
}

/** Names within a sentence. */
export const STORE = 'the operators’ store';
export const OAUTH_ADMIN = 'the admin API of the operators’ OAuth server';

export const ofUpstream = ({ name, urlVariable }: Pick<Upstream, 'name' | 'urlVariable'>): NamedApi => ({
  name: upstreamPrefix(name),
  urlVariable,
  giveKey: `store its key as the setting ${apiKeySetting(name)}`,
});

/** @param name within a sentence */
export function ofOperators({ urlVariable, key, keyVariable, upstream }: OperatorsApi, name: string): NamedApi {
  const stored =
    key === undefined && upstream !== undefined ? `, or store it as the setting ${apiKeySetting(upstream)}` : '';
  return { name, urlVariable, giveKey: `set ${keyVariable} to its key${stored}` };
}

/** Why it did not answer as it should, and what helps. */
export function causeOf({ kind, answer }: UpstreamFailure, api: NamedApi): [detail: string, action: string] {
  const { name, urlVariable, giveKey } = api;
  switch (kind) {
    case 'not_configured':
      return [`${urlVariable} is not set.`, `Set ${urlVariable}.`];
    case 'refuses_key':
      return [`${capital(name)} refuses the key, or demands one.`, `${capital(giveKey)}.`];
    case 'key_unreadable':
      return [`The stored key of ${name} cannot be decrypted or sent.`, 'Store it again.'];
    case 'unreachable':
    case 'timeout':
      return [`${capital(name)} does not respond.`, `Correct ${urlVariable}, or start that service.`];
    default: {
      const what = answer === undefined ? 'something else' : `the status ${answer.status}`;
      return [`${capital(name)} answers with ${what}.`, `Correct ${urlVariable}, or look into that service’s log.`];
    }
  }
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
