import { apiKeySetting, type UpstreamName, upstreamPrefix } from '../../shared/upstreams.ts';
import type { OperatorsApi } from '../config/config.ts';
import { adminClient } from '../upstream/admin-client.ts';
import { operatorsAuthorization } from '../upstream/credentials.ts';
import { failureOf, type UpstreamFailure } from '../upstream/failure.ts';
import { type CheckSources, type Checks, type Finding, fail, pass, unknown, warn, worst } from './check.ts';

/** How findings describe an admin API. */
export interface NamedApi {
  /** Its name as part of a sentence. */
  name: string;
  urlVariable: string;
  /** How to provide its key, as part of a sentence. */
  giveKey: string;
}

/** Names as part of a sentence. */
export const STORE = 'the operators’ store';
export const OAUTH_ADMIN = 'the admin API of the operators’ OAuth server';

/** @param name within a sentence */
export function namedApi({ urlVariable, key, keyVariable, upstream }: OperatorsApi, name: string): NamedApi {
  const stored =
    key === undefined && upstream !== undefined ? `, or store it as the setting ${apiKeySetting(upstream)}` : '';
  return { name, urlVariable, giveKey: `set ${keyVariable} to its key${stored}` };
}

/** What ails a service whose address may be right, as part of a sentence, and what to do about it. */
export function notItsAddress({ kind, reason }: UpstreamFailure): [does: string, action: string] | undefined {
  if (kind === 'timeout')
    return ['does not respond', 'It may be slow, or just have started: check again in a moment, or see its log.'];
  if (kind !== 'certificate') return undefined;
  return reason?.startsWith('ERR_SSL_')
    ? [`refuses TLS without a client certificate (${reason})`, 'Require none there: the dashboard has none.']
    : [`has a certificate that is refused (${reason})`, 'Correct it, or name its authority in NODE_EXTRA_CA_CERTS.'];
}

/** What a failure means, and what to do about it. */
export function causeOf(failure: UpstreamFailure, api: NamedApi): [detail: string, action: string] {
  const { kind, response } = failure;
  const { name, urlVariable, giveKey } = api;
  const [does, whatToDo] = notItsAddress(failure) ?? [];
  if (whatToDo !== undefined) return [`${capital(name)} ${does}.`, whatToDo];
  switch (kind) {
    case 'not_configured':
      return [`${urlVariable} is not set.`, `Set ${urlVariable}.`];
    case 'refuses_key':
      return [`${capital(name)} rejects the key, or requires one.`, `${capital(giveKey)}.`];
    case 'key_unreadable':
      return [`The stored key of ${name} cannot be decrypted or sent.`, `${capital(giveKey)}.`];
    case 'unreachable':
      return [`${capital(name)} does not respond.`, `Correct ${urlVariable}, or start that service.`];
    default: {
      const what = response === undefined ? 'something else' : `the status ${response.status}`;
      return [`${capital(name)} responds with ${what}.`, `Correct ${urlVariable}, or check that service’s log.`];
    }
  }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const TIMEOUT_MS = 4_000;

interface AdminApi extends NamedApi {
  url: string;
  holdsIdentities: boolean;
  authorization: () => Promise<string | undefined>;
  hasKey: () => Promise<boolean>;
  /** States that the key is missing, as part of a sentence. */
  withoutKey: string;
}

/** Sends requests to the services to check whether they require a key and accept the stored one. */
export function upstreamChecks({
  config: { upstreams, auth },
  authorization,
  hasKey,
}: Pick<CheckSources, 'config' | 'authorization' | 'hasKey'>) {
  const configured = upstreams.flatMap((upstream) =>
    upstream.url === undefined ? [] : [{ ...upstream, url: upstream.url }],
  );
  const operatorsApi = (api: OperatorsApi, name: string, holdsIdentities: boolean): AdminApi[] => {
    const { url, key, keyVariable, upstream } = api;
    // Upstreams are already in the list.
    if (url === undefined || configured.some((other) => other.url === url)) return [];
    return [
      {
        ...namedApi(api, name),
        ...{ url, holdsIdentities },
        authorization: operatorsAuthorization(api, authorization),
        hasKey: async () => key !== undefined || (upstream !== undefined && (await hasKey(upstream))),
        withoutKey: `${keyVariable} is not set`,
      },
    ];
  };
  const adminApis: AdminApi[] = [
    ...configured
      .filter(({ admin }) => admin)
      .map(({ name, url, urlVariable, holdsIdentities }) => ({
        name: upstreamPrefix(name),
        giveKey: `store its key as the setting ${apiKeySetting(name)}`,
        ...{ url, urlVariable, holdsIdentities },
        authorization: () => authorization(name),
        hasKey: () => hasKey(name),
        withoutKey: `no key is stored for ${upstreamPrefix(name)}`,
      })),
    ...operatorsApi(auth.store, STORE, true),
    ...operatorsApi(auth.oauthAdmin, OAUTH_ADMIN, false),
  ];
  const noAdminApi = unknown(
    'No admin API is configured.',
    'Set the addresses of your services; see the table of variables in docs/configure.md.',
  );
  /** A public API should have no stored key: it would replace the client's credentials. */
  const strayKey = async (name: UpstreamName): Promise<Finding[]> =>
    (await hasKey(name))
      ? [
          warn(
            `A key is stored for ${upstreamPrefix(name)}, which is public.`,
            `Delete the setting ${apiKeySetting(name)}.`,
          ),
        ]
      : [];

  return {
    upstream_keys: {
      title: 'API keys of the services',
      why: 'Without a valid key, the admin pages of that service stay empty; with a key for a public API, sign-outs there fail.',
      needs: 'database',
      look: async () => {
        const stray = configured.filter(({ admin }) => !admin).map(({ name }) => strayKey(name));
        return worst((await Promise.all([...adminApis.map(withKey), ...stray])).flat(), noAdminApi);
      },
    },
    upstream_without_key: {
      title: 'Admin APIs require a key',
      why: 'An admin API without a key is open to its whole network: a single compromised program there controls all identities.',
      look: async () => worst(await Promise.all(adminApis.map(withoutKey)), noAdminApi),
    },
  } satisfies Checks;
}

async function withKey(api: AdminApi): Promise<Finding> {
  const { name, giveKey } = api;
  const [failure, has] = await Promise.all([probe(api, api.authorization), api.hasKey()]);
  if (failure === undefined)
    return has
      ? pass(`${capital(name)} accepts its key.`)
      : warn(`${capital(name)} responds, and ${api.withoutKey}.`, `Make ${name} require a key, and ${giveKey}.`);
  if (failure.kind === 'refuses_key')
    return fail(
      has ? `${capital(name)} rejects its key.` : `${capital(name)} requires a key, and ${api.withoutKey}.`,
      `${capital(giveKey)}.`,
    );
  return (failure.kind === 'key_unreadable' ? fail : unknown)(...causeOf(failure, api));
}

async function withoutKey(api: AdminApi): Promise<Finding> {
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
  { url, holdsIdentities }: AdminApi,
  authorization: AdminApi['authorization'],
): Promise<UpstreamFailure | undefined> {
  const client = adminClient({ url, authorization, timeoutMs: TIMEOUT_MS });
  return client
    .list(holdsIdentities ? '/admin/identities' : '/admin/clients', { page_size: 1 })
    .then(() => undefined, failureOf);
}
