import { attempt, type JsonObject, membersOf } from '../../shared/json.ts';
import { apiKeySetting, CLIENTS_PATH, IDENTITIES_PATH } from '../../shared/upstreams.ts';
import type { OperatorsApi, Upstream } from '../config/config.ts';
import { type AdminClientOptions, adminClient } from '../upstream/admin-client.ts';
import { operatorsAuthorization } from '../upstream/credentials.ts';
import { type FailureKind, failureOf, type UpstreamFailure } from '../upstream/failure.ts';
import { type UpstreamResponse, upstreamFetch } from '../upstream/fetch.ts';
import { type CheckSources, type Checks, critical, type Finding, fail, pass, unknown, warn, worst } from './check.ts';

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
function notItsAddress({ kind, reason }: UpstreamFailure): [does: string, action: string] | undefined {
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
  const causes: Partial<Record<FailureKind, [detail: string, action: string]>> = {
    not_configured: [`${urlVariable} is not set.`, `Set ${urlVariable}.`],
    refuses_key: [`${capital(name)} rejects the key, or requires one.`, `${capital(giveKey)}.`],
    key_unreadable: [`The stored key of ${name} cannot be decrypted or sent.`, `${capital(giveKey)}.`],
    unreachable: [`${capital(name)} does not respond.`, `Correct ${urlVariable}, or start that service.`],
  };
  const what = response === undefined ? 'something else' : `the status ${response.status}`;
  const other = `Correct ${urlVariable}, or check that service’s log.`;
  return causes[kind] ?? [`${capital(name)} responds with ${what}.`, other];
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const PAGE_TIMEOUT_MS = 2_000;
/** The body is not used, but a page may be large. */
const PAGE_MAX_BYTES = 4 * 1024 * 1024;

/** A response, or why there is none. */
export type Reply =
  | (UpstreamResponse & { failure?: undefined })
  | { failure: UpstreamFailure; status?: undefined; text?: undefined };

/** Requests an address. */
export const responseFrom = (
  url: string | URL,
  headers: Record<string, string> = {},
  timeoutMs = PAGE_TIMEOUT_MS,
): Promise<Reply> =>
  upstreamFetch(url, {
    headers: { accept: 'application/json, text/html;q=0.9', ...headers },
    timeoutMs,
    maxBytes: PAGE_MAX_BYTES,
  }).catch((error) => ({ failure: failureOf(error) }));

export function outcome({ failure, status }: Reply): string {
  if (!failure) return `its response has the status ${status}`;
  const other = failure.kind === 'unreachable' ? 'cannot be reached' : 'sends no valid response';
  return `it ${notItsAddress(failure)?.[0] ?? other}`;
}

/** A finding that locks everybody out, unless the service is just slow. @param action for a wrong address */
export function unusable(problem: string, reply: Reply, action: string): Finding {
  const [, other = action] = (reply.failure && notItsAddress(reply.failure)) ?? [];
  return (reply.failure?.kind === 'timeout' ? fail : critical)(`${problem}: ${outcome(reply)}.`, other);
}

/** The members of a JSON body; none if it is not a JSON object. */
export const jsonIn = (response: UpstreamResponse): JsonObject => membersOf(attempt(() => JSON.parse(response.text)));

/** How long a check waits for an admin API. */
export const API_TIMEOUT_MS = 4_000;

interface AdminApi extends NamedApi, Pick<AdminClientOptions, 'url' | 'authorization'> {
  probePath: string;
  /** States that the key is missing, as part of a sentence. */
  withoutKey: string;
}

/** Sends requests to the services to check whether they require a key and accept the stored one. */
export function upstreamChecks({ config: { upstreams, auth }, authorization, hasKey }: CheckSources) {
  const configured = upstreams.filter(({ url }) => url !== undefined);
  const adminApis: AdminApi[] = [];
  for (const { name, prefix, url, urlVariable, probePath } of configured)
    if (probePath !== undefined)
      adminApis.push({
        ...{ name: prefix, url, urlVariable, probePath, authorization: () => authorization(name) },
        giveKey: `store its key as the setting ${apiKeySetting(name)}`,
        withoutKey: `no key is stored for ${prefix}`,
      });
  const ofOperators = [
    { api: auth.store, name: STORE, probePath: IDENTITIES_PATH },
    { api: auth.oauthAdmin, name: OAUTH_ADMIN, probePath: CLIENTS_PATH },
  ];
  // Upstreams are already in the list.
  for (const { api, name, probePath } of ofOperators)
    if (api.url !== undefined && !configured.some(({ url }) => url === api.url))
      adminApis.push({
        ...namedApi(api, name),
        ...{ url: api.url, probePath, authorization: operatorsAuthorization(api, authorization) },
        withoutKey: `${api.keyVariable} is not set`,
      });
  const noAdminApi = unknown(
    'No admin API is configured.',
    'Set the addresses of your services; see the table of variables in docs/configure.md.',
  );
  /** A public API should have no stored key: it would replace the client's credentials. */
  const strayKey = async ({ name, prefix, admin }: Upstream): Promise<Finding | false> =>
    !admin &&
    (await hasKey(name)) &&
    warn(`A key is stored for ${prefix}, which is public.`, `Delete the setting ${apiKeySetting(name)}.`);

  return {
    upstream_keys: {
      title: 'API keys of the services',
      why: 'Without a valid key, the admin pages of that service stay empty; with a key for a public API, sign-outs there fail.',
      needs: 'database',
      look: async () => worst(await Promise.all([...adminApis.map(withKey), ...configured.map(strayKey)]), noAdminApi),
    },
    upstream_without_key: {
      title: 'Admin APIs require a key',
      why: 'An admin API without a key is open to its whole network: a single compromised program there controls everything in that service.',
      look: async () => worst(await Promise.all(adminApis.map(withoutKey)), noAdminApi),
    },
  } satisfies Checks;
}

async function withKey(api: AdminApi): Promise<Finding> {
  const { name, giveKey, withoutKey: lacksKey } = api;
  const hasKey = await api.authorization().then(
    (header) => header !== undefined,
    () => true,
  );
  const failure = await probe(api);
  if (failure === undefined)
    return hasKey
      ? pass(`${capital(name)} accepts its key.`)
      : warn(`${capital(name)} responds, and ${lacksKey}.`, `Make ${name} require a key, and ${giveKey}.`);
  if (failure.kind === 'refuses_key')
    return fail(
      hasKey ? `${capital(name)} rejects its key.` : `${capital(name)} requires a key, and ${lacksKey}.`,
      `${capital(giveKey)}.`,
    );
  return (failure.kind === 'key_unreadable' ? fail : unknown)(...causeOf(failure, api));
}

async function withoutKey(api: AdminApi): Promise<Finding> {
  const failure = await probe({ ...api, authorization: async () => undefined });
  if (failure?.kind === 'refuses_key') return pass(`${capital(api.name)} requires a key.`);
  if (failure !== undefined) return unknown(...causeOf(failure, api));
  return fail(
    `${capital(api.name)} responds without a key.`,
    'Put a reverse proxy in front of it that requires one, and block all other access to it.',
  );
}

/** Requests one row. @returns undefined if that succeeds */
const probe = ({ url, probePath, authorization }: AdminApi): Promise<UpstreamFailure | undefined> =>
  adminClient({ url, authorization, timeoutMs: API_TIMEOUT_MS })
    .list(probePath, { page_size: 1 })
    .then(() => undefined, failureOf);
