import { apiKeySetting, type UpstreamName, upstreamPrefix } from '../../../../shared/upstreams.ts';
import type { Config, OperatorsApi, Upstream } from '../../../config/config.ts';
import { adminClient } from '../../../upstream/admin-client.ts';
import { type Authorization, operatorsAuthorization } from '../../../upstream/credentials.ts';
import { failureOf, type UpstreamFailure } from '../../../upstream/failure.ts';
import { type Check, type Finding, fail, gravest, pass, unknown, warn } from './check.ts';

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

const TIMEOUT_MS = 4_000;
const NO_ADMIN_API = unknown(
  'No admin API is configured.',
  'Set the addresses of your services; see the table of variables in docs/operations.md.',
);

/** An admin API to examine. */
interface Examined extends NamedApi {
  url: string | undefined;
  holdsIdentities: boolean;
  authorization: () => Promise<string | undefined>;
  hasKey: () => Promise<boolean>;
  /** What is the case without a key, within a sentence. */
  withoutKey: string;
}

/** Whether the services require a key and accept the stored one; determined by requests to them. */
export function upstreamChecks(
  { upstreams, auth }: Pick<Config, 'upstreams' | 'auth'>,
  authorization: Authorization,
  hasKey: (name: UpstreamName) => Promise<boolean>,
): Check[] {
  const configured = upstreams.filter(({ url }) => url !== undefined);
  const ofOne = (upstream: Upstream): Examined => ({
    ...upstream,
    ...ofUpstream(upstream),
    authorization: () => authorization(upstream.name),
    hasKey: () => hasKey(upstream.name),
    withoutKey: `no key is stored for ${upstreamPrefix(upstream.name)}`,
  });
  const ofOwn = (api: OperatorsApi, name: string, holdsIdentities: boolean): Examined => ({
    ...ofOperators(api, name),
    url: api.url,
    holdsIdentities,
    authorization: operatorsAuthorization(api, authorization),
    hasKey: async () => api.key !== undefined || (api.upstream !== undefined && (await hasKey(api.upstream))),
    withoutKey: `${api.keyVariable} is not set`,
  });
  const adminApis = [
    ...configured.filter(({ admin }) => admin).map(ofOne),
    // Those of the upstreams are examined already.
    ...[ofOwn(auth.store, STORE, true), ofOwn(auth.oauthAdmin, OAUTH_ADMIN, false)].filter(
      ({ url }) => url !== undefined && configured.every((upstream) => upstream.url !== url),
    ),
  ];

  return [
    {
      id: 'upstream_keys',
      title: 'API keys of the services',
      why: 'Without a valid key, the admin pages of that service stay empty; with a key for a public API, sign-outs there fail.',
      look: async () =>
        gravest(
          (
            await Promise.all([
              ...adminApis.map(keyFinding),
              ...configured.filter(({ admin }) => !admin).map((upstream) => strayKey(upstream, hasKey)),
            ])
          ).flat(),
          NO_ADMIN_API,
        ),
    },
    {
      id: 'upstream_without_key',
      title: 'Admin APIs require a key',
      why: 'An admin API without a key is open to its whole network: a single compromised program there controls all identities.',
      look: async () => gravest(await Promise.all(adminApis.map(keylessFinding)), NO_ADMIN_API),
    },
  ];
}

async function keyFinding(api: Examined): Promise<Finding> {
  const { name, giveKey, withoutKey } = api;
  const [failure, has] = await Promise.all([probe(api, api.authorization), api.hasKey()]);
  if (failure === undefined)
    return has
      ? pass(`${capital(name)} accepts its key.`)
      : warn(`${capital(name)} responds, and ${withoutKey}.`, `Make ${name} require a key, and ${giveKey}.`);
  if (failure.kind === 'refuses_key')
    return fail(
      has ? `${capital(name)} rejects its key.` : `${capital(name)} requires a key, and ${withoutKey}.`,
      `${capital(giveKey)}.`,
    );
  return (failure.kind === 'key_unreadable' ? fail : unknown)(...causeOf(failure, api));
}

/** A public API should have no stored key: it would replace the caller's credentials. */
async function strayKey({ name }: Upstream, hasKey: (name: UpstreamName) => Promise<boolean>): Promise<Finding[]> {
  const action = `Delete the setting upstream.${name}.api_key.`;
  return (await hasKey(name)) ? [warn(`A key is stored for /api/${name}, which is public.`, action)] : [];
}

async function keylessFinding(api: Examined): Promise<Finding> {
  const failure = await probe(api, async () => undefined);
  if (failure?.kind === 'refuses_key') return pass(`${capital(api.name)} requires a key.`);
  if (failure !== undefined) return unknown(...causeOf(failure, api));
  return fail(
    `${capital(api.name)} responds without a key.`,
    'Put a reverse proxy in front of it that requires one, and block all other access to it.',
  );
}

/** Requests one row. @returns undefined if that succeeds */
async function probe(
  { url, holdsIdentities }: Examined,
  authorization: () => Promise<string | undefined>,
): Promise<UpstreamFailure | undefined> {
  const client = adminClient({ url, authorization, timeoutMs: TIMEOUT_MS });
  try {
    await client.list(holdsIdentities ? '/admin/identities' : '/admin/clients', { page_size: 1 });
    return undefined;
  } catch (error) {
    return failureOf(error);
  }
}
